// scripts.js - words in letters, and numbers in digits, that a language does not have, and what a model may read for
// them. Used by keep.js, passing.js and what puts words into a translation.

/** Some scripts by the name that they have together. @type {Record<string, string[]>} */
const SCRIPTS = {
  Jpan: ['Han', 'Hiragana', 'Katakana'], Kore: ['Hangul', 'Han'], Hans: ['Han', 'Bopomofo'], Hant: ['Han', 'Bopomofo'],
};
/** Languages that are written in Latin letters too, whatever their first script is. */
const ALSO_LATIN = /^(?:az|bs|kk|ku|mn|sh|sr|tg|tk|tt|uz)$/;

/**
 * Words and numbers with a letter or a digit that the language does not have: one pattern for a language. Digits of
 * ASCII and their fullwidth forms belong to every language.
 *
 * @param {string} language
 * @returns {RegExp | undefined}  undefined: of an unknown script nothing is foreign
 */
export function foreignWords(language) {
  try {
    const locale = new Intl.Locale(language);
    const { script = '', language: own } = locale.maximize();
    const also = locale.script === undefined && ALSO_LATIN.test(own) ? ['Latin'] : [];
    const scripts = [...(SCRIPTS[script] ?? [script]), ...also].map((name) => `\\p{scx=${name}}`).join('');
    const letter = `(?![${scripts}\\p{sc=Zyyy}\\p{sc=Zinh}])\\p{L}`;
    const digit = `(?![${scripts}0-9\\uff10-\\uff19])\\p{Nd}`;
    const unit = '[\\p{L}\\p{N}][\\p{M}\\u200c\\u200d\\u{e0020}-\\u{e007f}]*';
    return new RegExp(`(?<![\\p{L}\\p{N}\\p{M}_])(?=(?:${unit}){0,40}?(?:${letter}|${digit}))(?:${unit})+`, 'gu');
  } catch {
    return undefined;
  }
}

/** A piece that is one byte. */
export const BYTE = /^<0x[\dA-F]{2}>$/;
/** Stands for a word that a model has bytes for, but no pieces. It says nothing, and models copy it like a name. */
export const STAND_IN = 'X';
