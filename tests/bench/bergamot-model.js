// bergamot-model.js - a model of shapes.js as Bergamot reads it: Marian's .bin of int8 with a scale for the input of
// each matrix, and a SentencePiece model in which each id is a word. Used by models.js, and by bergamot-node.js for the
// words.
//
// In Marian </s> is id 0, so END and id 0 change places. Their biases, and that of <unk>, are so low that none of them
// is chosen: so no translation ends early, as in the other engines.
import { PIECE_CONTROL, PIECE_UNKNOWN } from '../../js/base/constants.js';
import { SETTINGS } from '../../js/formats/marian-settings.js';
import { writeSpm } from '../../js/formats/spm-write.js';
import { FLOAT32, floats, INT8, INTGEMM8, ints, writeBin } from '../hostile/marian-bin.js';
import { concat } from '../model-files.js';
import { END } from './shapes.js';

/** The file of weights, and the vocabulary. heed reads them, too: the names are those of Firefox's models. */
export const [WEIGHTS, VOCABULARY] = ['model.ende.intgemm.alphas.bin', 'vocab.ende.spm'];

const UNKNOWN = 1;
/** A number of an input that becomes 127. The deviation of most inputs is 1. */
const GREATEST = 6;
/** Arrays begin at multiples of so many bytes. */
const ALIGNMENT = 256;
const NEVER = -1e4;

/** An id of the models in Marian's file, and the other way round. @param {number} id */
export const marianId = (id) => (id === 0 ? END : id === END ? 0 : id);
/** A text whose tokens are these ids, and </s>. @param {Int32Array} ids  the last one END */
export const textOf = (ids) => Array.from(ids.subarray(0, -1), (id) => `w${id}`).join(' ');
/** @param {string} text */
export const idsOf = (text) => Int32Array.from(text.split(' ').filter(Boolean), (word) => Number(word.slice(1)));

/** @param {{ width: number, heads: number, ffn: number, layers: number, vocabulary: number }} model */
const settingsOf = ({ width, heads, ffn, layers, vocabulary }) => `bert-train-type-embeddings: true
bert-type-vocab-size: 2
dec-cell: ssru
dec-cell-base-depth: 2
dec-cell-high-depth: 1
dec-depth: ${layers}
dim-emb: ${width}
dim-rnn: 1024
dim-vocabs:
  - ${vocabulary}
  - ${vocabulary}
enc-cell: gru
enc-cell-depth: 1
enc-depth: ${layers}
enc-type: bidirectional
input-types: []
layer-normalization: false
lemma-dim-emb: 0
output-omit-bias: false
right-left: false
skip: false
tied-embeddings: false
tied-embeddings-all: true
tied-embeddings-src: false
transformer-aan-activation: swish
transformer-aan-depth: 2
transformer-aan-nogate: false
transformer-decoder-autoreg: self-attention
transformer-dim-aan: 2048
transformer-dim-ffn: ${ffn}
transformer-ffn-activation: relu
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: ${heads}
transformer-no-projection: false
transformer-pool: false
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-postprocess-top: ""
transformer-preprocess: ""
transformer-tied-layers: []
transformer-train-position-embeddings: false
type: transformer
ulr: false
ulr-dim-emb: 0
ulr-trainable-transformation: false
version: v1.9.56 94aeaa46 2021-04-28 00:28:35 +0100
\0`;

/** Rows with those of the first id and of END exchanged. @param {Float32Array} rows @param {number} width */
function swapped(rows, width) {
  const out = rows.slice();
  out.set(rows.subarray(END * width, (END + 1) * width), 0);
  out.set(rows.subarray(0, width), END * width);
  return out;
}

/**
 * @param {Parameters<typeof settingsOf>[0]} model
 * @param {Map<string, { shape: number[], data: Float32Array }>} tensors  by their Hugging Face names
 * @returns {Record<string, Uint8Array[]>}  files
 */
export function bergamotFiles(model, tensors) {
  const { width, layers, vocabulary } = model;
  /** @type {import('../hostile/marian-bin.js').Item[]} */
  const items = [];
  const add = (/** @type {string} */ name, /** @type {number} */ type, /** @type {number[]} */ shape,
    /** @type {Uint8Array} */ data) => {
    const padding = new Uint8Array((ALIGNMENT - data.length % ALIGNMENT) % ALIGNMENT);
    items.push({ name, type, shape, data: type === INT8 ? data : concat(data, padding) });
  };
  const dataOf = (/** @type {string} */ name) => {
    const found = tensors.get(name);
    if (!found) throw new Error(`${name} is missing`);
    return found.data;
  };
  const vector = (/** @type {string} */ name, /** @type {ArrayLike<number>} */ data) =>
    add(name, FLOAT32, [1, data.length], floats(data));
  /** A matrix; the bytes are those of [out, in], as Hugging Face has it. */
  const matrix = (/** @type {string} */ name, /** @type {Float32Array} */ data, /** @type {number[]} */ shape) => {
    const q = 127 / data.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    add(name, INTGEMM8, shape, ints(data.map((x) => Math.round(x * q)), q));
  };
  const alpha = 127 / GREATEST;
  const linear = (/** @type {string} */ from, /** @type {string} */ to, /** @type {string} */ kind) => {
    const found = tensors.get(`${from}.weight`);
    if (!found) throw new Error(`${from}.weight is missing`);
    matrix(`${to}_W${kind}`, found.data, [found.shape[1], found.shape[0]]);
    vector(`${to}_W${kind}_QuantMultA`, [alpha]);
    vector(`${to}_b${kind}`, dataOf(`${from}.bias`));
  };
  const norm = (/** @type {string} */ from, /** @type {string} */ to) => {
    vector(`${to}_ln_scale`, dataOf(`${from}_layer_norm.weight`));
    vector(`${to}_ln_bias`, dataOf(`${from}_layer_norm.bias`));
  };
  for (const side of ['encoder', 'decoder']) {
    for (let i = 0; i < layers; i++) {
      const [from, to] = [`model.${side}.layers.${i}`, `${side}_l${i + 1}`];
      const attentions = Object.entries({ self_attn: 'self', ...(side === 'decoder' && { encoder_attn: 'context' }) });
      for (const [theirs, ours] of attentions) {
        for (const kind of ['q', 'k', 'v']) linear(`${from}.${theirs}.${kind}_proj`, `${to}_${ours}`, kind);
        linear(`${from}.${theirs}.out_proj`, `${to}_${ours}`, 'o');
        norm(`${from}.${theirs}`, `${to}_${ours}_Wo`);
      }
      for (const kind of ['1', '2']) linear(`${from}.fc${kind}`, `${to}_ffn`, kind);
      norm(`${from}.final`, `${to}_ffn_ffn`);
    }
  }
  matrix('Wemb', swapped(dataOf('model.shared.weight'), width), [vocabulary, width]);
  // of the table this one is an int8 matrix, too
  add('Wemb_QuantMultA', INTGEMM8, [1, 1], ints([127], 127 / alpha));
  vector('none_QuantMultA', [alpha]);
  const bias = swapped(dataOf('final_logits_bias'), 1);
  for (const id of [0, UNKNOWN, END]) bias[id] = NEVER;
  vector('decoder_ff_logit_out_b', bias);
  items.sort((a, b) => (a.name < b.name ? -1 : 1));
  const settings = new TextEncoder().encode(settingsOf(model));
  add(SETTINGS, INT8, [settings.length], settings);

  const words = Array.from({ length: vocabulary }, (_, id) => ({ text: `\u2581w${id}` }));
  const pieces = [{ text: '</s>', type: PIECE_CONTROL }, { text: '<unk>', type: PIECE_UNKNOWN }, ...words.slice(2)];
  return { [WEIGHTS]: [writeBin(items)], [VOCABULARY]: [writeSpm(pieces, {})] };
}
