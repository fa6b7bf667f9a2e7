// safetensors.js - reads safetensors files, with a strict check of the header; used by load.js and convert/.
//
//     u64 little-endian: n | n bytes of JSON, the first '{' | the tensors' bytes, tiled by data_offsets without a gap
//
//     { "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, …, "__metadata__": { "key": "text" } }

import { DTYPES, E_SAFETENSORS, E_TENSOR_DTYPE, WIDTHS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, mismatch, parseJson, short } from '../base/json.js';
import { MAX_SAFETENSORS_HEADER } from '../base/limits.js';
import { ChunkReader } from '../files/source.js';

/**
 * @typedef {object} TensorEntry
 * @property {string} name
 * @property {number} dtype  F32, F16, BF16 or I8
 * @property {number[]} shape
 * @property {number} bytes  it takes in the data section
 * @property {string} [file]  that has it, if the weights are in several
 */

/**
 * An open file of weights in any format, for load.js and convert/. `next` and `skip` are those of ChunkReader, and
 * cover only the bytes of the tensors, in order; `skip` is cheap.
 *
 * @typedef {Pick<ChunkReader, 'next' | 'skip' | 'close'> & {
 *   file: string,
 *   tensors: TensorEntry[],
 *   head: number,
 *   size?: number,
 *   verify?: (error: unknown) => Promise<void>,
 * }} Weights  file: for messages; head: bytes of the file that belong to no tensor, minus those that several tensors
 *   share; size: of the file, if it is not head plus all tensors; verify: call it after an error: throws a better one
 *   if there is one
 */

/** @param {unknown} n */
const isCount = (n) => Number.isSafeInteger(n) && /** @type {number} */ (n) >= 0;

/** @param {string} message @returns {never} */
function refuse(message) {
  throw new HeedError(E_SAFETENSORS, message);
}

/**
 * The size of the header, from the eight bytes before it.
 *
 * @param {Uint8Array} bytes  the file's first eight, or fewer if it has no more
 * @param {string} file  for messages
 */
export function headerLength(bytes, file) {
  if (bytes.length < 8) refuse(`${file}: found ${bytes.length} bytes, expected at least 8`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  const length = view.getUint32(0, true) + view.getUint32(4, true) * 2 ** 32;
  if (length < 2 || length > MAX_SAFETENSORS_HEADER) {
    const expected = `2 to ${MAX_SAFETENSORS_HEADER}`;
    refuse(`${file}: found a header of ${length} bytes, expected ${expected}: not a safetensors file?`);
  }
  return length;
}

/** @param {string} where @param {string} name @param {any} entry @returns {TensorEntry & { begin: number }} */
function readEntry(where, name, entry) {
  const { dtype, shape, data_offsets: offsets } = entry ?? {};
  if (!Array.isArray(shape) || !shape.every(isCount)) {
    refuse(mismatch(`${where}: shape`, shape, 'an array of non-negative integers'));
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    refuse(mismatch(`${where}: data_offsets`, offsets, '[begin, end]'));
  }
  const type = DTYPES.indexOf(dtype);
  if (type < 0) throw new HeedError(E_TENSOR_DTYPE, mismatch(`${where}: dtype`, dtype, `one of ${DTYPES}`));
  // above 2^53 a product is inexact, but then it equals no difference of two offsets, which are below 2^53
  const bytes = shape.reduce((product, n) => product * n, WIDTHS[type]);
  const [begin, end] = offsets;
  if (end - begin !== bytes) {
    refuse(`${where}: found ${end - begin} bytes, expected ${bytes} for ${dtype} ${describe(shape)}`);
  }
  return { name, dtype: type, shape, begin, bytes };
}

/**
 * The tensors in the order of their bytes. They must cover all bytes from 0 on without gaps.
 *
 * @param {Uint8Array} header  the JSON
 * @param {string} file  for messages
 * @returns {TensorEntry[]}
 */
export function parseHeader(header, file) {
  if (header[0] !== 0x7b) refuse(`${file}: the header does not begin with '{': not a safetensors file?`);
  const { __metadata__: metadata = {}, ...entries } = parseJson(header, file, E_SAFETENSORS);
  if (
    typeof metadata !== 'object' ||
    metadata === null ||
    !Object.values(metadata).every((v) => typeof v === 'string')
  ) {
    refuse(mismatch(`${file}: __metadata__`, metadata, 'an object of strings'));
  }
  const tensors = Object.entries(entries).map(([name, entry]) => readEntry(`${file}: ${short(name)}`, name, entry));
  tensors.sort((a, b) => a.begin - b.begin || a.bytes - b.bytes);
  let end = 0;
  for (const { name, begin, bytes } of tensors) {
    if (begin !== end) {
      refuse(`${file}: ${short(name)}: begins at ${begin}, expected ${end}: ${begin > end ? 'a hole' : 'an overlap'}`);
    }
    end += bytes;
  }
  return tensors;
}

/**
 * @param {import('../files/source.js').Chunks} chunks  of the file; closed when this fails
 * @param {string} file
 * @returns {Promise<Weights>}
 */
export async function openSafetensors(chunks, file) {
  const reader = new ChunkReader(chunks);
  try {
    const length = headerLength(await reader.take(8), file);
    const header = await reader.take(length);
    if (header.length < length) refuse(`${file}: cut short: found ${header.length} of ${length} bytes of header`);
    return Object.assign(reader, { file, tensors: parseHeader(header, file), head: 8 + length });
  } catch (error) {
    await reader.verify(error).finally(() => reader.close());
    throw error;
  }
}
