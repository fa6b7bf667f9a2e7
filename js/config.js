// config.js - config.json and generation_config.json as the numbers of the C core and the defaults of generate(); used
// by transformer.js.

import { describe } from './json.js';
import { Code, HeedError } from './wasm.js';

const CONFIG = 'config.json';
const GENERATION = 'generation_config.json';

/** What a MarianConfig says where config.json is silent. null: derived below, or off. @type {Record<string, unknown>} */
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
};

/** activation_function, as in heed.h. @type {Record<string, number | undefined>} */
const ACTIVATIONS = Object.assign(Object.create(null), { relu: 0, gelu: 1, swish: 2, silu: 2 });

/** @param {string} file @param {string} key @param {unknown} found @param {string} expected @returns {never} */
function refuse(file, key, found, expected) {
  throw new HeedError(Code.CONFIG, `${file}: ${key}: found ${describe(found)}, expected ${expected}`);
}

/** @param {string} file @param {string} key @param {unknown} value @returns {number} */
function integer(file, key, value) {
  if (!Number.isInteger(value) || Math.abs(/** @type {number} */ (value)) >= 2 ** 31) refuse(file, key, value, 'an integer');
  return /** @type {number} */ (value);
}

/**
 * @typedef {object} GenerateDefaults
 * @property {number} beams
 * @property {number} maxTokens
 * @property {number} minTokens
 * @property {number} lengthPenalty
 * @property {number} noRepeatNgram
 * @property {number[][]} badWords
 */

/**
 * The first of the two files that has the key says; a null there says nothing.
 *
 * @template T
 * @param {Record<string, unknown>} generation
 * @param {Record<string, unknown>} config
 * @param {string} key
 * @param {(file: string, key: string, value: unknown) => T} read
 * @returns {T | undefined}
 */
function either(generation, config, key, read) {
  if (generation[key] != null) return read(GENERATION, key, generation[key]);
  if (config[key] != null) return read(CONFIG, key, config[key]);
  return undefined;
}

/** @param {string} file @param {string} key @param {unknown} value @returns {number} */
function positive(file, key, value) {
  const n = integer(file, key, value);
  if (n < 1) refuse(file, key, value, 'a positive integer');
  return n;
}

/** @param {string} file @param {string} key @param {unknown} value @returns {number} */
function count(file, key, value) {
  const n = integer(file, key, value);
  if (n < 0) refuse(file, key, value, 'a non-negative integer');
  return n;
}

/** @param {string} file @param {string} key @param {unknown} value @returns {number} */
function finite(file, key, value) {
  if (!Number.isFinite(value)) refuse(file, key, value, 'a number');
  return /** @type {number} */ (value);
}

/** @param {number} vocabulary @returns {(file: string, key: string, value: unknown) => number[][]} */
const sequences = (vocabulary) => (file, key, value) => {
  const isId = (/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary;
  const fine = Array.isArray(value) && value.every((ids) => Array.isArray(ids) && ids.length > 0 && ids.every(isId));
  if (!fine) refuse(file, key, value, `an array of arrays of ids below ${vocabulary}`);
  return /** @type {number[][]} */ (value);
};

/**
 * Both files in one object, checked: what a MarianConfig holds where config.json is silent, and the ids of
 * generation_config.json, which win.
 *
 * @param {Record<string, unknown>} json  config.json
 * @param {Record<string, unknown>} generation  generation_config.json, or {}
 * @returns {Record<string, any>}
 */
export function readConfig(json, generation) {
  if (json.model_type !== 'marian') refuse(CONFIG, 'model_type', json.model_type, '"marian"');
  const config = { ...DEFAULTS, ...json };
  config.decoder_vocab_size ??= config.vocab_size;
  for (const [key, initial] of Object.entries(DEFAULTS)) {
    const value = config[key];
    if (key === 'activation_function') {
      if (typeof value !== 'string' || ACTIVATIONS[value] === undefined) refuse(CONFIG, key, value, 'relu, gelu, swish or silu');
    } else if (typeof initial === 'boolean') {
      if (typeof value !== 'boolean') refuse(CONFIG, key, value, 'true or false');
    } else integer(CONFIG, key, value);
  }
  for (const key of ['eos_token_id', 'pad_token_id', 'decoder_start_token_id']) {
    if (generation[key] != null) config[key] = integer(GENERATION, key, generation[key]);
  }
  return config;
}

/**
 * The int32s of heed_config_field order.
 *
 * @param {Record<string, any>} config  of readConfig
 * @param {string[]} fields  the core's names for them
 * @param {Record<string, number>} extra  those that no file states
 */
export function configNumbers(config, fields, extra) {
  const numbers = { ...config, ...extra, activation_function: ACTIVATIONS[config.activation_function] };
  return Int32Array.from(fields, (field) => {
    const value = /** @type {Record<string, unknown>} */ (numbers)[field];
    if (typeof value !== 'number' && typeof value !== 'boolean') {
      throw new HeedError(Code.WASM, `heed.wasm asks for ${field}, which this JavaScript does not know: versions differ`);
    }
    return Number(value);
  });
}

/**
 * What generate() does when its options are silent.
 *
 * @param {Record<string, any>} config  of readConfig
 * @param {Record<string, unknown>} generation  generation_config.json, or {}
 * @returns {GenerateDefaults}
 */
export function generateDefaults(config, generation) {
  const { max_position_embeddings: longest, decoder_vocab_size: vocabulary } = config;
  // lengths in these files count decoder_start_token_id, except those called "new"
  const maxLength = either(generation, config, 'max_length', (f, k, v) => positive(f, k, v) - 1) ?? longest;
  const minLength = either(generation, config, 'min_length', (f, k, v) => count(f, k, v) - 1) ?? 0;
  return {
    beams: either(generation, config, 'num_beams', positive) ?? 1,
    maxTokens: Math.min(longest, Math.max(1, either(generation, config, 'max_new_tokens', positive) ?? maxLength)),
    minTokens: Math.max(0, either(generation, config, 'min_new_tokens', count) ?? minLength),
    lengthPenalty: either(generation, config, 'length_penalty', finite) ?? 1,
    noRepeatNgram: either(generation, config, 'no_repeat_ngram_size', count) ?? 0,
    badWords: either(generation, config, 'bad_words_ids', sequences(vocabulary)) ?? [],
  };
}
