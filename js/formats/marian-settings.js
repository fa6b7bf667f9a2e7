// marian-settings.js - config.json of the settings that Marian stores with the weights; used by marian.js.
//
// Marian's own networks differ from Hugging Face's MarianMT in two numbers: the wavelengths of the positions, which end
// at 10000 exactly, and the epsilon of the norms, 1e-6. What no MarianMT has, and heed does not compute, is refused.

import { E_CONFIG, E_SAFETENSORS, MAX_LAYERS, MAX_WIDTH } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { MAX_MARIAN_SETTINGS } from '../base/limits.js';

/** @typedef {import('./marian.js').MarianArray} MarianArray */

export const SETTINGS = 'special:model.yml';

/** Settings that must be off: false, 0, empty or missing. */
const OFF = [
  'transformer-train-position-embeddings', 'transformer-tied-layers', 'transformer-no-projection',
  'transformer-no-bias', 'transformer-no-affine', 'transformer-pool', 'transformer-rnn-projection', 'ulr',
  'lemma-dim-emb', 'lemma-dependency', 'factors-dim-emb', 'output-omit-bias', 'right-left',
];

/**
 * Reads `key: value` lines and lists, of `- item` lines or `[item, item]`.
 *
 * @param {string} file
 * @param {MarianArray[]} arrays
 * @returns {Promise<Map<string, string[]>>}
 */
async function readSettings(file, arrays) {
  /** @type {Map<string, string[]>} */
  const settings = new Map();
  const array = arrays.find(({ name }) => name === SETTINGS);
  if (!array) {
    throw new HeedError(E_CONFIG, `${file}: config.json is missing, and ${SETTINGS}, which would say the rest`);
  }
  if (array.bytes > MAX_MARIAN_SETTINGS) {
    const expected = `${MAX_MARIAN_SETTINGS} at most`;
    throw new HeedError(E_CONFIG, `${file}: ${SETTINGS}: found ${array.bytes} bytes, expected ${expected}`);
  }
  const text = new TextDecoder().decode(await array.reader.read(array.begin, array.bytes));
  const plain = (/** @type {string} */ quoted) => quoted.replace(/^(["'])(.*)\1$/, '$2');
  let last = '';
  for (const line of text.replace(/\0+$/, '').split('\n')) {
    const [, key, rest = ''] = /^([\w-]+):(.*)$/s.exec(line) ?? [];
    const value = rest.trim();
    const list = value.startsWith('[') && value.endsWith(']') ? value.slice(1, -1) : undefined;
    const item = /^-\s(.*)$/s.exec(line.trim())?.[1].trim();
    if (list !== undefined) settings.set((last = key), list.split(',').map((one) => plain(one.trim())).filter(Boolean));
    else if (key !== undefined) settings.set((last = key), value === '' ? [] : [plain(value)]);
    else if (item !== undefined) settings.get(last)?.push(plain(item));
  }
  return settings;
}

/**
 * config.json as Hugging Face's converter would write it, with heed's own keys.
 *
 * @param {string} file
 * @param {MarianArray[]} arrays
 * @returns {Promise<Record<string, unknown>>}
 */
export async function deriveConfig(file, arrays) {
  const settings = await readSettings(file, arrays);
  const names = new Set(arrays.map(({ name }) => name));
  const shapeOf = (/** @type {string} */ name) => arrays.find((a) => a.name === name)?.shape;
  const rows = (/** @type {string} */ name) => shapeOf(name)?.[0];
  /** @param {string} key @param {unknown} found @param {string} expected @returns {never} */
  const refuse = (key, found, expected) => {
    throw new HeedError(E_CONFIG, mismatch(`${file}: ${SETTINGS}: ${key}`, found, expected));
  };
  /** @param {string} key @param {string} [initial] */
  const get = (key, initial) => {
    const value = settings.get(key)?.[0] ?? initial;
    if (value !== undefined) return value;
    throw new HeedError(E_CONFIG, `${file}: config.json is missing, and ${SETTINGS} has no ${key} to make it of`);
  };
  const number = (/** @type {string} */ key, /** @type {string} */ text, least = 1) => {
    const n = Number(text);
    if (!Number.isInteger(n) || n < least || text === '') return refuse(key, text, 'a whole number');
    const most = key.endsWith('-depth') ? MAX_LAYERS : MAX_WIDTH;
    return n <= most ? n : refuse(key, text, `${most} at most`);
  };
  const count = (/** @type {string} */ key) => number(key, get(key));
  /** A setting of the decoder, of which 0 means that of the encoder. @param {string} key @param {number} initial */
  const ofDecoder = (key, initial) => number(key, get(key, '0'), 0) || initial;
  const only = (/** @type {string} */ key, /** @type {string[]} */ known) => {
    const value = get(key, known[0]);
    return known.includes(value) ? value : refuse(key, value, known.length > 1 ? `one of '${known}'` : `'${known}'`);
  };
  get('type');
  only('type', ['transformer']);
  const isSsru = only('transformer-decoder-autoreg', ['self-attention', 'rnn']) === 'rnn';
  if (isSsru) {
    get('dec-cell');
    only('dec-cell', ['ssru']);
    only('layer-normalization', ['false']);
  }
  for (const key of OFF) {
    const found = settings.get(key) ?? [];
    if (found.some((value) => !['', 'false', '0'].includes(value))) refuse(key, found, "none, '0' or 'false'");
  }
  for (const value of settings.get('input-types') ?? []) {
    if (value !== 'sequence') refuse('input-types', value, "'sequence'");
  }
  only('transformer-ffn-depth', ['2']);
  only('transformer-decoder-ffn-depth', ['0', '2']);
  const before = only('transformer-preprocess', ['', 'd', 'n', 'dn']).includes('n');
  only('transformer-postprocess', before ? ['da', 'a'] : ['dan', 'an']);

  const [source, target] = [rows('Wemb') ?? rows('encoder_Wemb'), rows('Wemb') ?? rows('decoder_Wemb')];
  if (!source || !target) throw new HeedError(E_SAFETENSORS, `${file}: found no embeddings, Wemb`);
  get('dim-vocabs');
  const stated = /** @type {string[]} */ (settings.get('dim-vocabs'));
  if (stated.length !== 2 || Number(stated[0]) !== source || Number(stated[1]) !== target) {
    refuse('dim-vocabs', stated, `${source},${target} as the embeddings have`);
  }
  const [width, heads, ffn] = [count('dim-emb'), count('transformer-heads'), count('transformer-dim-ffn')];
  const columns = (shapeOf('Wemb') ?? shapeOf('encoder_Wemb'))?.[1];
  if (width !== columns) refuse('dim-emb', width, `${columns}, as the embeddings have`);
  if (width % heads !== 0) refuse('transformer-heads', heads, `a number that divides dim-emb, ${width}`);
  const [encoders, decoders] = [count('enc-depth'), count('dec-depth')];
  const guided = get('transformer-guided-alignment-layer', 'last');
  const layer = guided === 'last' ? decoders : number('transformer-guided-alignment-layer', guided);
  if (layer > decoders) refuse('transformer-guided-alignment-layer', layer, `${decoders} at most`);
  return {
    // transformers has no SSRU
    ...(!isSsru && { architectures: ['MarianMTModel'] }),
    model_type: 'marian',
    is_encoder_decoder: true,
    d_model: width,
    encoder_layers: encoders,
    decoder_layers: decoders,
    encoder_attention_heads: heads,
    decoder_attention_heads: heads,
    encoder_ffn_dim: ffn,
    decoder_ffn_dim: ofDecoder('transformer-decoder-dim-ffn', ffn),
    activation_function: only('transformer-ffn-activation', ['swish', 'relu', 'gelu']),
    normalize_before: before,
    normalize_embedding: only('transformer-postprocess-emb', ['d', '', 'n', 'nd', 'dn']).includes('n'),
    add_final_layer_norm: only('transformer-postprocess-top', ['', 'n', 'd', 'nd', 'dn']).includes('n'),
    scale_embedding: true,
    static_position_embeddings: true,
    positions: 'marian',
    layer_norm_eps: 1e-6,
    ...(isSsru && {
      decoder_cell: 'ssru',
      // those who train an SSRU guide its alignment; elsewhere one head would be arbitrary
      alignment_heads: [[layer - 1, 0]],
    }),
    share_encoder_decoder_embeddings: names.has('Wemb'),
    tie_word_embeddings: !names.has('decoder_ff_logit_out_W') && !names.has('decoder_ff_logit_out_Wt'),
    vocab_size: source + 1,
    decoder_vocab_size: target + 1,
    max_position_embeddings: Math.max(512, width),
    eos_token_id: 0,
    unk_token_id: 1,
    pad_token_id: target,
    decoder_start_token_id: target,
    // Marian's own search never takes <unk>, and has no padding
    bad_words_ids: [[target], [1]],
  };
}
