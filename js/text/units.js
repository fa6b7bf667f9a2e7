// units.js - words and signs of a text, which tags never divide. Used by evidence.js and translate/html.js.

/** @typedef {{ start: number, end: number }} Span  UTF-16, [start, end) */
/** @typedef {Span & { isWord: boolean }} Unit  isWord: it has a letter or a digit */

const WORDED = /[\p{L}\p{N}]/u;
/** A sign that joins two words to one. */
const JOINS = /^[-\u2010\u2011'\u2019_]$/;

/**
 * @param {string} text
 * @param {Intl.Segmenter} segmenter  for words, in the language of the text
 * @param {Span[]} whole  in order; parts that are one unit each
 * @returns {Unit[]}  in order; only white space is between them
 */
export function unitsOf(text, segmenter, whole = []) {
  /** @type {Unit[]} */
  const units = [];
  let next = 0;
  let joins = false; // the last unit goes on
  const add = (/** @type {string} */ segment, /** @type {number} */ start) => {
    const last = units.at(-1);
    const isWord = WORDED.test(segment);
    const isBeside = last?.end === start && last.isWord;
    if (isBeside && joins && isWord) last.end = start + segment.length;
    else units.push({ start, end: start + segment.length, isWord });
    joins = false;
  };
  for (const { segment, index } of segmenter.segment(text)) {
    let at = index;
    const end = index + segment.length;
    while (at < end) {
      while (whole[next]?.end <= at) next++;
      const span = whole[next];
      const isInside = span !== undefined && span.start <= at;
      const to = isInside ? Math.min(end, span.end) : Math.min(end, span?.start ?? end);
      const piece = text.slice(at, to);
      const last = units.at(-1);
      if (isInside) {
        if (last && last.start >= span.start) last.end = to;
        else units.push({ start: at, end: to, isWord: WORDED.test(text.slice(span.start, span.end)) });
        joins = false;
      } else if (/\S/.test(piece)) {
        // the sign between two words becomes part of the first only if the second follows
        const isSign = JOINS.test(piece) && last?.end === at && last.isWord && !whole.some((w) => w.end === at);
        const isFollowed = isSign && WORDED.test(text[to] ?? '') && whole[next]?.start !== to;
        if (isFollowed) {
          /** @type {Unit} */ (last).end = to;
          joins = true;
        } else add(piece, at);
      }
      at = to;
    }
  }
  return units;
}

/**
 * Spans of a text, of which those that touch are one.
 *
 * @param {Span[]} spans  in order
 */
export function joinSpans(spans) {
  /** @type {Span[]} */
  const joined = [];
  for (const { start, end } of spans) {
    const last = joined.at(-1);
    if (last?.end === start) last.end = end;
    else joined.push({ start, end });
  }
  return joined;
}

/**
 * Units of a text that does not change: what white space or `cuts` divide.
 *
 * @param {string} text
 * @param {number[]} cuts  in order
 * @param {Span[]} whole  in order; parts that are one unit each
 * @returns {Unit[]}
 */
export function cutUnits(text, cuts, whole = []) {
  /** @type {Unit[]} */
  const units = [];
  let [cut, next] = [0, 0];
  for (const { 0: { length }, index } of text.matchAll(/\S+/g)) {
    const end = index + length;
    let at = index;
    const last = units.at(-1);
    if (last && last.end > at) at = Math.min(last.end, end);
    while (at < end) {
      while (whole[next]?.end <= at) next++;
      while (cuts[cut] <= at) cut++;
      const span = whole[next];
      let to = Math.min(end, cuts[cut] ?? end);
      if (span?.start === at) to = span.end;
      else if (span) to = Math.min(to, span.start);
      units.push({ start: at, end: to, isWord: WORDED.test(text.slice(at, to)) });
      at = to;
    }
  }
  return units;
}
