// times.js - times of day that sentences and their translations share, replaced by others in all of them.
//
//     Dinner is at 7:30 pm.  Das Essen ist um 19:30 Uhr.   ->   Dinner is at 11:05 am.  Das Essen ist um 11:05 Uhr.
//
// A language without am and pm has other hours after noon. So a model has to learn 1,440 times, of which a corpus has
// few. Nearly all sentences have none: some of them get one. Used by prepare.js.
//
//     Tom came home.  Tom kam nach Hause.   ->   Tom came home, at 7:30 pm.  Tom kam nach Hause, um 19:30 Uhr.

import { addWords, isPlain } from './added.js';
import { drawn } from './random.js';

/** @typedef {import('./texts.js').Row} Row */
/** @typedef {Record<string, string | undefined>} Groups */

const HOURS = String.raw`(?<![\d.,:/-])(?<hours>\d{1,2})`;
const MINUTES = String.raw`(?<minutes>[0-5]\d)`;
const HALF = String.raw`(?<space> ?)(?<half>[apAP])(?<dot>\.?)(?<letter>[mM])(?<end>\.?)(?![a-z])`;
/** @type {Record<string, RegExp>} */
const PATTERNS = {
  en: new RegExp(`${HOURS}(?::${MINUTES})?${HALF}`, 'g'),
  // the first time of "von 9 bis 17:30 Uhr" too
  de: new RegExp(String.raw`${HOURS}(?:(?<sign>[:.])${MINUTES})?(?:(?<name> Uhr)(?![a-z])|`
    + String.raw`(?= (?:bis|und) \d{1,2}(?:[:.]\d\d)? Uhr))`, 'g'),
  fr: new RegExp(`${HOURS}(?<space> ?)h(?:(?<second> ?)${MINUTES})?(?![a-z\\d])`, 'g'),
  es: new RegExp(String.raw`(?:\b(?<article>las?) )?${HOURS}(?::${MINUTES}(?![\d:])|(?<sign> ?h)\b)(?! ?[ap]\.? ?m)`, 'g'),
};
/** Times of a sentence that are replaced, at most. */
const MOST = 9;
/** Words that tell the part of the day. */
const PARTS = new RegExp(String.raw`\b(?:morgens|vormittags|mittags|nachmittags|abends|nachts|früh|am Morgen|am Abend|`
  + String.raw`[ld][eu] matin|[ld][eu] soir|de l'après-midi|(?:de|por) la \p{L}+)\b`, 'u');
const DAY = 24 * 60;

/** @type {Record<string, (groups: Groups, hours: number, minutes: string) => string>} */
const WRITE = {
  en({ minutes: has, space, dot, letter, end }, hours, minutes) {
    const half = hours < 12 ? 'a' : 'p';
    return `${hours % 12 || 12}${has ? `:${minutes}` : ''}${space}${letter === 'M' ? half.toUpperCase() : half}`
      + `${dot}${letter}${end}`;
  },
  de: ({ minutes: has, sign, name = '' }, hours, minutes) => `${hours}${has ? sign + minutes : ''}${name}`,
  fr: ({ minutes: has, space, second }, hours, minutes) => `${hours}${space}h${has ? second + minutes : ''}`,
  es: ({ minutes: has, article, sign }, hours, minutes) =>
    `${article ? (hours === 1 ? 'la ' : 'las ') : ''}${hours}${has ? `:${minutes}` : sign}`,
};

/**
 * The times of a sentence, in minutes after midnight.
 *
 * @param {string} text
 * @param {string} language
 * @returns {number[]}
 */
export function listTimes(text, language) {
  return [...text.matchAll(PATTERNS[language])].map(({ groups = {} }) => {
    const { hours, minutes = '0', half } = groups;
    const after = half?.toLowerCase() === 'p' ? 12 : 0;
    return 60 * (half ? (Number(hours) % 12) + after : Number(hours)) + Number(minutes);
  });
}

/**
 * The row with other times, which have the same order.
 *
 * @param {Row} row
 * @param {() => number} next  random numbers
 * @returns {Row | undefined}  undefined: the sentences do not have the same times, each once
 */
export function replaceTimes(row, next) {
  const languages = Object.keys(PATTERNS).filter((language) => row[language]);
  const lists = languages.map((language) => listTimes(row[language], language));
  const old = [...new Set(lists[0])].sort((a, b) => a - b);
  // "18 Uhr" is "18 h", "18:00 Uhr" is "18:00"
  if (/\d Uhr/.test(row.de ?? '') && !/\d[:.]\d\d Uhr/.test(row.de) && /\d:00/.test(row.es ?? '')) return undefined;
  const key = (/** @type {number[]} */ list) => [...list].sort((a, b) => a - b).join();
  if (old.length === 0 || old.length > MOST || old.some((time) => time >= DAY)
    || lists.some((list) => key(list) !== old.join())
    || languages.some((language) => PARTS.test(row[language]))) return undefined;
  // where one language writes no minutes there are none
  const step = languages.some((language) =>
    [...row[language].matchAll(PATTERNS[language])].some(({ groups }) => !groups?.minutes)) ? 60 : 1;
  const isQuarter = next() < 0.5; // people say these more often
  /** @type {Set<number>} */
  const drawn = new Set();
  while (drawn.size < old.length) {
    const unit = step === 1 && isQuarter ? 15 : step;
    drawn.add(unit * Math.floor((next() * DAY) / unit));
  }
  const fresh = [...drawn].sort((a, b) => a - b);
  return { ...row, ...Object.fromEntries(languages.map((language, i) => {
    let n = 0;
    return [language, row[language].replace(PATTERNS[language], (...found) => {
      const time = fresh[old.indexOf(lists[i][n++])];
      return WRITE[language](found.at(-1), Math.floor(time / 60), String(time % 60).padStart(2, '0'));
    })];
  })) };
}

/**
 * What may stand before a sentence, and after it before its stop, by language; T and U are times.
 *
 * @type {Record<string, string>[]}
 */
const BEFORE = [
  { en: 'T: ', de: 'T: ', fr: 'T : ', es: 'T: ' },
  { en: 'At T: ', de: 'Um T: ', fr: 'À T : ', es: 'A las T: ' },
  { en: 'After T: ', de: 'Nach T: ', fr: 'Après T : ', es: 'Después de las T: ' },
  { en: 'Before T: ', de: 'Vor T: ', fr: 'Avant T : ', es: 'Antes de las T: ' },
  { en: 'Until T: ', de: 'Bis T: ', fr: "Jusqu'à T : ", es: 'Hasta las T: ' },
  { en: 'From T to U: ', de: 'Von T bis U: ', fr: 'De T à U : ', es: 'De T a U: ' },
  { en: 'Between T and U: ', de: 'Zwischen T und U: ', fr: 'Entre T et U : ', es: 'Entre las T y las U: ' },
];
/** @type {Record<string, string>[]} */
const AFTER = [
  { en: ' (T)', de: ' (T)', fr: ' (T)', es: ' (T)' },
  { en: ', at T', de: ', um T', fr: ', à T', es: ', a las T' },
  { en: ', at about T', de: ', gegen T', fr: ', vers T', es: ', sobre las T' },
  { en: ', after T', de: ', nach T', fr: ', après T', es: ', después de las T' },
];
/** How English writes am; one with points only before another sign than a stop. */
const HALVES = [' am', ' am', ' am', 'am', ' AM', ' a.m.'];

/** @type {Record<string, (hours: number, minutes: string, half: string) => string>} */
const SPELL = {
  en: (hours, minutes, half) =>
    `${hours % 12 || 12}${minutes && `:${minutes}`}${hours < 12 ? half : half.replace('a', 'p').replace('A', 'P')}`,
  de: (hours, minutes) => `${hours}${minutes && `:${minutes}`} Uhr`,
  fr: (hours, minutes) => `${hours} h${minutes && ` ${minutes}`}`,
  es: (hours, minutes) => (minutes ? `${hours}:${minutes}` : `${hours} h`),
};

/**
 * The row with a time of day, or two, before its sentences or after them.
 *
 * @param {Row} row
 * @param {() => number} next  random numbers
 * @returns {Row | undefined}  undefined: a sentence has digits, is long, or is not one sentence with a stop
 */
export function addTimes(row, next) {
  if (!isPlain(row)) return undefined;
  const isBefore = next() < 0.6;
  const form = drawn(isBefore ? BEFORE : AFTER, next);
  const half = drawn(isBefore ? HALVES : HALVES.slice(0, -1), next);
  // round hours and quarters are said more often
  const step = drawn([60, 60, 15, 1], next);
  const steps = DAY / step;
  const one = Math.floor(next() * steps);
  const other = (one + 1 + Math.floor(next() * (steps - 1))) % steps;
  const [first, second] = [one, other].map((n) => n * step).sort((a, b) => a - b);
  return addWords(row, isBefore, (language) => {
    const spell = (/** @type {number} */ time) => SPELL[language](Math.floor(time / 60),
      time % 60 ? String(time % 60).padStart(2, '0') : '', half);
    return form[language].replace(/(\blas )?([TU])(?![a-z])/g,
      (/** @type {string} */ _, /** @type {string} */ article = '', /** @type {string} */ which) => {
        const time = spell(which === 'T' ? first : second);
        return (/^1(?:$|\D)/.test(time) ? article.replace('las', 'la') : article) + time;
      });
  });
}
