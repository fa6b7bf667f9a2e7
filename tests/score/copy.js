// copy.js - how many numbers a model writes as the target language does, and how many names it keeps, in the 500
// sentences of copy/cases.tsv. README.md tells the form of the file and what is counted.
//
//     node tests/score/copy.js [--model DIR] [--direction en-de]... [--keep on|off] [--out DIR] [--write]
//
// --write keeps the percentages in outputs/copy.tsv, of which readme.js makes a table: it needs two runs, with --keep off
// and with --keep on.
//
// Prints both percentages for each direction. Exit code 1: less than 97 % of the numbers or 90 % of the names in one.
import { fileURLToPath } from 'node:url';
import { LANGUAGES, readTable, runScorer } from './directions.js';

const LEAST_NUMBERS = 97;
const LEAST_NAMES = 90;

/** Kinds of cases whose `names` are names. Those of the other kinds are addresses, codes and telephone numbers. */
const NAME_KINDS = ['person', 'place', 'company'];

/**
 * A minus sign before digits; digits, in groups of three if spaces part them; further digits after a sign: 1 234,50,
 * 16:30, 23/05/2026, 3-1. Digits after a letter are part of a code.
 */
const NUMBER = String.raw`(?<![\p{L}\d])(?:(?<![^\s(])-)?(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,:/-]\d+)*`;
/** What a language writes after the digits of a time of day. @type {Record<string, RegExp>} */
const PATTERNS = {
  en: new RegExp(String.raw`${NUMBER}(?: ?(?<half>[ap])\.?m\b)?`, 'giu'),
  fr: new RegExp(String.raw`${NUMBER}(?: ?h ?(?<minutes>\d{2})(?!\d))?`, 'gu'),
};
const OTHERS = new RegExp(NUMBER, 'gu');

/**
 * The numbers of a text, each as one string: "4:30 pm", "16 h 30", "1.234,56".
 *
 * @param {string} text
 * @param {string} language
 * @returns {string[]}
 */
export function listNumbers(text, language) {
  const plain = text.replace(/[\u00a0\u2009\u202f]/g, ' ').replace(/\u2212/g, '-');
  return [...plain.matchAll(PATTERNS[language] ?? OTHERS)].map(({ 0: number, groups: { half, minutes } = {} }) => {
    if (half) return `${number.replace(/ ?[ap]\.?m$/i, '')} ${half.toLowerCase()}m`;
    return minutes ? number.replace(/ ?h ?/, ' h ') : number;
  });
}

/** @param {string} text */
const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * A name where it stands whole: no letter or digit at either side, but the s of a genitive may follow a word. A name
 * with other characters, such as an address, is not whole either if a sign joins it to more.
 *
 * @param {string} name
 */
function patternOf(name) {
  const isWords = /^[\p{L}\p{M}]+\.?(?:[ '-][\p{L}\p{M}]+\.?)*$/u.test(name);
  return isWords
    ? new RegExp(String.raw`(?<![\p{L}\p{M}\d])${escape(name)}(?=(?:'?s)?(?![\p{L}\p{M}\d]))`, 'gu')
    : new RegExp(String.raw`(?<![\p{L}\d][@./:_+-]*)${escape(name)}(?![@./:?#=&_+-]?[\p{L}\d])`, 'gu');
}

/** @param {string} text @param {string} name */
export const hasName = (text, name) => patternOf(name).test(text);

/**
 * One line against its reference. Numbers are counted beside the names, so a telephone number is not counted twice.
 *
 * @param {string} output
 * @param {string} reference
 * @param {string[]} names
 * @param {string} language  of both
 */
export function scoreLine(output, reference, names, language) {
  /** @param {string} text */
  const numbersOf = (text) => listNumbers(names.reduce((rest, name) => rest.replace(patternOf(name), ' ; '), text),
    language);
  const wanted = numbersOf(reference);
  const found = numbersOf(output);
  const lostNumbers = wanted.filter((number) => {
    const at = found.indexOf(number);
    if (at >= 0) found.splice(at, 1);
    return at < 0;
  });
  const lostNames = names.filter((name) => !hasName(output, name));
  return { numbers: wanted.length, lostNumbers, otherNumbers: found, lostNames };
}

/** The cases: kind, sentence by language, names. */
export function readCases() {
  const [, ...rows] = readTable(fileURLToPath(new URL('copy/cases.tsv', import.meta.url)));
  return rows.map(([kind, ...cells]) => ({
    kind,
    sentences: Object.fromEntries(LANGUAGES.map((language, i) => [language, cells[i]])),
    names: cells[LANGUAGES.length].split('|').filter((name) => name !== ''),
  }));
}

/** @param {number[]} counts */
const sum = (counts) => counts.reduce((total, count) => total + count, 0);

/** What --write makes, and its figures: percentages, and how many numbers the reference does not have. */
export const KEPT = {
  path: fileURLToPath(new URL('outputs/copy.tsv', import.meta.url)), head: ['numbers', 'others', 'names', 'codes'],
};

/** @typedef {{ kept: number, of: number }} Count */

/** @param {Count} count */
const percent = ({ kept, of }) => ((100 * kept) / of).toFixed(1);

/** @param {Count} count */
const share = ({ kept, of }) => `${percent({ kept, of })} % (${kept} of ${of})`;

/**
 * All lines of a direction.
 *
 * @param {string[]} outputs
 * @param {string} target  language
 * @param {ReturnType<typeof readCases>} cases
 */
export function scoreCopy(outputs, target, cases) {
  const lines = cases.map(({ sentences, names }, i) => scoreLine(outputs[i], sentences[target], names, target));
  const count = (/** @type {boolean} */ areNames) => {
    const those = lines.map((line, i) => ({ ...line, ...cases[i] }))
      .filter(({ kind }) => NAME_KINDS.includes(kind) === areNames);
    const of = sum(those.map(({ names }) => names.length));
    return { of, kept: of - sum(those.map(({ lostNames }) => lostNames.length)) };
  };
  const of = sum(lines.map(({ numbers }) => numbers));
  return {
    lines,
    numbers: { of, kept: of - sum(lines.map(({ lostNumbers }) => lostNumbers.length)) },
    otherNumbers: sum(lines.map(({ otherNumbers }) => otherNumbers.length)),
    names: count(true),
    codes: count(false),
  };
}

async function main() {
  const cases = readCases();
  return runScorer('copy', {
    kept: KEPT,
    has: (direction) => direction.split('-').every((language) => LANGUAGES.includes(language)),
    sources: (direction) => cases.map(({ sentences }) => sentences[direction.split('-')[0]]),
    score: (direction, outputs) => {
      const [source, target] = direction.split('-');
      const { lines, numbers, otherNumbers, names, codes } = scoreCopy(outputs, target, cases);
      return {
        line: `numbers ${share(numbers)}, ${otherNumbers} others  ` +
          `names ${share(names)}  addresses and codes ${share(codes)}`,
        figures: [percent(numbers), String(otherNumbers), percent(names), percent(codes)],
        isGood: 100 * numbers.kept >= LEAST_NUMBERS * numbers.of && 100 * names.kept >= LEAST_NAMES * names.of,
        table: [
          ['kind', 'lost', 'source', 'output', 'reference'],
          ...cases.map(({ kind, sentences }, i) => [
            kind, [...lines[i].lostNumbers, ...lines[i].lostNames].join(' | '), sentences[source], outputs[i],
            sentences[target],
          ]),
        ],
      };
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
