// decoding.js - chapter: greedy search against beams on a small tree of editable probabilities, and what the length
// penalty prefers.

import { h } from '../lib/dom.js';
import { isNarrow, s } from './chart.js';
import { decimal, grid, matrix, remark, slider } from './kit.js';
import { EQUALS, formula, frac, n, o, paren, row, sub, sum, sup } from './math.js';

/** The probability of each next word, by what was written before. A row sums to 1. */
export const start = {
  /** After the start: two words. */
  first: matrix([[0.55, 0.45]]),
  /** After each of them: two words, or the end. */
  second: matrix([
    [0.4, 0.35, 0.25],
    [0.06, 0.9, 0.04],
  ]),
  beams: 1,
  penalty: 1,
};

/** @typedef {{ words: number[], isFinished: boolean, logProb: number }} Hypothesis  words: columns; the end is none */

/**
 * What may follow: a hypothesis ends at the end, or after two words.
 *
 * @param {typeof start} given
 * @param {Hypothesis} hypothesis
 * @returns {Hypothesis[]}
 */
function nextOf({ first, second }, { words, logProb }) {
  const [table, line] = words.length === 0 ? [first, 0] : [second, words[0]];
  return Array.from(table.data.subarray(line * table.cols, (line + 1) * table.cols), (p, i) => {
    const isEnd = words.length === 1 && i === table.cols - 1;
    return {
      words: isEnd ? words : [...words, i], isFinished: words.length === 1, logProb: logProb + Math.log(p),
    };
  }).filter((next) => next.logProb > -Infinity);
}

/**
 * The score of the search: log-probability over length to the power of the penalty.
 *
 * @param {Hypothesis} hypothesis
 * @param {number} penalty
 */
export const scoreOf = ({ words, logProb }, penalty) => logProb / words.length ** penalty;

/**
 * Beam search; with one beam it is greedy.
 *
 * @param {typeof start} given
 * @returns {{ steps: { hypothesis: Hypothesis, isKept: boolean }[][], finished: Hypothesis[] }}  finished: best first
 */
export function search(given) {
  /** @type {Hypothesis[]} */
  let alive = [{ words: [], isFinished: false, logProb: 0 }];
  const steps = [];
  for (let step = 0; step < 2; step++) {
    const all = alive.flatMap((hypothesis) => nextOf(given, hypothesis)).sort((a, b) => b.logProb - a.logProb);
    alive = all.slice(0, given.beams);
    steps.push(all.map((hypothesis) => ({ hypothesis, isKept: alive.includes(hypothesis) })));
  }
  return { steps, finished: alive.sort((a, b) => scoreOf(b, given.penalty) - scoreOf(a, given.penalty)) };
}

/**
 * The whole tree, with what the search followed: each beginning, and what may follow it.
 *
 * @param {typeof start} given
 */
export function tree(given) {
  const { steps, finished } = search(given);
  const key = (/** @type {Hypothesis} */ { words, isFinished }) => `${words.join()}${isFinished}`;
  const kept = new Set(steps.flatMap((list) => list.filter(({ isKept }) => isKept)
    .map(({ hypothesis }) => key(hypothesis))));
  const [best] = finished;
  return nextOf(given, { words: [], isFinished: false, logProb: 0 }).map((first) => ({
    hypothesis: first, isKept: kept.has(key(first)), isBest: best.words[0] === first.words[0],
    next: nextOf(given, first).map((hypothesis) => ({
      hypothesis, isKept: kept.has(key(hypothesis)), isBest: key(best) === key(hypothesis),
    })),
  }));
}

/**
 * The tree from left to right; what the search dropped is dashed.
 *
 * @param {typeof start} given @param {(hypothesis: Hypothesis) => string} name  of its last word @param {any} t
 */
function drawing(given, name, t) {
  const branches = tree(given);
  const leaves = branches.flatMap(({ next }) => next);
  const height = leaves.length * 34 + 12;
  const viewBox = `0 0 ${isNarrow() ? 320 : 440} ${height}`;
  const svg = s('svg', { viewBox, class: 'chart tree', role: 'img', 'aria-label': t.tree });
  /** @param {number[]} from @param {number[]} to @param {{ isKept: boolean, isBest: boolean }} how */
  const line = ([x0, y0], [x1, y1], { isKept, isBest }) => s('line', {
    x1: x0, y1: y0, x2: x1, y2: y1, class: `curve ${isKept ? '' : 'reference'} ${isBest && isKept ? 'best' : ''}`,
  });
  /** @param {number[]} at @param {string} word @param {Hypothesis} hypothesis @param {boolean} isKept */
  const label = ([x, y], word, { logProb }, isKept) =>
    s('text', { x: x + 6, y: y + 4, class: isKept ? 'axis strong' : '' }, `${word} ${decimal(Math.exp(logProb), 3)}`);
  const [left, first, last] = isNarrow() ? [48, 92, 214] : [52, 170, 320];
  const root = [left, height / 2];
  svg.append(s('text', { x: 4, y: root[1] + 4 }, t.startWord));
  let row = 0;
  for (const branch of branches) {
    const middle = [first, (row + (branch.next.length - 1) / 2) * 34 + 22];
    svg.append(line(root, middle, branch), label(middle, name(branch.hypothesis), branch.hypothesis, branch.isKept));
    for (const leaf of branch.next) {
      const end = [last, row++ * 34 + 22];
      svg.append(line([middle[0] + 88, middle[1]], end, leaf), label(end, name(leaf.hypothesis), leaf.hypothesis,
        leaf.isKept));
    }
  }
  return h('figure', { class: 'grid wide' }, h('figcaption', {}, t.tree), svg);
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export function mount(host, app, t) {
  const given = { ...start };
  const [results, picture] = [h('div', { class: 'flow' }), h('div', {})];
  const said = remark();
  const last = (/** @type {Hypothesis} */ { words, isFinished }) =>
    (words.length === 1 ? (isFinished ? t.end : t.first[words[0]]) : t.second[words[1]]);
  /** @param {Hypothesis} hypothesis */
  const spell = ({ words, isFinished }) => words.map((word, i) => (i === 0 ? t.first : t.second)[word]).join(' ')
    + (isFinished && words.length === 1 ? ` ${t.end}` : '');
  function draw() {
    const { steps, finished } = search(given);
    results.replaceChildren(...steps.map((list, i) => h('figure', { class: 'grid' },
      h('figcaption', {}, t.step(i + 1)),
      h('table', {}, h('tbody', {}, list.map(({ hypothesis, isKept }) =>
        h('tr', { class: isKept ? 'current' : '' }, h('th', { scope: 'row' }, isKept ? '\u2713' : '\u2013'),
          h('td', {}, spell(hypothesis)), h('td', { class: 'number' }, decimal(Math.exp(hypothesis.logProb), 3)))))))));
    picture.replaceChildren(drawing(given, last, t));
    const [best] = finished;
    const greedy = search({ ...given, beams: 1 }).finished[0];
    const told = t.best(spell(best), decimal(Math.exp(best.logProb), 3), decimal(scoreOf(best, given.penalty), 2));
    said.textContent = given.beams > 1 ? `${told} ${t.greedy(spell(greedy))}` : told;
  }
  /** @param {'first' | 'second'} key @param {string} name @param {object} labels */
  const edited = (key, name, labels) => grid(name, given[key], {
    ...labels, scale: 'sequential',
    onEdit(value) {
      given[key] = shares(value);
      // what the search uses is what the table says
      tables[key].set(given[key]);
      draw();
    },
  });
  /** @type {Record<'first' | 'second', ReturnType<typeof grid>>} */
  const tables = {
    first: edited('first', t.after(t.startWord), { colLabels: t.first }),
    second: edited('second', t.afterThat, { rowLabels: t.first, colLabels: [...t.second, t.end] }),
  };
  const see = h('button', { type: 'button', onclick: () => app.set({ room: 'see', view: 'beam' }) }, t.see);
  host.append(
    formula([n('score'), EQUALS, frac(
      sum(n('t'), o('log'), row(n('p'), paren(sub(n('y'), n('t'))))), sup(n('length'), n('\u03b1')))]),
    h('div', { class: 'flow' }, tables.first.element, tables.second.element),
    h('div', { class: 'flow' },
      slider(t.beams, { min: 1, max: 4, value: given.beams }, (value) => {
        given.beams = value;
        draw();
      }),
      slider(`${t.penalty} \u03b1`, { min: 0, max: 2, step: 0.1, value: given.penalty, format: (x) => decimal(x, 1) },
        (value) => {
          given.penalty = value;
          draw();
        })),
    picture,
    results,
    said,
    h('div', {}, see),
  );
  draw();
}

/** Rows that sum to 1 again, without negative numbers. @param {import('./kit.js').Matrix} x */
export function shares({ rows, cols, data }) {
  const out = data.map((value) => Math.max(value, 0));
  for (let r = 0; r < rows; r++) {
    const line = out.subarray(r * cols, (r + 1) * cols);
    const total = line.reduce((a, b) => a + b, 0);
    line.forEach((value, i) => (line[i] = total > 0 ? value / total : 1 / cols));
  }
  return { rows, cols, data: out };
}
