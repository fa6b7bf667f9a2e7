// heads.js - the view Heads: tokens in two columns, a line for every weight, a colour for every chosen head.

import { palette } from '../lib/colors.js';
import { h, svg } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { percent } from '../lib/words.js';
import { placeControls, roving } from './controls.js';
import { mapOf, meanOf, shownOf } from './maps.js';

/** Height of a token's row and width of the lines, in pixels. */
const [ROW, ROOM] = [30, 300];
/** The least weight with a line, at first, and of the token under the pointer. */
const [LEAST, LEAST_OF_ONE] = [0.04, 0.005];
/** Levels of line strength. Each level is one path, so that long sentences stay fast. */
const STRENGTHS = 12;

/** How a line of this weight looks. @param {number} weight */
const look = (weight) => ({
  'stroke-opacity': (0.12 + 0.88 * weight).toFixed(2), 'stroke-width': (0.8 + 3.2 * weight).toFixed(1),
});

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { see } = app.strings;
  const t = see.headsView;
  const controls = placeControls(app, { heads: false, words: true });
  const choices = h('fieldset', { class: 'heads-choice' });
  controls.element.append(choices);
  // on a phone the lines come first
  const panel = h('details', { class: 'choose', open: !matchMedia('(max-width: 560px)').matches },
    h('summary', {}, t.choose), controls.element);
  const [leftName, rightName] = [h('h2', {}), h('h2', {})];
  const [left, right] = [h('div', { class: 'token-column left', role: 'group' }),
    h('div', { class: 'token-column right', role: 'group' })];
  const lines = svg('svg', { 'aria-hidden': 'true', class: 'lines', viewBox: `0 0 ${ROOM} 1`,
    preserveAspectRatio: 'none' });
  const said = h('p', { class: 'remark said-of', 'aria-live': 'polite' });
  let least = LEAST;
  const from = h('output', {}, percent(LEAST));
  const slider = h('input', { type: 'range', min: 0, max: 0.5, step: 0.01, value: LEAST, oninput: () => {
    least = slider.valueAsNumber;
    from.textContent = percent(least);
    draw();
  } });
  const samples = h('p', { class: 'legend' }, [0.1, 0.5, 1].map((weight) => [
    svg('svg', { width: 32, height: 8, 'aria-hidden': 'true' },
      svg('path', { d: 'M0 4H32', stroke: 'currentColor', ...look(weight) })),
    h('span', {}, percent(weight))]));
  host.append(panel, said,
    h('div', { class: 'columns' }, leftName, h('span', {}), rightName, left, lines, right),
    h('div', { class: 'controls' }, samples,
      h('label', { class: 'field' }, h('span', {}, t.threshold, ' ', from), slider)),
    h('p', { class: 'remark' }, t.lead));
  /** @type {any} */
  let now;
  /** Heads that are shown. @type {Set<number>} */
  let chosen = new Set();
  /** @type {{ side: 'left' | 'right', at: number } | null} */
  let active = null;
  let pinned = false;

  /** @param {'left' | 'right'} side @param {string[]} names */
  function tokens(side, names) {
    return names.map((name, at) => h('button', {
      type: 'button', class: 'tok', 'data-at': at,
      onpointerenter: (/** @type {PointerEvent} */ event) => event.pointerType === 'mouse' && !pinned
        && point(side, at),
      onpointerleave: (/** @type {PointerEvent} */ event) => event.pointerType === 'mouse' && !pinned && point(null),
      onfocus: () => point(side, at),
      onblur: () => {
        pinned = false;
        point(null);
      },
      onclick: () => {
        pinned = !(pinned && active?.side === side && active.at === at);
        point(side, at);
      },
    }, h('span', { class: 'share', 'aria-hidden': 'true' }), h('span', {}, name),
      h('span', { class: 'weight', 'aria-hidden': 'true' })));
  }
  for (const column of [left, right]) roving(column, () => /** @type {HTMLElement[]} */ ([...column.children]));

  /** @param {'left' | 'right' | null} side @param {number} [at] */
  function point(side, at = 0) {
    active = side && { side, at };
    draw();
  }

  /** The lines of one head: for each strength the ends of its lines. @param {number} head */
  function strokes(head) {
    const { rows, cols, data } = now.shown.of(mapOf(now.sentence, now.place.stack, now.place.layer, head));
    /** @type {string[]} */
    const paths = Array(STRENGTHS).fill('');
    const lowest = active ? Math.min(LEAST_OF_ONE, least) : least;
    const only = (/** @type {'left' | 'right'} */ side, /** @type {number} */ n) =>
      active?.side === side ? [active.at, active.at + 1] : [0, n];
    const [[r0, r1], [c0, c1]] = [only('left', rows), only('right', cols)];
    for (let r = r0; r < r1; r++) {
      for (let c = c0; c < c1; c++) {
        const weight = data[r * cols + c];
        if (weight < lowest || weight === 0) continue;
        const [from, to] = [(r + 0.5) * ROW, (c + 0.5) * ROW];
        paths[Math.min(STRENGTHS - 1, Math.floor(weight * STRENGTHS))] +=
          `M0 ${from}C${ROOM * 0.4} ${from} ${ROOM * 0.6} ${to} ${ROOM} ${to}`;
      }
    }
    return paths;
  }

  /** All lines as attributes of paths. */
  function paths() {
    const colors = palette();
    return [...chosen].flatMap((head) => strokes(head).map((d, i) => d && {
      d, fill: 'none', stroke: colors.heads[head % colors.heads.length], ...look((i + 0.5) / STRENGTHS),
    }).filter(Boolean));
  }

  function draw() {
    if (!now) return;
    const { sentence, place, shown, sides } = now;
    const height = Math.max(sides.rows.length, sides.cols.length) * ROW;
    lines.setAttribute('viewBox', `0 0 ${ROOM} ${height}`);
    lines.style.height = `${height}px`;
    lines.replaceChildren(...paths().map((path) => svg('path', { ...path, 'vector-effect': 'non-scaling-stroke' })));
    const mean = chosen.size
      ? shown.of(meanOf(sentence, place.stack, [...chosen].map((head) => [place.layer, head]))) : null;
    for (const [side, column] of /** @type {const} */ ([['left', left], ['right', right]])) {
      [...column.children].forEach((button, i) => {
        const weight = !active || !mean || active.side === side ? null
          : side === 'right' ? mean.data[active.at * mean.cols + i] : mean.data[i * mean.cols + active.at];
        button.classList.toggle('active', active?.side === side && active.at === i);
        button.style.setProperty('--share', String(weight ?? 0));
        button.lastChild.textContent = weight === null || weight < LEAST_OF_ONE ? '' : percent(weight);
      });
    }
    said.textContent = active && mean ? tell(mean) : `${t.sides[place.stack].join(', ')}. ${t.mean}`;
    /** @param {{ rows: number, cols: number, data: Float32Array }} map */
    function tell({ rows, cols, data }) {
      const { side, at } = /** @type {NonNullable<typeof active>} */ (active);
      const isLeft = side === 'left';
      const list = Array.from({ length: isLeft ? cols : rows }, (_, i) =>
        ({ name: (isLeft ? sides.cols : sides.labels)[i], weight: data[isLeft ? at * cols + i : i * cols + at] }))
        .sort((a, b) => b.weight - a.weight).filter(({ weight }) => weight >= LEAST_OF_ONE).slice(0, 5)
        .map(({ name, weight }) => `${name} ${percent(weight)}`).join(', ');
      return isLeft ? t.attends(sides.labels[at], list) : t.attended(sides.cols[at], list);
    }
  }

  function showChoices() {
    const colors = palette();
    const box = (/** @type {number} */ head) => {
      const input = h('input', { type: 'checkbox', checked: chosen.has(head), onchange: () => {
        if (input.checked) chosen.add(head);
        else chosen.delete(head);
        choose([...chosen]);
      } });
      const swatch = h('i', { 'aria-hidden': 'true' });
      swatch.style.backgroundColor = colors.heads[head % colors.heads.length];
      return h('label', { class: 'check' }, input, swatch, head + 1);
    };
    const set = (/** @type {string} */ text, /** @type {number[]} */ heads) =>
      h('button', { type: 'button', class: 'plain', onclick: () => choose(heads) }, text);
    const all = Array.from({ length: now.place.heads }, (_, i) => i);
    choices.replaceChildren(h('legend', {}, see.heads), ...all.map(box), set(t.all, all), set(t.none, []),
      h('button', { type: 'button', class: 'plain', title: t.clearestHint,
        onclick: () => app.set({ layer: -1, head: -1, heads: '' }) }, t.clearest));
  }

  /** For the permalink as well; `head` is one of them, as other views show one. @param {number[]} heads */
  function choose(heads) {
    heads.sort((a, b) => a - b);
    const head = heads.includes(now.place.head) || heads.length === 0 ? now.place.head : heads[0];
    app.set({ layer: now.place.layer, head, heads: heads.length === 1 ? '' : heads.join('-') || 'none' });
  }

  const off = onTheme(() => now && (showChoices(), draw()));
  return {
    /** @param {any} sentence @param {any} state */
    update(sentence, state) {
      const before = now;
      const place = controls.update(sentence, state);
      const shown = shownOf(sentence, place.stack, see.start, state.words === 1);
      const { sides } = shown;
      now = { sentence, place, shown, sides };
      const isNew = before?.sentence !== sentence || before.place.stack !== place.stack
        || before.sides.cols.length !== sides.cols.length;
      const named = state.heads === '' ? [place.head] : state.heads.split('-').map(Number);
      chosen = new Set(named.filter((/** @type {number} */ head) => Number.isInteger(head) && head >= 0
        && head < place.heads));
      const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (choices.querySelectorAll('input'));
      // not replaced while the user works with them
      if (boxes.length === place.heads) boxes.forEach((input, head) => (input.checked = chosen.has(head)));
      else showChoices();
      if (isNew) {
        active = null;
        pinned = false;
        left.replaceChildren(...tokens('left', sides.labels));
        right.replaceChildren(...tokens('right', sides.cols));
        [leftName.textContent, rightName.textContent] = t.sides[place.stack];
        left.setAttribute('aria-label', leftName.textContent);
        right.setAttribute('aria-label', rightName.textContent);
        for (const column of [left, right]) [...column.children].forEach((button, i) => (button.tabIndex = i ? -1 : 0));
      }
      draw();
    },
    /** @returns {import('../lib/export.js').Exports} */
    exports() {
      const { sentence, place, shown, sides } = now;
      const heads = [...chosen].sort((a, b) => a - b);
      const maps = heads.map((head) => shown.of(mapOf(sentence, place.stack, place.layer, head)));
      return {
        name: `heed-heads-${place.stack}-layer${place.layer + 1}`,
        svg({ svgDocument, svgText }) {
          const { fg } = palette();
          const side = 170;
          const column = (/** @type {string[]} */ names, /** @type {number} */ x, /** @type {string} */ anchor) =>
            names.map((name, i) => svgText(x, (i + 0.5) * ROW + 4, name, fg, `text-anchor="${anchor}"`)).join('');
          const drawn = paths().map((path) =>
            `<path ${Object.entries(path).map(([k, v]) => `${k}="${v}"`).join(' ')}/>`).join('');
          return svgDocument(2 * side + ROOM + 32, Math.max(sides.rows.length, sides.cols.length) * ROW + 32,
            `<g transform="translate(16 16)">${column(sides.labels, side - 10, 'end')}`
            + column(sides.cols, side + ROOM + 10, 'start')
            + `<g transform="translate(${side} 0)">${drawn}</g></g>`,
            `${see.stacks[place.stack]}, ${see.layer} ${place.layer + 1}`);
        },
        rows: () => [['head', 'row', 'token', 'column', 'attends to', 'weight'], ...maps.flatMap(({ cols, data }, i) =>
          Array.from(data, (weight, j) => [heads[i] + 1, Math.floor(j / cols) + 1, sides.labels[Math.floor(j / cols)],
            (j % cols) + 1, sides.cols[j % cols], weight]))],
        json: () => ({
          source: sentence.source, target: sentence.target, stack: place.stack, layer: place.layer, rows: sides.labels,
          cols: sides.cols,
          heads: maps.map(({ rows, cols, data }, i) => ({
            head: heads[i], weights: Array.from({ length: rows },
              (_, r) => Array.from(data.subarray(r * cols, (r + 1) * cols))),
          })),
        }),
      };
    },
    unmount: off,
  };
}
