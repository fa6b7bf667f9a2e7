// trace.js - a cell of a computed grid explains itself: its row and its column light up, there and in the grids that it
// was made of, and what was computed is written out. Used by the chapters of Learn.

import { decimal, remark, rich, rowOf } from './kit.js';

/** @typedef {import('./kit.js').Matrix} Matrix */
/** @typedef {ReturnType<typeof import('./kit.js').grid>} Grid */

/** @param {number} x */
const written = (x) => decimal(x, Number.isInteger(x) ? 0 : 2);

const inBrackets = (/** @type {number} */ x) => (x < 0 ? `(${written(x)})` : written(x));

/** @param {Matrix} x @param {number} c */
export const columnOf = ({ rows, cols, data }, c) => Float32Array.from({ length: rows }, (_, r) => data[r * cols + c]);

/**
 * A product of two vectors, written out.
 *
 * @param {ArrayLike<number>} a @param {ArrayLike<number>} b
 * @param {number} [bias]  is added
 */
export function productText(a, b, bias) {
  const sum = Array.from(a).reduce((total, x, i) => total + x * b[i], bias ?? 0);
  const terms = Array.from(a, (x, i) => `${(i ? inBrackets : written)(x)} \u00d7 ${inBrackets(b[i])}`);
  if (bias !== undefined) terms.push(inBrackets(bias));
  return `${terms.join(' + ')} = ${written(sum)}`;
}

/** Up to here e^x is written as it is. Beyond, the greatest score is subtracted, so that no power is infinite. */
const GREAT = 80;

/** A share of a row of scores, written out. @param {ArrayLike<number>} scores @param {number} at */
export function shareText(scores, at) {
  const all = Array.from(scores);
  // a masked score is -Infinity, and e to its power is 0
  const off = all.some((x) => Math.abs(x) > GREAT && x !== -Infinity) ? Math.max(...all) : 0;
  const powers = all.map((x) => Math.exp(x - off));
  const total = powers.reduce((a, b) => a + b, 0);
  const power = (/** @type {number} */ x) => (off ? `e^(${written(x)} \u2212 ${inBrackets(off)})` : `e^${written(x)}`);
  return `${power(all[at])} / (${all.map(power).join(' + ')}) = ${
    decimal(powers[at])} / ${decimal(total)} = ${decimal(powers[at] / total)}`;
}

/**
 * What made a cell: the text, and the rows and columns of other grids that light up.
 *
 * @typedef {{ text: string, lit: { grid: Grid, row?: number, col?: number }[] }} Made
 */

/**
 * A cell of `left` times `right`.
 *
 * @param {Grid} left @param {Grid} right  two grids, or one twice
 * @param {boolean} [isTransposed]  a row of `right` then stands for a column
 * @param {Grid} [bias]  one row, which is added to each
 * @returns {(row: number, col: number) => Made}
 */
export const product = (left, right, isTransposed = false, bias = undefined) => (row, col) => ({
  text: productText(rowOf(left.value, row), isTransposed ? rowOf(right.value, col) : columnOf(right.value, col),
    bias?.value.data[col]),
  lit: [{ grid: left, row }, { grid: right, ...(isTransposed ? { row: col } : { col }) },
    ...(bias ? [{ grid: bias, col }] : [])],
});

/**
 * A cell of an attention map. Its product is a score; `tell` says what becomes of it.
 *
 * @param {Grid} queries @param {Grid} keys @param {(product: string) => string} tell
 * @returns {(row: number, col: number) => Made}
 */
export const attended = (queries, keys, tell) => (row, col) => {
  const made = product(queries, keys, true)(row, col);
  return { ...made, text: tell(made.text) };
};

/** A cell of the softmax of each row. @param {Grid} scores @returns {(row: number, col: number) => Made} */
export const share = (scores) => (row, col) => ({
  text: shareText(rowOf(scores.value, row), col), lit: [{ grid: scores, row }],
});

/**
 * Lets cells of these grids explain themselves, by the mouse, a touch, or the arrow keys.
 *
 * @param {string} hint  said before a cell is pointed at
 * @param {[Grid, (row: number, col: number) => Made][]} grids
 * @returns {HTMLElement}  says what was computed
 */
export function trace(hint, grids) {
  const told = remark(hint);
  told.classList.add('traced');
  let lit = () => {};
  let tellAgain = () => {};
  let isWaiting = false;
  /** @param {Grid} of @param {(row: number, col: number) => Made} explain @param {number} row @param {number} col */
  function point(of, explain, row, col) {
    lit();
    const { lit: others } = explain(row, col);
    of.mark(row, col, true);
    for (const { grid, row: r, col: c } of others) grid.mark(r, c);
    lit = () => [of, ...others.map(({ grid }) => grid)].forEach((grid) => grid.mark());
    tellAgain = () => {
      const isThere = row < of.value.rows && col < of.value.cols;
      told.replaceChildren(...rich(isThere ? `${of.name(row, col)}: ${explain(row, col).text}` : hint));
    };
    tellAgain();
  }
  for (const [of, explain] of grids) {
    /** The cell that the arrow keys are at. @type {[number, number] | null} */
    let at = null;
    const { set } = of;
    // after an edit several grids are set: what was computed is told again when all are
    of.set = (x) => {
      set(x);
      if (!isWaiting) queueMicrotask(() => {
        isWaiting = false;
        tellAgain();
      });
      isWaiting = true;
    };
    const host = /** @type {HTMLElement} */ (of.element.querySelector('.grid-host'));
    /** @param {Event} event */
    const byPointer = (event) => {
      const cell = /** @type {Element} */ (event.target).closest('td');
      const place = cell && of.cellOf(cell);
      if (place) point(of, explain, ...place);
    };
    host.addEventListener('pointerover', byPointer);
    host.addEventListener('click', byPointer);
    host.addEventListener('pointerleave', () => lit());
    host.addEventListener('blur', () => {
      at = null;
      lit();
    });
    host.addEventListener('keydown', (event) => {
      const move = /** @type {Record<string, [number, number]>} */ ({
        ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      })[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const { rows, cols } = of.value;
      at = at ? [Math.min(Math.max(at[0] + move[0], 0), rows - 1), Math.min(Math.max(at[1] + move[1], 0), cols - 1)]
        : [0, 0];
      point(of, explain, ...at);
    });
  }
  return told;
}
