// text.js - plain text: each line is translated by itself, and each column of one; lines of a broken paragraph
// together.

import { LEAD } from '../text/sentences.js';
import { Builder, GAP, gapTest, hasWords } from './unit.js';
import { goesOn, wrap } from './wrap.js';

/** Space, marks of a quotation, and what begins an item of a list but may begin a sentence, too. */
const ITEM = /^\s*(?:>\s*)*(?:(?:\u2022|\d{1,3}\.)\s+)?/;

/** What stands before the text of a line. @param {string} line */
function leadOf(line) {
  const [item] = /** @type {RegExpExecArray} */ (ITEM.exec(line));
  return item + (LEAD.exec(line.slice(item.length))?.[0] ?? '');
}

/** The mark of a comment in code, which each of its lines has. @param {string} lead */
const isComment = (lead) => /^\s*(?:\/\/+|#)\s+$/.test(lead);

/**
 * Whether a line has a mark of its own, as that of a list, or the line before has one that does not go on, as that of a
 * heading.
 *
 * @param {string} lead  of the line before
 * @param {string} next
 */
const isMarked = (lead, next) => (/[^\s>]/.test(next) && !(next === lead && isComment(next))) ||
  (/[#/]/.test(lead) && next !== lead);

/** A line of signs, such as one below a heading. @param {{ text: string }} line */
const isRule = ({ text }) => !/[\p{L}\p{N}]/u.test(text);

/** The marks of a quotation. @param {{ lead: string }} line */
const quoteOf = ({ lead }) => lead.replace(/[^>]/g, '');

/**
 * @param {string} source
 * @returns {import('./unit.js').Document}
 */
export function readText(source) {
  const builder = new Builder(source);
  const isGap = gapTest(source);
  /** What divides the columns of a line. @param {{ text: string, start: number }} line */
  const gapsOf = ({ text, start }) => Array.from(text.matchAll(GAP))
    .filter(({ 0: gap, index }) => isGap(start + index, start + index + gap.length));
  /** The lines of a paragraph: all between two blank ones. @type {{ lead: string, text: string, start: number }[]} */
  let paragraph = [];
  const flush = () => {
    const width = Math.max(0, ...paragraph.map(({ lead, text }) => lead.length + text.length));
    for (let i = 0; i < paragraph.length;) {
      const first = paragraph[i];
      let next = i + 1;
      for (; next < paragraph.length; next++) {
        const [line, other] = [paragraph[next - 1], paragraph[next]];
        const isAlone = isMarked(line.lead, other.lead) || quoteOf(line) !== quoteOf(other) ||
          isRule(line) || isRule(other) || gapsOf(line).length > 0 || gapsOf(other).length > 0 ||
          !goesOn(line.text, other.text, width - line.lead.length) ||
          (next > i + 1 && other.lead !== line.lead);
        if (isAlone) break;
      }
      const last = paragraph[next - 1];
      const lines = paragraph.slice(i, next);
      const text = lines.map((line) => line.text).join(' ');
      const prefix = lines[1]?.lead ?? '';
      const end = last.start + last.text.length;
      i = next;
      if (lines.length === 1) {
        let at = 0;
        for (const gap of [...gapsOf(first), { 0: '', index: text.length }]) {
          const cell = text.slice(at, gap.index);
          const start = first.start + at;
          at = gap.index + gap[0].length;
          if (!hasWords(cell)) continue;
          const index = builder.add(cell, start);
          builder.replace(start, start + cell.length, (translations) => translations[index]);
        }
        continue;
      }
      if (!hasWords(text)) continue;
      const index = builder.add(text, first.start);
      builder.replace(first.start, end, (translations) => {
        const translation = translations[index];
        if (translation === text) return source.slice(first.start, end);
        const parts = [{ text: translation, isFree: true }];
        // the first line begins after its lead
        return wrap([{ text: first.lead, isFree: false }, ...parts], width, prefix).slice(first.lead.length);
      });
    }
    paragraph = [];
  };
  for (const { 0: line, index } of source.matchAll(/[^\n]+/g)) {
    if (source[index - 1] === '\n' && source[index - 2] === '\n') flush();
    const lead = leadOf(line);
    const text = line.slice(lead.length).trimEnd();
    if (text === '') flush();
    else paragraph.push({ lead, text, start: index + lead.length });
  }
  flush();
  return builder.finish();
}
