// torch.js - a state_dict that can be changed, as torch.save() writes it: the entries of a zip archive, or pickles and
// storages one after another. Used by checkpoints.js.

import {
  dict, float64, int, list, long, op, pickle, pickles, tensor, text, tuple, u64,
} from '../hostile/containers.js';
import { concat } from '../model-files.js';
import { float, weightParts } from './model.js';
import { ALL, COUNTS, FLOATS, NAMES, oneOf, text as bytesOf } from './values.js';

/** @typedef {import('../hostile/containers.js').Entry} Entry */
/** @typedef {import('./model.js').Random} Random */

/**
 * A tensor of a state: `count` numbers of a type are in the storage of a key, whose bytes are `data`; undefined: those
 * that another tensor brings.
 *
 * @typedef {{ name: string, type: any, key: any, count: any, offset: any, shape: any, stride: any,
 *   data?: Uint8Array }} StateTensor
 */

/** A Python object. @param {any} x @returns {Uint8Array} */
function object(x) {
  if (Array.isArray(x)) return tuple(...x.map(object));
  if (typeof x === 'string') return text(x);
  if (typeof x === 'boolean') return op(x ? 0x88 : 0x89);
  if (typeof x !== 'number') return op(0x4e);
  if (Number.isInteger(x) && Math.abs(x) < 2 ** 63) return x === (x | 0) ? int(x) : long(BigInt(x));
  return concat(op(0x47), float64(x));
}

/** Names of tied copies. */
const COPIES = ['lm_head.weight', 'model.decoder.embed_tokens.weight'];

/** Of numbers in row order. @param {number[]} shape */
const strides = (shape) => shape.map((_, i) => shape.slice(i + 1).reduce((product, n) => product * n, 1));

/** Nothing is wrong with them. @param {import('./model.js').Part[]} [parts] @returns {StateTensor[]} */
export const stateTensors = (parts = weightParts()) =>
  parts.map(({ name, shape, data }, i) => ({
    name, type: 'FloatStorage', key: String(i), count: data.length / 4, offset: 0, shape, stride: strides(shape), data,
  }));

/** @param {StateTensor[]} tensors */
export const writeState = (tensors) =>
  pickle(
    dict(
      ...tensors.flatMap(({ name, type, key, count, offset, shape, stride }) => [
        object(name),
        tensor({
          type,
          key,
          count: object(count),
          offset: object(offset),
          shape: object(shape),
          stride: object(stride),
        }),
      ]),
    ),
  );

/** Storages in the order of their first tensor. @param {StateTensor[]} tensors @returns {Map<string, StateTensor>} */
const storages = (tensors) => new Map(tensors.filter(({ data }) => data).map((t) => [t.key, t]));

/** @param {Random} random @param {StateTensor[]} tensors  changed; their data is not */
export function changeState(random, tensors) {
  const at = random.below(tensors.length);
  const one = tensors[at];
  if (!one) return;
  const other = random.pick(tensors);
  const isWhole = Array.isArray(one.shape) && one.data && typeof one.count === 'number';
  const reshape = (/** @type {number[]} */ shape) => Object.assign(one, { shape, stride: strides(shape) });
  const fill = (/** @type {Uint8Array} */ data) => (one.data = data);
  const count = () => random.pick(random.once(2) ? COUNTS : ALL);
  const types = ['HalfStorage', 'BFloat16Storage', 'DoubleStorage', 'Storage', `${'L'.repeat(900)}Storage`];
  const sizes = (/** @type {number} */ n) => [n, n, 0, 1, 2 * n, 2 ** 32, 2 ** 53 - 1];
  /** Halves: their bits are any. @param {string} type */
  const halve = (type) => {
    if (!isWhole || one.type !== 'FloatStorage') return;
    one.type = type;
    fill((one.data ?? op()).slice(0, 2 * one.count));
  };
  oneOf(random, [
    () => (one.offset = count()),
    () => (one.count = count()),
    () => (one.key = random.pick([other.key, '', '../data.pkl', 'x'.repeat(3000), '__proto__', '1000'])),
    () => (one.type = random.pick(types)),
    () => (one.shape = random.pick(ALL)),
    () => (one.stride = random.pick(ALL)),
    () => Array.isArray(one.shape) && (one.shape = one.shape.map((n) => (random.once(2) ? count() : n))),
    () => Array.isArray(one.stride) && (one.stride = one.stride.map((n) => (random.once(2) ? count() : n))),
    () =>
      isWhole &&
      reshape(random.pick([[], [...one.shape, 1], [1, ...one.shape], one.shape.toReversed(), [one.count]])),
    () => isWhole && reshape(one.shape.map((/** @type {number} */ n) => random.pick(sizes(n)))),
    () => reshape(new Array(random.below(10)).fill(2 ** 52 + 1)),
    () => (one.name = random.pick([other.name, 'lm_head.weight', `${one.name}.scale`, 'n'.repeat(3000), ...NAMES])),
    () => tensors.splice(at, 1),
    () => tensors.splice(random.below(tensors.length), 0, tensors.splice(at, 1)[0]),
    () => tensors.push({ ...one, data: undefined, name: random.pick(COPIES) }),
    () => ([one.key, other.key] = [other.key, one.key]),
    // two in one storage
    () => {
      if (!isWhole || !other.data || one === other || typeof other.count !== 'number') return;
      const begin = one.count;
      one.count = other.count = begin + other.count;
      fill(concat(one.data ?? op(), other.data));
      Object.assign(other, { key: one.key, data: undefined, offset: begin + (random.once(4) ? 1 : 0) });
    },
    () => halve('HalfStorage'),
    () => halve('BFloat16Storage'),
    () => fill((one.data ?? op()).slice(0, random.below(300))),
    () => fill(Uint8Array.from(one.data ?? op(), (byte) => (random.once(16) ? random.below(256) : byte))),
    () => one.data && one.data.length >= 4 && fill(concat(one.data.subarray(4), float(random.pick(FLOATS)))),
  ]);
}

/** The entries of torch.save(). @param {StateTensor[]} tensors @param {Uint8Array} state @returns {Entry[]} */
export const torchEntries = (tensors, state) => [
  { name: 'archive/data.pkl', data: state },
  { name: 'archive/byteorder', data: bytesOf('little') },
  ...Array.from(storages(tensors), ([key, { data = op() }]) => ({
    name: `archive/data/${key}`,
    data,
    localExtra: op(0x46, 0x42, 1, 0, 0x5a), // a field that aligns, as torch.save() has it
  })),
  { name: 'archive/version', data: bytesOf('3\n') },
];

/** The pickles of the format before 1.6. @param {StateTensor[]} tensors */
export const legacyPickles = (tensors) =>
  pickles({ state: writeState(tensors), keys: list(...[...storages(tensors).keys()].map(text)) });

/** And what follows. @param {StateTensor[]} tensors */
export const legacyStorages = (tensors) =>
  concat(
    ...Array.from(storages(tensors), ([, { data = op(), count }]) =>
      concat(u64(Number.isInteger(count) && Math.abs(count) < 2 ** 63 ? count : 0), data)),
  );
