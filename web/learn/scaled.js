// scaled.js - chapter: how dot products grow with d_k, and the effect on softmax.

import { h } from '../lib/dom.js';
import { chart, probabilities } from './chart.js';
import { button, decimal, flow, normal, ops, remark, rich, shaped, slider, transpose } from './kit.js';
import { DK, formula, frac, m, softmax, sqrt, transposed } from './math.js';

const [QUERIES, KEYS, SHOWN, BINS] = [50, 40, 8, 41];
/** Of the vectors that are drawn first: one that shows what the division is for. */
export const SEED = 11;

/**
 * Dot products of random vectors, and the shares of the first query among the first keys, without and with the scale.
 *
 * @param {import('./kit.js').Ops} parts
 * @param {{ dk: number, seed: number }} given
 */
export function compute(parts, { dk, seed }) {
  const next = normal(seed);
  const drawn = (/** @type {number} */ rows) => shaped(rows, dk, Float32Array.from({ length: rows * dk }, next));
  const products = parts.matmul(drawn(QUERIES), transpose(drawn(KEYS))).data;
  const row = shaped(1, SHOWN, products.subarray(0, SHOWN));
  const spread = Math.sqrt(products.reduce((sum, x) => sum + x * x, 0) / products.length);
  const raw = parts.softmax(row).data;
  const divided = parts.softmax(
    shaped(
      1,
      SHOWN,
      row.data.map((x) => x / Math.sqrt(dk)),
    ),
  ).data;
  return { products, spread, raw, divided };
}

/** @param {ArrayLike<number>} values @param {number} reach  of the bins, to both sides of 0 */
function histogram(values, reach) {
  const counts = new Float32Array(BINS);
  for (let i = 0; i < values.length; i++) {
    const bin = Math.floor(((values[i] + reach) / (2 * reach)) * BINS);
    if (bin >= 0 && bin < BINS) counts[bin]++;
  }
  return counts;
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { dk: 64, seed: SEED };
  const figures = h('div', { class: 'real' });
  const said = remark();
  const names = Array.from({ length: SHOWN }, (_, i) => t.key(i + 1));
  function draw() {
    const { products, spread, raw, divided } = compute(parts, given);
    // one range for all widths up to 256, so that the growth is visible
    const reach = 50;
    const counts = histogram(products, reach);
    const label = t.histogram(products.length, given.dk);
    const bins = chart({ x: [-reach, reach], y: [0, Math.max(...counts)], xLabel: t.score, yLabel: t.count, label });
    bins.bars(counts);
    const shares = (/** @type {string} */ name, /** @type {Float32Array} */ values) =>
      h(
        'figure',
        { class: 'grid wide' },
        h('figcaption', {}, ...rich(name)),
        probabilities({ label: name, values, names }),
      );
    figures.replaceChildren(
      h('figure', { class: 'grid wide' }, h('figcaption', {}, label), bins.element),
      flow(shares(t.raw, raw), shares(t.divided, divided)),
    );
    said.replaceChildren(...rich(t.spread(decimal(spread, 2), decimal(Math.sqrt(given.dk), 2))));
  }
  host.append(
    formula([softmax(frac(`<mrow>${m('Q')}${transposed(m('K'))}</mrow>`, sqrt(DK))), m('V')]),
    flow(
      slider(t.dk, { min: 0, max: 8, value: 6, format: (x) => String(2 ** x) }, (x) => {
        given.dk = 2 ** x;
        draw();
      }),
      button(t.again, () => {
        given.seed += 1;
        draw();
      }),
    ),
    said,
    figures,
  );
  draw();
}
