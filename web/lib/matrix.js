// matrix.js - views of matrices: a small table of numbers, editable if wanted, and a heat map of any size; used by the
// rooms See and Learn. style.css has their styles.

import { palette } from './colors.js';
import { h, on } from './dom.js';
import { drawCells, visible } from './tiles.js';
import { fixed, local } from './words.js';

/** Pixels of a cell: the smallest that is legible without zoom, and the largest. */
const [SMALL, LARGE] = [14, 64];
/** The most that labels may take: in pixels, and as a share of the width. */
const [LABEL, SHARE] = [150, 0.38];

/** The number with the last colour: 1 for shares, else the greatest. @param {any} map */
function reachOf({ data, reach, scale }) {
  if (reach) return reach;
  let most = 0;
  for (const x of data) if (Number.isFinite(x) && Math.abs(x) > most) most = Math.abs(x);
  return scale === 'diverging' || most > 1 ? most || 1 : 1;
}

const plain = (/** @type {number} */ x) => (Number.isFinite(x) ? fixed(x, 4) : '\u2212\u221e');

/**
 * A table of numbers with coloured cells. With `editable` each cell is a field, and onEdit gets every change.
 *
 * @param {HTMLElement} host  emptied
 * @param {{ data: ArrayLike<number>, rows: number, cols: number, rowLabels?: string[], colLabels?: string[],
 *   editable?: boolean, onEdit?: (row: number, col: number, value: number) => void, format?: (x: number) => string,
 *   scale?: 'sequential' | 'diverging', reach?: number, label?: string, step?: number }} options
 * @returns {{ update: (options: any) => void, destroy: () => void }}  update: changes some of the options
 */
export function matrixTable(host, options) {
  let o = options;
  let shape = '';
  /** @type {HTMLElement[]} */
  let cells = [];

  function build() {
    const { rows, cols, rowLabels, colLabels, editable, label, step = 0.5 } = o;
    cells = [];
    const body = Array.from({ length: rows }, (_, r) => h('tr', {},
      rowLabels && h('th', { scope: 'row' }, rowLabels[r]),
      Array.from({ length: cols }, (_, c) => {
        const name = `${rowLabels?.[r] ?? r + 1}, ${colLabels?.[c] ?? c + 1}`;
        const cell = editable ? h('input', {
          type: 'number', step, 'aria-label': label ? `${label}: ${name}` : name,
          oninput: (/** @type {any} */ { target }) => {
            if (!Number.isFinite(target.valueAsNumber)) return;
            o.onEdit?.(r, c, target.valueAsNumber);
            paint();
          },
          onblur: () => paint(),
        }) : h('span', {});
        cells.push(cell);
        return h('td', {}, cell);
      })));
    host.replaceChildren(h('table', { class: 'matrix-table', 'aria-label': label },
      colLabels && h('thead', {}, h('tr', {}, rowLabels && h('td', {}),
        colLabels.map((text) => h('th', { scope: 'col' }, text)))),
      h('tbody', {}, body)));
  }

  function paint() {
    const { data, format = plain, editable, scale = 'sequential' } = o;
    const colors = palette();
    const reach = reachOf(o);
    cells.forEach((cell, i) => {
      if (!editable) cell.textContent = format(data[i]);
      // not while the user types into it
      else if (cell !== document.activeElement) /** @type {any} */ (cell).value = String(Number(data[i].toFixed(4)));
      const td = /** @type {HTMLElement} */ (cell.parentElement);
      td.style.backgroundColor = colors.color(scale, data[i] / reach);
      td.style.color = colors.ink(scale, data[i] / reach);
    });
  }

  function draw() {
    const { rows, cols, rowLabels, colLabels, editable } = o;
    const now = JSON.stringify([rows, cols, rowLabels, colLabels, editable]);
    if (now !== shape) build();
    shape = now;
    paint();
  }
  draw();
  const off = onTheme(paint);
  return {
    update(more) {
      o = { ...o, ...more };
      draw();
    },
    destroy() {
      off();
      host.replaceChildren();
    },
  };
}

/** Calls f when the theme changes. @param {() => void} f @returns {() => void} */
export function onTheme(f) {
  const observer = new MutationObserver(f);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/**
 * A heat map on a canvas. It draws only the visible part, so it may have any size. Arrow keys move a cursor; Enter or
 * a click picks its cell. Plus and minus, Ctrl with the wheel, or two fingers zoom. The wheel, dragging or two fingers
 * scroll it. One finger scrolls it sideways only; up and down it scrolls the page.
 *
 * @param {HTMLElement} host  emptied
 * @param {{ data: ArrayLike<number>, rows: number, cols: number, rowLabels?: string[], colLabels?: string[],
 *   scale?: 'sequential' | 'diverging', reach?: number, label?: string, format?: (x: number) => string,
 *   describe?: (row: number, col: number) => string[], onPick?: ((row: number, col: number) => void) | false,
 *   onCursor?: (row: number, col: number) => void, most?: number, whole?: boolean }} options  describe: lines of the
 *   tooltip; most: greatest height in pixels; whole: at first all cells are seen
 * @returns {{ update: (options: any) => void, zoom: (factor: number) => void, fit: () => void, destroy: () => void,
 *   readonly drawn: number }}  drawn: cells that the last frame drew one by one
 */
export function heatmap(host, options) {
  let o = options;
  /** New numbers need a new object, because it is the key of cached images. @type {import('./tiles.js').Map} */
  let map;
  const canvas = h('canvas', { 'aria-hidden': 'true' });
  const tip = h('div', { class: 'map-tip', hidden: true, 'aria-hidden': 'true' });
  const said = h('span', { class: 'unseen', 'aria-live': 'polite' });
  const frame = h('div', { class: 'map', tabindex: 0 }, canvas, tip, said);
  host.replaceChildren(frame);
  const context = canvas.getContext('2d');
  /** The visible part. Its size is without labels. */
  const view = { x: 0, y: 0, cell: 0, width: 0, height: 0 };
  let [left, top] = [0, 0];
  /** @type {{ row: number, col: number } | null} */
  let cursor = null;
  let drawn = 0;
  let waits = 0;

  const label = (/** @type {'rowLabels' | 'colLabels'} */ of, /** @type {number} */ i) => o[of]?.[i] ?? '';
  /** The width of the widest label, measured once. @type {WeakMap<string[], number>} */
  const widths = new WeakMap();
  const room = (/** @type {string[] | undefined} */ labels, /** @type {number} */ limit) => {
    if (!labels) return 4;
    if (!widths.has(labels)) {
      context.font = fontOf(12);
      widths.set(labels, labels.reduce((most, text) => Math.max(most, context.measureText(text).width), 0));
    }
    const widest = Number(widths.get(labels));
    return widest ? Math.min(widest + 14, limit) : 4;
  };
  const fontOf = (/** @type {number} */ size) => `${size}px ${getComputedStyle(frame).fontFamily}`;

  function measure() {
    const width = frame.clientWidth;
    if (width === 0) return false;
    left = room(o.rowLabels, Math.min(LABEL, width * SHARE));
    top = room(o.colLabels, LABEL);
    // until somebody zooms, the cells follow the width; the height of a phone's window changes while one scrolls
    const isNew = view.cell === 0 || view.width !== width - left;
    view.width = width - left;
    if (isNew && sizing) view.cell = sizing();
    view.height = Math.min(o.rows * view.cell, tallest());
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round((top + view.height) * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${top + view.height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    clamp();
    frame.classList.toggle('moves', view.cell * o.cols > view.width + 1 || view.cell * o.rows > view.height + 1);
    return true;
  }
  const tallest = () => (o.most ?? Math.max(280, innerHeight * 0.7)) - top;
  /** The size at which all cells can be seen. */
  const whole = () => Math.min(view.width / o.cols, tallest() / o.rows);
  const least = () => Math.min(SMALL, whole());
  /** The size of cells that nobody has chosen: that at which all are seen, if they are legible. */
  const begin = () => Math.min(Math.max(view.width / o.cols, SMALL), 38, o.whole ? whole() : Math.max(whole(), SMALL));
  /** Chooses the size, until somebody zooms. @type {(() => number) | null} */
  let sizing = begin;

  function clamp() {
    view.cell = Math.min(Math.max(view.cell, least()), LARGE);
    view.x = Math.max(0, Math.min(view.x, o.cols * view.cell - view.width));
    view.y = Math.max(0, Math.min(view.y, o.rows * view.cell - view.height));
  }

  function draw() {
    waits = 0;
    if (!measure()) return;
    const colors = palette();
    context.clearRect(0, 0, left + view.width, top + view.height);
    context.save();
    context.beginPath();
    context.rect(left, top, view.width, view.height);
    context.clip();
    context.translate(left, top);
    drawn = drawCells(context, map, view, colors);
    if (cursor) {
      context.strokeStyle = colors.focus;
      context.lineWidth = 2;
      context.strokeRect(cursor.col * view.cell - view.x + 0.5, cursor.row * view.cell - view.y + 0.5, view.cell - 2,
        view.cell - 2);
    }
    if (view.cell >= 34) drawNumbers(colors);
    context.restore();
    drawLabels(colors);
  }

  /** @param {any} colors */
  function drawNumbers(colors) {
    const seen = visible(map, view);
    context.font = fontOf(10.5);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (let r = seen.rows[0]; r < seen.rows[1]; r++) {
      for (let c = seen.cols[0]; c < seen.cols[1]; c++) {
        const value = map.data[r * map.cols + c];
        if (Math.abs(value) < 0.005) continue;
        context.fillStyle = colors.ink(map.scale ?? 'sequential', value / Number(map.reach));
        const text = Number.isFinite(value) ? value.toFixed(2) : '-\u221e';
        context.fillText(local(text.replace(/^(-?)0\./, '$1.')), (c + 0.5) * view.cell - view.x,
          (r + 0.5) * view.cell - view.y);
      }
    }
  }

  /** @param {any} colors */
  function drawLabels(colors) {
    const seen = visible(map, view);
    const size = Math.min(12, Math.max(9, view.cell - 2));
    // if cells are too small, only some have a label
    const every = Math.max(1, Math.ceil((size + 1) / view.cell));
    context.font = fontOf(size);
    context.textBaseline = 'middle';
    const color = (/** @type {boolean} */ isAt) => (context.fillStyle = isAt ? colors.accent : colors.fg);
    const cut = (/** @type {string} */ text, /** @type {number} */ limit) => {
      if (context.measureText(text).width <= limit) return text;
      let n = text.length;
      while (n > 1 && context.measureText(`${text.slice(0, n)}\u2026`).width > limit) n--;
      return `${text.slice(0, n)}\u2026`;
    };
    context.textAlign = 'right';
    for (let r = Math.ceil(seen.rows[0] / every) * every; r < seen.rows[1]; r += every) {
      const y = top + (r + 0.5) * view.cell - view.y;
      if (y < top || y > top + view.height) continue;
      color(r === cursor?.row);
      context.fillText(cut(label('rowLabels', r), left - 8), left - 6, y);
    }
    context.textAlign = 'left';
    for (let c = Math.ceil(seen.cols[0] / every) * every; c < seen.cols[1]; c += every) {
      const x = left + (c + 0.5) * view.cell - view.x;
      if (x < left || x > left + view.width) continue;
      color(c === cursor?.col);
      context.save();
      context.translate(x, top - 6);
      context.rotate(-Math.PI / 2);
      context.fillText(cut(label('colLabels', c), top - 8), 0, 0);
      context.restore();
    }
  }

  const later = () => (waits ||= requestAnimationFrame(draw));

  const describe = (/** @type {number} */ row, /** @type {number} */ col) =>
    o.describe?.(row, col) ?? [
      [label('rowLabels', row) || `${row + 1}`, label('colLabels', col) || `${col + 1}`].join(' \u00b7 '),
      (o.format ?? plain)(o.data[row * o.cols + col]),
    ];

  /** @param {number} row @param {number} col @param {boolean} byKey */
  function point(row, col, byKey) {
    cursor = { row: Math.min(Math.max(row, 0), o.rows - 1), col: Math.min(Math.max(col, 0), o.cols - 1) };
    const { cell } = view;
    if (byKey) {
      view.x = Math.min(Math.max(view.x, (cursor.col + 1) * cell - view.width), cursor.col * cell);
      view.y = Math.min(Math.max(view.y, (cursor.row + 1) * cell - view.height), cursor.row * cell);
    }
    const lines = describe(cursor.row, cursor.col);
    tip.replaceChildren(...lines.map((text) => h('div', {}, text)));
    tip.hidden = false;
    const x = left + (cursor.col + 1) * cell - view.x;
    const y = top + (cursor.row + 1) * cell - view.y;
    const goesLeft = x + tip.offsetWidth + 8 > frame.clientWidth;
    tip.style.left = `${Math.max(0, goesLeft ? x - cell - tip.offsetWidth - 6 : x + 6)}px`;
    tip.style.top = `${Math.max(0, Math.min(y, top + view.height - tip.offsetHeight))}px`;
    if (byKey) said.textContent = lines.join(', ');
    o.onCursor?.(cursor.row, cursor.col);
    later();
  }

  function unpoint() {
    tip.hidden = true;
    cursor = null;
    later();
  }

  /** The cell under an event. @param {MouseEvent} event */
  function cellAt(event) {
    const box = canvas.getBoundingClientRect();
    const col = Math.floor((event.clientX - box.left - left + view.x) / view.cell);
    const row = Math.floor((event.clientY - box.top - top + view.y) / view.cell);
    const isOut = event.clientX - box.left < left || event.clientY - box.top < top;
    return isOut || row < 0 || col < 0 || row >= o.rows || col >= o.cols ? null : { row, col };
  }

  /** @param {number} factor @param {number} [atX] @param {number} [atY]  the fixed point, in the window */
  function zoom(factor, atX = view.width / 2, atY = view.height / 2) {
    const before = view.cell;
    sizing = null;
    view.cell = Math.min(Math.max(before * factor, least()), LARGE);
    const by = view.cell / before;
    view.x = (view.x + atX) * by - atX;
    view.y = (view.y + atY) * by - atY;
    tip.hidden = true;
    later();
  }

  /**
   * The pointers that hold the window: the mouse, or one or two fingers. @type {Map<number, { x: number, y: number }>}
   */
  const holds = new Map();
  let moved = false;
  /** The centre of the pointers, and their distance. */
  const grip = () => {
    const [a, b = a] = holds.values();
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  const offs = [
    on(canvas, 'pointerdown', (event) => {
      // another button may open a menu, and then no `pointerup` follows
      if (event.button !== 0 || holds.size === 2) return;
      canvas.setPointerCapture(event.pointerId);
      // a second finger picks nothing
      moved = holds.size > 0;
      holds.set(event.pointerId, { x: event.clientX, y: event.clientY });
    }),
    on(canvas, 'pointermove', (event) => {
      if (holds.size) {
        if (!holds.has(event.pointerId)) return;
        const before = grip();
        if (!moved && Math.hypot(event.clientX - before.x, event.clientY - before.y) < 5) return;
        moved = true;
        holds.set(event.pointerId, { x: event.clientX, y: event.clientY });
        const now = grip();
        if (before.apart && now.apart) {
          const box = canvas.getBoundingClientRect();
          zoom(now.apart / before.apart, before.x - box.left - left, before.y - box.top - top);
        }
        view.x -= now.x - before.x;
        if (event.pointerType !== 'touch' || holds.size === 2) view.y -= now.y - before.y;
        tip.hidden = true;
        later();
        return;
      }
      const cell = cellAt(event);
      if (cell) point(cell.row, cell.col, false);
      else unpoint();
    }),
    // lostpointercapture follows the others too; alone it comes if the canvas is removed or loses the capture
    on(canvas, 'pointerup pointercancel lostpointercapture', (event) => {
      if (!holds.delete(event.pointerId)) return;
      const cell = moved || event.type !== 'pointerup' ? null : cellAt(event);
      if (!cell) return;
      point(cell.row, cell.col, false);
      if (o.onPick) o.onPick(cell.row, cell.col);
    }),
    on(canvas, 'pointerleave', () => !holds.size && unpoint()),
    on(canvas, 'wheel', (event) => {
      if (event.ctrlKey) {
        event.preventDefault();
        const box = canvas.getBoundingClientRect();
        zoom(Math.exp(-event.deltaY / 200), event.clientX - box.left - left, event.clientY - box.top - top);
        return;
      }
      const { x, y } = view;
      view.x += event.shiftKey ? event.deltaY : event.deltaX;
      view.y += event.shiftKey ? 0 : event.deltaY;
      clamp();
      // at the edge of the map the page scrolls
      if (view.x !== x || view.y !== y) event.preventDefault();
      tip.hidden = true;
      later();
    }, { passive: false }),
    on(frame, 'keydown', (event) => {
      const { row, col } = cursor ?? { row: 0, col: 0 };
      const page = Math.max(1, Math.floor(view.height / view.cell));
      const to = /** @type {Record<string, number[]>} */ ({
        ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
        PageUp: [row - page, col], PageDown: [row + page, col], Home: [row, 0], End: [row, o.cols - 1],
      })[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (to) point(cursor ? to[0] : 0, cursor ? to[1] : 0, true);
      else if (event.key === '+' || event.key === '=') zoom(1.3);
      else if (event.key === '-') zoom(1 / 1.3);
      else if (event.key === 'Escape' && cursor) unpoint();
      else if ((event.key === 'Enter' || event.key === ' ') && cursor && o.onPick) o.onPick(row, col);
      else return;
      event.preventDefault();
    }),
    on(frame, 'blur', unpoint),
    // at once: no frame comes before the page is printed
    onTheme(draw),
  ];
  const resized = new ResizeObserver(later);
  resized.observe(frame);

  function take() {
    map = { data: o.data, rows: o.rows, cols: o.cols, scale: o.scale, reach: reachOf(o) };
    frame.setAttribute('role', 'application');
    frame.setAttribute('aria-label', o.label ?? '');
    frame.classList.toggle('picks', Boolean(o.onPick));
  }
  take();
  draw();
  return {
    update(more) {
      const { rows, cols } = o;
      o = { ...o, ...more };
      if (o.rows !== rows || o.cols !== cols) {
        Object.assign(view, { x: 0, y: 0, cell: 0 });
        sizing = begin;
        unpoint();
      }
      take();
      later();
    },
    zoom,
    fit() {
      // the size is known when it is drawn
      Object.assign(view, { x: 0, y: 0, cell: 0 });
      sizing = whole;
      later();
    },
    get drawn() {
      return drawn;
    },
    destroy() {
      cancelAnimationFrame(waits);
      resized.disconnect();
      offs.forEach((off) => off());
      host.replaceChildren();
    },
  };
}
