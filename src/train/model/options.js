// options.js - options and errors of the programs that train models and make their data.

import { basename } from 'node:path';

/** @param {string} message @returns {never} */
export function fail(message) {
  console.error(`${basename(process.argv[1], '.js')}: ${message}`);
  process.exit(1);
}

/** @param {string} name  of an option @param {string} text */
export function wholeNumber(name, text) {
  if (!/^\d+$/.test(text)) fail(`--${name}: found ${text}, expected a whole number`);
  return Number(text);
}
