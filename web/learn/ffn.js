// ffn.js - chapter: feed-forward network, residual connection and LayerNorm, before or after.

import { h } from '../lib/dom.js';
import { chart } from './chart.js';
import { choice, flow, grid, matrix, ops, shaped, sign } from './kit.js';
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
  order: /** @type {'post' | 'pre'} */ ('post'),
  activation: /** @type {Activation} */ ('relu'),
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export function compute(parts, { x, order, activation }) {
  const normed = parts.layerNorm(x);
  const ffn = parts.feedForward(order === 'pre' ? normed : x, w1, zeros(w1.cols), w2, zeros(w2.cols), activation);
  const added = { ...x, data: x.data.map((v, i) => v + ffn.data[i]) };
  return { normed, ffn, added, result: order === 'post' ? parts.layerNorm(added) : added };
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
  const stages = h('div', {});
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
    shown =
      order === 'post'
        ? {
            ffn: named(t.ffn.post, found.ffn),
            added: named(t.added, found.added),
            result: named(t.result.post, found.result),
          }
        : {
            normed: named(t.inner, found.normed),
            ffn: named(t.ffn.pre, found.ffn),
            result: named(t.result.pre, found.result),
          };
    stages.replaceChildren(flow(...Object.values(shown).flatMap(({ element }) => [sign('\u2192'), element])));
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

  const x = grid(t.x, given.x, {
    rowLabels: t.words,
    onEdit(value) {
      given.x = value;
      draw();
    },
  });
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
    x.element,
    stages,
    curve,
  );
  arrange();
  drawCurve();
}
