// split.js - splits texts into the sentences to translate, with their ids, and the white space between them; used
// by translator.js.

import { MAX_SENTENCE } from '../base/limits.js';
import { badType } from '../base/check.js';
import { turn } from '../base/host.js';
import { findCut, findJunk, splitSentences } from './sentences.js';
import { E_LENGTH } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/**
 * A unit of translation. `after` follows it and does not change. `text` is '' if there is nothing to translate. `start`
 * is its position in the input; for several inputs, previous ones and one gap for each are added.
 *
 * @typedef {ReturnType<import('./tokenizer.js').Tokenizer['encode']>} Encoded
 * @typedef {{ text: string, after: string, start: number, isKept?: boolean } & Encoded} Sentence  isKept: it is not
 *   translated
 */

/**
 * @typedef {object} Splitter
 * @property {(texts: string[]) => Promise<Encoded[]>} encode  lets the event loop run
 * @property {Intl.Segmenter} segmenter  for sentences, in the language of the texts
 * @property {number} positions  tokens that the model allows
 * @property {[term: string, translation: string][]} [glossary]  a sentence with one of the terms is translated
 */

/** Punctuation, symbols and emoji have no translation. */
const TRANSLATABLE = /[\p{L}\p{N}]/u;

/** Characters to encode together: a few milliseconds of work. */
const STRIDE = 4096;

/** A part that is not translated. @param {string} after @param {number} start @returns {Sentence} */
const fixed = (after, start) => ({
  text: '',
  after,
  start,
  ids: new Int32Array(),
  pieces: [],
  offsets: new Int32Array(),
});

/**
 * The parts of each text. A sentence too long for the model becomes several; nothing is ever dropped. Lets the event
 * loop run in between.
 *
 * @param {string[]} inputs
 * @param {Splitter} splitter
 * @returns {Promise<Sentence[][]>}
 */
export async function split(inputs, { encode, segmenter, positions, glossary = [] }) {
  /** Tokens of the longest source that is not split. */
  const longest = Math.min(positions, MAX_SENTENCE);
  const signs = glossary.filter(([term]) => !TRANSLATABLE.test(term));
  const isFixed = (/** @type {string} */ text) =>
    !TRANSLATABLE.test(text) && !signs.some(([term]) => text.includes(term));

  /**
   * @param {string} text  without white space around it
   * @param {number} start
   * @param {Encoded} whole  of the text
   * @param {Sentence[]} out
   */
  async function splitSentence(text, start, whole, out) {
    const { ids, offsets } = whole;
    if (ids.length <= longest) {
      // If the tokenizer drops every character, keep the text as it is.
      const isEmpty = !offsets.some((end, i) => i % 2 === 1 && end > offsets[i - 1]);
      out.push(isEmpty ? fixed(text, start) : { text, after: '', start, ...whole });
      return;
    }
    // A part alone may have one token more than inside the whole.
    const room = longest - 4;
    const junk = findJunk(text, offsets, MAX_SENTENCE);
    for (let at = 0, token = 0; at < text.length;) {
      if (at >= junk[0]?.end) junk.shift();
      const isKept = at >= junk[0]?.start;
      let cut = (isKept ? junk[0].end : junk[0]?.start) ?? text.length;
      const limit = ids.length - token > room ? offsets[2 * (token + room)] - at : Infinity;
      if (at + limit < cut) {
        if (limit >= 1) cut = at + findCut(text.slice(at, Math.min(at + limit + 512, cut)), limit);
        else if (at === 0 && token === 0) {
          throw new HeedError(E_LENGTH, `input: one character takes more than the ${longest} tokens the model allows`);
        }
      }
      const part = text.slice(at, cut);
      const body = part.trim();
      const lead = part.length - part.trimStart().length;
      const last = out.at(-1);
      if (body === '') /** @type {Sentence} */ (last).after += part;
      else {
        if (lead > 0 && last) last.after += part.slice(0, lead);
        const [own] = await encode([body]);
        if (isKept) out.push({ text: body, after: '', start: start + at, isKept, ...own });
        else await splitSentence(body, start + at + lead, own, out);
        /** @type {Sentence} */ (out.at(-1)).after += part.slice(lead + body.length);
      }
      at = cut;
      while (token < ids.length && offsets[2 * token] < at) token++;
    }
  }

  /** Sentences to encode together, and the lists for their parts. */
  /** @type {(import('./sentences.js').Part & { start: number, sentences: Sentence[] })[]} */
  let group = [];
  let size = 0;
  const finishGroup = async () => {
    const texts = group.map(({ text }) => text).filter((text) => text && !isFixed(text));
    const encoded = (texts.length > 0 ? await encode(texts) : (await turn(), [])).values();
    for (const { text, after, start, sentences } of group) {
      if (text && isFixed(text)) sentences.push(fixed(text, start));
      else if (text) await splitSentence(text, start, encoded.next().value ?? fixed('', 0), sentences);
      const last = sentences.at(-1);
      if (text && last?.text) last.after += after;
      else sentences.push(fixed(after, start));
    }
    [group, size] = [[], 0];
  };

  const outputs = [];
  let start = 0;
  for (const input of inputs) {
    if (typeof input !== 'string') badType('input', input, 'a string');
    /** @type {Sentence[]} */
    const sentences = [];
    for (const { text, after } of splitSentences(input, segmenter)) {
      if (size > 0 && size + text.length > STRIDE) await finishGroup();
      group.push({ text, after, start, sentences });
      size += text.length + after.length;
      start += text.length + after.length;
    }
    outputs.push(sentences);
    start++; // a gap: sentences of different texts are never neighbours
  }
  if (group.length > 0) await finishGroup();
  return outputs;
}
