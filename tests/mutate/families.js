// families.js - a model of golden/hf/families with something wrong in it, for each number another: keys of config.json
// and generation_config.json, names, shapes, types and numbers of tensors. Used by run.js.

import { filesOf, readSafetensors, writeSafetensors } from '../golden/hf/families/read.js';
import { float, Random } from './model.js';
import { changeBytes } from './mutations.js';
import { ALL, DTYPES, FLOATS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('../golden/hf/families/read.js').Tensors} Tensors */

const WEIGHTS = 'model.safetensors';
const NAMES_OF = ['m2m100', 'nllb', 'mbart50', 't5-v1.1', 'mt5', 'byt5'];

/** Values that some key of some family has. */
const VALUES = [
  ...ALL, 'relu', 'gelu', 'gelu_new', 'silu', 'gated-gelu', 'gated-silu', 'gated-relu', 'gated-', 'gated-gelu_new',
  'm2m_100', 'mbart', 't5', 'mt5', 'marian', 'pegasus', 'umt5', 'bart', 'hf', 'none', 'fairseq', 'rms_norm',
  'layer_norm',
  1e-6, 1e-5, 32, 48, 128, 5, 6, 12, 24,
];
/** Keys that the families have and some models have not. */
const KEYS = [
  'model_type', 'tie_word_embeddings', 'scale_decoder_outputs', 'is_encoder_decoder', 'quantization_config', 'd_kv',
  'num_decoder_layers', 'relative_attention_num_buckets', 'relative_attention_max_distance', 'layer_norm_epsilon',
  'feed_forward_proj', 'num_heads', 'num_layers', 'normalize_before', 'normalize_embedding', 'add_final_layer_norm',
  'positions', 'position_offset', 'learned_positions', 'norm', 'head_dim', 'unscaled_attention', 'no_biases',
  'gated_feed_forward', 'scale_logits', 'relative_buckets', 'relative_distance', 'decoder_cell', 'pad_token_id',
  'decoder_start_token_id', 'bos_token_id', 'max_position_embeddings', 'scale_embedding', 'activation_function',
];

/** @param {Random} random @param {Record<string, unknown>} json  changed */
export function changeKey(random, json) {
  const own = Object.keys(json);
  const key = random.once(3) ? random.pick(KEYS) : own.length ? random.pick(own) : 'd_model';
  oneOf(random, [
    () => (json[key] = random.pick(VALUES)),
    () => (json[key] = random.pick(VALUES)),
    () => (json[key] = json[random.pick(own)]),
    () => delete json[key],
    () => (json[random.pick(NAMES)] = random.pick(VALUES)),
  ]);
}

/** @param {Random} random @param {Tensors} tensors  changed */
function changeTensor(random, tensors) {
  const names = Object.keys(tensors);
  if (names.length === 0) return;
  const name = random.pick(names);
  const one = { ...tensors[name] };
  tensors[name] = one;
  const rename = (/** @type {string} */ to) => {
    delete tensors[name];
    tensors[to] = one;
  };
  oneOf(random, [
    () => delete tensors[name],
    () => rename(random.pick([...NAMES, random.pick(names), `${name}.scale`, name.replace('.weight', ''),
      name.replace(/\.\d+\./, '.9.'), name.replace(/\.\d+\./, '.00.'), name.replace('wi_0', 'wi'),
      name.replace('SelfAttention', 'EncDecAttention'), `model.${name}`, 'lm_head.weight', 'final_logits_bias',
      'model.encoder.embed_positions.weight', 'model.encoder.layers.0.fc1_linear.weight', 'shared.weight'])),
    () => (tensors[random.pick([...NAMES, 'lm_head.weight', 'decoder.embed_tokens.weight', `${name}.scale`])] = one),
    () => (one.shape = random.pick([[], [0], one.shape.toReversed(), [...one.shape, 1], one.shape.map((n) => n + 1)])),
    () => (one.dtype = random.pick(DTYPES)),
    () => (one.data = one.data.slice(0, random.below(one.data.length + 1))),
    () => {
      one.data = one.data.slice();
      one.data.set(float(random.pick(FLOATS)), 4 * random.below(one.data.length / 4));
    },
  ]);
}

/** @type {Map<string, Record<string, Uint8Array>>} */
const models = new Map();

/**
 * Model number `index` of a seed: its files, and the arithmetic to load it with.
 *
 * @param {number} seed
 * @param {number} index
 */
export function mutatedFamily(seed, index) {
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1));
  const name = random.pick(NAMES_OF);
  if (!models.has(name)) models.set(name, filesOf(name));
  const files = { .../** @type {Record<string, Uint8Array>} */ (models.get(name)) };
  const json = (/** @type {string} */ file) => JSON.parse(new TextDecoder().decode(files[file]));
  const [config, generation] = [json('config.json'), json('generation_config.json')];
  const tensors = readSafetensors(files[WEIGHTS]);
  for (let n = random.pick([0, 1, 1, 1, 1, 2, 2, 3, 4]); n > 0; n--) {
    oneOf(random, [
      ...Array(5).fill(() => changeKey(random, config)),
      () => changeKey(random, generation),
      ...Array(3).fill(() => changeTensor(random, tensors)),
    ]);
  }
  Object.assign(files, {
    'config.json': text(JSON.stringify(config)),
    'generation_config.json': text(JSON.stringify(generation)),
    [WEIGHTS]: writeSafetensors(tensors),
  });
  if (random.once(12)) changeBytes(random, files, ['config.json', 'config.json', 'generation_config.json']);
  return { files, dtype: random.pick(/** @type {const} */ (['auto', 'f32', 'int8'])) };
}
