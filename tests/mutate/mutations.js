// mutations.js - damages a model directory, differently for each number: changes the structures of its files field by
// field, and sometimes their bytes. Used by run.js, its parts by checkpoints.js.

import { changeFields } from './fields.js';
import {
  configJson, float, generationJson, headerEntries, modelFiles, PIECE_COUNT, Random, spmFields, vocabEntries,
  weightParts, writeMessage, writeObject, writeWeights,
} from './model.js';
import { ALL, COUNTS, DTYPES, FLOATS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('./model.js').Field} Field */

// ---------------------------------------------------------------- JSON

/**
 * @param {Random} random
 * @param {[string, any][]} entries  changed
 * @param {() => any} value
 */
function changeObject(random, entries, value) {
  const at = random.below(entries.length);
  oneOf(random, [
    () => entries.length && (entries[at] = [entries[at][0], value()]),
    () => entries.length && (entries[at] = [entries[at][0], value()]),
    () => entries.splice(at, 1),
    () => entries.push([random.pick(NAMES), value()]),
    () => entries.length && random.once(3) && entries.push([entries[at][0], value()]),
    () => entries.length && (entries[at] = [random.pick(NAMES), entries[at][1]]),
  ]);
}

/** Sound values, so that what is loaded differs too. @param {Random} random @param {Record<string, any>} config */
export function changeSoundly(random, config) {
  oneOf(random, [
    () => (config.encoder_attention_heads = random.pick([1, 2, 4, 8])),
    () => (config.decoder_attention_heads = random.pick([1, 2, 4, 8])),
    () => (config.activation_function = random.pick(['relu', 'gelu', 'swish', 'silu'])),
    () => (config.normalize_before = random.once(2)),
    () => (config.scale_embedding = random.once(2)),
    () => (config.max_position_embeddings = 1 + random.below(64)),
    () => (config.eos_token_id = random.below(PIECE_COUNT)),
    () => (config.decoder_start_token_id = random.below(PIECE_COUNT)),
    () => (config.num_beams = 1 + random.below(8)),
  ]);
}

/** @param {Random} random @param {State} state */
function changeConfig(random, state) {
  if (random.once(3)) {
    const config = Object.fromEntries(state.config);
    changeSoundly(random, config);
    state.config = Object.entries(config);
  } else changeObject(random, state.config, () => random.pick(ALL));
}

const GENERATION = [
  'num_beams',
  'max_length',
  'max_new_tokens',
  'min_length',
  'min_new_tokens',
  'no_repeat_ngram_size',
  'length_penalty',
  'bad_words_ids',
  'eos_token_id',
  'pad_token_id',
  'decoder_start_token_id',
];

/** @param {Random} random @param {State} state */
function changeGeneration(random, state) {
  if (random.once(3)) changeObject(random, state.generation, () => random.pick(ALL));
  else {
    const words = () =>
      Array.from({ length: random.below(4) }, () => Array.from({ length: random.below(4) }, () => random.below(21)));
    const key = random.pick(GENERATION);
    const value = key === 'bad_words_ids' && random.once(2) ? words() : random.pick(random.once(3) ? ALL : COUNTS);
    state.generation = [...state.generation.filter(([name]) => name !== key), [key, value]];
  }
}

/** @param {Random} random @param {State} state */
function changeVocab(random, state) {
  const { vocab } = state;
  if (!random.once(3) || vocab.length === 0)
    return changeObject(random, vocab, () => random.pick(random.once(2) ? ALL : COUNTS.slice(0, 14)));
  const [a, b] = [random.below(vocab.length), random.below(vocab.length)];
  [vocab[a][1], vocab[b][1]] = [vocab[b][1], vocab[a][1]];
}

/** @param {Random} random @param {State} state */
function changeManifest(random, state) {
  const names = Object.keys(modelFiles());
  const entry = () =>
    random.pick([
      { size: random.pick(ALL), sha256: 'a'.repeat(64) },
      { size: 5, sha256: random.pick(ALL) },
      random.pick(ALL),
    ]);
  if (random.once(2)) changeObject(random, state.manifest, () => random.pick(ALL));
  else
    state.manifest.push([
      'files',
      random.once(4) ? random.pick(ALL) : { [random.pick([...names, ...NAMES])]: entry() },
    ]);
}

// ---------------------------------------------------------------- weights

/** Another element type, with as many bytes as it takes. @param {Random} random @param {State} state */
function retype(random, { parts }) {
  const part = random.pick(parts);
  if (part.dtype !== 'F32' || !(part.data.length % 4 === 0)) return;
  const n = part.data.length / 4;
  const to = random.pick(['F16', 'BF16', 'I8']);
  part.dtype = to;
  part.data = part.data.slice(0, n * (to === 'I8' ? 1 : 2));
  if (to === 'I8' && !random.once(4)) {
    const rows = Number(part.shape[0]) || 0;
    const scales = Float32Array.from({ length: rows < 100 ? rows : 0 }, () =>
      random.once(30) ? random.pick(FLOATS) : 0.01,
    );
    parts.push({
      name: `${part.name}.scale`,
      dtype: 'F32',
      shape: [scales.length],
      data: new Uint8Array(scales.buffer),
    });
  }
}

/** @param {Random} random @param {State} state */
function changeTensors(random, state) {
  const { parts } = state;
  if (parts.length === 0) return;
  const at = random.below(parts.length);
  const part = parts[at];
  const other = random.pick(parts);
  const resize = (/** @type {number[]} */ shape) => {
    const n = shape.reduce((product, d) => product * d, part.dtype === 'F32' ? 4 : 1);
    part.shape = shape;
    if (n < 1 << 14) part.data = Uint8Array.from({ length: n }, (_, i) => part.data[i % part.data.length]);
  };
  oneOf(random, [
    () => (part.shape = part.shape.map((d) => (random.once(part.shape.length) ? random.pick(COUNTS) : d))),
    () => resize(part.shape.map((d) => (random.once(part.shape.length) ? random.pick(COUNTS.slice(0, 16)) : d))),
    () =>
      resize(random.pick([[], [...part.shape, 1], [1, ...part.shape], part.shape.slice(1), part.shape.toReversed()])),
    () =>
      (part.shape = random.pick([
        [],
        [...part.shape, 1],
        [1, ...part.shape],
        part.shape.slice(1),
        part.shape.toReversed(),
      ])),
    () => (part.dtype = random.pick(DTYPES)),
    () =>
      (part.name = random.pick([
        other.name,
        `${part.name}.scale`,
        `${part.name}\0`,
        part.name.replace('.0.', '.1.'),
        ...NAMES,
      ])),
    () => parts.splice(at, 1),
    () =>
      parts.splice(random.below(parts.length), 0, {
        ...part,
        name: random.pick([
          'extra',
          'lm_head.weight',
          'model.encoder.embed_tokens.weight',
          'model.encoder.embed_positions.weight',
        ]),
      }),
    () => parts.splice(random.below(parts.length), 0, parts.splice(at, 1)[0]),
    () => parts.sort((a, b) => (a.name < b.name ? -1 : 1)),
    () => part.data.length === other.data.length && ([part.data, other.data] = [other.data, part.data]),
    () => ([part.shape, part.data, other.shape, other.data] = [other.shape, other.data, part.shape, part.data]),
    () => (part.data = part.data.slice(0, random.below(part.data.length + 1))),
    () =>
      part.data.length >= 4 &&
      (part.data = part.data.slice()).set(float(random.pick(FLOATS)), 4 * random.below(part.data.length >> 2)),
    () => (part.data = Uint8Array.from(part.data, (byte) => (random.once(16) ? random.below(256) : byte))),
    () =>
      (part.data = new Uint8Array(
        Float32Array.from({ length: part.data.length >> 2 }, () => random.pick(FLOATS.slice(0, 8))).buffer,
      )),
    () => retype(random, state),
    () => retype(random, state),
  ]);
}

/** What stands in the header, or before it. @param {Random} random @param {State} state */
function changeHeader(random, state) {
  state.headers.push((entries) => {
    if (entries.length === 0) return;
    const entry = random.pick(entries)[1];
    const value = () => random.pick(random.once(2) ? ALL : COUNTS);
    const offsets = Array.isArray(entry?.data_offsets) ? entry.data_offsets : undefined;
    oneOf(random, [
      () => changeObject(random, entries, value),
      () => offsets && offsets.reverse(),
      () => offsets && (offsets[random.below(3)] = value()),
      () =>
        offsets &&
        (entry.data_offsets = offsets.map(
          (/** @type {number} */ n) => n + random.pick([1, -1, 4, 8, 2 ** 32, 2 ** 53]),
        )),
      () => Array.isArray(entry?.shape) && (entry.shape[random.below(3)] = value()),
      () =>
        Object.isExtensible(entry) &&
        (entry[random.pick(['dtype', 'shape', 'data_offsets', 'data', '__proto__'])] = value()),
      () => Object.isExtensible(entry) && delete entry[random.pick(['dtype', 'shape', 'data_offsets'])],
      () => entries.push(['__metadata__', random.pick([{}, { a: 'b' }, value(), { a: value() }])]),
      () => entries.push(random.pick(entries)),
    ]);
  });
  if (random.once(6)) {
    state.length = random.pick([
      0n,
      1n,
      2n,
      7n,
      8n,
      100n,
      100_000_000n,
      100_000_001n,
      2n ** 31n,
      2n ** 32n,
      2n ** 53n,
      2n ** 63n,
      2n ** 64n - 1n,
    ]);
  }
}

// ---------------------------------------------------------------- SentencePiece

/** @param {Random} random @param {State} state */
function changeSpm(random, state) {
  const side = random.pick(/** @type {const} */ (['source', 'target']));
  state.source ??= spmFields(state.type);
  state.target ??= spmFields(2);
  const fields = state[side] ?? [];
  for (let n = 1 + random.below(3); n > 0; n--) changeFields(random, fields);
  if (random.once(4)) state.target = state.source;
}

// ---------------------------------------------------------------- bytes

/**
 * @param {Random} random
 * @param {Record<string, Uint8Array>} files
 * @param {string[]} often  more of their names
 */
export function changeBytes(random, files, often) {
  const names = Object.keys(files);
  const name = random.pick([...names, ...often]);
  const bytes = files[name];
  oneOf(random, [
    () => delete files[name],
    () => (files[name] = bytes.slice(0, random.below(bytes.length + 1))),
    () => (files[name] = bytes.slice(random.below(Math.min(bytes.length, 64) + 1))),
    () => (files[name] = files[random.pick(names)]),
    () => (files[name] = new Uint8Array(Buffer.concat([bytes, bytes.subarray(random.below(bytes.length + 1))]))),
    () => {
      const copy = bytes.slice();
      for (let n = 1 + random.below(8); n > 0 && copy.length; n--)
        copy[random.below(copy.length)] ^= 1 << random.below(8);
      files[name] = copy;
    },
    () => {
      const [from, to, length] = [random.below(bytes.length + 1), random.below(bytes.length + 1), random.below(64)];
      files[name] = new Uint8Array(
        Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, from + length), bytes.subarray(to)]),
      );
    },
    () => {
      const copy = bytes.slice();
      copy.fill(random.pick([0, 0x20, 0x7f, 0x80, 0xff]), random.below(copy.length + 1), random.below(copy.length + 1));
      files[name] = copy;
    },
  ]);
}

/** Those that bytes are changed in more often than in others. */
const OFTEN = ['model.safetensors', 'model.safetensors', 'source.spm', 'source.spm', 'target.spm'];

// ---------------------------------------------------------------- the directory

/**
 * @typedef {object} State
 * @property {[string, any][]} config
 * @property {[string, any][]} generation
 * @property {[string, any][]} vocab
 * @property {[string, any][]} manifest
 * @property {import('./model.js').Part[]} parts
 * @property {((entries: [string, any][]) => void)[]} headers  what is done to the header once it is made of the parts
 * @property {bigint} [length]  stated before it
 * @property {number} type  of source.spm
 * @property {Field[]} [source]  undefined: not changed
 * @property {Field[]} [target]
 */

const good = modelFiles();
const [partsOf, tiled] = [weightParts(), Buffer.concat(weightParts().map(({ data }) => data))];

/** Each as often as it stands here. @type {[string[], (random: Random, state: State) => void][]} */
const CHANGES = [
  [['config.json'], changeConfig],
  [['config.json'], changeConfig],
  [['generation_config.json'], changeGeneration],
  [['vocab.json'], changeVocab],
  [['heed.json'], changeManifest],
  [['model.safetensors'], changeTensors],
  [['model.safetensors'], changeTensors],
  [['model.safetensors'], changeHeader],
  [['source.spm', 'target.spm'], changeSpm],
  [['source.spm', 'target.spm'], changeSpm],
];

/** @type {Record<string, (state: State) => Uint8Array>} */
const WRITERS = {
  'config.json': ({ config }) => text(writeObject(config)),
  'generation_config.json': ({ generation }) => text(writeObject(generation)),
  'vocab.json': ({ vocab }) => text(writeObject(vocab)),
  'heed.json': ({ manifest }) => text(writeObject(manifest)),
  'source.spm': ({ source, type }) =>
    source ? writeMessage(source) : type === 1 ? good['source.spm'] : good['target.spm'],
  'target.spm': ({ target }) => (target ? writeMessage(target) : good['target.spm']),
  'model.safetensors': ({ parts, headers, length }) => {
    const entries = headerEntries(parts);
    for (const change of headers) change(entries);
    const isWhole = parts.length === partsOf.length && parts.every(({ data }, i) => data === partsOf[i].data);
    return writeWeights(writeObject(entries), isWhole ? tiled : Buffer.concat(parts.map(({ data }) => data)), length);
  },
};

/**
 * Directory number `index` of a seed: files by name, and the arithmetic to load it with.
 *
 * @param {number} seed
 * @param {number} index
 * @returns {{ files: Record<string, Uint8Array>, dtype: 'auto' | 'f32' | 'int8' }}
 */
export function mutated(seed, index) {
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1));
  /** @type {State} */
  const state = {
    config: Object.entries(configJson()),
    generation: Object.entries(generationJson()),
    vocab: vocabEntries(),
    manifest: [
      ['source', 'en'],
      ['target', 'fr'],
    ],
    parts: partsOf.map((part) => ({ ...part })),
    headers: [],
    type: random.once(4) ? 2 : 1,
  };
  const files = { ...good };
  const touched = new Set(['source.spm']);
  let changes = random.pick([0, 1, 1, 1, 1, 2, 2, 3, 4]);
  const bytesToo = changes === 0 || random.once(6);
  for (; changes > 0; changes--) {
    const [names, change] = random.pick(CHANGES);
    change(random, state);
    names.forEach((name) => touched.add(name));
  }
  for (const name of touched) files[name] = WRITERS[name](state);
  if (bytesToo) changeBytes(random, files, OFTEN);
  return { files, dtype: random.pick(/** @type {const} */ (['auto', 'auto', 'f32', 'int8'])) };
}
