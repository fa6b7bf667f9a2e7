// directory.js - a directory of Marian's or Firefox's as heed reads one: config.json of the settings in the weights,
// vocab.json of the pieces, made only if it is asked for, because loading does without. Loaded by load.js and
// convert.js if a model has no config.json.

import { E_FILE, E_VOCAB } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { parseJson } from '../base/json.js';
import { findLayout, plainName } from '../files/layout.js';
import { unpack } from '../files/unpack.js';
import { openCursor, readWhole } from './cursor.js';
import { openMarian } from './marian.js';
import { readPieces, vocabularyFiles } from './pieces.js';

/** @typedef {import('./cursor.js').Files} Files */

const CONFIG = 'config.json';

/**
 * @param {Files} files
 * @param {string[]} names  of the files there
 * @param {Record<string, unknown>} manifest  heed.json; gets the languages, if it has none and the names tell
 * @param {() => Promise<import('../wasm/core.js').Core> | import('../wasm/core.js').Core} getCore
 * @param {(manifest: Record<string, unknown>) => void} [accept]  see Model.load
 * @param {import('./cursor.js').OnRead} [onRead]
 * @returns {Promise<Files & { sides?: import('./pieces.js').Side[], lists?: ReturnType<typeof vocabularyFiles>,
 *   missing?: string }>}  the same as far as they have no other form. sides: the tokenizers, if no vocab.json is
 *   needed; lists: what makes it then, and target_vocab.json; missing: vocabularies. HEED_E_FILE: no model
 */
export async function adaptDirectory(files, names, manifest, getCore, accept, onRead) {
  const layout = findLayout(names);
  if (!layout) {
    // no files can be listed at a URL
    const why = files.url ? '; a heed.json that lists them is needed for files of Firefox or Marian' : '';
    throw await files.read(CONFIG).then(
      (bytes) => {
        parseJson(bytes, CONFIG); // a page in the place of every file is not listed, but read
        return new HeedError(E_FILE, `${CONFIG}: appeared while the model was loaded`);
      },
      // another name than HeedError tells a broken connection
      (error) => (why && error.code === E_FILE && error.name === 'HeedError'
        ? new HeedError(E_FILE, error.message + why, { cause: error }) : error),
    );
  }
  const { weights, vocabularies, missing, hasPieceIds, shortlist, languages } = layout;
  if (!manifest.pairs && !manifest.source && !manifest.target) Object.assign(manifest, languages);
  accept?.(manifest);

  /** What is read from here on: the weights where they are, unless they must be fetched or unpacked. */
  let place = files;
  if (files.url || plainName(weights) !== weights) {
    const blob = await readWhole(files, weights, onRead);
    place = { ...files, url: undefined, path: undefined, source: blob ? { [plainName(weights)]: blob } : {} };
  }
  const cursor = await openCursor(place, plainName(weights), onRead);
  if (!cursor) throw new HeedError(E_FILE, `${weights} is missing`);
  /** @type {Record<string, any>} */
  let config;
  try {
    ({ config } = await openMarian(cursor, undefined));
  } finally {
    await cursor.close();
  }

  /** The files that are made. @type {Map<string, Uint8Array>} */
  const made = new Map();
  const put = (/** @type {string} */ name, /** @type {unknown} */ json) =>
    made.set(name, new TextEncoder().encode(JSON.stringify(json)));
  /** @type {import('./pieces.js').Side[] | undefined} */
  let sides;
  /** @type {ReturnType<typeof vocabularyFiles>} */
  let lists = {};
  if (vocabularies) {
    /** @type {Uint8Array[]} */
    const bytes = [];
    for (const name of new Set(vocabularies)) {
      bytes.push(await files.io.readAll(await unpack(files.io, await files.open(name), name)));
    }
    made.set('source.spm', bytes[0]).set('target.spm', bytes.at(-1) ?? bytes[0]);
    if (hasPieceIds) {
      const core = await getCore();
      const { vocab_size: sourceSize, decoder_vocab_size: targetSize } = config;
      const isOne = vocabularies[0] === vocabularies[1];
      if (!isOne && config.share_encoder_decoder_embeddings) {
        const expected = `one, as ${weights} has`;
        throw new HeedError(E_VOCAB, `${vocabularies.join(', ')}: found two vocabularies, expected ${expected}`);
      }
      const source = readPieces(core, vocabularies[0], bytes[0], sourceSize);
      const target = isOne && sourceSize === targetSize
        ? source
        : readPieces(core, vocabularies[1], bytes.at(-1) ?? bytes[0], targetSize);
      sides = [source, target];
      lists = vocabularyFiles(sides, config);
      // SentencePiece may have been trained with other numbers than Marian's usual ones
      Object.assign(config, { eos_token_id: target.eos, unk_token_id: target.unknown });
      config.bad_words_ids = [[config.pad_token_id], [config.unk_token_id]];
    } else {
      const { readVocabularyYaml } = await import('./vocabulary.js');
      const vocabulary = await readVocabularyYaml(files, names, config);
      if (vocabulary) put('vocab.json', vocabulary);
    }
  }
  const list = shortlist && plainName(shortlist);
  put(CONFIG, { ...config, shortlist: list });
  const make = (/** @type {string} */ name) => made.get(name) ?? lists[name]?.get();
  return {
    ...place,
    sides,
    lists,
    missing: missing.join(' and '),
    readOptional: async (name) =>
      list && name === list
        ? files.io.readAll(await unpack(files.io, await files.open(shortlist), shortlist))
        : make(name) ?? files.readOptional(name),
    read: async (name) => make(name) ?? files.read(name),
    // the weights were compared with heed.json already
    listedSize: () => undefined,
  };
}
