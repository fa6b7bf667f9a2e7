// multi-head.js - chapter: the same words and matrices divided into one, two or four heads. Of each: its parts of the
// matrices, queries, keys, values, each step to its output, and what W_O makes of that; then all heads side by side.

import { h } from '../lib/dom.js';
import { choice, decimal, flow, grid, matrix, ops, rich, rowOf, shaped, sign, transpose } from './kit.js';
import { product, share, trace } from './trace.js';
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
    const [from, to] = [i * width, (i + 1) * width];
    const [wq, wk, wv] = [weights.wq, weights.wk, weights.wv].map((w) => columns(w, from, to));
    const wo = shaped(width, x.cols, weights.wo.data.subarray(from * x.cols, to * x.cols));
    const [q, k, v] = [wq, wk, wv].map((w) => parts.matmul(x, w));
    const products = parts.matmul(q, transpose(k));
    const found = parts.attention(q, k, v);
    return { wq, wk, wv, q, k, v, products, ...found, wo, part: parts.matmul(found.output, wo) };
  });
  const concat = shaped(x.rows, x.cols, Array.from({ length: x.rows }, (_, r) =>
    each.flatMap(({ output }) => Array.from(rowOf(output, r)))).flat());
  return { ...parts.multiHeadAttention(x, x, weights, heads), each, concat };
}

/** What is shown of a head. */
const PARTS = /** @type {const} */ (
  ['wq', 'wk', 'wv', 'q', 'k', 'v', 'products', 'scores', 'weights', 'output', 'wo', 'part']);

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start, weights: { ...start.weights } };
  const steps = h('div', { class: 'real' });
  const rows = { rowLabels: t.words };
  const found = compute(parts, given);
  const [concat, output] = [grid(t.concat, found.concat, rows), grid(t.output, found.output, rows)];
  /** The grids of each head. @type {Record<typeof PARTS[number], ReturnType<typeof grid>>[]} */
  let shown = [];
  function arrange() {
    const { each } = compute(parts, given);
    const width = given.x.cols / given.heads;
    const pairs = { ...rows, colLabels: t.words };
    shown = each.map((head, i) => ({
      wq: grid(`W_Q${i + 1}`, head.wq, { digits: 0 }), wk: grid(`W_K${i + 1}`, head.wk, { digits: 0 }),
      wv: grid(`W_V${i + 1}`, head.wv, { digits: 0 }),
      q: grid(`Q_${i + 1}`, head.q, rows), k: grid(`K_${i + 1}`, head.k, rows), v: grid(`V_${i + 1}`, head.v, rows),
      products: grid('Q K\u1d40', head.products, pairs),
      scores: grid('Q K\u1d40 / \u221ad_k', head.scores, pairs),
      weights: grid(t.weights, head.weights, { ...pairs, scale: 'sequential' }),
      output: grid(t.headOutput, head.output, rows),
      wo: grid(`W_O${i + 1}`, head.wo, { digits: 0 }),
      part: grid(`head_${i + 1} W_O${i + 1}`, head.part, rows),
    }));
    steps.replaceChildren(
      ...shown.flatMap((own, i) => [
        h('h2', {}, ...rich(t.head(i + 1, i * width + 1, (i + 1) * width))),
        flow(sign('\u00d7'), own.wq.element, own.wk.element, own.wv.element),
        flow(sign('='), own.q.element, own.k.element, own.v.element),
        flow(own.products.element, sign('\u2192'), own.scores.element, sign('\u2192'), own.weights.element,
          sign('\u2192'), own.output.element),
        flow(sign('\u00d7'), own.wo.element, sign('='), own.part.element)]),
      trace(app.strings.learn.point, shown.flatMap((own) => /** @type {Parameters<typeof trace>[1]} */ ([
        [own.q, product(x, own.wq)], [own.k, product(x, own.wk)], [own.v, product(x, own.wv)],
        [own.products, product(own.q, own.k, true)],
        [own.scores, (r, c) => {
          const [from, to] = [own.products, own.scores].map(({ value: { data, cols } }) => decimal(data[r * cols + c]));
          return { text: `${from} / \u221a${width} = ${to}`,
            lit: [{ grid: own.products, row: r }, { grid: own.products, col: c }] };
        }],
        [own.weights, share(own.scores)],
        [own.output, product(own.weights, own.v)],
        [own.part, product(own.output, own.wo)],
      ]))));
  }
  function draw() {
    const now = compute(parts, given);
    now.each.forEach((head, i) => {
      for (const name of PARTS) shown[i][name].set(head[name]);
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
