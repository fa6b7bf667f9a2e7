// family.js - configurations of families other than MarianMT, as one that readConfig() reads; loaded by load.js if
// config.json has another model_type.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';

/**
 * By model_type: PegasusConfig's defaults where MarianConfig has others, and what the architecture is without a key
 * that says so. Pegasus is MarianMT with norms before the sublayers and after the last layer.
 *
 * @type {Record<string, { initial: Record<string, unknown>, fixed: Record<string, unknown> }>}
 */
const FAMILIES = {
  marian: { initial: {}, fixed: {} },
  pegasus: {
    initial: { vocab_size: 50265, pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0, forced_eos_token_id: 1 },
    fixed: { normalize_before: true, normalize_embedding: false, add_final_layer_norm: true },
  },
};

/**
 * @param {Record<string, unknown>} json  config.json
 * @returns {Record<string, unknown>}  with the keys of MarianConfig
 */
export function toMarian(json) {
  const { model_type: type } = json;
  if (typeof type !== 'string' || !Object.hasOwn(FAMILIES, type)) {
    const known = Object.keys(FAMILIES).map((name) => `'${name}'`).join(' or ');
    throw new HeedError(E_CONFIG, mismatch('config.json: model_type', type, known));
  }
  const { initial, fixed } = FAMILIES[type];
  for (const [key, value] of Object.entries(fixed)) {
    if (key in json && json[key] !== value) {
      throw new HeedError(E_CONFIG, mismatch(`config.json: ${key}`, json[key], `${value}, as in every ${type} model`));
    }
  }
  return { ...initial, ...json, ...fixed };
}
