// languages.js - language tags, and whether a model translates a pair of them; used by engine/ and translate/.

import { badRange, badType } from '../base/check.js';

/** The canonical form of a tag ('de' of 'deu'), undefined if it is invalid. @param {string} tag */
export function canonical(tag) {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The language of a tag, which is what a model is chosen by; an invalid tag as it is. @param {string} tag */
export function languageOf(tag) {
  const known = canonical(tag.replaceAll('_', '-'));
  return known === undefined ? tag : new Intl.Locale(known).language;
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = /^(?:Adlm|Arab|Hebr|Mand|Nkoo|Rohg|Samr|Syrc|Thaa)$/;

/** The direction of the writing of a language. @param {string} tag @returns {'ltr' | 'rtl'} */
export function directionOf(tag) {
  const known = canonical(tag);
  const { script = '' } = known === undefined ? {} : new Intl.Locale(known).maximize();
  return RIGHT_TO_LEFT.test(script) ? 'rtl' : 'ltr';
}

/** @param {unknown} tag @param {string} option @returns {string} */
export function checkTag(tag, option) {
  const expected = "a language tag like 'de'";
  return typeof tag !== 'string' ? badType(option, tag, expected) : (canonical(tag) ?? badRange(option, tag, expected));
}

/** @param {string} message */
export const notSupported = (message) => new DOMException(message, 'NotSupportedError');

/** A pair of language tags; a side that a model does not state is undefined. @typedef {(string | undefined)[]} Pair */

/**
 * The pairs that a model says it translates: `pairs` of its heed.json, or the one of `source` and `target`. Leaves
 * malformed ones to listedFiles(), which names them.
 *
 * @param {Record<string, unknown>} manifest
 * @returns {Pair[]}
 */
export function pairsOf({ pairs, source, target }) {
  const listed = Array.isArray(pairs) ? pairs.filter(Array.isArray) : [];
  return listed.length > 0 ? listed : [/** @type {Pair} */ ([source, target])];
}

/**
 * Refuses the heed.json of a model for other pairs.
 *
 * @param {string} source
 * @param {string} target
 * @returns {(manifest: Record<string, unknown>) => void}  throws a NotSupportedError
 */
export const checkPair = (source, target) => (manifest) => {
  const fits = (/** @type {unknown} */ stated, /** @type {string} */ wanted) =>
    typeof stated !== 'string' || languageOf(stated) === languageOf(wanted);
  const pairs = pairsOf(manifest);
  if (pairs.some(([from, to]) => fits(from, source) && fits(to, target))) return;
  const list = pairs.map(([from = 'any', to = 'any']) => `${from} to ${to}`).join(', ');
  throw notSupported(`found ${source} to ${target}, the model is for ${list}`);
};
