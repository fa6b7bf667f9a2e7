// evidence.js - the units of a text and of its translation, and how far they belong to each other: by attention, by
// letters, by order. Used by place.js.
//
// Attention is first shared among the words of the source, then among those of the target: in sentences aligned by hand
// (tests/train/gold.tsv) this finds 69 % of the ranges of one or two words exactly, instead of 57 %; see
// tests/score/tags.js.

import { cutUnits, unitsOf } from './units.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./units.js').Unit} Unit */
/** @typedef {import('./units.js').Span} Span */
/**
 * @typedef {object} Weights  attention of a translation to its source
 * @property {Float64Array} data  [T, S]
 * @property {Span[]} sources  places of the source's tokens, S
 * @property {Span[]} targets  places of the target's tokens, T; some at the end may be missing
 */
/**
 * @typedef {object} Part  a sentence of a block, or what is not translated; between parts is only white space
 * @property {number} start  its position in the text of the block
 * @property {string} source
 * @property {string} target
 * @property {(Span & { targetStart: number, targetEnd: number })[]} [kept]  what passes through: its places in source
 *   and target; targetStart -1: the target lacks it
 * @property {Weights} [weights]  missing if no tag stands inside of the source, or if the target is the same text
 */
/** @typedef {Unit & { part: number }} SourceUnit  start, end: in the text of the block */
/**
 * @typedef {Unit & { part: number, same: number, word: number, isDropped: boolean }} TargetUnit  start, end: in the
 *   target of its part; same: the unit of the source that it copies with its tags, or -1; word: the tag of kind 'word'
 *   that replaces it, or -1; isDropped: it is replaced by another's
 */

/** Share of attention between a word and a sign that counts: signs get attention that means nothing. */
export const MIXED = 0.1;
/** What the same text in source and target is worth: of words, of signs. */
const [SAME_WORD, SAME_SIGN] = [0.5, 0.15];
/** What order is worth: it decides where there is little else. */
const ORDER = 0.05;

/**
 * Where words that pass through are in a translation: where the translator says, or else where their text is.
 *
 * @template {Span} T
 * @param {T[]} words  of the source
 * @param {string} source
 * @param {string} target
 * @param {NonNullable<Part['kept']>} kept
 * @returns {T[]}  those that are found, with their places in the target, in order
 */
function findWords(words, source, target, kept) {
  /** @type {T[]} */
  const found = [];
  // a space that does not break a line may have come between them, see withFixedSpaces()
  const [from, to] = [source, target].map((text) => text.replace(/[\u00a0\u202f]/g, ' '));
  const add = (/** @type {T} */ word, /** @type {number} */ start) => {
    const text = from.slice(word.start, word.end);
    const end = start + text.length;
    const isFree = start >= 0 && to.startsWith(text, start) &&
      !found.some((other) => other.start < end && other.end > start);
    if (isFree) found.push({ ...word, start, end });
    return isFree;
  };
  const left = words.filter((word) => {
    const match = kept.find(({ start, end }) => start <= word.start && end >= word.end);
    return !match || match.targetStart < 0 || !add(word, match.targetStart + word.start - match.start);
  });
  // beside letters it is no word to the translator
  for (const word of left) {
    const text = from.slice(word.start, word.end);
    let at = to.indexOf(text);
    while (at >= 0 && !add(word, at)) at = to.indexOf(text, at + 1);
  }
  return found.sort((one, other) => one.start - other.start);
}

/**
 * Units of both texts.
 *
 * @param {Block} block
 * @param {Part[]} parts
 * @param {{ source: Intl.Segmenter, target: Intl.Segmenter }} segmenters
 */
export function layOut({ tags, words }, parts, segmenters) {
  /** @type {SourceUnit[]} */
  const sources = [];
  /** @type {TargetUnit[]} */
  const targets = [];
  const wordTags = tags.flatMap(({ kind }, i) => (kind === 'word' ? [i] : []));
  let [tag, word] = [0, 0];
  const isCut = (/** @type {number} */ start, /** @type {number} */ end) =>
    words[unitsBefore(words, start)]?.start < end;
  const ranges = parts.map(({ start, source, target, kept = [] }, part) => {
    const end = start + source.length;
    const [s0, t0] = [sources.length, targets.length];
    while (words[word]?.start < start) word++;
    /** @type {{ start: number, end: number, tag: number }[]} */
    const inside = [];
    for (let i = word; words[i]?.end <= end; i++) {
      inside.push({ start: words[i].start - start, end: words[i].end - start, tag: wordTags[i] });
    }
    /** @type {typeof inside} */
    let found = inside;
    /** @type {[Unit[], Unit[]]} */
    let both;
    if (source === target) {
      while (tags[tag]?.at <= start) tag++;
      const cuts = [];
      for (; tags[tag]?.at < end; tag++) cuts.push(tags[tag].at - start);
      // where words end that the parts divide
      for (let i = unitsBefore(words, start); words[i]?.start < end; i++) cuts.push(words[i].end - start);
      const units = cutUnits(source, cuts.sort((a, b) => a - b), inside);
      both = [units, units];
    } else {
      found = findWords(inside, source, target, kept);
      both = [unitsOf(source, segmenters.source, inside), unitsOf(target, segmenters.target, found)];
    }
    for (const unit of both[0]) sources.push({ ...unit, start: unit.start + start, end: unit.end + start, part });
    let next = 0;
    for (const [i, unit] of both[1].entries()) {
      while (found[next]?.end <= unit.start) next++;
      const own = found[next]?.start === unit.start ? found[next].tag : -1;
      const isSame = source === target;
      // a part of a word that is divided: it is written whole
      const isDropped = isSame && own < 0 && isCut(unit.start + start, unit.end + start);
      targets.push({ ...unit, part, same: isSame ? s0 + i : -1, word: own, isDropped });
    }
    return { s0, s1: sources.length, t0, t1: targets.length, isSame: source === target };
  });
  return { sources, targets, ranges };
}

/** @typedef {ReturnType<typeof layOut>} Layout */

/** How many of the units end at or before a position. @param {Span[]} units @param {number} at */
export function unitsBefore(units, at) {
  let [low, high] = [0, units.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (units[middle].end <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The units that a token overlaps. @param {Span[]} units @param {Span} token @returns {[number, number]} */
function overlapped(units, { start, end }) {
  const first = unitsBefore(units, start);
  let last = first;
  while (units[last]?.start < end) last++;
  return [first, last];
}

/**
 * Divides each of n rows by its sum.
 *
 * @param {Float64Array} data
 * @param {number} n
 * @param {number} step  from a row to the next
 * @param {number} m  numbers of a row
 * @param {number} stride  from one of them to the next
 */
function share(data, n, step, m, stride) {
  for (let row = 0; row < n; row++) {
    let sum = 0;
    for (let i = 0; i < m; i++) sum += data[row * step + i * stride];
    if (sum > 0) for (let i = 0; i < m; i++) data[row * step + i * stride] /= sum;
  }
}

/** How far the units of the parts belong to each other. */
export class Evidence {
  #block;
  #parts;
  #layout;
  /** @type {Map<number, Float64Array>} */
  #known = new Map();

  /** @param {Block} block @param {Part[]} parts @param {Layout} layout */
  constructor(block, parts, layout) {
    this.#block = block;
    this.#parts = parts;
    this.#layout = layout;
  }

  /** Of a part: [its units of the target, its units of the source]. @param {number} part */
  of(part) {
    const known = this.#known.get(part);
    if (known) return known;
    const { sources, targets, ranges } = this.#layout;
    const { s0, s1, t0, t1 } = ranges[part];
    const [S, T] = [s1 - s0, t1 - t0];
    const { weights, target, start: partStart } = this.#parts[part];
    const data = new Float64Array(S * T);
    if (weights) {
      const own = sources.slice(s0, s1).map(({ start, end }) => ({ start: start - partStart, end: end - partStart }));
      const columns = weights.sources.map((token) => overlapped(own, token));
      const rows = targets.slice(t0, t1);
      const counts = new Float64Array(T);
      for (const [row, token] of weights.targets.entries()) {
        const [first, last] = overlapped(rows, token);
        for (let t = first; t < last; t++) {
          counts[t]++;
          for (const [column, [from, to]] of columns.entries()) {
            const weight = weights.data[row * columns.length + column] / (to - from || 1);
            for (let s = from; s < to; s++) data[t * S + s] += weight;
          }
        }
      }
      for (let i = 0; i < data.length; i++) data[i] /= counts[Math.floor(i / S)] || 1;
    }
    for (let t = 0; t < T; t++) {
      for (let s = 0; s < S; s++) if (sources[s0 + s].isWord !== targets[t0 + t].isWord) data[t * S + s] *= MIXED;
    }
    // some units get attention from all, which means nothing: each gives and gets 1
    share(data, S, 1, T, S);
    share(data, T, S, S, 1);
    for (let t = 0; t < T; t++) {
      const unit = targets[t0 + t];
      const text = target.slice(unit.start, unit.end);
      for (let s = 0; s < S; s++) {
        const { start, end, isWord } = sources[s0 + s];
        const i = t * S + s;
        if (this.#block.text.slice(start, end) === text) data[i] += isWord ? SAME_WORD : SAME_SIGN;
        data[i] += ORDER * (1 - Math.abs((t + 0.5) / T - (s + 0.5) / S));
      }
    }
    this.#known.set(part, data);
    return data;
  }
}
