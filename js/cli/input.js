// input.js - reads the input of commands: lines of standard input, and glossaries. Reports where bytes are not UTF-8.

import { fstatSync, readFileSync } from 'node:fs';
import { UsageError } from './commands.js';

/** @param {Uint8Array} bytes  that a fatal TextDecoder refused @returns {number} how many come before the wrong ones */
function findWrong(bytes) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let i = 0; i < bytes.length; i++) {
    try {
      decoder.decode(bytes.subarray(i, i + 1), { stream: true });
    } catch {
      return i;
    }
  }
  return bytes.length; // the last character is incomplete
}

/**
 * The text of a file.
 *
 * @param {Uint8Array} bytes
 * @param {string} path  for messages
 */
export function decodeFile(bytes, path) {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  if (mark === 'fffe' || mark === 'feff') {
    throw new Error(`${path}: found UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8 FILE)`);
  }
  return decodeLines(bytes, 1, (problem) => {
    throw new Error(`${path}: ${problem}`);
  });
}

/**
 * The text of lines. Invalid UTF-8 becomes U+FFFD, and is reported.
 *
 * @param {Uint8Array} bytes
 * @param {number} line  the number of the first, from 1
 * @param {(problem: string) => void} onWrong
 */
function decodeLines(bytes, line, onWrong) {
  const options = { ignoreBOM: true };
  try {
    return new TextDecoder('utf-8', { ...options, fatal: true }).decode(bytes);
  } catch {
    let text = '';
    for (let at = 0; at < bytes.length; line++) {
      const end = bytes.indexOf(10, at) + 1 || bytes.length;
      const own = bytes.subarray(at, end);
      const decoded = new TextDecoder('utf-8', options).decode(own);
      // the text itself may have U+FFFD
      if (decoded.includes('\ufffd') && Buffer.compare(Buffer.from(decoded), own) !== 0) {
        const wrong = findWrong(own);
        const found = wrong < own.length && own[wrong] !== 10
          ? `byte ${wrong + 1} is 0x${own[wrong].toString(16).padStart(2, '0')}`
          : `a character is incomplete after byte ${wrong}`;
        onWrong(`line ${line}: invalid UTF-8: ${found}`);
      }
      text += decoded;
      at = end;
    }
    return text;
  }
}

/**
 * Lines in groups: all that have arrived, at most `most`. So a line that is typed gets its answer at once, and a pipe
 * is translated in batches. Reads ahead at most one chunk of input.
 *
 * @param {AsyncIterable<Uint8Array>} input
 * @param {number} most
 * @param {(problem: string) => void} onWrong
 */
export async function* lineGroups(input, most, onWrong) {
  /** @type {Uint8Array[]} the chunks of an incomplete line */
  let rest = [];
  let line = 1;
  for await (const chunk of input) {
    const end = chunk.lastIndexOf(10) + 1;
    if (end > 0) {
      const bytes = Buffer.concat([...rest, chunk.subarray(0, end)]);
      const lines = decodeLines(bytes, line, onWrong).split('\n').slice(0, -1);
      for (let i = 0; i < lines.length; i += most) yield lines.slice(i, i + most);
      line += lines.length;
      rest = [];
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
  }
  if (rest.length > 0) yield [decodeLines(Buffer.concat(rest), line, onWrong)];
}

/** The size of standard input if it is a file, else undefined. */
export function inputSize() {
  const about = fstatSync(0);
  if (about.isDirectory()) throw new Error('standard input: found a directory, expected text');
  return about.isFile() ? about.size : undefined;
}

/**
 * A glossary: lines of term, tab, translation; blank lines and comments are ignored.
 *
 * @param {string} path
 * @returns {Map<string, string>}
 */
export function readGlossary(path) {
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const why = code === 'ENOENT' ? 'is missing' : code === 'EISDIR' ? 'found a directory, expected a file' : message;
    throw new UsageError(`--glossary: ${path}: ${why}`);
  }
  const text = decodeFile(bytes, path);
  /** @type {Map<string, string>} */
  const terms = new Map();
  for (const [i, line] of text.replace(/^\ufeff/, '').split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [term, translation, ...more] = line.replace(/^(\s*)\\#/, '$1#').split('\t').map((part) => part.trim());
    const where = `${path}: line ${i + 1}`;
    if (!term || !translation || more.length > 0) {
      throw new Error(`${where}: expected a term, a tab and its translation`);
    }
    if ((terms.get(term) ?? translation) !== translation) {
      throw new Error(`${where}: '${term}' has a different translation on an earlier line`);
    }
    terms.set(term, translation);
  }
  return terms;
}
