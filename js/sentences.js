// sentences.js - a text as sentences and what stands between them, so that joined again nothing is lost; used by
// translator.js.

/**
 * `text` is what is translated, `after` the white space that follows it. A first part without text holds white space
 * that comes before everything. Joined, all parts are the text they were made from.
 *
 * @typedef {{ text: string, after: string }} Part
 */

const LINE_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;

/** Abbreviations that a name, a number or a noun follows: the sentence goes on. */
const ABBREVIATION = new RegExp(
  '(?:^|[\\s(\\[\u201c\u201e"\'])(?:' +
    'Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Rev|Gen|Col|Capt|Lt|Sgt|Hon|vs|No|Fig|Vol|approx|e\\.g|i\\.e|cf|' +
    'Hr|Fr|Nr|Str|bzw|ca|evtl|ggf|inkl|usw|vgl|z\\.\\s?B|d\\.\\s?h|u\\.\\s?a|o\\.\\s?\u00e4|' +
    'M|MM|Mme|Mlle|Sra|Sta|D|p\\.\\s?ex' +
    ')\\.$',
);
/** A name's first letter: "J. S. Bach". "I." ends sentences too often. */
const INITIAL = /(?:^|[\s.(])(?!I\.)\p{Lu}\.$/u;

/** @param {string} locale */
function makeSegmenter(locale) {
  try {
    return new Intl.Segmenter(locale, { granularity: 'sentence' });
  } catch {
    return new Intl.Segmenter(undefined, { granularity: 'sentence' });
  }
}

/** @type {Map<string, Intl.Segmenter>} */
const segmenters = new Map();

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
  for (let start = 0; start < line.length; ) {
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

/** @param {string} line @param {string} locale @returns {string[]} */
function splitLine(line, locale) {
  let segmenter = segmenters.get(locale);
  if (!segmenter) segmenters.set(locale, (segmenter = makeSegmenter(locale)));
  const sentences = [];
  let start = 0;
  let end = ''; // of the sentence so far: as much as an abbreviation may take
  for (const { segment, index } of segmentWindows(line, segmenter)) {
    if (index > start && !ABBREVIATION.test(end.trimEnd()) && !INITIAL.test(end.trimEnd())) {
      sentences.push(line.slice(start, index));
      start = index;
      end = '';
    }
    end = (end + segment).slice(-24);
  }
  sentences.push(line.slice(start));
  return sentences;
}

/**
 * The sentences of a text. Line breaks always end one.
 *
 * @param {string} text
 * @param {string} locale  of the text, a BCP 47 tag
 * @returns {Part[]}
 */
export function splitSentences(text, locale) {
  /** @type {Part[]} */
  const parts = [{ text: '', after: '' }];
  text.split(LINE_BREAK).forEach((line, i) => {
    // split() puts the line breaks at odd places
    for (const sentence of i % 2 === 0 ? splitLine(line, locale) : [line]) {
      const start = sentence.length - sentence.trimStart().length;
      const body = sentence.trim();
      /** @type {Part} */ (parts.at(-1)).after += sentence.slice(0, start);
      if (body) parts.push({ text: body, after: sentence.slice(start + body.length) });
    }
  });
  return parts[0].after === '' ? parts.slice(1) : parts;
}

/** Grapheme clusters are what a reader calls characters. */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const CLAUSE = /[,;:\u2013\u2014)\]](?=\s)|[\u060c\u3001\u3002\uff0c\uff1b]/gu;
const SPACE = /\s(?=\S)/gu;

/** The end of the last match that ends at or before `limit`; 0 if none. @param {string} text @param {RegExp} pattern @param {number} limit */
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
  // the segmenter reads from the start of what it is given: a window keeps long texts linear
  const from = Math.max(0, limit - 256);
  const at = graphemes.segment(text.slice(from, limit + 256)).containing(limit - from);
  const start = from + Number(at?.index);
  if (at && start > from) return start;
  // one character longer than the window: between code points
  const inside = /[\uDC00-\uDFFF]/.test(text[limit]) && /[\uD800-\uDBFF]/.test(text[limit - 1]);
  return inside && limit > 1 ? limit - 1 : limit;
}
