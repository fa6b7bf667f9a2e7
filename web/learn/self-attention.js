// self-attention.js - chapter: softmax(x x^T) x on small editable vectors; the same between two sequences.

import { h } from '../lib/dom.js';
import { flow, grid, matrix, ops, sign, transpose } from './kit.js';
import { EQUALS, formula, m, row, softmax, transposed } from './math.js';
import { product, share, trace } from './trace.js';

/** The words of a sentence, and those of another sequence that asks about them. */
export const start = {
  x: matrix([
    [1, 0, 0],
    [0, 2, 1],
    [0, 1, 2],
    [1, 1, 0],
  ]),
  y: matrix([
    [1, 0, 0],
    [0, 2, 0],
  ]),
};

/** @param {import('./kit.js').Ops} parts @param {import('./kit.js').Matrix} x */
export const compute = (parts, x) => ({ scores: parts.matmul(x, transpose(x)), ...parts.selfAttention(x) });

/**
 * Dot-product attention: keys and values are x, queries are y.
 *
 * @param {import('./kit.js').Ops} parts
 * @param {typeof start} given
 */
export const between = (parts, { x, y }) => parts.attention(y, x, x, { scale: 1 });

/** @param {HTMLElement} host @param {any} app @param {any} t  strings of the chapter */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const { words, asking } = t;
  const pairs = { rowLabels: words, colLabels: words };
  const [found, other] = [compute(parts, given.x), between(parts, given)];
  const shown = {
    scores: grid(t.scores, found.scores, pairs),
    weights: grid(t.weights, found.weights, { ...pairs, scale: 'sequential' }),
    output: grid(t.output, found.output, { rowLabels: words }),
  };
  const across = { rowLabels: asking, colLabels: words };
  const others = {
    scores: grid(t.otherScores, other.scores, across),
    weights: grid(t.weights, other.weights, { ...across, scale: 'sequential' }),
    output: grid(t.otherOutput, other.output, { rowLabels: asking }),
  };
  function update() {
    const [now, then] = [compute(parts, given.x), between(parts, given)];
    for (const name of /** @type {const} */ (['scores', 'weights', 'output'])) {
      shown[name].set(now[name]);
      others[name].set(then[name]);
    }
  }
  /** @param {'x' | 'y'} key @param {string} name @param {string[]} rowLabels */
  const edited = (key, name, rowLabels) => grid(name, given[key], {
    rowLabels, digits: 1,
    onEdit(value) {
      given[key] = value;
      update();
    },
  });
  const [x, y] = [edited('x', t.x, words), edited('y', t.y, asking)];
  const way = (/** @type {typeof shown} */ { scores, weights, output }) =>
    [sign('\u2192'), scores.element, sign('\u2192'), weights.element, sign('\u2192'), output.element];
  host.append(
    formula([m('y'), EQUALS, softmax(m('x'), transposed(m('x'))), row(m('x'))]),
    flow(x.element, ...way(shown)),
    trace(app.strings.learn.point, [
      [shown.scores, product(x, x, true)], [shown.weights, share(shown.scores)],
      [shown.output, product(shown.weights, x)],
    ]),
    h('section', { class: 'real' },
      h('h2', {}, t.two),
      h('p', {}, t.twoText),
      formula([softmax(m('Y'), transposed(m('x'))), row(m('x'))]),
      flow(y.element, ...way(others)),
      trace(app.strings.learn.point, [
        [others.scores, product(y, x, true)], [others.weights, share(others.scores)],
        [others.output, product(others.weights, x)],
      ])),
  );
}
