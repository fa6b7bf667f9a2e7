// stand-in.js - a letter that a model reads for what passes through, where its vocabulary has only bytes for a word in
// a foreign script: models that have not learned from such bytes write other words for them. Loaded by
// translate/passing.js.

import { isByte, STAND_IN } from './pieces.js';
import { foreignWords } from './scripts.js';

/** @typedef {import('./keep.js').Span} Span */
/** @typedef {import('./split.js').Encoded} Encoded */

/**
 * The spans of a text that are read as a letter: those with a foreign word in bytes.
 *
 * @param {string} text
 * @param {Span[]} kept
 * @param {Encoded} encoded
 * @param {RegExp} foreign
 */
function findSpans(text, kept, { pieces, offsets }, foreign) {
  if (kept.length === 0 || !pieces.some(isByte)) return [];
  let [token, word] = [0, 0];
  const words = Array.from(text.matchAll(foreign), ({ 0: { length }, index }) =>
    ({ start: index, end: index + length })).filter(({ start, end }) => {
    while (offsets[2 * token + 1] <= start) token++;
    const first = token;
    while (offsets[2 * token] < end) token++;
    const own = pieces.slice(first, token);
    return own.some(isByte) && own.every((piece) => isByte(piece) || !/[\p{L}\p{N}]/u.test(piece));
  });
  return kept.filter(({ start, end }) => {
    while (words[word]?.start < start) word++;
    return words[word]?.end <= end;
  });
}

/**
 * Moves the offsets of a text with stand-ins into the text itself: the end of a stand-in to the end of its span.
 *
 * @param {Int32Array} offsets
 * @param {Span[]} spans
 */
function moveOffsets(offsets, spans) {
  let [next, more] = [0, 0];
  for (let i = 0; i < offsets.length; i++) {
    for (; spans[next] && spans[next].start + STAND_IN.length <= offsets[i] + more; next++) {
      more += spans[next].end - spans[next].start - STAND_IN.length;
    }
    offsets[i] += more;
  }
}

/**
 * Texts, encoded with stand-ins where they need some.
 *
 * @param {string[]} texts
 * @param {(Span[] | undefined)[]} kept  of each, what is not translated
 * @param {Encoded[]} encoded  as they are
 * @param {(texts: string[]) => Promise<Encoded[]>} encode
 * @param {string} language  of the texts
 * @returns {Promise<Encoded[]>}  offsets: in the texts
 */
export async function withStandIns(texts, kept, encoded, encode, language) {
  const foreign = foreignWords(language);
  if (!foreign) return encoded;
  const changed = texts.flatMap((text, i) => {
    const spans = findSpans(text, kept[i] ?? [], encoded[i], foreign);
    let [read, at] = ['', 0];
    for (const { start, end } of spans) {
      read += text.slice(at, start) + STAND_IN;
      at = end;
    }
    return spans.length > 0 ? [{ i, read: read + text.slice(at), spans }] : [];
  });
  if (changed.length === 0) return encoded;
  const all = [...encoded];
  for (const [k, own] of (await encode(changed.map(({ read }) => read))).entries()) {
    const { i, spans } = changed[k];
    moveOffsets(own.offsets, spans);
    all[i] = own;
  }
  return all;
}
