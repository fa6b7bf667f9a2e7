// load.js - files into a core: configuration, weights streamed in the order of the file, tokenizers; used by
// transformer.js.

import { configNumbers, generateDefaults, readConfig } from './config.js';
import { ChunkReader, openSource } from './files.js';
import { parseJson } from './json.js';
import { headerLength, parseHeader } from './safetensors.js';
import { Tokenizer } from './tokenizer.js';
import { Code, HeedError, ints } from './wasm.js';

const WEIGHTS = 'model.safetensors';
const F32 = 0;
const I8 = 3;
/** Whether the core computes with int8 weights. Without, int8 files are turned into f32 while they load. */
const HAS_INT8 = false;

/**
 * @typedef {object} LoadOptions
 * @property {AbortSignal} [signal]
 * @property {(progress: { file: string, loaded: number, total: number }) => void} [onProgress]  bytes over all files of
 *   the model; the first call has loaded 0, the last has loaded === total
 * @property {'auto' | 'f32' | 'int8'} [dtype]  arithmetic; 'auto': int8 if the file is int8 and the core can, else f32
 * @property {string | URL | BufferSource | WebAssembly.Module} [wasm]  where heed.wasm comes from, for hosts where
 *   `new URL(…, import.meta.url)` does not work
 * @property {'auto' | 'simd128' | 'relaxed'} [simd]  'auto': relaxed SIMD where the host and this build have it
 * @property {boolean} [cache]  keep downloaded weights; without effect so far: the host's own HTTP cache serves
 */

/** @typedef {import('./safetensors.js').TensorEntry & { index: number, isScale: boolean, used: boolean }} PlacedTensor */

/** @param {string | undefined} dtype @param {import('./safetensors.js').TensorEntry[]} tensors */
function chooseArithmetic(dtype, tensors) {
  const int8 = dtype === 'int8' || (dtype !== 'f32' && HAS_INT8 && tensors.some((t) => t.dtype === I8));
  if (int8 && !HAS_INT8) {
    throw new HeedError(Code.ARGUMENT, "dtype: 'int8' arithmetic is not in this build; use 'auto' or 'f32'", {
      name: 'NotSupportedError',
    });
  }
  return int8 ? I8 : F32;
}

/**
 * @param {import('./wasm.js').Core} core
 * @param {Record<string, any>} config
 * @param {number} arithmetic
 * @param {import('./safetensors.js').TensorEntry[]} tensors
 * @returns {number}  the model's handle
 */
function createModel(core, config, arithmetic, tensors) {
  const stores = (/** @type {string} */ name) => Number(tensors.some((t) => t.name === name));
  const numbers = configNumbers(config, core.configFields(), {
    dtype: arithmetic,
    encoder_positions_stored: stores('model.encoder.embed_positions.weight'),
    decoder_positions_stored: stores('model.decoder.embed_positions.weight'),
  });
  const model = ints(1);
  core.report(
    (name, rule, found, status) =>
      name ? `config.json: ${name}: found ${found}, ${rule ?? status}` : `config.json: a model of this size: ${status}`,
    'heed_model_create', numbers, numbers.length, model);
  return model.value[0];
}

/**
 * The core's tensor for each of the file's. Of several names for one (tied copies) the core's own is used, else the
 * first.
 *
 * @param {import('./wasm.js').Core} core
 * @param {number} model
 * @param {import('./safetensors.js').TensorEntry[]} tensors
 * @returns {PlacedTensor[]}
 */
function placeTensors(core, model, tensors) {
  /** @type {Map<string, PlacedTensor>} */
  const chosen = new Map();
  const isScale = ints(1);
  const placed = tensors.map((tensor) => {
    // a name is looked up as a C string, which would end early
    const index = tensor.name.includes('\0') ? -1 : core.run('heed_tensor_find', model, tensor.name, isScale);
    if (index < 0) {
      throw new HeedError(Code.TENSOR_UNKNOWN, `${WEIGHTS}: ${tensor.name}: this configuration has no such tensor`);
    }
    const entry = { ...tensor, index, isScale: isScale.value[0] !== 0, used: false };
    const key = `${index} ${entry.isScale}`;
    const own = core.string('heed_tensor_name', model, index) + (entry.isScale ? '.scale' : '');
    if (!chosen.has(key) || tensor.name === own) chosen.set(key, entry);
    return entry;
  });
  for (const entry of chosen.values()) entry.used = true;
  return placed;
}

/** @param {import('./wasm.js').Core} core @param {number} model @param {PlacedTensor} tensor */
function beginTensor(core, model, { name, index, isScale, dtype, shape }) {
  const status = core.run('heed_tensor_begin', model, index, Number(isScale), dtype, shape.length, Float64Array.from(shape));
  if (status === Code.TENSOR_SHAPE) {
    const [rows, cols] = [ints(1), ints(1)];
    core.run('heed_tensor_shape', model, index, rows, cols);
    const [r, c] = [rows.value[0], cols.value[0]];
    const expected = isScale ? [r] : r === 1 ? [c] : [r, c];
    throw new HeedError(status, `${WEIGHTS}: ${name}: found shape [${shape}], expected [${expected}]`);
  }
  core.check(status, `${WEIGHTS}: ${name}: ${['F32', 'F16', 'BF16', 'I8'][dtype]}`);
}

/**
 * @param {import('./wasm.js').Core} core
 * @param {number} model
 * @param {PlacedTensor[]} tensors
 * @param {ChunkReader} reader  at the first tensor's bytes
 * @param {(bytes: number) => void} onBytes
 */
async function streamWeights(core, model, tensors, reader, onBytes) {
  let what = WEIGHTS;
  const writer = core.tensorWriter(() => what, model);
  const total = tensors.reduce((sum, t) => sum + t.bytes, 0);
  let [loaded, next, left] = [0, 0, 0]; // left: bytes until tensors[next] begins
  for (;;) {
    const chunk = await reader.next();
    for (let at = 0; chunk && at < chunk.length; ) {
      while (left === 0 && next < tensors.length) {
        const tensor = tensors[next++];
        left = tensor.bytes;
        what = `${WEIGHTS}: ${tensor.name}`;
        if (tensor.used) beginTensor(core, model, tensor);
      }
      if (left === 0) {
        throw new HeedError(Code.SAFETENSORS, `${WEIGHTS}: bytes after the last tensor, which ends at ${total}`);
      }
      const part = chunk.subarray(at, at + left);
      if (tensors[next - 1].used) writer.write(part);
      left -= part.length;
      at += part.length;
    }
    if (!chunk) break;
    loaded += chunk.length;
    onBytes(chunk.length);
  }
  if (loaded < total) {
    throw new HeedError(Code.SAFETENSORS, `${WEIGHTS}: cut short: found ${loaded} bytes of tensors, expected ${total}`);
  }
  // what holds no byte at the end of a file is begun too: its shape is wrong
  for (; next < tensors.length; next++) beginTensor(core, model, tensors[next]);
  writer.free();
  core.report((name, rule, _, status) => `${WEIGHTS}: ${name}: ${rule ?? 'missing'} (${status})`, 'heed_model_finish', model);
}

/**
 * Load everything. The core is the caller's to dispose of when this fails.
 *
 * @param {import('./wasm.js').Core} core
 * @param {import('./files.js').ModelSource} source
 * @param {LoadOptions} options
 */
export async function loadModel(core, source, { signal, onProgress, dtype }) {
  const files = await openSource(source, signal);
  const json = async (/** @type {string} */ name) => {
    const bytes = await files.readOptional(name);
    return bytes && { bytes, value: parseJson(bytes, name) };
  };
  const configBytes = await files.read('config.json');
  const configJson = parseJson(configBytes, 'config.json');
  const [generation, manifest, vocab, targetVocab, sourceSpm, targetSpm] = await Promise.all([
    json('generation_config.json'), json('heed.json'), json('vocab.json'),
    configJson.share_encoder_decoder_embeddings === false ? json('target_vocab.json') : null,
    files.readOptional('source.spm'), files.readOptional('target.spm'),
  ]);
  const config = readConfig(configJson, generation?.value ?? {});

  const reader = new ChunkReader(await files.open(WEIGHTS));
  try {
    const length = headerLength(await reader.take(8), WEIGHTS);
    const header = await reader.take(length);
    if (header.length < length) {
      throw new HeedError(Code.SAFETENSORS, `${WEIGHTS}: cut short: found ${header.length} bytes of header, expected ${length}`);
    }
    const entries = parseHeader(header, WEIGHTS);
    const arithmetic = chooseArithmetic(dtype, entries);
    const model = createModel(core, config, arithmetic, entries);
    const tensors = placeTensors(core, model, entries);
    const defaults = generateDefaults(config, generation?.value ?? {});
    const tokenizer = sourceSpm && targetSpm && vocab
      ? new Tokenizer({ core, config, sourceSpm, targetSpm, vocab: vocab.value, targetVocab: targetVocab?.value })
      : ['source.spm', 'target.spm', 'vocab.json'].filter((_, i) => ![sourceSpm, targetSpm, vocab][i]).join(', ');

    const small = [['config.json', configBytes], ['generation_config.json', generation?.bytes], ['heed.json', manifest?.bytes],
      ['vocab.json', vocab?.bytes], ['target_vocab.json', targetVocab?.bytes], ['source.spm', sourceSpm], ['target.spm', targetSpm]];
    const sizes = small.map(([, bytes]) => bytes?.length ?? 0);
    const total = [8 + length, ...tensors.map((t) => t.bytes), ...sizes].reduce((sum, n) => sum + Number(n), 0);
    let loaded = 0;
    const progress = (/** @type {string} */ file, /** @type {number} */ bytes) => {
      loaded += bytes;
      onProgress?.({ file, loaded, total });
    };
    progress('config.json', 0);
    small.forEach(([name], i) => void (sizes[i] > 0 && progress(String(name), Number(sizes[i]))));
    progress(WEIGHTS, 8 + length);
    await streamWeights(core, model, tensors, reader, (bytes) => progress(WEIGHTS, bytes));
    const kept = Object.freeze(Object.fromEntries(small.filter(([, bytes]) => bytes)));
    return { core, model, config, defaults, tokenizer, manifest: manifest?.value ?? {}, arithmetic, files: kept };
  } finally {
    await reader.close();
  }
}
