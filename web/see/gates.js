// gates.js - the view Gates, for models whose decoder has SSRUs in place of self-attention: how much of each dimension
// of its memory each step keeps.

import { h } from '../lib/dom.js';
import { heatmap } from '../lib/matrix.js';
import { fixed, percent } from '../lib/words.js';
import { sidesOf } from './maps.js';

/** Parts of an SSRU that a cell of the map tells: the gate, what it lets in, what is remembered then. */
const PARTS = /** @type {const} */ (['forget', 'candidate', 'cell']);

/** Names of these tensors. @param {number} layer */
export const namesOf = (layer) => PARTS.map((part) => `decoder.layers.${layer}.ssru.${part}`);

/**
 * The mean of each row: how much of its memory a step keeps.
 *
 * @param {{ rows: number, cols: number, data: Float32Array }} map
 */
export const meanOfRows = ({ rows, cols, data }) =>
  Array.from({ length: rows }, (_, r) => data.subarray(r * cols, (r + 1) * cols).reduce((a, b) => a + b, 0) / cols);

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine, strings: { see } } = app;
  const t = see.gatesView;
  const layers = h('select', { onchange: () => app.set({ layer: Number(layers.value) }) });
  const mapHost = h('div', {});
  const said = h('p', { class: 'remark', role: 'status' });
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', onclick }, text);
  host.append(h('p', { class: 'remark' }, t.lead), h('p', { class: 'remark' }, t.first),
    h('div', { class: 'controls' }, h('label', { class: 'field' }, h('span', {}, see.layer), layers),
      h('div', { class: 'controls' }, button(t.zoomIn, () => map?.zoom(1.4)),
        button(t.zoomOut, () => map?.zoom(1 / 1.4)), button(t.fit, () => map?.fit()))),
    mapHost, said);
  /** @type {ReturnType<typeof heatmap> | undefined} */
  let map;
  /** What is shown, once it has been computed. @type {any} */
  let now = null;
  /** What was asked for last. @type {{ sentence: any, layer: number } | undefined} */
  let asked;

  const ids = (/** @type {{ id: number }[]} */ tokens) => tokens.map(({ id }) => id);

  /** @param {any} sentence @param {number} layer */
  async function look(sentence, layer) {
    const mine = (asked = { sentence, layer });
    try {
      const names = namesOf(layer);
      const found = await engine.seen.inspect(ids(sentence.sourceTokens), ids(sentence.targetTokens), { names });
      if (asked !== mine) return;
      const [forget, candidate, cell] = names.map((name) => found[name]);
      const [rows, cols] = forget.shape;
      const sides = sidesOf(sentence, 'decoder', see.start);
      const one = { rows, cols, data: forget.data };
      const means = meanOfRows(one);
      now = {
        sentence, layer, map: one, means, label: t.label(layer + 1),
        rowLabels: sides.labels.map((/** @type {string} */ text, /** @type {number} */ r) =>
          `${text} ${percent(means[r])}`),
        colLabels: Array.from({ length: cols }, (_, i) => String(i + 1)), labels: sides.labels,
      };
      const value = (/** @type {number} */ x) => fixed(x, 4);
      const options = /** @type {Parameters<typeof heatmap>[1]} */ ({
        ...one, label: now.label, rowLabels: now.rowLabels, colLabels: now.colLabels, scale: 'sequential', reach: 1,
        describe: (/** @type {number} */ row, /** @type {number} */ col) => {
          const at = row * cols + col;
          return [sides.labels[row], t.dimension(col + 1), t.keeps(percent(forget.data[at])),
            t.candidate(value(candidate.data[at])),
            t.cell(row ? value(cell.data[at - cols]) : value(0), value(cell.data[at]))];
        },
        onPick: false,
      });
      if (map) map.update(options);
      else map = heatmap(mapHost, options);
      said.textContent = t.mean(percent(means.reduce((a, b) => a + b, 0) / rows));
    } catch (error) {
      if (asked === mine) said.textContent = `${see.failed} ${error instanceof Error ? error.message : error}`;
    }
  }

  return {
    /** @param {any} sentence @param {any} state */
    update(sentence, state) {
      const n = engine.seen.config.decoder_layers;
      const layer = Math.max(0, Math.min(state.layer, n - 1));
      if (layers.options.length !== n) {
        layers.replaceChildren(...Array.from({ length: n }, (_, i) => h('option', { value: i }, i + 1)));
      }
      layers.value = String(layer);
      if (!asked || asked.sentence !== sentence || asked.layer !== layer) look(sentence, layer);
    },
    /** @returns {import('../lib/export.js').Exports | null} */
    exports() {
      if (!now) return null;
      const { sentence, layer, map: { rows, cols, data }, means, label, labels, rowLabels, colLabels } = now;
      const line = (/** @type {number} */ r) => Array.from(data.subarray(r * cols, (r + 1) * cols));
      return {
        name: `heed-gates-layer${layer + 1}`,
        svg: ({ matrixSvg }) => matrixSvg({ rows, cols, data, rowLabels, colLabels, label }),
        rows: () => [['', 'mean', ...colLabels],
          ...labels.map((/** @type {string} */ text, /** @type {number} */ r) => [text, means[r], ...line(r)])],
        json: () => ({
          source: sentence.source, target: sentence.target, layer, steps: labels, means,
          forget: Array.from({ length: rows }, (_, r) => line(r)),
        }),
      };
    },
    unmount() {
      asked = undefined;
      map?.destroy();
    },
  };
}
