// scripts.js - words in letters that a language does not have. Used by keep.js.

/** Some scripts by the name that they have together. @type {Record<string, string[]>} */
const SCRIPTS = {
  Jpan: ['Han', 'Hiragana', 'Katakana'], Kore: ['Hangul', 'Han'], Hans: ['Han', 'Bopomofo'], Hant: ['Han', 'Bopomofo'],
};
/** Languages that are written in Latin letters too, whatever their first script is. */
const ALSO_LATIN = /^(?:az|bs|kk|ku|mn|sh|sr|tg|tk|tt|uz)$/;

/**
 * Words of letters that the language does not have, with what stands between them: one pattern for a language.
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
    const unit = '[\\p{L}\\p{N}][\\p{M}\\u200c\\u200d\\u{e0020}-\\u{e007f}]*';
    return new RegExp(`(?<![\\p{L}\\p{N}\\p{M}_])(?=(?:${unit}){0,40}?${letter})(?:${unit})+`, 'gu');
  } catch {
    return undefined;
  }
}
