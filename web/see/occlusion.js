// occlusion.js - the view Leave a word out: how much less probable each token of the translation becomes without a word
// of the source, and what the model says then.

import { overlap, wordsOf } from '../../js/text/words.js';
import { palette } from '../lib/colors.js';
import { h } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { readable } from '../lib/pieces.js';
import { difference, signed } from './maps.js';

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine, strings: { see } } = app;
  const t = see.occlusionView;
  /** @type {any} */
  let sentence;
  /** Words of the source. @type {import('../../js/text/words.js').Word[]} */
  let words = [];
  /** By word, the change of each target token's log-probability; undefined: not measured yet. @type {number[][]} */
  let changes = [];
  /** The word that is left out, and what the model says then. */
  let [chosen, without] = [-1, ''];
  /** Incremented with each run, so that older results are dropped. */
  let run = 0;
  let isMounted = true;
  /** One per word. @type {HTMLButtonElement[]} */
  let buttons = [];
  /** By target token, one per word. @type {HTMLTableCellElement[][]} */
  let cells = [];

  const table = h('div', { class: 'scroll' });
  const outcome = h('div', { class: 'outcome', 'aria-live': 'polite' });
  const status = h('p', { class: 'remark', role: 'status' });
  host.append(h('p', { class: 'remark' }, t.lead), outcome, table, status);

  const ids = (/** @type {{ id: number }[]} */ tokens) => tokens.map(({ id }) => id);

  /** The table of a sentence, without its numbers. */
  function build() {
    buttons = words.map(({ text }, i) => h('button', {
      type: 'button', class: 'leave', 'aria-label': t.leaveOut(text), onclick: () => leaveOut(i === chosen ? -1 : i),
    }, text));
    cells = sentence.targetTokens.map(() => words.map(() => h('td', {})));
    table.replaceChildren(h('table', { class: 'toggles' },
      h('thead', {}, h('tr', {}, h('td', {}), buttons.map((button) => h('th', { scope: 'col' }, button)))),
      h('tbody', {}, sentence.targetTokens.map((/** @type {any} */ { piece }, /** @type {number} */ row) =>
        h('tr', {}, h('th', { scope: 'row', lang: engine.languages.to }, readable(piece)), cells[row])))));
  }

  /** The buttons stay, so that the focus does. */
  function draw() {
    const colors = palette();
    const reach = Math.max(0.1, ...changes.flat().map(Math.abs));
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === chosen)));
    changes.forEach((column, i) => column.forEach((change, row) => {
      const cell = cells[row][i];
      cell.textContent = signed(change, 1);
      cell.style.backgroundColor = colors.color('diverging', change / reach);
      cell.style.color = colors.ink('diverging', change / reach);
    }));
  }

  /** One pass of the model for each word. */
  async function measure() {
    const mine = ++run;
    const base = sentence;
    const to = ids(base.targetTokens);
    try {
      for (const [i, word] of words.entries()) {
        const kept = base.sourceTokens.filter((/** @type {any} */ token) => !overlap(token, word));
        const { logProbs } = await engine.seen.attention(ids(kept), to);
        if (mine !== run || !isMounted) return;
        changes[i] = base.targetTokens.map((/** @type {any} */ { logProb }, /** @type {number} */ row) =>
          logProbs[row] - logProb);
        status.textContent = t.measuring(i + 1, words.length);
      }
      status.textContent = t.legend;
      draw();
    } catch (error) {
      if (mine !== run || !isMounted) return;
      status.textContent = `${see.failed} ${error instanceof Error ? error.message : error}`;
    }
  }

  /** @param {number} i  -1: none */
  async function leaveOut(i) {
    const base = sentence;
    chosen = i;
    without = '';
    draw();
    if (i < 0) return outcome.replaceChildren(h('p', { class: 'remark' }, t.nothing));
    const { start, end } = words[i];
    const text = `${base.source.slice(0, start).trimEnd()} ${base.source.slice(end).trimStart()}`
      .replace(/ ([.,;:!?])/g, '$1').trim();
    try {
      const target = await engine.seen.translate(text, engine.search);
      if (base !== sentence || chosen !== i || !isMounted) return;
      without = target;
      outcome.replaceChildren(
        h('p', { class: 'verdict' }, target === base.target ? t.same : t.differs),
        h('div', { class: 'texts' },
          h('section', {}, h('h2', {}, base.source), h('p', { class: 'text' }, base.target)),
          h('section', {}, h('h2', {}, text), h('p', { class: 'text' },
            difference(base.target, target).map(({ kind, text: part }) =>
              (kind === 'same' ? part : h(kind === 'gone' ? 'del' : 'ins', {}, part)))))));
    } catch (error) {
      if (base !== sentence || chosen !== i || !isMounted) return;
      outcome.replaceChildren(h('p', { class: 'alert' },
        `${see.failed} ${error instanceof Error ? error.message : error}`));
    }
  }

  const off = onTheme(() => sentence && draw());
  return {
    /** @param {any} given */
    update(given) {
      if (given === sentence) return;
      sentence = given;
      words = wordsOf(given.source, engine.languages.from);
      changes = [];
      build();
      leaveOut(-1);
      measure();
    },
    /** @returns {import('../lib/export.js').Exports} */
    exports() {
      const rows = sentence.targetTokens.length;
      return {
        name: 'heed-words-left-out',
        svg: ({ matrixSvg }) => matrixSvg({
          data: Float32Array.from({ length: rows * words.length }, (_, i) =>
            changes[i % words.length]?.[Math.floor(i / words.length)] ?? 0),
          rows, cols: words.length, scale: 'diverging', reach: Math.max(0.1, ...changes.flat().map(Math.abs)),
          rowLabels: sentence.targetTokens.map((/** @type {any} */ { piece }) => readable(piece)),
          colLabels: words.map(({ text }) => text), label: t.legend,
        }),
        rows: () => [['token', ...words.map(({ text }) => text)],
          ...sentence.targetTokens.map((/** @type {any} */ { piece }, /** @type {number} */ row) =>
            [readable(piece), ...words.map((_, i) => changes[i]?.[row] ?? '')])],
        json: () => ({
          source: sentence.source, target: sentence.target, words: words.map(({ text }) => text), changes,
          without: chosen < 0 ? null : { word: words[chosen].text, target: without },
        }),
      };
    },
    unmount() {
      isMounted = false;
      run++;
      off();
    },
  };
}
