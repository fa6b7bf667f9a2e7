// bin.js - the arrays of Marian's .bin, as Firefox has its models. Every size is compared with the file before it is
// used. Used by marian.js.
//
//     u64 version = 1 | u64 N | N × { u64 bytes of the name, u64 type, u64 rank, u64 bytes of the data } |
//     N names, each ending with NUL | N shapes of i32 | u64 n, n bytes of padding | the data, in the same order
//
// All little-endian. The data may be longer than their shape needs; the rest is rubbish. An intgemm8 array of [r, c] is
// r·c int8 and a float32: see marian.js.

import { E_SAFETENSORS, E_TENSOR_DTYPE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, short } from '../base/json.js';
import {
  MAX_MARIAN_ELEMENTS, MAX_MARIAN_HEADER, MAX_MARIAN_ITEMS, MAX_MARIAN_NAME, MAX_MARIAN_RANK,
} from '../base/limits.js';
import { SETTINGS } from './marian-settings.js';

/** The types that heed reads. */
const READ = new Map([[0x404, 'float32'], [0x4101, 'intgemm8'], [0x101, 'int8']]);
/** The names of others, for messages. */
const REFUSED = new Map([
  [0x4102, 'intgemm16'], [0x402, 'float16'], [0x408, 'float64'], [0x102, 'int16'], [0x104, 'int32'], [0x108, 'int64'],
  [0x201, 'uint8'], [0x202, 'uint16'], [0x204, 'uint32'], [0x208, 'uint64'], [0x802, 'packed16'],
  [0x1801, 'packed8avx2'], [0x2801, 'packed8avx512'],
]);

const decoder = new TextDecoder();

/** @param {string} file @param {string} message @returns {never} */
function refuse(file, message) {
  throw new HeedError(E_SAFETENSORS, `${file}: ${message}`);
}

/** The bytes that an array needs. @param {string} type @param {number} elements */
const needed = (type, elements) => (type === 'float32' ? 4 * elements : type === 'intgemm8' ? elements + 4 : elements);

/**
 * The arrays in the order of the file.
 *
 * @param {import('./cursor.js').Cursor} cursor
 * @param {number} size  of the file
 * @returns {Promise<import('./marian.js').MarianArray[]>}
 */
export async function readBin(cursor, size) {
  const { file } = cursor;
  let at = 0;
  /** @param {number} bytes @param {string} what */
  const take = async (bytes, what) => {
    if (bytes > size - at) refuse(file, `cut short: found ${size - at} bytes, expected ${bytes} of ${what}`);
    const found = await cursor.read(at, bytes);
    if (found.length < bytes) refuse(file, `cut short: found ${found.length} bytes, expected ${bytes} of ${what}`);
    at += bytes;
    return new DataView(found.buffer, found.byteOffset, found.length);
  };
  // above 2^53 a number is inexact, but then it is above every limit
  const u64 = (/** @type {DataView} */ view, /** @type {number} */ i) =>
    view.getUint32(i, true) + view.getUint32(i + 4, true) * 2 ** 32;

  const start = await take(16, 'the beginning');
  const [version, count] = [u64(start, 0), u64(start, 8)];
  if (version !== 1) refuse(file, `found version ${version}, expected 1: not a file of Marian's?`);
  if (count > MAX_MARIAN_ITEMS) refuse(file, `found ${count} items, expected ${MAX_MARIAN_ITEMS} at most`);
  const headers = await take(32 * count, 'headers of items');
  const items = Array.from({ length: count }, (_, i) => {
    const [nameBytes, type, rank, bytes] = [0, 8, 16, 24].map((field) => u64(headers, 32 * i + field));
    const what = `item ${i + 1}`;
    if (nameBytes < 2 || nameBytes > MAX_MARIAN_NAME) {
      refuse(file, `${what}: found a name of ${nameBytes} bytes with its NUL, expected 2 to ${MAX_MARIAN_NAME}`);
    }
    if (rank > MAX_MARIAN_RANK) refuse(file, `${what}: found ${rank} dimensions, expected ${MAX_MARIAN_RANK} at most`);
    return { nameBytes, type, rank, bytes };
  });
  const total = items.reduce((sum, { nameBytes, rank }) => sum + nameBytes + 4 * rank, 0);
  if (total > MAX_MARIAN_HEADER) {
    refuse(file, `found names and shapes of ${total} bytes, expected ${MAX_MARIAN_HEADER} at most`);
  }
  const texts = await take(total, 'names and shapes');
  let place = 0;
  const names = items.map(({ nameBytes }, i) => {
    const bytes = new Uint8Array(texts.buffer, texts.byteOffset + place, nameBytes);
    place += nameBytes;
    if (bytes[nameBytes - 1] !== 0) refuse(file, `item ${i + 1}: the name does not end with NUL`);
    return decoder.decode(bytes.subarray(0, -1));
  });
  const seen = new Set();
  for (const name of names) {
    if (seen.has(name)) refuse(file, `${short(name)} occurs twice`);
    seen.add(name);
  }
  const shapes = items.map(({ rank }, i) => {
    const shape = Array.from({ length: rank }, (_, axis) => texts.getInt32(place + 4 * axis, true));
    place += 4 * rank;
    const elements = shape.reduce((product, n) => product * n, 1);
    if (shape.some((n) => n < 1) || elements > MAX_MARIAN_ELEMENTS) {
      const expected = 'numbers from 1, their product below 2^31';
      refuse(file, `${short(names[i])}: found shape ${describe(shape)}, expected ${expected}`);
    }
    return shape;
  });
  const padding = u64(await take(8, 'the size of the padding'), 0);
  if (padding > size - at) refuse(file, `found ${padding} bytes of padding in ${size - at}`);
  at += padding;

  return items.map(({ type: code, bytes }, i) => {
    const [name, shape] = [names[i], shapes[i]];
    const what = short(name);
    const type = READ.get(code);
    // int8 without a scale is text: the settings
    if (type === undefined || (type === 'int8') !== (name === SETTINGS)) {
      const found = type ?? REFUSED.get(code) ?? `type 0x${code.toString(16)}`;
      const expected = name === SETTINGS ? 'int8' : 'float32 or intgemm8';
      throw new HeedError(E_TENSOR_DTYPE, `${file}: ${what}: found ${found}, expected ${expected}`);
    }
    const own = needed(type, shape.reduce((product, n) => product * n, 1));
    if (bytes < own) refuse(file, `${what}: found ${bytes} bytes, expected ${own} for ${type} ${describe(shape)}`);
    if (bytes > size - at) refuse(file, `${what}: cut short: found ${size - at} bytes, expected ${bytes}`);
    const array = { name, type, shape, begin: at, bytes: own, reader: cursor };
    at += bytes;
    if (i === count - 1 && at < size) refuse(file, `found ${size - at} bytes after the last item`);
    return array;
  });
}
