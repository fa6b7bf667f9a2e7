// multi-head.js - chapter: the same words and matrices divided into one, two or four heads: the queries, keys, values
// and shares of each, its output, all outputs side by side, and W_O.

import { h } from '../lib/dom.js';
import { choice, flow, grid, matrix, ops, rich, rowOf, shaped, sign } from './kit.js';
import { attended, product, trace } from './trace.js';
import { EQUALS, formula, m, n, o, paren, row, sub } from './math.js';

const square = matrix([
  [2, 0, 0, 1],
  [0, 1, 2, 0],
  [1, 0, 0, 2],
  [0, 2, 1, 0],
]);
const unit = matrix([
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
  [0, 0, 0, 1],
]);
const mixing = matrix([
  [1, 0, 1, 0],
  [0, 1, 0, 1],
  [1, 0, -1, 0],
  [0, 1, 0, -1],
]);

export const start = {
  x: matrix([
    [1, 0, 0, 0],
    [0, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 1, 0, 0],
  ]),
  weights: { wq: square, wk: unit, wv: unit, wo: mixing },
  heads: 2,
};

/** Columns of a matrix. @param {import('./kit.js').Matrix} x @param {number} from @param {number} to */
export function columns({ rows, cols, data }, from, to) {
  const found = Array.from({ length: rows }, (_, r) => Array.from(data.subarray(r * cols + from, r * cols + to)));
  return shaped(rows, to - from, found.flat());
}

/**
 * What the core computes, and what is on the way: each head alone, and their outputs side by side.
 *
 * @param {import('./kit.js').Ops} parts @param {typeof start} given
 */
export function compute(parts, { x, weights, heads }) {
  const width = x.cols / heads;
  const each = Array.from({ length: heads }, (_, i) => {
    const [q, k, v] = [weights.wq, weights.wk, weights.wv]
      .map((w) => parts.matmul(x, columns(w, i * width, (i + 1) * width)));
    return { q, k, v, ...parts.attention(q, k, v) };
  });
  const concat = shaped(x.rows, x.cols, Array.from({ length: x.rows }, (_, r) =>
    each.flatMap(({ output }) => Array.from(rowOf(output, r)))).flat());
  return { ...parts.multiHeadAttention(x, x, weights, heads), each, concat };
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start, weights: { ...start.weights } };
  const steps = h('div', { class: 'real' });
  const rows = { rowLabels: t.words };
  const found = compute(parts, given);
  const [concat, output] = [grid(t.concat, found.concat, rows), grid(t.output, found.output, rows)];
  /** The grids of each head. @type {Record<'q' | 'k' | 'v' | 'weights' | 'output', ReturnType<typeof grid>>[]} */
  let shown = [];
  function arrange() {
    const { each } = compute(parts, given);
    const width = given.x.cols / given.heads;
    shown = each.map((head) => ({
      q: grid('Q', head.q, rows), k: grid('K', head.k, rows), v: grid('V', head.v, rows),
      weights: grid(t.weights, head.weights, { ...rows, colLabels: t.words, scale: 'sequential' }),
      output: grid(t.headOutput, head.output, rows),
    }));
    steps.replaceChildren(
      ...shown.flatMap(({ q, k, v, weights, output: mixed }, i) => [
        h('h2', {}, ...rich(t.head(i + 1, i * width + 1, (i + 1) * width))),
        flow(q.element, k.element, v.element, sign('\u2192'), weights.element, sign('\u2192'), mixed.element)]),
      trace(app.strings.learn.point, shown.flatMap(({ q, k, v, weights, output: mixed }) =>
        /** @type {Parameters<typeof trace>[1]} */ ([
          [weights, attended(q, k, app.strings.learn.qkv.cell)],
          [mixed, product(weights, v)],
        ]))));
  }
  function draw() {
    const now = compute(parts, given);
    now.each.forEach((head, i) => {
      for (const name of /** @type {const} */ (['q', 'k', 'v', 'weights', 'output'])) shown[i][name].set(head[name]);
    });
    concat.set(now.concat);
    output.set(now.output);
  }
  const x = grid(t.x, given.x, {
    ...rows,
    digits: 1,
    onEdit(value) {
      given.x = value;
      draw();
    },
  });
  /** @param {keyof typeof start.weights} key @param {string} name */
  const edited = (key, name) => grid(name, given.weights[key], {
    digits: 0,
    onEdit(value) {
      given.weights[key] = value;
      draw();
    },
  });
  const [wq, wk, wv, wo] = [edited('wq', 'W_Q'), edited('wk', 'W_K'), edited('wv', 'W_V'), edited('wo', 'W_O')];
  // keep the text; a plain link would lose it
  const see = h('a', { href: '#/see/layers' }, t.see);
  see.addEventListener('click', (/** @type {Event} */ event) => {
    event.preventDefault();
    app.set({ room: 'see', view: 'layers' });
  });
  const head = (/** @type {string} */ index) => sub(n('head'), index);
  const side = (/** @type {string} */ letter) => row(m(letter), `<msubsup>${m('W')}${n('i')}${m(letter)}</msubsup>`);
  host.append(
    formula(
      [
        n('MultiHead'),
        EQUALS,
        o('['),
        head('<mn>1</mn>'),
        o(','),
        o('\u2026'),
        o(','),
        head(n('h')),
        o(']'),
        sub(m('W'), m('O')),
      ],
      [head(n('i')), EQUALS, n('Attention'), paren(side('Q'), o(','), side('K'), o(','), side('V'))],
    ),
    flow(
      x.element,
      choice(
        t.heads,
        [1, 2, 4].map((value) => ({ value, text: String(value) })),
        given.heads,
        (value) => {
          given.heads = value;
          arrange();
          draw();
        },
      ),
    ),
    flow(wq.element, wk.element, wv.element),
    steps,
    h('h2', {}, t.together),
    flow(concat.element, sign('\u00d7'), wo.element, sign('='), output.element),
    trace(app.strings.learn.point, [[output, product(concat, wo)]]),
    h('p', {}, see),
  );
  arrange();
}
