// marian.js - the tensors of Marian's files under Hugging Face's names: npy.js reads the arrays of an .npz, bin.js
// those of a .bin. Float matrices [in, out] become [out, in]. Used by open.js and directory.js.
//
//     Wemb, encoder_l1_self_Wq, decoder_l6_context_Wo_ln_scale, decoder_ff_logit_out_b, …, special:model.yml
//
// Marian has no padding token: its decoder starts from zeros. heed adds it as the last piece, with a row of zeros. Its
// bias is 0, as in checkpoints from Hugging Face's converter; without such a config.json it is so low that padding has
// no share of the probability, as in Marian.
//
// An int8 matrix becomes two tensors, as in heed's own int8 files: `X.weight` and `X.weight.scale`, whose rows all have
// the one scale of the matrix.

import { E_SAFETENSORS, E_TENSOR_DTYPE, E_TENSOR_SHAPE, E_TENSOR_VALUE, F16, F32, I8, WIDTHS }
  from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, short } from '../base/json.js';
import { CHUNK } from '../base/limits.js';
import { readBin } from './bin.js';
import { isZip } from './cursor.js';
import { deriveConfig, SETTINGS } from './marian-settings.js';

/** @typedef {import('./safetensors.js').TensorEntry} TensorEntry */
/**
 * An array of Marian's. type: `<f4` or `<f2` in an .npz, `float32` or `intgemm8` in a .bin. An intgemm8 array of [r, c]
 * is r·c int8 and a float32: q, with value = int8 / q.
 *
 * @typedef {object} MarianArray
 * @property {string} name
 * @property {string} type
 * @property {number[]} shape
 * @property {number} begin  of the numbers, for `reader`
 * @property {number} bytes  of the numbers
 * @property {Pick<import('./cursor.js').Cursor, 'seek' | 'next' | 'read'>} reader
 * @property {number} [multiplier]  q of an intgemm8 array, once it was read: to go back for it costs the buffered chunk
 */
/**
 * A tensor of the model. chunks: its bytes, in pieces of any size; fewer than `bytes` if the file is cut short.
 *
 * @typedef {TensorEntry & { array: MarianArray, chunks: () => AsyncGenerator<Uint8Array> }} Made
 */

const ATTENTION = { self: 'self_attn', context: 'encoder_attn' };
const PROJECTION = { q: 'q_proj', k: 'k_proj', v: 'v_proj', o: 'out_proj' };
const WHOLE = {
  Wemb: 'model.shared.weight',
  encoder_Wemb: 'model.encoder.embed_tokens.weight',
  decoder_Wemb: 'model.decoder.embed_tokens.weight',
  decoder_ff_logit_out_W: 'lm_head.weight',
  decoder_ff_logit_out_Wt: 'lm_head.weight',
  decoder_ff_logit_out_b: 'final_logits_bias',
};
const TYPES = { '<f4': F32, float32: F32, '<f2': F16, intgemm8: I8 };
/** Tensors whose rows or elements are pieces of the vocabulary. */
const OF_PIECES = /embed_tokens\.weight$|^model\.shared\.weight$|^final_logits_bias$|^lm_head\.weight$/;
/** The end of the name of an alpha, by which the input of a matrix is multiplied before it is rounded to int8. */
const ALPHA = '_QuantMultA';
/** The alpha of the output matrix by another name. */
const OUTPUT_ALPHA = `none${ALPHA}`;

/** Hugging Face's name for a name of Marian's, or the same name if there is none. @param {string} name */
function renamed(name) {
  if (Object.hasOwn(WHOLE, name)) return WHOLE[/** @type {keyof typeof WHOLE} */ (name)];
  const kind = (/** @type {string} */ letter) => (letter === 'W' || letter === 'scale' ? 'weight' : 'bias');
  const stack = /^(encoder|decoder)_(top|emb)_ln_(scale|bias)(?:_pre)?$/.exec(name);
  if (stack) return `model.${stack[1]}.layer${stack[2] === 'top' ? '_norm' : 'norm_embedding'}.${kind(stack[3])}`;
  const [, side, number, rest] = /^(encoder|decoder)_l(\d{1,3})_(.*)$/.exec(name) ?? [];
  const layer = `model.${side}.layers.${Number(number) - 1}`;
  const linear = /^(self|context)_([Wb])([qkvo])$/.exec(rest);
  const attention = (/** @type {string} */ of) => ATTENTION[/** @type {keyof typeof ATTENTION} */ (of)];
  if (linear) {
    const projection = PROJECTION[/** @type {keyof typeof PROJECTION} */ (linear[3])];
    return `${layer}.${attention(linear[1])}.${projection}.${kind(linear[2])}`;
  }
  const norm = /^(self_Wo|context_Wo|rnn_ffn|ffn_ffn)_ln_(scale|bias)(?:_pre)?$/.exec(rest);
  if (norm) {
    const [of] = norm[1].split('_');
    const sublayer = of === 'ffn' ? 'final' : of === 'rnn' ? 'ssru' : attention(of);
    return `${layer}.${sublayer}_layer_norm.${kind(norm[2])}`;
  }
  // the cell of an SSRU: W makes the candidate, Wf and bf the forget gate
  const cell = /^rnn_([Wb])(f?)$/.exec(rest);
  if (cell) return `${layer}.ssru.${cell[2] ? 'forget' : 'candidate'}.${kind(cell[1])}`;
  const ffn = /^ffn_([Wb])([12])$/.exec(rest);
  return ffn ? `${layer}.fc${ffn[2]}.${kind(ffn[1])}` : name;
}

/** @param {number[]} shape @param {number} width  bytes of an element */
const bytesOf = (shape, width) => shape.reduce((product, n) => product * n, width);

/**
 * The shape of a tensor with a row or an element for the padding piece, if it lacks that.
 *
 * @param {string} what  for messages
 * @param {string} name
 * @param {number[]} shape
 * @param {Record<string, any>} config
 * @returns {number[]}
 */
function withPadding(what, name, shape, config) {
  if (!OF_PIECES.test(name) || shape.length !== 2) return shape;
  const isBias = name === 'final_logits_bias';
  const found = shape[isBias ? 1 : 0];
  const pieces = name.includes('encoder') ? config.vocab_size : (config.decoder_vocab_size ?? config.vocab_size);
  if (pieces !== found && pieces !== found + 1) {
    throw new HeedError(
      E_TENSOR_SHAPE,
      `${what}: found ${found} pieces, expected ${pieces}, or one less: without padding`,
    );
  }
  return isBias ? [shape[0], pieces] : [pieces, shape[1]];
}

/** Bytes of an array as they are. @param {MarianArray} array @param {number} [bytes] */
async function* arrayBytes({ reader, begin, bytes: all }, bytes = all) {
  await reader.seek(begin);
  for (let left = bytes; left > 0; ) {
    const chunk = await reader.next(left);
    if (!chunk) return;
    yield chunk;
    left -= chunk.length;
  }
}

/** Bytes of a float matrix with its columns as rows. @param {MarianArray} array @param {number} dtype */
async function* turnedBytes({ reader, begin, bytes, shape: [rows, cols] }, dtype) {
  const whole = await reader.read(begin, bytes);
  if (whole.length < bytes) return;
  const Words = dtype === F32 ? Uint32Array : Uint16Array;
  const words = new Words(/** @type {ArrayBuffer} */ (whole.buffer), whole.byteOffset, rows * cols);
  const step = Math.max(1, Math.floor((1 << 16) / rows));
  for (let from = 0; from < cols; from += step) {
    const some = new Words(Math.min(step, cols - from) * rows);
    for (let i = 0; i < some.length; i++) some[i] = words[(i % rows) * cols + from + Math.floor(i / rows)];
    yield new Uint8Array(some.buffer);
  }
}

/** The bias of padding. A half can store it, and its exponential is 0. */
const NEVER = -10_000;

/** Zeros. @param {number} bytes */
function* zeros(bytes) {
  for (let left = bytes; left > 0; left -= CHUNK) yield new Uint8Array(Math.min(left, CHUNK));
}

/**
 * @param {string} file
 * @param {MarianArray} array
 * @param {number} dtype  F32 or F16
 * @param {Record<string, any>} config
 * @returns {Made}
 */
function floatTensor(file, array, dtype, config) {
  const name = renamed(array.name);
  const { shape: found } = array;
  const isBias = name === 'final_logits_bias';
  const isTable = /embed_tokens|shared/.test(name);
  const isVector = !isBias && (found.length === 1 || (found.length === 2 && found[0] === 1)) && !isTable;
  const isTurned = found.length === 2 && !isVector && !isBias && !isTable && !array.name.endsWith('_Wt');
  const own = isVector ? [found.at(-1) ?? 0] : isTurned ? [found[1], found[0]] : [...found];
  const shape = withPadding(`${file}: ${short(array.name)}`, name, own, config);
  const bytes = bytesOf(shape, WIDTHS[dtype]);
  const isNever = isBias && dtype === F32 && bytes - array.bytes === 4 && config.positions === 'marian';
  async function* chunks() {
    yield* isTurned ? turnedBytes(array, dtype) : arrayBytes(array);
    yield* isNever ? [new Uint8Array(Float32Array.of(NEVER).buffer)] : zeros(bytes - array.bytes);
  }
  return { name, dtype, shape, bytes, array, chunks };
}

/** Multipliers, so that they and 128 times their inverse are finite, and neither is so small that it loses bits. */
const [LEAST, MOST] = [1e-36, 1e36];

/** @param {string} what  for messages @param {string} kind @param {number} found @returns {number} */
function checkMultiplier(what, kind, found) {
  if (found >= LEAST && found <= MOST) return found;
  const expected = `a number from ${LEAST} to ${MOST}`;
  throw new HeedError(E_TENSOR_VALUE, `${what}: found the ${kind} ${found}, expected ${expected}`);
}

/** The multiplier q of an intgemm8 array. @param {string} what  for messages @param {MarianArray} array */
async function readMultiplier(what, array) {
  const { reader, begin, bytes, multiplier } = array;
  if (multiplier !== undefined) return multiplier;
  const found = await reader.read(begin + bytes - 4, 4);
  if (found.length < 4) throw new HeedError(E_SAFETENSORS, `${what}: cut short: the multiplier is missing`);
  const q = new DataView(found.buffer, found.byteOffset).getFloat32(0, true);
  return (array.multiplier = checkMultiplier(what, 'quantisation multiplier', q));
}

/**
 * An int8 matrix and its scales. Marian stores the transpose, [out, in], except of tables of pieces.
 *
 * @param {string} file
 * @param {MarianArray} array
 * @param {Record<string, any>} config
 * @returns {Made[]}
 */
function intTensors(file, array, config) {
  const name = renamed(array.name);
  const what = `${file}: ${short(array.name)}`;
  const { shape: found } = array;
  if (found.length !== 2) {
    throw new HeedError(E_TENSOR_SHAPE, `${what}: found shape ${describe(found)}, expected that of a matrix`);
  }
  if (array.name.endsWith('_Wt')) throw new HeedError(E_TENSOR_DTYPE, `${what}: found intgemm8, expected float32`);
  const own = array.name.includes('Wemb') ? found : [found[1], found[0]];
  const shape = withPadding(what, name, own, config);
  const [rows, cols] = shape;
  async function* matrix() {
    yield* arrayBytes(array, found[0] * found[1]);
    yield* zeros(rows * cols - found[0] * found[1]);
  }
  async function* scales() {
    const q = await readMultiplier(what, array);
    yield new Uint8Array(new Float32Array(rows).fill(1 / q).buffer);
  }
  return [
    { name, dtype: I8, shape, bytes: rows * cols, array, chunks: matrix },
    { name: `${name}.scale`, dtype: F32, shape: [rows], bytes: 4 * rows, array, chunks: scales },
  ];
}

/**
 * An alpha and the multiplier q of its matrix, from which the engine computes the scale of the products. That of the
 * output is an intgemm8 array of one number; and its q is another by a bit now and then, because the engine turns the
 * table into floats and quantises these again. Its greatest integer is 127.
 *
 * @param {string} file
 * @param {MarianArray} array
 * @param {MarianArray} matrix
 * @returns {Made}
 */
function alphaTensor(file, array, matrix) {
  const what = `${file}: ${short(array.name)}`;
  const { reader, begin, bytes, shape, type } = array;
  if (bytesOf(shape, 1) !== 1) {
    throw new HeedError(E_TENSOR_SHAPE, `${what}: found shape ${describe(shape)}, expected [1,1]`);
  }
  async function* chunks() {
    const isInt8 = type === 'intgemm8';
    const first = await reader.read(begin, isInt8 ? 1 : 4);
    if (first.length < (isInt8 ? 1 : 4)) return;
    const view = new DataView(first.buffer, first.byteOffset);
    const alpha = isInt8 ? view.getInt8(0) / (await readMultiplier(what, array)) : view.getFloat32(0, true);
    yield new Uint8Array(Float32Array.of(checkMultiplier(what, 'alpha', alpha)).buffer);
    const q = await readMultiplier(`${file}: ${short(matrix.name)}`, matrix);
    const again = 127 / Math.fround(127 * Math.fround(1 / q));
    yield new Uint8Array(Float32Array.of(matrix.name.includes('Wemb') ? again : q).buffer);
  }
  if (type !== 'intgemm8' && bytes !== 4) {
    throw new HeedError(E_TENSOR_DTYPE, `${what}: found ${short(type)}, expected float32`);
  }
  return { name: `${renamed(matrix.name)}.alpha`, dtype: F32, shape: [2], bytes: 8, array, chunks };
}

/**
 * The tensors that an array becomes.
 *
 * @param {string} file
 * @param {MarianArray} array
 * @param {Record<string, any>} config
 * @param {Map<string, MarianArray>} all  arrays by name
 * @returns {Made[]}
 */
function makeTensors(file, array, config, all) {
  const { name, type } = array;
  if (name === SETTINGS) return [];
  if (name.endsWith(ALPHA)) {
    const output = ['decoder_ff_logit_out_W', 'decoder_Wemb', 'Wemb'].find((table) => all.has(table)) ?? '';
    if (name === OUTPUT_ALPHA && all.has(output + ALPHA)) return [];
    const matrix = all.get(name === OUTPUT_ALPHA ? output : name.slice(0, -ALPHA.length));
    // Marian writes alphas before it quantises, too: models of floats do without
    return matrix?.type === 'intgemm8' ? [alphaTensor(file, array, matrix)] : [];
  }
  const dtype = Object.hasOwn(TYPES, type) ? TYPES[/** @type {keyof typeof TYPES} */ (type)] : undefined;
  if (dtype === I8) return intTensors(file, array, config);
  if (dtype !== undefined) return [floatTensor(file, array, dtype, config)];
  throw new HeedError(E_TENSOR_DTYPE, `${file}: ${short(name)}: found ${short(type)}, expected '<f4' or '<f2'`);
}

/**
 * The first number of an array of floats that is not finite.
 *
 * @param {Made} tensor
 * @returns {Promise<number | undefined>}
 */
async function nonFiniteOf({ array: { reader, begin, bytes }, dtype }) {
  if (dtype !== F32 && dtype !== F16) return undefined;
  const whole = await reader.read(begin, bytes);
  const { buffer, byteOffset } = whole;
  if (dtype === F32) return new Float32Array(buffer, byteOffset, whole.length >>> 2).find((x) => !Number.isFinite(x));
  const half = new Uint16Array(buffer, byteOffset, whole.length >>> 1).find((bits) => (bits & 0x7c00) === 0x7c00);
  return half && (half & 0x3ff ? NaN : half >> 15 ? -Infinity : Infinity);
}

/**
 * @param {import('./cursor.js').Cursor} cursor  of an .npz or a .bin
 * @param {Record<string, any> | undefined} given  of readConfig; undefined: there is no config.json
 * @returns {Promise<import('./safetensors.js').Weights & { config: Record<string, unknown> }>}  config: `given`,
 *   or made from Marian's settings
 */
export async function openMarian(cursor, given) {
  const { file } = cursor;
  const head = await cursor.read(0, 4);
  const size = await cursor.spool(head, true);
  /** @type {MarianArray[]} */
  const arrays = isZip(head) ? await (await import('./npy.js')).readNpz(cursor, size) : await readBin(cursor, size);
  const config = given ?? (await deriveConfig(file, arrays));
  const all = new Map(arrays.map((array) => [array.name, array]));
  const tensors = arrays.flatMap((array) => makeTensors(file, array, config, all));
  /** @type {Map<string, Made>} */
  const seen = new Map();
  for (const tensor of tensors) {
    const other = seen.get(tensor.name);
    if (other) {
      const both = `${short(other.array.name)} and ${short(tensor.array.name)}`;
      throw new HeedError(E_SAFETENSORS, `${file}: ${both} are one tensor`);
    }
    seen.set(tensor.name, tensor);
  }
  let index = 0;
  /** @type {import('../files/source.js').ChunkReader | null} */
  let reader = null;
  let left = tensors[0]?.bytes ?? 0;
  const leave = () => {
    reader = null;
    left = tensors[++index]?.bytes ?? 0;
  };
  return {
    file,
    tensors,
    config,
    size,
    head: size - tensors.reduce((sum, tensor) => sum + tensor.bytes, 0),
    async next(most) {
      while (left === 0 && index < tensors.length) leave();
      if (index >= tensors.length) return null;
      if (!reader) {
        const pieces = tensors[index].chunks();
        reader = cursor.chunked({ next: async () => (await pieces.next()).value ?? null, close: async () => {} });
      }
      const chunk = await reader.next(Math.min(most, left));
      left -= chunk?.length ?? 0;
      return chunk;
    },
    async skip(n) {
      while (left === 0 && index < tensors.length) leave();
      // a tensor is left out whole
      if (n !== left || n === 0) return 0;
      leave();
      return { length: n };
    },
    close: () => cursor.close(),
    async verify(error) {
      // The caller knows heed's names of the tensors, not the names in the file.
      if (!(error instanceof HeedError) || !error.message.startsWith(`${file}: `)) return;
      let told = error.message.slice(`${file}: `.length);
      const isOf = (/** @type {string} */ name) => told.startsWith(name) && ':['.includes(told[name.length] ?? ' ');
      const tensor = tensors.find(({ name }) => isOf(name) || isOf(short(name)));
      // the name of one that is missing is that in another layer with its number
      const number = Number(/\.layers\.(\d+)\./.exec(told)?.[1]) + 1;
      const item = tensor?.array.name ?? arrays.map(({ name }) => name.replace(/_l\d+_/, `_l${number}_`))
        .find((name) => isOf(renamed(name)));
      if (item === undefined || isOf(short(item))) return;
      const found = tensor && told.endsWith('HEED_E_TENSOR_VALUE') ? await nonFiniteOf(tensor) : undefined;
      if (found !== undefined) told = `${tensor?.name}: found ${found}, expected a finite number`;
      throw new HeedError(error.code, `${file}: ${short(item)}, read as ${told}`, { cause: error });
    },
  };
}
