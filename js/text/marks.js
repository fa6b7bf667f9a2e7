// marks.js - a run of marks at the end of a sentence, such as !!! or ?! or an ellipsis, stands in the translation as it
// was typed. Models lose count of it, and tokenizers make three full stops of an ellipsis. Loaded by translate/host.js
// for sentences with such a run.

/** @typedef {{ targetStart: number, targetEnd: number }} Match */
/** @typedef {{ text: string, glossary?: Match[], kept?: Match[] }} Result */

const MARK = '[!?.\\u2026]';
/**
 * What may stand between the last word and its marks, and behind them: spaces, quotation marks, brackets, emoji. Not
 * what ends sentences in other scripts: there the translation has marks of its own.
 */
const BESIDE = '[^\\p{L}\\p{N}\\p{Sentence_Terminal}\\u2026;\\u037e]*';
/** The end of a text: up to the marks, the marks, what follows. French models write spaces between marks. */
const END = new RegExp(`^([^]*[\\p{L}\\p{N}]${BESIDE})(${MARK}(?:\\s*${MARK})*)(${BESIDE})$`, 'u');
/** Characters to look at. */
const LONGEST = 64;

/** Two marks, or an ellipsis. A full stop before others may be that of an abbreviation: "5 p.m.!!". */
const isRun = (/** @type {string} */ marks) => /^(?:[!?].|\.[.\u2026\s]|\u2026)/.test(marks);

/** @param {string} text */
function endOf(text) {
  const found = END.exec(text.slice(-LONGEST));
  return found && { start: text.length - found[2].length - found[3].length, marks: found[2], rest: found[3],
    space: found[1].slice(found[1].trimEnd().length) };
}

/**
 * Hypotheses with the run of their source.
 *
 * @template {Result} T
 * @param {string} source
 * @param {T[]} hypotheses  best first
 * @returns {T[]}  those that become alike count once
 */
export function withRun(source, hypotheses) {
  const own = endOf(source);
  if (!own || !isRun(own.marks)) return hypotheses;
  // of an ellipsis all languages have a space before it or none; before other marks French alone has one
  const space = /^[.\u2026]/.test(own.marks) ? own.space : undefined;
  /** @type {Set<string>} */
  const known = new Set();
  return hypotheses.flatMap((result) => {
    const changed = change(result, own.marks, space);
    if (changed !== result && known.has(changed.text)) return [];
    known.add(changed.text);
    return [changed];
  });
}

/**
 * @template {Result} T
 * @param {T} result
 * @param {string} run
 * @param {string} [space]  before it; undefined: that of the result
 * @returns {T}
 */
function change(result, run, space) {
  const { text, glossary, kept } = result;
  const end = endOf(text);
  if (!end || (end.marks === run && (space ?? end.space) === end.space)) return result;
  // the full stop of an abbreviation such as p.m.
  const dot = /^[!?]/.test(run) && /\.\p{L}\.[!?]/u.test(text.slice(end.start - 2, end.start + 2)) ? 1 : 0;
  const start = end.start + dot;
  const behind = text.length - end.rest.length;
  const isGiven = [...glossary ?? [], ...kept ?? []].some(({ targetStart, targetEnd }) =>
    targetStart < behind && targetEnd > start);
  if (isGiven) return result;
  const before = text.slice(0, start);
  const head = space === undefined ? before : before.trimEnd() + space;
  const shift = head.length + run.length - behind;
  const move = (/** @type {Match[]} */ matches) => matches.map((match) => (match.targetStart < behind ? match
    : { ...match, targetStart: match.targetStart + shift, targetEnd: match.targetEnd + shift }));
  return { ...result, text: head + run + end.rest, ...(glossary && { glossary: move(glossary) }),
    ...(kept && { kept: move(kept) }) };
}
