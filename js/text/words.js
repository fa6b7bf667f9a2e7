// words.js - the words of a text and their places. Used by translator.js and confidence.js of translate/, and by the
// page.

/** @typedef {{ text: string, start: number, end: number }} Word  start, end: UTF-16, [start, end) */

/** The segmenter of the last language: making one takes longer than a sentence. @type {Intl.Segmenter | undefined} */
let segmenter;
let known = '';

/**
 * The words of a text, without spaces and punctuation.
 *
 * @param {string} text
 * @param {string} language  a language tag; '': unknown
 * @returns {Word[]}
 */
export function wordsOf(text, language) {
  if (!segmenter || known !== language) {
    segmenter = new Intl.Segmenter(language || 'und', { granularity: 'word' });
    known = language;
  }
  return Array.from(segmenter.segment(text)).filter(({ isWordLike }) => isWordLike).map(({ segment, index }) =>
    ({ text: segment, start: index, end: index + segment.length }));
}

/** A text up to its last word. In linear time, unlike a pattern for what follows. @param {string} text */
export const throughWords = (text) => /^[^]*[\p{L}\p{N}]\p{M}*/u.exec(text)?.[0] ?? '';

/** @typedef {{ start: number, end: number }} Place  as of a word */

/** Whether two places share a character. @param {Place} a @param {Place} b */
export const overlap = (a, b) => a.start < b.end && b.start < a.end;
