// names.js - names that sentences and their translations share, replaced by invented ones in all of them.
//
//     Tom called me.  Tom hat mich angerufen.   ->   Hafenbruck called me.  Hafenbruck hat mich angerufen.
//
// In German every noun has a capital, so a model takes many names for nouns and translates them. Here names are made of
// the very words that it translates; only the sentence tells that they are names. Used by prepare.js.

import { drawn } from './random.js';
import { LANGUAGES } from './texts.js';

/** @typedef {import('./texts.js').Row} Row */
/**
 * @typedef {object} Parts
 * @property {string[]} names  known ones
 * @property {Set<string>} isName  the same
 * @property {Record<string, string[]>} words  common ones, by language
 */

const CAPITAL = /(?<![\p{L}\p{M}\d'-])\p{Lu}\p{Ll}{2,}(?![\p{L}\p{M}\d'-])/gu;
/** Words that all sentences may share though they are no names. */
const MONTHS = new Set(['April', 'August', 'September', 'November', 'Mai', 'Christmas', 'God', 'Internet']);
const COMPANIES = ['GmbH', 'AG', 'KG', 'Ltd', 'Inc', 'SA', 'SARL', 'SL', 'Group', '& Söhne', '& Co'];
/** Words that parts may be: of German nouns inside a sentence, of other languages any in small letters. */
const NOUN = /(?<=[\p{L},] )\p{Lu}\p{Ll}{3,}/gu;
const WORD = /\p{Ll}{4,}/gu;
/** How often a word of the parts occurs, at least. */
const COMMON = 20;

/** @param {Row} row */
const languagesOf = (row) => LANGUAGES.filter((language) => row[language]);

/**
 * The words with a capital that occur once, and whether they stand inside a sentence.
 *
 * @param {string} text
 * @returns {Map<string, boolean>}
 */
function listCapitals(text) {
  /** @type {Map<string, boolean>} */
  const found = new Map();
  const twice = new Set();
  for (const { 0: word, index } of text.matchAll(CAPITAL)) {
    if (found.has(word)) twice.add(word);
    found.set(word, /[\p{L},] $/u.test(text.slice(0, index)));
  }
  for (const word of twice) found.delete(word);
  return found;
}

/**
 * Words with a capital that all sentences share, and whether they stand inside all of them.
 *
 * @param {Row} row
 * @returns {[string, boolean][]}
 */
function listShared(row) {
  const [first, ...others] = languagesOf(row).map((language) => listCapitals(row[language]));
  return [...first].filter(([word]) => others.every((list) => list.has(word)) && !MONTHS.has(word))
    .map(([word, isInside]) => [word, isInside && others.every((list) => list.get(word))]);
}

/**
 * The names that rows share, and the common words of their languages.
 *
 * @param {Row[]} rows
 * @returns {Parts}
 */
export function collectParts(rows) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {Record<string, Map<string, number>>} */
  const counts = Object.fromEntries(LANGUAGES.map((language) => [language, new Map()]));
  for (const row of rows) {
    for (const [name, isInside] of listShared(row)) if (isInside) names.add(name);
    for (const language of languagesOf(row))
      for (const [word] of row[language].matchAll(language === 'de' ? NOUN : WORD))
        counts[language].set(word, (counts[language].get(word) ?? 0) + 1);
  }
  const words = Object.fromEntries(LANGUAGES.map((language) => [language,
    [...counts[language]].filter(([word, n]) => n >= COMMON && !names.has(word)).map(([word]) => word.toLowerCase())]));
  return { names: [...names], isName: names, words };
}

/** @param {string} word */
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** A whole number of `least` to `most`. @param {number} least @param {number} most @param {() => number} next */
const between = (least, most, next) => least + Math.floor(next() * (most - least + 1));

/**
 * The start of one word and the end of another, each often whole if it is short.
 *
 * @param {string[]} words
 * @param {() => number} next  random numbers
 */
function joined(words, next) {
  const [head, tail] = [drawn(words, next), drawn(words, next)];
  const start = head.length <= 7 && next() < 0.6 ? head : head.slice(0, between(3, 6, next));
  const end = tail.length <= 7 && next() < 0.6 ? tail : tail.slice(-between(3, 6, next));
  return capital(start + end);
}

/**
 * A name of a person, a place or a company.
 *
 * @param {Parts} parts
 * @param {string} language  of its words
 * @param {() => number} next  random numbers
 */
export function inventName({ names, words }, language, next) {
  const form = next();
  const first = form < 0.22 ? drawn(names, next) : joined(words[language], next);
  if (form < 0.12 || (form >= 0.22 && form < 0.4)) return `${first} ${capital(drawn(words[language], next))}`;
  if (form < 0.22) return `${first} ${joined(words[language], next)}`;
  return form < 0.5 ? `${first} ${drawn(COMPANIES, next)}` : first;
}

/**
 * The row with other names.
 *
 * @param {Row} row
 * @param {Parts} parts
 * @param {() => number} next  random numbers
 * @returns {Row | undefined}  undefined: its sentences share no known name
 */
export function replaceNames(row, parts, next) {
  const shared = listShared(row).filter(([name]) => parts.isName.has(name));
  if (shared.length === 0) return undefined;
  const languages = languagesOf(row);
  /** @type {Map<string, string>} */
  const fresh = new Map();
  for (const [name] of shared) {
    let other;
    // French and Spanish words before a name depend on whether it begins with a vowel
    do other = inventName(parts, drawn(languages, next), next); while (/^[AEIOUYHÀ-Ý]/.test(other));
    fresh.set(name, other);
  }
  return Object.fromEntries(languages.map((language) =>
    [language, row[language].replace(CAPITAL, (name) => fresh.get(name) ?? name)]));
}
