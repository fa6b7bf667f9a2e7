// forced.js - puts given words into a translation. Used by glossary.js.
//
// For each term: keep the translation up to the word where the cross attention sees the term, add the given words, and
// let the model continue from there. At the end the given spelling replaces the model's, so that the words are exact
// even if the tokenizer lacks a character. If that fails, translateAround() translates the text between the terms piece
// by piece.

import { headsFor } from '../model/heads.js';
import { hasStandIn, isStandIn, STAND_IN } from '../text/pieces.js';
import { firstOf, isTouching, isWord, isWorded, lastOf, whole } from '../text/terms.js';
import { meanOf } from './alignment.js';

/** @typedef {import('../text/terms.js').Found} Found */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/engine.js').Result} Result */
/**
 * @typedef {{ text: string, after: string, start: number, ids: Int32Array, offsets: Int32Array,
 *   pieces?: string[], kept?: import('../text/keep.js').Span[], isKept?: boolean }} Sentence
 */
/**
 * @typedef {{ ids: Int32Array, text: string, starts?: Map<Found, number> }} Attempt  a translation with given
 *   words; starts: positions of the terms in the text
 */

/** All pieces of the target side, by id. @type {WeakMap<Engine, Promise<string[]>>} */
const vocabularies = new WeakMap();

/** @param {Engine} engine */
export function piecesOf(engine) {
  const pieces = vocabularies.get(engine) ?? engine.pieces();
  vocabularies.set(engine, pieces);
  pieces.catch(() => vocabularies.delete(engine));
  return pieces;
}

/** Translates one sentence with given words. */
export class Forced {
  #engine;
  #targetLanguage;
  #pieces;
  #generate;
  #sentence;
  #eos;
  /** @type {number[]} the translation, which ends as the model continued it */
  #ids = [];
  /** How many of the first `#ids` no longer change. */
  #fixed;
  #longest;
  #shortlist;
  /** @type {{ found: Found, begin: number, end: number, spaced: boolean }[]} where in `#ids` the given words are */
  #spans = [];

  /**
   * @param {{ engine: Engine, targetLanguage: string }} host
   * @param {string[]} pieces  of the target side, by id
   * @param {(prefix: number[]) => Promise<Result>} generate
   * @param {Sentence} sentence
   * @param {number} fixed  length of the caller's prefix
   * @param {number} longest  most ids of a translation
   * @param {boolean} [shortlist]  as in a search
   */
  constructor({ engine, targetLanguage }, pieces, generate, sentence, fixed, longest, shortlist) {
    this.#engine = engine;
    this.#targetLanguage = targetLanguage;
    this.#pieces = pieces;
    this.#generate = generate;
    this.#sentence = sentence;
    this.#fixed = fixed;
    this.#longest = longest;
    this.#shortlist = shortlist;
    this.#eos = Number(engine.config.eos_token_id);
  }

  /** Whether no word continues with an id. A word may have hyphens, and characters in bytes. @param {number} id */
  #isBoundary(id) {
    const piece = this.#pieces[id];
    return id === this.#eos ||
      (piece !== '' && !isWord.test(piece) && !/^([-\u2010\u2011'\u2019]|<0x[89A-F].>$)/.test(piece));
  }

  /** Whether the model read STAND_IN for a term or a part of it. @param {Found} found */
  #isStandIn({ start, end }) {
    return hasStandIn(this.#sentence, start, end);
  }

  /**
   * The index in `#ids` where the translation of a term begins: at the word that attends to the term most, or before
   * it, at the first of the words that also attend to the term more than to anything else.
   *
   * @param {Found} found
   * @param {Float64Array} mean  cross attention, [target, source]
   */
  #placeOf(found, mean) {
    const { start, end, isKept, translation } = found;
    const S = this.#sentence.ids.length;
    const { offsets, text } = this.#sentence;
    const isMarian = this.#engine.config.positions === 'marian';
    // Marian's vocabularies lack characters. One that becomes several tokens, as 1/2 for \u00bd, gives its range to the
    // last; the others are empty, and begin where it begins.
    const isOf = (/** @type {number} */ s) => offsets[2 * s] < end
      && (offsets[2 * s + 1] > start || (isMarian && offsets[2 * s] === start));
    const last = this.#ids.at(-1) === this.#eos ? this.#ids.length - 1 : this.#ids.length;
    const pieceAt = (/** @type {number} */ t) => this.#pieces[this.#ids[t]];
    // Marian's vocabularies lack emoji: one after the last word has no word of its own, but every word may attend to
    // it, as to </s>
    const rest = text.slice(end);
    if (isKept && isMarian && !isWorded.test(rest) && !isWorded.test(translation)) {
      let place = last;
      while (rest.trim() && place > this.#fixed && ends.test(pieceAt(place - 1))) place--;
      return place;
    }
    let [place, most] = [last, 0];
    const isCopied = this.#isStandIn(found) && this.#ids.some((_, t) => t >= this.#fixed && isStandIn(pieceAt(t)));
    for (let t = this.#fixed; t < last; t++) {
      if (isCopied && !isStandIn(pieceAt(t))) continue;
      let mass = 0;
      for (let s = 0; s < S; s++) if (isOf(s)) mass += mean[t * S + s];
      if (mass > most) [place, most] = [t, mass];
    }
    if (isCopied) return place;
    const beginOf = (/** @type {number} */ t) => {
      const isWithin = () => t > this.#fixed && t < last && !this.#isBoundary(this.#ids[t]);
      while (isWithin() && /[\p{L}\p{N}-]/u.test(pieceAt(t - 1))) t--;
      return t;
    };
    // The space before such a character is a token, alone or with the character's first part. What has no letters and
    // attends to it spells the character; a word may attend to it for itself.
    const isSpace = (/** @type {number} */ s) =>
      isMarian && offsets[2 * s + 1] === start && /\s/.test(text.charAt(start - 1));
    const looksAtIt = (/** @type {number} */ t) => {
      const row = mean.subarray(t * S, (t + 1) * S);
      const s = row.indexOf(Math.max(...row));
      return isOf(s) || (isSpace(s) && !/\p{L}/u.test(pieceAt(t)));
    };
    // the model spells a kept span by many tokens: all of them are replaced
    if (isKept) {
      while (place > this.#fixed && looksAtIt(place - 1)) place--;
      place = beginOf(place);
      while (place > this.#fixed && looksAtIt(place - 1)) place = beginOf(place - 1);
    }
    place = beginOf(place);
    while (place > this.#fixed && looksAtIt(place - 1) && isWord.test(pieceAt(place - 1).replace('\u2581', ''))) {
      place = beginOf(place - 1);
    }
    return place;
  }

  /**
   * Ids of a translation, with a space before it or without.
   *
   * @param {string} translation
   * @param {boolean} spaced
   * @returns {Promise<number[]>}
   */
  async #idsOf(translation, spaced) {
    const [encoded] = await this.#engine.encode([translation], 'target');
    const ids = [...encoded.ids].slice(0, -1);
    if (spaced || ids.length === 0) return ids;
    const first = this.#pieces[ids[0]];
    if (first === '\u2581') return ids.slice(1);
    const rest = this.#pieces.indexOf(first.slice(1));
    return first.startsWith('\u2581') && rest >= 0 ? [rest, ...ids.slice(1)] : ids;
  }

  /**
   * Puts the translation of one term at an index, and lets the model continue.
   *
   * @param {Found} found
   * @param {number} place
   * @returns {Promise<boolean>}  false: it is too long
   */
  async #put(found, place) {
    const after = this.#ids[place - 1];
    const here = this.#ids[place];
    // the model puts no space after an opening bracket or quotation mark
    const spaced = place === 0 || here === undefined || here === this.#eos || this.#pieces[here].startsWith('\u2581') ||
      isWord.test(this.#pieces[after].slice(-1));
    const given = this.#isStandIn(found) ? STAND_IN : found.translation;
    const prefix = [...this.#ids.slice(0, place), ...(await this.#idsOf(given, spaced))];
    // room for what ends the term, and for one more id
    if (prefix.length + 2 > this.#longest) return false;
    this.#fixed = prefix.length;
    this.#spans.push({ found, begin: place, end: prefix.length, spaced });
    this.#ids = [...(await this.#generate(prefix)).ids];
    const next = this.#ids[prefix.length];
    if (next !== undefined && !this.#isBoundary(next)) {
      const id = await this.#bestBoundary(prefix);
      this.#ids = id === this.#eos ? [...prefix, id] : [...(await this.#generate([...prefix, id])).ids];
    }
    return true;
  }

  /**
   * The text before a kept span, with a space at its end if the source has one there.
   *
   * @param {string} text
   * @param {Found} found
   */
  #before(text, { start, translation }) {
    const previous = lastOf(this.#sentence.text.slice(0, start));
    const own = text.replace(/[\s\ufffd]+$/, '');
    if (/\s|^$/.test(previous)) return own + (/[^([{\u00ab\u201c\u201e\u00bf\u00a1]$/.test(own) ? ' ' : '');
    return isTouching(firstOf(translation), previous, lastOf(own)) ? own : text;
  }

  /**
   * How many characters after a kept span are dropped: spaces that the source does not have, or characters by which the
   * model continues to spell the span.
   *
   * @param {string} text
   * @param {Found} found
   */
  #skipped(text, { end, translation }) {
    const rest = this.#sentence.text.slice(end);
    const isBeside = isTouching(lastOf(translation), firstOf(rest), firstOf(text.trimStart()));
    const spelled = (isBeside ? /^ ?/ : /^(?:[@./_+#%&=~]+[\p{L}\p{N}]+)*/u).exec(text)?.[0].length ?? 0;
    // a vocabulary that lacks the span's characters has a word in its place, with spaces around it; only French has a
    // space before ? ! : ;
    const stops = `.,)\u2026${/^fr\b/.test(this.#targetLanguage) ? '' : '?!:;'}`;
    const spaces = stops.includes(rest[0]) ? new RegExp(`^ +(?=[ ${stops}])`) : /^ +(?= )/;
    return spelled + (spaces.exec(text.slice(spelled))?.[0].length ?? 0);
  }

  /**
   * How many characters after the translation of a term say the term itself again, as models copy codes and names.
   *
   * @param {string} text
   * @param {Found} found
   */
  #repeated(text, { start, end }) {
    const source = this.#sentence.text;
    const term = source.slice(start, end);
    const next = text.trimStart();
    const rest = next.slice(term.length);
    const isAgain = next.startsWith(term) && !isWord.test(rest) && !source.slice(end).includes(term);
    return isAgain ? text.length - rest.length : 0;
  }

  /** The most probable id after a word that ends with the prefix. @param {number[]} prefix */
  async #bestBoundary(prefix) {
    const row = await this.#engine.logits(this.#sentence.ids, prefix, { shortlist: this.#shortlist });
    const never = [this.#engine.config.pad_token_id, this.#pieces.indexOf('<unk>')];
    let best = this.#eos;
    row.forEach((logit, id) => {
      if (logit > row[best] && !never.includes(id) && this.#isBoundary(id)) best = id;
    });
    return best;
  }

  /**
   * @param {Result} free  the translation without given words
   * @param {Found[]} terms
   * @returns {Promise<Attempt>}
   */
  async run(free, terms) {
    this.#ids = [...free.ids];
    let pending = terms;
    const { config } = this.#engine;
    const layers = Number(config.decoder_layers);
    const names = Array.from({ length: layers }, (_, layer) => `decoder.layers.${layer}.encoder_attn.weights`);
    // one head of Firefox's models has learned to align, and finds words better than the mean of all heads
    const chosen = config.positions === 'marian'
      ? headsFor(config.alignment_heads, layers, Number(config.decoder_attention_heads)) : undefined;
    while (pending.length > 0) {
      // without logits, which take most of the time of a pass
      const maps = await this.#engine.inspect(this.#sentence.ids, this.#ids, { names });
      const mean = meanOf(names.map((name) => maps[name]), chosen);
      const [next] = pending
        .map((found) => ({ found, place: this.#placeOf(found, mean) }))
        .sort((a, b) => a.place - b.place || a.found.start - b.found.start);
      pending = pending.filter((found) => found !== next.found);
      if (!(await this.#put(next.found, next.place))) break;
    }
    const ids = Int32Array.from(this.#ids);
    const edges = this.#spans.flatMap(({ begin, end }) => [ids.subarray(0, begin), ids.subarray(0, end)]);
    const [raw, ...heads] = await this.#engine.decode([ids, ...edges]);
    let text = '';
    let at = 0;
    /** @type {Map<Found, number>} */
    const starts = new Map();
    for (const [i, { found, spaced }] of this.#spans.entries()) {
      const [left, right] = [heads[2 * i].length, heads[2 * i + 1].length];
      const own = raw.slice(left, right);
      text += raw.slice(at, left) + (spaced ? own.slice(0, own.length - own.trimStart().length) : '');
      if (found.isKept) text = this.#before(text, found);
      starts.set(found, text.length);
      text += found.translation;
      at = right;
      at += found.isKept ? this.#skipped(raw.slice(at), found) : this.#repeated(raw.slice(at), found);
    }
    text += raw.slice(at);
    return { ids, text, starts };
  }
}

/** What ends a sentence. */
const ends = /[.!?\u2026\u3002\uff01\uff1f]+$/;

/**
 * A part that begins inside a sentence, with a small first letter. Acronyms, I, and words that have a capital inside
 * the free translation, such as German nouns, do not change.
 *
 * @param {string} text
 * @param {string} free
 * @param {string} [language]  of both
 * @returns {string}
 */
export function asWithin(text, free, language = 'de') {
  const first = /^\p{Lu}(?!['\u2019]?\p{Lu})[\p{L}\p{M}]*/u.exec(text)?.[0];
  if (!first || first === 'I') return text;
  const isName = new RegExp(`(?<=[^\\s.!?\u2026]\\s+)${whole(first)}`, 'u').test(free);
  if (isName) return text;
  const [capital] = first;
  return capital.toLocaleLowerCase(language) + text.slice(capital.length);
}

/**
 * What a Translator lends to glossary.js.
 *
 * @template {Sentence} T
 * @typedef {object} Host
 * @property {Engine} engine
 * @property {(texts: string[]) => Promise<import('../text/split.js').Encoded[]>} encode  texts of the source
 * @property {string} sourceLanguage
 * @property {string} targetLanguage
 * @property {(sentences: T[], options: import('../model/options.js').GenerateOptions) => Promise<Result[][]>} generate
 */

/**
 * Translates each part between the terms alone, and puts the terms between them. This is the last resort, because no
 * part has its context.
 *
 * @template {Sentence} T
 * @param {Host<T>} host
 * @param {T} sentence
 * @param {Found[]} terms
 * @param {string} free  the translation without given words
 * @param {import('../model/options.js').GenerateOptions} options
 * @returns {Promise<Attempt | undefined>}  undefined: it is too long for the model, or a part with a term of a glossary
 *   beside it did not end
 */
export async function translateAround({ engine, encode, targetLanguage, generate }, sentence, terms, free, options) {
  const edges = [0, ...terms.flatMap(({ start, end }) => [start, end]), sentence.text.length];
  const parts = Array.from({ length: terms.length + 1 }, (_, i) => sentence.text.slice(edges[2 * i], edges[2 * i + 1]));
  const worded = parts.map((part, i) => ({ text: part.trim(), from: edges[2 * i], to: edges[2 * i + 1] }))
    .filter(({ text }) => isWorded.test(text));
  // Marian's vocabularies lack characters; the sentence has plain ones in their place
  const texts = engine.config.positions === 'marian'
    ? await (await import('../text/unknown.js')).asEncoded({ encode, config: engine.config }, sentence, worded)
    : worded.map(({ text }) => text);
  const encoded = await encode(texts);
  const results = await generate(worded.map(({ text }, i) => ({ ...sentence, text, ...encoded[i] })), options);
  if (!results.every(([{ finished }]) => finished) && !terms.every(({ isKept }) => isKept)) return undefined;
  const translations = results.map(([{ text }]) => text.trim());
  let text = '';
  /** @type {Map<Found, number>} */
  const starts = new Map();
  for (const [i, part] of parts.entries()) {
    const body = part.trim();
    let own = isWorded.test(body) ? String(translations.shift()) : body;
    // the model ends and begins a part like a sentence, which it is not
    if (!ends.test(body)) own = own.replace(ends, '');
    if (i > 0 && /^\p{Ll}/u.test(body)) own = asWithin(own, free, targetLanguage);
    text += part.replace(body, () => own);
    if (i === terms.length) break;
    starts.set(terms[i], text.length);
    text += terms[i].translation;
  }
  const [{ ids }] = await engine.encode([text], 'target');
  if (ids.length > Number(engine.config.max_position_embeddings)) return undefined;
  return { ids, text, starts };
}
