// dom.js - the translation of a page that is open. Public as 'heed/dom'.

export { translatePage } from './dom/page.js';

/** @typedef {import('./dom/page.js').PageTranslation} PageTranslation */
/** @typedef {import('./dom/page.js').PageOptions} PageOptions */
/** @typedef {import('./dom/page.js').PageTranslator} PageTranslator */
