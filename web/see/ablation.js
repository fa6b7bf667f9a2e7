// ablation.js - the view Switch heads off: the heads that the translation needs most, which it finds by itself, and the
// translation and its score without some heads.

import { palette } from '../lib/colors.js';
import { debounce, h } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { difference, signed, stacksOf } from './maps.js';

/** @typedef {import('./maps.js').Stack} Stack */

/** In four characters: eight of them fit on a phone. @param {number} x */
function short(x) {
  const size = Math.abs(x);
  return signed(x, size < 0.995 ? 2 : size < 9.95 ? 1 : 0).replace(/^(\D?)0(?=\D)/, '$1');
}

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine, strings: { see } } = app;
  const t = see.ablationView;
  /** Heads that are off, as 'stack layer head'. @type {Set<string>} */
  const offHeads = new Set();
  /** By how much each head, alone, changes the score. @type {Map<string, number>} */
  const deltas = new Map();
  /** @type {any} */
  let sentence;
  /** What the model says without the heads that are off. @type {{ target: string, logProb: number } | null} */
  let without = null;
  /** Incremented with each run, so that older results are dropped. */
  let run = 0;
  let measuring = 0;
  /** By head. @type {Map<string, HTMLButtonElement>} */
  let buttons = new Map();
  /** The heads that were off when last drawn. @type {string[]} */
  let shown = [];
  let isMounted = true;

  const grids = h('div', { class: 'grids' });
  const outcome = h('div', { class: 'outcome', 'aria-live': 'polite' });
  const ranking = h('div', {});
  const progress = h('progress', { max: 1, value: 0, 'aria-label': t.measure, hidden: true });
  const measured = h('span', { class: 'remark', role: 'status' });
  const reset = h('button', { type: 'button', disabled: true, onclick: () => {
    offHeads.clear();
    keep();
  } }, t.reset);
  const measure = h('button', { type: 'button', title: t.measureHint,
    onclick: () => (measuring ? (measuring = 0) : rank()) }, t.measure);
  host.append(h('p', { class: 'remark' }, t.lead), h('div', { class: 'controls' }, reset, measure, progress, measured),
    grids, outcome, ranking);

  const key = (/** @type {Stack} */ stack, /** @type {number} */ layer, /** @type {number} */ head) =>
    `${stack} ${layer} ${head}`;
  const headOf = (/** @type {string} */ name) => {
    const [stack, layer, head] = name.split(' ');
    return { stack: /** @type {Stack} */ (stack), layer: Number(layer), head: Number(head) };
  };
  const nameOf = (/** @type {string} */ name) => {
    const { stack, layer, head } = headOf(name);
    return see.place(see.stacks[stack], layer + 1, head + 1);
  };
  /** All heads of the model, in order. */
  const all = () => stacksOf(sentence).flatMap((stack) => {
    const [layers, heads] = sentence.attention[stack].shape;
    return Array.from({ length: layers * heads }, (_, i) => key(stack, Math.floor(i / heads), i % heads));
  });
  const ids = (/** @type {{ id: number }[]} */ tokens) => tokens.map(({ id }) => id);
  const sum = (/** @type {ArrayLike<number>} */ xs) => Array.from(xs).reduce((a, b) => a + b, 0);

  const legend = h('p', { class: 'remark' }, t.legend);

  /** The tables of a sentence, without numbers. */
  function build() {
    buttons = new Map(all().map((name) => [name, h('button', {
      type: 'button', class: 'toggle', 'data-head': name,
      onclick: () => {
        if (!offHeads.delete(name)) offHeads.add(name);
        keep();
      },
    })]));
    grids.replaceChildren(...stacksOf(sentence).map((stack) => {
      const [layers, heads] = sentence.attention[stack].shape;
      return h('section', {}, h('h2', {}, see.stacks[stack]),
        h('div', { class: 'scroll' }, h('table', { class: 'toggles' },
          h('thead', {}, h('tr', {}, h('td', {}),
            Array.from({ length: heads }, (_, i) => h('th', { scope: 'col' }, i + 1)))),
          h('tbody', {}, Array.from({ length: layers }, (_, layer) =>
            h('tr', {}, h('th', { scope: 'row' }, `${see.layer} ${layer + 1}`),
              Array.from({ length: heads }, (_, head) => h('td', {}, buttons.get(key(stack, layer, head))))))))));
    }), legend);
  }

  /** The buttons stay, so that the focus does. */
  function draw() {
    const colors = palette();
    const reach = Math.max(0.1, ...[...deltas.values()].map(Math.abs));
    for (const [name, button] of buttons) {
      const delta = deltas.get(name);
      const isColored = delta !== undefined && !offHeads.has(name);
      button.setAttribute('aria-pressed', String(!offHeads.has(name)));
      button.textContent = delta === undefined ? '' : short(delta);
      button.setAttribute('aria-label', `${nameOf(name)} ${button.textContent}`.trim());
      button.style.backgroundColor = isColored ? colors.color('diverging', delta / reach) : '';
      button.style.color = isColored ? colors.ink('diverging', delta / reach) : '';
    }
    legend.hidden = deltas.size === 0;
    reset.disabled = offHeads.size === 0;
  }

  /** Stored in the permalink; update() gets it from there. */
  const keep = () => app.set({ off: [...offHeads].join('-').replaceAll(' ', '.') });

  function changed() {
    draw();
    later();
  }

  const later = debounce(() => translate(), 150);

  async function translate() {
    const mine = ++run;
    const base = sentence;
    without = null;
    if (offHeads.size === 0) {
      engine.cancel();
      outcome.replaceChildren(h('p', { class: 'remark' }, t.nothing));
      return;
    }
    if (outcome.childElementCount < 2) outcome.replaceChildren(h('p', { class: 'remark' }, t.running));
    const disabledHeads = [...offHeads].map(headOf);
    try {
      const { sentences: [after] } = await engine.detail(base.source, { disabledHeads });
      const { logProbs } = await engine.seen.attention(ids(base.sourceTokens), ids(base.targetTokens),
        { disabledHeads });
      if (mine === run && isMounted) compare(base, after, logProbs && sum(logProbs));
    } catch (error) {
      if (mine !== run || !isMounted || /** @type {any} */ (error).name === 'AbortError') return;
      outcome.replaceChildren(h('p', { class: 'alert' },
        `${see.failed} ${error instanceof Error ? error.message : error}`));
    }
  }

  /** @param {any} before @param {any} after @param {number | undefined} oldScore */
  function compare(before, after, oldScore) {
    without = { target: after.target, logProb: after.logProb };
    const isSame = before.target === after.target;
    const score = (/** @type {number} */ x, /** @type {number | undefined} */ old = undefined) =>
      h('p', { class: 'remark' }, `${t.score} ${signed(x)}`,
        old === undefined ? '' : h('strong', {}, ` ${t.delta(signed(x - old))}`));
    const was = sum(before.targetTokens.map((/** @type {any} */ { logProb }) => logProb));
    outcome.replaceChildren(
      h('p', { class: 'verdict' }, isSame ? t.same : t.differs),
      h('div', { class: 'texts' },
        h('section', {}, h('h2', {}, t.original), h('p', { class: 'text' }, before.target), score(was)),
        h('section', {}, h('h2', {}, t.changed(offHeads.size)),
          h('p', { class: 'text' }, difference(before.target, after.target).map(({ kind, text }) =>
            (kind === 'same' ? text : h(kind === 'gone' ? 'del' : 'ins', {}, text)))),
        score(after.logProb, was))),
      oldScore !== undefined && h('p', { class: 'remark' }, `${t.oldScore}: ${t.score} ${signed(oldScore)}`,
        h('strong', {}, ` ${t.delta(signed(oldScore - was))}`)) || '',
    );
  }

  /** Switches off each head in turn and scores the current translation: one pass of the model each. */
  async function rank() {
    const mine = (measuring = Date.now());
    const base = sentence;
    const names = all();
    const [from, to] = [ids(base.sourceTokens), ids(base.targetTokens)];
    deltas.clear();
    ranking.replaceChildren();
    measure.textContent = t.stop;
    progress.hidden = false;
    try {
      const score = async (/** @type {any[]} */ disabledHeads) =>
        sum((await engine.seen.attention(from, to, { disabledHeads })).logProbs);
      const whole = await score([]);
      for (const [i, name] of names.entries()) {
        const delta = (await score([headOf(name)])) - whole;
        if (measuring !== mine || sentence !== base || !isMounted) break;
        deltas.set(name, delta);
        progress.value = (i + 1) / names.length;
        measured.textContent = t.measuring(i + 1, names.length);
        draw();
      }
    } catch (error) {
      if (isMounted) measured.textContent = `${see.failed} ${error instanceof Error ? error.message : error}`;
    }
    if (!isMounted || (measuring && measuring !== mine)) return;
    measuring = 0;
    measure.textContent = t.measure;
    progress.hidden = true;
    if (sentence !== base) deltas.clear();
    const most = [...deltas].sort((a, b) => a[1] - b[1]).slice(0, 5);
    ranking.replaceChildren(...(most.length ? [h('h2', {}, t.most),
      h('ol', { class: 'ranking' }, most.map(([name, delta]) =>
        h('li', {}, t.rank(nameOf(name), signed(delta)))))] : []));
    draw();
  }

  const off = onTheme(() => sentence && draw());
  return {
    /** @param {any} given @param {any} state */
    update(given, { off: named }) {
      const isSame = given === sentence;
      const isOther = sentence !== undefined;
      sentence = given;
      const known = all();
      const names = named.replaceAll('.', ' ').split('-').filter((/** @type {string} */ name) => known.includes(name));
      offHeads.clear();
      for (const name of names) offHeads.add(name);
      const isChanged = names.join() !== shown.join();
      shown = names;
      if (isSame) return void (isChanged && changed());
      deltas.clear();
      measuring = 0;
      ranking.replaceChildren();
      measured.textContent = '';
      build();
      draw();
      if (isOther) outcome.replaceChildren();
      translate();
      rank();
    },
    /** @returns {import('../lib/export.js').Exports} */
    exports() {
      const rows = all().map((name) => ({ ...headOf(name), off: offHeads.has(name), delta: deltas.get(name) ?? null }));
      const stacks = stacksOf(sentence);
      const [layers, heads] = [0, 1].map((i) => Math.max(...stacks.map((stack) => sentence.attention[stack].shape[i])));
      return {
        name: 'heed-heads-off',
        svg({ matrixSvg }) {
          const data = new Float32Array(stacks.length * layers * heads);
          for (const { stack, layer, head, delta, off: isOff } of rows) {
            data[(stacks.indexOf(stack) * layers + layer) * heads + head] = delta ?? (isOff ? -1 : 0);
          }
          return matrixSvg({
            data, rows: stacks.length * layers, cols: heads, scale: 'diverging',
            reach: Math.max(0.1, ...data.map(Math.abs)),
            rowLabels: stacks.flatMap((stack) => Array.from({ length: layers },
              (_, i) => `${see.stacks[stack]} ${i + 1}`)),
            colLabels: Array.from({ length: heads }, (_, i) => String(i + 1)),
            label: deltas.size ? t.most : t.changed(offHeads.size),
          });
        },
        rows: () => [['stack', 'layer', 'head', 'off', 'change of log-probability'],
          ...rows.map(({ stack, layer, head, off: isOff, delta }) => [stack, layer + 1, head + 1, isOff, delta ?? ''])],
        json: () => ({ source: sentence.source, target: sentence.target, logProb: sentence.logProb, without,
          heads: rows }),
      };
    },
    unmount() {
      isMounted = false;
      run++;
      later.cancel();
      off();
      engine.cancel();
    },
  };
}
