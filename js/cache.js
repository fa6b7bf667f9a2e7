// cache.js - the models that a page has stored: what they take and which version they are; updates and deletes them.
// Public as 'heed/cache'; in Node that is convert/stored.js, which also has those of `heed fetch`.

/** @typedef {import('./files/kept.js').Kept} Kept */
/** @typedef {import('./files/kept.js').Options} Options */

export { listKept as list, removeKept as remove, updateKept as update } from './files/kept.js';
