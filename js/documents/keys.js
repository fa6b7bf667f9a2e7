// keys.js - marks of keyboard keys in texts of menus and buttons: "&File" of Qt and Windows, "_File" of GTK, "~File" of
// LibreOffice. The text is translated without its mark, which then goes to a word of the translation. Used by po.js.

import { referenceFinder } from '../text/references.js';
import { isIcu, piecesOf } from './messages.js';

/** @typedef {{ plain: string, mark: string, key: string }} Marked  plain: without the mark; key: the letter after it */

/** A mark, but not of a reference such as `&amp;`. */
const MARKS = /[&_~](?=\p{L})(?!\w+;)/gu;
/** Nothing but letters is in a word with a mark: it is no address, no reference and no name of a program. */
const WORD = /^\p{P}*[\p{L}\p{M}\u2019'-]+\p{P}*$/u;
const LETTER = /\p{L}/u;
/** The word with a mark inside: Exit, but not R&D, file_name. */
const CAPITALIZED = /^\P{L}*\p{Lu}\p{Ll}+(?!.*\p{Lu})/u;
const find = referenceFinder();

/** Whether a reference without a semicolon is at a mark, as in `&nbsp text`. @param {string} text @param {number} at */
function isReference(text, at) {
  const [word] = /^&\w+/.exec(text.slice(at)) ?? [''];
  return find(word).some(({ end }) => end === word.length);
}

/** Scripts without a place for a mark inside of a text. */
const IDEOGRAPHIC = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** Where texts are, without placeholders and tags. @param {string} text */
function textsOf(text) {
  let at = 0;
  return piecesOf(text).flatMap(({ kind, source }) => {
    const start = at;
    at += String(source).length;
    return kind === 'text' ? [{ start, end: at }] : [];
  });
}

/**
 * The only mark of a text.
 *
 * @param {string} text
 * @returns {{ at: number, isInside: boolean, isSure: boolean, word: string } | undefined}  isInside: in the middle of
 *   the word; isSure: `_` and `~` are before names, too, but not before a capital letter at the beginning of a text
 */
function findMark(text) {
  if (!/[&_~]/.test(text) || isIcu(text)) return undefined;
  const parts = textsOf(text);
  const found = parts.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(MARKS)].map(({ index }) => start + index));
  const [at] = found;
  const written = parts.map(({ start, end }) => text.slice(start, end)).join(' ');
  if (found.length !== 1 || written.split(text[at]).length !== 2) return undefined;
  const begin = /\S*$/.exec(text.slice(0, at))?.[0] ?? '';
  const end = /^\S*/.exec(text.slice(at + 1))?.[0] ?? '';
  if (!WORD.test(begin + end) || isReference(text, at)) return undefined;
  const isFirst = !/[\p{L}\p{N}]/u.test(text.slice(0, at).replace(/<[^<>]*>/g, ''));
  const isSure = text[at] === '&' || (isFirst && /\p{Lu}/u.test(text[at + 1]));
  return { at, isInside: LETTER.test(begin), isSure, word: begin + end };
}

/**
 * The marks that texts surely have at the beginning of words: only these may also be elsewhere, as in "E&xit" and "Save
 * _as".
 *
 * @param {string[]} texts
 * @returns {Set<string>}
 */
export const marksOf = (texts) => new Set(texts.flatMap((text) => {
  const found = findMark(text);
  return found && !found.isInside && found.isSure ? [text[found.at]] : [];
}));

/**
 * A text without its mark; undefined: it has none.
 *
 * @param {string} text
 * @param {Set<string>} marks  of the file
 * @returns {Marked | undefined}
 */
export function withoutMark(text, marks) {
  const found = findMark(text);
  if (!found) return undefined;
  const { at, isInside, isSure, word } = found;
  if (!isSure && !marks.has(text[at])) return undefined;
  if (isInside && !(marks.has(text[at]) && CAPITALIZED.test(word))) return undefined;
  return { plain: text.slice(0, at) + text.slice(at + 1), mark: text[at], key: text[at + 1] };
}

/**
 * A translation with a mark: before a word with the same key, or its first one; in Chinese, Japanese and Korean at the
 * end, since no letter there is on the key. An ampersand that is no mark is doubled, as Qt and Windows read it.
 *
 * @param {string} given
 * @param {Marked} marked  the source
 */
export function withMark(given, { mark, key }) {
  const own = textsOf(given);
  if (own.some(({ start, end }) => [...given.slice(start, end).matchAll(MARKS)].some(([found]) => found === mark))) {
    return given;
  }
  const text = mark !== '&' ? given : piecesOf(given).map(({ kind, source }) => (kind === 'text'
    ? String(source).replace(/&(?=\s|$)/g, '&&') : String(source))).join('');
  const parts = textsOf(text);
  if (parts.some(({ start, end }) => IDEOGRAPHIC.test(text.slice(start, end)))) {
    const end = /[\s.\u2026:\uff1a]*$/.exec(text)?.index ?? text.length;
    return `${text.slice(0, end)}(${mark}${key.toUpperCase()})${text.slice(end)}`;
  }
  const starts = parts.flatMap(({ start, end }) => [...text.slice(start, end).matchAll(/(?<![\p{L}\p{M}\p{N}])\p{L}/gu)]
    .map(({ index }) => start + index));
  const isKey = (/** @type {number} */ at) => text[at].toLowerCase() === key.toLowerCase();
  const at = starts.find(isKey) ?? starts[0];
  return at === undefined ? text : text.slice(0, at) + mark + text.slice(at);
}
