// simd.js - which 128-bit SIMD this host has, and whether its relaxed dot product pays; used by module.js.

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

/** True if the host has WebAssembly SIMD at all. */
export const hasSimd = () => Boolean(globalThis.WebAssembly?.validate(SIMD128));

/**
 * What the relaxed dot product is here. Node 20 computes it wrongly behind its flag: 'none', it must not be used.
 * Outside its contract, with a second operand past 127, it shows the instruction behind it: x64's vpdpbusd and Arm's
 * sdot are fast; all else is a sequence that is hardly faster than plain SIMD128, or slower. A stopwatch cannot tell
 * them apart in the first milliseconds, when code is not yet optimised.
 *
 * @returns {'none' | 'slow' | 'fast'}
 */
export function relaxedDot() {
  if (!WebAssembly.validate(RELAXED)) return 'none';
  const { d } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(RELAXED)).exports);
  if (d(-128, 127) !== -65024 || d(127, 100) !== 50800) return 'none';
  const outside = d(127, -1);
  return outside === 129540 || outside === -508 ? 'fast' : 'slow';
}
