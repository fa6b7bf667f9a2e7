// words.js - numbers, sizes, languages and translations for people; used by the shell, Translate, See and About.

/** @type {Intl.DisplayNames | undefined} */
let names;

/** 'German' for 'de', in the language of the page; returns an invalid tag unchanged. @param {string} tag */
export function languageName(tag) {
  try {
    // created on first use, because it takes too long for the start of the page
    names ??= new Intl.DisplayNames([document.documentElement.lang], { type: 'language' });
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** @param {number} bytes */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 1e4 ? 2 : 1)} s`);

/**
 * The translation of a text from those of its parts, with the white space between them.
 *
 * @param {string} text
 * @param {readonly { start: number, source: string, target: string }[]} parts
 */
export function targetOf(text, parts) {
  let at = 0;
  let target = '';
  for (const { start, source, target: part } of parts) {
    target += text.slice(at, start) + part;
    at = start + source.length;
  }
  return target + text.slice(at);
}
