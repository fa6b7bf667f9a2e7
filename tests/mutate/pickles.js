// pickles.js - pickles with something wrong in them: they are taken apart into instructions, of which some are left
// out, repeated, exchanged or given another argument. Used by checkpoints.js.

import { float64, number, op } from '../hostile/containers.js';
import { concat } from '../model-files.js';
import { COUNTS, FLOATS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('./model.js').Random} Random */
/**
 * One opcode; of a text or long integer `lengthBytes` of length stand before it, which `stated` may belie.
 *
 * @typedef {{ code: number, argument: Uint8Array, lengthBytes: number, stated?: number }} Instruction
 */

/** Bytes of arguments; those not listed have none. */
const FIXED = { 0x80: 1, 0x95: 8, 0x4a: 4, 0x4b: 1, 0x4d: 2, 0x47: 8, 0x71: 1, 0x72: 4, 0x68: 1, 0x6a: 4 };
/** Bytes of the length before an argument. */
const COUNTED = { 0x8a: 1, 0x8c: 1, 0x58: 4 };
/** Two lines. */
const GLOBAL = 0x63;
/** All that are read, some that are not. */
const CODES = [
  0x80, 0x95, 0x2e, 0x28, 0x30, 0x4e, 0x88, 0x89, 0x4a, 0x4b, 0x4d, 0x8a, 0x47, 0x8c, 0x58, 0x29, 0x5d, 0x85, 0x86,
  0x87, 0x74, 0x61, 0x65, 0x7d, 0x73, 0x75, 0x71, 0x72, 0x94, 0x68, 0x6a, 0x63, 0x93, 0x52, 0x51, 0x62,
  0x00, 0x31, 0x32, 0x42, 0x50, 0x69, 0x6f, 0x81, 0x82, 0x8b, 0x8d, 0x8f, 0x92, 0x97, 0xff,
];
const TEXTS = [
  ...NAMES, 'storage', 'cpu', '0', '1', '7', 'torch', 'FloatStorage', 'collections', 'OrderedDict', 'os', 'system',
  'model.shared.weight', 'final_logits_bias', 'lm_head.weight', 'x'.repeat(255), 'y'.repeat(5000),
];
const GLOBALS = [
  'torch\nFloatStorage\n', 'torch\nHalfStorage\n', 'torch\nBFloat16Storage\n', 'torch\nDoubleStorage\n',
  `torch\n${'A'.repeat(3000)}Storage\n`, 'collections\nOrderedDict\n', 'torch._utils\n_rebuild_tensor_v2\n',
  'os\nsystem\n',   `${'m'.repeat(3000)}\nn\n`, '\n\n', 'torch\n', '',
];

/** @param {number} code @param {Uint8Array} [argument] @returns {Instruction} */
const instruction = (code, argument = new Uint8Array()) => ({
  code,
  argument,
  lengthBytes: COUNTED[/** @type {keyof typeof COUNTED} */ (code)] ?? 0,
});

/** @param {Uint8Array} bytes  pickles that nothing is wrong with @returns {Instruction[]} */
export function takeApart(bytes) {
  const list = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 0; at < bytes.length; ) {
    const one = instruction(bytes[at++]);
    if (one.lengthBytes) {
      const length = one.lengthBytes === 1 ? bytes[at] : view.getUint32(at, true);
      at += one.lengthBytes;
      one.argument = bytes.subarray(at, at + length);
    } else if (one.code === GLOBAL) {
      one.argument = bytes.subarray(at, bytes.indexOf(10, bytes.indexOf(10, at) + 1) + 1);
    } else one.argument = bytes.subarray(at, at + (FIXED[/** @type {keyof typeof FIXED} */ (one.code)] ?? 0));
    at += one.argument.length;
    list.push(one);
  }
  return list;
}

/** @param {Instruction[]} list */
export const putTogether = (list) =>
  concat(
    ...list.flatMap(({ code, argument, lengthBytes, stated }) => [
      op(code),
      number(stated ?? argument.length, lengthBytes),
      argument,
    ]),
  );

/** The object remembered as i, twice in a tuple. */
const twice = (/** @type {number} */ i) => op(0x28, 0x68, i, 0x68, i, 0x74, 0x71, i + 1, 0x30);
/** A tuple of the one before, twice, and so on: a text of it would be longer than any memory. */
const DOUBLED = takeApart(
  concat(op(0x5d, 0x71, 0, 0x30), ...Array.from({ length: 60 }, (_, i) => twice(i)), op(0x68, 60)),
);
/** A tuple in a tuple in a tuple … */
const NESTED = [instruction(0x29, new Uint8Array(30_000).fill(0x85))];
/** A list that holds itself. */
const ROUND = takeApart(op(0x5d, 0x71, 0, 0x68, 0, 0x61));

/** The same object, pushed in another way. @param {Instruction} one @returns {Instruction[]} */
function otherwise({ code, argument, ...rest }) {
  if (code === 0x58 && argument.length < 256) return [instruction(0x8c, argument)];
  if (code === 0x4a) return [instruction(0x8a, argument)];
  if (code === GLOBAL) {
    const [module, name] = new TextDecoder().decode(argument).split('\n');
    return [instruction(0x58, text(module)), instruction(0x8c, text(name)), instruction(0x93)];
  }
  return [{ code, argument, ...rest }];
}

/** @param {Random} random @param {Instruction} one */
function changeArgument(random, one) {
  const { code, argument } = one;
  if (code === GLOBAL) one.argument = text(random.pick(GLOBALS));
  else if (one.lengthBytes && random.once(4)) one.stated = random.pick(COUNTS.slice(0, -1));
  else if (code === 0x8a) one.argument = Uint8Array.from({ length: random.below(18) }, () => random.below(256));
  else if (one.lengthBytes)
    one.argument = random.once(8) ? op(0xff, 0xc0, 0x80) : text(random.pick(TEXTS));
  else if (code === 0x47) one.argument = float64(random.pick(FLOATS));
  else one.argument = number(random.pick(random.once(2) ? COUNTS.slice(0, -1) : [0, 1, 2, 3, 8, 20]), argument.length);
}

/** @param {Random} random */
function anyInstruction(random) {
  const one = instruction(random.pick(CODES));
  one.argument = new Uint8Array(FIXED[/** @type {keyof typeof FIXED} */ (one.code)] ?? 0);
  changeArgument(random, one);
  return one;
}

/** @param {Random} random @param {Instruction[]} list  changed @returns {Instruction[]} */
export function changeInstructions(random, list) {
  const at = random.below(list.length);
  const [one, other] = [list[at], random.below(list.length)];
  if (!one) return list;
  const copy = { ...one };
  const stretch = () => list.slice(other, other + 1 + random.below(30));
  oneOf(random, [
    () => list.splice(at, 1),
    () => list.splice(at, 1 + random.below(30)),
    () => list.splice(at, 0, one),
    () => ([list[at], list[other]] = [list[other], one]),
    () => list.splice(other, 0, list.splice(at, 1)[0]),
    () => list.splice(at, 0, ...stretch()),
    () => list.splice(at, 0, anyInstruction(random)),
    () => (list[at] = anyInstruction(random)),
    () => (list[at] = { ...one, code: random.pick(CODES) }),
    () => list.splice(at, 1, ...random.pick([DOUBLED, NESTED, ROUND])),
    () => random.once(8) && (list.length = at),
    () => (list = list.flatMap(otherwise)),
    () => (list = list.flatMap((each) => (random.once(8) ? otherwise(each) : [each]))),
    // remembered, and taken from there
    () => list.splice(at + 1, 0, instruction(0x94), instruction(0x30), instruction(0x68, op(random.below(2)))),
    ...[1, 2, 3, 4].map(() => () => {
      changeArgument(random, copy);
      list[at] = copy;
    }),
  ]);
  return list;
}
