// t5.js - configurations of T5, its later forms and mT5, as ones that readConfig() reads, and what their tensors are
// called; used by family.js.
//
// Keys and defaults are those of transformers' T5Config and MT5Config.

import { ACTIVATIONS, E_CONFIG, MAX_BUCKETS, MAX_LAYERS, MAX_LENGTH, MAX_WIDTH } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { MAX_OPEN_POSITIONS } from '../base/limits.js';

/** @typedef {Record<string, unknown>} Json */

/** Defaults of T5Config. @type {Json} */
const T5 = {
  vocab_size: 32128, d_model: 512, d_kv: 64, d_ff: 2048, num_layers: 6, num_heads: 8, feed_forward_proj: 'relu',
  relative_attention_num_buckets: 32, relative_attention_max_distance: 128, layer_norm_epsilon: 1e-6,
  tie_word_embeddings: true, pad_token_id: 0, eos_token_id: 1,
};
/** Those of MT5Config that differ. @type {Json} */
const MT5 = {
  vocab_size: 250112, d_ff: 1024, num_layers: 8, num_heads: 6, feed_forward_proj: 'gated-gelu',
  tie_word_embeddings: false,
};

/** The greatest value of each key that is a size; the least is 1. The core would tell of them by its own names. */
const SIZES = {
  d_model: MAX_WIDTH, d_kv: MAX_WIDTH, d_ff: MAX_WIDTH, num_heads: MAX_WIDTH, num_layers: MAX_LAYERS,
  num_decoder_layers: MAX_LAYERS, relative_attention_num_buckets: MAX_BUCKETS,
  relative_attention_max_distance: MAX_LENGTH,
};

/** @param {string} key @param {unknown} found @param {string} expected @returns {never} */
function refuse(key, found, expected) {
  throw new HeedError(E_CONFIG, mismatch(`config.json: ${key}`, found, expected));
}

/** The activation, and whether it is gated. @param {unknown} word  feed_forward_proj */
function activationOf(word) {
  const [, gate, name] = /^(gated-)?(.*)$/s.exec(String(word)) ?? [];
  // transformers means the approximation when it says gated-gelu
  const activation = gate && name === 'gelu' ? 'gelu_new' : name;
  if (typeof word !== 'string' || ![...ACTIVATIONS, 'silu'].includes(activation)) {
    refuse('feed_forward_proj', word, `one of ${[...ACTIVATIONS, 'silu']}, or one of these after 'gated-'`);
  }
  return { activation_function: activation, gated_feed_forward: Boolean(gate) };
}

/**
 * @param {Json} json  config.json
 * @param {boolean} isMT5
 * @returns {Json}  with the keys of MarianConfig, and heed's own
 */
export function fromT5(json, isMT5) {
  const given = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  /** @type {Record<string, any>} */
  const c = { ...T5, ...(isMT5 && MT5), ...given };
  c.num_decoder_layers ??= c.num_layers;
  const { tie_word_embeddings: tie, scale_decoder_outputs: scale = tie } = c;
  for (const [key, value] of Object.entries({ tie_word_embeddings: tie, scale_decoder_outputs: scale })) {
    if (typeof value !== 'boolean') refuse(key, value, 'true or false');
  }
  for (const [key, most] of Object.entries(SIZES)) {
    const least = key === 'relative_attention_num_buckets' ? 4 : 1;
    if (!Number.isInteger(c[key]) || c[key] < least || c[key] > most)
      refuse(key, c[key], `an integer from ${least} to ${most}`);
  }
  const { d_kv: width, num_heads: heads, relative_attention_num_buckets: buckets } = c;
  const { relative_attention_max_distance: distance, layer_norm_epsilon: epsilon } = c;
  const widest = Math.floor(MAX_WIDTH / heads);
  if (width > widest) refuse('d_kv', width, `${widest} at most with num_heads ${heads}`);
  if (distance <= buckets / 2) {
    refuse('relative_attention_max_distance', distance, 'more than half of relative_attention_num_buckets');
  }
  if (typeof epsilon !== 'number' || !(epsilon >= 1e-12 && epsilon <= 2e-3))
    refuse('layer_norm_epsilon', epsilon, 'a number from 1e-12 to 0.002');
  return {
    vocab_size: c.vocab_size,
    d_model: c.d_model,
    encoder_layers: c.num_layers,
    decoder_layers: c.num_decoder_layers,
    encoder_attention_heads: heads,
    decoder_attention_heads: heads,
    encoder_ffn_dim: c.d_ff,
    decoder_ffn_dim: c.d_ff,
    ...activationOf(c.feed_forward_proj),
    layer_norm_eps: epsilon,
    pad_token_id: c.pad_token_id,
    eos_token_id: c.eos_token_id,
    decoder_start_token_id: c.decoder_start_token_id ?? c.pad_token_id,
    max_position_embeddings: MAX_OPEN_POSITIONS,
    tie_word_embeddings: tie,
    scale_logits: !isMT5 && scale,
    normalize_before: true,
    normalize_embedding: false,
    add_final_layer_norm: true,
    scale_embedding: false,
    share_encoder_decoder_embeddings: true,
    positions: 'none',
    norm: 'rms_norm',
    head_dim: width,
    unscaled_attention: true,
    no_biases: true,
    relative_buckets: buckets,
    relative_distance: distance,
  };
}

const ATTENTION = { q: 'q_proj', k: 'k_proj', v: 'v_proj', o: 'out_proj' };

/** A layer's tensors in a file, and in the core: attention, then the feed-forward network, each with its norm. */
const SUBLAYERS = {
  encoder: [['SelfAttention', 'self_attn'], ['DenseReluDense', '']],
  decoder: [['SelfAttention', 'self_attn'], ['EncDecAttention', 'encoder_attn'], ['DenseReluDense', '']],
};

/**
 * @param {Record<string, any>} config  of readConfig, checked by the core
 * @returns {import('./family.js').TensorNames}
 */
export function namesOfT5(config) {
  const isGated = config.gated_feed_forward;
  const feedForward = isGated ? { wi_0: 'fc1', wi_1: 'fc1_linear', wo: 'fc2' } : { wi: 'fc1', wo: 'fc2' };
  /** @type {Map<string, string>} */
  const names = new Map([['shared', 'model.shared'], ['lm_head', 'lm_head']]);
  for (const side of /** @type {const} */ (['encoder', 'decoder'])) {
    const core = `model.${side}`;
    const first = `${side}.block.0.layer`;
    names.set(`${side}.embed_tokens`, `${core}.embed_tokens`);
    names.set(`${side}.final_layer_norm`, `${core}.layer_norm`);
    names.set(`${first}.0.SelfAttention.relative_attention_bias`, `${core}.relative_attention_bias`);
    for (let n = 0; n < config[`${side}_layers`]; n++) {
      for (const [i, [file, part]] of SUBLAYERS[side].entries()) {
        const [from, to] = [`${side}.block.${n}.layer.${i}`, `${core}.layers.${n}.${part}`];
        for (const [own, name] of Object.entries(part ? ATTENTION : feedForward)) {
          names.set(`${from}.${file}.${own}`, part ? `${to}.${name}` : to + name);
        }
        names.set(`${from}.layer_norm`, part ? `${to}_layer_norm` : `${to}final_layer_norm`);
      }
    }
  }
  const files = new Map([...names].map(([file, core]) => [core, file]));
  const suffix = /\.weight(\.scale|\.alpha)?$/;
  const swap = (/** @type {Map<string, string>} */ map, /** @type {string} */ name) => {
    const stem = name.replace(suffix, '');
    const other = map.get(stem);
    // a name that is not T5's is as unknown to the core
    return other && stem !== name ? other + name.slice(stem.length) : `T5's ${name}`;
  };
  return {
    // old files have a table for cross attention, which nothing reads
    toCore: (name) =>
      (/^decoder\..*\.EncDecAttention\.relative_attention_bias\.weight$/.test(name) ? undefined : swap(names, name)),
    toFile: (name) => (files.has(name.replace(suffix, '')) ? swap(files, name) : name),
  };
}
