// ops.js - the parts of the Transformer as they are taught: functions from matrices to new matrices, computed by
// the C core with the model's own kernels. Public as 'heed/ops'; index.js also exports loadOps.

import { badRange, badType, checkBoolean, checkFinite, checkInteger, checkOptions } from '../base/check.js';
import { ACTIVATIONS, LAYOUTS } from '../base/constants.js';
import { describe } from '../base/json.js';
import { floats } from '../wasm/core.js';
import { instantiate } from '../wasm/module.js';

/**
 * Row-major: element (r, c) is data[r * cols + c].
 *
 * @typedef {{ rows: number, cols: number, data: Float32Array }} Matrix
 */

/** The types of a vector argument. @typedef {Float32Array | readonly number[]} Numbers */

/** @param {unknown} value @param {string} name @returns {number} */
const size = (value, name) => checkInteger(name, value, 1);

/** @template T @param {T} value @param {readonly T[]} among @param {string} name @returns {number} */
function choice(value, among, name) {
  const i = among.indexOf(value);
  return i < 0 ? badRange(name, value, `one of ${among.map(describe).join(', ')}`) : i;
}

/** @param {any} value @param {string} name @returns {Float32Array} */
function numbers(value, name) {
  if (value instanceof Float32Array) return value;
  if (!Array.isArray(value)) throw new TypeError(`${name}: expected a Float32Array`);
  const wrong = value.findIndex((x) => typeof x !== 'number');
  if (wrong >= 0) badType(`${name}[${wrong}]`, value[wrong], 'a number');
  return Float32Array.from(value);
}

/** @param {any} value @param {number} length @param {string} name */
function vector(value, length, name) {
  const data = numbers(value, name);
  if (data.length !== length) throw new RangeError(`${name}: found ${data.length} numbers, expected ${length}`);
  return data;
}

/**
 * Checks a matrix; it must have `rows` rows and `cols` columns, if given.
 *
 * @param {any} value
 * @param {string} name
 * @param {{ rows?: number, cols?: number }} [expected]
 * @returns {Matrix}
 */
function matrix(value, name, expected = {}) {
  if (typeof value !== 'object' || value === null) badType(name, value, '{ rows, cols, data }');
  const [rows, cols] = /** @type {const} */ (['rows', 'cols']).map((side) => {
    const n = size(value[side], `${name}.${side}`);
    return n === (expected[side] ?? n) ? n : badRange(`${name}.${side}`, n, Number(expected[side]));
  });
  return { rows, cols, data: vector(value.data, rows * cols, `${name}.data`) };
}

/**
 * The functions of one instance of the module. None uses `this`, so they may be destructured.
 *
 * @param {import('../wasm/core.js').Core} core
 */
function opsOver(core) {
  /**
   * Runs heed_op_`op` with room for results of shapes [rows, cols], before the other arguments.
   *
   * @param {string} op
   * @param {[number, number][]} shapes
   * @param {...(Float32Array | Int32Array | number | null)} values
   * @returns {Matrix[]}
   */
  function run(op, shapes, ...values) {
    const rooms = shapes.map(([rows, cols]) => floats(rows * cols));
    core.call(op, `heed_op_${op}`, ...rooms, ...values);
    return shapes.map(([rows, cols], i) => ({ rows, cols, data: /** @type {Float32Array} */ (rooms[i].value) }));
  }

  /**
   * Softmax of every row. A row of only -Infinity becomes all 0.
   *
   * @param {Matrix} x
   * @returns {Matrix}
   */
  function softmax(x) {
    const { rows, cols, data } = matrix(x, 'x');
    return run('softmax', [[rows, cols]], data, rows, cols)[0];
  }

  /**
   * The product a b, which computes Q, K and V from x.
   *
   * @param {Matrix} a
   * @param {Matrix} b
   * @returns {Matrix}
   */
  function matmul(a, b) {
    const left = matrix(a, 'a');
    const right = matrix(b, 'b', { rows: left.cols });
    return run('matmul', [[left.rows, right.cols]], left.data, right.data, left.rows, right.cols, left.cols)[0];
  }

  /**
   * Cosine of the angle between each row of `a` and each row of `b`: [a.rows, b.rows], in -1...1. A row of zeros has no
   * direction; its cosine with any row is 0.
   *
   * @param {Matrix} a
   * @param {Matrix} b
   * @returns {Matrix}
   */
  function cosineSimilarity(a, b) {
    const left = matrix(a, 'a');
    const right = matrix(b, 'b', { cols: left.cols });
    return run('cosine_similarity', [[left.rows, right.rows]], left.data, right.data, left.rows, right.rows,
      left.cols)[0];
  }

  /**
   * The sinusoidal encoding of positions 0, 1, ... 'interleaved': sin, cos, sin, cos, ..., as in the paper; 'halves':
   * all sines, then all cosines, as in MarianMT checkpoints; 'marian-halves': so too, with the wavelengths of Marian
   * itself, of which the longest is 2 pi 10000 exactly.
   *
   * @param {number} positions
   * @param {number} dModel
   * @param {'interleaved' | 'halves' | 'marian-halves'} [layout]
   * @returns {Matrix}
   */
  function positionalEncoding(positions, dModel, layout = 'interleaved') {
    size(positions, 'positions');
    size(dModel, 'dModel');
    return run('positional_encoding', [[positions, dModel]], positions, dModel, choice(layout, LAYOUTS, 'layout'))[0];
  }

  /**
   * The rows `ids` of `table`, times `scale` (in the paper the square root of d_model).
   *
   * @param {ArrayLike<number>} ids
   * @param {Matrix} table
   * @param {number} [scale]
   * @returns {Matrix}
   */
  function embedding(ids, table, scale = 1) {
    if (typeof ids !== 'object' || ids === null || typeof ids.length !== 'number') {
      badType('ids', ids, 'an array of numbers');
    }
    const { rows, cols, data } = matrix(table, 'table');
    const n = size(ids.length, 'ids.length');
    for (let i = 0; i < n; i++) {
      if (typeof ids[i] !== 'number') badType(`ids[${i}]`, ids[i], 'a number');
      if (!Number.isInteger(ids[i]) || ids[i] < 0 || ids[i] >= rows) {
        throw new RangeError(`ids[${i}]: found ${ids[i]}, expected a row of table, 0 to ${rows - 1}`);
      }
    }
    return run('embedding', [[n, cols]], Int32Array.from(ids), n, data, rows, cols, checkFinite('scale', scale))[0];
  }

  /**
   * Self-attention without weights: softmax(x x^T) x.
   *
   * @param {Matrix} x
   * @returns {{ weights: Matrix, output: Matrix }}
   */
  function selfAttention(x) {
    const checked = matrix(x, 'x');
    const { weights, output } = attention(checked, checked, checked, { scale: 1 });
    return { weights, output };
  }

  /**
   * softmax(q k^T * scale) v. `scale` is 1/sqrt(d_k) by default. `causal`: query t sees keys 0 to t; other keys have
   * score -Infinity and weight exactly 0.
   *
   * @param {Matrix} q  [n, dk]
   * @param {Matrix} k  [m, dk]
   * @param {Matrix} v  [m, dv]
   * @param {{ scale?: number, causal?: boolean }} [options]
   * @returns {{ scores: Matrix, weights: Matrix, output: Matrix }}  [n, m], [n, m], [n, dv]
   */
  function attention(q, k, v, options = {}) {
    const { scale, causal = false } = checkOptions(options, 'scale causal');
    const { rows: n, cols: dk, data } = matrix(q, 'q');
    const keys = matrix(k, 'k', { cols: dk });
    const m = keys.rows;
    const values = matrix(v, 'v', { rows: m });
    const factor = scale === undefined ? 1 / Math.sqrt(dk) : checkFinite('scale', scale);
    const [scores, weights, output] = run('attention', [[n, m], [n, m], [n, values.cols]],
      data, keys.data, values.data, n, m, dk, values.cols, factor, Number(checkBoolean('causal', causal)));
    return { scores, weights, output };
  }

  /**
   * Q = query wq, K = memory wk, V = memory wv, each divided into `heads` groups of columns. Each group computes scaled
   * dot-product attention; the outputs, side by side, are multiplied by wo. For self-attention, memory is query.
   *
   * @param {Matrix} query  [n, d]
   * @param {Matrix} memory  [m, d]
   * @param {{ wq: Matrix, wk: Matrix, wv: Matrix, wo: Matrix }} weights  [d, d] each
   * @param {number} heads  divides d
   * @param {{ causal?: boolean }} [options]
   * @returns {{ weights: Matrix[], output: Matrix }}  one [n, m] for each head; [n, d]
   */
  function multiHeadAttention(query, memory, weights, heads, options = {}) {
    const { causal = false } = checkOptions(options, 'causal');
    const { rows: n, cols: d, data } = matrix(query, 'query');
    const keys = matrix(memory, 'memory', { cols: d });
    const m = keys.rows;
    if (typeof weights !== 'object' || weights === null) badType('weights', weights, '{ wq, wk, wv, wo }');
    const [wq, wk, wv, wo] = /** @type {const} */ (['wq', 'wk', 'wv', 'wo']).map(
      (key) => matrix(weights[key], `weights.${key}`, { rows: d, cols: d }).data);
    if (d % size(heads, 'heads') !== 0) throw new RangeError(`heads: found ${heads}, expected a divisor of ${d}`);
    const [maps, output] = run('multi_head_attention', [[heads * n, m], [n, d]],
      data, keys.data, wq, wk, wv, wo, n, m, d, heads, Number(checkBoolean('causal', causal)));
    const head = (/** @type {number} */ h) => maps.data.slice(h * n * m, (h + 1) * n * m);
    return { weights: Array.from({ length: heads }, (_, h) => ({ rows: n, cols: m, data: head(h) })), output };
  }

  /**
   * Normalises every row to mean 0 and variance 1 (biased, plus epsilon), times gain (default 1), plus bias (default
   * 0).
   *
   * @param {Matrix} x
   * @param {Numbers} [gain]  [x.cols]
   * @param {Numbers} [bias]  [x.cols]
   * @param {number} [epsilon]
   * @returns {Matrix}
   */
  function layerNorm(x, gain, bias, epsilon = 1e-5) {
    const { rows, cols, data } = matrix(x, 'x');
    if (checkFinite('epsilon', epsilon) < 0) throw new RangeError(`epsilon: found ${epsilon}, expected 0 or more`);
    return run('layer_norm', [[rows, cols]], data, gain === undefined ? null : vector(gain, cols, 'gain'),
      bias === undefined ? null : vector(bias, cols, 'bias'), rows, cols, epsilon)[0];
  }

  /**
   * activation(x w1 + b1) w2 + b2, for each row.
   *
   * @param {Matrix} x  [n, d]
   * @param {Matrix} w1  [d, f]
   * @param {Numbers} b1  [f]
   * @param {Matrix} w2  [f, d]
   * @param {Numbers} b2  [d]
   * @param {'relu' | 'gelu' | 'swish' | 'gelu_new'} [activation]
   * @returns {Matrix}
   */
  function feedForward(x, w1, b1, w2, b2, activation = 'relu') {
    const { rows: n, cols: d, data } = matrix(x, 'x');
    const first = matrix(w1, 'w1', { rows: d });
    const f = first.cols;
    const second = matrix(w2, 'w2', { rows: f, cols: d });
    return run('feed_forward', [[n, d]], data, first.data, vector(b1, f, 'b1'), second.data, vector(b2, d, 'b2'),
      n, d, f, choice(activation, ACTIVATIONS, 'activation'))[0];
  }

  return Object.freeze({
    softmax, matmul, cosineSimilarity, positionalEncoding, embedding, selfAttention, attention, multiHeadAttention,
    layerNorm, feedForward,
  });
}

/** @typedef {Awaited<ReturnType<typeof loadOps>>} Ops */

/**
 * Loads the parts. Each call creates an instance of the module; its memory is freed with the returned object.
 *
 * @param {{ wasm?: string | URL | BufferSource | WebAssembly.Module, simd?: 'auto' | 'simd128' | 'relaxed' }} [options]
 */
export async function loadOps(options = {}) {
  return opsOver(await instantiate(checkOptions(options, 'wasm simd')));
}
