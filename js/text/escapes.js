// escapes.js - text as HTML. Needs no parser of HTML, which references.js loads.

/** @type {Record<string, string>} */
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\u00a0': '&nbsp;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML. @param {string} text */
export const encodeText = (text) => text.replace(/[&<>\u00a0]/g, (c) => ESCAPES[c]);

/** Text as the value of an attribute. @param {string} text @param {string} quote */
export const encodeValue = (text, quote) =>
  text.replace(/[&<>\u00a0"']/g, (c) => (/["']/.test(c) && c !== quote ? c : ESCAPES[c]));
