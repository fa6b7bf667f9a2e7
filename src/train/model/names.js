// names.js - names that sentences and their translations share, replaced by invented ones in all of them.
//
//     Tom called me.  Tom hat mich angerufen.   ->   Hafenbruck called me.  Hafenbruck hat mich angerufen.
//
// In German every noun has a capital, so a model takes many names for nouns and translates them. Invented names are made
// of words that the model translates. Only the sentence shows that they are names. Used by prepare.js.

import { countIn } from './counts.js';
import { drawn } from './random.js';
import { LANGUAGES, languagesOf } from './texts.js';

/** @typedef {import('./texts.js').Row} Row */
/**
 * @typedef {object} Parts
 * @property {string[]} names  that sentences share
 * @property {Set<string>} known  the same
 * @property {Record<string, string[]>} words  common ones, in small letters, by language
 */

/** A word: letters of two cases or of one, with nothing beside them that joins words. */
const [BEGIN, END] = [String.raw`(?<![\p{L}\p{M}\d'-])`, String.raw`(?![\p{L}\p{M}\d'-])`];
const CAPITALISED = new RegExp(String.raw`${BEGIN}\p{Lu}\p{Ll}{2,}${END}`, 'gu');
const SMALL = new RegExp(String.raw`${BEGIN}\p{Ll}{3,}${END}`, 'gu');
/** A German noun inside a sentence. */
const NOUN = new RegExp(String.raw`(?<=[\p{L},] )\p{Lu}\p{Ll}{3,}${END}`, 'gu');
/** Words with a capital that sentences may share though they are no names. */
const NOT_NAMES = new Set(['April', 'August', 'September', 'November', 'Mai', 'Christmas', 'God', 'Internet']);
const COMPANIES = ['GmbH', 'AG', 'KG', 'Ltd', 'Inc', 'SA', 'SARL', 'SL', 'Group', '& Söhne', '& Co'];
/** How often a common word occurs, at least. */
const COMMON = 20;
/** Fewest letters of a word that names are made of. */
const SHORTEST = 4;

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
  for (const { 0: word, index } of text.matchAll(CAPITALISED)) {
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
  return [...first].filter(([word]) => others.every((list) => list.has(word)) && !NOT_NAMES.has(word))
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
  const shared = new Set();
  /** @type {Map<string, number>} of all languages */
  const small = new Map();
  /** @type {Record<string, Map<string, number>>} */
  const counts = Object.fromEntries(LANGUAGES.map((language) => [language, new Map()]));
  for (const row of rows) {
    for (const [name, isInside] of listShared(row)) if (isInside) shared.add(name);
    for (const language of languagesOf(row)) {
      for (const [word] of row[language].matchAll(SMALL)) {
        countIn(small, word);
        if (language !== 'de' && word.length >= SHORTEST) countIn(counts[language], word);
      }
      if (language === 'de') for (const [word] of row.de.matchAll(NOUN)) countIn(counts.de, word);
    }
  }
  // a title has capitals in its words: "All About Soap"
  const names = [...shared].filter((name) => (small.get(name.toLowerCase()) ?? 0) < COMMON);
  const known = new Set(names);
  const words = Object.fromEntries(LANGUAGES.map((language) => [language,
    [...counts[language]].filter(([word, n]) => n >= COMMON && !known.has(word)).map(([word]) => word.toLowerCase())]));
  return { names, known, words };
}

/** @param {string} word */
const capitalised = (word) => word[0].toUpperCase() + word.slice(1);

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
  return capitalised(start + end);
}

/**
 * The forms of names, each as often as it stands here.
 *
 * @type {((parts: Parts, words: string[], next: () => number) => string)[]}
 */
const FORMS = [
  ...Array(5).fill((_, words, next) => joined(words, next)),
  ...Array(2).fill((_, words, next) => `${joined(words, next)} ${capitalised(drawn(words, next))}`),
  ({ names }, words, next) => `${drawn(names, next)} ${capitalised(drawn(words, next))}`,
  ({ names }, words, next) => `${drawn(names, next)} ${joined(words, next)}`,
  (_, words, next) => `${joined(words, next)} ${drawn(COMPANIES, next)}`,
];

/**
 * A name of a person, a place or a company.
 *
 * @param {Parts} parts
 * @param {string} language  of its words
 * @param {() => number} next  random numbers
 */
export const inventName = (parts, language, next) => drawn(FORMS, next)(parts, parts.words[language], next);

/** Words that depend on the name after them: "an Android", "en Islande", "au Chili". @type {Record<string, RegExp>} */
const BEFORE = { en: /\ban $/iu, fr: /(?<!\p{L})(?:en|au|aux|du) $/iu };

/**
 * The row with other names.
 *
 * @param {Row} row
 * @param {Parts} parts
 * @param {() => number} next  random numbers
 * @returns {Row | undefined}  undefined: its sentences share no known name, or one that cannot be replaced alone
 */
export function replaceNames(row, parts, next) {
  const languages = languagesOf(row);
  const all = listShared(row).map(([word]) => word);
  const names = all.filter((word) => parts.known.has(word));
  const sources = languages.filter((language) => parts.words[language].length > 0);
  const isBound = (/** @type {string} */ name) => languages.some((language) => {
    const text = row[language];
    // "an" and the like, or a part of a longer name
    return BEFORE[language]?.test(text.slice(0, text.indexOf(name))) ||
      all.some((other) => text.includes(`${name} ${other}`) || text.includes(`${other} ${name}`));
  });
  if (names.length === 0 || sources.length === 0 || names.some(isBound)) return undefined;
  /** @type {Map<string, string>} */
  const fresh = new Map();
  for (const name of names) {
    let other;
    // words before a name depend on whether it begins with a vowel
    do other = inventName(parts, drawn(sources, next), next); while (/^[AEIOUYHŒÆ]/.test(other.normalize('NFD')));
    fresh.set(name, other);
  }
  return Object.fromEntries(languages.map((language) =>
    [language, row[language].replace(CAPITALISED, (name) => fresh.get(name) ?? name)]));
}
