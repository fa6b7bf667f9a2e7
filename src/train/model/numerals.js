// numerals.js - numbers written as words, alone and in short sentences, in four languages. Most of them never occur in a
// corpus, and a model that has read "twenty-four" cannot guess "twenty-five". Used by prepare.js.
//
//     seventy-one years   einundsiebzig Jahre   soixante et onze ans   setenta y un años

/** @typedef {import('./texts.js').Row} Row */
/** @typedef {'m' | 'f' | undefined} Gender  of the noun that follows; undefined: there is none */

const WORDS = {
  en: {
    small: 'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen '
      + 'seventeen eighteen nineteen',
    tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
  },
  de: {
    small: 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn '
      + 'siebzehn achtzehn neunzehn',
    tens: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
  },
  fr: {
    small: 'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept '
      + 'dix-huit dix-neuf',
    tens: 'vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt',
  },
  es: {
    small: 'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis '
      + 'diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis '
      + 'veintisiete veintiocho veintinueve',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
  },
};
const SPANISH_HUNDREDS = 'cientos doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos '
  + 'novecientos';

/** @type {Record<string, { small: string[], tens: string[] }>} */
const LISTS = Object.fromEntries(Object.entries(WORDS).map(([language, { small, tens }]) =>
  [language, { small: small.split(' '), tens: ['', '', ...tens.split(' ')] }]));
const HUNDREDS = ['', ...SPANISH_HUNDREDS.split(' ')];

/** The thousands, hundreds, and what is left. @param {number} n */
const split = (n) => [Math.floor(n / 1000), Math.floor((n % 1000) / 100), n % 100];

/** @param {number} n */
function english(n) {
  const { small, tens } = LISTS.en;
  const [thousands, hundreds, rest] = split(n);
  const low = rest < 20 ? small[rest] : tens[Math.floor(rest / 10)] + (rest % 10 ? `-${small[rest % 10]}` : '');
  const high = [thousands && `${english(thousands)} thousand`, hundreds && `${small[hundreds]} hundred`].filter(Boolean);
  if (high.length === 0) return low;
  return high.join(' ') + (rest ? ` and ${low}` : '');
}

/**
 * A leading one is left out: hundert, tausendeinhundert.
 *
 * @param {number} n
 * @param {boolean} isLast  "eins" at the end, "ein" before more
 */
function german(n, isLast) {
  const { small, tens } = LISTS.de;
  const [thousands, hundreds, rest] = split(n);
  const one = (/** @type {number} */ digit) => (digit === 1 ? 'ein' : small[digit]);
  const low = rest < 20
    ? (rest === 1 && !isLast ? 'ein' : small[rest])
    : (rest % 10 ? `${one(rest % 10)}und` : '') + tens[Math.floor(rest / 10)];
  /** @type {string} */
  const high = (thousands ? `${thousands > 1 ? german(thousands, false) : ''}tausend` : '')
    + (hundreds ? `${n >= 200 ? one(hundreds) : ''}hundert` : '');
  return high + (rest || !high ? low : '');
}

/** @param {number} n @param {Gender} gender @param {boolean} [isLast]  nothing follows that belongs to the number */
function french(n, gender, isLast = true) {
  const { small, tens } = LISTS.fr;
  const [thousands, hundreds, rest] = split(n);
  const one = gender === 'f' ? 'une' : 'un';
  const digit = (/** @type {number} */ d) => (d === 1 ? one : small[d]);
  const ten = Math.floor(rest / 10);
  // 70 to 79 and 90 to 99 count on from 60 and 80
  const unit = ten === 7 || ten === 9 ? rest % 10 + 10 : rest % 10;
  let low;
  if (rest < 20) low = digit(rest);
  else if (unit === 0) low = tens[ten] + (ten === 8 && isLast ? 's' : '');
  else if ((unit === 1 || unit === 11) && ten < 8) low = `${tens[ten]} et ${digit(unit)}`;
  else low = `${tens[ten]}-${digit(unit)}`;
  const plural = hundreds > 1 && rest === 0 && isLast ? 's' : '';
  const high = [
    thousands && (thousands > 1 ? `${french(thousands, undefined, false)} mille` : 'mille'),
    hundreds && `${hundreds > 1 ? `${small[hundreds]} ` : ''}cent${plural}`,
  ].filter(Boolean);
  return [...high, ...(rest || high.length === 0 ? [low] : [])].join(' ');
}

/** @param {number} n @param {Gender} gender @returns {string} */
function spanish(n, gender) {
  const { small, tens } = LISTS.es;
  const [thousands, hundreds, rest] = split(n);
  let low = rest < 30 ? small[rest] : tens[Math.floor(rest / 10)] + (rest % 10 ? ` y ${small[rest % 10]}` : '');
  // before a noun: un euro, veintiún euros, una silla, veintiuna sillas
  if (gender && rest % 10 === 1 && rest !== 11)
    low = gender === 'f' ? low.replace(/uno$/, 'una') : low.replace(/veintiuno$/, 'veintiún').replace(/uno$/, 'un');
  const hundred = hundreds === 1 ? (rest ? 'ciento' : 'cien') : HUNDREDS[hundreds];
  const high = [
    thousands && (thousands > 1 ? `${spanish(thousands, 'm')} mil` : 'mil'),
    hundreds && (gender === 'f' ? hundred.replace(/os$/, 'as') : hundred),
  ].filter(Boolean);
  return [...high, ...(rest || high.length === 0 ? [low] : [])].join(' ');
}

/**
 * A number in words.
 *
 * @param {number} n  0 to 9,999; above that, Spanish before a feminine noun is wrong
 * @param {string} language
 * @param {Gender} [gender]  of a noun that follows; German has "ein" for both
 */
export function numeral(n, language, gender) {
  if (language === 'en') return english(n);
  if (language === 'de') return german(n, !gender);
  return language === 'fr' ? french(n, gender) : spanish(n, gender);
}

/**
 * Sentences of a number; {m} and {f} are numbers before a noun of that gender. Nouns are plural.
 *
 * @type {Row[]}
 */
const SENTENCES = [
  { en: '{m} euros', de: '{m} Euro', fr: '{m} euros', es: '{m} euros' },
  { en: '{m} years', de: '{m} Jahre', fr: '{m} ans', es: '{m} años' },
  { en: '{m} people', de: '{m} Menschen', fr: '{f} personnes', es: '{f} personas' },
  { en: '{m} minutes', de: '{m} Minuten', fr: '{f} minutes', es: '{m} minutos' },
  { en: 'I am {m} years old.', de: 'Ich bin {m} Jahre alt.', fr: "J'ai {m} ans.", es: 'Tengo {m} años.' },
  { en: 'It costs {m} euros.', de: 'Es kostet {m} Euro.', fr: 'Ça coûte {m} euros.', es: 'Cuesta {m} euros.' },
  { en: 'We need {m} chairs.', de: 'Wir brauchen {m} Stühle.', fr: 'Il nous faut {f} chaises.',
    es: 'Necesitamos {f} sillas.' },
  { en: 'The village is {m} kilometres away.', de: 'Das Dorf ist {m} Kilometer entfernt.',
    fr: 'Le village est à {m} kilomètres.', es: 'El pueblo está a {m} kilómetros.' },
];
/** Every number to ALL, and MORE random ones up to 9,999. */
const ALL = 130;
const MORE = 500;

/**
 * Rows of numbers in words.
 *
 * @param {() => number} next  random numbers
 * @returns {Row[]}
 */
export function numeralRows(next) {
  const languages = Object.keys(WORDS);
  const draw = () => ALL + Math.floor(next() ** 2 * (10_000 - ALL));
  const numbers = [...Array.from({ length: ALL }, (_, i) => i), ...Array.from({ length: MORE }, draw)];
  return numbers.flatMap((n) => {
    const alone = Object.fromEntries(languages.map((language) => [language, numeral(n, language)]));
    if (n < 2 || (n > 100 && n % 100 === 1)) return [alone]; // "hunderteine Minuten" is rarely said
    return [alone, ...SENTENCES.map((sentence) => Object.fromEntries(languages.map((language) => [language,
      sentence[language].replace(/\{([mf])\}/, (_, gender) => numeral(n, language, gender))])))];
  });
}
