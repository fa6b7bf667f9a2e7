// model.js - a whole model directory in ten kilobytes, made of parts that can be changed: d_model 8, one layer a side,
// 20 pieces. Used by this directory and the hostile-*.test.js.

const encoder = new TextEncoder();

/** Numbers that look random and are the same on every run. */
export class Random {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** 32 bits: a counter, mixed. */
  next() {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  }

  /** 0 to n - 1. @param {number} n */
  below(n) {
    return Math.floor((this.next() / 2 ** 32) * n);
  }

  /** Once in n. @param {number} n */
  once(n) {
    return this.below(n) === 0;
  }

  /** @template T @param {ArrayLike<T>} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)];
  }
}

// ---------------------------------------------------------------- protobuf

/**
 * A field of a message: `value` is a number (wire type 0), its bytes (2), or four of them (5); `wire` may lie.
 *
 * @typedef {{ number: number, wire: number, value: number | Uint8Array | Field[] }} Field
 */

/** @param {number} n @returns {number[]} */
export function varint(n) {
  const bytes = [];
  for (; n >= 0x80; n = Math.floor(n / 128)) bytes.push((n % 128) | 0x80);
  return [...bytes, n];
}

/** @param {Field[]} fields @returns {Uint8Array} */
export function writeMessage(fields) {
  /** @type {Uint8Array[]} */
  const parts = [];
  for (const { number, wire, value } of fields) {
    const bytes =
      typeof value === 'number' ? Uint8Array.from(varint(value)) : Array.isArray(value) ? writeMessage(value) : value;
    const length = wire === 2 ? varint(bytes.length) : [];
    parts.push(Uint8Array.from([...varint(number * 8 + wire), ...length]), bytes);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * The fields of a message that is known to be well formed; those of `inner` are messages too. Integers that no number
 * holds stay bytes.
 *
 * @param {Uint8Array} bytes
 * @param {number[]} [inner]
 * @returns {Field[]}
 */
export function readMessage(bytes, inner = []) {
  /** @type {Field[]} */
  const fields = [];
  let at = 0;
  const integer = () => {
    let [value, scale] = [0, 1];
    for (; bytes[at] >= 128; scale *= 128) value += (bytes[at++] & 127) * scale;
    return value + bytes[at++] * scale;
  };
  while (at < bytes.length) {
    const tag = integer();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    const from = at;
    const value = wire === 0 || wire === 2 ? integer() : 0;
    if (wire === 0) {
      fields.push({ number, wire, value: value <= Number.MAX_SAFE_INTEGER ? value : bytes.subarray(from, at) });
      continue;
    }
    const end = at + (wire === 2 ? value : wire === 5 ? 4 : 8);
    const own = bytes.subarray(at, end);
    fields.push({ number, wire, value: inner.includes(number) ? readMessage(own) : own });
    at = end;
  }
  return fields;
}

/** @param {number} x */
export const float = (x) => new Uint8Array(Float32Array.of(x).buffer);
const text = (/** @type {string} */ s) => encoder.encode(s);

/** @param {string | Uint8Array} piece @param {number} score @param {number} [type] @returns {Field} */
export const pieceField = (piece, score, type = 1) => ({
  number: 1,
  wire: 2,
  value: [
    { number: 1, wire: 2, value: typeof piece === 'string' ? text(piece) : piece },
    { number: 2, wire: 5, value: float(score) },
    { number: 3, wire: 0, value: type },
  ],
});

/** @param {number[]} units @param {string} strings @param {number} [size]  stated */
export function charsmap(units, strings, size = 4 * units.length) {
  const bytes = new Uint8Array(4 + 4 * units.length + text(strings).length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, size, true);
  units.forEach((unit, i) => view.setUint32(4 + 4 * i, unit, true));
  bytes.set(text(strings), 4 + 4 * units.length);
  return bytes;
}

/** Leaves of no key are what stands where no unit is. */
export const LEAF = 0x80000000;

/** A double-array trie of one rule: Z becomes a. Its root is state 64. */
export function trieUnits() {
  const units = new Array(128).fill(LEAF);
  const z = 64 ^ 0x5a;
  units[0] = 64 << 10;
  units[z] = 0x5a | 0x100 | ((z ^ 1) << 10);
  units[1] = LEAF; // at 0 of the replacements
  return units;
}

const PIECES = [
  '\u2581', 'a', 'b', 'c', '\u2581a', '\u2581b', 'ab', 'bc', 'ca', '\u2581ab', 'x', 'y', '\u00e9', 'xy', 'abc',
];

/** The fields of a SentencePiece file. @param {number} [type]  1: unigram, 2: BPE @returns {Field[]} */
export function spmFields(type = 1) {
  return [
    pieceField('<unk>', 0, 2),
    pieceField('<s>', 0, 3),
    pieceField('</s>', 0, 3),
    ...PIECES.map((piece, i) => pieceField(piece, -1 - i / 8)),
    {
      number: 2,
      wire: 2,
      value: [
        { number: 3, wire: 0, value: type },
        { number: 35, wire: 0, value: 0 },
      ],
    },
    {
      number: 3,
      wire: 2,
      value: [
        { number: 1, wire: 2, value: text('own') },
        { number: 2, wire: 2, value: charsmap(trieUnits(), 'a\0') },
        { number: 3, wire: 0, value: 1 },
        { number: 4, wire: 0, value: 1 },
        { number: 5, wire: 0, value: 1 },
      ],
    },
  ];
}

// ---------------------------------------------------------------- weights

/**
 * A tensor of a safetensors header, and its bytes.
 *
 * @typedef {{ name: string, dtype: string, shape: number[], data: Uint8Array }} Part
 */

const WIDTH = 8;
export const PIECE_COUNT = 20;

/** @returns {[name: string, shape: number[]][]} */
function tensorShapes() {
  /** @type {[string, number[]][]} */
  const shapes = [
    ['model.shared.weight', [PIECE_COUNT, WIDTH]],
    ['final_logits_bias', [1, PIECE_COUNT]],
  ];
  const vector = (/** @type {string} */ name) => shapes.push([name, [WIDTH]]);
  const linear = (/** @type {string} */ name) => {
    shapes.push([`${name}.weight`, [WIDTH, WIDTH]]);
    vector(`${name}.bias`);
  };
  const norm = (/** @type {string} */ name) => {
    vector(`${name}.weight`);
    vector(`${name}.bias`);
  };
  for (const [side, attentions] of /** @type {const} */ ([
    ['encoder', ['self_attn']],
    ['decoder', ['self_attn', 'encoder_attn']],
  ])) {
    const layer = `model.${side}.layers.0`;
    for (const attention of attentions) {
      for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj']) linear(`${layer}.${attention}.${part}`);
      norm(`${layer}.${attention}_layer_norm`);
    }
    linear(`${layer}.fc1`);
    linear(`${layer}.fc2`);
    norm(`${layer}.final_layer_norm`);
  }
  return shapes;
}

/** @returns {Part[]} */
export function weightParts() {
  const random = new Random(7);
  return tensorShapes().map(([name, shape]) => {
    const isGain = /norm\.weight$/.test(name);
    const n = shape.reduce((product, d) => product * d);
    const values = Float32Array.from({ length: n }, () => (isGain ? 1 : 0) + (random.next() / 2 ** 31 - 1) * 0.7);
    return { name, dtype: 'F32', shape, data: new Uint8Array(values.buffer) };
  });
}

/** The header's entries, tiling the data. @param {Part[]} parts @returns {[string, any][]} */
export function headerEntries(parts) {
  let end = 0;
  return parts.map(({ name, dtype, shape, data }) => {
    const begin = end;
    end += data.length;
    return [name, { dtype, shape, data_offsets: [begin, end] }];
  });
}

/** JSON of entries, which may have a name twice. @param {[string, any][]} entries */
export const writeObject = (entries) =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

/** @param {string} header @param {Uint8Array} data @param {bigint} [length]  stated */
export function writeWeights(header, data, length) {
  const json = text(header);
  const file = new Uint8Array(8 + json.length + data.length);
  new DataView(file.buffer).setBigUint64(0, length ?? BigInt(json.length), true);
  file.set(json, 8);
  file.set(data, 8 + json.length);
  return file;
}

// ---------------------------------------------------------------- the directory

/** @returns {Record<string, any>} */
export const configJson = () => ({
  model_type: 'marian',
  d_model: WIDTH,
  encoder_layers: 1,
  decoder_layers: 1,
  encoder_attention_heads: 2,
  decoder_attention_heads: 2,
  encoder_ffn_dim: WIDTH,
  decoder_ffn_dim: WIDTH,
  activation_function: 'swish',
  vocab_size: PIECE_COUNT,
  decoder_vocab_size: PIECE_COUNT,
  max_position_embeddings: 16,
  normalize_before: false,
  normalize_embedding: false,
  add_final_layer_norm: false,
  scale_embedding: true,
  share_encoder_decoder_embeddings: true,
  tie_word_embeddings: true,
  eos_token_id: 0,
  pad_token_id: PIECE_COUNT - 1,
  decoder_start_token_id: PIECE_COUNT - 1,
});

/** @returns {Record<string, any>} */
export const generationJson = () => ({
  num_beams: 2,
  max_length: 16,
  length_penalty: 1,
  bad_words_ids: [[PIECE_COUNT - 1]],
});

/** @returns {[string, any][]} */
export const vocabEntries = () => ['</s>', '<unk>', ...PIECES, '>>fra<<', 'z', '<pad>'].map((piece, id) => [piece, id]);

/** The files, whole and right. @returns {Record<string, Uint8Array>} */
export function modelFiles() {
  const parts = weightParts();
  const spm = writeMessage(spmFields());
  return {
    'heed.json': text(JSON.stringify({ source: 'en', target: 'fr' })),
    'config.json': text(JSON.stringify(configJson())),
    'generation_config.json': text(JSON.stringify(generationJson())),
    'vocab.json': text(writeObject(vocabEntries())),
    'source.spm': spm,
    'target.spm': writeMessage(spmFields(2)),
    'model.safetensors': writeWeights(writeObject(headerEntries(parts)), Buffer.concat(parts.map(({ data }) => data))),
  };
}
