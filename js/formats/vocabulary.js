// vocabulary.js - makes vocab.json from Marian's vocab.yml, lines of `"piece": id`; used by convert.js and
// directory.js.

import { E_VOCAB } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';

/** `"piece": id`, with double, single or no quotes. */
const LINE = /^(?:("(?:[^"\\]|\\.)*")|'((?:[^']|'')*)'|(.*?)):\s+(\d+)\s*$/;

/** A double-quoted text of YAML: as in JSON, and also \x41. @param {string} text */
const unquote = (text) => JSON.parse(text.replace(/(\\\\)|\\x([\da-f]{2})/gi, (_, pair, hex) => pair ?? `\\u00${hex}`));

/**
 * @param {import('../formats/cursor.js').Files} files
 * @param {string[]} names  of the files there
 * @param {Record<string, any>} config
 * @returns {Promise<Record<string, number> | undefined>}  with padding last; undefined without vocab.yml
 */
export async function readVocabularyYaml(files, names, config) {
  const found = names.filter((name) => /(^|\.)vocab\.ya?ml$/.test(name));
  const [file] = found;
  if (file === undefined) return undefined;
  if (found.length > 1) {
    throw new HeedError(E_VOCAB, `${found.sort().join(', ')}: expected one vocabulary, or vocab.json`);
  }
  const bytes = await files.read(file);
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HeedError(E_VOCAB, `${file}: not UTF-8`, { cause });
  }
  /** @type {Map<string, number>} */
  const ids = new Map();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line === '' || line === '---') continue;
    const [, double, single, plain, id] = LINE.exec(line) ?? [];
    let piece;
    try {
      piece = double === undefined ? (single?.replaceAll("''", "'") ?? plain) : unquote(double);
    } catch {
      piece = undefined;
    }
    if (piece === undefined || id === undefined) {
      throw new HeedError(E_VOCAB, mismatch(`${file}: line ${i + 1}`, line, '"piece": id'));
    }
    if (ids.has(piece)) throw new HeedError(E_VOCAB, `${file}: line ${i + 1}: the piece '${piece}' occurs twice`);
    ids.set(piece, Number(id));
  }
  if (!ids.has('<pad>')) ids.set('<pad>', config.pad_token_id);
  return Object.fromEntries(ids);
}
