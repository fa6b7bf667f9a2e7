// masking.js - chapter: the causal mask on an editable matrix of scores; both masks on a sentence of the loaded model.

import { h } from '../lib/dom.js';
import { choice, flow, grid, matrix, ops, sign } from './kit.js';
import { share, trace } from './trace.js';
import { d, EQUALS, formula, m, n, o, paren, PLUS, row, softmax, sub } from './math.js';

export const start = {
  scores: matrix([
    [1, 2, 0, 1],
    [0, 1, 2, 1],
    [1, 2, 1, 3],
    [0, 1, 2, 1],
  ]),
  causal: true,
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export function compute(parts, { scores, causal }) {
  const { rows, cols } = scores;
  const data = scores.data.map((x, i) => (causal && i % cols > Math.floor(i / cols) ? -Infinity : x));
  return { masked: { rows, cols, data }, weights: parts.softmax({ rows, cols, data }) };
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const names = { rowLabels: t.words, colLabels: t.words };
  const found = compute(parts, given);
  const masked = grid(t.masked, found.masked, { ...names, digits: 1 });
  const weights = grid(t.weights, found.weights, { ...names, scale: 'sequential' });
  function draw() {
    const next = compute(parts, given);
    masked.set(next.masked);
    weights.set(next.weights);
  }
  const scores = grid(t.scores, given.scores, {
    ...names,
    digits: 1,
    onEdit(value) {
      given.scores = value;
      draw();
    },
  });
  const mask = sub(m('M'), row(n('i'), n('j')));
  host.append(
    formula([
      softmax(m('S'), PLUS, m('M')),
      o(','),
      mask,
      EQUALS,
      d('\u2212\u221e'),
      paren(n('j'), o('&gt;'), n('i')),
    ]),
    choice(
      t.mask,
      [
        { value: true, text: t.on },
        { value: false, text: t.off },
      ],
      given.causal,
      (value) => {
        given.causal = value;
        draw();
      },
    ),
    flow(scores.element, sign('\u2192'), masked.element, sign('\u2192'), weights.element),
    trace(app.strings.learn.point, [[weights, share(masked)]]),
  );
  const real = h('section', { class: 'real' });
  host.append(real);
  const { mount: mountTable } = await import('./attention-table.js');
  return { unmount: mountTable(real, app, t.table, parts) };
}
