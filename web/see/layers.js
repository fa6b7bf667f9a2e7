// layers.js - the view Layers: all layers and heads of one stack as thumbnails, which open in Matrix.

import { palette } from '../lib/colors.js';
import { h } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { shrinkInto } from '../lib/tiles.js';
import { placeControls } from './controls.js';
import { mapOf } from './maps.js';

/** The largest side of a thumbnail, in pixels. */
const MOST = 160;

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { see } = app.strings;
  const t = see.layersView;
  const controls = placeControls(app, { layers: false, heads: false });
  const grid = h('div', { class: 'thumbs' });
  host.append(h('p', { class: 'remark' }, t.lead), controls.element, grid);
  /** @type {any} */
  let now;
  /** What thumbnails show that have not been drawn. @type {Map<Element, [layer: number, head: number]>} */
  const waiting = new Map();
  /** Draws a thumbnail, once. @param {Element} canvas */
  function fill(canvas) {
    const which = waiting.get(canvas);
    if (!which) return;
    waiting.delete(canvas);
    const map = mapOf(now.sentence, now.place.stack, ...which);
    shrinkInto(/** @type {HTMLCanvasElement} */ (canvas), map, palette(), Math.min(map.cols, MOST),
      Math.min(map.rows, MOST));
  }
  // at first only visible ones
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) fill(target);
  }, { rootMargin: '200px' });

  function draw() {
    seen.disconnect();
    waiting.clear();
    const { place } = now;
    grid.replaceChildren(...Array.from({ length: place.layers }, (_, layer) => h('section', {},
      h('h2', {}, t.layer(layer + 1)),
      h('div', { class: 'row' }, Array.from({ length: place.heads }, (_, head) => {
        const canvas = h('canvas', { 'aria-hidden': 'true', width: 1, height: 1 });
        canvas.style.aspectRatio = `${Math.max(0.5, Math.min(2, place.cols / place.rows))}`;
        waiting.set(canvas, [layer, head]);
        seen.observe(canvas);
        return h('button', {
          type: 'button', class: 'thumb', 'aria-label': t.open(layer + 1, head + 1),
          onclick: () => app.set({ view: 'matrix', layer, head, heads: '' }),
        }, canvas, h('span', {}, t.head(head + 1)));
      })))));
  }

  const off = onTheme(() => {
    if (!now) return;
    draw();
    // A printed page may have thumbnails that were never visible.
    for (const canvas of waiting.keys()) fill(canvas);
  });
  return {
    /** @param {any} sentence @param {any} state */
    update(sentence, state) {
      const place = controls.update(sentence, state);
      const isSame = now?.sentence === sentence && now.place.stack === place.stack;
      now = { sentence, place };
      if (!isSame) draw();
    },
    /** @returns {import('../lib/export.js').Exports} */
    exports() {
      const { sentence, place: { stack, layers, heads, rows, cols } } = now;
      const all = Array.from({ length: layers * heads }, (_, i) => ({ layer: Math.floor(i / heads), head: i % heads }));
      return {
        name: `heed-layers-${stack}`,
        svg({ svgCells, svgDocument, svgText }) {
          const size = Math.max(1, Math.min(8, MOST / Math.max(rows, cols)));
          const [width, height] = [cols * size + 24, rows * size + 40];
          const { fg } = palette();
          return svgDocument(heads * width + 24, layers * height + 24, all.map(({ layer, head }) => {
            const [x, y] = [24 + head * width, 16 + layer * height];
            return svgText(x, y + 12, `${layer + 1}.${head + 1}`, fg)
              + svgCells(mapOf(sentence, stack, layer, head), x, y + 20, size);
          }).join(''), see.stacks[stack]);
        },
        rows: () => [['layer', 'head', 'row', 'column', 'weight'], ...all.flatMap(({ layer, head }) =>
          Array.from(mapOf(sentence, stack, layer, head).data,
            (weight, i) => [layer + 1, head + 1, Math.floor(i / cols) + 1, (i % cols) + 1, weight]))],
        json: () => ({
          source: sentence.source, target: sentence.target, stack, shape: [layers, heads, rows, cols],
          weights: Array.from(sentence.attention[stack].data),
        }),
      };
    },
    unmount() {
      off();
      seen.disconnect();
    },
  };
}
