// qkv.js - chapter: queries, keys and values, in one picture, and made by three editable matrices.

import { flow, grid, matrix, ops, sign } from './kit.js';
import { picture } from './qkv-picture.js';
import { attended, product, trace } from './trace.js';
import { DK, EQUALS, formula, frac, m, o, softmax, sqrt, sub, transposed } from './math.js';

export const start = {
  x: matrix([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]),
  wq: matrix([
    [0, 0],
    [0, 1],
    [2, 0],
  ]),
  wk: matrix([
    [0, 1],
    [2, 0],
    [0, 0],
  ]),
  wv: matrix([
    [1, 0],
    [0, 1],
    [1, 1],
  ]),
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export function compute(parts, { x, wq, wk, wv }) {
  const [q, k, v] = [wq, wk, wv].map((w) => parts.matmul(x, w));
  const { weights, output } = parts.attention(q, k, v);
  return { q, k, v, weights, output };
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const found = compute(parts, given);
  const names = { rowLabels: t.words };
  const shown = {
    q: grid('Q', found.q, names),
    k: grid('K', found.k, names),
    v: grid('V', found.v, names),
    weights: grid(t.weights, found.weights, { ...names, colLabels: t.words, scale: 'sequential' }),
    output: grid(t.output, found.output, names),
  };
  /** @param {'x' | 'wq' | 'wk' | 'wv'} key @param {string} name @param {string[]} [rowLabels] */
  const edited = (key, name, rowLabels) =>
    grid(name, given[key], {
      rowLabels,
      digits: 1,
      onEdit(value) {
        given[key] = value;
        const next = compute(parts, given);
        for (const part of /** @type {const} */ (['q', 'k', 'v', 'weights', 'output'])) shown[part].set(next[part]);
      },
    });
  const [x, wq, wk, wv] = [
    edited('x', t.x, t.words), edited('wq', 'W_Q'), edited('wk', 'W_K'), edited('wv', 'W_V'),
  ];
  const w = (/** @type {string} */ letter) => sub(m('W'), m(letter));
  host.append(
    formula(
      [m('Q'), EQUALS, m('x'), w('Q'), o(','), m('K'), EQUALS, m('x'), w('K'), o(','), m('V'), EQUALS, m('x'), w('V')],
      [m('y'), EQUALS, softmax(frac(`<mrow>${m('Q')}${transposed(m('K'))}</mrow>`, sqrt(DK))), m('V')],
    ),
    picture(t.picture, t.words),
    flow(x.element, sign('\u00d7'), wq.element, wk.element, wv.element),
    flow(sign('='), shown.q.element, shown.k.element, shown.v.element),
    flow(sign('\u2192'), shown.weights.element, sign('\u2192'), shown.output.element),
    trace(app.strings.learn.point, [
      [shown.q, product(x, wq)], [shown.k, product(x, wk)], [shown.v, product(x, wv)],
      [shown.weights, attended(shown.q, shown.k, t.cell)],
      [shown.output, product(shown.weights, shown.v)],
    ]),
  );
}
