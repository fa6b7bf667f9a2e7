// probabilities.js - how probable the languages of a text are; loaded by detector.js with the library.
//
// eld says how well the letters fit a language, on average over groups of letters. The more letters, the more a
// difference means: p ~ exp(SLOPE n^POWER score), n letters. Both numbers were fitted to half of 6,700 short texts; on
// the other half, the expected calibration error of the best probability was 1.2 %. `node tests/score/languages.js`
// measures it on such texts.

import { eld } from './eld.js';

const SLOPE = 0.02;
const POWER = 0.75;
/** eld reads so many bytes of a text. */
const ENOUGH_LETTERS = 350;
/** How much more probable an expected language is before the text is read. */
const EXPECTED = 10;

/** Its settings are not those of a page that uses the library too. */
const detector = eld.newInstance();
detector.enableTextCleanup(true);

/**
 * @param {string} text
 * @param {readonly string[]} expected  languages
 * @returns {[language: string, probability: number][]}  the most probable first; none for a text without letters
 */
export function probabilities(text, expected) {
  const letters = Math.min(text.match(/\p{L}/gu)?.length ?? 0, ENOUGH_LETTERS);
  // the library's own scale, x / (x + 25), undone
  const scores = Object.entries(detector.detect(text).getScores())
    .map(([language, x]) => /** @type {const} */ ([language, (25 * x) / (1 - x)]));
  const most = Math.max(...scores.map(([, score]) => score));
  const weights = scores.map(([own, score]) => {
    const [language] = Intl.getCanonicalLocales(own);
    const prior = expected.includes(language) ? EXPECTED : 1;
    return /** @type {[string, number]} */ ([language, prior * Math.exp(SLOPE * letters ** POWER * (score - most))]);
  });
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return weights.map(([language, weight]) => /** @type {[string, number]} */ ([language, weight / sum]))
    .sort((a, b) => b[1] - a[1]);
}
