// glossary.js - exact translations of given terms; loaded by translator.js when a call has the option `glossary`.
//
// A sentence is first translated freely. If a term is missing, the translation is kept up to the point where the cross
// attention sees the term, the given words are inserted, and the model continues from them. This is a search with a
// prefix, repeated for each term. At the end the given spelling replaces the model's own, so it is exact even if the
// tokenizer has no piece for a character. If this fails too, for example because the model repeats a term, the text
// between the terms is translated piece by piece.

import { badRange } from '../base/check.js';
import { E_STATE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { meanOfHeads } from '../model/inspect.js';
import { LINE_BREAK } from '../text/sentences.js';
import { countTranslations, isWord, isWorded, report, termsOf, visible, whole } from '../text/terms.js';
import { copyGlossary } from './options.js';

/** @typedef {readonly [term: string, translation: string][]} Glossary */
/** @typedef {import('../text/terms.js').Found} Found */
/** @typedef {import('../text/terms.js').GlossaryMatch} GlossaryMatch */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/engine.js').Result & { glossary?: GlossaryMatch[] }} Result */
/** @typedef {{ text: string, after: string, start: number, ids: Int32Array, offsets: Int32Array }} Sentence */

/**
 * @param {string} text
 * @param {unknown} glossary  the option of the caller
 * @param {string} [language]  of the text
 * @returns {Found[]}
 */
export const findTerms = (text, glossary, language = 'en') => termsOf(copyGlossary(glossary), language).find(text);

/** All pieces of the target side, by id. @type {WeakMap<Engine, Promise<string[]>>} */
const vocabularies = new WeakMap();

/** @param {Engine} engine */
function piecesOf(engine) {
  const pieces = vocabularies.get(engine) ?? engine.pieces();
  vocabularies.set(engine, pieces);
  pieces.catch(() => vocabularies.delete(engine));
  return pieces;
}

/**
 * @param {Engine} engine
 * @param {Sentence} sentence
 * @param {Int32Array} ids  a composed translation
 * @param {{ text: string, glossary: GlossaryMatch[] }} more
 * @returns {Promise<Result>}
 */
async function scored(engine, sentence, ids, more) {
  const { logProbs } = await engine.attention(sentence.ids, ids);
  const logProb = logProbs.reduce((sum, x) => sum + x, 0);
  return { ids, logProb, score: logProb, finished: ids.at(-1) === engine.config.eos_token_id, ...more };
}

/** Decodes a sentence around the given words of its terms. */
class Forced {
  #engine;
  #pieces;
  #generate;
  #sentence;
  #eos;
  /** @type {number[]} the translation so far, and what the model goes on with */
  #ids = [];
  /** The number of ids in `#ids` that are final. */
  #fixed;
  #longest;
  /** @type {{ found: Found, begin: number, end: number, spaced: boolean }[]} ids of the terms that stand */
  #spans = [];

  /**
   * @param {Engine} engine
   * @param {string[]} pieces  of the target side, by id
   * @param {(prefix: number[]) => Promise<Result>} generate
   * @param {Sentence} sentence
   * @param {number} fixed  ids at the start that the caller has fixed
   * @param {number} longest  most ids of a translation
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

  /**
   * Whether an id begins a word or is between words, and not inside one like a hyphen or a byte of a character. @param
   * {number} id
   */
  #parts(id) {
    const piece = this.#pieces[id];
    return id === this.#eos ||
      (piece !== '' && !isWord.test(piece) && !/^([-\u2010\u2011'\u2019]|<0x[89A-F].>$)/.test(piece));
  }

  /**
   * The first id of a term's translation: that of the word that attends to the term most, or of the words before it
   * that attend to nothing else.
   *
   * @param {Found} found
   * @param {Float64Array} mean  cross attention, [target, source]
   */
  #placeOf({ start, end }, mean) {
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
    place = beginOf(place);
    while (place > this.#fixed && looksAtIt(place - 1) && isWord.test(pieceAt(place - 1).replace('\u2581', ''))) {
      place = beginOf(place - 1);
    }
    return place;
  }

  /**
   * Ids of a translation, as a separate word or directly after other text.
   *
   * @param {string} translation
   * @param {boolean} spaced
   * @returns {Promise<number[]>}
   */
  async #idsOf(translation, spaced) {
    const [encoded] = await this.#engine.encode([translation], 'target');
    const ids = [...encoded.ids].slice(0, -1);
    if (spaced) return ids;
    const first = this.#pieces[ids[0]];
    if (first === '\u2581') return ids.slice(1);
    const rest = this.#pieces.indexOf(first.slice(1));
    return first.startsWith('\u2581') && rest >= 0 ? [rest, ...ids.slice(1)] : ids;
  }

  /**
   * Inserts the translation of one term, and continues from it.
   *
   * @param {Found} found
   * @param {number} place
   * @returns {Promise<boolean>}
   */
  async #put(found, place) {
    const after = this.#ids[place - 1];
    const here = this.#ids[place];
    // after an opening bracket or quotation mark the model has no space either
    const spaced = place === 0 || here === undefined || here === this.#eos || this.#pieces[here].startsWith('\u2581') ||
      isWord.test(this.#pieces[after].slice(-1));
    const prefix = [...this.#ids.slice(0, place), ...(await this.#idsOf(found.translation, spaced))];
    // what separates the term from the rest, and one more id to choose
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

  /** The id that follows a word which must end here. @param {number[]} prefix */
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
   * @param {Result} free  the free translation
   * @param {Found[]} terms
   * @returns {Promise<Result>}
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
      starts.set(found, text.length);
      text += found.translation;
      at = right;
    }
    text += raw.slice(at);
    return scored(this.#engine, this.#sentence, ids, { text, glossary: report(text, terms, starts) });
  }
}

/** What ends a sentence. */
const ends = /[.!?\u2026\u3002\uff01\uff1f]+$/;

/**
 * The first letter of a part inside a sentence: small, except for acronyms, I, and words that have a capital inside the
 * free translation, such as German nouns.
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
 * The translator of the parts.
 *
 * @template {Sentence} T
 * @typedef {object} Host
 * @property {Engine} engine
 * @property {string} sourceLanguage
 * @property {string} targetLanguage
 * @property {(sentences: T[], options: import('../model/options.js').GenerateOptions) => Promise<Result[][]>} generate
 */

/**
 * Translates the parts between the terms separately, with the terms between them. This is the last resort, because no
 * part knows the others.
 *
 * @template {Sentence} T
 * @param {Host<T>} host
 * @param {T} sentence
 * @param {Found[]} terms
 * @param {string} free  the free translation
 * @param {import('../model/options.js').GenerateOptions} options
 * @returns {Promise<Result | undefined>}  undefined if it is too long for the model, or a part did not end
 */
async function translateAround({ engine, targetLanguage, generate }, sentence, terms, free, options) {
  const edges = [0, ...terms.flatMap(({ start, end }) => [start, end]), sentence.text.length];
  const parts = Array.from({ length: terms.length + 1 }, (_, i) => sentence.text.slice(edges[2 * i], edges[2 * i + 1]));
  const worded = parts.map((part) => part.trim()).filter((part) => isWorded.test(part));
  const encoded = await engine.encode(worded);
  const results = await generate(worded.map((text, i) => ({ ...sentence, text, ...encoded[i] })), options);
  if (!results.every(([{ finished }]) => finished)) return undefined;
  const translations = results.map(([{ text }]) => text.trim());
  let text = '';
  /** @type {Map<Found, number>} */
  const starts = new Map();
  for (const [i, part] of parts.entries()) {
    const body = part.trim();
    let own = isWorded.test(body) ? String(translations.shift()) : body;
    // a part is not a sentence: it has no full stop, and inside a sentence no capital
    if (!ends.test(body)) own = own.replace(ends, '');
    if (i > 0 && /^\p{Ll}/u.test(body)) own = asWithin(own, free, targetLanguage);
    text += part.replace(body, () => own);
    if (i === terms.length) break;
    starts.set(terms[i], text.length);
    text += terms[i].translation;
  }
  const [{ ids }] = await engine.encode([text], 'target');
  if (ids.length > Number(engine.config.max_position_embeddings)) return undefined;
  return scored(engine, sentence, ids, { text, glossary: report(text, terms, starts) });
}

/**
 * Terms that begin in one sentence and end in the next one of the same line. They cannot be translated together.
 *
 * @param {Sentence} sentence
 * @param {Sentence | undefined} next
 * @param {import('../text/terms.js').Terms} terms
 * @returns {GlossaryMatch[]}
 */
function findDivided({ text, start, after }, next, terms) {
  // in another text, on another line, or after a kept part
  if (next?.start !== start + text.length + after.length || LINE_BREAK.test(after)) return [];
  return terms.find(`${text} ${next.text}`)
    .filter((found) => found.start < text.length && found.end > text.length)
    .map((found) => ({ ...found, targetStart: -1, targetEnd: -1, exact: false }));
}

/** @param {GlossaryMatch} lost */
const notPlaced = ({ term, translation }) =>
  new HeedError(E_STATE, `glossary: '${term}' did not come out as '${translation}' once`);

/**
 * Throws HEED_E_STATE if a term is split between two sentences.
 *
 * @param {(Sentence & { isKept?: boolean })[]} sentences
 * @param {Glossary} glossary
 * @param {string} language
 */
export function checkDivided(sentences, glossary, language) {
  const terms = termsOf(glossary, language);
  const translated = sentences.filter(({ text, isKept }) => text && !isKept);
  for (const [i, sentence] of translated.entries()) {
    const [lost] = findDivided(sentence, translated[i + 1], terms);
    if (lost) throw notPlaced(lost);
  }
}

/**
 * Refuses a translation without a token, because nothing of it would appear.
 *
 * @param {Engine} engine
 * @param {Found[]} terms
 */
async function checkTranslations(engine, terms) {
  const translations = [...countTranslations(terms)].map(([translation]) => translation);
  const encoded = await engine.encode(translations, 'target');
  for (const [i, { pieces }] of encoded.entries()) {
    const translation = translations[i];
    if (pieces.slice(0, -1).some((piece) => piece !== '' && piece !== '\u2581')) continue;
    const found = terms.find((term) => term.translation === translation);
    badRange(`glossary: ${found?.term}`, visible(translation), 'a text that the model has tokens for');
  }
}

/**
 * generate() of a Translator with a glossary.
 *
 * @template {Sentence} T
 * @param {Host<T>} host
 * @param {T[]} sentences
 * @param {Glossary} glossary
 * @param {import('../model/options.js').GenerateOptions} options
 * @param {unknown} [onStep]  null: report a missing term instead of throwing HEED_E_STATE
 * @returns {Promise<Result[][]>}
 */
export async function generateWith(host, sentences, glossary, options, onStep) {
  const { engine, generate } = host;
  const terms = termsOf(glossary, host.sourceLanguage);
  const found = sentences.map(({ text }) => terms.find(text));
  await checkTranslations(engine, found.flat());
  const results = await generate(sentences, options);
  for (const [i, [free]] of results.entries()) {
    const divided = findDivided(sentences[i], sentences[i + 1], terms);
    if (found[i].length + divided.length === 0) continue;
    const matches = report(free.text, found[i]);
    /** @type {Result} */
    let result = { ...free, glossary: matches };
    if (!matches.every(({ exact }) => exact)) {
      const again = async (/** @type {number[]} */ prefix) =>
        (await generate([sentences[i]], { ...options, nBest: 1, prefix }))[0][0];
      const { maxTokens, maxLength = engine.defaults.maxLength ?? Infinity, prefix } = options;
      // maxTokens applies to each step; maxLength includes all ids and the start token
      const longest = Math.min(Number(engine.config.max_position_embeddings), maxTokens ? Infinity : maxLength - 1);
      const forced = new Forced(engine, await piecesOf(engine), again, sentences[i], prefix?.length ?? 0, longest);
      result = await forced.run(free, found[i]);
      if (!options.prefix && !result.glossary?.every(({ exact }) => exact)) {
        const patched = await translateAround(host, sentences[i], found[i], free.text, { ...options, nBest: 1 });
        const most = maxTokens ?? Math.min(longest, engine.defaults.maxTokens);
        const fits = patched && patched.ids.length <= most;
        if (fits && patched.glossary?.every(({ exact }) => exact)) result = patched;
      }
      results[i] = [result];
    } else results[i][0] = result;
    result.glossary?.push(...divided);
    const lost = onStep !== null && result.glossary?.find(({ exact }) => !exact);
    if (lost) throw notPlaced(lost);
  }
  return results;
}

/**
 * See Terms.moveBreaks().
 *
 * @param {string} text
 * @param {Glossary} glossary
 * @param {string} language
 */
export const moveBreaks = (text, glossary, language) => termsOf(glossary, language).moveBreaks(text);
