// collocations.js - several words that translate each other, such as "town hall" and "mairie". Used by lexicon.js.
//
//     lines with links, once     -> spans of one to four words that are linked to each other and to nothing else
//     the same lines once again  -> how often each of these spans occurs, and how it is written

import { countIn, mostFrequent } from './counts.js';

/** Words of a span, at most; apostrophes and hyphens count. */
const SPAN = 4;
/** How often two spans are linked, at least; less is often chance. */
const LEAST = 3;
/** How often a span occurs that is translated, at most. A small model knows what occurs more often. */
const MOST = 300;
/** The least share of a translation: a span has two at most. */
const SHARE = 0.4;
/** How often the words at both ends of a span occur, at most: no articles, no prepositions. */
const FREQUENT = 1000;
/** What a span consists of, and begins and ends with. */
const PART = /^(?:[\p{L}\p{M}\p{N}]+|['-])$/u;
const LETTER = /^\p{L}/u;

/** @typedef {{ at: number, end: number }} Word  its place in a text */

/** What is counted in one language of a pair. Words and spans are in small letters. */
class Side {
  /** @type {Map<string, number>} */
  words = new Map();
  /** How often spans occur. @type {Map<string, number>} */
  totals = new Map();
  /** How they are written: how often inside sentences, 0 at the beginning. @type {Map<string, Map<string, number>>} */
  #forms = new Map();

  /** @param {string} text @param {Word[]} words */
  addWords(text, words) {
    for (const { at, end } of words) countIn(this.words, text.slice(at, end).toLowerCase());
  }

  /** Counts only spans that `totals` has. @param {string} text @param {Word[]} words */
  addSpans(text, words) {
    for (const [i, { at }] of words.entries()) {
      for (const { end } of words.slice(i, i + SPAN)) {
        const form = text.slice(at, end), span = form.toLowerCase();
        if (!this.totals.has(span)) continue;
        countIn(this.totals, span);
        const forms = this.#forms.get(span) ?? new Map();
        if (i > 0) countIn(forms, form);
        else if (!forms.has(form)) forms.set(form, 0);
        this.#forms.set(span, forms);
      }
    }
  }

  /** How a span is written most. @param {string} span */
  formOf(span) {
    return mostFrequent(this.#forms.get(span) ?? new Map());
  }

  /**
   * The share of a translation that occurs n times; 0: too small, or the span needs none.
   *
   * @param {string} span
   * @param {number} n
   */
  shareOf(span, n) {
    const total = (this.totals.get(span) ?? 0) + 1; // what was seen three times may be chance
    return /[ '-]/.test(span) && total <= MOST + 1 && n >= SHARE * total ? n / total : 0;
  }
}

/** Whether words may be a span. @param {string} text @param {Word[]} words */
const isSpan = (text, words) => words.every(({ at, end }) => PART.test(text.slice(at, end))) &&
  [words[0], words[words.length - 1]].every(({ at, end }) => LETTER.test(text.slice(at, end)));

/**
 * Whether nothing is left out beside a span: a word without a link, such as a "not", may belong to it.
 *
 * @param {string} text @param {Word[]} words @param {Set<number>[]} links @param {number} first @param {number} end
 */
const isWhole = (text, words, links, first, end) => [first - 1, end].every((i) =>
  !words[i] || links[i].size > 0 || !LETTER.test(text.slice(words[i].at)));

/** The collocations of a pair of languages. */
export class Collocations {
  #seen = new Set();
  /** How often spans are linked: by both, with a tab between. @type {Map<string, number>} */
  #pairs = new Map();
  #sides = /** @type {const} */ ([new Side(), new Side()]);

  /**
   * The first pass. A line that was there before counts once.
   *
   * @param {[string, string]} texts
   * @param {[Word[], Word[]]} words
   * @param {Set<number>[][]} links  of the words of both: where they lead
   */
  add([source, target], [from, to], [of, by]) {
    const line = `${source}\t${target}`;
    if (this.#seen.has(line)) return;
    this.#seen.add(line);
    this.#sides[0].addWords(source, from);
    this.#sides[1].addWords(target, to);
    for (let first = 0; first < from.length; first++) {
      for (let end = first + 1; end <= Math.min(first + SPAN, from.length); end++) {
        if (of[first].size === 0 || of[end - 1].size === 0) continue;
        const ahead = of.slice(first, end).flatMap((list) => [...list]);
        const [low, high] = [Math.min(...ahead), Math.max(...ahead) + 1];
        // single words are those of lexicon.js
        if (high - low > SPAN || (end - first === 1 && high - low === 1)) continue;
        if (by.slice(low, high).some((list) => [...list].some((i) => i < first || i >= end))) continue;
        if (!isWhole(source, from, of, first, end) || !isWhole(target, to, by, low, high)) continue;
        if (!isSpan(source, from.slice(first, end)) || !isSpan(target, to.slice(low, high))) continue;
        const spans = [source.slice(from[first].at, from[end - 1].end), target.slice(to[low].at, to[high - 1].end)];
        countIn(this.#pairs, spans.join('\t').toLowerCase());
      }
    }
  }

  /** Ends the first pass. */
  choose() {
    for (const [pair, n] of this.#pairs) {
      const spans = pair.split('\t');
      const isRare = spans.every((span, i) => [/^[\p{L}\p{M}\p{N}]+/u, /[\p{L}\p{M}\p{N}]+$/u].every((end) =>
        (this.#sides[i].words.get(end.exec(span)?.[0] ?? '') ?? 0) <= FREQUENT));
      if (n < LEAST || !isRare || spans[0] === spans[1]) this.#pairs.delete(pair);
      else for (const [i, span] of spans.entries()) this.#sides[i].totals.set(span, 0);
    }
    this.#seen.clear();
  }

  /** The second pass, of the same lines. @param {[string, string]} texts @param {[Word[], Word[]]} words */
  count(texts, words) {
    const line = texts.join('\t');
    if (this.#seen.has(line)) return;
    this.#seen.add(line);
    for (const i of [0, 1]) this.#sides[i].addSpans(texts[i], words[i]);
  }

  /** @returns {{ words: [string, string], shares: [number, number] }[]}  shares: see shareOf() */
  list() {
    return [...this.#pairs].flatMap(([pair, n]) => {
      const spans = pair.split('\t');
      const [there, back] = spans.map((span, i) => this.#sides[i].shareOf(span, n));
      const [a, b] = spans.map((span, i) => this.#sides[i].formOf(span));
      return there + back > 0 ? [{ words: [a, b], shares: [there, back] }] : [];
    });
  }
}
