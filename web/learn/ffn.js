// ffn.js - chapter: feed-forward network, residual connection and LayerNorm, before or after.

import { h } from '../lib/dom.js';
import { chart } from './chart.js';
import { choice, decimal, flow, grid, matrix, ops, rowOf, shaped, sign } from './kit.js';
import { product, trace } from './trace.js';
import { d, EQUALS, formula, m, n, paren, PLUS, row, sub } from './math.js';

const w1 = matrix([
  [1, -1, 0, 1, 0, 0],
  [0, 1, 1, 0, -1, 0],
  [0, 0, 1, -1, 0, 1],
  [-1, 0, 0, 0, 1, 1],
]);
const w2 = matrix([
  [1, 0, 0, 0],
  [0, 1, 0, -1],
  [0, 0, 1, 0],
  [1, 0, 0, 1],
  [0, -1, 0, 1],
  [0, 1, 1, 0],
]);
const zeros = (/** @type {number} */ length) => new Float32Array(length);

/** @typedef {'relu' | 'gelu' | 'swish'} Activation */

export const start = {
  x: matrix([
    [1, 2, 0, -1],
    [0, 1, 3, 0],
  ]),
  w1,
  b1: matrix([[0, 1, 0, -1, 1, 0]]),
  w2,
  b2: matrix([[1, 0, 0, 1]]),
  gain: matrix([[1, 1, 1, 1]]),
  bias: matrix([[0, 0, 0, 0]]),
  order: /** @type {'post' | 'pre'} */ ('post'),
  activation: /** @type {Activation} */ ('relu'),
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export function compute(parts, { x, w1: first, b1, w2: second, b2, gain, bias, order, activation }) {
  const norm = (/** @type {import('./kit.js').Matrix} */ of) => parts.layerNorm(of, gain.data, bias.data);
  const normed = norm(x);
  const input = order === 'pre' ? normed : x;
  const product = parts.matmul(input, first);
  const wide = { ...product, data: product.data.map((v, i) => v + b1.data[i % first.cols]) };
  const hidden = shaped(wide.rows, wide.cols, bend(parts, wide.data, activation));
  const ffn = parts.feedForward(input, first, b1.data, second, b2.data, activation);
  const added = { ...x, data: x.data.map((v, i) => v + ffn.data[i]) };
  const before = order === 'post' ? added : x;
  return {
    normed, wide, hidden, ffn, added, result: order === 'post' ? norm(added) : added, moments: momentsOf(before),
  };
}

/** Mean and variance of each row: what LayerNorm takes out. @param {import('./kit.js').Matrix} x */
function momentsOf(x) {
  return shaped(x.rows, 2, Array.from({ length: x.rows }, (_, r) => {
    const row = Array.from(rowOf(x, r));
    const mean = row.reduce((a, b) => a + b, 0) / row.length;
    return [mean, row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / row.length];
  }).flat());
}

/**
 * The activation of one number: a network of width 1 whose matrices are 1.
 *
 * @param {import('./kit.js').Ops} parts
 * @param {Float32Array} xs
 * @param {Activation} activation
 */
const bend = (parts, xs, activation) =>
  parts.feedForward(shaped(xs.length, 1, xs), matrix([[1]]), zeros(1), matrix([[1]]), zeros(1), activation).data;

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const stages = h('div', { class: 'real' });
  const curve = h('figure', { class: 'grid wide' });
  const formulas = h('div', {});
  const xs = Float32Array.from({ length: 81 }, (_, i) => (i - 40) / 10);
  const norm = (/** @type {string[]} */ ...inside) => row(n('LayerNorm'), paren(...inside));

  /** @type {Record<string, ReturnType<typeof grid>>} */
  let shown = {};
  /** The stages depend on the order. */
  function arrange() {
    const found = compute(parts, given);
    const { order } = given;
    const named = (/** @type {string} */ name, /** @type {import('./kit.js').Matrix} */ value) =>
      grid(name, value, { rowLabels: t.words });
    const inside = { wide: named(t.wide, found.wide), hidden: named(t.hidden, found.hidden) };
    const moments = grid(t.moments, found.moments, { rowLabels: t.words, colLabels: t.momentNames });
    shown =
      order === 'post'
        ? {
            ...inside,
            ffn: named(t.ffn.post, found.ffn),
            added: named(t.added, found.added),
            moments,
            result: named(t.result.post, found.result),
          }
        : {
            moments,
            normed: named(t.inner, found.normed),
            ...inside,
            ffn: named(t.ffn.pre, found.ffn),
            result: named(t.result.pre, found.result),
          };
    stages.replaceChildren(flow(...Object.values(shown).flatMap(({ element }) => [sign('\u2192'), element])),
      trace(app.strings.learn.point, [
        [shown.wide, product(order === 'post' ? x : shown.normed, firsts, false, b1)],
        [shown.hidden, (row, col) => ({
          text: `${given.activation}(${at(shown.wide, row, col)}) = ${at(shown.hidden, row, col)}`,
          lit: [{ grid: shown.wide, row }, { grid: shown.wide, col }],
        })],
        [shown.ffn, product(shown.hidden, seconds, false, b2)],
        [order === 'post' ? shown.added : shown.result, (row, col) => ({
          text: `${at(x, row, col)} + ${at(shown.ffn, row, col)} = ${
            at(order === 'post' ? shown.added : shown.result, row, col)}`,
          lit: [{ grid: x, row }, { grid: shown.ffn, row }],
        })],
        [order === 'post' ? shown.result : shown.normed, (row, col) => {
          const [mean, variance] = rowOf(shown.moments.value, row);
          const into = order === 'post' ? shown.added : x;
          return {
            text: `(${at(into, row, col)} \u2212 ${decimal(mean)}) / \u221a(${decimal(variance)} + ${
              decimal(1e-5, 5)}) \u00d7 ${decimal(given.gain.data[col])} + ${decimal(given.bias.data[col])} = ${
              at(order === 'post' ? shown.result : shown.normed, row, col)}`,
            lit: [{ grid: into, row }, { grid: shown.moments, row }, { grid: gain, col }, { grid: bias, col }],
          };
        }],
      ]));
    formulas.replaceChildren(
      formula(
        [
          n('FFN'),
          paren(m('x')),
          EQUALS,
          n('f'),
          paren(m('x'), sub(m('W'), d(1)), PLUS, sub(m('b'), d(1))),
          sub(m('W'), d(2)),
          PLUS,
          sub(m('b'), d(2)),
        ],
        order === 'post'
          ? [m('y'), EQUALS, norm(m('x'), PLUS, n('FFN'), paren(m('x')))]
          : [m('y'), EQUALS, m('x'), PLUS, n('FFN'), paren(norm(m('x')))],
      ),
    );
  }
  function draw() {
    const found = /** @type {Record<string, import('./kit.js').Matrix>} */ (compute(parts, given));
    for (const [name, stage] of Object.entries(shown)) stage.set(found[name]);
  }
  function drawCurve() {
    const line = chart({
      x: [-4, 4],
      y: [-1, 4],
      xLabel: t.input,
      yLabel: t.outcome,
      label: `${t.curve}: ${given.activation}`,
    });
    line.line(xs, bend(parts, xs, given.activation));
    curve.replaceChildren(h('figcaption', {}, t.curve), line.element);
  }

  const at = (/** @type {ReturnType<typeof grid>} */ of, /** @type {number} */ row, /** @type {number} */ col) =>
    decimal(of.value.data[row * of.value.cols + col]);
  /**
   * @param {'x' | 'w1' | 'b1' | 'w2' | 'b2' | 'gain' | 'bias'} key
   * @param {string} name
   * @param {string[]} [rowLabels]
   */
  const edited = (key, name, rowLabels) => grid(name, given[key], {
    rowLabels, digits: 1,
    onEdit(value) {
      given[key] = value;
      draw();
    },
  });
  const x = edited('x', t.x, t.words);
  const [firsts, b1, seconds, b2, gain, bias] = [edited('w1', t.w1), edited('b1', 'b_1'), edited('w2', t.w2),
    edited('b2', 'b_2'), edited('gain', t.gain), edited('bias', t.bias)];
  host.append(
    formulas,
    flow(
      choice(
        t.order,
        /** @type {const} */ (['post', 'pre']).map((value) => ({ value, text: t.orders[value] })),
        given.order,
        (value) => {
          given.order = value;
          arrange();
        },
      ),
      choice(
        t.activation,
        /** @type {Activation[]} */ (['relu', 'gelu', 'swish']).map((value) => ({ value, text: value })),
        given.activation,
        (value) => {
          given.activation = value;
          draw();
          drawCurve();
        },
      ),
    ),
    flow(...[x, firsts, b1, seconds, b2, gain, bias].map(({ element }) => element)),
    stages,
    curve,
  );
  arrange();
  drawCurve();
}
