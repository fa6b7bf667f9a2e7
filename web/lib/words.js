// words.js - numbers, sizes and languages as a person reads them; used by the shell, Translate and About.

/** @type {Intl.DisplayNames | undefined} */
let names;
try {
  names = new Intl.DisplayNames(['en'], { type: 'language' });
} catch {
  names = undefined;
}

/** 'German' of 'de'; a tag that is none stays as it is. @param {string} tag */
export function languageName(tag) {
  try {
    return names?.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 1e4 ? 2 : 1)} s`);
