// scripts.js - words in letters, and numbers in digits, that a language does not have. Used by keep.js and stand-in.js.

/** Some scripts by the name that they have together. @type {Record<string, string[]>} */
const SCRIPTS = {
  Jpan: ['Han', 'Hiragana', 'Katakana'], Kore: ['Hangul', 'Han'], Hans: ['Han', 'Bopomofo'], Hant: ['Han', 'Bopomofo'],
};
/** Scripts without spaces between words: letters of others beside theirs are words of their own. */
const UNPARTED = /^(?:Jpan|Han[st]|Thai|Laoo|Khmr|Mymr)$/;
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
    const others = UNPARTED.test(script) ? `(?![${scripts}])` : '';
    const unit = `${others}[\\p{L}\\p{N}][\\p{M}\\u200c\\u200d\\u{e0020}-\\u{e007f}]*`;
    const begin = `(?<!${others}[\\p{L}\\p{N}\\p{M}_])`;
    return new RegExp(`${begin}(?=(?:${unit}){0,40}?(?:${letter}|${digit}))(?:${unit})+`, 'gu');
  } catch {
    return undefined;
  }
}
