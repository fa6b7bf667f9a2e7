// arrows.js - a part of the chapter embeddings: whether the step from one word to another is the same for two other
// words, with the rows of the loaded model: man -> woman and king -> queen as arrows side by side.

import { h } from '../lib/dom.js';
import { isNarrow, s } from './chart.js';
import { choice, decimal, failure, flow, remark } from './kit.js';

/** Two pairs each, that differ in the same way. */
export const QUADRUPLES = ['man woman king queen', 'is was are were', 'two zwei three drei', 'want wants need needs',
  'month months year years'];
/** From the cosine of two arrows: nearly parallel, at most 26 degrees; closer than chance, at most 73. */
const [PARALLEL, ALIKE] = [0.9, 0.3];

/** @typedef {{ word: string, ids: number[], pieces: string[], vector: Float32Array }} Found  a word's row */

const dot = (/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);
const unit = (/** @type {ArrayLike<number>} */ x) => {
  const length = Math.sqrt(dot(x, x)) || 1;
  return Array.from(x, (v) => v / length);
};

/**
 * Two arrows between rows of length 1, in the plane in which both lie: there their lengths and their angle are true.
 *
 * @param {ArrayLike<number>[]} rows  from, to; from, to
 */
export function compute(rows) {
  const [a, b, c, d] = rows.map(unit);
  const [first, second] = [[a, b], [c, d]].map(([from, to]) => to.map((x, i) => x - from[i]));
  const [one, two] = [first, second].map((x) => Math.sqrt(dot(x, x)));
  // rounding may lead beyond 1, where no angle is
  const cosine = one && two ? Math.min(1, Math.max(-1, dot(first, second) / (one * two))) : 0;
  const across = two * Math.sqrt(Math.max(0, 1 - cosine * cosine));
  return {
    cosine,
    arrows: [[one, 0], [two * cosine, across]],
    cosines: [dot(a, b), dot(c, d), dot(a, c), dot(b, d)],
    /** Where the second arrow would end if it were the first one. */
    reached: c.map((x, i) => x + first[i]),
  };
}

/** @param {number} cosine @returns {'parallel' | 'alike' | 'not'} */
export const verdictOf = (cosine) => (cosine >= PARALLEL ? 'parallel' : cosine >= ALIKE ? 'alike' : 'not');

const arrow = (/** @type {string} */ from, /** @type {string} */ to) => `${from} \u2192 ${to}`;

/** Both arrows, each from its own start. @param {number[][]} arrows @param {string[]} words @param {string} label */
function drawing(arrows, words, label) {
  const reach = Math.max(...arrows.map(([x, y]) => Math.hypot(x, y))) || 1;
  // side by side, or one above the other
  const [width, height, right, down] = isNarrow() ? [320, 300, 0, 150] : [440, 220, 220, 0];
  const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': label });
  arrows.forEach(([x, y], i) => {
    const [middle, level] = [(width - right) / 2 + right * i, (height - down) / 2 + down * i];
    const [x0, y0] = [middle - (x / reach) * 40, level + (y / reach) * 40];
    const [x1, y1] = [x0 + (x / reach) * 80, y0 - (y / reach) * 80];
    const angle = Math.atan2(y1 - y0, x1 - x0);
    const tip = [0.45, -0.45].map((turn) => `${x1 - 10 * Math.cos(angle + turn)},${y1 - 10 * Math.sin(angle + turn)}`);
    const text = (/** @type {number} */ px, /** @type {number} */ py, /** @type {string} */ word,
      /** @type {number} */ away) => s('text', {
      x: px + away * 16 * Math.cos(angle), y: py + away * 16 * Math.sin(angle) + 4, class: 'axis',
      'text-anchor': away * Math.cos(angle) > 0.4 ? 'start' : away * Math.cos(angle) < -0.4 ? 'end' : 'middle',
    }, word);
    svg.append(s('line', { x1: x0, y1: y0, x2: x1, y2: y1, class: 'curve' }),
      s('polygon', { points: `${x1},${y1} ${tip.join(' ')}`, class: 'bar' }),
      s('circle', { cx: x0, cy: y0, r: 3.5, class: 'dot' }),
      text(x0, y0, words[2 * i], -1), text(x1, y1, words[2 * i + 1], 1));
  });
  return svg;
}

/**
 * @param {HTMLElement} host
 * @param {any} app
 * @param {any} t  of this part
 * @param {{ look: (word: string) => Promise<Found>, nearest: (vector: number[], without: Set<number>) =>
 *   Promise<{ text: string, cosine: number }[]>, pieces: (word: string, pieces: string[]) => string }} table
 */
export async function mount(host, app, t, { look, nearest, pieces }) {
  const input = h('input', { type: 'text', value: QUADRUPLES[0], spellcheck: 'false', lang: 'en' });
  const result = h('div', { class: 'real' });
  const nameOf = (/** @type {string} */ value) => {
    const [a, b, c, d] = value.split(' ');
    return t.arrow(arrow(a, b), arrow(c, d));
  };
  let run = 0;
  /** @param {string} text */
  async function show(text) {
    const mine = ++run;
    const words = text.trim().split(/\s+/);
    if (words.length !== 4) return void result.replaceChildren(remark(t.four(words.length)));
    const found = await Promise.all(words.map(look));
    const { cosine, arrows, cosines, reached } = compute(found.map(({ vector }) => vector));
    const [a, b, c, d] = words;
    const empty = arrows.findIndex(([x, y]) => x === 0 && y === 0);
    if (empty >= 0) {
      const [from, to] = words.slice(2 * empty);
      if (mine === run) result.replaceChildren(remark(t.empty(arrow(from, to))));
      return;
    }
    const told = t.verdict(arrow(a, b), arrow(c, d), decimal(cosine), Math.round((Math.acos(cosine) * 180) / Math.PI));
    const best = await nearest(reached, new Set([a, b, c].flatMap((_, i) => found[i].ids)));
    if (mine !== run) return;
    result.replaceChildren(
      ...found.filter((one) => one.pieces.length > 1).map((one) => remark(pieces(one.word, one.pieces))),
      h('figure', { class: 'grid wide' }, h('figcaption', {}, t.plane), drawing(arrows, words, told)),
      remark(`${told} ${t.verdicts[verdictOf(cosine)]}`),
      remark(t.pairs([[a, b], [c, d], [a, c], [b, d]].map(([x, y], i) => `${x}\u2013${y} ${decimal(cosines[i])}`)
        .join(', '))),
      remark(t.reached(`${c} + (${b} \u2212 ${a})`,
        best.slice(0, 4).map(({ text: word, cosine: near }) => `${word} ${decimal(near)}`).join(', '))),
    );
  }
  const failed = (/** @type {unknown} */ error) => result.replaceChildren(remark(failure(app, error)));
  const form = h('form', { class: 'flow', onsubmit(/** @type {SubmitEvent} */ event) {
    event.preventDefault();
    show(input.value).catch(failed);
  } }, h('label', { class: 'field' }, h('span', {}, t.words), input), h('button', { type: 'submit' }, t.draw));
  host.replaceChildren(h('h2', {}, t.title), h('p', {}, t.text), flow(choice(t.choose,
    QUADRUPLES.map((value) => ({ value, text: nameOf(value) })), QUADRUPLES[0],
    (/** @type {string} */ value) => {
      input.value = value;
      show(value).catch(failed);
    })), form, result);
  await show(input.value).catch(failed);
}
