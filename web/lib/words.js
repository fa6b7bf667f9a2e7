// words.js - numbers, sizes, languages and translations for people; used by the shell, Translate, See and About.

/** From here on, numbers are written with a power of ten. */
export const LARGE = 1e7;

/** The decimal sign of the page's language. @type {string | undefined} */
let sign;

/**
 * A number as text, with the signs of the page's language: wherever people only read it, pictures that are saved
 * included. Fields keep the point, since a browser writes `<input type="number">` by its own language, and tables that
 * are saved keep it for the programs that read them.
 *
 * @param {string} text  as toFixed() and the like write it
 */
export function local(text) {
  // the page's language is known when its first number is written; tests without a page read English
  sign ??= (0.5).toLocaleString(globalThis.document?.documentElement.lang ?? 'en')[1];
  return text.replace('-', '\u2212').replace('.', sign);
}

/** @param {number} x @param {number} digits */
export const fixed = (x, digits) => local(x.toFixed(digits));

/** A share. Small ones have a decimal, but 0 has none. @param {number} x */
export const percent = (x) => `${fixed(100 * x, x !== 0 && x < 0.0995 ? 1 : 0)}\u00a0%`;

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
export const megabytes = (bytes) => `${fixed(bytes / 1e6, bytes < 1e7 ? 1 : 0)} MB`;

/** @param {number} ms */
export const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${fixed(ms / 1000, ms < 1e4 ? 2 : 1)} s`);

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
