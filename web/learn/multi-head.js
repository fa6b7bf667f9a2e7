// multi-head.js - chapter: the same words and matrices divided into one, two or four heads.

import { h } from '../lib/dom.js';
import { choice, flow, grid, matrix, ops } from './kit.js';
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

export const start = {
  x: matrix([
    [1, 0, 0, 0],
    [0, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 1, 0, 0],
  ]),
  weights: { wq: square, wk: unit, wv: unit, wo: unit },
  heads: 2,
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export const compute = (parts, { x, weights, heads }) => parts.multiHeadAttention(x, x, weights, heads);

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const maps = h('div', { class: 'flow' });
  const output = grid(t.output, compute(parts, given).output, { rowLabels: t.words });
  /** @type {ReturnType<typeof grid>[]} */
  let shown = [];
  function draw() {
    const found = compute(parts, given);
    const width = given.x.cols / given.heads;
    if (shown.length !== given.heads) {
      shown = found.weights.map((map, i) =>
        grid(t.head(i + 1, i * width + 1, (i + 1) * width), map, {
          rowLabels: t.words,
          colLabels: t.words,
          scale: 'sequential',
        }),
      );
      maps.replaceChildren(...shown.map(({ element }) => element));
    } else found.weights.forEach((map, i) => shown[i].set(map));
    output.set(found.output);
  }
  const x = grid(t.x, given.x, {
    rowLabels: t.words,
    digits: 1,
    onEdit(value) {
      given.x = value;
      draw();
    },
  });
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
          draw();
        },
      ),
    ),
    maps,
    output.element,
    h('p', {}, see),
  );
  draw();
}
