// sentences.js - splits a text into sentences and what is between them: white space, and marks before the text of a
// line. Together they are the whole text. Used by split.js.

/**
 * `text` is translated. `after` follows it and does not change: white space, and marks before the next line's text. A
 * first part without text holds what comes first. All parts together are the original text.
 *
 * @typedef {{ text: string, after: string }} Part
 */

/** What ends a line. */
export const LINE_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;

/**
 * Marks before the text of a line, as of lists, headings, quotations and comments. They do not change. Their number has
 * a limit: without one, millions overflow the stack of the engine.
 */
export const LEAD = /^\s*(?:(?:[-*+>#/\u2010-\u2015]+|\[[ xX]\]|\(?(?:\d{1,3}|[A-Za-z])\))\s+){1,16}/;

/**
 * A line without a sign that can end a sentence before its last ones. Most texts of one sentence are so, and need no
 * segmenter: V8 takes some 15 ms to make the first one.
 */
const IS_ONE = /^[\p{L}\p{M}\p{Nd}\p{Zs}\t,'"()\-\u2010-\u201e:%]*(?:[.!?]+[\p{Zs}\t]*)?$/u;

/**
 * Whether something follows the end of a sentence in its line, which may not be its end: see abbreviations.js.
 *
 * @param {string} text
 */
export const mayGoOn = (text) => /[.!?\u2026].*\S/.test(text);

/** Characters that are segmented at a time. */
const WINDOW = 2048;

/** What splits into sentences: an Intl.Segmenter, or what makes one when it is needed. */
/** @typedef {Pick<Intl.Segmenter, 'segment'>} Segmenter */
/** @typedef {(segments: Iterable<string>) => Generator<string, void, void>} Join  that of abbreviations.js */

/**
 * Runs Intl.Segmenter on one window at a time, because in some engines each segment takes time in proportion to the
 * whole text. Segments that end near the end of a window are segmented again in the next window.
 *
 * @param {string} line
 * @param {Segmenter} segmenter
 * @returns {Generator<string, void, void>}
 */
function* segmentWindows(line, segmenter) {
  const margin = 128;
  let size = WINDOW;
  for (let start = 0; start < line.length;) {
    const window = line.slice(start, start + size);
    const isLast = start + size >= line.length;
    let done = 0;
    for (const { index, segment } of segmenter.segment(window)) {
      if (!isLast && index + segment.length > size - margin) break;
      yield segment;
      done = index + segment.length;
    }
    if (isLast) return;
    size = done > 0 ? WINDOW : 2 * size;
    start += done;
  }
}

/** @param {string} line @param {Segmenter} segmenter @param {Join} [join] @returns {Iterable<string>} */
function splitLine(line, segmenter, join) {
  if (line.length <= WINDOW && IS_ONE.test(line)) return [line];
  const segments = segmentWindows(line, segmenter);
  return join ? join(segments) : segments;
}

/**
 * Yields the sentences of a text. A line break always ends a sentence.
 *
 * @param {string} text
 * @param {Segmenter} segmenter  by sentence, of the text's language
 * @param {Join} [join]  needed if mayGoOn()
 * @param {(line: string, end: number) => number} [endLead]  where the marks before a line's text end; `end`: without it
 * @returns {Generator<Part, void, void>}
 */
export function* splitSentences(text, segmenter, join, endLead) {
  let part = { text: '', after: '' }; // white space may be added
  for (const [i, line] of text.split(LINE_BREAK).entries()) {
    // split() puts the line breaks at odd places
    if (i % 2 === 1) {
      part.after += line;
      continue;
    }
    let lead = LEAD.exec(line)?.[0].length ?? 0;
    if (endLead) lead = endLead(line, lead);
    part.after += line.slice(0, lead);
    for (const sentence of splitLine(line.slice(lead), segmenter, join)) {
      const start = sentence.length - sentence.trimStart().length;
      const body = sentence.trim();
      part.after += sentence.slice(0, start);
      if (body === '') continue;
      if (part.text || part.after) yield part;
      part = { text: body, after: sentence.slice(start + body.length) };
    }
  }
  if (part.text || part.after) yield part;
}

/** Scripts without spaces between words. */
export const unparted = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
