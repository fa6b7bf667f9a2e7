// dates.js - dates before and after sentences, and in lines of their own, as letters begin with.
//
//     Tom came home.  Tom kam nach Hause.   ->   Since March 3: Tom came home.  Seit dem 3. März: Tom kam nach Hause.
//
// German writes days as "3.", which looks like the end of a sentence, and each language has its own order. Corpora of
// everyday sentences have few dates, and nearly none with a year. Used by prepare.js.

import { addWords, isPlain } from './added.js';
import { drawn } from './random.js';

/** @typedef {import('./texts.js').Row} Row */

/** @type {Record<string, string[]>} */
const MONTHS = {
  en: 'January February March April May June July August September October November December'.split(' '),
  de: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  es: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
};
/** @type {Record<string, string[]>} */
const WEEKDAYS = {
  en: 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' '),
  de: 'Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag'.split(' '),
  fr: 'lundi mardi mercredi jeudi vendredi samedi dimanche'.split(' '),
  es: 'lunes martes miércoles jueves viernes sábado domingo'.split(' '),
};
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A date; year: '' for none. @typedef {{ day: number, month: number, year: string }} CalendarDay */
/** @type {Record<string, (date: CalendarDay) => string>} */
const SPELL = {
  en: ({ day, month, year }) => `${MONTHS.en[month]} ${day}${year && `, ${year}`}`,
  de: ({ day, month, year }) => `${day}. ${MONTHS.de[month]}${year && ` ${year}`}`,
  fr: ({ day, month, year }) => `${day === 1 ? '1er' : day} ${MONTHS.fr[month]}${year && ` ${year}`}`,
  es: ({ day, month, year }) => `${day} de ${MONTHS.es[month]}${year && ` de ${year}`}`,
};

/**
 * What may stand before a sentence, after it before its stop, and in a line of its own. D and E are dates, W is a day of
 * the week, N a city, C the number of a document.
 *
 * @type {Record<string, string>[]}
 */
const BEFORE = [
  { en: 'D: ', de: 'D: ', fr: 'D : ', es: 'D: ' },
  { en: 'On D: ', de: 'Am D: ', fr: 'Le D : ', es: 'El D: ' },
  { en: 'On W, D: ', de: 'Am W, dem D: ', fr: 'Le W D : ', es: 'El W, D: ' },
  { en: 'Since D: ', de: 'Seit dem D: ', fr: 'Depuis le D : ', es: 'Desde el D: ' },
  { en: 'Until D: ', de: 'Bis zum D: ', fr: "Jusqu'au D : ", es: 'Hasta el D: ' },
  { en: 'From D to E: ', de: 'Vom D bis zum E: ', fr: 'Du D au E : ', es: 'Del D al E: ' },
];
/** @type {Record<string, string>[]} */
const AFTER = [
  { en: ' (D)', de: ' (D)', fr: ' (D)', es: ' (D)' },
  { en: ' (W, D)', de: ' (W, D)', fr: ' (W D)', es: ' (W, D)' },
  { en: ', on D', de: ', am D', fr: ', le D', es: ', el D' },
  { en: ', before D', de: ', vor dem D', fr: ', avant le D', es: ', antes del D' },
  { en: ', after D', de: ', nach dem D', fr: ', après le D', es: ', después del D' },
  { en: ', by D', de: ', bis zum D', fr: ", d'ici le D", es: ', para el D' },
];
/** @type {Record<string, string>[]} */
const ALONE = [
  { en: 'D', de: 'D', fr: 'D', es: 'D' },
  { en: 'W, D', de: 'W, D', fr: 'W D', es: 'W, D' },
  { en: 'N, D', de: 'N, D', fr: 'N, le D', es: 'N, D' },
  { en: 'N, D', de: 'N, den D', fr: 'N, le D', es: 'N, a D' },
  { en: 'Date: D', de: 'Datum: D', fr: 'Date : D', es: 'Fecha: D' },
  { en: 'Your letter of D', de: 'Ihr Schreiben vom D', fr: 'Votre lettre du D', es: 'Su carta del D' },
  { en: 'Invoice no. C of D', de: 'Rechnung Nr. C vom D', fr: 'Facture n° C du D', es: 'Factura n.º C del D' },
  { en: 'Our offer no. C of D', de: 'Unser Angebot Nr. C vom D', fr: 'Notre offre n° C du D',
    es: 'Nuestra oferta n.º C del D' },
];
/** Cities that have one name in the four languages. */
const CITIES = 'Madrid,Berlin,Amsterdam,Oslo,Paris,Budapest,Buenos Aires,Stuttgart,Bilbao,Nantes'.split(',');

/** @param {() => number} next  random numbers @returns {CalendarDay} */
function drawDay(next, year = drawn(['', '', `${1900 + Math.floor(next() * 150)}`], next)) {
  const month = Math.floor(next() * DAYS.length);
  return { day: 1 + Math.floor(next() * DAYS[month]), month, year };
}

/**
 * A form in every language, with the same dates, day of the week, city and number.
 *
 * @param {Record<string, string>} form
 * @param {() => number} next  random numbers
 */
function fill(form, next) {
  const first = drawDay(next);
  const dates = [first, drawDay(next, first.year)].sort((a, b) => a.month - b.month || a.day - b.day);
  const weekday = Math.floor(next() * WEEKDAYS.en.length);
  const city = drawn(CITIES, next);
  const number = `${10 + Math.floor(next() * 90)}-${1000 + Math.floor(next() * 9000)}`;
  return (/** @type {string} */ language) =>
    form[language].replace(/\b[DEWNC]\b/g, (letter) => ({
      D: SPELL[language](dates[0]), E: SPELL[language](dates[1]), W: WEEKDAYS[language][weekday], N: city, C: number,
    })[letter] ?? letter);
}

/**
 * The row with a date, or two, before its sentences or after them.
 *
 * @param {Row} row
 * @param {() => number} next  random numbers
 * @returns {Row | undefined}  undefined: a sentence has digits, is long, or is not one sentence with a stop
 */
export function addDates(row, next) {
  if (!isPlain(row)) return undefined;
  const isBefore = next() < 0.5;
  return addWords(row, isBefore, fill(drawn(isBefore ? BEFORE : AFTER, next), next));
}

/**
 * Lines that are a date, or end with one.
 *
 * @param {number} count
 * @param {() => number} next  random numbers
 * @returns {Row[]}
 */
export function dateLines(count, next) {
  return Array.from({ length: count }, () => {
    const said = fill(drawn(ALONE, next), next);
    return Object.fromEntries(Object.keys(MONTHS).map((language) => [language, said(language)]));
  });
}
