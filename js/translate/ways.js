// ways.js - the ways from one language to another that a list of models has: one model, or two with a language in
// between. Loaded by lookup.js if no model has a pair; used by cli/serve.js.

import { languageOf, notSupported } from '../model/languages.js';

/** @typedef {import('./lookup.js').Entry} Entry */

/** @param {string} a @param {string} b */
const isSame = (a, b) => languageOf(a) === languageOf(b);

/**
 * The two models from one language to another: of those that are possible, the first in the list whose source is the
 * source, and the first that goes on from there.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {string | false} [middle]  the language in between; false: none; default: any
 * @returns {[Entry, Entry] | undefined}  NotSupportedError: both languages are the same
 */
export function findSteps(models, source, target, middle) {
  if (isSame(source, target)) throw notSupported(`found ${source} to ${target}, expected two languages`);
  if (middle === false) return undefined;
  for (const first of models) {
    if (!isSame(first.source, source) || (middle && !isSame(first.target, middle))) continue;
    const second = models.find((model) => isSame(model.source, first.target) && isSame(model.target, target));
    if (second) return [{ ...first, source }, { ...second, source: first.target, target }];
  }
  return undefined;
}

/**
 * All pairs of languages that models translate.
 *
 * @param {Entry[]} models
 * @param {string | false} [pivot]  the language in between, if it is needed; false: none; default: any
 * @returns {[source: string, target: string][]}  those with a model first
 */
export function listPairs(models, pivot) {
  /** @type {[string, string][]} */
  const pairs = models.map(({ source, target }) => [source, target]);
  if (pivot === false) return pairs;
  const has = (/** @type {string} */ source, /** @type {string} */ target) =>
    pairs.some(([from, to]) => isSame(from, source) && isSame(to, target));
  const [sources, targets] = [0, 1].map((side) => [...new Set(pairs.map((pair) => pair[side]))]);
  for (const source of sources) {
    for (const target of targets) {
      if (isSame(source, target) || has(source, target)) continue;
      if (findSteps(models, source, target, pivot)) pairs.push([source, target]);
    }
  }
  return pairs;
}
