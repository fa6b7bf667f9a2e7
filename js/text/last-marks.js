// last-marks.js - a run of marks at the end of a sentence, such as !!! or ?! or an ellipsis, stands in the translation
// as it was typed. Models lose count of it, and tokenizers make three full stops of an ellipsis. Loaded by
// translate/host.js for sentences that may have such a run.

import { unparted } from './sentences.js';

/** @typedef {import('./keep.js').Span} Span */
/** @typedef {Span & { targetStart: number, targetEnd: number }} Match */
/** @typedef {{ text: string, glossary?: Match[], kept?: Match[] }} Result */

const MARK = '[!?.\\u2026]';
const FACE = '[:;]\'?-?[()]';
/**
 * What may stand between the last word and its marks, and behind them: spaces, quotation marks, brackets, emoji. Not
 * what ends sentences in other scripts: there the translation has marks of its own.
 */
const BESIDE = `(?:${FACE}|(?!${FACE})[^\\p{L}\\p{N}\\p{Sentence_Terminal}\\u2026;\\u037e])*`;
/**
 * The end of a text: up to the marks, its last letter, the marks, what follows. French models write spaces between
 * marks.
 */
const END = new RegExp(`^([^]*([\\p{L}\\p{N}])${BESIDE})(${MARK}(?:\\s*${MARK})*)(${BESIDE})$`, 'u');
/** Characters to look at. */
const LONGEST = 64;

/** Two marks, or an ellipsis. A full stop before others may be that of an abbreviation: "5 p.m.!!", "etc. ?". */
const isRun = (/** @type {string} */ marks) => /^(?:[!?].|\.\s*[.\u2026]|\u2026)/.test(marks);
const isEllipsis = (/** @type {string} */ marks) => /^[.\u2026]/.test(marks);

/** @param {string} text */
function endOf(text) {
  const found = END.exec(text.slice(-LONGEST));
  if (!found) return undefined;
  const [, before, letter, marks, rest] = found;
  const end = text.length - rest.length;
  return { start: end - marks.length, end, marks, rest, space: before.slice(before.trimEnd().length),
    isUnparted: unparted.test(letter) };
}

/**
 * Hypotheses with the run of their source.
 *
 * @template {Result} T
 * @param {{ text: string, kept?: Span[] }} sentence
 * @param {T[]} hypotheses  best first
 * @returns {T[]}  those that become alike count once
 */
export function withRun({ text, kept = [] }, hypotheses) {
  const own = endOf(text);
  // scripts without spaces between words have an ellipsis of their own
  if (!own || !isRun(own.marks) || (own.isUnparted && isEllipsis(own.marks))) return hypotheses;
  const isGiven = [...kept, ...hypotheses[0]?.glossary ?? []].some(({ start, end }) =>
    start < own.end && end > own.start);
  if (isGiven) return hypotheses;
  /** @type {Map<string, T>} */
  const results = new Map();
  for (const result of hypotheses) {
    const changed = change(result, own);
    if (!results.has(changed.text)) results.set(changed.text, changed);
  }
  return [...results.values()];
}

/**
 * @template {Result} T
 * @param {T} result
 * @param {{ marks: string, space: string }} run
 * @returns {T}
 */
function change(result, { marks: run, space: own }) {
  const { text, glossary, kept } = result;
  const end = endOf(text);
  if (!end || (end.isUnparted && isEllipsis(run))) return result;
  // the space before an ellipsis is that of the source; before other marks only French has one
  const space = isEllipsis(run) ? own : end.space;
  if (end.marks === run && end.space === space) return result;
  // marks at both ends of a sentence are in opposite order
  if (/[\xa1\xbf]{2}/.test(text)) return result;
  // the full stop of an abbreviation
  const start = end.start + ((/^[!?]/.test(run) && /^\.\s*(?=[!?])/.exec(end.marks)?.[0].length) || 0);
  const isGiven = [...glossary ?? [], ...kept ?? []].some(({ targetStart, targetEnd }) =>
    targetStart < end.end && targetEnd > start);
  if (isGiven) return result;
  const before = text.slice(0, start);
  const head = start > end.start ? before : before.trimEnd() + space;
  const shift = head.length + run.length - end.end;
  const move = (/** @type {Match[]} */ matches) => matches.map((match) => (match.targetStart < end.end ? match
    : { ...match, targetStart: match.targetStart + shift, targetEnd: match.targetEnd + shift }));
  return { ...result, text: head + run + end.rest, ...(glossary && { glossary: move(glossary) }),
    ...(kept && { kept: move(kept) }) };
}
