// alignment.js - the view Alignment: the two texts; a word of one marks its counterparts in the other.

import { palette } from '../lib/colors.js';
import { h } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { percent } from '../lib/words.js';
import { roving } from './controls.js';
import { mapOf, meanOf, placeOf, sourceWords, targetWords } from './maps.js';

/** Shares below this are not shown. */
const LEAST = 0.02;

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { see } = app.strings;
  const t = see.alignmentView;
  const from = h('select', { onchange: () => {
    const [layer, head] = from.value.split(' ').map(Number);
    isMean = from.value === '';
    if (isMean) show();
    else app.set({ layer, head, heads: '', stack: 'cross' });
  } });
  const [source, target] = ['source', 'target'].map((side) =>
    h('div', { class: `words ${side}`, role: 'group', 'aria-label': t[side] }));
  const said = h('p', { class: 'aligned', 'aria-live': 'polite' }, t.choose);
  host.append(h('p', { class: 'remark' }, t.lead),
    h('div', { class: 'controls' }, h('label', { class: 'field' }, h('span', {}, t.from), from)),
    h('div', { class: 'texts' }, h('section', {}, h('h2', {}, t.source), source),
      h('section', {}, h('h2', {}, t.target), target)),
    said, h('p', { class: 'remark' }, t.note));
  let isMean = true;
  /** @type {any} */
  let now;
  /** @type {{ side: 'source' | 'target', at: number } | null} */
  let active = null;
  let pinned = false;
  for (const words of [source, target]) {
    roving(words, () => /** @type {HTMLElement[]} */ ([...words.querySelectorAll('button')]));
  }

  /** @param {'source' | 'target'} side @param {string} text @param {{ start: number, end: number }[]} words */
  function spell(side, text, words) {
    const parts = [];
    let at = 0;
    words.forEach(({ start, end }, i) => {
      if (start > at) parts.push(text.slice(at, start));
      at = end;
      parts.push(h('button', {
        type: 'button', class: 'word', tabindex: i ? -1 : 0,
        onpointerenter: (/** @type {PointerEvent} */ event) => event.pointerType === 'mouse' && !pinned
          && point(side, i),
        onpointerleave: (/** @type {PointerEvent} */ event) => event.pointerType === 'mouse' && !pinned && point(null),
        onfocus: () => point(side, i),
        onblur: () => {
          pinned = false;
          point(null);
        },
        onclick: () => {
          pinned = !(pinned && active?.side === side && active.at === i);
          point(side, i);
        },
      }, text.slice(start, end)));
    });
    parts.push(text.slice(at));
    return parts;
  }

  /** @param {'source' | 'target' | null} side @param {number} [at] */
  function point(side, at = 0) {
    active = side && { side, at };
    mark();
  }

  function mark() {
    const colors = palette();
    const chosen = active;
    const { weights, from: words, to } = now;
    const texts = { source: words.map((/** @type {any} */ w) => w.text),
      target: to.map((/** @type {any} */ w) => w.text) };
    const cols = words.length;
    for (const [side, host_] of /** @type {const} */ ([['source', source], ['target', target]])) {
      host_.querySelectorAll('button').forEach((/** @type {HTMLElement} */ button, /** @type {number} */ i) => {
        const isOther = chosen && chosen.side !== side;
        const weight = !isOther ? 0 : side === 'source' ? weights[chosen.at * cols + i] : weights[i * cols + chosen.at];
        button.classList.toggle('active', chosen?.side === side && chosen.at === i);
        button.style.backgroundColor = weight >= LEAST ? colors.color('sequential', weight) : '';
        button.style.color = weight >= LEAST ? colors.ink('sequential', weight) : '';
      });
    }
    if (!chosen) {
      said.textContent = t.choose;
      return;
    }
    const isTarget = chosen.side === 'target';
    const list = texts[isTarget ? 'source' : 'target']
      .map((/** @type {string} */ text, /** @type {number} */ i) =>
        ({ text, weight: weights[isTarget ? chosen.at * cols + i : i * cols + chosen.at] }))
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.weight - a.weight)
      .filter((/** @type {any} */ w) => w.weight >= LEAST).slice(0, 6)
      .map((/** @type {any} */ { text, weight }) => `${text} ${percent(weight)}`).join(', ') || t.nothing;
    said.textContent = (isTarget ? t.targetTo : t.sourceTo)(texts[chosen.side][chosen.at], list);
  }

  /**
   * Between words: the attention of a target word to a source word is the sum over source pieces, and the mean over
   * target pieces.
   */
  function show() {
    const { sentence, place } = now;
    const map = isMean
      ? meanOf(sentence, 'cross', Array.from({ length: place.layers * place.heads },
        (_, i) => [Math.floor(i / place.heads), i % place.heads]))
      : mapOf(sentence, 'cross', place.layer, place.head);
    const { from: cols, to: rows } = now;
    now.weights = new Float32Array(rows.length * cols.length);
    rows.forEach((/** @type {any} */ row, /** @type {number} */ r) =>
      cols.forEach((/** @type {any} */ col, /** @type {number} */ c) => {
        let sum = 0;
        for (const i of row.tokens) for (const j of col.tokens) sum += map.data[i * map.cols + j];
        now.weights[r * cols.length + c] = sum / row.tokens.length;
      }));
    mark();
  }

  const off = onTheme(() => now && mark());
  return {
    /** @param {any} sentence @param {any} state */
    update(sentence, state) {
      const place = placeOf(sentence, { ...state, stack: 'cross' });
      const isNew = now?.sentence !== sentence;
      if (isNew) {
        const words = targetWords(sentence);
        const text = (/** @type {string} */ whole) => (/** @type {any} */ w) =>
          ({ ...w, text: whole.slice(w.start, w.end) });
        now = { sentence, place, from: sourceWords(sentence).map(text(sentence.source)),
          to: words.words.map(text(words.text)) };
        active = null;
        pinned = false;
        source.replaceChildren(...spell('source', sentence.source, now.from));
        target.replaceChildren(...spell('target', words.text, now.to));
        source.lang = app.engine.languages.from;
        target.lang = app.engine.languages.to;
        from.replaceChildren(h('option', { value: '' }, t.mean),
          ...Array.from({ length: place.layers * place.heads }, (_, i) => {
            const [layer, head] = [Math.floor(i / place.heads), i % place.heads];
            return h('option', { value: `${layer} ${head}` }, see.place(see.shortStacks.cross, layer + 1, head + 1));
          }));
      }
      now.place = place;
      from.value = isMean ? '' : `${place.layer} ${place.head}`;
      show();
    },
    /** @returns {import('../lib/export.js').Exports} */
    exports() {
      const { sentence, weights, from: cols, to: rows } = now;
      const [colLabels, rowLabels] = [cols, rows].map((words) => words.map((/** @type {any} */ { text }) => text));
      const line = (/** @type {number} */ r) => Array.from(weights.subarray(r * cols.length, (r + 1) * cols.length));
      return {
        name: 'heed-alignment',
        svg: ({ matrixSvg }) => matrixSvg({ data: weights, rows: rows.length, cols: cols.length, rowLabels, colLabels,
          label: see.views.alignment }),
        rows: () => [['', ...colLabels], ...rowLabels.map((/** @type {string} */ text, /** @type {number} */ r) =>
          [text, ...line(r)])],
        json: () => ({
          source: sentence.source, target: sentence.target, rows: rowLabels, cols: colLabels,
          weights: rowLabels.map((/** @type {string} */ _, /** @type {number} */ r) => line(r)),
          tokens: Array.from(sentence.alignment),
        }),
      };
    },
    unmount: off,
  };
}
