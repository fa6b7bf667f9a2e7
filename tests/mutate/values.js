// values.js - replacement values for a field: numbers at the limits of every type, and values that are not
// numbers. Used by mutations.js and fields.js.

const encoder = new TextEncoder();
/** Bytes of a text. @param {string} s */
export const text = (s) => encoder.encode(s);

export const COUNTS = [
  0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 19, 20, 21, 64, 65, 255, 256, 257, 1024, 65535, 65536, 65537, 2 ** 24,
  2 ** 24 + 1, 1e9, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 8, 2 ** 53, 2 ** 53 + 2, 2 ** 60, 2 ** 63,
  2 ** 64, 1e300,
];
const OTHERS = [
  -1, -8, -(2 ** 31), -(2 ** 53), 0.5, -0.5, 7.999999, null, true, false, '', '8', 'swish', [], [8], [[0]], {},
  { a: 1 },
];
export const ALL = [...COUNTS, ...OTHERS];
export const FLOATS = [0, -0, 1, -1, 1e-45, -1e-38, 3e38, -3e38, NaN, Infinity, -Infinity, 1e20, 127, 0.1];
export const DTYPES = ['F32', 'F16', 'BF16', 'I8', 'F64', 'I64', 'U8', 'BOOL', 'f32', '', 'toString'];
export const NAMES = [
  '__proto__', 'constructor', 'toString', '__metadata__', '', 'a', '</s>', '<unk>', '>>deu<<', '\u2581', '\0', '\ud83d',
];
export const SURFACES = [
  '', '\0', 'a\0b', '\u2581', 'a', '<0x41>', '<0xZZ>', '>>fra<<', 'x'.repeat(1024), 'x'.repeat(1025), '\ud83d\ude00',
  'ab', '</s>',
];

/** One of a list: all of them alike. @param {import('./model.js').Random} random @param {(() => void)[]} ways */
export const oneOf = (random, ways) => random.pick(ways)();
