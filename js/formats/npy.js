// npy.js - the arrays of a NumPy archive (.npz: a zip of .npy), by name; used by marian.js.
//
//     "\x93NUMPY" | u8 version, u8 | u16 (version 1) or u32 n | n bytes: {'descr': '<f4', 'fortran_order': False,
//     'shape': (2, 3), } | the numbers

import { E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, short } from '../base/json.js';
import { MAX_NUMPY_HEADER } from '../base/limits.js';
import { EntryReader, readZip } from './zip.js';

/**
 * @typedef {object} NumpyArray
 * @property {string} name  without .npy
 * @property {string} type  `<f4`
 * @property {number[]} shape
 * @property {number} begin  of the numbers in the entry
 * @property {number} bytes
 * @property {number} at  of the entry in the file
 * @property {EntryReader} reader
 */

const MAGIC = '\x93NUMPY';

/**
 * @param {import('./cursor.js').Cursor} cursor
 * @param {import('./zip.js').Entry} entry
 * @returns {Promise<NumpyArray>}
 */
async function readArray(cursor, entry) {
  const what = `${cursor.file}: ${short(entry.name)}`;
  const refuse = (/** @type {string} */ message) => {
    throw new HeedError(E_SAFETENSORS, `${what}: ${message}`);
  };
  const reader = new EntryReader(cursor, entry);
  const start = await reader.read(0, 12);
  const text = (/** @type {Uint8Array} */ bytes) => String.fromCharCode(...bytes);
  if (start.length < 12 || text(start.subarray(0, 6)) !== MAGIC || start[6] < 1 || start[6] > 3) {
    refuse('found no NumPy array of version 1, 2 or 3');
  }
  const wide = start[6] > 1;
  const view = new DataView(start.buffer, start.byteOffset);
  const length = wide ? view.getUint32(8, true) : view.getUint16(8, true);
  const from = wide ? 12 : 10;
  if (length > MAX_NUMPY_HEADER || from + length > entry.size) {
    refuse(`found a header of ${length} bytes in ${entry.size}`);
  }
  const header = new TextDecoder().decode(await reader.read(from, length));
  const field = (/** @type {RegExp} */ pattern) => pattern.exec(header)?.[1] ?? '';
  const type = field(/'descr': *'([^']*)'/);
  const width = Number(field(/'descr': *'[<|=][a-zA-Z](\d+)'/));
  const dims = field(/'shape': *\(([\d, ]*)\)/);
  const shape = dims.split(',').map((n) => n.trim()).filter((n) => n !== '').map(Number);
  const isShape = /'shape': *\([\d, ]*\)/.test(header) && shape.length <= 8;
  if (!width || !isShape) refuse('found no type and shape of an array');
  if (!/'fortran_order': *False/.test(header)) refuse('expected numbers in row order');
  // above 2^53 a product is inexact, but then it equals no size
  const bytes = shape.reduce((product, n) => product * n, width);
  if (bytes !== entry.size - from - length) {
    refuse(`found ${entry.size - from - length} bytes, expected ${bytes} for ${short(type)} ${describe(shape)}`);
  }
  await reader.close();
  return { name: entry.name.replace(/\.npy$/, ''), type, shape, begin: from + length, bytes, at: entry.at, reader };
}

/**
 * The arrays in the order of their bytes.
 *
 * @param {import('./cursor.js').Cursor} cursor
 * @param {number} size  of the file
 * @returns {Promise<NumpyArray[]>}
 */
export async function readNpz(cursor, size) {
  const arrays = [];
  for (const entry of (await readZip(cursor, size)).values()) arrays.push(await readArray(cursor, entry));
  return arrays;
}
