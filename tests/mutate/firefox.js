// firefox.js - a directory of one of Firefox's models with something wrong in it, for each number another: fields of
// the headers of its .bin, names, shapes, types and bytes of items, settings, padding, vocabularies, shortlists, and
// any bytes. Used by run.js.

import { fileURLToPath } from 'node:url';
import { stored } from '../golden/zstd.js';
import { writeBin } from '../hostile/marian-bin.js';
import { concat, readFiles } from '../model-files.js';
import { float, Random } from './model.js';
import { changeBytes } from './mutations.js';
import { COUNTS, FLOATS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('../hostile/marian-bin.js').Item} Item */
/** @typedef {{ items: Item[], lies: { version?: number, count?: number, padding?: number } }} State */
/**
 * A directory, which of its files has the weights, and what is in that.
 *
 * @typedef {{ files: Record<string, Uint8Array>, bin: string, items: Item[] }} From
 */

const SETTINGS = 'special:model.yml';

/** @param {string} directory @returns {From} */
function readFrom(directory) {
  const { 'source.txt': _, ...files } = readFiles(directory);
  const bin = Object.keys(files).find((name) => name.startsWith('model.')) ?? '';
  return { files, bin, items: readItems(files[bin]) };
}

/** Layers that shallow() leaves: two, so that numbers of layers matter; of the decoder, which has more items, one. */
const LEFT = { encoder: 2, decoder: 1 };

/**
 * The same model with fewer layers: the rest are alike, and most of the time goes to their items.
 *
 * @param {From} from
 * @returns {From}
 */
function shallow({ files, bin, items }) {
  const left = items.filter(({ name }) => {
    const [, side, number] = /^(encoder|decoder)_l(\d+)_/.exec(name) ?? [];
    return side === undefined || Number(number) <= LEFT[/** @type {keyof LEFT} */ (side)];
  }).map((item) => {
    if (item.name !== SETTINGS) return item;
    const yml = new TextDecoder().decode(item.data);
    const data = text(yml.replace(/^enc-depth: .*$/m, `enc-depth: ${LEFT.encoder}`)
      .replace(/^dec-depth: .*$/m, `dec-depth: ${LEFT.decoder}`));
    return { ...item, shape: [data.length], data };
  });
  return { files: { ...files, [bin]: writeBin(left) }, bin, items: left };
}

/** The golden models, which weigh half a megabyte to one and a half: most with fewer layers, one of 16 whole. */
export function small() {
  const whole = ['tiny-seven', 'memory-split', 'tiny-float'].map((name) =>
    readFrom(fileURLToPath(new URL(`../golden/firefox/${name}`, import.meta.url))));
  return [...Array(15).fill(whole.map(shallow)).flat(), ...whole];
}
/** Mozilla's own, which ../firefox-models.js brings. */
const real = () => ['enpt', 'pten'].map((name) => readFrom(
  `${process.env.HEED_FIREFOX_MODELS ?? fileURLToPath(new URL('../../build/firefox', import.meta.url))}/${name}`));

/** The items of a .bin that nothing is wrong with. @param {Uint8Array} bin @returns {Item[]} */
export function readItems(bin) {
  const view = new DataView(bin.buffer, bin.byteOffset, bin.length);
  const u64 = (/** @type {number} */ at) => Number(view.getBigUint64(at, true));
  const heads = Array.from({ length: u64(8) }, (_, i) => [0, 8, 16, 24].map((field) => u64(16 + 32 * i + field)));
  let at = 16 + 32 * heads.length;
  const names = heads.map(([length]) => new TextDecoder().decode(bin.subarray(at, (at += length) - 1)));
  const shapes = heads.map(([, , rank]) => Array.from({ length: rank }, () => view.getInt32((at += 4) - 4, true)));
  at += 8 + u64(at);
  return heads.map(([, type, , length], i) => {
    const begin = at;
    at += length;
    return { name: names[i], type, shape: shapes[i], data: bin.subarray(begin, at) };
  });
}

const TYPES = [
  0x404, 0x404, 0x4101, 0x4101, 0x101, 0x4102, 0x402, 0x408, 0x102, 0x104, 0x108, 0x201, 0x202, 0x204, 0x208, 0x802,
  0x1801, 0x2801, 0, 1, 0x4000, 0x4104, 2 ** 32 + 0x404, 2 ** 53, 2 ** 64,
];

/** Values of settings that some network has, and that none has. */
const VALUES = [
  '', '""', "''", '"', '0', '1', '2', '3', '8', '64', '65', '-1', '1e9', '1e400', '0x10', '9'.repeat(3000), 'true',
  'false', 'null', 'NaN', '[]', '[', '[]]', '[0, 1]', '[1400, 1400]', '{}', 'n', 'd', 'dan', 'da', 'h', 'last', 'relu',
  'swish', 'gelu', 'tanh', 'rnn', 'self-attention', 'average-attention', 'ssru', 'gru', 'transformer', 's2s', 'x: y',
  '\t', '\u2028', '"a\\"b"', '# no', '&a 8', '*a', '!!int 8', `[${'0,'.repeat(2000)}]`,
];
const LINES = [
  '', '- x', '  - 8', ':', '\t', '---', '...', 'x'.repeat(70_000), '__proto__: 1', 'constructor:',
  'dim-vocabs:\n- 1400',
  'ulr: true', 'right-left: true', 'input-types: [class]', 'transformer-tied-layers: [1, 1]', 'lemma-dim-emb: 8',
  'transformer-decoder-dim-ffn: 128', 'transformer-decoder-ffn-depth: 1', 'transformer-guided-alignment-layer: 99',
  'output-omit-bias: true', ' '.repeat(5000) + 'a', 'a'.repeat(5000) + ' :', '\u0000', '\ufeff',
];

/** @param {Random} random @param {Item[]} items */
function changeSettings(random, items) {
  const at = items.findIndex(({ name }) => name === SETTINGS);
  if (at < 0) return;
  let yml = new TextDecoder().decode(items[at].data);
  const lines = yml.split('\n');
  const line = random.below(lines.length);
  const [key] = lines[line].split(':');
  oneOf(random, [
    () => (lines[line] = `${key}: ${random.pick(VALUES)}`),
    () => (lines[line] = `${key}: ${random.pick(VALUES)}`),
    () => (lines[line] = `${key}: ${random.pick(VALUES)}`),
    () => (lines[line] = `${key}:\n${'  - 1400\n'.repeat(random.below(4))}`),
    () => lines.splice(line, 1),
    () => lines.splice(line, 0, random.pick(LINES)),
    () => lines.splice(line, 0, `${key}: ${random.pick(VALUES)}`),
    () => (lines[line] = ` ${lines[line]}`),
    () => (lines.length = line),
  ]);
  yml = lines.join(random.once(12) ? '\r\n' : '\n');
  let data = random.once(12) ? text(yml.replaceAll('\0', '')) : text(yml);
  if (random.once(12)) data = Uint8Array.from(data, (byte) => (random.once(40) ? random.below(256) : byte));
  items[at] = { ...items[at], shape: [data.length], data };
}

/** @param {Random} random @param {State} state */
function changeItem(random, { items }) {
  const at = random.below(items.length);
  const one = { ...items[at] };
  if (items.length === 0) return;
  items[at] = one;
  const other = random.pick(items);
  const { data, shape } = one;
  const isInt8 = one.type === 0x4101;
  const names = [
    ...NAMES, other.name, `${one.name}_pre`, one.name.replace(/_l\d/, '_l9'), one.name.replace(/_l\d/, '_l0'),
    one.name.replace(/_l(\d)/, '_l0$1'), `${one.name}_QuantMultA`, 'Wemb', 'encoder_Wemb', 'decoder_Wemb',
    'none_QuantMultA', 'decoder_Wemb_QuantMultA', 'decoder_ff_logit_out_W', 'decoder_ff_logit_out_Wt',
    'decoder_top_ln_scale', 'encoder_emb_ln_bias', SETTINGS, 'n'.repeat(3000), 'n'.repeat(1023), 'Wpos', 'a\0b',
    'decoder_l1_rnn_W', 'decoder_l1_self_Wq', 'encoder_l999_self_Wq', 'model.shared.weight', 'final_logits_bias',
  ];
  const resize = (/** @type {number[]} */ to) => {
    const n = to.reduce((product, d) => product * d, isInt8 ? 1 : 4);
    if (n > 2 ** 22) return;
    const fill = new Uint8Array(n);
    fill.set(data.subarray(0, n));
    for (let there = data.length; there > 0 && there < n; there *= 2) fill.copyWithin(there, 0, there);
    Object.assign(one, { shape: to, data: isInt8 ? concat(fill, float(100)) : fill });
  };
  oneOf(random, [
    () => (one.type = random.once(8) ? random.next() : random.pick(TYPES)),
    () => (one.nameLength = random.once(2) ? random.pick(COUNTS) : one.name.length + random.below(5)),
    () => (one.rank = random.once(2) ? random.pick(COUNTS) : random.below(6)),
    () => (one.length = random.once(2) ? random.pick(COUNTS) : data.length + random.below(9) - 4),
    () => (one.end = random.below(256)),
    () => (one.shape = shape.map((n) => (random.once(2) ? random.pick([-1, -(2 ** 31), ...COUNTS]) : n))),
    () => (one.shape = random.pick([[], [0], [...shape, 1], [1, 1, 1, 1, ...shape], shape.toReversed()])),
    () => resize(shape.map((n) => random.pick([n, n, 0, 1, n + 1, 2 * n, 64]))),
    () => resize(random.pick([[1, 64], [64, 64], [1400, 64], [1399, 64], [64, 1400], [1, 1], [1, 1400], [1, 1401]])),
    () => (one.name = random.pick(names)),
    () => items.push({ ...one, name: random.pick(names) }),
    () => items.splice(at, 1),
    () => items.splice(random.below(items.length), 0, items.splice(at, 1)[0]),
    () => (one.data = other.data),
    () => (one.data = data.slice(0, random.below(data.length + 1))),
    () => (one.data = concat(data, new Uint8Array(random.pick([1, 3, 4, 255, 256])))),
    () => (one.data = Uint8Array.from(data, (byte) => (random.once(16) ? random.below(256) : byte))),
    () => { // one float: q of a matrix, or the first of others
      const place = isInt8 ? shape.reduce((product, n) => product * n, 1) : 0;
      if (place < 0 || place + 4 > data.length) return;
      one.data = data.slice();
      one.data.set(float(random.pick(FLOATS)), place);
    },
  ]);
}

/** A shortlist with another number in its head, offsets or ids. @param {Random} random @param {Uint8Array} list */
function changeShortlist(random, list) {
  const copy = list.slice();
  const view = new DataView(copy.buffer);
  const count = BigInt.asUintN(64, BigInt(Math.min(random.pick(COUNTS), 2 ** 64)));
  oneOf(random, [
    () => view.setBigUint64(8 * random.below(6), count, true),
    () => view.setBigUint64(48 + 8 * random.below(1000), random.once(2) ? count : BigInt(random.below(9000)), true),
    () => view.setUint32(copy.length - 4 * (1 + random.below(1000)), random.next() >>> random.below(32), true),
  ]);
  return copy;
}

/** @type {Map<() => From[], From[]>} */
const loaded = new Map();

/**
 * Directory number `index` of a seed: its files, the arithmetic to load it with, and the names of the items in it, if
 * they are known.
 *
 * @param {() => From[]} among
 * @param {number} seed
 * @param {number} index
 */
function mutatedFirefox(among, seed, index) {
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1));
  if (!loaded.has(among)) loaded.set(among, among());
  const { files: good, bin, items } = random.pick(/** @type {From[]} */ (loaded.get(among)));
  /** @type {Record<string, Uint8Array | Blob>} */
  const files = { ...good };
  const own = /** @type {Record<string, Uint8Array>} */ (files);
  const state = /** @type {State} */ ({ items: [...items], lies: {} });
  const changes = random.pick([0, 1, 1, 1, 1, 2, 2, 3, 4]);
  for (let i = 0; i < changes; i++) {
    oneOf(random, [
      ...Array(8).fill(() => changeItem(random, state)),
      ...Array(4).fill(() => changeSettings(random, state.items)),
      () => (state.lies.version = random.pick(COUNTS)),
      () => (state.lies.count = random.once(2) ? random.pick(COUNTS) : state.items.length + random.below(5) - 2),
      () => (state.lies.padding = random.once(2) ? random.pick(COUNTS) : random.below(512)),
    ]);
  }
  if (changes > 0) own[bin] = writeBin(state.items, state.lies);
  const list = Object.keys(files).find((name) => name.startsWith('lex.'));
  if (list && random.once(10)) own[list] = changeShortlist(random, good[list]);
  const isChanged = changes === 0 || random.once(8);
  if (isChanged) {
    if (random.once(2)) changeBytes(random, own, [bin, bin, bin]);
    else { // the headers are a fiftieth of a file
      const copy = own[bin].slice();
      for (let n = 1 + random.below(4); n > 0; n--) {
        const at = random.below(Math.min(copy.length, 12_000));
        copy[at] = random.once(2) ? random.below(256) : copy[at] ^ (1 << random.below(8));
      }
      own[bin] = copy;
    }
  }
  if (own[bin] && random.once(20)) {
    files[`${bin}.zst`] = random.once(4) ? own[bin] : stored(own[bin]);
    delete files[bin];
  } else if (index % 16 === 0) {
    for (const [name, content] of Object.entries(own)) files[name] = new Blob([/** @type {BlobPart} */ (content)]);
  }
  // a lie about lengths, or changed bytes, may make other names
  const isKnown = !isChanged && state.lies.count === undefined
    && state.items.every(({ nameLength, end }) => nameLength === undefined && end === undefined);
  const names = isKnown ? state.items.map(({ name }) => name) : undefined;
  return { files, dtype: random.pick(/** @type {const} */ (['auto', 'auto', 'auto', 'f32', 'int8'])), names };
}

/** @param {number} seed @param {number} index */
export const mutatedSmall = (seed, index) => mutatedFirefox(small, seed, index);
/** @param {number} seed @param {number} index */
export const mutatedReal = (seed, index) => mutatedFirefox(real, seed, index);
