// words.js - numbers, sizes and languages as a person reads them; used by the shell, Translate and About.

/** @type {Intl.DisplayNames | undefined} */
let names;

/** 'German' of 'de'; a tag that is none stays as it is. @param {string} tag */
export function languageName(tag) {
  try {
    // when first asked for: it takes a while, which the start of the page does not have
    names ??= new Intl.DisplayNames(['en'], { type: 'language' });
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 1e4 ? 2 : 1)} s`);
