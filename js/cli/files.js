// files.js - heed translate FILE: files of known formats in, the same with their texts translated out.

import {
  appendFileSync, chmodSync, lstatSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe } from '../base/json.js';
import { MAX_WORKERS } from '../base/limits.js';
import { FORMATS, formatOf, readDocument, translateUnits } from '../documents/documents.js';
import { Memory } from '../documents/memory.js';
import { DocumentError } from '../documents/unit.js';
import { UsageError } from './commands.js';
import { decodeFile, readGlossary } from './input.js';
import { write } from './output.js';
import { Download } from './progress.js';
import { checkBeams, count, findPair, openTranslator, searchOptions } from './translate.js';

/** @typedef {import('./commands.js').Values} Values */
/** @typedef {import('./commands.js').Operand} Operand */
/** @typedef {{ path: string, format: string, text: string, document: import('../documents/unit.js').Document }} File */

/** Options that files alone have, and those that they do not have. */
const OF_FILES = ['format', 'output', 'in-place', 'memory', 'check', 'keys'];
const OF_TEXTS = ['json', 'n-best'];

/** What messages call standard input. */
const INPUT = 'standard input';

/** Whether a command line names files rather than texts. @param {Values} values @param {Operand[]} operands */
export const asksForFiles = (values, operands) => OF_FILES.some((option) => values[option] !== undefined) ||
  (values.html !== undefined && operands.every(({ isInput }) => isInput)) ||
  operands.some(({ text, isText }) => !isText && formatOf(text) !== undefined);

/** The bytes of a file. @param {string} path @param {boolean} isInput */
function readBytes(path, isInput) {
  try {
    return readFileSync(isInput ? 0 : path);
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const why = code === 'ENOENT' ? 'is missing (a text that looks like a file comes after --)'
      : code === 'EISDIR' ? 'found a directory, expected a file' : message;
    throw new Error(`${isInput ? INPUT : path}: ${why}`);
  }
}

/**
 * What `f` returns; its errors name the file.
 *
 * @template T
 * @param {string} path
 * @param {() => T | Promise<T>} f
 */
async function named(path, f) {
  try {
    return await f();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new Error(`${path}: line ${error.line}: ${error.message}`, { cause: error });
  }
}

/**
 * Writes a file as a whole or not at all. A link stays one; a device or a pipe gets the text.
 *
 * @param {string} path
 * @param {string} text
 */
function writeWhole(path, text) {
  let other = '';
  try {
    const about = statSync(path, { throwIfNoEntry: false });
    // a link may lead to what is not there yet
    if (about ? !about.isFile() : lstatSync(path, { throwIfNoEntry: false })) {
      writeFileSync(path, text);
      return;
    }
    const place = about ? realpathSync(path) : path;
    other = join(dirname(place), `.${basename(place)}.heed-${process.pid}`);
    writeFileSync(other, text, { mode: about?.mode, flag: 'wx' });
    if (about) chmodSync(other, about.mode); // the umask may have taken some of it
    renameSync(other, place);
  } catch (error) {
    if (other) rmSync(other, { force: true });
    throw new Error(`${path}: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}

/** @param {string} path */
const isDirectory = (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Refuses options that do not fit. @param {Values} values @param {Operand[]} operands @returns {Operand[]} */
function checkUse(values, operands) {
  const { format, output, keys, html } = values;
  const useless = OF_TEXTS.find((option) => values[option] !== undefined);
  if (useless) throw new UsageError(`--${useless}: has no effect on files`);
  if (format !== undefined && !Object.hasOwn(FORMATS, format)) {
    throw new UsageError(`--format: found '${format}', expected ${Object.keys(FORMATS).join(', ')}`);
  }
  const files = operands.length > 0 ? operands : [{ text: '-', isInput: true, isText: false }];
  if (files.filter(({ isInput }) => isInput).length > 1) {
    throw new UsageError('-: given twice, but standard input can be read only once');
  }
  if (html !== undefined && format !== undefined) throw new UsageError('--html: has no effect with --format');
  for (const { text, isInput, isText } of files) {
    const known = format ?? (isInput ? html && 'html' : isText ? undefined : formatOf(text));
    if (known === undefined) {
      const endings = Object.values(FORMATS).flatMap((each) => each.endings).map((ending) => `.${ending}`);
      throw new UsageError(`${isInput ? INPUT : text}: expected a file whose name ends with one of `
        + `${endings.join(' ')}, or --format`);
    }
    if (html !== undefined && !isInput) {
      throw new UsageError(`--html: has no effect on files, as their names or --format tell what they are: ${text}`);
    }
    if (keys !== undefined && known !== 'json') throw new UsageError(`--keys: has no effect on ${known}`);
    if (isInput && values['in-place'] !== undefined) {
      throw new UsageError('--in-place: has no effect on standard input');
    }
    if (values.check !== undefined && values.memory === undefined && !FORMATS[known].isBilingual) {
      throw new UsageError(`--check: expected --memory for ${known}, which has no room for translations`);
    }
  }
  if (output !== undefined && values['in-place'] !== undefined) {
    throw new UsageError('--output: has no effect with --in-place');
  }
  const isOne = files.length === 1 || values['in-place'] !== undefined;
  if (output === undefined ? !isOne && values.check === undefined : !isOne && !isDirectory(output)) {
    throw new UsageError(`several files: expected ${output === undefined ? '--in-place, or --output and a directory'
      : `a directory, found --output ${output}`}`);
  }
  /** Who writes where. @type {Map<string, string>} */
  const places = new Map();
  for (const { text, isInput } of files) {
    const place = targetOf(values, text);
    if (place === undefined) continue;
    if (isInput && isDirectory(String(output))) {
      throw new UsageError(`-: expected --output and a file, found the directory ${output}`);
    }
    const other = places.get(resolve(place));
    if (other !== undefined) throw new UsageError(`${other}, ${text}: both would be written to ${place}`);
    places.set(resolve(place), text);
  }
  return files;
}

/** Where a file is written; undefined: to standard output. @param {Values} values @param {string} path */
function targetOf({ output, 'in-place': inPlace }, path) {
  if (inPlace !== undefined) return path;
  if (output === '/dev/stdout') return undefined; // it may be a file that is appended to
  return output !== undefined && isDirectory(output) ? join(output, basename(path)) : output;
}

/**
 * Tells what of a file is not translated, or out of date.
 *
 * @param {File} file
 * @param {Memory | undefined} memory
 * @param {string | undefined} place  where its translation is
 */
function checkFile({ path, format, text: own, document: { units, write: writeUnits } }, memory, place) {
  const target = place ?? (FORMATS[format].isBilingual && path !== INPUT ? path : undefined);
  const known = units.map((unit) => memory?.get(unit));
  for (const [i, { line, text }] of units.entries()) {
    if (known[i] === undefined) process.stderr.write(`${path}:${line}: not translated: ${describe(text)}\n`);
  }
  let isDone = !known.includes(undefined);
  if (isDone && target !== undefined) {
    let isFit = true;
    const expected = writeUnits(/** @type {string[]} */ (known), (line, problem) => {
      process.stderr.write(`${path}:${line}: ${problem}\n`);
      isFit = false;
    });
    const isThere = statSync(target, { throwIfNoEntry: false }) !== undefined;
    const found = target === path ? own : isThere ? readFileSync(target, 'utf8') : undefined;
    isDone = found === expected && isFit;
    const state = found === undefined ? 'is missing' : 'is out of date';
    if (found !== expected) process.stderr.write(`${target}: ${state}\n`);
  }
  if (!isDone) process.exitCode = 1;
}

/**
 * @param {Values} values
 * @param {Operand[]} given
 */
export async function translateFiles(values, given) {
  const operands = checkUse(values, given);
  const search = searchOptions(values);
  const glossary = values.glossary === undefined ? undefined : readGlossary(values.glossary);
  const jobs = count('jobs', values.jobs, MAX_WORKERS);
  const { source, target } = await findPair(values);
  const keys = values.keys?.split(',').map((key) => key.trim());
  if (keys?.includes('')) throw new UsageError(`--keys: found '${values.keys}', expected names with commas in between`);
  // all are read before one is written
  /** @type {File[]} */
  const files = [];
  for (const { text: path, isInput } of operands) {
    const name = isInput ? INPUT : path;
    const text = decodeFile(readBytes(path, isInput), name);
    const format = values.format ?? (isInput ? 'html' : /** @type {string} */ (formatOf(path)));
    const document = await named(name, () => readDocument(format, text, { source, target, keys }));
    files.push({ path: name, format, text, document });
  }
  const { memory: memoryPath } = values;
  const memory = memoryPath === undefined ? undefined : await named(memoryPath, () => {
    const isThere = statSync(memoryPath, { throwIfNoEntry: false }) !== undefined;
    const text = isThere ? decodeFile(readBytes(memoryPath, false), memoryPath) : '';
    return new Memory(text, source, target);
  });
  // what was translated is not lost if the command ends early
  const saveMemory = () => {
    const lines = memory?.takeNew();
    if (!lines) return;
    try {
      appendFileSync(String(memoryPath), lines);
    } catch (error) {
      throw new Error(`${memoryPath}: ${/** @type {Error} */ (error).message}`, { cause: error });
    }
  };
  if (values.check !== undefined) {
    for (const file of files) checkFile(file, memory, targetOf(values, file.path));
    return;
  }
  const isNeeded = files.some(({ document }) => document.units.some((unit) => memory?.get(unit) === undefined));
  const translator = isNeeded ? await openTranslator(values, jobs) : undefined;
  try {
    if (translator) await checkBeams(translator, values, search);
    for (const { path, document: { units, write: writeUnits } } of files) {
      const bar = new Download(path);
      const translations = await translateUnits(units, /** @type {any} */ (translator), {
        memory,
        onProgress: (done, total) => {
          bar.show(done / total);
          saveMemory();
        },
        search: { ...search, glossary },
      }).finally(() => bar.end());
      const tell = (/** @type {number} */ line, /** @type {string} */ problem) => {
        process.stderr.write(`${path}:${line}: ${problem}\n`);
        process.exitCode = 1;
      };
      for (const { line, problem } of units) if (problem !== undefined) tell(line, problem);
      const output = writeUnits(translations, tell);
      const place = targetOf(values, path);
      if (place === undefined) await write(output);
      else writeWhole(place, output);
    }
  } finally {
    translator?.destroy();
  }
}
