// marian-bin.js - files of weights as Marian writes them, with any lie in them. Used by the tests of formats/bin.js and
// by fuzz/seeds.js.

import { concat } from '../model-files.js';
import { u32, u64 } from './containers.js';

export const FLOAT32 = 0x404;
export const INTGEMM8 = 0x4101;
export const INT8 = 0x101;

/** The settings of a model of four numbers a piece, of which it has three. */
export const SETTINGS = `dec-cell: ssru
dec-depth: 1
dim-emb: 4
dim-vocabs:
  - 3
  - 3
enc-depth: 1
transformer-decoder-autoreg: rnn
transformer-dim-ffn: 4
transformer-ffn-activation: relu
transformer-heads: 2
transformer-preprocess: ""
transformer-postprocess: dan
transformer-tied-layers: []
input-types:
  []
type: transformer
`;

/**
 * data: with what follows it in the file. length, nameLength, rank: what is stated of it, if that is not so.
 *
 * @typedef {{ name: string, type: number, shape: number[], data: Uint8Array, length?: number, nameLength?: number,
 *   rank?: number, end?: number }} Item
 */

/** @param {ArrayLike<number>} numbers */
export const floats = (numbers) => new Uint8Array(Float32Array.from(numbers).buffer);
/** @param {ArrayLike<number>} numbers @param {number} q */
export const ints = (numbers, q) => concat(new Uint8Array(Int8Array.from(numbers).buffer), floats([q]));

/**
 * @param {Item[]} items
 * @param {{ version?: number, count?: number, padding?: number }} [lies]
 */
export function writeBin(items, { version = 1, count = items.length, padding } = {}) {
  const head = concat(
    u64(version), u64(count),
    ...items.map(({ name, type, shape, data, ...lies }) =>
      concat(u64(lies.nameLength ?? name.length + 1), u64(type), u64(lies.rank ?? shape.length),
        u64(lies.length ?? data.length))),
    ...items.map(({ name, end = 0 }) => concat(new TextEncoder().encode(name), Uint8Array.of(end))),
    ...items.map(({ shape }) => concat(...shape.map((n) => u32(n >>> 0)))),
  );
  const room = 256 - ((head.length + 8) % 256);
  // rubbish, as in real files
  return concat(head, u64(padding ?? room), new Uint8Array(room).fill(0xa5), ...items.map(({ data }) => data));
}
