// positions.js - chapter: the sinusoidal positional encoding as a heat map, and the similarity of positions.

import { h } from '../lib/dom.js';
import { chart } from './chart.js';
import { choice, flow, heat, ops, shaped, slider, rowOf } from './kit.js';
import { columnOf } from './trace.js';
import { EQUALS, formula, frac, n, o, paren, row, sub, sup, tall } from './math.js';

export const start = {
  positions: 32,
  width: 64,
  layout: /** @type {'interleaved' | 'halves'} */ ('interleaved'),
  from: 8,
  column: 4,
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export function compute(parts, { positions, width, layout, from }) {
  const encoding = parts.positionalEncoding(positions, width, layout);
  const one = shaped(1, width, rowOf(encoding, Math.min(from, positions - 1)));
  return { encoding, likeness: parts.cosineSimilarity(one, encoding).data };
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const map = heat();
  const [likeness, wavy] = [0, 1].map(() => h('figure', { class: 'grid wide' }));
  function draw() {
    const found = compute(parts, given);
    const { rows, cols, data } = found.encoding;
    map.set({
      data,
      rows,
      cols,
      scale: 'diverging',
      whole: true,
      label: t.map,
      rowLabels: Array.from({ length: rows }, (_, i) => String(i)),
      colLabels: Array.from({ length: cols }, (_, i) => String(i)),
    });
    const p = Math.min(given.from, rows - 1);
    const label = t.likeness(p);
    const low = Math.min(0, ...found.likeness);
    const line = chart({ x: [0, rows - 1], y: [low, 1], xLabel: t.row, yLabel: t.similarity, label });
    line.line(
      Array.from(found.likeness, (_, i) => i),
      found.likeness,
    );
    likeness.replaceChildren(h('figcaption', {}, label), line.element);
    const column = Math.min(given.column, cols - 1);
    const named = t.wave(column);
    const plot = chart({ x: [0, rows - 1], y: [-1, 1], xLabel: t.row, yLabel: '', label: named, height: 160 });
    plot.line(Array.from({ length: rows }, (_, i) => i), columnOf(found.encoding, column));
    wavy.replaceChildren(h('figcaption', {}, named), plot.element);
  }
  const change = (/** @type {Partial<typeof start>} */ patch) => {
    Object.assign(given, patch);
    draw();
  };
  const wave = (/** @type {string} */ name, /** @type {string} */ column) => [
    n('PE'),
    paren(n('p'), o(','), column),
    EQUALS,
    n(name),
    o('\u2061'),
    tall(frac(n('p'), sup('<mn>10000</mn>', frac(row('<mn>2</mn>', n('i')), sub(n('d'), n('model')))))),
  ];
  host.append(
    formula(wave('sin', row('<mn>2</mn>', n('i'))), wave('cos', row('<mn>2</mn>', n('i'), o('+'), '<mn>1</mn>'))),
    flow(
      slider(t.positions, { min: 4, max: 128, step: 4, value: given.positions }, (positions) => change({ positions })),
      slider(t.width, { min: 4, max: 128, step: 4, value: given.width }, (width) => change({ width })),
      choice(
        t.layout,
        /** @type {const} */ (['interleaved', 'halves']).map((value) => ({ value, text: t.layouts[value] })),
        given.layout,
        (layout) => change({ layout }),
      ),
    ),
    h('figure', { class: 'grid wide' }, h('figcaption', {}, t.map), map.element),
    slider(t.column, { min: 0, max: 127, value: given.column }, (column) => change({ column })),
    wavy,
    slider(t.from, { min: 0, max: 127, value: given.from }, (from) => change({ from })),
    likeness,
  );
  draw();
  const learned = h('section', { class: 'real' });
  host.append(learned);
  const { mount: mountLearned } = await import('./learned-positions.js');
  return { unmount: mountLearned(learned, app, t.learned, parts) };
}
