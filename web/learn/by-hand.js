// by-hand.js - chapter: scaled dot-product attention of four words, one step after the other, with exact numbers or
// with those that one can work out by hand.

import { h } from '../lib/dom.js';
import {
  button, choice, decimal, flow, grid, matrix, ops, remark, rich, rowOf, shaped, sign, transpose,
} from './kit.js';
import { product, trace } from './trace.js';
import { DK, EQUALS, formula, frac, m, n, o, row, softmax, sqrt, transposed } from './math.js';

export const start = {
  x: matrix([
    [1, 0, 1, 0, 0, 0],
    [0, 1, 0, 0, 1, 0],
    [0, 0, 1, 1, 0, 0],
    [1, 0, 0, 0, 1, 1],
  ]),
  wq: matrix([
    [1, 0, 1],
    [0, 2, 0],
    [1, 0, 0],
    [0, 1, 1],
    [0, 0, 1],
    [1, 1, 0],
  ]),
  wk: matrix([
    [0, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
    [1, 1, 0],
    [2, 0, 0],
    [0, 0, 1],
  ]),
  wv: matrix([
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [0, 2, 0],
    [0, 1, 1],
  ]),
};

/**
 * @param {import('./kit.js').Ops} parts
 * @param {typeof start} given
 * @param {boolean} isRound  half, rounded down, for the division by the root of 3; powers of 3 for those of e
 */
export function compute(parts, { x, wq, wk, wv }, isRound) {
  const [q, k, v] = [wq, wk, wv].map((w) => parts.matmul(x, w));
  const scores = parts.matmul(q, transpose(k));
  const { rows, cols } = scores;
  /** @param {(value: number) => number} f @param {import('./kit.js').Matrix} of */
  const each = (f, of) => shaped(rows, cols, of.data.map(f));
  const divided = each((s) => (isRound ? Math.floor(s / 2) : s / Math.sqrt(k.cols)), scores);
  const powers = each((s) => (isRound ? 3 ** s : Math.exp(s)), divided);
  if (!isRound) {
    const { weights, output } = parts.attention(q, k, v);
    return { q, k, v, scores, divided, powers, weights, output };
  }
  const sums = Array.from({ length: rows }, (_, r) =>
    powers.data.subarray(r * cols, (r + 1) * cols).reduce((a, b) => a + b, 0));
  const weights = shaped(rows, cols, powers.data.map((p, i) => p / sums[Math.floor(i / cols)]));
  return { q, k, v, scores, divided, powers, weights, output: parts.matmul(weights, v) };
}

/** What each step shows. @type {(keyof ReturnType<typeof compute>)[][]} */
const STEPS = [['q', 'k', 'v'], ['scores'], ['divided'], ['powers'], ['weights'], ['output']];

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  let isRound = false;
  let at = 0;
  const words = { rowLabels: t.words };
  const pairs = { ...words, colLabels: t.words };
  const found = compute(parts, given, isRound);
  const shown = {
    q: grid('Q = X W_Q', found.q, { ...words, digits: 0 }),
    k: grid('K = X W_K', found.k, { ...words, digits: 0 }),
    v: grid('V = X W_V', found.v, { ...words, digits: 0 }),
    scores: grid(t.scores, found.scores, { ...pairs, digits: 0 }),
    divided: grid(t.divided, found.divided, pairs),
    powers: grid(t.powers, found.powers, { ...pairs, scale: 'sequential' }),
    weights: grid(t.weights, found.weights, { ...pairs, scale: 'sequential' }),
    output: grid(t.output, found.output, words),
  };
  const said = remark();
  const results = h('div', { class: 'flow' });
  const back = button(t.back, () => go(at - 1));
  const next = button(t.next, () => go(at + 1));
  next.classList.add('primary');

  function update() {
    const all = compute(parts, given, isRound);
    for (const name of STEPS.flat()) shown[name].set(all[name]);
  }

  /** @param {number} step */
  function go(step) {
    at = Math.min(Math.max(step, 0), STEPS.length - 1);
    results.replaceChildren(...STEPS.slice(0, at + 1).flatMap((names, i) =>
      [sign(i === 0 ? '=' : '\u2192'), ...names.map((name) => shown[name].element)]));
    said.replaceChildren(...rich(`${t.step(at + 1, STEPS.length)} ${(isRound && t.roundSteps[at]) || t.steps[at]}`));
    back.disabled = at === 0;
    next.disabled = at === STEPS.length - 1;
  }

  /** @param {keyof typeof start} key @param {string} name @param {string[]} [rowLabels] */
  const edited = (key, name, rowLabels) => grid(name, given[key], {
    rowLabels, digits: 0,
    onEdit(value) {
      given[key] = value;
      update();
    },
  });
  const [x, wq, wk, wv] = [
    edited('x', t.x, t.words), edited('wq', 'W_Q'), edited('wk', 'W_K'), edited('wv', 'W_V'),
  ];
  const number = (/** @type {import('./trace.js').Grid} */ of, /** @type {number} */ r, /** @type {number} */ c) =>
    decimal(of.value.data[r * of.value.cols + c]);
  /**
   * A cell that is made of the same cell of another grid.
   *
   * @param {import('./trace.js').Grid} of @param {(number: string) => string} spell
   * @param {import('./trace.js').Grid} to
   * @returns {(r: number, c: number) => import('./trace.js').Made}
   */
  const same = (of, spell, to) => (r, c) => ({
    text: `${spell(number(of, r, c))} = ${number(to, r, c)}`, lit: [{ grid: of, row: r }, { grid: of, col: c }],
  });
  const w = (/** @type {string} */ letter) => `<msub>${m('W')}${m(letter)}</msub>`;
  host.append(
    formula([
      m('Q'), EQUALS, m('X'), w('Q'), o(','), m('K'), EQUALS, m('X'), w('K'), o(','), m('V'), EQUALS, m('X'), w('V'),
    ],
      [n('Attention'), row(o('('), m('Q'), o(','), m('K'), o(','), m('V'), o(')')), EQUALS,
        softmax(frac(`<mrow>${m('Q')}${transposed(m('K'))}</mrow>`, sqrt(DK))), m('V')]),
    choice(t.arithmetic, [{ value: false, text: t.exact }, { value: true, text: t.round }], isRound, (value) => {
      isRound = value;
      update();
      go(at);
    }),
    flow(x.element, sign('\u00d7'), wq.element, wk.element, wv.element),
    flow(back, next),
    said,
    results,
    trace(app.strings.learn.point, [
      [shown.q, product(x, wq)], [shown.k, product(x, wk)], [shown.v, product(x, wv)],
      [shown.scores, product(shown.q, shown.k, true)],
      [shown.divided, same(shown.scores, (score) => (isRound ? `\u230a${score} / 2\u230b` : `${score} / \u221a3`),
        shown.divided)],
      [shown.powers, same(shown.divided, (score) => `${isRound ? 3 : 'e'}^${score}`, shown.powers)],
      [shown.weights, (r, c) => {
        const powers = Array.from(rowOf(shown.powers.value, r), (p) => decimal(p));
        return { text: `${powers[c]} / (${powers.join(' + ')}) = ${number(shown.weights, r, c)}`,
          lit: [{ grid: shown.powers, row: r }] };
      }],
      [shown.output, product(shown.weights, shown.v)],
    ]),
  );
  go(0);
}
