// tensors.js - the tensors that a pass computes, by Hugging Face's names, and the weights; used by transformer.js, and
// on demand by here.js.

import { badRange, badType, checkInteger, checkOptions } from '../base/check.js';
import { floats, ints } from '../wasm/core.js';
import { look, restrict, size } from './inspect.js';
import { checkHeads } from './options.js';

/** @typedef {import('./transformer.js').Tensor} Tensor */
/** @typedef {import('./model.js').Model} Model */
/**
 * @typedef {{ names?: string[], disabledHeads?: import('./options.js').Head[], shortlist?: boolean }} InspectOptions
 */

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
