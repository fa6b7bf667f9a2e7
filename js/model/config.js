// config.js - turns config.json and generation_config.json into the numbers of the C core and the defaults of
// generate(); used by load.js and train.js.

import { ACTIVATIONS, DECODER_CELLS, E_CONFIG, E_WASM, NORMS, POSITIONS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { RULES } from './options.js';

export const CONFIG = 'config.json';
export const GENERATION = 'generation_config.json';

/**
 * MarianConfig's defaults for keys missing in config.json, then those of heed's own keys. null: derived below.
 *
 * @type {Record<string, unknown>}
 */
const DEFAULTS = {
  d_model: 1024,
  encoder_layers: 12,
  decoder_layers: 12,
  encoder_attention_heads: 16,
  decoder_attention_heads: 16,
  encoder_ffn_dim: 4096,
  decoder_ffn_dim: 4096,
  activation_function: 'gelu',
  vocab_size: 58101,
  decoder_vocab_size: null,
  max_position_embeddings: 1024,
  normalize_before: false,
  normalize_embedding: false,
  add_final_layer_norm: false,
  scale_embedding: false,
  share_encoder_decoder_embeddings: true,
  tie_word_embeddings: true,
  eos_token_id: 0,
  pad_token_id: 58100,
  decoder_start_token_id: 58100,
  decoder_cell: 'self_attention',
  positions: 'hf',
  layer_norm_eps: 1e-5,
  learned_positions: false,
  position_offset: 0,
  norm: 'layer_norm',
  head_dim: 0,
  unscaled_attention: false,
  no_biases: false,
  gated_feed_forward: false,
  scale_logits: false,
  relative_buckets: 0,
  relative_distance: 0,
};

/** The values of keys that are words. silu is another name of swish. @type {Record<string, readonly unknown[]>} */
const WORDS = {
  activation_function: [...ACTIVATIONS, 'silu'],
  decoder_cell: DECODER_CELLS,
  norm: NORMS,
  positions: POSITIONS,
};

/** @param {string} file @param {string} key @param {unknown} found @param {string} expected @returns {never} */
function refuse(file, key, found, expected) {
  throw new HeedError(E_CONFIG, mismatch(`${file}: ${key}`, found, expected));
}

/**
 * @param {string} file
 * @param {string} key
 * @param {unknown} value
 * @param {number} [low]
 * @param {number} [high]
 * @returns {number}
 */
function integer(file, key, value, low = -(2 ** 31), high = 2 ** 31 - 1) {
  if (!Number.isInteger(value) || Number(value) < low || Number(value) > high) {
    refuse(file, key, value,
      `an integer${low < 0 ? '' : `, at least ${low}`}${high < 2 ** 31 - 1 ? `, at most ${high}` : ''}`);
  }
  return Number(value);
}

/**
 * The options of generate() that the files may set. `maxTokens`, `minTokens`: without a prefix.
 *
 * @typedef {Required<Pick<import('./options.js').GenerateOptions, 'beams' | 'maxTokens' | 'minTokens' | 'lengthPenalty'
 *   | 'earlyStopping' | 'repetitionPenalty' | 'noRepeatNgram' | 'badWords' | 'suppressTokens' | 'beginSuppressTokens'
 *   | 'forcedBosTokenId' | 'forcedEosTokenId' | 'eosTokenIds' | 'renormalizeLogits'>>
 *   & Pick<import('./options.js').GenerateOptions, 'maxLength' | 'minLength'>} GenerateDefaults
 */

/** Options of generate() by their names in a file. @type {Record<string, string>} */
const SETTINGS = {
  num_beams: 'beams',
  max_new_tokens: 'maxTokens',
  min_new_tokens: 'minTokens',
  max_length: 'maxLength',
  min_length: 'minLength',
  length_penalty: 'lengthPenalty',
  early_stopping: 'earlyStopping',
  repetition_penalty: 'repetitionPenalty',
  no_repeat_ngram_size: 'noRepeatNgram',
  bad_words_ids: 'badWords',
  suppress_tokens: 'suppressTokens',
  begin_suppress_tokens: 'beginSuppressTokens',
  forced_bos_token_id: 'forcedBosTokenId',
  forced_eos_token_id: 'forcedEosTokenId',
  eos_token_id: 'eosTokenIds',
  renormalize_logits: 'renormalizeLogits',
};
/** Keys of generation_config.json that are not search settings. */
const OTHERS = /^(_from_model_config|transformers_version|(bos|pad|decoder_start)_token_id)$/;

/**
 * Both files in one checked object: config.json with MarianConfig's defaults, and the ids of generation_config.json,
 * which override it.
 *
 * @param {Record<string, unknown>} json  config.json, of another family through family.js
 * @param {Record<string, unknown>} generation  generation_config.json, or {}
 * @returns {Record<string, any>}
 */
export function readConfig(json, generation) {
  const config = { ...DEFAULTS, ...json };
  config.decoder_vocab_size ??= config.vocab_size;
  // several ids may end a hypothesis, but a source ends with one
  if (Array.isArray(json.eos_token_id)) [config.eos_token_id] = json.eos_token_id;
  for (const [key, initial] of Object.entries(DEFAULTS)) {
    const value = config[key];
    if (WORDS[key]) {
      if (!WORDS[key].includes(value)) refuse(CONFIG, key, value, `one of ${WORDS[key]}`);
    } else if (key === 'layer_norm_eps') {
      if (typeof value !== 'number' || !(value >= 1e-12 && value <= 2e-3))
        refuse(CONFIG, key, value, 'a number from 1e-12 to 0.002');
    } else if (typeof initial === 'boolean') {
      if (typeof value !== 'boolean') refuse(CONFIG, key, value, 'true or false');
    } else integer(CONFIG, key, value);
  }
  const last = Math.max(Number(config.vocab_size), Number(config.decoder_vocab_size)) - 1;
  // MarianConfig's default padding id may be outside a small vocabulary
  if (json.pad_token_id != null) integer(CONFIG, 'pad_token_id', json.pad_token_id, 0, last);
  for (const key of ['eos_token_id', 'pad_token_id', 'decoder_start_token_id']) {
    let id = generation[key];
    if (key === 'eos_token_id' && Array.isArray(id)) id = id.includes(config[key]) ? config[key] : id[0];
    if (id != null) config[key] = integer(GENERATION, key, id, 0, last);
  }
  return config;
}

/**
 * The int32s of heed_config_field order.
 *
 * @param {Record<string, any>} config  of readConfig
 * @param {string[]} fields  the core's names for them
 * @param {Record<string, number>} extra  the fields that no file has
 */
export function configNumbers(config, fields, extra) {
  /** @type {Record<string, unknown>} */
  const numbers = { ...config, ...extra, layer_norm_eps: Math.round(config.layer_norm_eps * 1e12) };
  for (const [key, words] of Object.entries(WORDS))
    numbers[key] = words.indexOf(config[key] === 'silu' ? 'swish' : config[key]);
  return Int32Array.from(fields, (field) => {
    const value = numbers[field];
    if (typeof value !== 'number' && typeof value !== 'boolean') {
      throw new HeedError(E_WASM, `heed.wasm asks for ${field}, unknown here: versions differ`);
    }
    return Number(value);
  });
}

/**
 * The defaults of generate(): from generation_config.json, or from config.json if that file is missing.
 *
 * @param {Record<string, any>} config  of readConfig
 * @param {Record<string, unknown>} json  config.json
 * @param {Record<string, unknown>} [generation]  generation_config.json
 * @returns {GenerateDefaults}
 */
export function generateDefaults(config, json, generation) {
  const [file, from] = generation ? [GENERATION, generation] : [CONFIG, json];
  /** @type {Record<string, any>} */
  const found = {};
  for (const [key, name] of Object.entries(SETTINGS)) {
    const value = from[key];
    if (value == null) continue;
    try {
      RULES[name](`${file}: ${key}`, value, config);
    } catch (error) {
      throw new HeedError(E_CONFIG, /** @type {Error} */ (error).message, { cause: error });
    }
    found[name] = typeof value === 'number' && name === 'eosTokenIds' ? [value] : value;
  }
  // new tokens override lengths, which include decoder_start_token_id
  const { maxTokens, maxLength = Infinity, minTokens, minLength = 0 } = found;
  if (maxTokens !== undefined || maxLength === Infinity) delete found.maxLength;
  if (minTokens !== undefined) delete found.minLength;
  return {
    beams: 1,
    lengthPenalty: 1,
    earlyStopping: false,
    repetitionPenalty: 1,
    noRepeatNgram: 0,
    badWords: [],
    suppressTokens: [],
    beginSuppressTokens: [],
    forcedBosTokenId: null,
    forcedEosTokenId: null,
    eosTokenIds: Array.isArray(json.eos_token_id) ? json.eos_token_id : [config.eos_token_id],
    renormalizeLogits: false,
    ...found,
    maxTokens: Math.max(1, Math.min(config.max_position_embeddings, maxTokens ?? maxLength - 1)),
    minTokens: minTokens ?? Math.max(0, minLength - 1),
  };
}

/** Whether a file may have an unsupported search setting. @param {Record<string, unknown>} [generation] */
export const hasOthers = (generation) =>
  !generation || Object.keys(generation).some((key) => !(key in SETTINGS) && !OTHERS.test(key));
