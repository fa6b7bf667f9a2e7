// family.js - configurations of families other than MarianMT, as one that readConfig() reads, and the names of their
// tensors; loaded by load.js if config.json has another model_type.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { MAX_OPEN_POSITIONS } from '../base/limits.js';

/** @typedef {Record<string, unknown>} Json */

/**
 * A family. initial: its defaults where MarianConfig has others; fixed: what the architecture is without a key that
 * says so, and a file must not say otherwise; made: heed's own keys, or all keys, from config.json and initial.
 *
 * @typedef {{ initial: Json, fixed?: Json, made?: (json: Json) => Json | Promise<Json> }} Family
 */

const t5 = () => import('./t5.js');
const PRE_NORM = { normalize_before: true, normalize_embedding: false, add_final_layer_norm: true };

/** By model_type. @type {Record<string, Family>} */
const FAMILIES = {
  marian: { initial: {} },
  pegasus: {
    initial: { vocab_size: 50265, pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0, forced_eos_token_id: 1 },
    fixed: PRE_NORM,
  },
  // M2M-100 and NLLB-200
  m2m_100: {
    initial: {
      vocab_size: 128112, activation_function: 'relu', scale_embedding: true, pad_token_id: 1, eos_token_id: 2,
      decoder_start_token_id: 2,
    },
    fixed: PRE_NORM,
    made: ({ d_model: width = 1024, pad_token_id: pad, max_position_embeddings: longest = 1024 }) => {
      const isOdd = Number(width) % 2 === 1;
      if (isOdd) throw new HeedError(E_CONFIG, mismatch('config.json: d_model', width, 'an even number'));
      // fairseq's first position is the one after that of the padding; sinusoids have no longest
      return {
        positions: 'fairseq',
        position_offset: Number(pad) + 1,
        max_position_embeddings: Math.max(Number(longest), MAX_OPEN_POSITIONS),
      };
    },
  },
  // mBART-50. The class has its norms whatever old files say: made, not fixed
  mbart: {
    initial: {
      vocab_size: 50265, bos_token_id: 0, pad_token_id: 1, eos_token_id: 2, forced_eos_token_id: 2,
    },
    made: ({ decoder_start_token_id: start, bos_token_id: bos }) => ({
      ...PRE_NORM,
      normalize_embedding: true,
      learned_positions: true,
      position_offset: 2,
      decoder_start_token_id: start ?? bos,
    }),
  },
  t5: { initial: {}, made: async (json) => (await t5()).fromT5(json, false) },
  mt5: { initial: {}, made: async (json) => (await t5()).fromT5(json, true) },
};

/**
 * @param {Json} json  config.json
 * @returns {Promise<Json>}  with the keys of MarianConfig, and heed's own
 */
export async function toMarian(json) {
  const { model_type: type } = json;
  if (typeof type !== 'string' || !Object.hasOwn(FAMILIES, type)) {
    const known = Object.keys(FAMILIES).map((name) => `'${name}'`);
    const last = known.pop();
    throw new HeedError(E_CONFIG, mismatch('config.json: model_type', type, `${known.join(', ')} or ${last}`));
  }
  const { initial, fixed = {}, made } = FAMILIES[type];
  const refused = { ...fixed, is_encoder_decoder: true, quantization_config: undefined };
  for (const [key, value] of Object.entries(refused)) {
    if (key in json && json[key] !== value && json[key] !== null) {
      const expected = value === undefined ? 'none: weights that another program has quantised are unsupported'
        : `${value}, as in every ${type} model`;
      throw new HeedError(E_CONFIG, mismatch(`config.json: ${key}`, json[key], expected));
    }
  }
  const all = { ...initial, ...json, ...fixed };
  return { ...all, ...(await made?.(all)) };
}

/**
 * What the configuration leaves to the file: T5 has an output matrix of its own if the file has one.
 *
 * @param {Record<string, any>} config  of readConfig; changed
 * @param {import('../formats/safetensors.js').Weights} weights
 */
export function settle(config, { tensors }) {
  const isUnscaled = config.norm === 'rms_norm' && !config.scale_logits;
  if (isUnscaled && tensors.some(({ name }) => name === 'lm_head.weight')) config.tie_word_embeddings = false;
}

/**
 * The names of a file's tensors, and what the core calls them; undefined for a tensor that no layer reads.
 *
 * @typedef {{ toCore: (name: string) => string | undefined, toFile: (name: string) => string }} TensorNames
 */

/** @param {Record<string, any>} config  of readConfig, checked by the core @returns {Promise<TensorNames>} */
export async function tensorNames(config) {
  if (config.norm === 'rms_norm') return (await t5()).namesOfT5(config);
  // fairseq's sinusoids, which old files of M2M-100 store
  const isSinusoids = (/** @type {string} */ name) =>
    config.positions === 'fairseq' && name.endsWith('.embed_positions.weights');
  return { toCore: (name) => (isSinusoids(name) ? undefined : name), toFile: (name) => name };
}
