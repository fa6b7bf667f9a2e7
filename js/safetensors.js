// safetensors.js - the header of a safetensors file, held to the letter of the format; used by transformer.js.
//
//     u64 little-endian: n | n bytes of JSON, the first '{' | the tensors' bytes, tiled by data_offsets without a gap
//
//     { "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, …, "__metadata__": { "key": "text" } }

import { describe, parseJson } from './json.js';
import { Code, HeedError } from './wasm.js';

/** Longer headers are refused, as by the format's own reader. */
const MAX_HEADER = 100_000_000;

/** Element types of heed.h, and their bytes. @type {Record<string, { dtype: number, bytes: number } | undefined>} */
const DTYPES = Object.assign(Object.create(null), {
  F32: { dtype: 0, bytes: 4 },
  F16: { dtype: 1, bytes: 2 },
  BF16: { dtype: 2, bytes: 2 },
  I8: { dtype: 3, bytes: 1 },
});

/**
 * @typedef {object} TensorEntry
 * @property {string} name
 * @property {number} dtype  as in heed.h
 * @property {number[]} shape
 * @property {number} bytes  it takes in the data section
 */

/** @param {unknown} n */
const isCount = (n) => Number.isSafeInteger(n) && /** @type {number} */ (n) >= 0;

/** @param {string} message @returns {never} */
function refuse(message) {
  throw new HeedError(Code.SAFETENSORS, message);
}

/**
 * Bytes of the header, from the eight bytes before it.
 *
 * @param {Uint8Array} bytes  the file's first eight, or fewer if it has no more
 * @param {string} file  for messages
 */
export function headerLength(bytes, file) {
  if (bytes.length < 8) refuse(`${file}: found ${bytes.length} bytes, expected at least 8`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length < 2 || length > MAX_HEADER) {
    refuse(`${file}: found a header of ${length} bytes, expected 2 to ${MAX_HEADER}: not a safetensors file?`);
  }
  return length;
}

/** @param {string} where @param {string} name @param {unknown} entry @returns {TensorEntry & { begin: number }} */
function readEntry(where, name, entry) {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    refuse(`${where}: found ${describe(entry)}, expected an object`);
  }
  const { dtype, shape, data_offsets: offsets, ...rest } = /** @type {Record<string, any>} */ (entry);
  const extra = Object.keys(rest)[0];
  if (extra !== undefined) refuse(`${where}: unknown key ${JSON.stringify(extra)}`);
  if (typeof dtype !== 'string') refuse(`${where}: dtype: found ${describe(dtype)}, expected a string`);
  if (!Array.isArray(shape) || !shape.every(isCount)) {
    refuse(`${where}: shape: found ${describe(shape)}, expected an array of non-negative integers`);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount) || offsets[0] > offsets[1]) {
    refuse(`${where}: data_offsets: found ${describe(offsets)}, expected [begin, end]`);
  }
  const known = DTYPES[dtype];
  if (!known) {
    throw new HeedError(Code.TENSOR_DTYPE, `${where}: found dtype ${describe(dtype)}, expected F32, F16, BF16 or I8`);
  }
  let bytes = known.bytes;
  for (const n of shape) {
    bytes *= n;
    if (!Number.isSafeInteger(bytes)) refuse(`${where}: shape ${describe(shape)} is larger than any file`);
  }
  const [begin, end] = offsets;
  if (end - begin !== bytes) {
    refuse(`${where}: found ${end - begin} bytes, expected ${bytes} for ${dtype} ${describe(shape)}`);
  }
  return { name, dtype: known.dtype, shape, begin, bytes };
}

/**
 * The tensors in the order of their bytes, which they tile from 0 on.
 *
 * @param {Uint8Array} header  the JSON
 * @param {string} file  for messages
 * @returns {TensorEntry[]}
 */
export function parseHeader(header, file) {
  if (header[0] !== 0x7b) refuse(`${file}: the header does not begin with '{': not a safetensors file?`);
  const { __metadata__: metadata = {}, ...entries } = parseJson(header, file, Code.SAFETENSORS);
  if (typeof metadata !== 'object' || metadata === null || !Object.values(metadata).every((v) => typeof v === 'string')) {
    refuse(`${file}: __metadata__: found ${describe(metadata)}, expected an object of strings`);
  }
  const tensors = Object.entries(entries).map(([name, entry]) => readEntry(`${file}: ${name}`, name, entry));
  tensors.sort((a, b) => a.begin - b.begin || a.bytes - b.bytes);
  let end = 0;
  for (const { name, begin, bytes } of tensors) {
    if (begin !== end) {
      refuse(`${file}: ${name}: begins at ${begin}, expected ${end}: ${begin > end ? 'a hole before it' : 'it overlaps another'}`);
    }
    end += bytes;
  }
  return tensors;
}
