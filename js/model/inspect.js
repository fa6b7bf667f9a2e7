// inspect.js - what a pass computes: attention, the logits of the next id, and at what points; used by transformer.js
// and tensors.js, and on demand by here.js, alignment.js and attended.js.

import { checkBoolean, checkOptions } from '../base/check.js';
import { E_MEMORY } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { MAX_INSPECTED } from '../base/limits.js';
import { floats, ints } from '../wasm/core.js';
import { checkIds } from '../text/ids.js';
import { checkHeads } from './options.js';

/** @typedef {import('./transformer.js').Tensor} Tensor */
/** @typedef {import('./model.js').Model} Model */

/**
 * After a pass: its logits are those of a search with the model's shortlist, if it has one.
 *
 * @param {Model} model
 * @param {number} session
 * @param {boolean} [shortlist]  false: they are not
 */
export function restrict(model, session, shortlist = true) {
  if (checkBoolean('shortlist', shortlist)) {
    model.internals().core.call('shortlist', 'heed_forward_shortlist', session);
  }
}

/** Names of the attention weights of all layers: encoder, decoder, cross. */
const MAPS = [/^encoder.*self_attn\.weights$/, /^decoder.*self_attn\.weights$/, /encoder_attn\.weights$/];

/** @param {number[]} shape */
export const size = (shape) => shape.reduce((product, n) => product * n, 1);

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
export function look(model, from, to, heads, wanted, shortlist) {
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
  const logProbs = core.logProbs(session, to.length);
  const computed = candidates(model, from, to);
  const isPart = shortlist !== false && computed.length < config.decoder_vocab_size;
  return { encoder, decoder, cross, logProbs, ...(isPart && { candidates: computed }) };
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
