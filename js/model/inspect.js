// inspect.js - what a pass computes on its way, attention above all, and the weights it uses, by Hugging Face's names;
// used by transformer.js, and by detail.js, glossary.js and translator.js when it is asked for.

import { badRange, badType, checkInteger, checkOptions } from '../base/check.js';
import { checkHeads } from './options.js';
import { E_MEMORY, HeedError } from '../base/errors.js';
import { floats, ints } from '../wasm/core.js';

/** @typedef {import('./transformer.js').Tensor} Tensor */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {{ names?: string[], disabledHeads?: import('./options.js').Head[] }} InspectOptions */

/** HEED_AT_... of heed.h. */
const STACKS = { encoder: 0, decoder: 32 };
const OUTPUT = 3;
const ATTENTIONS = { self_attn: 4, encoder_attn: 12 };
const NORM = 7;
/** In their order. Letters: n rows, m keys, D, H, F as everywhere. */
const INPUT = ['embedding', 'positions', 'input'];
const ATTENTION = { q: 'nD', k: 'mD', v: 'mD', scores: 'Hnm', weights: 'Hnm', context: 'nD', output: 'nD' };
const FEED_FORWARD = { fc1: [20, 'nF'], fc2: [21, 'nD'], final_layer_norm: [22, 'nD'] };

/**
 * Every tensor that can be looked at, in the order of the pass, but for `logits` and `log_probs`.
 *
 * @param {Record<string, any>} config
 * @returns {Generator<{ name: string, stack: 'encoder' | 'decoder', isCross?: boolean, point: number, layer: number,
 *   letters: string }>}
 */
function* points(config) {
  for (const stack of /** @type {const} */ (['encoder', 'decoder'])) {
    const base = STACKS[stack];
    for (const [i, part] of INPUT.entries()) {
      yield { name: `${stack}.${part}`, stack, point: base + i, layer: 0, letters: 'nD' };
    }
    for (let layer = 0; layer < config[`${stack}_layers`]; layer++) {
      const prefix = `${stack}.layers.${layer}.`;
      for (const [attention, at] of Object.entries(ATTENTIONS).slice(0, stack === 'encoder' ? 1 : 2)) {
        const isCross = attention === 'encoder_attn';
        for (const [i, [part, letters]] of Object.entries(ATTENTION).entries()) {
          yield { name: `${prefix}${attention}.${part}`, stack, isCross, point: base + at + i, layer, letters };
        }
        yield { name: `${prefix}${attention}_layer_norm`, stack, point: base + at + NORM, layer, letters: 'nD' };
      }
      for (const [part, [at, letters]] of Object.entries(FEED_FORWARD)) {
        yield { name: prefix + part, stack, point: base + Number(at), layer, letters: String(letters) };
      }
    }
    yield { name: `${stack}.output`, stack, point: base + OUTPUT, layer: 0, letters: 'nD' };
  }
}

/**
 * See Transformer.inspect().
 *
 * @param {Model} model
 * @param {ArrayLike<number>} source
 * @param {ArrayLike<number>} target
 * @param {InspectOptions} [options]
 * @returns {Record<string, Tensor>}
 */
export function inspect(model, source, target, options = {}) {
  const { names, disabledHeads = [] } = checkOptions(options, 'names disabledHeads');
  const config = /** @type {Record<string, any>} */ (model.config);
  const { core, pass, check, disableHeads } = model.parts();
  const [from, to] = [check('source', source, 'source'), check('target', target, 'target')];
  const heads = checkHeads(disabledHeads, config);
  if (names !== undefined && !Array.isArray(names)) badType('names', names, 'an array of names');
  const all = [...points(config)];
  const known = [...all.map(({ name }) => name), 'logits', 'log_probs'];
  const isNamed = (/** @type {string} */ name, /** @type {string} */ by) =>
    name === by || (String(by).endsWith('.') && name.startsWith(by));
  for (const by of names ?? []) {
    if (!known.some((name) => isNamed(name, by))) badRange('names', by, `a tensor's name, like ${known[3]}`);
  }
  const isWanted = (/** @type {string} */ name) =>
    names ? names.some((by) => isNamed(name, by)) : name !== 'logits';

  const wanted = all.filter(({ name }) => isWanted(name));
  const shapes = wanted.map(({ stack, isCross, letters }) => {
    const n = stack === 'encoder' ? from.length : to.length;
    /** @type {Record<string, number>} */
    const sizes = {
      n,
      m: isCross ? from.length : n,
      D: config.d_model,
      H: config[`${stack}_attention_heads`],
      F: config[`${stack}_ffn_dim`],
    };
    return [...letters].map((letter) => sizes[letter]);
  });
  const lengths = shapes.map((shape) => shape.reduce((product, n) => product * n));
  const total = lengths.reduce((sum, n) => sum + n, 0);
  if (total > 2 ** 29) throw new HeedError(E_MEMORY, `inspect: ${total} numbers: name fewer tensors`);
  const list = Int32Array.from(wanted.flatMap(({ point, layer }) => [point, layer]));

  const room = floats(total);
  const session = pass(from.length, to.length);
  disableHeads(session, heads);
  try {
    core.call('inspect', 'heed_inspect', session, from, from.length, to, to.length, list, wanted.length, room, total);
  } finally {
    core.run('heed_session_enable_heads', session);
  }
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  let at = 0;
  for (const [i, { name }] of wanted.entries()) {
    tensors[name] = { shape: shapes[i], data: room.value.slice(at, at + lengths[i]) };
    at += lengths[i];
  }
  const width = isWanted('logits') ? config.decoder_vocab_size : 0;
  if (!width && !isWanted('log_probs')) return tensors;
  const logits = { shape: [to.length, width], data: new Float32Array(to.length * width) };
  const logProbs = { shape: [to.length], data: new Float32Array(to.length) };
  for (let t = 0; t < to.length; t++) {
    const row = core.logits(session, t, width);
    logits.data.set(row.logits, t * width);
    logProbs.data[t] = row.logProb;
  }
  return {
    ...tensors,
    ...(width && { logits }),
    ...(isWanted('log_probs') && { log_probs: logProbs }),
  };
}

/**
 * See Transformer.attention().
 *
 * @param {Model} model
 * @param {ArrayLike<number>} source
 * @param {ArrayLike<number>} target
 * @param {{ disabledHeads?: import('./options.js').Head[] }} [options]
 * @returns {import('./model.js').AttentionMaps & { logProbs: Float32Array }}
 */
export function attention(model, source, target, options = {}) {
  const { disabledHeads = [] } = checkOptions(options, 'disabledHeads');
  const config = /** @type {Record<string, any>} */ (model.config);
  const { core, pass, check, disableHeads } = model.parts();
  const [from, to] = [check('source', source, 'source'), check('target', target, 'target')];
  const heads = checkHeads(disabledHeads, config);
  const [S, T] = [from.length, to.length];
  const of = (/** @type {string} */ side) => [config[`${side}_layers`], config[`${side}_attention_heads`]];
  const shapes = [
    [...of('encoder'), S, S],
    [...of('decoder'), T, T],
    [...of('decoder'), T, S],
  ];
  const rooms = shapes.map((shape) => floats(shape.reduce((product, n) => product * n)));
  const session = pass(S, T);
  disableHeads(session, heads);
  try {
    core.forward(session, from, to, rooms);
  } finally {
    core.run('heed_session_enable_heads', session);
  }
  const logProbs = Float32Array.from(to, (_, t) => core.logits(session, t, 0).logProb);
  const [encoder, decoder, cross] = rooms.map((room, i) => ({
    shape: shapes[i],
    data: /** @type {Float32Array} */ (room.value),
  }));
  return { encoder, decoder, cross, logProbs };
}

/**
 * The mean over layers and heads of one of the maps, [rows, columns].
 *
 * @param {Tensor} map  [layers, heads, rows, columns]
 * @returns {Float64Array}
 */
export function meanOfHeads({ shape: [layers, heads, rows, columns], data }) {
  const mean = new Float64Array(rows * columns);
  for (const [i, weight] of data.entries()) mean[i % mean.length] += weight;
  return mean.map((sum) => sum / (layers * heads));
}

/** See Transformer.parameters. @param {Model} model */
export function parameters(model) {
  const { core, model: handle } = model.parts();
  return Array.from({ length: core.run('heed_tensor_count', handle) }, (_, index) => {
    const [rows, cols] = [ints(1), ints(1)];
    core.run('heed_tensor_shape', handle, index, rows, cols);
    const name = String(core.string('heed_tensor_name', handle, index));
    const [r, c] = [rows.value[0], cols.value[0]];
    return { name, shape: r === 1 && name !== 'final_logits_bias' ? [c] : [r, c] };
  });
}

/**
 * See Transformer.parameter().
 *
 * @param {Model} model
 * @param {string} name
 * @param {[number, number]} [range]
 * @returns {Tensor}
 */
export function parameter(model, name, range) {
  const { core, model: handle } = model.parts();
  if (typeof name !== 'string') badType('name', name, 'a string');
  const isScale = ints(1);
  const index = core.findTensor(handle, name, isScale);
  if (index < 0 || isScale.value[0]) badRange('name', name, "the name of one of the model's tensors");
  const [rows, cols] = [ints(1), ints(1)];
  core.run('heed_tensor_shape', handle, index, rows, cols);
  const [r, c] = [rows.value[0], cols.value[0]];
  if (range !== undefined && !Array.isArray(range)) badType('rows', range, 'two numbers: from, to');
  const [first = 0, end = r] = range ?? [];
  checkInteger('rows[0]', first, 0, r - 1);
  checkInteger('rows[1]', end, first + 1, r);
  const data = new Float32Array((end - first) * c);
  const row = floats(c);
  for (let i = first; i < end; i++) {
    core.call(name, 'heed_tensor_row', handle, index, i, row);
    data.set(row.value, (i - first) * c);
  }
  return { shape: r === 1 && name !== 'final_logits_bias' ? [c] : [end - first, c], data };
}
