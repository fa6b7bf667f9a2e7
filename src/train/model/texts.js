// texts.js - reads the corpora: pairs and collections of sentences, in one spelling, without held-out texts.
//
// One spelling: NFC, plain spaces, straight apostrophes, three dots, and double quotes as the language prefers them;
// French has a space before ? ! ; : and inside its quotes. Used by prepare.js.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { drawn } from './random.js';

export const LANGUAGES = ['en', 'de', 'fr', 'es'];
export const OTHERS = LANGUAGES.slice(1);

/**
 * @typedef {Record<string, string>} Row  a sentence by language
 * @typedef {Row & { label?: string }} Labelled
 */

/** The languages that a row has. @param {Row} row */
export const languagesOf = (row) => LANGUAGES.filter((language) => row[language]);

/** Different spellings of the same sign, and the one to use. @type {[RegExp, string][]} */
const PLAIN = [
  [/[\u200b-\u200d\u2060\ufeff\u00ad]/g, ''],
  [/[\u2018\u2019\u02bc\u2032]/g, "'"],
  [/\u2026/g, '...'],
  [/[\u2010\u2011\u2212]/g, '-'],
  [/\s+/gu, ' '],
];

/** Some emoji contain a zero-width joiner. */
const JOINED = /\p{Extended_Pictographic}\u200d/u;

/**
 * @param {string} text
 * @param {string} language
 * @returns {string}
 */
export function clean(text, language) {
  let out = text.normalize('NFC');
  for (const [from, to] of JOINED.test(out) ? PLAIN.slice(1) : PLAIN) out = out.replace(from, to);
  out = out.trim();
  if (language !== 'de') out = out.replace(/[“”„]/g, '"');
  else if (out.includes('„')) out = out.replace(/”/g, '“');
  else out = out.replace(/[“”]/g, '"');
  if (language === 'fr') {
    out = out
      .replace(/(?<=[\p{L}\p{N}»)"'%])([?!;]+)(?=\s|$|[»")])/gu, ' $1')
      .replace(/(?<=[\p{L}»)"'])(:)(?=\s|$)/gu, ' $1')
      .replace(/«(?=\S)/g, '« ')
      .replace(/(?<=\S)»/g, ' »');
  }
  return out;
}

/** The quotation marks of a language. English has the straight ones. @type {Record<string, [string, string]>} */
const MARKS = { de: ['„', '“'], fr: ['« ', ' »'], es: ['«', '»'] };

/** What stands in straight quotation marks, with them. A mark behind a digit may mean inches, and opens nothing. */
const QUOTED = /(?<![\p{L}\p{N}])"(?=[\p{L}\p{N}¿¡(.])([^"]*[^\s"(]) ?"(?![\p{L}\p{N}])/gu;
const CODE = /[=<>{}\\[\]]/;

/**
 * A text with the quotation marks of its language, if all straight ones are in pairs and it is no code. What a model
 * learns to write must not vary: it would open a quotation in one way and close it in another.
 *
 * @param {string} text
 * @param {string} language
 */
export function withMarks(text, language) {
  const marks = MARKS[language];
  if (!marks || CODE.test(text)) return text;
  const marked = text.replace(QUOTED, (_, inside) => marks.join(inside));
  return marked.includes('"') ? text : marked;
}

/** A line for heed-train. @param {string} target @param {string} from @param {string} to */
export const pairLine = (target, from, to) => `>>${target}<< ${from}\t${to}\n`;

/** A line to learn from. @param {string} target @param {string} from @param {string} to */
export const learnedLine = (target, from, to) => pairLine(target, from, withMarks(to, target));

/** A key that ignores case, punctuation and spaces. @param {string} text */
export const keyOf = (text) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** @param {string} path  a file of lines, plain or .gz @returns {string[]} */
export function readLines(path) {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').filter(Boolean);
}

/**
 * The pairs of English and another language.
 *
 * @param {string} data
 * @param {string} other
 * @param {string} part  train, docs, dev or docs-dev
 * @returns {Labelled[]}
 */
export function readPairs(data, other, part) {
  return readLines(join(data, `en-${other}.${part}.tsv.gz`)).map((line) => {
    const [english, text, label] = line.split('\t');
    return { en: clean(english, 'en'), [other]: clean(text, other), label };
  });
}

/**
 * Sentences that two pairs of languages share: the rows that have the same English.
 *
 * @param {Row[]} first
 * @param {Row[]} second
 * @returns {Row[]}
 */
export function joinPairs(first, second) {
  /** @type {Map<string, Row>} */
  const byEnglish = new Map();
  for (const row of first) if (!byEnglish.has(row.en)) byEnglish.set(row.en, row);
  /** @type {Row[]} */
  const rows = [];
  for (const row of second) {
    const other = byEnglish.get(row.en);
    if (other) rows.push({ ...other, ...row });
  }
  return rows;
}

/** English sentences whose translations are the development sets of the pairs without English. */
const HELD_OUT_TRIPLES = 500;

/**
 * Sentences that all four languages have, for the development sets of the pairs without English.
 *
 * @param {Record<string, Row[]>} everyday  pairs with English by the other language
 * @param {Set<string>} held  keys of the texts of other sets
 * @param {() => number} next  random numbers
 * @returns {Row[]}
 */
export function holdOutTriples(everyday, held, next) {
  const shared = joinPairs(joinPairs(everyday.de, everyday.fr), everyday.es)
    .filter((row) => row.en.split(' ').length > 3 && !LANGUAGES.some((l) => held.has(keyOf(row[l]))));
  /** @type {Map<string, Row>} */
  const triples = new Map();
  while (triples.size < Math.min(HELD_OUT_TRIPLES, shared.length / 2)) {
    const row = drawn(shared, next);
    triples.set(keyOf(row.en), row);
  }
  return [...triples.values()];
}

/** Collections of short entries: a small share of the tokens is enough. */
const SHORT = ['words.tsv', 'short.tsv'];
const NOT_SENTENCES = ['templates.tsv', 'fillers.tsv', ...SHORT];

/** A line with a column for each of LANGUAGES. @param {string} line @returns {Row} */
export function rowOf(line) {
  const cells = line.split('\t');
  return Object.fromEntries(LANGUAGES.map((language, i) => [language, clean(cells[i], language)]));
}

/** The rows of collections: files with such lines. @param {string} folder @param {string[]} names @returns {Row[]} */
const readRows = (folder, names) => names.sort().flatMap((name) => readLines(join(folder, name)).map(rowOf));

/** @param {string} data @param {boolean} short @returns {Row[]} */
export function readPhrases(data, short) {
  const folder = join(data, 'phrases');
  return readRows(folder, short ? SHORT
    : readdirSync(folder).filter((name) => name.endsWith('.tsv') && !NOT_SENTENCES.includes(name)));
}

/** The sentences and phrases of sentences/. @returns {Row[]} */
export function readSentences() {
  const folder = fileURLToPath(new URL('sentences', import.meta.url));
  return readRows(folder, readdirSync(folder).filter((name) => name.endsWith('.tsv')));
}

/** The variants of a cell of phrases.tsv, without the language that some begin with: [fr]. @param {string} cell */
export const listVariants = (cell) => cell.split(' | ').map((text) => text.replace(/^\[\w+\] /, ''));

/**
 * The texts for scoring models: no pair may have such a text on either side. First words and phrases are too common for
 * that: they and their variants may not be the source of a pair, in any case and punctuation.
 *
 * @typedef {{ texts: Set<string>, sources: Record<string, Set<string>> }} HeldOut  keys; sources by language
 *
 * @param {string} data
 * @param {string} score  tests/score
 * @returns {HeldOut}
 */
export function readHeldOut(data, score) {
  /** @type {string[]} */
  const texts = [];
  for (const other of OTHERS)
    for (const part of ['dev', 'docs-dev'])
      for (const row of readPairs(data, other, part)) texts.push(row.en, row[other]);
  for (const name of ['copy/cases.tsv', 'letter.tsv']) {
    const path = join(score, name);
    if (!existsSync(path)) continue;
    const [head, ...rows] = readLines(path).map((line) => line.split('\t'));
    const sentences = rows.flatMap((row) => LANGUAGES.map((language) => row[head.indexOf(language)]));
    // lines of three words or fewer, such as the end of a letter, are needed in training
    texts.push(...sentences.filter((sentence) => sentence.split(' ').length > 3));
  }
  const visit = (/** @type {unknown} */ value) => {
    if (typeof value === 'string') texts.push(value);
    else if (value && typeof value === 'object') Object.values(value).forEach(visit);
  };
  visit(JSON.parse(readFileSync(join(score, 'samples.json'), 'utf8')));
  const phrases = readLines(join(score, 'phrases.tsv')).map((line) => line.split('\t'));
  return {
    texts: new Set(texts.map(keyOf).filter((key) => key !== '')),
    sources: Object.fromEntries(LANGUAGES.map((language, i) =>
      [language, new Set(phrases.flatMap((cells) => listVariants(cells[i])).map(keyOf))])),
  };
}

/**
 * Whether the two sides of a row can be translations of each other. Documentation is scraped. Sides that are equal, of
 * very different length, or with different numbers are mostly wrong.
 *
 * @param {string} a
 * @param {string} b
 */
export function isPlausible(a, b) {
  const words = a.split(' ').length;
  if (words > 60 || b.split(' ').length > 60) return false;
  const ratio = (a.length + 8) / (b.length + 8);
  if (ratio > 2.2 || ratio < 1 / 2.2) return false;
  if (a === b && words > 3) return false;
  const letters = (/** @type {string} */ text) => (text.match(/\p{L}/gu) ?? []).length / text.length;
  if (letters(a) < 0.5 || letters(b) < 0.5) return false;
  const digits = (/** @type {string} */ text) => (text.match(/\d/g) ?? []).sort().join('');
  return digits(a) === digits(b);
}
