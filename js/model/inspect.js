// inspect.js - the tensors that a pass computes, above all attention, and the weights, by Hugging Face's names; used by
// transformer.js, and on demand by detail.js, glossary.js and translator.js.

import { badRange, badType, checkBoolean, checkInteger, checkOptions } from '../base/check.js';
import { E_MEMORY } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { MAX_INSPECTED } from '../base/limits.js';
import { floats, ints } from '../wasm/core.js';
import { checkIds } from '../text/ids.js';
import { checkHeads } from './options.js';

/** @typedef {import('./transformer.js').Tensor} Tensor */
/** @typedef {import('./model.js').Model} Model */
/**
 * @typedef {{ names?: string[], disabledHeads?: import('./options.js').Head[], shortlist?: boolean }} InspectOptions
 */

/**
 * After a pass: its logits are those of a search with the model's shortlist, if it has one.
 *
 * @param {Model} model
 * @param {number} session
 * @param {boolean} [shortlist]  false: they are not
 */
function restrict(model, session, shortlist = true) {
  if (checkBoolean('shortlist', shortlist)) {
    model.internals().core.call('shortlist', 'heed_forward_shortlist', session);
  }
}

/** Names of the attention weights of all layers: encoder, decoder, cross. */
const MAPS = [/^encoder.*self_attn\.weights$/, /^decoder.*self_attn\.weights$/, /encoder_attn\.weights$/];

/** @param {number[]} shape */
const size = (shape) => shape.reduce((product, n) => product * n, 1);

/**
 * Runs a pass, and returns its tensors at some points, one after another.
 *
 * @param {Model} model
 * @param {Int32Array} from
 * @param {Int32Array} to
 * @param {ReturnType<typeof checkHeads>} heads  disabled heads
 * @param {import('../wasm/core.js').Point[]} wanted
 * @param {boolean} [shortlist]
 * @returns {{ session: number, data: Float32Array }}
 */
function look(model, from, to, heads, wanted, shortlist) {
  const { core, pass, disableHeads } = model.internals();
  const total = wanted.reduce((sum, { shape }) => sum + size(shape), 0);
  if (total > MAX_INSPECTED) throw new HeedError(E_MEMORY, `inspect: ${total} numbers: name fewer tensors`);
  const list = Int32Array.from(wanted, ({ point }) => point);
  const room = floats(total);
  const session = pass(from.length, to.length);
  disableHeads(session, heads);
  try {
    core.call('inspect', 'heed_inspect', session, from, from.length, to, to.length, list, list.length, room, total);
  } finally {
    core.run('heed_session_enable_heads', session);
  }
  restrict(model, session, shortlist);
  return { session, data: room.value };
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
  const { names, disabledHeads = [], shortlist } = checkOptions(options, 'names disabledHeads shortlist');
  const config = /** @type {Record<string, any>} */ (model.config);
  const { core, model: handle, check } = model.internals();
  const [from, to] = [check('source', source, 'source'), check('target', target, 'target')];
  const heads = checkHeads(disabledHeads, config);
  if (names !== undefined && !Array.isArray(names)) badType('names', names, 'an array of names');
  const points = core.points(handle, from.length, to.length);
  const known = [...points.map(({ name }) => name), 'logits', 'log_probs'];
  const isNamed = (/** @type {string} */ name, /** @type {string} */ by) =>
    name === by || (String(by).endsWith('.') && name.startsWith(by));
  for (const by of names ?? []) {
    if (!known.some((name) => isNamed(name, by))) badRange('names', by, `a tensor's name, like ${known[3]}`);
  }
  const isWanted = (/** @type {string} */ name) =>
    names ? names.some((by) => isNamed(name, by)) : name !== 'logits';

  const wanted = points.filter(({ name }) => isWanted(name));
  const { session, data } = look(model, from, to, heads, wanted, shortlist);
  /** @type {Record<string, Tensor>} */
  const tensors = {};
  let at = 0;
  for (const { name, shape } of wanted) {
    tensors[name] = { shape, data: data.slice(at, (at += size(shape))) };
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
 * @param {{ disabledHeads?: import('./options.js').Head[], shortlist?: boolean }} [options]
 * @returns {import('./model.js').AttentionMaps & { logProbs: Float32Array, candidates?: Int32Array }}
 */
export function attention(model, source, target, options = {}) {
  const { disabledHeads = [], shortlist } = checkOptions(options, 'disabledHeads shortlist');
  const config = /** @type {Record<string, any>} */ (model.config);
  const { core, model: handle, check } = model.internals();
  const [from, to] = [check('source', source, 'source'), check('target', target, 'target')];
  const heads = checkHeads(disabledHeads, config);
  const points = core.points(handle, from.length, to.length);
  const groups = MAPS.map((name) => points.filter((point) => name.test(point.name)));
  const { session, data } = look(model, from, to, heads, groups.flat(), shortlist);
  let at = 0;
  const [encoder, decoder, cross] = groups.map((layers) => {
    // only a decoder may have no self-attention
    const shape = [layers.length, ...(layers[0]?.shape ?? [0, to.length, to.length])];
    return { shape, data: data.slice(at, (at += size(shape))) };
  });
  const logProbs = Float32Array.from(to, (_, t) => core.logits(session, t, 0).logProb);
  const computed = candidates(model, from, to);
  const isPart = shortlist !== false && computed.length < config.decoder_vocab_size;
  return { encoder, decoder, cross, logProbs, ...(isPart && { candidates: computed }) };
}

/**
 * See Transformer.forward().
 *
 * @param {Model} model
 * @param {ArrayLike<number>} source
 * @param {ArrayLike<number>} target
 * @param {{ shortlist?: boolean }} [options]
 * @returns {{ logits: Tensor, logProbs: Float32Array }}
 */
export function forward(model, source, target, options = {}) {
  const { shortlist } = checkOptions(options, 'shortlist');
  const { core, pass, check } = model.internals();
  const [from, to] = [check('source', source, 'source'), check('target', target, 'target')];
  const session = pass(from.length, to.length);
  core.forward(session, from, to);
  restrict(model, session, shortlist);
  const shape = [to.length, Number(model.config.decoder_vocab_size)];
  const data = new Float32Array(shape[0] * shape[1]);
  const logProbs = new Float32Array(to.length);
  for (let t = 0; t < to.length; t++) {
    const row = core.logits(session, t, shape[1]);
    data.set(row.logits, t * shape[1]);
    logProbs[t] = row.logProb;
  }
  return { logits: { shape, data }, logProbs };
}

/**
 * See Transformer.candidates().
 *
 * @param {Model} model
 * @param {ArrayLike<number>} source
 * @param {ArrayLike<number>} [more]
 * @returns {Int32Array}
 */
export function candidates(model, source, more = []) {
  const { core, model: handle, check } = model.internals();
  const targets = Number(model.config.decoder_vocab_size);
  const [from, extra] = [check('source', source, 'source'), checkIds('more', more, targets)];
  const ids = Int32Array.of(Number(model.config.eos_token_id), ...extra);
  const [room, count] = [ints(targets), ints(1)];
  core.call('candidates', 'heed_model_select', handle, from, from.length, ids, ids.length, room, count);
  return room.value.slice(0, count.value[0]);
}

/**
 * Logits of the id that follows a prefix, [V]: -Infinity for what a shortlist leaves out.
 *
 * @param {Model} model
 * @param {ArrayLike<number>} source
 * @param {ArrayLike<number>} prefix
 * @param {{ shortlist?: boolean }} [options]
 * @returns {Float32Array}
 */
export function nextLogits(model, source, prefix, { shortlist } = {}) {
  const { core, pass, check } = model.internals();
  // one more id, because row t predicts target[t]
  const from = check('source', source, 'source');
  const to = check('prefix', [...Array.from(prefix), Number(model.config.eos_token_id)], 'target');
  const session = pass(from.length, to.length);
  core.forward(session, from, to);
  restrict(model, session, shortlist);
  return core.logits(session, prefix.length, Number(model.config.decoder_vocab_size)).logits;
}

/**
 * The mean over layers and heads of one of the maps, [rows, columns].
 *
 * @param {Tensor} map  [layers, heads, rows, columns]
 * @returns {Float64Array}
 */
export function meanOfHeads({ shape: [layers, heads, rows, columns], data }) {
  const mean = new Float64Array(rows * columns);
  for (let i = 0; i < data.length; i++) mean[i % mean.length] += data[i];
  return mean.map((sum) => sum / (layers * heads));
}

/** See Transformer.parameters. @param {Model} model */
export function parameters(model) {
  const { core, model: handle } = model.internals();
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
  const { core, model: handle } = model.internals();
  if (typeof name !== 'string') badType('name', name, 'a string');
  const part = ints(1);
  const index = core.findTensor(handle, name, part);
  if (index < 0 || part.value[0]) badRange('name', name, "the name of one of the model's tensors");
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
