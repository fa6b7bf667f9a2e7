// ways.js - the ways from one language to another that a list of models has: one model, or two with a language in
// between. Loaded by lookup.js if not just one model has a pair; used by offered.js and cli/serve.js.

import { canonical, languageOf, notSupported } from '../model/languages.js';
import { findCode } from '../model/pairs.js';

/** @typedef {import('./lookup.js').Entry} Entry */

/** The canonical form of a tag that a model states, such as de_DE; an invalid one as it is. @param {string} stated */
export const tagOf = (stated) => canonical(stated.replaceAll('_', '-')) ?? stated;

/** @typedef {(tag: string) => { language: string, script?: string }} Reader  script: also if the tag leaves it out */

/**
 * Reads tags, each once: in a list of a hundred models they are compared a million times, and Intl takes microseconds.
 *
 * @returns {Reader}
 */
function reader() {
  /** @type {Map<string, ReturnType<Reader>>} */
  const known = new Map();
  return (tag) => {
    const before = known.get(tag);
    if (before) return before;
    const own = canonical(tagOf(tag));
    const found = { language: languageOf(tag), script: own && new Intl.Locale(own).maximize().script };
    known.set(tag, found);
    return found;
  };
}

/**
 * Models, those first whose tag is the nearest to that of a language: of zh-Hans and zh-Hant the one with its script.
 *
 * @param {Entry[]} models
 * @param {'source' | 'target'} side
 * @param {string} tag
 */
function nearestFirst(models, side, tag) {
  const tags = new Set(models.map((model) => model[side]));
  const wanted = tags.size > 1 ? canonical(tagOf(tag)) : undefined;
  const own = wanted && findCode(tags, wanted);
  return [...models].sort((a, b) => Number(b[side] === own) - Number(a[side] === own));
}

/**
 * Models for the languages of a pair, that whose tags are the nearest first.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 */
export const nearest = (models, source, target) =>
  nearestFirst(nearestFirst(models, 'source', source), 'target', target);

/**
 * The two models from one language to another: of those that are possible, the first in the list whose source is the
 * source, and the first that goes on from there.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {string | false} [middle]  the language in between; false: none; default: any
 * @param {Reader} [read]
 * @returns {[Entry, Entry] | undefined}  NotSupportedError: both languages are the same
 */
export function findSteps(models, source, target, middle, read = reader()) {
  const isSame = (/** @type {string} */ a, /** @type {string} */ b) => read(a).language === read(b).language;
  if (isSame(source, target)) throw notSupported(`found ${source} to ${target}, expected two languages`);
  if (middle === false) return undefined;
  const firsts = models.filter((model) => isSame(model.source, source) && (!middle || isSame(model.target, middle)));
  for (const first of nearestFirst(firsts, 'source', source)) {
    const [second] = nearestFirst(models.filter((model) =>
      isSame(model.source, first.target) && isSame(model.target, target)), 'target', target);
    if (!second) continue;
    const between = tagOf(first.target);
    return [{ ...first, source, target: between }, { ...second, source: between, target }];
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
  const read = reader();
  const nameOf = (/** @type {string[]} */ pair) => pair.map((tag) => Object.values(read(tag)).join()).join(' ');
  const has = new Set(pairs.map(nameOf));
  const [sources, targets] = [0, 1].map((side) => [...new Set(pairs.map((pair) => pair[side]))]);
  for (const source of sources) {
    for (const target of targets) {
      const name = nameOf([source, target]);
      if (read(source).language === read(target).language || has.has(name)) continue;
      if (!findSteps(models, source, target, pivot, read)) continue;
      pairs.push([source, target]);
      has.add(name);
    }
  }
  return pairs;
}
