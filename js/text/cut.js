// cut.js - where to split a sentence that is too long for the model; loaded by split.js for such a sentence.

import { unparted } from './sentences.js';

const CLAUSE = /[,;:\u2013\u2014)\]](?=\s)|[\u060c\u3001\u3002\uff0c\uff1b]/gu;
const SPACE = /\s(?=\S)/gu;

/**
 * The end of the last match that ends at or before `limit`; 0 if none.
 *
 * @param {string} text
 * @param {RegExp} pattern
 * @param {number} limit
 */
function lastEnd(text, pattern, limit) {
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (end <= limit) last = end;
  }
  return last;
}

/**
 * Where to split `text` if it does not fit: after a clause if at least half of it remains, else at white space, else
 * between two characters.
 *
 * @param {string} text
 * @param {number} limit  0 < limit < text.length
 * @returns {number}  0 < cut <= limit
 */
export function findCut(text, limit) {
  const head = text.slice(0, limit + 1); // the next character shows if a word ends there
  const clause = lastEnd(head, CLAUSE, limit);
  const cut = clause > limit / 2 ? clause : lastEnd(head, SPACE, limit) || clause;
  if (cut > 0) return cut;
  // characters are grapheme clusters; a window keeps long texts linear
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const from = Math.max(0, limit - 256);
  const at = graphemes.segment(text.slice(from, limit + 256)).containing(limit - from);
  if (at?.index) return from + at.index;
  // one character is longer than the window: split between code points
  return limit > 1 && Number(text.codePointAt(limit - 1)) > 0xffff ? limit - 1 : limit;
}

/**
 * Words of more than `most` tokens, in scripts with spaces between words. They are not language; Base64, for example,
 * counts as a word here.
 *
 * @param {string} text
 * @param {Int32Array} offsets  of its tokens, [start, end)
 * @param {number} most
 * @returns {{ start: number, end: number }[]}
 */
export function findJunk(text, offsets, most) {
  const words = [];
  let token = 0;
  for (const { 0: word, index: start } of text.matchAll(/[\p{L}\p{N}\p{M}_+/=%&#~@-]+/gu)) {
    const end = start + word.length;
    while (offsets[2 * token] < start) token++;
    const first = token;
    while (offsets[2 * token] < end) token++;
    if (token - first > most && !unparted.test(word)) words.push({ start, end });
  }
  return words;
}
