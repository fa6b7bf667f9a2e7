// softmax.js - chapter: softmax of a row of editable numbers, with a temperature.

import { h } from '../lib/dom.js';
import { probabilities } from './chart.js';
import { decimal, grid, matrix, ops, remark, shaped, slider } from './kit.js';
import { EQUALS, formula, frac, n, softmax, sub, sum, sup } from './math.js';

export const start = { x: matrix([[2, 1, 0, -1, 0.5]]), temperature: 1 };

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export function compute(parts, { x, temperature }) {
  const divided = shaped(
    1,
    x.cols,
    x.data.map((v) => v / temperature),
  );
  const exponentials = shaped(
    1,
    x.cols,
    divided.data.map((v) => Math.exp(v)),
  );
  return { exponentials, shares: parts.softmax(divided), sum: exponentials.data.reduce((a, b) => a + b, 0) };
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const powers = grid(t.exponentials, compute(parts, given).exponentials, { scale: 'sequential' });
  const said = remark();
  const bars = h('div', { class: 'wide' });
  const names = Array.from(given.x.data, (_, i) => `x${'\u2081\u2082\u2083\u2084\u2085'[i]}`);
  function draw() {
    const next = compute(parts, given);
    powers.set(next.exponentials);
    said.textContent = t.sum(decimal(next.sum, 3));
    bars.replaceChildren(
      probabilities({ label: t.shares, values: next.shares.data, names, format: (x) => decimal(x, 3) }),
    );
  }
  const x = grid(t.numbers, given.x, {
    colLabels: names,
    onEdit(value) {
      given.x = value;
      draw();
    },
  });
  const power = (/** @type {string} */ index) => sup(n('e'), frac(sub(n('x'), n(index)), n('\u03c4')));
  host.append(
    formula([sub(softmax(n('x')), n('i')), EQUALS, frac(power('i'), sum(n('j'), power('j')))]),
    x.element,
    slider(`${t.temperature} \u03c4`, { min: 0.1, max: 5, step: 0.1, value: 1, format: (v) => decimal(v, 1) }, (v) => {
      given.temperature = v;
      draw();
    }),
    powers.element,
    said,
    bars,
  );
  draw();
}
