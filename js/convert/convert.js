// convert.js - `heed convert`: converts a model of any format to a standard directory: model.safetensors in int8, F16
// or F32, with the hashes of all files in heed.json; used by cli.js.
//
// Weights are converted in blocks of rows. For int8, every row of a matrix [rows, cols] becomes int8 with one F32
// scale, value = int8 * scale, exactly as the core does with dtype int8; biases, norms and positions become F32. The
// result is loaded once before the directory gets its name, so an existing directory is always usable.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkOptions } from '../base/check.js';
import {
  DTYPES, E_FILE, E_SAFETENSORS, E_TENSOR_MISSING, E_TENSOR_VALUE, F16, F32, I8, WIDTHS,
} from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { parseJson } from '../base/json.js';
import { listFiles } from '../files/list.js';
import { listedFiles, openSource } from '../files/source.js';
import { adaptDirectory } from '../formats/open.js';
import { readVocabularyYaml } from '../formats/vocabulary.js';
import { readConfig } from '../model/config.js';
import { settle, tensorNames, toMarian } from '../model/family.js';
import { LEXICONS, NGRAMS, openWeights } from '../model/load.js';
import { Transformer } from '../model/transformer.js';
import { instantiate } from '../wasm/module.js';
import { findNonFinite, fromFloats, quantizeRow, toFloats } from './numbers.js';

/** @typedef {import('../formats/safetensors.js').TensorEntry} TensorEntry */
/** @typedef {import('../formats/safetensors.js').Weights} Weights */
/** @typedef {'int8' | 'f16' | 'f32'} Dtype */

const WEIGHTS = 'model.safetensors';
/** The files of a model directory beside weights, config.json and manifest. */
const COMPANIONS = ['generation_config.json', 'tokenizer_config.json', 'special_tokens_map.json', 'vocab.json',
  'target_vocab.json', 'source.spm', 'target.spm', 'sentencepiece.bpe.model', 'spiece.model', 'tokenizer.json',
  'added_tokens.json', 'README.md', 'LICENSE'];
const TYPES = { int8: I8, f16: F16, f32: F32 };
/** The names of dtypes in heed.json and config.json. */
const NAMES = { int8: 'int8', f16: 'float16', f32: 'float32' };
/** Size of a block of rows. */
const BLOCK = 1 << 20;

/**
 * Matrices are quantised; positions and their bias are not, because they are added and not multiplied.
 *
 * @param {TensorEntry} tensor
 */
const isMatrix = ({ name, shape }) =>
  shape.length === 2 && shape[0] > 1 && !/\.(embed_positions|relative_attention_bias)\.weight$/.test(name);

/**
 * The tensor to which a configuration ties a tensor, as in the core's table.
 *
 * @param {string} name
 * @param {Record<string, any>} config
 */
function tiedTo(name, config) {
  const { share_encoder_decoder_embeddings: share, tie_word_embeddings: tie } = config;
  const embeddings = share ? 'model.shared.weight' : 'model.decoder.embed_tokens.weight';
  const isTable = /^model\.(en|de)coder\.embed_tokens\.weight$/.test(name);
  const isCopy = (share && isTable) || (tie && name === 'lm_head.weight');
  return isCopy ? embeddings : name;
}

/**
 * The tensors to keep, those that the core reads: of several tied copies the one with the tensor's own name, or else
 * the first.
 *
 * @param {TensorEntry[]} tensors
 * @param {Record<string, any>} config
 */
export async function withoutCopies(tensors, config) {
  const names = await tensorNames(config);
  const stem = (/** @type {string} */ name) => name.replace(/\.(scale|alpha)$/, '');
  const key = (/** @type {string} */ name) => tiedTo(stem(name), config) + name.slice(stem(name).length);
  /** @type {Map<string, TensorEntry>} */
  const kept = new Map();
  for (const tensor of tensors) {
    const name = names.toCore(tensor.name);
    if (name !== undefined && (!kept.has(key(name)) || key(name) === name)) kept.set(key(name), tensor);
  }
  return new Set(kept.values());
}

/**
 * The header of the new file, and the offset and type of each tensor. Floats come first, so that they are aligned.
 *
 * @param {TensorEntry[]} tensors
 * @param {number} dtype  of matrices
 */
function layOut(tensors, dtype) {
  const stored = tensors.filter(({ name }) => dtype === I8 || !/\.(scale|alpha)$/.test(name));
  const matrices = stored.filter((tensor) => dtype === I8 && isMatrix(tensor));
  const others = stored.filter((tensor) => !matrices.includes(tensor));
  const scales = matrices
    .filter((tensor) => tensor.dtype !== I8) // int8 tensors have scales already
    .map(({ name, shape }) => ({ name: `${name}.scale`, shape: shape.slice(0, 1) }));
  const floats = [...others, ...scales].map(({ name, shape }) => ({ name, shape, type: dtype === I8 ? F32 : dtype }));
  const bytes = matrices.map(({ name, shape }) => ({ name, shape, type: I8 }));
  /** @type {Record<string, object>} */
  const entries = { __metadata__: { format: 'pt' } };
  /** @type {Map<string, { begin: number, type: number }>} */
  const places = new Map();
  let end = 0;
  for (const { name, shape, type } of [...floats, ...bytes]) {
    places.set(name, { begin: end, type });
    const begin = end;
    end += shape.reduce((product, n) => product * n, WIDTHS[type]);
    entries[name] = { dtype: DTYPES[type], shape, data_offsets: [begin, end] };
  }
  const json = JSON.stringify(entries);
  const header = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8));
  const first = new Uint8Array(8 + header.length);
  new DataView(first.buffer).setUint32(0, header.length, true);
  first.set(header, 8);
  return { first, places };
}

/**
 * Fills a buffer from the weights.
 *
 * @param {Weights} weights
 * @param {TensorEntry} tensor  for messages
 * @param {Uint8Array} buffer
 */
async function fill(weights, tensor, buffer) {
  for (let at = 0; at < buffer.length; ) {
    const bytes = await weights.next(buffer.length - at);
    if (!bytes) {
      throw new HeedError(E_SAFETENSORS, `${tensor.file ?? weights.file}: ${tensor.name}: the file is cut short`);
    }
    buffer.set(bytes, at);
    at += bytes.length;
  }
}

/**
 * @param {string} what
 * @param {TensorEntry} tensor
 * @param {Float32Array} floats
 * @param {number} row
 * @param {number} type
 */
function checkFloats(what, { shape }, floats, row, type) {
  const bad = findNonFinite(floats, type);
  if (bad < 0) return;
  const cols = shape.at(-1) ?? 1;
  const place = shape.length < 2 ? `[${bad}]` : `[${row + Math.floor(bad / cols)}, ${bad % cols}]`;
  const why = Number.isFinite(floats[bad]) ? ', beyond F16' : ', expected a finite number';
  throw new HeedError(E_TENSOR_VALUE, `${what}${place}: found ${floats[bad]}${why}`);
}

/**
 * Converts one tensor in blocks of rows.
 *
 * @param {Weights} weights  at its bytes
 * @param {TensorEntry} tensor
 * @param {number} type  to store it in
 * @param {Float32Array | undefined} scales  scales of its rows, if int8 is converted to floats
 * @param {(name: string, at: number, bytes: Uint8Array) => Promise<unknown>} put
 */
async function convertTensor(weights, tensor, type, scales, put) {
  const { name, shape, dtype, file = weights.file } = tensor;
  const what = `${file}: ${name}`;
  const rows = shape.length === 2 ? shape[0] : 1;
  const cols = rows === 0 ? 0 : shape.reduce((product, n) => product * n, 1) / rows;
  const step = Math.max(1, Math.floor(BLOCK / (cols * 4 || 1)));
  const found = new Float32Array(type === I8 && dtype !== I8 ? rows : 0);
  for (let row = 0; row < rows; row += step) {
    const count = Math.min(step, rows - row);
    const raw = new Uint8Array(count * cols * WIDTHS[dtype]);
    await fill(weights, tensor, raw);
    const at = row * cols * WIDTHS[type];
    if (dtype === I8 && type === I8) {
      await put(name, at, raw);
      continue;
    }
    const floats = toFloats(raw, dtype);
    if (scales) for (let i = 0; i < floats.length; i++) floats[i] *= scales[row + Math.floor(i / cols)];
    checkFloats(what, tensor, floats, row, type);
    if (type !== I8) {
      await put(name, at, fromFloats(floats, type));
      continue;
    }
    const out = new Int8Array(floats.length);
    for (let r = 0; r < count; r++) {
      const { values, scale } = quantizeRow(floats.subarray(r * cols, (r + 1) * cols));
      out.set(values, r * cols);
      found[row + r] = scale;
    }
    await put(name, at, new Uint8Array(out.buffer));
  }
  if (found.length > 0) await put(`${name}.scale`, 0, fromFloats(found, F32));
}

/** Scales of the int8 matrices, by name of the matrix. @param {Weights} weights */
async function readScales(weights) {
  /** @type {Map<string, Float32Array>} */
  const scales = new Map();
  for (const tensor of weights.tensors) {
    if (!tensor.name.endsWith('.scale') || tensor.dtype !== F32) {
      await weights.skip(tensor.bytes);
      continue;
    }
    const bytes = new Uint8Array(tensor.bytes);
    await fill(weights, tensor, bytes);
    scales.set(tensor.name.slice(0, -'.scale'.length), toFloats(bytes, F32));
  }
  return scales;
}

/**
 * @param {() => Promise<Weights>} openAgain
 * @param {Record<string, any>} config  of readConfig
 * @param {Dtype} dtype
 * @param {string} path  of the new file
 */
async function convertWeights(openAgain, config, dtype, path) {
  let weights = await openAgain();
  try {
    const kept = await withoutCopies(weights.tensors, config);
    const type = TYPES[dtype];
    /** @type {Map<string, Float32Array>} */
    let scales = new Map();
    if (type !== I8 && weights.tensors.some((tensor) => tensor.dtype === I8)) {
      // a scale may come after its matrix
      scales = await readScales(weights);
      await weights.close();
      weights = await openAgain();
    }
    const names = new Set([...kept].map(({ name }) => name));
    const { first, places } = layOut([...kept], type);
    const out = await open(path, 'w');
    try {
      await out.write(first, 0, first.length, 0);
      const put = (/** @type {string} */ name, /** @type {number} */ at, /** @type {Uint8Array} */ bytes) =>
        out.write(bytes, 0, bytes.length, first.length + Number(places.get(name)?.begin) + at);
      for (const tensor of weights.tensors) {
        const place = names.has(tensor.name) ? places.get(tensor.name) : undefined;
        if (!place) {
          await weights.skip(tensor.bytes);
          continue;
        }
        const scale = scales.get(tensor.name);
        if (tensor.dtype === I8 && type !== I8 && scale?.length !== tensor.shape[0]) {
          const message = `${weights.file}: ${tensor.name}: found no .scale of ${tensor.shape[0]} numbers for I8`;
          throw new HeedError(E_TENSOR_MISSING, message);
        }
        await convertTensor(weights, tensor, place.type, tensor.dtype === I8 ? scale : undefined, put);
      }
    } finally {
      await out.close();
    }
    return { file: weights.file, before: weights.size ?? weights.tensors.reduce((n, t) => n + t.bytes, weights.head) };
  } catch (error) {
    await weights.verify?.(error);
    throw error;
  } finally {
    await weights.close();
  }
}

/** Size and hash of a file, for heed.json. @param {string} path */
export async function describeFile(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { size: (await stat(path)).size, sha256: hash.digest('hex') };
}

/**
 * The dtype of the weights, as in --dtype: the default of `convert`.
 *
 * @param {TensorEntry[]} tensors
 * @returns {Dtype}
 */
function ownType(tensors) {
  const types = new Set(tensors.filter(isMatrix).map(({ dtype }) => dtype));
  return types.has(I8) ? 'int8' : types.size === 1 && types.has(F16) ? 'f16' : 'f32';
}

/** @param {unknown} value */
const pretty = (value) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * @param {string} from  a model directory or the URL of one, its weights in any container
 * @param {string} to  a directory that does not exist or is empty; it appears when all is done, and not if that fails
 * @param {{ dtype?: Dtype }} [options]  default: the dtype of the file; f32 for BF16
 * @returns {Promise<{ file: string, dtype: Dtype, before: number, after: number, isForHeed: boolean }>}  bytes of the
 *   weights; isForHeed: transformers cannot read it
 */
export async function convert(from, to, options = {}) {
  const { dtype } = checkOptions(options, 'dtype');
  const there = await readdir(to).catch((/** @type {any} */ error) => {
    if (error.code === 'ENOENT') return null;
    throw new HeedError(E_FILE, `${to}: ${error.message}`, { cause: error });
  });
  if (there && there.length > 0) throw new HeedError(E_FILE, `${to}: is not empty`);
  const files = await openSource(from);
  const work = `${resolve(to)}.partial-${process.pid}`;
  await mkdir(work, { recursive: true });
  try {
    const result = await writeModel(files, work, dtype);
    if (there) await rmdir(to);
    await rename(work, to);
    return result;
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
}

/**
 * @param {import('../formats/cursor.js').Files} files
 * @param {string} to
 * @param {Dtype} [asked]
 */
async function writeModel(files, to, asked) {
  /** @param {string} name */
  const json = async (name) => {
    const bytes = await files.readOptional(name);
    return bytes ? parseJson(bytes, name) : undefined;
  };
  const { scores, ...manifest } = (await json('heed.json')) ?? { format: 1 };
  let stated = await json('config.json');
  if (!stated) {
    files.expect(listedFiles(manifest));
    files = await adaptDirectory(files, manifest, () => instantiate());
    stated = parseJson(await files.read('config.json'), 'config.json');
  }
  const config = readConfig(await toMarian(stated), {});
  const openAgain = () => openWeights(files, config);
  const probe = await openAgain();
  settle(config, probe);
  const dtype = asked ?? ownType(probe.tensors);
  await probe.close();

  const { file, before } = await convertWeights(openAgain, config, dtype, join(to, WEIGHTS));
  if ('torch_dtype' in stated && dtype !== 'int8') stated.torch_dtype = NAMES[dtype];
  await writeFile(join(to, 'config.json'), pretty(stated));
  const shortlist = /^lex[\w.-]*$/.exec(String(stated.shortlist)) ?? [];
  // heed.json of the new directory lists all of its files, and a model reads a lexicon and n-grams that are listed
  const listed = [...LEXICONS, NGRAMS].filter((name) => Object.hasOwn(Object(manifest.files), name));
  for (const name of [...COMPANIONS, ...shortlist, ...listed]) {
    const bytes = await files.readOptional(name);
    if (bytes) await writeFile(join(to, name), bytes);
    else if (name === 'vocab.json') {
      const vocabulary = await readVocabularyYaml(files, await listFiles(files), config);
      if (vocabulary) await writeFile(join(to, name), pretty(vocabulary));
    }
  }
  const isSame = manifest.dtype === NAMES[dtype];
  /** @type {Record<string, { size: number, sha256: string }>} */
  const described = {};
  for (const name of (await readdir(to)).sort()) described[name] = await describeFile(join(to, name));
  // scores are only valid for the arithmetic in which they were measured
  const all = { ...manifest, dtype: NAMES[dtype], ...(isSame && scores ? { scores } : {}), files: described };
  await writeFile(join(to, 'heed.json'), pretty(all));
  // int8 takes the least memory, and still every name, shape and number is checked
  (await Transformer.load(to, { dtype: 'int8', simd: 'simd128' })).dispose();
  const isForHeed = stated.decoder_cell === 'ssru';
  return { file, dtype, before, after: described[WEIGHTS].size, isForHeed };
}
