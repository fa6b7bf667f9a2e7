// marian.js - weights that can be changed, as Marian writes them: the arrays of an .npz under Marian's names, with its
// settings among them. Used by checkpoints.js.

import { npy } from '../hostile/containers.js';
import { concat } from '../model-files.js';
import { float, PIECE_COUNT, weightParts } from './model.js';
import { COUNTS, FLOATS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('./model.js').Random} Random */

const F32 = '<f4';
const I1 = '|i1';

/**
 * An .npy: its header is made of `descr`, `order`, `dims`, unless there is another; undefined `length`: the header's.
 *
 * @typedef {{ name: string, descr: string, order: string, shape: number[], dims?: string, header?: string,
 *   version?: number, length?: number, data: Uint8Array }} NumpyPart
 */

/** Marian's name for one of Hugging Face's. @param {string} name */
function marianName(name) {
  if (name === 'model.shared.weight') return 'Wemb';
  if (name === 'final_logits_bias') return 'decoder_ff_logit_out_b';
  const [, side, , rest] = /^model\.(\w+)\.layers\.(0)\.(.*)$/.exec(name) ?? [];
  const own = rest
    .replace(/^self_attn/, 'self')
    .replace(/^encoder_attn/, 'context')
    .replace(/^final_layer_norm\.(.*)$/, 'ffn_ffn_ln_$1')
    .replace(/_layer_norm\.(.*)$/, '_Wo_ln_$1')
    .replace(/^fc(\d)\.(\w).*$/, (_, n, kind) => `ffn_${kind === 'w' ? 'W' : 'b'}${n}`)
    .replace(/\.(q|k|v|out)_proj\.(\w).*$/, (_, of, kind) => `_${kind === 'w' ? 'W' : 'b'}${of[0]}`)
    .replace(/_ln_weight$/, '_ln_scale');
  return `${side}_l1_${own}`;
}

/** Columns as rows. @param {Uint8Array} data @param {number} rows @param {number} cols */
function turned(data, rows, cols) {
  const values = new Float32Array(data.slice().buffer);
  const other = values.map((_, i) => values[(i % rows) * cols + Math.floor(i / rows)]);
  return new Uint8Array(other.buffer);
}

const SETTINGS = [
  'dim-emb: 8', 'enc-depth: 1', 'dec-depth: 1', 'transformer-heads: 2', 'transformer-dim-ffn: 8', 'type: transformer',
  'transformer-ffn-activation: swish', 'transformer-preprocess: ""', 'transformer-postprocess: dan',
  'dim-vocabs: [20, 20]', 'tied-embeddings-all: true', 'vocabs:', '  - a.spm', '  - b.spm',
];

/** @param {string[]} lines @returns {NumpyPart} */
const settingsPart = (lines) => {
  const data = text(lines.join('\n') + '\n\0');
  return { name: 'special:model.yml', descr: I1, order: 'False', shape: [data.length], data };
};

/** Nothing is wrong with them. @type {NumpyPart[]} */
export const numpyParts = [
  ...weightParts().map(({ name, shape, data }) => {
    const own = marianName(name);
    const isMatrix = shape.length === 2 && own.includes('_W');
    const [rows, cols] = shape.length === 1 ? [1, ...shape] : shape;
    return {
      name: own, descr: F32, order: 'False',
      shape: isMatrix ? [cols, rows] : [rows, cols], data: isMatrix ? turned(data, rows, cols) : data,
    };
  }),
  settingsPart(SETTINGS),
];

/** @param {NumpyPart} part */
export function writeNpy({ descr, order, shape, data, ...part }) {
  const dims = part.dims ?? (shape.length === 1 ? `${shape},` : shape.join(', '));
  const header = part.header ?? `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (${dims}), }`;
  return npy(header.padEnd(118) + '\n', data, part.version ?? 1, part.length);
}

const DESCRS = [
  '<f2', '<f8', '>f4', '|O', '|V4', '=f4', '<i4', 'f4', '<f', '<f0', '<f00000004', '<c8', '',
  `<f${'4'.repeat(2000)}`, `<f${'0'.repeat(2000)}4`,
];
const DIMS = [
  '', ',', '8', '8,', '8,,8', '8 8', '-8, 8', '8.0, 8', '0, 8', '0x8, 8', '99999999999999999999, 8',
  '18446744073709551617, 8',   '1, '.repeat(9), '9'.repeat(400), '0, 99999999999', '1,1,1,1,1,1,64', '0',
];
const HEADERS = [
  '', '{}', '(', "'descr': '<f4'", "{'shape': (8, 8), 'fortran_order': False, 'descr': '<f4'}", ' '.repeat(70_000),
  "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8, 8), }", '\0'.repeat(100),
];
const LINES = [
  'dim-emb: 0', 'dim-emb: -8', 'dim-emb: 1e9', 'dim-emb: 16', 'transformer-heads: 3', 'enc-depth: 1000000000',
  'enc-depth:', 'type: s2s', `type: ${'t'.repeat(3000)}`, `transformer-heads: ${'9'.repeat(3000)}`,
  'transformer-ffn-activation: relu', 'transformer-preprocess: n', 'transformer-postprocess: da',
  'transformer-postprocess-top: n', '- x', ':', '\t', 'x'.repeat(70_000), '__proto__: 1', 'dim-emb: "8"', 'vocabs: x',
  'transformer-decoder-autoreg: rnn',
];

/** @param {Random} random @param {NumpyPart[]} arrays  changed; their data is not */
export function changeArrays(random, arrays) {
  const at = random.below(arrays.length);
  const one = arrays[at];
  if (!one) return;
  const other = random.pick(arrays);
  const { data } = one;
  const { shape } = one;
  const shapes = [
    [], [...shape, 1], [1, ...shape], shape.toReversed(), [PIECE_COUNT - 1, 8], [3, PIECE_COUNT],
  ];
  const names = [
    ...NAMES, other.name, `${one.name}_pre`, one.name.replace('_l1_', '_l2_'), 'encoder_Wemb', 'decoder_Wemb',
    'decoder_ff_logit_out_W', 'decoder_top_ln_scale', 'encoder_emb_ln_bias', 'special:model.yml', 'n'.repeat(3000),
    'encoder_l999_self_Wq',
  ];
  const resize = (/** @type {number[]} */ to) => {
    const n = to.reduce((product, d) => product * d, 4);
    Object.assign(one, { shape: to, data: Uint8Array.from({ length: n }, (_, i) => data[i % data.length] ?? 0) });
  };
  oneOf(random, [
    () => (one.descr = random.pick(DESCRS)),
    () => (one.dims = random.pick(DIMS)),
    () => (one.shape = one.shape.map((n) => (random.once(2) ? random.pick(COUNTS) : n))),
    () => resize(one.shape.map((n) => random.pick([n, n, 0, 1, n + 1, 2 * n, 64]))),
    () => resize(random.pick(shapes)),
    () => (one.order = random.pick(['True', 'true', '', '0'])),
    () => (one.version = random.pick([0, 2, 2, 3, 4, 255])),
    () => (one.length = random.pick([...COUNTS.slice(0, 18), 117, 118, 120])),
    () => (one.header = random.pick(HEADERS)),
    () => (one.name = random.pick(names)),
    () => arrays.push({ ...one, name: random.pick(names) }),
    () => arrays.splice(at, 1),
    () => arrays.splice(random.below(arrays.length), 0, arrays.splice(at, 1)[0]),
    () => ([one.data, other.data] = [other.data, one.data]),
    () => Object.assign(one, { descr: '<f2', data: data.slice(0, data.length / 2) }),
    () => (one.data = data.slice(0, random.below(data.length + 1))),
    () => data.length >= 4 && (one.data = concat(data.subarray(4), float(random.pick(FLOATS)))),
    () => (one.data = Uint8Array.from(data, (byte) => (random.once(16) ? random.below(256) : byte))),
    ...[1, 2, 3].map(() => () => {
      const lines = [...SETTINGS];
      const line = random.pick(LINES);
      const place = lines.findIndex((own) => own.split(':')[0] === line.split(':')[0]);
      if (random.once(4)) lines.splice(random.below(lines.length), 1);
      else lines.splice(place < 0 ? random.below(lines.length) : place, place < 0 ? 0 : 1, line);
      const found = arrays.findIndex(({ name }) => name === 'special:model.yml');
      if (found >= 0) arrays[found] = settingsPart(lines);
    }),
  ]);
}
