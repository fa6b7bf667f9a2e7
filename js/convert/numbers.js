// numbers.js - converts element types of files to floats and back: IEEE halves, bfloat16, int8 rows with a scale; used
// by convert.js. Every host is little-endian, because wasm is.

import { F16, F32, I8, WIDTHS } from '../base/constants.js';

/** As in the core: a row with smaller values counts as zeros. */
const LEAST_SPAN = Math.fround(1e-30);

const one = new Float32Array(1);
const bitsOfOne = new Uint32Array(one.buffer);

/** @param {number} half  bits of an IEEE half @returns {number} */
function fromHalf(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const mantissa = half & 1023;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + mantissa / 1024) * 2 ** (exponent - 15) : mantissa * 2 ** -24);
}

/** All halves as floats. @type {Float32Array | undefined} */
let halves;

/**
 * Bits of the half nearest to a float, ties to even; infinity from 65520 on.
 *
 * @param {number} x  finite
 */
function toHalf(x) {
  one[0] = x;
  const bits = bitsOfOne[0];
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    // normal: the exponent counts from 15 instead of 127, and 13 bits of the mantissa are rounded away
    const rounded = magnitude - 0x38000000 + 0x0fff + ((magnitude >>> 13) & 1);
    return sign | (rounded >>> 13);
  }
  // subnormal: a multiple of 2^-24; adding 0.5 leaves it in the last bits of the mantissa
  one[0] = Math.abs(x) + 0.5;
  return sign | (bitsOfOne[0] - 0x3f000000);
}

/**
 * Floats of a file's elements.
 *
 * @param {Uint8Array} bytes  whole elements, at the beginning of their buffer
 * @param {number} dtype
 * @returns {Float32Array}  for F32 the same memory
 */
export function toFloats(bytes, dtype) {
  const count = bytes.length / WIDTHS[dtype];
  const buffer = /** @type {ArrayBuffer} */ (bytes.buffer);
  if (dtype === F32) return new Float32Array(buffer, 0, count);
  if (dtype === I8) return new Float32Array(new Int8Array(buffer, 0, count));
  const words = new Uint16Array(buffer, 0, count);
  const floats = new Float32Array(count);
  if (dtype === F16) {
    halves ??= Float32Array.from({ length: 65536 }, (_, half) => fromHalf(half));
    for (let i = 0; i < count; i++) floats[i] = halves[words[i]];
  } else {
    const bits = new Uint32Array(floats.buffer);
    for (let i = 0; i < count; i++) bits[i] = words[i] << 16;
  }
  return floats;
}

/**
 * Bytes of floats in a file.
 *
 * @param {Float32Array} floats
 * @param {number} dtype  F32 or F16
 */
export function fromFloats(floats, dtype) {
  const array = dtype === F32 ? floats : new Uint16Array(floats.length);
  if (dtype !== F32) for (let i = 0; i < floats.length; i++) array[i] = toHalf(floats[i]);
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * The index of the first float that is not finite in a type, or -1: F16 ends below 65520.
 *
 * @param {Float32Array} floats
 * @param {number} dtype
 */
export function findNonFinite(floats, dtype) {
  const bound = dtype === F16 ? 65520 : Infinity;
  for (let i = 0; i < floats.length; i++) if (!(Math.abs(floats[i]) < bound)) return i;
  return -1;
}

/** Converts a row to int8 and its scale, with the same rounding as k_quantize_weights. @param {Float32Array} row */
export function quantizeRow(row) {
  const values = new Int8Array(row.length);
  let span = 0;
  for (let i = 0; i < row.length; i++) span = Math.max(span, Math.abs(row[i]));
  if (span < LEAST_SPAN) return { values, scale: 0 };
  const inverse = Math.fround(127 / span);
  const magic = 12582912; // 1.5 * 2^23: adding it rounds to a whole number, ties to even
  for (let i = 0; i < row.length; i++) values[i] = Math.fround(Math.fround(row[i] * inverse) + magic) - magic;
  return { values, scale: Math.fround(span / 127) };
}
