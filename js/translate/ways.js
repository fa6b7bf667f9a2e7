// ways.js - the ways from one language to another that a list of models has: one model, or two with a language in
// between. Loaded by lookup.js if an index does not state the pair itself; used by offered.js and cli/serve.js.

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

/** Whether two tags are of one language, in any script. @param {string} a @param {string} b @param {Reader} read */
const isSame = (a, b, read) => read(a).language === read(b).language;

/**
 * Sorts models: nearest tag first. For zh-Hant, zh-Hant is nearer than zh-Hans.
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
 * The models for two languages, in any script. Nearest tags first; the target counts most.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {Reader} read
 */
function modelsFor(models, source, target, read) {
  const found = models.filter((model) => isSame(model.source, source, read) && isSame(model.target, target, read));
  return nearestFirst(nearestFirst(found, 'source', source), 'target', target);
}

/**
 * Whether the first model reads the script of the source, and the last one writes that of the target.
 *
 * @param {Entry[]} steps
 * @param {string} source
 * @param {string} target
 * @param {Reader} read
 */
const hasScripts = (steps, source, target, read) =>
  read(steps[0].source).script === read(source).script
  && read(steps[steps.length - 1].target).script === read(target).script;

/**
 * The model for a pair. Its scripts are those of the pair.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {Reader} [read]
 */
export const findOwn = (models, source, target, read = reader()) =>
  modelsFor(models, source, target, read).find((model) => hasScripts([model], source, target, read));

/**
 * Two models from one language to another. The scripts of the source and the target count most, then the script in
 * between, then the order of the list.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {string | false | undefined} middle
 * @param {Reader} read
 * @returns {[Entry, Entry] | undefined}  NotSupportedError: both languages are the same
 */
function findTwo(models, source, target, middle, read) {
  if (isSame(source, target, read)) throw notSupported(`found ${source} to ${target}, expected two languages`);
  if (middle === false) return undefined;
  const firsts = models.filter((model) =>
    isSame(model.source, source, read) && (!middle || isSame(model.target, middle, read)));
  /** @type {[Entry, Entry] | undefined} */
  let best;
  let most = -1;
  for (const first of nearestFirst(firsts, 'source', source)) {
    for (const second of modelsFor(models, first.target, target, read)) {
      const fit = 2 * Number(hasScripts([first, second], source, target, read))
        + Number(read(first.target).script === read(second.source).script);
      if (fit > most) [best, most] = [[first, second], fit];
    }
    if (most === 3) break;
  }
  return best;
}

/**
 * The entries of two models, with the tags of the pair and one for the language in between.
 *
 * @param {[Entry, Entry]} two
 * @param {string} source
 * @param {string} target
 * @returns {[Entry, Entry]}
 */
function withPair([first, second], source, target) {
  const between = tagOf(first.target);
  return [{ ...first, source, target: between }, { ...second, source: between, target }];
}

/**
 * The two models from one language to another, see findTwo(), with the tags of the pair.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {string | false} [middle]  the language in between; false: none; default: any
 * @returns {[Entry, Entry] | undefined}  NotSupportedError: both languages are the same
 */
export function findSteps(models, source, target, middle) {
  const two = findTwo(models, source, target, middle, reader());
  return two && withPair(two, source, target);
}

/**
 * The place of a model, or two models, if no model has the scripts of the pair. Two models with these scripts are
 * better than one with others.
 *
 * @param {Entry[]} models
 * @param {string} source
 * @param {string} target
 * @param {string | false | undefined} middle  as for findSteps()
 * @param {unknown[]} errors  those of other indexes: thrown if no model has the languages
 * @returns {Entry['place'] | Entry[] | undefined}
 */
export function findWay(models, source, target, middle, errors) {
  const read = reader();
  const [model] = modelsFor(models, source, target, read);
  if (!model && errors.length > 0) throw errors[0];
  const two = findTwo(models, source, target, middle, read);
  if (model && !(two && hasScripts(two, source, target, read))) return model.place;
  return two && withPair(two, source, target);
}

/**
 * All pairs of languages that models translate, in the scripts of their tags.
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
      if (isSame(source, target, read) || has.has(name)) continue;
      const two = findTwo(models, source, target, pivot, read);
      if (!two || !hasScripts(two, source, target, read)) continue;
      pairs.push([source, target]);
      has.add(name);
    }
  }
  return pairs;
}
