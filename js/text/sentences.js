// sentences.js - a text as sentences and what stands between them, so that joined again nothing is lost; used by
// split.js.

/**
 * `text` is what is translated, `after` the white space that follows it. A first part without text holds white space
 * that comes before everything. Joined, all parts are the text they were made from.
 *
 * @typedef {{ text: string, after: string }} Part
 */

/** What ends a line. */
export const LINE_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;

/** Abbreviations that a name, a number or a noun follows, and first letters of names: the sentence goes on. */
const GOES_ON = new RegExp(
  '(?:^|[^\\p{L}.])(?:M[rs]|Mrs|[DSJ]r|Prof|St|Rev|Gen|Col|Capt|Lt|vs|No|Fig|Vol|e\\.g|i\\.e|cf|Hr|Nr|bzw|ca|evtl|' +
    'ggf|inkl|vgl|z\\.B|d\\.h|u\\.a|Mme|Mlle|Sra|ex|(?!I)\\p{L})\\.\\s*$',
  'u',
);

/**
 * What Intl.Segmenter finds, a window at a time: some engines take time in proportion to the whole text for each
 * segment. Segments that end near the end of a window are looked at again in the next, where their sequel is seen.
 *
 * @param {string} line
 * @param {Intl.Segmenter} segmenter
 * @returns {Generator<{ index: number, segment: string }>}
 */
function* segmentWindows(line, segmenter) {
  const margin = 128;
  let size = 2048;
  for (let start = 0; start < line.length;) {
    const window = line.slice(start, start + size);
    const isLast = start + size >= line.length;
    let done = 0;
    for (const { index, segment } of segmenter.segment(window)) {
      if (!isLast && index + segment.length > size - margin) break;
      yield { index: start + index, segment };
      done = index + segment.length;
    }
    if (isLast) return;
    size = done > 0 ? 2048 : 2 * size;
    start += done;
  }
}

/** @param {string} line @param {Intl.Segmenter} segmenter @returns {Generator<string, void, void>} */
function* splitLine(line, segmenter) {
  let start = 0;
  let end = ''; // of the sentence so far: as much as an abbreviation may take
  for (const { segment, index } of segmentWindows(line, segmenter)) {
    if (index > start && !GOES_ON.test(end)) {
      yield line.slice(start, index);
      start = index;
      end = '';
    }
    end = (end + segment).slice(-24);
  }
  yield line.slice(start);
}

/**
 * The sentences of a text, as they are found. Line breaks always end one.
 *
 * @param {string} text
 * @param {Intl.Segmenter} segmenter  by sentence, of the text's language
 * @returns {Generator<Part, void, void>}
 */
export function* splitSentences(text, segmenter) {
  let part = { text: '', after: '' }; // white space may follow
  for (const [i, line] of text.split(LINE_BREAK).entries()) {
    // split() puts the line breaks at odd places
    if (i % 2 === 1) part.after += line;
    else for (const sentence of splitLine(line, segmenter)) {
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
 * Where to cut `text` when not all of it fits: after a clause if that leaves no less than half, else at white space,
 * else between two characters.
 *
 * @param {string} text
 * @param {number} limit  0 < limit < text.length
 * @returns {number}  0 < cut <= limit
 */
export function findCut(text, limit) {
  const head = text.slice(0, limit + 1); // what follows the last character that fits tells if a word ends there
  const clause = lastEnd(head, CLAUSE, limit);
  const cut = clause > limit / 2 ? clause : lastEnd(head, SPACE, limit) || clause;
  if (cut > 0) return cut;
  // what a reader calls a character is a grapheme cluster; a window keeps long texts linear
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const from = Math.max(0, limit - 256);
  const at = graphemes.segment(text.slice(from, limit + 256)).containing(limit - from);
  if (at?.index) return from + at.index;
  // one character longer than the window: between code points
  return limit > 1 && Number(text.codePointAt(limit - 1)) > 0xffff ? limit - 1 : limit;
}

/** Scripts that do not part words. */
export const unparted = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * Words of more than `most` tokens, in scripts that part words: no language has them. Base64 and its like are words
 * here, too.
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
