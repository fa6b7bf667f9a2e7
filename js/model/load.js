// load.js - loads files into a core: configuration, weights streamed in the order of the file, tokenizers; used by
// model.js.

import {
  DTYPES, E_CONFIG, E_SAFETENSORS, E_TENSOR_MISSING, E_TENSOR_SHAPE, E_TENSOR_UNKNOWN, F32, I8, QUANTIZERS,
} from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { isNode, onAbort } from '../base/host.js';
import { describe, mismatch, parseJson, short } from '../base/json.js';
import { CHUNK, MAX_EXTRA, MAX_GROWTH } from '../base/limits.js';
import { listedFiles, openSource } from '../files/source.js';
import { openSafetensors } from '../formats/safetensors.js';
import { Tokenizer } from '../text/tokenizer.js';
import { ints } from '../wasm/core.js';
import { CONFIG, configNumbers, generateDefaults, GENERATION, hasOthers, readConfig } from './config.js';

/**
 * @typedef {object} LoadOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: { file: string, loaded: number, total: number }) => void} [onProgress]  bytes over all files of
 *   the model; the first call has loaded 0, the last one loaded === total
 * @property {'auto' | 'f32' | 'int8'} [dtype]  arithmetic; 'auto': int8 if the file is int8, else f32;
 *   'int8' quantises float weights while they load
 * @property {'rows' | 'rows8' | 'fixed' | 'saturating'} [activations]  how int8 matrices take their inputs. 'rows', the
 *   default: 7 bits, a scale and a zero point for each row. 'rows8': 8 bits, a scale for each row; nearer to floats,
 *   but slower with relaxed SIMD. 'fixed': 8 bits, scales that the file has as `X.weight.alpha`, multiplied and rounded
 *   as Firefox's engine does; matrices without one take 'rows8'. 'saturating': as 'fixed', but slower: the sum
 *   of two neighbouring products is clamped to 16 bits, as that engine does in wasm and on processors without VNNI
 * @property {string | URL | BufferSource | WebAssembly.Module} [wasm]  the source of heed.wasm, for hosts where
 *   `new URL(…, import.meta.url)` does not work
 * @property {'auto' | 'simd128' | 'relaxed'} [simd]  'auto': relaxed SIMD if it is faster on this
 *   host and the library has its build
 * @property {boolean} [shortlist]  use the model's shortlist (lex.*.s2t.bin): of a sentence only the words that it
 *   allows are computed, which is faster and changes few translations. Default: true if config.json names one
 *   (`shortlist`) and both sides share a vocabulary
 * @property {boolean | string} [cache]  store downloads: in the Cache API of pages; in Node in
 *   `$XDG_CACHE_HOME/heed` or `~/.cache/heed`, or in the given directory. Default: true in pages, false in Node
 */

/**
 * @typedef {import('../formats/safetensors.js').TensorEntry} TensorEntry
 * @typedef {TensorEntry & { index: number, part: number, used: boolean }} PlacedTensor  part: WEIGHT, SCALE or ALPHA
 */

/**
 * Throws if a model is not wanted. Called with heed.json, then with all small files; never with the weights.
 *
 * @typedef {(manifest: Record<string, any>, parts?: Pick<import('./model.js').Model, 'config' | 'manifest' |
 *   'tokenizer'>) => unknown} Accept
 */

/** Other directories and weights. A model in the standard form does not need this module. */
const formats = () => import('../formats/open.js');

/**
 * The weights of a directory: model.safetensors, or another format through formats/open.js, which is loaded on demand.
 *
 * @param {Awaited<ReturnType<typeof openSource>>} files
 * @param {Record<string, unknown>} config  of config.json
 * @param {(file: string, bytes: number, size: number) => void} [onRead]  see cursor.js
 * @returns {Promise<import('../formats/safetensors.js').Weights>}
 */
export async function openWeights(files, config, onRead) {
  const file = 'model.safetensors';
  const chunks = await files.find(file, true);
  const other = !chunks && (await (await formats()).openContainer(files, config, onRead));
  return other || openSafetensors(chunks || (await files.open(file)), file);
}

/** The files of a lexicon, see lexicon.js: packed by languages, see files/parts.js, or not. */
export const LEXICONS = ['lexicon.bin', 'lexicon.tsv'];
/** The file of n-grams, see ngrams.js. */
export const NGRAMS = 'ngrams.bin';

/** By part of a matrix. */
const SUFFIXES = ['', '.scale', '.alpha'];

/**
 * @param {Pick<LoadOptions, 'dtype' | 'activations'>} options
 * @param {import('../formats/safetensors.js').Weights} weights
 */
function chooseArithmetic({ dtype, activations = 'rows' }, { file, tensors }) {
  const isInt8 = dtype === 'int8' || (dtype !== 'f32' && tensors.some((t) => t.dtype === I8));
  if (!isInt8 && activations !== 'rows') {
    throw new HeedError(E_CONFIG, mismatch(`${file}, which is not int8: activations`, activations, "'rows'"));
  }
  return { dtype: isInt8 ? I8 : F32, activations: QUANTIZERS.indexOf(activations) };
}

/**
 * @param {import('../wasm/core.js').Core} core
 * @param {Record<string, any>} config
 * @param {ReturnType<typeof chooseArithmetic>} arithmetic
 * @param {import('../formats/safetensors.js').Weights} weights
 * @returns {number}  the model's handle
 */
function createModel(core, config, arithmetic, weights) {
  const { file, tensors } = weights;
  const stores = (/** @type {string} */ name) =>
    Number(config.learned_positions || tensors.some((t) => t.name === name));
  const numbers = configNumbers(config, core.configFields(), {
    ...arithmetic,
    encoder_positions_stored: stores('model.encoder.embed_positions.weight'),
    decoder_positions_stored: stores('model.decoder.embed_positions.weight'),
  });
  const wanted = core.measure(CONFIG, numbers);
  const most = MAX_GROWTH * tensors.reduce((sum, t) => sum + t.bytes, 0) + MAX_EXTRA;
  if (wanted > most) {
    throw new HeedError(E_CONFIG, `${CONFIG}: found a model of ${wanted} bytes, expected ${most} at most for ${file}`);
  }
  const model = ints(1);
  core.report(CONFIG, 'heed_model_create', numbers, numbers.length, model);
  return model.value[0];
}

/**
 * The core's tensor for each tensor of the file. Of several tied copies, the one with the core's own name is used, or
 * else the first.
 *
 * @param {import('../wasm/core.js').Core} core
 * @param {number} model
 * @param {import('../formats/safetensors.js').Weights} weights
 * @param {import('./family.js').TensorNames} [names]  undefined: the file has the core's
 * @returns {PlacedTensor[]}
 */
function placeTensors(core, model, { file, tensors }, names) {
  /** @type {Map<string, PlacedTensor>} */
  const chosen = new Map();
  const room = ints(1);
  const placed = tensors.map((tensor) => {
    const name = names ? names.toCore(tensor.name) : tensor.name;
    if (name === undefined) return { ...tensor, index: -1, part: 0, used: false };
    const index = core.findTensor(model, name, room);
    if (index < 0) {
      const where = `${tensor.file ?? file}: ${short(tensor.name)}`;
      throw new HeedError(E_TENSOR_UNKNOWN, `${where}: this configuration has no such tensor`);
    }
    const [part] = room.value;
    const entry = { ...tensor, index, part, used: false };
    const key = `${index} ${part}`;
    const own = core.string('heed_tensor_name', model, index) + SUFFIXES[part];
    if (!chosen.has(key) || name === own) chosen.set(key, entry);
    return entry;
  });
  for (const entry of chosen.values()) entry.used = true;
  // the core tells what is missing by its own names
  for (let index = 0, name; names && (name = core.string('heed_tensor_name', model, index)); index++) {
    if (!chosen.has(`${index} 0`) && name !== 'final_logits_bias') {
      throw new HeedError(E_TENSOR_MISSING, `${file}: ${names.toFile(name)}: is missing`);
    }
  }
  return placed;
}

/**
 * @param {import('../wasm/core.js').Core} core
 * @param {number} model
 * @param {string} file
 * @param {PlacedTensor} tensor
 */
function beginTensor(core, model, file, { name, index, part, dtype, shape }) {
  const status = core.run(
    'heed_tensor_begin',
    model,
    index,
    part,
    dtype,
    shape.length,
    Float64Array.from(shape),
  );
  if (status === E_TENSOR_SHAPE) {
    const [rows, cols] = [ints(1), ints(1)];
    core.run('heed_tensor_shape', model, index, rows, cols);
    const [r, c] = [rows.value[0], cols.value[0]];
    const expected = [r === 1 ? [c] : [r, c], [r], '1] or [2'][part];
    throw new HeedError(status, `${file}: ${name}: found shape ${describe(shape)}, expected [${expected}]`);
  }
  core.check(status, `${file}: ${name}: ${DTYPES[dtype]}`);
}

/**
 * @param {import('../wasm/core.js').Core} core
 * @param {number} model
 * @param {PlacedTensor[]} tensors
 * @param {import('../formats/safetensors.js').Weights} weights
 * @param {(file: string, bytes: number) => void} onBytes
 */
async function streamWeights(core, model, tensors, weights, onBytes) {
  for (const tensor of tensors) {
    const { file = weights.file } = tensor;
    const what = `${file}: ${tensor.name}`;
    if (tensor.used) beginTensor(core, model, file, tensor);
    for (let left = tensor.bytes; left > 0;) {
      const part = await (tensor.used ? weights.next(Math.min(left, CHUNK)) : weights.skip(left));
      if (!part) throw new HeedError(E_SAFETENSORS, `${what}: cut short: ${left} bytes are missing`);
      if (tensor.used) core.call(what, 'heed_tensor_write', model, /** @type {Uint8Array} */ (part), part.length);
      left -= part.length;
      onBytes(file, part.length);
    }
  }
  if (await weights.next(1)) throw new HeedError(E_SAFETENSORS, `${weights.file}: bytes after the last tensor`);
  core.report(weights.file, 'heed_model_finish', model);
}

/**
 * Loads everything. On failure, the caller must dispose of the core. Files that heed.json lists are compared with it:
 * HEED_E_HASH.
 *
 * @param {import('../wasm/core.js').Core} core
 * @param {import('../files/source.js').ModelSource} source
 * @param {LoadOptions & { isRetry: boolean, accept?: Accept,
 *   record?: import('../files/record.js').FileRecord }} options
 *   isRetry: do not read stored files; accept, record: see Model.load
 * @returns {Promise<ReturnType<typeof readModel> | undefined>}  undefined: try again with another core, because a
 *   stored or resumed file was wrong
 */
export async function loadModel(core, source, { signal, cache = !isNode, isRetry, record, ...options }) {
  // if one download fails or the caller aborts, all end
  const stop = new AbortController();
  const forget = onAbort(signal, () => stop.abort(signal?.reason));
  const files = await openSource(source, stop.signal, { cache, isRetry, record, sha256: () => core.sha256() });
  /** What `accept` threw of the small files: the files are not to blame. @type {Set<unknown>} */
  const refusals = new Set();
  try {
    return await readModel(core, files, { ...options, refusals });
  } catch (error) {
    if (!refusals.has(error) && await files.mayRetry(error)) return undefined;
    throw error;
  } finally {
    forget();
    stop.abort();
  }
}

/**
 * @param {import('../wasm/core.js').Core} core
 * @param {Awaited<ReturnType<typeof openSource>>
 *   & Pick<Awaited<ReturnType<typeof import('../formats/directory.js').adaptDirectory>>,
 *   'sides' | 'lists' | 'missing'>} files
 * @param {Pick<Parameters<typeof loadModel>[2], 'onProgress' | 'dtype' | 'activations' | 'accept' | 'shortlist'>
 *   & { refusals: Set<unknown> }} options
 */
async function readModel(core, files, { onProgress, accept, refusals, shortlist, ...options }) {
  /** The small files, in the order in which they arrived. @type {[name: string, bytes: number][]} */
  const sizes = [];
  let loaded = 0;
  let total = 0;
  /** Their bytes, for a caller that makes another model from this one. @type {Record<string, Uint8Array>} */
  const small = {};
  const read = async (/** @type {string} */ name) => {
    const bytes = await files.readOptional(name);
    if (bytes) {
      sizes.push([name, bytes.length]);
      total += bytes.length;
      small[name] = bytes;
    }
    return bytes;
  };
  const json = async (/** @type {string} */ name) => {
    const bytes = await read(name);
    return bytes ? parseJson(bytes, name) : undefined;
  };
  // first, because it lists the others
  const manifest = (await json('heed.json')) ?? {};
  accept?.(manifest);
  const listed = listedFiles(manifest);
  files.expect(listed);
  const onRead = (/** @type {string} */ file, /** @type {number} */ bytes, /** @type {number} */ size) =>
    onProgress?.({ file, loaded: bytes, total: total + size });
  let stated = await json(CONFIG);
  if (!stated) {
    files = await (await formats()).adaptDirectory(files, manifest, () => core, accept, onRead);
    stated = /** @type {Record<string, unknown>} */ (await json(CONFIG));
  }
  const family = stated.model_type === 'marian' ? undefined : await import('./family.js');
  const configJson = (await family?.toMarian(stated)) ?? stated;
  const { sides } = files;
  const hasTwo = configJson.share_encoder_decoder_embeddings === false;
  // only a Translator has a use for them
  const isListed = (/** @type {string} */ name) => accept !== undefined && listed.has(name);
  const others = [LEXICONS.find(isListed), isListed(NGRAMS) ? NGRAMS : undefined];
  const [generation, vocab, targetVocab, sourceSpm, targetSpm] = await Promise.all([
    json(GENERATION),
    sides ? undefined : json('vocab.json'),
    hasTwo && !sides ? json('target_vocab.json') : undefined,
    read('source.spm'),
    read('target.spm'),
    ...others.map((name) => (name === undefined ? undefined : read(name))),
  ]);
  const config = readConfig(configJson, generation ?? {});
  const defaults = generateDefaults(config, configJson, generation);
  const unsupported = hasOthers(generation)
    ? (await import('./settings.js')).unsupportedSettings(generation ?? configJson)
    : [];

  const weights = await openWeights(files, config, onRead);
  try {
    family?.settle(config, weights);
    const numbers = chooseArithmetic(options, weights);
    // of another worker, complete; only the small files are read then
    const shared = core.share?.model;
    const model = shared ?? createModel(core, config, numbers, weights);
    const tensors = shared ? [] : placeTensors(core, model, weights, await family?.tensorNames(config));
    if (!shared && (shortlist ?? config.shortlist)) {
      await (await import('../formats/shortlist.js')).addShortlist(core, model, { files, config, read, shortlist });
    }
    // Marian's and Pegasus' have two files
    const known = sides ?? (sourceSpm ? null
      : await (await import('../text/families.js')).openSides({ core, config, stated, vocab, read, json }));
    const tokenizer =
      known || (sourceSpm && targetSpm && vocab)
        ? new Tokenizer({ core, config, sourceSpm, targetSpm, vocab, targetVocab, sides: known })
        : null;
    if (tokenizer && accept) {
      try {
        await accept(manifest, { config, manifest, tokenizer });
      } catch (error) {
        refusals.add(error);
        throw error;
      }
    }

    sizes.push([weights.file, weights.head]);
    total += weights.head;
    for (const { bytes } of tensors) total += bytes;
    const progress = (/** @type {string} */ file, /** @type {number} */ bytes) => {
      loaded += bytes;
      onProgress?.({ file, loaded, total });
    };
    progress(CONFIG, 0);
    for (const [name, bytes] of sizes) progress(name, bytes);
    if (!shared) await streamWeights(core, model, tensors, weights, progress);
    if (core.share) core.share.model = model;
    if (unsupported.length > 0) {
      console.warn(`heed: ${generation ? GENERATION : CONFIG}: unsupported, without effect: ${unsupported.join(', ')}`);
    }
    // made elsewhere: a closure of this function would keep the source alive, and with it the bytes of the weights
    Object.defineProperties(small, files.lists ?? {});
    const arithmetic = numbers.dtype;
    const { missing } = files;
    return { core, model, config, defaults, tokenizer, missing, manifest, arithmetic, unsupported, files: small };
  } catch (error) {
    if (!refusals.has(error)) await weights.verify?.(error); // it reads all weights
    throw error;
  } finally {
    await weights.close();
  }
}
