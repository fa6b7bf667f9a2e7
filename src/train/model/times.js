// times.js - times of day that sentences and their translations share, replaced by others in all of them.
//
//     Dinner is at 7:30 pm.  Das Essen ist um 19:30 Uhr.   ->   Dinner is at 11:05 am.  Das Essen ist um 11:05 Uhr.
//
// A language without am and pm has other hours after noon. So a model has to learn 1,440 times, of which a corpus has
// few. Used by prepare.js.

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
