// marian.js - weights as Marian saves them: an .npz of matrices [in, out] with Marian's names. Returns them as [out,
// in] with Hugging Face's names; used by open.js.
//
//     Wemb, encoder_l1_self_Wq, decoder_l6_context_Wo_ln_scale, decoder_ff_logit_out_b, …, special:model.yml
//
// Marian has no padding token: its decoder starts from zeros. heed adds it as the last piece, with a row of zeros and a
// bias of 0, as in checkpoints from Hugging Face's converter.

import { E_CONFIG, E_SAFETENSORS, E_TENSOR_DTYPE, E_TENSOR_SHAPE, F16, F32, WIDTHS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch, short } from '../base/json.js';
import { MAX_MARIAN_SETTINGS } from '../base/limits.js';
import { readNpz } from './npy.js';

/** @typedef {import('./safetensors.js').TensorEntry} TensorEntry */
/** @typedef {import('./npy.js').NumpyArray} NumpyArray */
/**
 * A tensor of the model, and the array that it is made from.
 *
 * @typedef {TensorEntry & { array: NumpyArray, turn: boolean }} Made
 */

const SETTINGS = 'special:model.yml';
const ATTENTION = { self: 'self_attn', context: 'encoder_attn' };
const PROJECTION = { q: 'q_proj', k: 'k_proj', v: 'v_proj', o: 'out_proj' };
const WHOLE = {
  Wemb: 'model.shared.weight',
  encoder_Wemb: 'model.encoder.embed_tokens.weight',
  decoder_Wemb: 'model.decoder.embed_tokens.weight',
  decoder_ff_logit_out_W: 'lm_head.weight',
  decoder_ff_logit_out_b: 'final_logits_bias',
};
/** Tensors whose rows or elements are pieces of the vocabulary. */
const OF_PIECES = /embed_tokens\.weight$|^model\.shared\.weight$|^final_logits_bias$|^lm_head\.weight$/;

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
  const norm = /^(self_Wo|context_Wo|ffn_ffn)_ln_(scale|bias)(?:_pre)?$/.exec(rest);
  if (norm) {
    const of = norm[1] === 'ffn_ffn' ? 'final' : attention(norm[1].slice(0, -3));
    return `${layer}.${of}_layer_norm.${kind(norm[2])}`;
  }
  const ffn = /^ffn_([Wb])([12])$/.exec(rest);
  return ffn ? `${layer}.fc${ffn[2]}.${kind(ffn[1])}` : name;
}

/**
 * The settings that Marian stores with the weights: `key: value` lines, and lists of `- item`.
 *
 * @param {NumpyArray[]} arrays
 * @returns {Promise<Map<string, string[]>>}
 */
async function readSettings(arrays) {
  /** @type {Map<string, string[]>} */
  const settings = new Map();
  const array = arrays.find(({ name }) => name === SETTINGS);
  if (!array || array.bytes > MAX_MARIAN_SETTINGS) return settings;
  const text = new TextDecoder().decode(await array.reader.read(array.begin, array.bytes));
  let last = '';
  for (const line of text.replace(/\0+$/, '').split('\n')) {
    const [, key, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    const item = /^\s*-\s+(.*?)\s*$/.exec(line)?.[1];
    const plain = (/** @type {string} */ text_) => text_.replace(/^(["'])(.*)\1$/, '$2');
    if (key !== undefined) settings.set((last = key), value === '' ? [] : [plain(value)]);
    else if (item !== undefined) settings.get(last)?.push(plain(item));
  }
  return settings;
}

/**
 * config.json as Hugging Face's converter would write it.
 *
 * @param {string} file
 * @param {Map<string, string[]>} settings
 * @param {NumpyArray[]} arrays
 * @returns {Record<string, unknown>}
 */
function deriveConfig(file, settings, arrays) {
  const rows = (/** @type {string} */ name) => arrays.find((a) => a.name === name)?.shape[0];
  /** @param {string} key @param {string} [initial] */
  const get = (key, initial) => {
    const [value] = settings.get(key) ?? [initial];
    if (value !== undefined) return value;
    throw new HeedError(E_CONFIG, `${file}: config.json is missing, and ${SETTINGS} has no ${key} to make it of`);
  };
  const count = (/** @type {string} */ key) => {
    const n = Number(get(key));
    if (Number.isInteger(n) && n > 0) return n;
    throw new HeedError(E_CONFIG, mismatch(`${file}: ${SETTINGS}: ${key}`, get(key), 'a whole number'));
  };
  const only = (/** @type {string} */ key, /** @type {string[]} */ known) => {
    if (known.includes(get(key, known[0]))) return get(key, known[0]);
    throw new HeedError(E_CONFIG, mismatch(`${file}: ${SETTINGS}: ${key}`, get(key), `one of '${known}'`));
  };
  only('type', ['transformer']);
  only('transformer-decoder-autoreg', ['self-attention']);
  const before = only('transformer-preprocess', ['', 'd', 'n', 'dn']).includes('n');
  only('transformer-postprocess', before ? ['da', 'a'] : ['dan', 'an']);
  const [source, target] = [rows('Wemb') ?? rows('encoder_Wemb'), rows('Wemb') ?? rows('decoder_Wemb')];
  if (!source || !target) throw new HeedError(E_SAFETENSORS, `${file}: found no embeddings, Wemb`);
  const [width, heads, ffn] = [count('dim-emb'), count('transformer-heads'), count('transformer-dim-ffn')];
  return {
    architectures: ['MarianMTModel'],
    model_type: 'marian',
    is_encoder_decoder: true,
    d_model: width,
    encoder_layers: count('enc-depth'),
    decoder_layers: count('dec-depth'),
    encoder_attention_heads: heads,
    decoder_attention_heads: heads,
    encoder_ffn_dim: ffn,
    decoder_ffn_dim: ffn,
    activation_function: only('transformer-ffn-activation', ['swish', 'relu', 'gelu']),
    normalize_before: before,
    normalize_embedding: only('transformer-postprocess-emb', ['d', '', 'n', 'nd', 'dn']).includes('n'),
    add_final_layer_norm: only('transformer-postprocess-top', ['', 'n', 'd', 'nd', 'dn']).includes('n'),
    scale_embedding: true,
    static_position_embeddings: true,
    share_encoder_decoder_embeddings: rows('Wemb') !== undefined,
    tie_word_embeddings: rows('decoder_ff_logit_out_W') === undefined,
    vocab_size: source + 1,
    decoder_vocab_size: target + 1,
    max_position_embeddings: Math.max(512, width),
    eos_token_id: 0,
    unk_token_id: 1,
    pad_token_id: target,
    decoder_start_token_id: target,
    bad_words_ids: [[target]],
  };
}

/**
 * @param {string} file
 * @param {NumpyArray} array
 * @param {Record<string, any>} config
 * @returns {Made}
 */
function makeTensor(file, array, config) {
  const name = renamed(array.name);
  const what = `${file}: ${short(array.name)}`;
  const dtype = { '<f4': F32, '<f2': F16 }[array.type];
  if (dtype === undefined) {
    throw new HeedError(E_TENSOR_DTYPE, `${what}: found ${short(array.type)}, expected '<f4' or '<f2'`);
  }
  const width = WIDTHS[dtype];
  const { shape: found } = array;
  const isBias = name === 'final_logits_bias';
  const isTable = /embed_tokens|shared/.test(name);
  const isVector = !isBias && (found.length === 1 || (found.length === 2 && found[0] === 1)) && !isTable;
  const turn = found.length === 2 && !isVector && !isBias && !isTable;
  let shape = isVector ? [found.at(-1) ?? 0] : turn ? [found[1], found[0]] : [...found];
  if (OF_PIECES.test(name) && shape.length === 2) {
    const axis = isBias ? 1 : 0;
    const pieces = name.includes('encoder') ? config.vocab_size : (config.decoder_vocab_size ?? config.vocab_size);
    if (pieces !== shape[axis] && pieces !== shape[axis] + 1) {
      throw new HeedError(
        E_TENSOR_SHAPE,
        `${what}: found ${shape[axis]} pieces, expected ${pieces}, or one less: without padding`,
      );
    }
    shape = isBias ? [shape[0], pieces] : [pieces, shape[1]];
  }
  return { name, dtype, shape, bytes: shape.reduce((product, n) => product * n, width), array, turn };
}

/**
 * The bytes of a tensor, some rows at a time. Matrices are transposed, missing pieces are zeros. @param {Made} tensor
 */
async function* tensorBytes({ array, turn, bytes, dtype }) {
  const { reader, begin } = array;
  if (!turn) {
    await reader.seek(begin);
    for (let left = array.bytes; left > 0; ) {
      const chunk = await reader.next(left);
      if (!chunk) return;
      yield chunk;
      left -= chunk.length;
    }
  } else {
    const [rows, cols] = array.shape;
    const whole = await reader.read(begin, array.bytes);
    if (whole.length < array.bytes) return;
    const Words = dtype === F32 ? Uint32Array : Uint16Array;
    const words = new Words(/** @type {ArrayBuffer} */ (whole.buffer), whole.byteOffset, rows * cols);
    const step = Math.max(1, Math.floor((1 << 16) / rows));
    for (let from = 0; from < cols; from += step) {
      const some = new Words(Math.min(step, cols - from) * rows);
      for (let i = 0; i < some.length; i++) some[i] = words[(i % rows) * cols + from + Math.floor(i / rows)];
      yield new Uint8Array(some.buffer);
    }
  }
  if (bytes > array.bytes) yield new Uint8Array(bytes - array.bytes);
}

/**
 * @param {import('./cursor.js').Cursor} cursor
 * @param {number} size  of the file
 * @param {Record<string, any> | undefined} given  of readConfig; undefined: there is no config.json
 * @returns {Promise<import('./safetensors.js').Weights & { config: Record<string, unknown> }>}  config: `given`,
 *   or made from Marian's settings
 */
export async function openMarian(cursor, size, given) {
  const { file } = cursor;
  const arrays = await readNpz(cursor, size);
  const config = given ?? deriveConfig(file, await readSettings(arrays), arrays);
  const tensors = arrays.filter(({ name }) => name !== SETTINGS).map((array) => makeTensor(file, array, config));
  for (const [i, { name, array }] of tensors.entries()) {
    const other = tensors.findIndex((t) => t.name === name);
    if (other === i) continue;
    const both = `${short(array.name)} and ${short(tensors[other].array.name)}`;
    throw new HeedError(E_SAFETENSORS, `${file}: ${both} are one tensor`);
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
        const pieces = tensorBytes(tensors[index]);
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
  };
}
