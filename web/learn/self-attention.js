// self-attention.js - chapter: softmax(x x^T) x on a small editable matrix.

import { flow, grid, matrix, ops, sign, transpose } from './kit.js';
import { EQUALS, formula, m, row, softmax, transposed } from './math.js';

export const start = matrix([
  [1, 0],
  [0, 1],
  [1, 1],
]);

/** @param {import('./kit.js').Ops} parts @param {import('./kit.js').Matrix} x */
export const compute = (parts, x) => ({ scores: parts.matmul(x, transpose(x)), ...parts.selfAttention(x) });

/** @param {HTMLElement} host @param {any} app @param {any} t  strings of the chapter */
export async function mount(host, app, t) {
  const parts = await ops();
  const found = compute(parts, start);
  const names = { rowLabels: t.words, colLabels: t.words };
  const scores = grid(t.scores, found.scores, names);
  const weights = grid(t.weights, found.weights, { ...names, scale: 'sequential' });
  const output = grid(t.output, found.output, { rowLabels: t.words });
  const x = grid(t.x, start, {
    rowLabels: t.words,
    onEdit(value) {
      const next = compute(parts, value);
      scores.set(next.scores);
      weights.set(next.weights);
      output.set(next.output);
    },
  });
  host.append(
    formula([m('y'), EQUALS, softmax(m('x'), transposed(m('x'))), row(m('x'))]),
    flow(x.element, sign('\u2192'), scores.element, sign('\u2192'), weights.element, sign('\u2192'), output.element),
  );
}
