// matrix.js - the view Matrix: one head's weights as a heat map with its tokens, exact numbers, and as a table.

import { h } from '../lib/dom.js';
import { heatmap } from '../lib/matrix.js';
import { fixed, percent } from '../lib/words.js';
import { roomStrings } from '../strings.js';
import { legend, placeControls } from './controls.js';
import { mapOf, shownOf } from './maps.js';

/** Rows and columns of the table at a time. */
const PART = { rows: 24, cols: 12 };

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const t = app.strings.see.matrixView;
  const controls = placeControls(app, { words: true });
  const lead = h('p', { class: 'remark' });
  const mapHost = h('div', {});
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', onclick }, text);
  const zooming = h('div', { class: 'controls' },
    button(t.zoomIn, () => map?.zoom(1.4)), button(t.zoomOut, () => map?.zoom(1 / 1.4)),
    button(t.fit, () => map?.fit()));
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.table });
  const parts = h('div', { class: 'controls' });
  const details = h('details', { class: 'numbers', ontoggle: () => showTable() }, h('summary', {}, t.table), parts,
    table);
  controls.element.append(zooming);
  host.append(controls.element, lead, mapHost, legend('sequential', percent(0), percent(1)),
    h('p', { class: 'remark' }, t.help), details);
  /** @type {ReturnType<typeof heatmap> | undefined} */
  let map;
  /** @type {any} */
  let now;
  const corner = { row: 0, col: 0 };

  async function openSum(/** @type {number} */ row, /** @type {number} */ col) {
    const { sentence, shown, place: { stack, layer, head } } = now;
    const [sum, { learn }] = await Promise.all([import('../learn/sum.js'), roomStrings.learn()]);
    Object.assign(app.strings, { learn });
    await sum.openSum(app, { sentence, stack, layer, head, row: shown.rows[row], col: shown.cols[col] });
  }

  function showTable() {
    if (!details.open || !now) return;
    const { sides, map: { rows, cols, data } } = now;
    corner.row = Math.max(0, Math.min(corner.row, rows - 1));
    corner.col = Math.max(0, Math.min(corner.col, cols - 1));
    const [bottom, right] = [Math.min(rows, corner.row + PART.rows), Math.min(cols, corner.col + PART.cols)];
    const go = (/** @type {number} */ row, /** @type {number} */ col) => () => {
      corner.row += row;
      corner.col += col;
      showTable();
    };
    const steps = [
      rows > PART.rows && [corner.row > 0 && button(t.up, go(-PART.rows, 0)),
        bottom < rows && button(t.down, go(PART.rows, 0))],
      cols > PART.cols && [corner.col > 0 && button(t.left, go(0, -PART.cols)),
        right < cols && button(t.right, go(0, PART.cols))],
    ];
    const said = t.part(t.range(corner.row + 1, bottom, rows), t.range(corner.col + 1, right, cols));
    parts.replaceChildren(...steps.flat().filter(Boolean), h('span', { class: 'remark', role: 'status' }, said));
    const range = (/** @type {number} */ from, /** @type {number} */ to) =>
      Array.from({ length: to - from }, (_, i) => from + i);
    table.replaceChildren(h('table', { 'aria-label': now.label },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t.row),
        range(corner.col, right).map((c) => h('th', { scope: 'col' }, sides.cols[c])))),
      h('tbody', {}, range(corner.row, bottom).map((r) => h('tr', {}, h('th', { scope: 'row' }, sides.labels[r]),
        range(corner.col, right).map((c) => h('td', {}, fixed(data[r * cols + c], 4))))))));
  }

  return {
    /** @param {any} sentence @param {any} state */
    update(sentence, state) {
      const place = controls.update(sentence, state);
      const { see } = app.strings;
      const shown = shownOf(sentence, place.stack, see.start, state.words === 1);
      const { sides } = shown;
      const one = shown.of(mapOf(sentence, place.stack, place.layer, place.head));
      const label = t.label(see.place(see.stacks[place.stack], place.layer + 1, place.head + 1));
      now = { sentence, place, shown, sides, map: one, label };
      lead.textContent = t.lead[place.stack];
      const options = /** @type {Parameters<typeof heatmap>[1]} */ ({
        ...one, label, rowLabels: sides.labels, colLabels: sides.cols, scale: 'sequential', whole: true,
        describe: (/** @type {number} */ row, /** @type {number} */ col) => [
          ...(sides.predicted && sides.fed ? [t.predicts(sides.predicted[row]), t.fed(sides.fed[row])]
            : [t.of(sides.rows[row])]),
          t.to(sides.cols[col]),
          t.weight(fixed(one.data[row * one.cols + col], 6)),
        ],
        onPick: openSum,
      });
      if (map) map.update(options);
      else map = heatmap(mapHost, options);
      showTable();
    },
    /** @returns {import('../lib/export.js').Exports} */
    exports() {
      const { sentence, place: { stack, layer, head }, sides, map: one, label } = now;
      const { rows, cols, data } = one;
      const line = (/** @type {number} */ r) => Array.from(data.subarray(r * cols, (r + 1) * cols));
      return {
        name: `heed-${stack}-layer${layer + 1}-head${head + 1}`,
        svg: ({ matrixSvg }) => matrixSvg({ ...one, rowLabels: sides.labels, colLabels: sides.cols, label }),
        rows: () => [['', ...sides.cols], ...sides.labels.map((/** @type {string} */ text, /** @type {number} */ r) =>
          [text, ...line(r)])],
        json: () => ({
          source: sentence.source, target: sentence.target, stack, layer, head, rows: sides.rows, cols: sides.cols,
          ...(sides.predicted && { predicted: sides.predicted, fedIn: sides.fed }),
          weights: Array.from({ length: rows }, (_, r) => line(r)),
        }),
      };
    },
    unmount: () => map?.destroy(),
  };
}
