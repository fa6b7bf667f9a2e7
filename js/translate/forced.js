// forced.js - words that are wanted in a translation, put there. Used by glossary.js.
//
// The free translation is taken up to where the cross attention sees a term, the wanted words are put there, and the
// model goes on from them (constrained by a prefix, as often as there are terms). The model's own spelling of the words
// is replaced by the given one at the end, so that they are exact even where the tokenizer lacks a character.
// translateAround() is for where that fails: what stands between the terms is translated piece by piece.

import { meanOfHeads } from '../model/inspect.js';
import { isWord, isWorded, whole } from '../text/terms.js';

/** @typedef {import('../text/terms.js').Found} Found */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/engine.js').Result} Result */
/**
 * @typedef {{ text: string, after: string, start: number, ids: Int32Array, offsets: Int32Array,
 *   kept?: import('../text/keep.js').Span[] }} Sentence
 */
/**
 * @typedef {{ ids: Int32Array, text: string, starts?: Map<Found, number> }} Attempt  a translation that was put
 *   together; starts: where the terms stand in the text
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

/** Decodes a sentence around the words that its terms ask for. */
export class Forced {
  #engine;
  #pieces;
  #generate;
  #sentence;
  #eos;
  /** @type {number[]} the translation so far, and what the model goes on with */
  #ids = [];
  /** Of `#ids`, how many stay. */
  #fixed;
  #longest;
  /** @type {{ found: Found, begin: number, end: number, spaced: boolean }[]} ids of the terms that stand */
  #spans = [];

  /**
   * @param {Engine} engine
   * @param {string[]} pieces  of the target side, by id
   * @param {(prefix: number[]) => Promise<Result>} generate
   * @param {Sentence} sentence
   * @param {number} fixed  ids of the translation that the caller wants as they are
   * @param {number} longest  ids that a translation may have
   */
  constructor(engine, pieces, generate, sentence, fixed, longest) {
    this.#engine = engine;
    this.#pieces = pieces;
    this.#generate = generate;
    this.#sentence = sentence;
    this.#fixed = fixed;
    this.#longest = longest;
    this.#eos = Number(engine.config.eos_token_id);
  }

  /** Begins a word, or stands between words; not within one, as a hyphen or a character's byte. @param {number} id */
  #parts(id) {
    const piece = this.#pieces[id];
    return id === this.#eos ||
      (piece !== '' && !isWord.test(piece) && !/^([-\u2010\u2011'\u2019]|<0x[89A-F].>$)/.test(piece));
  }

  /**
   * Where in the ids a term's translation begins: at the word that looks at the term most, and the words before it that
   * look at nothing else.
   *
   * @param {Found} found
   * @param {Float64Array} mean  cross attention, [target, source]
   */
  #placeOf({ start, end, isKept }, mean) {
    const S = this.#sentence.ids.length;
    const { offsets } = this.#sentence;
    const isOf = (/** @type {number} */ s) => offsets[2 * s] < end && offsets[2 * s + 1] > start;
    const last = this.#ids.at(-1) === this.#eos ? this.#ids.length - 1 : this.#ids.length;
    let [place, most] = [last, 0];
    for (let t = this.#fixed; t < last; t++) {
      let mass = 0;
      for (let s = 0; s < S; s++) if (isOf(s)) mass += mean[t * S + s];
      if (mass > most) [place, most] = [t, mass];
    }
    const pieceAt = (/** @type {number} */ t) => this.#pieces[this.#ids[t]];
    const beginOf = (/** @type {number} */ t) => {
      const isWithin = () => t > this.#fixed && t < last && !this.#parts(this.#ids[t]);
      while (isWithin() && /[\p{L}\p{N}-]/u.test(pieceAt(t - 1))) t--;
      return t;
    };
    const looksAtIt = (/** @type {number} */ t) => {
      const row = mean.subarray(t * S, (t + 1) * S);
      return isOf(row.indexOf(Math.max(...row)));
    };
    // of a kept span the model makes what it can, in many tokens: all of them go
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
   * Ids of a translation, as a word of its own or after something it has no space to.
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
   * Put one term's translation in, and go on from it.
   *
   * @param {Found} found
   * @param {number} place
   * @returns {Promise<boolean>}
   */
  async #put(found, place) {
    const after = this.#ids[place - 1];
    const here = this.#ids[place];
    // after an opening bracket or quotation mark the model itself had no space
    const spaced = place === 0 || here === undefined || here === this.#eos || this.#pieces[here].startsWith('\u2581') ||
      isWord.test(this.#pieces[after].slice(-1));
    const prefix = [...this.#ids.slice(0, place), ...(await this.#idsOf(found.translation, spaced))];
    // what parts the term from the rest, and one more id to choose
    if (prefix.length + 2 > this.#longest) return false;
    this.#fixed = prefix.length;
    this.#spans.push({ found, begin: place, end: prefix.length, spaced });
    this.#ids = [...(await this.#generate(prefix)).ids];
    const next = this.#ids[prefix.length];
    if (next !== undefined && !this.#parts(next)) {
      const id = await this.#bestParting(prefix);
      this.#ids = id === this.#eos ? [...prefix, id] : [...(await this.#generate([...prefix, id])).ids];
    }
    return true;
  }

  /**
   * The text before a kept span, with a space or without as the source has it.
   *
   * @param {string} text
   * @param {Found} found
   */
  #before(text, { start }) {
    const previous = this.#sentence.text.slice(0, start).slice(-1);
    const own = text.replace(/[\s\ufffd]+$/, '');
    if (/\s|^$/.test(previous)) return own + (/[^([{\u00ab\u201c\u201e\u00bf\u00a1]$/.test(own) ? ' ' : '');
    return isWord.test(previous) ? own : text;
  }

  /**
   * Of the text after a kept span, how much is left out: a space that the source has not, or what the model goes on to
   * spell as if the span had not ended.
   *
   * @param {string} text
   * @param {Found} found
   */
  #skipped(text, { end }) {
    const isGlued = isWord.test(this.#sentence.text.slice(end));
    return (isGlued ? /^ ?/ : /^(?:[@./_+#%&=~]+[\p{L}\p{N}]+)*/u).exec(text)?.[0].length ?? 0;
  }

  /** What follows a word that is to end here. @param {number[]} prefix */
  async #bestParting(prefix) {
    const row = await this.#engine.logits(this.#sentence.ids, prefix);
    const never = [this.#engine.config.pad_token_id, this.#pieces.indexOf('<unk>')];
    let best = this.#eos;
    row.forEach((logit, id) => {
      if (logit > row[best] && !never.includes(id) && this.#parts(id)) best = id;
    });
    return best;
  }

  /**
   * @param {Result} free  the translation without any force
   * @param {Found[]} terms
   * @returns {Promise<Attempt>}
   */
  async run(free, terms) {
    this.#ids = [...free.ids];
    let pending = terms;
    while (pending.length > 0) {
      const mean = meanOfHeads((await this.#engine.attention(this.#sentence.ids, this.#ids)).cross);
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
      if (found.isKept) at += this.#skipped(raw.slice(at), found);
    }
    text += raw.slice(at);
    return { ids, text, starts };
  }
}

/** What ends a sentence. */
const ends = /[.!?\u2026\u3002\uff01\uff1f]+$/;

/**
 * The first letter of a part that begins within a sentence: small, but for an acronym, I, and what the free translation
 * has with a capital within, as German has its nouns.
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
 * What translates.
 *
 * @template {Sentence} T
 * @typedef {object} Host
 * @property {Engine} engine
 * @property {string} sourceLanguage
 * @property {string} targetLanguage
 * @property {(sentences: T[], options: import('../model/options.js').GenerateOptions) => Promise<Result[][]>} generate
 */

/**
 * The parts between the terms, each translated alone, with the terms between them: the last resort, as no part knows of
 * the others.
 *
 * @template {Sentence} T
 * @param {Host<T>} host
 * @param {T} sentence
 * @param {Found[]} terms
 * @param {string} free  the translation without any force
 * @param {import('../model/options.js').GenerateOptions} options
 * @returns {Promise<Attempt | undefined>}  undefined: it is too long for the model, or a part with a term of a glossary
 *   beside it did not end
 */
export async function translateAround({ engine, targetLanguage, generate }, sentence, terms, free, options) {
  const edges = [0, ...terms.flatMap(({ start, end }) => [start, end]), sentence.text.length];
  const parts = Array.from({ length: terms.length + 1 }, (_, i) => sentence.text.slice(edges[2 * i], edges[2 * i + 1]));
  const worded = parts.map((part) => part.trim()).filter((part) => isWorded.test(part));
  const encoded = await engine.encode(worded);
  const results = await generate(worded.map((text, i) => ({ ...sentence, text, ...encoded[i] })), options);
  if (!results.every(([{ finished }]) => finished) && !terms.every(({ isKept }) => isKept)) return undefined;
  const translations = results.map(([{ text }]) => text.trim());
  let text = '';
  /** @type {Map<Found, number>} */
  const starts = new Map();
  for (const [i, part] of parts.entries()) {
    const body = part.trim();
    let own = isWorded.test(body) ? String(translations.shift()) : body;
    // a part is no sentence: it neither ends as one nor, within, begins as one
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
