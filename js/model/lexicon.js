// lexicon.js - lexicon.tsv of a model: translations of words that are rare in what it was trained on. A search makes
// them more probable where the head that aligns looks at the word; see src/search/lexicon.c. Loaded by engine/here.js
// for models that have such a file.
//
// A line has the code of a language, an English word, a word of that language, and how often the second translates the
// first and the first the second, in hundredths; 0: the word to translate is not rare. Between two other languages
// English stands in the middle.

import { E_CONFIG, LEXICON_INTS, PLACE_ANY, PLACE_FIRST, PLACE_LATER } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { headsFor } from './heads.js';

/** Of the probability of an id, what a lexicon may give: see tests/score/lexicon.js. */
const STRENGTH = 0.5;
/** Translations of a word. */
const MOST = 3;
/** The least share of a translation by way of English. */
const LEAST = 0.1;
/** A word, with hyphens or without. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*/gu;
/** The start of a word in SentencePiece's pieces. */
const SPACE = '\u2581';

/** @typedef {Map<string, [word: string, share: number][]>} Words  translations by word in small letters */

/** @param {Words} words @param {string} from @param {string} to @param {number} share */
function add(words, from, to, share) {
  const key = from.toLowerCase();
  words.set(key, [...words.get(key) ?? [], [to, share]]);
}

/**
 * The translations of the words of a language into another.
 *
 * @param {string} text  lexicon.tsv
 * @param {string} source  a code of two letters
 * @param {string} target
 * @returns {Words}
 */
export function readLexicon(text, source, target) {
  /** @type {Record<string, { from: Words, to: Words }>} from English, to English */
  const sides = { [source]: { from: new Map(), to: new Map() }, [target]: { from: new Map(), to: new Map() } };
  for (const line of text.split('\n')) {
    const side = sides[line.slice(0, line.indexOf('\t'))];
    if (!side) continue;
    const [, english, word, there, back] = line.split('\t');
    if (there !== '0') add(side.from, english, word, Number(there) / 100);
    if (back !== '0') add(side.to, word, english, Number(back) / 100);
  }
  if (source === 'en') return sides[target].from;
  if (target === 'en') return sides[source].to;
  return new Map([...sides[source].to].map(([word, list]) => {
    /** @type {Map<string, number>} */
    const shares = new Map();
    for (const [english, share] of list)
      for (const [other, further] of sides[target].from.get(english.toLowerCase()) ?? [])
        shares.set(other, (shares.get(other) ?? 0) + share * further);
    return [word, [...shares].filter(([, share]) => share >= LEAST).sort((a, b) => b[1] - a[1]).slice(0, MOST)];
  }));
}

export class Lexicon {
  #tokenizer;
  #text;
  #pair;
  /** Read at the first sentence. @type {Words | undefined} */
  #words;
  /** What each word adds to the entries of a sentence: share, place, ids. @type {Map<string, number[][]>} */
  #known = new Map();

  /**
   * @param {string} text  lexicon.tsv
   * @param {import('../text/tokenizer.js').Tokenizer} tokenizer
   * @param {[source: string, target: string]} pair  codes of two letters
   * @param {Readonly<Record<string, any>>} config  of a model that names a head of its last layer that aligns
   */
  constructor(text, tokenizer, pair, { decoder_layers: layers, decoder_attention_heads: heads, alignment_heads }) {
    const [, head] = headsFor(alignment_heads, layers, heads)?.find(([layer]) => layer === layers - 1) ?? [];
    if (head === undefined) {
      throw new HeedError(E_CONFIG, `config.json: alignment_heads: found ${JSON.stringify(alignment_heads)}, expected ` +
        `a head of decoder layer ${layers - 1} beside a lexicon.tsv: it says which word is translated`);
    }
    this.head = head;
    this.#text = text;
    this.#tokenizer = tokenizer;
    this.#pair = pair;
  }

  /** @param {string} word  in small letters @returns {number[][]} */
  #entriesOf(word) {
    this.#words ??= readLexicon(this.#text, ...this.#pair);
    const encode = (/** @type {string} */ text) =>
      [...this.#tokenizer.encode(text, { side: 'target' }).ids].slice(0, -1);
    const found = this.#known.get(word) ?? (this.#words.get(word) ?? []).flatMap(([text, share]) => {
      const capital = text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
      const entry = (/** @type {number} */ place, /** @type {string} */ form) =>
        [Math.round(1000 * STRENGTH * Math.min(share, 1)), place, ...encode(form)];
      // a sentence begins with a capital
      return capital === text ? [entry(PLACE_ANY, text)] : [entry(PLACE_LATER, text), entry(PLACE_FIRST, capital)];
    });
    this.#known.set(word, found);
    return found;
  }

  /**
   * The entries of a source, as heed_search_lexicon() takes them.
   *
   * @param {ArrayLike<number>} ids
   * @returns {Int32Array}
   */
  entriesFor(ids) {
    let text = '';
    /** The places of the words' pieces: where each begins in the text. */
    const starts = Array.from(ids, (id) => {
      const at = text.length;
      const piece = this.#tokenizer.idToPiece(id);
      // </s>, the token of a language, and bytes have no letters of words
      text += /^(<.*>|>>.*<<)$/.test(piece) ? SPACE : piece;
      return at;
    });
    starts.push(text.length);
    /** @type {number[]} */
    const entries = [];
    const visit = (/** @type {string} */ word, /** @type {number} */ at) => {
      const found = this.#entriesOf(word.toLowerCase());
      const end = starts.findIndex((start) => start >= at + word.length);
      const first = starts.findLastIndex((start) => start <= at);
      for (const [share, place, ...own] of found)
        if (entries.length + 5 + own.length <= LEXICON_INTS * ids.length)
          entries.push(first, end, share, place, own.length, ...own);
      return found.length > 0;
    };
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (visit(word, index) || !word.includes('-')) continue;
      for (const part of word.matchAll(/[^-]+/g)) visit(part[0], index + part.index);
    }
    return Int32Array.from(entries);
  }
}
