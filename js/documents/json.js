// json.js - JSON: the strings that are values. All else, the keys too, stays byte for byte. Strings are texts of a
// program: see messages.js.
//
// No parser of JSON gives both places and all of the grammar's errors; JSON.parse gives neither places nor, in all
// hosts, lines. The grammar has eight kinds of tokens, so they are read here; tests compare with JSON.parse.

import { addMessage } from './messages.js';
import { Builder, DocumentError, hasWords, Lines } from './unit.js';

const SPACE = /[ \t\n\r]*/y;
const TOKEN = new RegExp(
  '[{}[\\],:]|"(?:[^"\\\\\\x00-\\x1f]|\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4}))*"|' +
  '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?|true|false|null', 'y');

/** @typedef {{ start: number, end: number, path: string[] }} StringValue  path: the keys around it, outermost first */

/**
 * The strings that are values.
 *
 * @param {string} source
 * @returns {StringValue[]}
 */
export function findStrings(source) {
  let at = 0;
  const next = () => {
    SPACE.lastIndex = at;
    at += SPACE.exec(source)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source)?.[0] ?? '';
    const start = at;
    at += token.length;
    return { token, start };
  };
  /** @param {number} start @param {string} expected @returns {never} */
  const refuse = (start, expected) => {
    const found = start >= source.length ? 'the end of the file'
      : `'${source.slice(start, start + 20).split('\n')[0]}'`;
    throw new DocumentError(new Lines(source).at(start), `found ${found}, expected ${expected}`);
  };
  /** @type {StringValue[]} */
  const strings = [];
  /** What is open: of an object its current key. @type {{ isObject: boolean, key: string }[]} */
  const open = [];
  let { token, start } = next();
  for (;;) {
    // a value
    if (token === '{' || token === '[') {
      const isObject = token === '{';
      open.push({ isObject, key: '' });
      ({ token, start } = next());
      if (token !== (isObject ? '}' : ']')) {
        if (isObject) readKey();
        continue;
      }
      open.pop();
    } else if (token[0] === '"') {
      const path = open.filter(({ isObject }) => isObject).map(({ key }) => key);
      strings.push({ start, end: at, path });
    } else if (token === '' || '}],:'.includes(token)) refuse(start, 'a value');
    // what follows it
    for (;;) {
      const top = open.at(-1);
      ({ token, start } = next());
      if (!top) {
        if (start < source.length) refuse(start, 'the end of the file');
        return strings;
      }
      if (token === ',') {
        ({ token, start } = next());
        if (top.isObject) readKey();
        break;
      }
      if (token !== (top.isObject ? '}' : ']')) refuse(start, `a comma or ${top.isObject ? '}' : ']'}`);
      open.pop();
    }
  }

  /** Reads a key and its colon; then the token is the value. */
  function readKey() {
    if (token[0] !== '"') refuse(start, 'a key in quotes');
    /** @type {{ key: string }} */ (open.at(-1)).key = JSON.parse(token);
    ({ token, start } = next());
    if (token !== ':') refuse(start, 'a colon');
    ({ token, start } = next());
  }
}

/**
 * Whether a value is for translation.
 *
 * @param {string[]} path
 * @param {string[][] | undefined} keys  the ends of paths; `*` is any key
 */
function isWanted(path, keys) {
  // of Flutter's .arb: what is about a message
  if (path.some((key) => key.startsWith('@'))) return false;
  return !keys || keys.some((wanted) => wanted.length <= path.length &&
    wanted.every((key, i) => key === '*' || key === path[path.length - wanted.length + i]));
}

/**
 * @param {string} source
 * @param {{ keys?: string[], target: string }} options  keys: those whose values are translated, or ends of paths such
 *   as `menu.*.title`; default: all
 * @returns {import('./unit.js').Document}
 */
export function readJson(source, { keys, target }) {
  const builder = new Builder(source);
  const wanted = keys?.map((key) => key.split('.'));
  const isAscii = /\\u[\da-fA-F]{4}/.test(source) && !/[^\0-\x7f]/.test(source);
  const encode = (/** @type {string} */ text) => {
    const json = JSON.stringify(text);
    return isAscii
      ? json.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : json;
  };
  for (const { start, end, path } of findStrings(source)) {
    if (path.length === 1 && path[0] === '@@locale') {
      builder.replace(start, end, () => encode(target.replace('-', '_')));
      continue;
    }
    if (!isWanted(path, wanted)) continue;
    const text = JSON.parse(source.slice(start, end));
    if (!hasWords(text)) continue;
    const write = addMessage(builder, text, start);
    builder.replace(start, end, (translations, tell) => {
      const translation = write(translations, tell);
      return translation === text ? source.slice(start, end) : encode(translation);
    });
  }
  return builder.finish();
}
