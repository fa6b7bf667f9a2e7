// quantize.js - `heed quantize`: a model directory into one with int8 matrices, a row at a time; used by cli.js.
//
// Every row of a matrix [rows, cols] becomes int8 and one F32 scale, value = int8 * scale, exactly as the core does when
// it is told to compute in int8; biases, norms and positions become F32. Numbers only: no module is needed.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChunkReader, openSource } from '../files.js';
import { DTYPES, headerLength, parseHeader } from '../safetensors.js';
import { E_FILE, E_SAFETENSORS, E_TENSOR_VALUE, HeedError } from '../wasm.js';

/** @typedef {import('../safetensors.js').TensorEntry} TensorEntry */

const WEIGHTS = 'model.safetensors';
/** What a model directory holds beside weights and manifest. */
const COMPANIONS = ['config.json', 'generation_config.json', 'tokenizer_config.json', 'vocab.json', 'target_vocab.json',
  'source.spm', 'target.spm', 'README.md', 'LICENSE'];
const [F32, F16, BF16, I8] = DTYPES.keys();
const ELEMENT_BYTES = [4, 2, 2, 1];
/** As in the core: a row that reaches no further than this is taken for zeros. */
const LEAST_SPAN = Math.fround(1e-30);

/** Matrices are quantised; positions are added, not multiplied, and stay. @param {TensorEntry} tensor */
const isMatrix = ({ name, shape }) => shape.length === 2 && shape[0] > 1 && !name.endsWith('.embed_positions.weight');

/** @param {number} half  bits of an IEEE half @returns {number} */
function fromHalf(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const mantissa = half & 1023;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + mantissa / 1024) * 2 ** (exponent - 15) : mantissa * 2 ** -24);
}

const word = new DataView(new ArrayBuffer(4));
/** @param {number} bits  the upper half of a float's @returns {number} */
function fromBfloat(bits) {
  word.setUint32(0, bits * 0x10000);
  return word.getFloat32(0);
}

/** @param {Uint8Array} bytes  whole elements @param {number} dtype @param {string} name  for messages */
function toFloats(bytes, dtype, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const floats = new Float32Array(bytes.length / ELEMENT_BYTES[dtype]);
  for (let i = 0; i < floats.length; i++) {
    if (dtype === F32) floats[i] = view.getFloat32(4 * i, true);
    else if (dtype === F16) floats[i] = fromHalf(view.getUint16(2 * i, true));
    else floats[i] = fromBfloat(view.getUint16(2 * i, true));
    if (!Number.isFinite(floats[i])) throw new HeedError(E_TENSOR_VALUE, `${name}: found ${floats[i]}`);
  }
  return floats;
}

/** One row to int8 and its scale, in the steps and roundings of k_quantize_weights. @param {Float32Array} row */
function quantizeRow(row) {
  const values = new Int8Array(row.length);
  let span = 0;
  for (const x of row) span = Math.max(span, Math.abs(x));
  if (span < LEAST_SPAN) return { values, scale: 0 };
  const inverse = Math.fround(127 / span);
  const magic = 12582912; // 1.5 * 2^23: adding it rounds to a whole number, ties to even
  for (let i = 0; i < row.length; i++) values[i] = Math.fround(Math.fround(row[i] * inverse) + magic) - magic;
  return { values, scale: Math.fround(span / 127) };
}

/** Numbers as a safetensors file holds them. @param {ArrayLike<number>} numbers */
function floatBytes(numbers) {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  for (let i = 0; i < numbers.length; i++) view.setFloat32(4 * i, numbers[i], true);
  return new Uint8Array(view.buffer);
}

/**
 * The new file's header, and where each of its tensors begins. Floats come first, so that they are aligned.
 *
 * @param {TensorEntry[]} tensors
 */
function layOut(tensors) {
  const floats = tensors.filter((t) => !isMatrix(t)).map(({ name, shape }) => ({ name, shape, dtype: 'F32' }));
  const matrices = tensors.filter(isMatrix);
  const scales = matrices
    .filter(({ dtype }) => dtype !== I8) // those that are int8 already have theirs
    .map(({ name, shape }) => ({ name: `${name}.scale`, shape: shape.slice(0, 1), dtype: 'F32' }));
  const bytes = matrices.map(({ name, shape }) => ({ name, shape, dtype: 'I8' }));
  /** @type {Record<string, object>} */
  const entries = { __metadata__: { format: 'pt' } };
  /** @type {Map<string, number>} */
  const begins = new Map();
  let end = 0;
  for (const { name, shape, dtype } of [...floats, ...scales, ...bytes]) {
    begins.set(name, end);
    const begin = end;
    end += shape.reduce((product, n) => product * n, dtype === 'F32' ? 4 : 1);
    entries[name] = { dtype, shape, data_offsets: [begin, end] };
  }
  const json = JSON.stringify(entries);
  const header = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8));
  const first = new Uint8Array(8 + header.length);
  new DataView(first.buffer).setUint32(0, header.length, true);
  first.set(header, 8);
  return { first, begins };
}

/** @param {string} from @param {string} to */
async function quantizeWeights(from, to) {
  const reader = new ChunkReader(await (await openSource(from)).open(WEIGHTS));
  try {
    const tensors = parseHeader(await reader.take(headerLength(await reader.take(8), WEIGHTS)), WEIGHTS);
    const { first, begins } = layOut(tensors);
    const out = await open(join(to, WEIGHTS), 'w');
    try {
      await out.write(first, 0, first.length, 0);
      const put = (/** @type {string} */ name, /** @type {number} */ at, /** @type {Uint8Array} */ bytes) =>
        out.write(bytes, 0, bytes.length, first.length + Number(begins.get(name)) + at);
      for (const tensor of tensors) await quantizeTensor(reader, tensor, put);
    } finally {
      await out.close();
    }
  } finally {
    await reader.close();
  }
}

/**
 * @param {ChunkReader} reader  at the tensor's bytes
 * @param {TensorEntry} tensor
 * @param {(name: string, at: number, bytes: Uint8Array) => Promise<unknown>} put
 */
async function quantizeTensor(reader, tensor, put) {
  const { name, shape, dtype, bytes } = tensor;
  const rows = isMatrix(tensor) ? shape[0] : 1;
  const rowBytes = bytes / rows;
  const scales = [];
  for (let row = 0; row < rows; row++) {
    const raw = await reader.take(rowBytes);
    if (raw.length < rowBytes) throw new HeedError(E_SAFETENSORS, `${WEIGHTS}: ${name}: the file is cut short`);
    if (dtype === I8) await put(name, row * rowBytes, raw);
    else if (!isMatrix(tensor)) await put(name, 0, floatBytes(toFloats(raw, dtype, name)));
    else {
      const { values, scale } = quantizeRow(toFloats(raw, dtype, name));
      await put(name, row * values.length, new Uint8Array(values.buffer));
      scales.push(scale);
    }
  }
  if (scales.length > 0) await put(`${name}.scale`, 0, floatBytes(scales));
}

/** @param {string} path */
async function describeFile(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { size: (await stat(path)).size, sha256: hash.digest('hex') };
}

/**
 * @param {string} from  a model directory
 * @param {string} to  a directory that does not exist or is empty
 * @returns {Promise<{ before: number, after: number }>}  bytes of the weights
 */
export async function quantize(from, to) {
  await mkdir(to, { recursive: true });
  if ((await readdir(to)).length > 0) throw new HeedError(E_FILE, `${to}: is not empty`);
  await quantizeWeights(from, to);
  const there = new Set(await readdir(from));
  for (const name of COMPANIONS) if (there.has(name)) await copyFile(join(from, name), join(to, name));

  const manifest = there.has('heed.json') ? JSON.parse(await readFile(join(from, 'heed.json'), 'utf8')) : { format: 1 };
  manifest.dtype = 'int8';
  manifest.files = {};
  for (const name of (await readdir(to)).sort()) manifest.files[name] = await describeFile(join(to, name));
  await writeFile(join(to, 'heed.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return { before: (await stat(join(from, WEIGHTS))).size, after: manifest.files[WEIGHTS].size };
}
