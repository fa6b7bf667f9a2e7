// added.js - words that plain sentences get in all their languages alike: what a corpus says too seldom. Used by
// times.js and dates.js.

import { languagesOf } from './texts.js';

/** @typedef {import('./texts.js').Row} Row */

/** Longest sentence that gets words, in characters. */
const LONGEST = 90;

/**
 * Is it, in every language, one sentence with a stop, without digits and not long?
 *
 * @param {Row} row
 */
export const isPlain = (row) =>
  languagesOf(row).every((language) => /^[^\d.!?()]+[.!?]$/.test(row[language]) && row[language].length <= LONGEST);

/**
 * The row with words before its sentences, or after them before their stop.
 *
 * @param {Row} row
 * @param {boolean} isBefore
 * @param {(language: string) => string} said  the words, with the space between
 * @returns {Row}
 */
export function addWords(row, isBefore, said) {
  return Object.fromEntries(languagesOf(row).map((language) => {
    const text = row[language];
    const at = text.search(/\s?[.!?]$/);
    return [language, isBefore ? said(language) + text : text.slice(0, at) + said(language) + text.slice(at)];
  }));
}
