// config.js - config.json and generation_config.json as the numbers of the C core and the defaults of generate(); used
// by load.js and train.js.

import { mismatch } from './json.js';
import { MAX_BEAMS } from './options.js';
import { E_CONFIG, E_WASM, HeedError } from './wasm.js';

export const CONFIG = 'config.json';
const GENERATION = 'generation_config.json';

/** What a MarianConfig says where config.json is silent. null: derived below. @type {Record<string, unknown>} */
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

/** activation_function, in the order of heed.h; the last two are one. */
const ACTIVATIONS = ['relu', 'gelu', 'swish', 'silu'];

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
 * @typedef {object} GenerateDefaults
 * @property {number} beams
 * @property {number} maxTokens
 * @property {number} minTokens
 * @property {number} lengthPenalty
 * @property {number} noRepeatNgram
 * @property {number[][]} badWords
 */

/**
 * Both files in one object, checked: what a MarianConfig holds where config.json is silent, and the ids of
 * generation_config.json, which win.
 *
 * @param {Record<string, unknown>} json  config.json
 * @param {Record<string, unknown>} generation  generation_config.json, or {}
 * @returns {Record<string, any>}
 */
export function readConfig(json, generation) {
  if (json.model_type !== 'marian') refuse(CONFIG, 'model_type', json.model_type, "'marian'");
  const config = { ...DEFAULTS, ...json };
  config.decoder_vocab_size ??= config.vocab_size;
  for (const [key, initial] of Object.entries(DEFAULTS)) {
    const value = config[key];
    if (key === 'activation_function') {
      if (!ACTIVATIONS.includes(/** @type {string} */ (value))) refuse(CONFIG, key, value, `one of ${ACTIVATIONS}`);
    } else if (typeof initial === 'boolean') {
      if (typeof value !== 'boolean') refuse(CONFIG, key, value, 'true or false');
    } else integer(CONFIG, key, value);
  }
  const last = Math.max(Number(config.vocab_size), Number(config.decoder_vocab_size)) - 1;
  // what a MarianConfig pads with where nobody says may be no id of a small vocabulary
  if (json.pad_token_id != null) integer(CONFIG, 'pad_token_id', json.pad_token_id, 0, last);
  for (const key of ['eos_token_id', 'pad_token_id', 'decoder_start_token_id']) {
    if (generation[key] != null) config[key] = integer(GENERATION, key, generation[key], 0, last);
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
  const numbers = {
    ...config,
    ...extra,
    activation_function: Math.min(2, ACTIVATIONS.indexOf(config.activation_function)),
  };
  return Int32Array.from(fields, (field) => {
    const value = /** @type {Record<string, unknown>} */ (numbers)[field];
    if (typeof value !== 'number' && typeof value !== 'boolean') {
      throw new HeedError(E_WASM, `heed.wasm asks for ${field}, unknown here: versions differ`);
    }
    return Number(value);
  });
}

/**
 * What generate() does when its options are silent: generation_config.json speaks first, then config.json.
 *
 * @param {Record<string, any>} config  of readConfig
 * @param {Record<string, unknown>} generation  generation_config.json, or {}
 * @returns {GenerateDefaults}
 */
export function generateDefaults(config, generation) {
  /** @template T @param {string} key @param {(file: string, value: any) => T} check @returns {T | undefined} */
  const read = (key, check) => {
    if (generation[key] != null) return check(GENERATION, generation[key]);
    return config[key] == null ? undefined : check(CONFIG, config[key]);
  };
  const count = (/** @type {string} */ key, low = 1, /** @type {number | undefined} */ high = undefined) =>
    read(key, (file, value) => integer(file, key, value, low, high));
  const { max_position_embeddings: longest, decoder_vocab_size: vocabulary } = config;
  const isId = (/** @type {unknown} */ id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocabulary;
  // lengths in these files count decoder_start_token_id, except those called "new"
  return {
    beams: count('num_beams', 1, MAX_BEAMS) ?? 1,
    maxTokens: Math.max(1, Math.min(longest, count('max_new_tokens') ?? (count('max_length') ?? longest + 1) - 1)),
    minTokens: Math.max(0, count('min_new_tokens', 0) ?? (count('min_length', 0) ?? 0) - 1),
    noRepeatNgram: count('no_repeat_ngram_size', 0) ?? 0,
    lengthPenalty:
      read('length_penalty', (file, value) =>
        // the core's floats are smaller than those of a file
        Number.isFinite(value) && Number.isFinite(Math.fround(value))
          ? Number(value)
          : refuse(file, 'length_penalty', value, 'a number'),
      ) ?? 1,
    badWords:
      read('bad_words_ids', (file, value) =>
        Array.isArray(value) && value.every((ids) => Array.isArray(ids) && ids.length > 0 && ids.every(isId))
          ? value
          : refuse(file, 'bad_words_ids', value, `an array of arrays of ids below ${vocabulary}`),
      ) ?? [],
  };
}
