// cross.js - chapter: attention from the decoder to the encoder, small and editable, and for the current sentence.

import { h } from '../lib/dom.js';
import {
  choice,
  failure,
  fedIn,
  flow,
  followSentence,
  grid,
  heat,
  matrix,
  ops,
  readable,
  remark,
  sign,
  slider,
} from './kit.js';
import { formula, m, n, o, paren, sub } from './math.js';
import { openSum } from './sum.js';
import { attended, product, trace } from './trace.js';

export const start = {
  q: matrix([
    [2, 0.5],
    [0.5, 3],
  ]),
  k: matrix([
    [2, 0],
    [0, 2],
    [1, 0],
  ]),
  v: matrix([
    [1, 0],
    [0, 1],
    [1, 1],
  ]),
};

/** @param {import('./kit.js').Ops} parts @param {typeof start} given */
export const compute = (parts, { q, k, v }) => parts.attention(q, k, v);

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const found = compute(parts, given);
  const weights = grid(t.weights, found.weights, { rowLabels: t.target, colLabels: t.source, scale: 'sequential' });
  const output = grid(t.output, found.output, { rowLabels: t.target });
  /** @param {'q' | 'k' | 'v'} key @param {string} name @param {string[]} rowLabels */
  const edited = (key, name, rowLabels) =>
    grid(name, given[key], {
      rowLabels,
      digits: 1,
      onEdit(value) {
        given[key] = value;
        const next = compute(parts, given);
        weights.set(next.weights);
        output.set(next.output);
      },
    });
  const [q, k, v] = [edited('q', t.queries, t.target), edited('k', t.keys, t.source), edited('v', t.values, t.source)];
  const real = h('section', { class: 'real' });
  const map = heat();
  host.append(
    formula([
      n('Attention'),
      paren(sub(m('Q'), n('decoder')), o(','), sub(m('K'), n('encoder')), o(','), sub(m('V'), n('encoder'))),
    ]),
    flow(q.element, k.element, v.element),
    flow(sign('\u2192'), weights.element, sign('\u2192'), output.element),
    trace(app.strings.learn.point, [
      [weights, attended(q, k, app.strings.learn.qkv.cell)],
      [output, product(weights, v)],
    ]),
    real,
  );
  const stop = followSentence(app, (sentence, error) => {
    if (sentence) showReal(real, app, t, map, sentence);
    else real.replaceChildren(remark(error ? failure(app, error) : app.strings.learn.needsModel));
  });
  return { unmount: stop };
}

/**
 * @param {HTMLElement} host
 * @param {any} app
 * @param {any} t
 * @param {ReturnType<typeof heat>} map
 * @param {any} sentence
 */
function showReal(host, app, t, map, sentence) {
  const {
    shape: [layers, heads, rows, cols],
    data,
  } = sentence.attention.cross;
  const place = { layer: layers - 1, head: 0 };
  const fed = fedIn(sentence.targetTokens, app.strings.learn.startToken);
  function draw() {
    const from = (place.layer * heads + place.head) * rows * cols;
    map.set({
      data: data.subarray(from, from + rows * cols),
      rows,
      cols,
      scale: 'sequential',
      whole: true,
      label: t.real,
      rowLabels: sentence.targetTokens.map(
        (/** @type {{ piece: string }} */ { piece }, /** @type {number} */ i) => `${readable(piece)} \u2190 ${fed[i]}`,
      ),
      colLabels: sentence.sourceTokens.map((/** @type {{ piece: string }} */ { piece }) => readable(piece)),
      onPick: (/** @type {number} */ row, /** @type {number} */ col) =>
        openSum(app, { sentence, stack: 'cross', ...place, row, col }),
    });
  }
  host.replaceChildren(
    h('h2', {}, t.real),
    h('p', {}, sentence.source, ' \u2192 ', sentence.target),
    flow(
      slider(t.layer, { min: 1, max: layers, value: layers }, (x) => {
        place.layer = x - 1;
        draw();
      }),
      choice(
        t.head,
        Array.from({ length: heads }, (_, value) => ({ value, text: String(value + 1) })),
        0,
        (head) => {
          place.head = head;
          draw();
        },
      ),
    ),
    map.element,
    h('p', { class: 'remark' }, `${t.rows}. ${t.openHint}`),
  );
  draw();
}
