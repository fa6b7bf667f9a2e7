// offered.js - the pairs of languages that models translate. Loaded by translator.js for Translator.pairs(); used by
// cli/serve.js.

import { checkOptions } from '../base/check.js';
import { isNode } from '../base/host.js';
import { listFiles } from '../files/list.js';
import { findLayout } from '../files/layout.js';
import { listedFiles, openSource } from '../files/source.js';
import { checkTag, pairsOf } from '../model/languages.js';
import { listStated } from '../model/stated.js';
import { isThere, readIndex, readManifest } from './lookup.js';
import { listPairs, tagOf } from './ways.js';

/** @typedef {{ sourceLanguage?: string, targetLanguage: string }} OfferedPair  no source: any language */

/**
 * The files of a model, and what heed.json, or else the names of Firefox's files, state of it.
 *
 * @param {import('../files/source.js').ModelSource} model
 * @param {boolean | string} [cache]
 */
export async function readStated(model, cache) {
  const files = await openSource(model, undefined, { cache });
  const manifest = await readManifest(files);
  files.expect(listedFiles(manifest)); // refuses a malformed manifest, and that of a model that moved
  const names = await listFiles(files);
  const layout = names.includes('config.json') ? null : findLayout(names);
  return { files, names, layout, stated: /** @type {Record<string, any>} */ ({ ...layout?.languages, ...manifest }) };
}

/**
 * The pairs of a model: those of heed.json; else of the names of Firefox's files; else of config.json,
 * tokenizer_config.json, vocab.json and spiece.model.
 *
 * @param {import('../files/source.js').ModelSource} model
 * @param {boolean | string} [cache]
 * @returns {Promise<import('../model/languages.js').Pair[]>}  [] if the files do not tell
 */
export async function pairsOfModel(model, cache) {
  const { files, names, layout, stated: manifest } = await readStated(model, cache);
  const pairs = pairsOf(manifest);
  if (layout || pairs.every(([, target]) => target !== undefined)) {
    return pairs.filter(([, target]) => target !== undefined);
  }
  const stated = await listStated(files, (name) =>
    (files.url === undefined ? names.includes(name) : isThere(files, name)));
  const [[source]] = pairs;
  return stated.map(([from, to]) => [source ?? from, to]).filter(([from, to]) => from !== to);
}

/**
 * The same pairs with canonical tags, of which each is read once: a model of 200 languages has 40,000 pairs.
 *
 * @param {import('../model/languages.js').Pair[]} pairs
 */
export function withTags(pairs) {
  const known = new Map([...new Set(pairs.flat())].map((tag) => [tag, tag === undefined ? undefined : tagOf(tag)]));
  return pairs.map((pair) => pair.map((tag) => known.get(tag)));
}

/**
 * The pairs that a model, or the models of indexes, translate.
 *
 * @param {{ model?: import('../files/source.js').ModelSource, models?: string | URL | readonly (string | URL)[],
 *   pivot?: string | false, cache?: boolean | string }} options  as for create()
 * @param {string | URL | readonly (string | URL)[] | undefined} usual  `models` if it is not given; undefined: what
 *   is installed
 * @param {(error: unknown) => unknown} withName  makes the error that the caller gets
 * @returns {Promise<OfferedPair[]>}
 */
export async function offeredPairs(options, usual, withName) {
  const { model, models = usual, pivot, cache = !isNode } = checkOptions(options, 'model models pivot cache');
  if (pivot !== undefined && pivot !== false) checkTag(pivot, 'pivot');
  const list = async () => {
    if (model !== undefined) return pairsOfModel(model, cache);
    const indexes = models === undefined ? [await (await import('./installed.js')).findInstalled(cache)]
      : [models].flat();
    const entries = await Promise.all(indexes.map((index) => readIndex(index, undefined, cache)));
    return listPairs(entries.flat(), pivot);
  };
  const pairs = await list().catch((error) => {
    throw withName(error);
  });
  // two models may have the same pair
  const distinct = new Map(withTags(pairs).map((pair) => [pair.join(), pair]));
  return [...distinct.values()].flatMap(([sourceLanguage, targetLanguage]) => (targetLanguage === undefined ? []
    : [sourceLanguage === undefined ? { targetLanguage } : { sourceLanguage, targetLanguage }]));
}
