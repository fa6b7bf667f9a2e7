// split.js - splits texts into the sentences to translate, with their ids, and what is between them: white space, and
// marks before the text of a line; used by translate/host.js.

import { MAX_SENTENCE } from '../base/limits.js';
import { badType } from '../base/check.js';
import { turn } from '../base/host.js';
import { mayGoOn, splitSentences } from './sentences.js';
import { E_LENGTH } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/**
 * A unit of translation. `after` follows it and does not change. `text` is '' if there is nothing to translate. `start`
 * is its position in the input; for several inputs, previous ones and one gap for each are added.
 *
 * @typedef {ReturnType<import('./tokenizer.js').Tokenizer['encode']>} Encoded
 * @typedef {import('./keep.js').Span} Span
 * @typedef {{ text: string, after: string, start: number, isKept?: boolean, kept?: Span[], isTagged?: boolean } &
 *   Encoded} Sentence  isKept: it is not translated; kept: what of the text is not, if anything; isTagged: tags stand
 *   inside, so its attention is needed
 */

/**
 * @typedef {object} Splitter
 * @property {(texts: string[], kept: (Span[] | undefined)[]) => Promise<Encoded[]>} encode  kept: what of each is not
 *   translated; lets the event loop run
 * @property {import('./sentences.js').Segmenter} segmenter  for sentences, in the language of the texts
 * @property {string} [language]  of the texts, a tag
 * @property {number} positions  tokens that the model allows
 * @property {[term: string, translation: string][]} [glossary]  a sentence with one of the terms is translated
 * @property {(line: string, end: number) => number} [endLead]  that of the glossary, see terms.js
 * @property {(text: string, index: number) => { spans: Span[], hidden: string }} [find]  what passes through, and the
 *   text without the ends of sentences in it
 */

/**
 * Punctuation, symbols and emoji are not translated. A plain number is not either: 12, (3), 10:30, and that of a
 * chapter: IV. A number with a separator or unit is.
 */
const TRANSLATABLE = /[\p{L}\p{N}]/u;
const NUMBER = /^[([*#+-]*[\d\xb2\xb3\xb9\u2070-\u2079]+(?:[:\u2013-]\d+)*[)\]]*[.:]?$|^(?!I\.)[IVXL]+\.$/;
/** @param {string} text */
const isAlike = (text) => !TRANSLATABLE.test(text) || NUMBER.test(text.trim());

/**
 * A character that may belong to what passes through, see keep.js: anything but Latin words and the signs of prose. A
 * text without one need not be searched.
 */
const MAY_KEEP =
  /[^\p{sc=Latn}\s.,;:!?'"()\u2010-\u201f\u2026\xab\xbb\xbf\xa1-]|\.\p{L}|--|\t|\.{5}|\p{Ll}\p{Lu}|[:;]-?[()DP]|\(\)/u;

/** @param {string} text */
export const mayKeep = (text) => typeof text === 'string' && MAY_KEEP.test(text);

/**
 * The spans inside a part of their text, with their positions in the part.
 *
 * @param {Span[]} spans
 * @param {number} from
 * @param {number} to
 * @returns {Span[] | undefined}  undefined: there is none
 */
function within(spans, from, to) {
  const own = spans.filter(({ start, end }) => start < to && end > from)
    .map(({ start, end }) => ({ start: Math.max(start, from) - from, end: Math.min(end, to) - from }));
  return own.length > 0 ? own : undefined;
}

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
export async function split(inputs, { encode, segmenter, language, positions, glossary = [], endLead, find }) {
  for (const input of inputs) if (typeof input !== 'string') badType('input', input, 'a string');
  /** Tokens of the longest source that is not split. */
  const longest = Math.min(positions, MAX_SENTENCE);
  const signs = glossary.filter(([term]) => isAlike(term));
  /** @param {{ text: string, kept?: Span[] }} part */
  const isFixed = ({ text, kept = [] }) => {
    let [rest, at] = ['', 0];
    for (const { start, end } of kept) {
      rest += text.slice(at, start);
      at = end;
    }
    return isAlike(rest + text.slice(at)) && !signs.some(([term]) => text.includes(term));
  };

  /**
   * @param {string} text  without white space around it
   * @param {number} start
   * @param {Encoded} whole  of the text
   * @param {Sentence[]} out
   * @param {Span[]} [kept]  of the text
   */
  async function splitSentence(text, start, whole, out, kept = []) {
    const { ids, offsets } = whole;
    if (ids.length <= longest) {
      // If the tokenizer drops every character, keep the text as it is.
      const isEmpty = !offsets.some((end, i) => i % 2 === 1 && end > offsets[i - 1]);
      out.push(isEmpty ? fixed(text, start) : { text, after: '', start, kept: within(kept, 0, text.length), ...whole });
      return;
    }
    // A part alone may have one token more than inside the whole.
    const room = longest - 4;
    const { findCut, findJunk } = await import('./cut.js');
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
      // what passes through begins a part, and is cut only if it is longer than one
      const divided = kept.find(({ start: from, end }) => from < cut && end > cut);
      if (divided && divided.start > at) cut = divided.start;
      const part = text.slice(at, cut);
      const body = part.trim();
      const lead = part.length - part.trimStart().length;
      const last = out.at(-1);
      if (body === '') /** @type {Sentence} */ (last).after += part;
      else {
        if (lead > 0 && last) last.after += part.slice(0, lead);
        const inside = within(kept, at + lead, at + lead + body.length);
        const [own] = await encode([body], [inside]);
        if (isKept) out.push({ text: body, after: '', start: start + at, isKept, ...own });
        else await splitSentence(body, start + at + lead, own, out, inside);
        /** @type {Sentence} */ (out.at(-1)).after += part.slice(lead + body.length);
      }
      at = cut;
      while (token < ids.length && offsets[2 * token] < at) token++;
    }
  }

  /** Sentences to encode together, and the lists for their parts. */
  /** @type {(import('./sentences.js').Part & { start: number, sentences: Sentence[], kept?: Span[] })[]} */
  let group = [];
  let size = 0;
  const finishGroup = async () => {
    const parts = group.filter((part) => part.text && !isFixed(part));
    const encoded = (parts.length > 0 ? await encode(parts.map(({ text }) => text), parts.map(({ kept }) => kept))
      : (await turn(), [])).values();
    for (const { text, after, start, sentences, kept } of group) {
      if (text && isFixed({ text, kept })) sentences.push(fixed(text, start));
      else if (text) await splitSentence(text, start, encoded.next().value ?? fixed('', 0), sentences, kept);
      const last = sentences.at(-1);
      if (text && last?.text) last.after += after;
      else sentences.push(fixed(after, start));
    }
    [group, size] = [[], 0];
  };

  const { joinSentences } = inputs.some(mayGoOn) ? await import('./abbreviations.js') : {};
  const join = joinSentences && ((/** @type {Iterable<string>} */ segments) => joinSentences(segments, language));
  const outputs = [];
  let start = 0;
  for (const input of inputs) {
    /** @type {Sentence[]} */
    const sentences = [];
    const { spans = [], hidden = input } = find?.(input, outputs.length) ?? {};
    let [at, span] = [0, 0];
    for (const { text: { length }, after } of splitSentences(hidden, segmenter, join, endLead)) {
      if (size > 0 && size + length > STRIDE) await finishGroup();
      const end = at + length;
      let next = span;
      while (spans[next]?.start < end) next++;
      const then = end + after.length;
      group.push({ text: input.slice(at, end), after: input.slice(end, then), start: start + at, sentences,
        kept: within(spans.slice(span, next), at, end) });
      // a span may continue in the next sentence
      span = spans[next - 1]?.end > end ? next - 1 : next;
      size += then - at;
      at = then;
    }
    start += input.length;
    outputs.push(sentences);
    start++; // a gap: sentences of different texts are never neighbours
  }
  if (group.length > 0) await finishGroup();
  return outputs;
}
