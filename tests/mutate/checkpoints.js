// checkpoints.js - a model directory whose weights are in PyTorch's or Marian's container, with something wrong in it,
// for each number another: tensors and arrays, then instructions of the pickle, headers of the zip, bytes. Used by
// run.js.

import { dict, int, list, long, npy, op, pickle, pickles, tensor, text as textOf, tuple, u64, zip } from '../hostile/containers.js';
import { concat } from '../model-files.js';
import { changeArchive } from './archives.js';
import { configJson, float, modelFiles, PIECE_COUNT, Random, weightParts } from './model.js';
import { changeBytes, changeSoundly } from './mutations.js';
import { changeInstructions, putTogether, takeApart } from './pickles.js';
import { ALL, COUNTS, FLOATS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('../hostile/containers.js').Entry} Entry */
/** @typedef {import('./archives.js').Archive} Archive */

const TORCH = 'pytorch_model.bin';
const MARIAN = 'model.npz';
/** What is one as well as the other to heed: since PyTorch 1.6, before, and Marian's. */
export const CONTAINERS = /** @type {const} */ (['torch', 'legacy', 'marian']);

const good = modelFiles();
const parts = weightParts();
const [F32, I1] = ['<f4', '|i1'];

// ---------------------------------------------------------------- PyTorch

/**
 * A tensor of a state: `count` numbers of a type are in the storage of a key, whose bytes are `data`; undefined: those
 * that another tensor brings.
 *
 * @typedef {{ name: string, type: any, key: any, count: any, offset: any, shape: any, stride: any, data?: Uint8Array }} StateTensor
 */

/** A Python object. @param {any} x @returns {Uint8Array} */
function object(x) {
  if (Array.isArray(x)) return tuple(...x.map(object));
  if (typeof x === 'string') return textOf(x);
  if (typeof x === 'boolean') return op(x ? 0x88 : 0x89);
  if (typeof x !== 'number') return op(0x4e);
  if (Number.isInteger(x) && Math.abs(x) < 2 ** 63) return x === (x | 0) ? int(x) : long(BigInt(x));
  return concat(op(0x47), float64(x));
}

/** @param {number} x */
function float64(x) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, x);
  return bytes;
}

/** Of numbers in row order. @param {number[]} shape */
const strides = (shape) => shape.map((_, i) => shape.slice(i + 1).reduce((product, n) => product * n, 1));

/** @returns {StateTensor[]} */
const stateTensors = () =>
  parts.map(({ name, shape, data }, i) => ({
    name, type: 'FloatStorage', key: String(i), count: data.length / 4, offset: 0, shape, stride: strides(shape), data,
  }));

/** @param {StateTensor[]} tensors */
const writeState = (tensors) =>
  pickle(
    dict(
      ...tensors.flatMap(({ name, type, key, count, offset, shape, stride }) => [
        object(name),
        tensor({ type, key, count: object(count), offset: object(offset), shape: object(shape), stride: object(stride) }),
      ]),
    ),
  );

/** Storages in the order of their first tensor. @param {StateTensor[]} tensors @returns {Map<string, StateTensor>} */
const storages = (tensors) => new Map(tensors.filter(({ data }) => data).map((t) => [t.key, t]));

/** @param {Random} random @param {StateTensor[]} tensors  changed; their data is not */
function changeState(random, tensors) {
  const at = random.below(tensors.length);
  const one = tensors[at];
  if (!one) return;
  const other = random.pick(tensors);
  const isWhole = Array.isArray(one.shape) && one.data && typeof one.count === 'number';
  const reshape = (/** @type {number[]} */ shape) => Object.assign(one, { shape, stride: strides(shape) });
  const fill = (/** @type {Uint8Array} */ data) => (one.data = data);
  const count = () => random.pick(random.once(2) ? COUNTS : ALL);
  oneOf(random, [
    () => (one.offset = count()),
    () => (one.count = count()),
    () => (one.key = random.pick([other.key, '', '../data.pkl', 'x'.repeat(3000), '__proto__', '1000'])),
    () => (one.type = random.pick(['HalfStorage', 'BFloat16Storage', 'DoubleStorage', 'Storage', `${'L'.repeat(900)}Storage`])),
    () => (one.shape = random.pick(ALL)),
    () => (one.stride = random.pick(ALL)),
    () => Array.isArray(one.shape) && (one.shape = one.shape.map((n) => (random.once(2) ? count() : n))),
    () => Array.isArray(one.stride) && (one.stride = one.stride.map((n) => (random.once(2) ? count() : n))),
    () => isWhole && reshape(random.pick([[], [...one.shape, 1], [1, ...one.shape], one.shape.toReversed(), [one.count]])),
    () => isWhole && reshape(one.shape.map((/** @type {number} */ n) => random.pick([n, n, 0, 1, 2 * n, 2 ** 32, 2 ** 53 - 1]))),
    () => reshape(new Array(random.below(10)).fill(2 ** 52 + 1)),
    () => (one.name = random.pick([other.name, 'lm_head.weight', `${one.name}.scale`, 'n'.repeat(3000), ...NAMES])),
    () => tensors.splice(at, 1),
    () => tensors.splice(random.below(tensors.length), 0, tensors.splice(at, 1)[0]),
    () => tensors.push({ ...one, data: undefined, name: random.pick(['lm_head.weight', 'model.decoder.embed_tokens.weight']) }),
    () => ([one.key, other.key] = [other.key, one.key]),
    // two in one storage
    () => {
      if (!isWhole || !other.data || one === other || typeof other.count !== 'number') return;
      const begin = one.count;
      one.count = other.count = begin + other.count;
      fill(concat(one.data ?? op(), other.data));
      Object.assign(other, { key: one.key, data: undefined, offset: begin + (random.once(4) ? 1 : 0) });
    },
    // halves: their bits are any
    () => isWhole && one.type === 'FloatStorage' && fill((one.data ?? op()).slice(0, 2 * one.count)) && (one.type = 'HalfStorage'),
    () => isWhole && one.type === 'FloatStorage' && fill((one.data ?? op()).slice(0, 2 * one.count)) && (one.type = 'BFloat16Storage'),
    () => fill((one.data ?? op()).slice(0, random.below(300))),
    () => fill(Uint8Array.from(one.data ?? op(), (byte) => (random.once(16) ? random.below(256) : byte))),
    () => one.data && one.data.length >= 4 && fill(concat(one.data.subarray(4), float(random.pick(FLOATS)))),
  ]);
}

/** What stands before the storages: data.pkl, or all pickles of the format before 1.6. @param {'torch' | 'legacy'} container @param {StateTensor[]} tensors */
const writeProgram = (container, tensors) => (container === 'torch' ? writeState(tensors) : legacyPickles(tensors));

/** The entries of torch.save(). @param {StateTensor[]} tensors @param {Uint8Array} state @returns {Entry[]} */
const torchEntries = (tensors, state) => [
  { name: 'archive/data.pkl', data: state },
  { name: 'archive/byteorder', data: text('little') },
  ...Array.from(storages(tensors), ([key, { data = op() }]) => ({ name: `archive/data/${key}`, data, localExtra: op(0x46, 0x42, 1, 0, 0x5a) })),
  { name: 'archive/version', data: text('3\n') },
];

/** The pickles of the format before 1.6. @param {StateTensor[]} tensors */
const legacyPickles = (tensors) =>
  pickles({ state: writeState(tensors), keys: list(...[...storages(tensors).keys()].map(textOf)) });

/** And what follows. @param {StateTensor[]} tensors */
const legacyStorages = (tensors) =>
  concat(
    ...Array.from(storages(tensors), ([, { data = op(), count }]) =>
      concat(u64(Number.isInteger(count) && Math.abs(count) < 2 ** 63 ? count : 0), data)),
  );

// ---------------------------------------------------------------- Marian

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
  'transformer-ffn-activation: swish', 'transformer-preprocess: ""', 'transformer-postprocess: dan', 'tied-embeddings-all: true',
  'vocabs:', '  - a.spm', '  - b.spm',
];

/** @param {string[]} lines @returns {NumpyPart} */
const settingsPart = (lines) => {
  const data = text(lines.join('\n') + '\n\0');
  return { name: 'special:model.yml', descr: I1, order: 'False', shape: [data.length], data };
};

/** @type {NumpyPart[]} */
const numpyParts = [
  ...parts.map(({ name, shape, data }) => {
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
function writeNpy({ descr, order, shape, dims = shape.length === 1 ? `${shape},` : `${shape.join(', ')}`, data, ...part }) {
  const header = part.header ?? `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (${dims}), }`;
  return npy(header.padEnd(118) + '\n', data, part.version ?? 1, part.length);
}

const DESCRS = [
  '<f2', '<f8', '>f4', '|O', '|V4', '=f4', '<i4', 'f4', '<f', '<f0', '<f00000004', `<f${'4'.repeat(2000)}`, `<f${'0'.repeat(2000)}4`,
  '<c8', '',
];
const DIMS = [
  '', ',', '8', '8,', '8,,8', '8 8', '-8, 8', '8.0, 8', '0, 8', '0x8, 8', '99999999999999999999, 8', '18446744073709551617, 8',
  '1, '.repeat(9), '9'.repeat(400), '0, 99999999999', '1,1,1,1,1,1,64', '0',
];
const HEADERS = [
  '', '{}', '(', "'descr': '<f4'", "{'shape': (8, 8), 'fortran_order': False, 'descr': '<f4'}", ' '.repeat(70_000),
  "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8, 8), }", '\0'.repeat(100),
];
const LINES = [
  'dim-emb: 0', 'dim-emb: -8', 'dim-emb: 1e9', 'dim-emb: 16', 'transformer-heads: 3', 'enc-depth: 1000000000', 'enc-depth:',
  'type: s2s', `type: ${'t'.repeat(3000)}`, `transformer-heads: ${'9'.repeat(3000)}`, 'transformer-ffn-activation: relu',
  'transformer-preprocess: n', 'transformer-postprocess: da', 'transformer-postprocess-top: n', '- x', ':', '\t', 'x'.repeat(70_000),
  '__proto__: 1', 'dim-emb: "8"', 'vocabs: x', 'transformer-decoder-autoreg: rnn',
];

/** @param {Random} random @param {NumpyPart[]} arrays  changed; their data is not */
function changeArrays(random, arrays) {
  const at = random.below(arrays.length);
  const one = arrays[at];
  if (!one) return;
  const other = random.pick(arrays);
  const { data } = one;
  const names = [
    ...NAMES, other.name, `${one.name}_pre`, one.name.replace('_l1_', '_l2_'), 'encoder_Wemb', 'decoder_Wemb',
    'decoder_ff_logit_out_W', 'decoder_top_ln_scale', 'encoder_emb_ln_bias', 'special:model.yml', 'n'.repeat(3000), 'encoder_l999_self_Wq',
  ];
  const resize = (/** @type {number[]} */ shape) => {
    const n = shape.reduce((product, d) => product * d, 4);
    Object.assign(one, { shape, data: Uint8Array.from({ length: n }, (_, i) => data[i % data.length] ?? 0) });
  };
  oneOf(random, [
    () => (one.descr = random.pick(DESCRS)),
    () => (one.dims = random.pick(DIMS)),
    () => (one.shape = one.shape.map((n) => (random.once(2) ? random.pick(COUNTS) : n))),
    () => resize(one.shape.map((n) => random.pick([n, n, 0, 1, n + 1, 2 * n, 64]))),
    () => resize(random.pick([[], [...one.shape, 1], [1, ...one.shape], one.shape.toReversed(), [PIECE_COUNT - 1, 8], [3, PIECE_COUNT]])),
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

// ---------------------------------------------------------------- the directory

/** Of states that nothing is wrong with; made once, as most of them are. */
const PROGRAMS = { torch: writeProgram('torch', stateTensors()), legacy: writeProgram('legacy', stateTensors()) };
const INSTRUCTIONS = { torch: takeApart(PROGRAMS.torch), legacy: takeApart(PROGRAMS.legacy) };

/**
 * The directory of a container, changed `changes` times.
 *
 * @param {typeof CONTAINERS[number]} container
 * @param {Random} random
 * @param {number} changes
 * @returns {[name: string, bytes: Uint8Array]}
 */
function weightsFile(container, random, changes) {
  let [contents, programs, headers] = [0, 0, 0];
  for (; changes > 0; changes--) {
    if (container === 'torch') oneOf(random, [() => contents++, () => programs++, () => headers++]);
    else if (container === 'legacy') oneOf(random, [() => contents++, () => programs++]);
    else oneOf(random, [() => contents++, () => headers++]);
  }
  const archive = (/** @type {Entry[]} */ entries) => {
    /** @type {Archive} */
    const state = { entries };
    for (; headers > 0; headers--) changeArchive(random, state);
    return zip(entries, state);
  };
  if (container === 'marian') {
    const arrays = numpyParts.map((part) => ({ ...part }));
    for (; contents > 0; contents--) changeArrays(random, arrays);
    return [MARIAN, archive(arrays.map((part) => ({ name: `${part.name}.npy`, data: writeNpy(part) })))];
  }
  const tensors = stateTensors();
  const isGood = contents === 0;
  for (; contents > 0; contents--) changeState(random, tensors);
  let program = isGood ? PROGRAMS[container] : writeProgram(container, tensors);
  if (programs > 0) {
    let instructions = isGood ? [...INSTRUCTIONS[container]] : takeApart(program);
    for (; programs > 0; programs--) instructions = changeInstructions(random, instructions);
    program = putTogether(instructions);
  }
  return [TORCH, container === 'torch' ? archive(torchEntries(tensors, program)) : concat(program, legacyStorages(tensors))];
}

/** The directory, nothing wrong with it. @param {typeof CONTAINERS[number]} container @returns {Record<string, Uint8Array>} */
export function checkpointFiles(container) {
  const { 'model.safetensors': _, ...files } = good;
  const [name, bytes] = weightsFile(container, new Random(0), 0);
  return { ...files, [name]: bytes };
}

/**
 * Directory number `index` of a seed: files by name, and the arithmetic to load it with. One of Marian may lack its
 * config.json, to be made of Marian's settings.
 *
 * @param {number} seed
 * @param {number} index
 * @returns {{ files: Record<string, Uint8Array>, dtype: 'auto' | 'f32' | 'int8' }}
 */
export function mutatedCheckpoint(seed, index) {
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1));
  const container = random.pick(CONTAINERS);
  const changes = random.pick([0, 1, 1, 1, 2, 2, 3, 4]);
  const bytesToo = changes === 0 || random.once(6);
  const [name, bytes] = weightsFile(container, random, changes);
  const { 'model.safetensors': _, ...files } = { ...good, [name]: bytes };
  if (bytesToo) changeBytes(random, files, [name, name, name, name, name, name]);
  else if (random.once(8)) {
    const config = configJson();
    changeSoundly(random, config);
    if (random.once(2)) config.vocab_size = config.decoder_vocab_size = random.pick([19, 20, 21, 22]);
    files['config.json'] = text(JSON.stringify(config));
  }
  if (container === 'marian' && random.once(3)) delete files['config.json'];
  return { files, dtype: random.pick(/** @type {const} */ (['auto', 'auto', 'f32', 'int8'])) };
}
