// kit.js - shared code of the chapters of Learn: the parts of the Transformer ('heed/ops'), matrices, sliders, choices.

import { loadOps } from '../../js/ops.js';
import { h } from '../lib/dom.js';
import { heatmap, matrixTable } from '../lib/matrix.js';
import { readable } from '../lib/pieces.js';
import { LARGE, local } from '../lib/words.js';

/** @typedef {import('../../js/ops.js').Matrix} Matrix */
/** @typedef {import('../../js/ops.js').Ops} Ops */

/** @type {Promise<Ops> | undefined} */
let loading;

/** The parts, loaded once for all chapters; after a failure the next call tries again. @returns {Promise<Ops>} */
export function ops() {
  loading ??= loadOps().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** @param {number[][]} rows @returns {Matrix} */
export const matrix = (rows) => ({ rows: rows.length, cols: rows[0].length, data: Float32Array.from(rows.flat()) });

/** @param {number} rows @param {number} cols @param {ArrayLike<number>} data @returns {Matrix} */
export const shaped = (rows, cols, data) => ({ rows, cols, data: Float32Array.from(data) });

/** @param {Matrix} x @returns {Matrix} */
export function transpose({ rows, cols, data }) {
  const out = new Float32Array(data.length);
  for (let r = 0; r < rows; r++) for (let c = 0; c < cols; c++) out[c * rows + r] = data[r * cols + c];
  return { rows: cols, cols: rows, data: out };
}

/** @param {Matrix} x @param {number} r */
export const rowOf = ({ cols, data }, r) => data.subarray(r * cols, (r + 1) * cols);

/** The same numbers for the same seed: from a normal distribution. @param {number} seed @returns {() => number} */
export function normal(seed) {
  const uniform = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** @param {number} x @param {number} [digits] */
export function decimal(x, digits = 2) {
  if (x === -Infinity) return '\u2212\u221e';
  // more digits than a float32 has would be invented
  const text = Math.abs(x) < LARGE ? x.toFixed(digits) : x.toExponential(digits);
  return local(Number(text) === 0 ? (0).toFixed(digits) : text);
}

/**
 * Text in which characters after _ are subscripts: d_k, W_Q.
 *
 * @param {string} text
 * @returns {(string | Node)[]}
 */
export const rich = (text) =>
  text.split(/(?<=[a-zA-Z])_([a-zA-Z\d]+)/).map((part, i) => (i % 2 ? h('sub', {}, part) : part));

/** What the tables and maps of the open chapter hold on to. @type {Set<() => void>} */
const made = new Set();

/** Destroys every table and map when the chapter is closed. */
export function release() {
  for (const destroy of made) destroy();
  made.clear();
}

/**
 * A matrix with its name above it. An editable one calls onEdit with the matrix after each change.
 *
 * @param {string} name
 * @param {Matrix} start
 * @param {{ rowLabels?: string[], colLabels?: string[], onEdit?: (x: Matrix) => void, digits?: number,
 *   scale?: 'sequential' | 'diverging' }} [options]
 * @returns {{ element: HTMLElement, value: Matrix, set: (x: Matrix) => void,
 *   mark: (row?: number, col?: number, isCell?: boolean) => void, cellOf: (cell: Element) => [number, number] | null,
 *   name: (row: number, col: number) => string }}  mark: lights up a row, a column, both, or darkens all; isCell: and
 *   where they meet; cellOf: the place of a td
 */
export function grid(name, start, { rowLabels, colLabels, onEdit, digits = 2, scale = 'diverging' } = {}) {
  // one without fields needs a tab stop, because it may have to scroll
  const host = h('div', { class: 'grid-host', ...(!onEdit && { tabindex: 0, role: 'group', 'aria-label': name }) });
  const self = {
    element: h('figure', { class: 'grid' }, h('figcaption', {}, ...rich(name)), host), value: start, set, mark, cellOf,
    name: (/** @type {number} */ row, /** @type {number} */ col) =>
      [rowLabels?.[row], colLabels?.[col]].filter(Boolean).join(' \u00b7 '),
  };
  const lines = () => [...host.querySelectorAll('tbody tr')].map((line) => [...line.querySelectorAll('td')]);
  /** @param {number} [row] @param {number} [col] @param {boolean} [isCell] */
  function mark(row, col, isCell = false) {
    lines().forEach((cells, r) => cells.forEach((cell, c) => {
      if (row === undefined && col === undefined) cell.classList.remove('lit', 'lit-cell');
      if (r === row || c === col) cell.classList.add('lit');
      if (isCell && r === row && c === col) cell.classList.add('lit-cell');
    }));
  }
  /** @param {Element} cell @returns {[number, number] | null} */
  function cellOf(cell) {
    const all = lines();
    const row = all.findIndex((cells) => cells.some((other) => other === cell));
    return row < 0 ? null : [row, all[row].findIndex((other) => other === cell)];
  }
  const draw = (/** @type {Matrix} */ x) => ({
    data: x.data,
    rows: x.rows,
    cols: x.cols,
    rowLabels,
    colLabels,
    scale,
    label: name,
    editable: Boolean(onEdit),
    format: (/** @type {number} */ v) => decimal(v, digits),
    onEdit(/** @type {number} */ r, /** @type {number} */ c, /** @type {number} */ v) {
      self.value = { ...self.value, data: self.value.data.slice() };
      self.value.data[r * self.value.cols + c] = v;
      onEdit?.(self.value);
    },
  });
  const table = matrixTable(host, draw(start));
  made.add(table.destroy);
  /** @param {Matrix} x */
  function set(x) {
    self.value = x;
    table.update(draw(x));
  }
  return self;
}

/**
 * @param {string} label
 * @param {{ min: number, max: number, step?: number, value: number, format?: (x: number) => string }} range
 * @param {(x: number) => void} onInput
 */
export function slider(label, { min, max, step = 1, value, format = String }, onInput) {
  const shown = h('output', {}, format(value));
  const input = h('input', { type: 'range', min, max, step, value });
  input.addEventListener('input', () => {
    const x = Number(/** @type {HTMLInputElement} */ (input).value);
    shown.textContent = format(x);
    input.setAttribute('aria-valuetext', format(x));
    onInput(x);
  });
  return h('label', { class: 'slider' }, h('span', {}, ...rich(label), ' ', shown), input);
}

/**
 * A heat map for many numbers, drawn on a canvas; large enough cells show their number.
 *
 * @returns {{ element: HTMLElement, set: (options: any) => void }}  set: those of heatmap()
 */
export function heat() {
  const element = h('div', { class: 'heat-host' });
  /** @type {any} */
  let map;
  return {
    element,
    set(options) {
      if (map) return map.update(options);
      map = heatmap(element, options);
      made.add(map.destroy);
    },
  };
}

let groups = 0;

/**
 * A choice of a few, as radio buttons with arrow keys.
 *
 * @template T
 * @param {string} label
 * @param {{ value: T, text: string }[]} options
 * @param {T} chosen
 * @param {(value: T) => void} onChange
 */
export function choice(label, options, chosen, onChange) {
  const name = `learn-choice-${++groups}`;
  return h(
    'fieldset',
    { class: 'choice' },
    h('legend', {}, ...rich(label)),
    ...options.map(({ value, text }) => {
      const input = h('input', { type: 'radio', name });
      /** @type {HTMLInputElement} */ (input).checked = value === chosen;
      input.addEventListener('change', () => onChange(value));
      return h('label', {}, input, h('span', {}, text));
    }),
  );
}

/** @param {string} text @param {() => void} onClick */
export function button(text, onClick) {
  const element = h('button', { type: 'button' }, text);
  element.addEventListener('click', onClick);
  return element;
}

/** Things that stand side by side as far as there is room. @param {...Node} children */
export const flow = (...children) => h('div', { class: 'flow' }, ...children);

/** A sign between two matrices. @param {string} text */
export const sign = (text) => h('span', { class: 'sign', 'aria-hidden': 'true' }, text);

/** What a figure says in words; read out when it changes. @param {string} [text] */
export const remark = (text = '') => h('p', { class: 'remark', 'aria-live': 'polite' }, ...rich(text));

/** The Hugging Face prefix of one attention. @param {'encoder' | 'decoder' | 'cross'} stack @param {number} layer */
export const attentionName = (stack, layer) =>
  stack === 'cross' ? `decoder.layers.${layer}.encoder_attn` : `${stack}.layers.${layer}.self_attn`;

export { readable };

/**
 * The names of the decoder's input rows: the start, then its output.
 *
 * @param {{ piece: string }[]} tokens
 * @param {string} start
 */
export const fedIn = (tokens, start) => [start, ...tokens.slice(0, -1).map(({ piece }) => readable(piece))];

/**
 * Calls f with the sentence for chapters with a real model, whenever the text of the page changes.
 *
 * @param {any} app
 * @param {(sentence: any, error?: unknown) => void} show  undefined: no model is loaded, or it failed
 * @returns {() => void}  stops it
 */
export function followSentence(app, show) {
  const { engine } = app;
  let run = 0;
  async function look() {
    const mine = ++run;
    try {
      const text = app.state.text || app.strings.learn.example;
      const ready = engine.status === 'ready';
      const result = !ready ? undefined : engine.last?.text === text ? engine.last : await engine.detail(text);
      if (mine === run) show(result?.sentences[app.state.sentence] ?? result?.sentences[0]);
    } catch (error) {
      // a cancelled run was replaced by one that reports its result
      if (mine === run && /** @type {any} */ (error)?.name !== 'AbortError') show(undefined, error);
    }
  }
  const events = ['status', 'result'];
  for (const event of events) engine.addEventListener(event, look);
  look();
  return () => {
    run++;
    for (const event of events) engine.removeEventListener(event, look);
  };
}

/** An error in words. @param {any} app @param {unknown} error */
export const failure = (app, error) =>
  `${app.strings.learn.failed} ${error instanceof Error ? error.message : String(error)}`;

/**
 * Show parts that need a model as soon as one is loaded, and again for another one.
 *
 * @param {any} app
 * @param {HTMLElement} host
 * @param {() => void | Promise<void>} show
 */
export function whenReady(app, host, show) {
  /** @type {unknown} */
  let shown = null;
  const look = () => {
    const translator = app.engine.status === 'ready' ? app.engine.seen : undefined;
    if (translator === shown) return;
    shown = translator;
    if (translator) {
      Promise.resolve(show()).catch((error) => {
        if (translator === shown) host.replaceChildren(h('p', { class: 'remark' }, failure(app, error)));
      });
    } else host.replaceChildren(h('p', { class: 'remark' }, app.strings.learn.needsModel));
  };
  app.engine.addEventListener('status', look);
  look();
  return () => app.engine.removeEventListener('status', look);
}

/** @type {Promise<void> | undefined} */
let styling;

/**
 * Loads the style sheet of this room, also for rooms that show parts of it. Resolves when it is loaded or has failed.
 */
export function useStyles() {
  styling ??= new Promise((resolve) => {
    const href = new URL('./learn.css', import.meta.url).href;
    document.head.append(h('link', { rel: 'stylesheet', href, onload: () => resolve(), onerror: () => resolve() }));
  });
  return styling;
}
