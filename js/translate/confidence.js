// confidence.js - the words of a translation, each with the probability that it is right. Used by detail.js, and by
// src/train/model/calibrate.js, which measures how often words are right.
//
//   tokens, log-probabilities  ->  words, p: the product of a word's tokens
//   confidence = 1 / (1 + exp(-(offset + slope log(p / (1 - p)))))
//
// `confidence` in heed.json has `offset` and `slope`.

import { E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { throughWords, wordsOf } from '../text/words.js';

/** @typedef {{ start: number, end: number }} Span  UTF-16, [start, end) */
/** @typedef {import('../text/words.js').Word} Word */
/** @typedef {{ offset: number, slope: number }} Calibration */

/** The default, for models without `confidence` in heed.json. It fits the six models of heed 0.1 together. */
export const DEFAULT = { offset: 0.11, slope: 0.74 };

/** The least distance of p from 0 and 1, which is the precision of float32. */
const LEAST = 1e-6;

/**
 * The numbers of heed.json, or the default.
 *
 * @param {Readonly<Record<string, any>>} manifest
 * @returns {Calibration}
 */
export function calibrationOf({ confidence = DEFAULT }) {
  const { offset, slope } = confidence ?? {};
  if (Number.isFinite(offset) && slope > 0 && slope < Infinity) return { offset, slope };
  throw new HeedError(E_JSON,
    mismatch('heed.json: confidence', confidence, '{ offset, slope }, numbers, of which slope is positive'));
}

/** log(p / (1 - p)). @param {number} logProb  log(p) */
export function logit(logProb) {
  const p = Math.min(Math.max(Math.exp(logProb), LEAST), 1 - LEAST);
  return Math.log(p / (1 - p));
}

/** @param {number} logProb  of a word, according to the model @param {Calibration} calibration */
export const calibrate = (logProb, { offset, slope }) => 1 / (1 + Math.exp(-offset - slope * logit(logProb)));

/** Words that also occur in the source; they are certain. @param {string} text @param {string} language */
export const copied = (text, language) => wordsOf(text, language).map((word) => ({ ...word, confidence: 1 }));

/**
 * The positions of tokens in their text. Tokens without text of their own (a space, the first bytes of a character) get
 * the position of the next token with text; `</s>` has none.
 *
 * @param {string[]} texts  of the first token, the first two, ...
 * @returns {Span[]}
 */
function spansOf(texts) {
  /** @type {Span[]} */
  const spans = [];
  let start = 0;
  for (const [t, text] of texts.entries()) {
    const end = text.replace(/[\s\ufffd]+$/, '').length;
    if (end <= start) continue;
    while (spans.length <= t) spans.push({ start, end });
    start = end;
  }
  return spans;
}

/**
 * A text without the marks behind its last word: they may be those of the source, see text/last-marks.js.
 *
 * @param {string} text
 */
function bare(text) {
  const words = throughWords(text);
  return words + text.slice(words.length).replace(/[\s!?.\u2026]+/g, '');
}

/**
 * The tokens that spell a translation, and their places in it; some at the end may have none. They are those of the
 * search, unless a glossary changed the text.
 *
 * @param {Pick<import('../engine/engine.js').Engine, 'config' | 'decode' | 'encode'>} engine
 * @param {Int32Array} ids  of the search
 * @param {string[]} pieces  of these
 * @param {string} text
 * @returns {Promise<{ ids: Int32Array, spans: Span[] }>}
 */
export async function spell(engine, ids, pieces, text) {
  const { eos_token_id: eos, max_position_embeddings: longest } = engine.config;
  const spelled = pieces.map((piece, t) => (ids[t] === eos ? '' : piece.replaceAll('\u2581', ' ')));
  let texts = spelled.map((_, t) => spelled.slice(0, t + 1).join('').trimStart());
  const own = bare(text);
  const isSpelled = () => bare(texts.at(-1) ?? '') === own;
  // byte pieces, or a tokenizer that changes the text of pieces
  if (!isSpelled()) texts = await engine.decode(Array.from(ids, (_, t) => ids.subarray(0, t + 1)));
  if (isSpelled()) {
    const isWhole = (texts.at(-1) ?? '').trimEnd() === text;
    const { length } = throughWords(text);
    return { ids, spans: spansOf(isWhole ? texts : texts.map((some) => some.slice(0, length))) };
  }
  const [encoded] = await engine.encode([text], 'target');
  const others = encoded.ids.subarray(0, Number(longest));
  const spans = Array.from(others, (_, t) => ({ start: encoded.offsets[2 * t], end: encoded.offsets[2 * t + 1] }));
  return { ids: others, spans };
}

/**
 * The words of a translation with their log-probabilities, by the model and its lexicon.
 *
 * @param {Pick<import('../engine/engine.js').Engine, 'config' | 'decode' | 'encode' | 'attention'>} engine
 * @param {{ source: Int32Array, ids: Int32Array, pieces: string[], logProbs: Float32Array, text: string,
 *   language: string, disabledHeads?: import('../model/options.js').Head[], shortlist?: boolean, lexicon?: boolean }}
 *   translation  text: of the ids, except what was inserted
 * @returns {Promise<{ words: (Word & { logProb: number })[], spans?: Span[] }>}  spans: of the ids, if they spell the
 *   text
 */
export async function weigh(engine, { source, ids, pieces, logProbs, text, language, ...options }) {
  const { ids: own, spans } = await spell(engine, ids, pieces, text);
  // a glossary inserted words into the text: score the final text
  const weights = own === ids ? logProbs : (await engine.attention(source, own, options)).logProbs;
  const words = wordsOf(text, language).map((word) => {
    const scores = Array.from(weights).filter((_, t) => spans[t]?.start < word.end && spans[t].end > word.start);
    // beyond the longest target nothing is known
    return { ...word, logProb: scores.length > 0 ? scores.reduce((sum, x) => sum + x, 0) : -Infinity };
  });
  return { words, ...(own === ids && { spans }) };
}

/**
 * Confidences of words.
 *
 * @param {(Word & { logProb: number })[]} words
 * @param {Calibration} calibration
 * @param {Span[]} given  spans that the glossary or the source determine
 * @returns {(Word & { confidence: number })[]}
 */
export const withConfidence = (words, calibration, given) => words.map(({ logProb, ...word }) => {
  const isGiven = given.some(({ start, end }) => start <= word.start && word.end <= end);
  return { ...word, confidence: isGiven ? 1 : calibrate(logProb, calibration) };
});
