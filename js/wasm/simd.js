// simd.js - which 128-bit SIMD this host has, and which relaxed dot product pays; used by module.js.

/** Does this host take a function body with these instructions? Types: (i32, i32) -> i32. @param {number[]} body */
const probe = (body) => new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, // magic, version
  1, 7, 1, 96, 2, 127, 127, 1, 127, // type 0: (i32, i32) -> i32
  3, 2, 1, 0, 7, 5, 1, 1, 100, 0, 0, // function 0 of type 0, exported as "d"
  10, body.length + 4, 1, body.length + 2, 0, ...body, 11,
]);

/** i32x4.extract_lane 0 (i32x4.dot_i16x8_s (i16x8.splat a) (i16x8.splat b)) */
const SIMD128 = probe([32, 0, 253, 16, 32, 1, 253, 16, 253, 186, 1, 253, 27, 0]);

/** i32x4.extract_lane 0 (i32x4.relaxed_dot_i8x16_i7x16_add_s (i8x16.splat a) (i8x16.splat b) (i32x4.splat 0)) */
const RELAXED = probe([32, 0, 253, 15, 32, 1, 253, 15, 65, 0, 253, 17, 253, 147, 2, 253, 27, 0]);

/** i16x8.extract_lane_s 0 (i16x8.relaxed_dot_i8x16_i7x16_s (i8x16.splat a) (i8x16.splat b)) */
const PAIRS = probe([32, 0, 253, 15, 32, 1, 253, 15, 253, 146, 2, 253, 24, 0]);

/** True if the host has WebAssembly SIMD at all. */
export const hasSimd = () => Boolean(globalThis.WebAssembly?.validate(SIMD128));

/** The function of a probe. @param {Uint8Array<ArrayBuffer>} bytes @returns {(a: number, b: number) => number} */
const compile = (bytes) => /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports).d;

/**
 * What the relaxed dot product is here. Node 20 computes it wrongly behind its flag: 'none', it must not be used.
 * Outside its contract, with a second operand past 127, it shows the instructions behind it. x64's vpdpbusd and Arm's
 * sdot are 'fast'. x64 without them adds pairs of products, which saturate, and then those: the first of these steps
 * alone is an instruction of wasm too, and products made of it are faster than of the whole, 'pairs'. All else is
 * 'slow', hardly faster than plain SIMD128. A stopwatch cannot tell them apart in the first milliseconds, when code is
 * not yet optimised.
 *
 * @returns {'none' | 'slow' | 'pairs' | 'fast'}
 */
export function relaxedDot() {
  if (!WebAssembly.validate(RELAXED)) return 'none';
  const dot = compile(RELAXED);
  if (dot(-128, 127) !== -65024 || dot(127, 100) !== 50800) return 'none';
  const outside = dot(127, -1);
  if (outside === 129540 || outside === -508) return 'fast';
  if (outside !== 65534) return 'slow';
  const pairs = compile(PAIRS);
  return pairs(-128, 127) === -32512 && pairs(127, 127) === 32258 ? 'pairs' : 'slow';
}
