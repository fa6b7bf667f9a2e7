// sentences.js - splits a text into sentences and the white space between them; together they are the whole text. Used
// by split.js.

/**
 * `text` is translated, `after` is the white space after it. A first part without text holds leading white space. All
 * parts together are the original text.
 *
 * @typedef {{ text: string, after: string }} Part
 */

/** What ends a line. */
export const LINE_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;

/** Abbreviations before a name, a number or a noun, and initials of names: the sentence continues. */
const GOES_ON = new RegExp(
  '(?:^|[^\\p{L}.])(?:M[rs]|Mrs|[DSJ]r|Prof|St|Rev|Gen|Col|Capt|Lt|vs|No|Fig|Vol|e\\.g|i\\.e|cf|Hr|Nr|bzw|ca|evtl|' +
    'ggf|inkl|vgl|z\\.B|d\\.h|u\\.a|Mme|Mlle|Sra|ex|(?!I)\\p{L})\\.\\s*$',
  'u',
);

/** A number that may be a German ordinal, "12.", and nouns that follow one: the sentence continues. */
const ORDINAL = /(?:^|[^\p{L}\p{N}.,:])\d{1,3}\.\s*$/u;
const COUNTED = new RegExp(
  '^(?:Januar|Jänner|Februar|März|April|Mai|Ju[nl]i|August|September|Oktober|November|Dezember|Jahr|Lebensjahr|' +
    'Geburtstag|Weltkrieg|Klasse|Stock|Etage|Platz|Mal|Tag|Woche|Monat|Kapitel|Teil|Runde|Minute)',
);

/** Abbreviations before a number, which are words elsewhere: "no. 5". */
const NUMBERED = /(?:^|[^\p{L}.])(?:no|n\u00fam|[Aa]rt|Abs|pp|[Tt]el|fig|vol)\.\s*$/u;

/**
 * A line without a sign that can end a sentence before its last ones. Most texts of one sentence are so, and need no
 * segmenter: V8 takes some 15 ms to make the first one.
 */
const IS_ONE = /^[\p{L}\p{M}\p{Nd}\p{Zs}\t,'"()\-\u2010-\u201e:%]*(?:[.!?]+[\p{Zs}\t]*)?$/u;

/** Characters that are segmented at a time. */
const WINDOW = 2048;

/** What splits into sentences: an Intl.Segmenter, or what makes one when it is needed. */
/** @typedef {Pick<Intl.Segmenter, 'segment'>} Segmenter */

/**
 * Runs Intl.Segmenter on one window at a time, because in some engines each segment takes time in proportion to the
 * whole text. Segments that end near the end of a window are segmented again in the next window.
 *
 * @param {string} line
 * @param {Segmenter} segmenter
 * @returns {Generator<{ index: number, segment: string }>}
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
      yield { index: start + index, segment };
      done = index + segment.length;
    }
    if (isLast) return;
    size = done > 0 ? WINDOW : 2 * size;
    start += done;
  }
}

/** @param {string} line @param {Segmenter} segmenter @returns {Generator<string, void, void>} */
function* splitLine(line, segmenter) {
  if (line.length <= WINDOW && IS_ONE.test(line)) {
    yield line;
    return;
  }
  let start = 0;
  let end = ''; // end of the sentence so far, as long as an abbreviation may be
  for (const { segment, index } of segmentWindows(line, segmenter)) {
    const goesOn = GOES_ON.test(end) || (ORDINAL.test(end) && COUNTED.test(segment))
      || (NUMBERED.test(end) && /^\d/.test(segment));
    if (index > start && !goesOn) {
      yield line.slice(start, index);
      start = index;
      end = '';
    }
    end = (end + segment).slice(-24);
  }
  yield line.slice(start);
}

/**
 * Yields the sentences of a text. A line break always ends a sentence.
 *
 * @param {string} text
 * @param {Segmenter} segmenter  by sentence, of the text's language
 * @returns {Generator<Part, void, void>}
 */
export function* splitSentences(text, segmenter) {
  let part = { text: '', after: '' }; // white space may be added
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

/** Scripts without spaces between words. */
export const unparted = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
