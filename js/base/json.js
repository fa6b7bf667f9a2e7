// json.js - strict JSON files: UTF-8, an object at the top, no key twice. Its errors say what was found instead. Used
// by most rooms.

import { E_JSON } from './constants.js';
import { HeedError } from './errors.js';

/**
 * The first key that occurs twice in an object of the text, or undefined. JSON.parse would silently keep the last
 * value.
 *
 * @param {string} text  valid JSON
 * @returns {string | undefined}
 */
function repeatedKey(text) {
  /** @type {(Set<string> | null)[]} the keys of each enclosing object, null for an array */
  const around = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '{') around.push(new Set());
    else if (c === '[') around.push(null);
    else if (c === '}' || c === ']') around.pop();
    else if (c === '"') {
      const start = i;
      for (i++; text[i] !== '"'; i++) if (text[i] === '\\') i++;
      const keys = around.at(-1);
      if (!keys) continue;
      let next = i + 1;
      while (' \t\r\n'.includes(text[next])) next++;
      if (text[next] !== ':') continue;
      const key = JSON.parse(text.slice(start, i + 1));
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}

/**
 * @param {Uint8Array} bytes
 * @param {string} file  for messages
 * @param {number} [code]  of the HeedError; default HEED_E_JSON
 * @returns {Record<string, unknown>}
 */
export function parseJson(bytes, file, code = E_JSON) {
  let value;
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    const why =
      text === undefined
        ? 'not UTF-8'
        : /^\s*</.test(text)
          ? 'found an HTML page, expected JSON: is the address right?'
          : `not JSON: ${error}`;
    throw new HeedError(code, `${file}: ${why}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HeedError(code, mismatch(file, value, 'a JSON object'));
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw new HeedError(code, `${file}: the key ${describe(repeated)} occurs twice`);
  return value;
}

/** Quotes a text in a message. @param {string} text */
export const short = (text) => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

/** Describes a value in a message. @param {unknown} value @returns {string} */
export function describe(value) {
  try {
    return short(typeof value === 'string' ? `'${value}'` : Array.isArray(value) ? `[${value}]` : String(value));
  } catch {
    return 'what has no text'; // arrays nested too deep, or an object whose keys hide its methods
  }
}

/** The message about wrong input. @param {string} what @param {unknown} value @param {string} expected */
export const mismatch = (what, value, expected) => `${what}: found ${describe(value)}, expected ${expected}`;
