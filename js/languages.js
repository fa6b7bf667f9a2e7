// languages.js - language tags, and the model for a pair of them; used by translator.js.

import { readFileAt } from './files.js';
import { mismatch, parseJson } from './json.js';
import { badRange, badType } from './options.js';
import { E_JSON, HeedError } from './wasm.js';

/** The canonical form of a tag ('de' of 'deu'), undefined if it is none. @param {string} tag */
export function canonical(tag) {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** A tag without what does not matter for a choice of model; as it is if it is none. @param {string} tag */
export function languageOf(tag) {
  const known = canonical(tag.replaceAll('_', '-'));
  return known === undefined ? tag : new Intl.Locale(known).language;
}

/** @param {unknown} tag @param {string} option @returns {string} */
export function checkTag(tag, option) {
  const expected = "a language tag like 'de'";
  return typeof tag !== 'string' ? badType(option, tag, expected) : (canonical(tag) ?? badRange(option, tag, expected));
}

/**
 * The directory of the model for a pair, or undefined if the index has none.
 *
 * @param {string | URL} models  an index.json: { "models": [{ "source": "en", "target": "de", "path": "en-de/" }] }
 * @param {string} source
 * @param {string} target
 * @param {AbortSignal} [signal]
 * @param {boolean | string} [cache]
 */
export async function findModel(models, source, target, signal, cache) {
  const { bytes, sibling } = await readFileAt(models, signal, cache);
  const { models: list } = parseJson(bytes, String(models));
  const isEntry = (/** @type {any} */ m) => [m?.source, m?.target, m?.path].every((v) => typeof v === 'string');
  if (!Array.isArray(list) || !list.every(isEntry)) {
    throw new HeedError(E_JSON, mismatch(`${models}: models`, list, 'an array of { source, target, path }'));
  }
  const found = list.find(
    (m) => languageOf(m.source) === languageOf(source) && languageOf(m.target) === languageOf(target),
  );
  return found && sibling(found.path);
}
