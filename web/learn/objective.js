// objective.js - chapter: what training lowers. The loss of one guess with label smoothing, and its gradient; the
// loaded model's guesses when it is given the right words (teacher forcing); the learning rate of the paper as a curve.

import { h } from '../lib/dom.js';
import { local } from '../lib/words.js';
import { chart, probabilities, short } from './chart.js';
import {
  choice, decimal, failure, fedIn, flow, followSentence, grid, matrix, ops, readable, remark, shaped, slider,
} from './kit.js';
import { APPLY, d, EQUALS, formula, frac, n, o, paren, row, sub, sum, sup } from './math.js';

export const start = { logits: matrix([[2, 1, 0, -1]]), right: 0, smoothing: 0.1 };

/**
 * Label smoothing gives the right word 1 - epsilon + epsilon / n and each other word epsilon / n.
 *
 * @param {import('./kit.js').Ops} parts
 * @param {typeof start} given
 */
export function compute(parts, { logits, right, smoothing }) {
  const { cols } = logits;
  const p = parts.softmax(logits);
  const wanted = shaped(1, cols, Array.from({ length: cols }, (_, i) =>
    smoothing / cols + (i === right ? 1 - smoothing : 0)));
  const loss = -wanted.data.reduce((total, share, i) => total + (share && share * Math.log(p.data[i])), 0);
  const gradient = shaped(1, cols, p.data.map((share, i) => share - wanted.data[i]));
  return { p, wanted, loss, gradient };
}

/**
 * The learning rate of "Attention Is All You Need", section 5.3.
 *
 * @param {number} step  from 1
 * @param {number} width  d_model
 * @param {number} warmup  steps
 */
export const rateOf = (step, width, warmup) => width ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);

/** Steps of the curve. */
const STEPS = 40_000;
const POINTS = 200;

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const given = { ...start };
  const bars = h('div', { class: 'wide' });
  const said = remark();
  const first = compute(parts, given);
  const gradient = grid(t.gradient, first.gradient, { colLabels: t.words });
  const wanted = grid(t.wanted, first.wanted, { colLabels: t.words, scale: 'sequential', digits: 3 });
  function draw() {
    const { p, wanted: target, loss, gradient: change } = compute(parts, given);
    bars.replaceChildren(probabilities({ label: t.p, values: p.data, names: t.words, format: (x) => decimal(x, 3) }));
    wanted.set(target);
    gradient.set(change);
    said.textContent = t.loss(decimal(loss, 3), decimal(p.data[given.right], 3));
  }
  const logits = grid(t.logits, given.logits, {
    colLabels: t.words, digits: 1,
    onEdit(value) {
      given.logits = value;
      draw();
    },
  });

  const schedule = { width: 256, warmup: 4000 };
  const curve = h('figure', { class: 'grid wide' });
  function drawCurve() {
    const steps = Array.from({ length: POINTS }, (_, i) => ((i + 1) * STEPS) / POINTS);
    const rates = steps.map((step) => rateOf(step, schedule.width, schedule.warmup));
    const label = t.peak(short(rateOf(schedule.warmup, schedule.width, schedule.warmup)), schedule.warmup);
    const shown = chart({
      x: [0, STEPS], y: [0, Math.max(...rates)], xLabel: t.step, yLabel: t.rate, label,
    });
    shown.line(steps, rates);
    curve.replaceChildren(h('figcaption', {}, label), shown.element);
  }
  const width = (/** @type {number} */ value) => ({ value, text: String(value) });

  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.forced });
  const stop = followSentence(app, (sentence, error) => {
    if (!sentence) {
      table.replaceChildren(remark(error ? failure(app, error) : app.strings.learn.needsModel));
      return;
    }
    const { targetTokens } = sentence;
    const fed = fedIn(targetTokens, app.strings.learn.startToken);
    const losses = targetTokens.map((/** @type {any} */ { logProb }) => -logProb);
    const cell = (/** @type {string} */ text) => h('td', {}, text);
    table.replaceChildren(h('table', {}, h('caption', {}, t.mean(
      decimal(losses.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0) / losses.length, 3))),
    h('thead', {}, h('tr', {}, t.columns.map((/** @type {string} */ name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, targetTokens.map((/** @type {any} */ { piece, logProb }, /** @type {number} */ i) => h('tr', {},
      h('th', { scope: 'row' }, fed[i]), cell(readable(piece)), cell(decimal(Math.exp(logProb), 3)),
      cell(decimal(-logProb, 3)))))));
  });

  const [q, p, x] = ['q', 'p', 'x'].map((name) => sub(n(name), n('i')));
  const slope = frac(row(o('\u2202'), n('loss')), row(o('\u2202'), x));
  host.append(
    formula([n('loss'), EQUALS, o('\u2212'), sum(n('i'), q, o('log'), p)], [slope, EQUALS, p, o('\u2212'), q]),
    flow(logits.element, choice(t.right, t.words.map((/** @type {string} */ text, /** @type {number} */ value) =>
      ({ value, text })), given.right, (value) => {
      given.right = value;
      draw();
    })),
    slider(`${t.smoothing} \u03b5`, { min: 0, max: 0.4, step: 0.05, value: 0.1, format: (x) => decimal(x, 2) }, (x) => {
      given.smoothing = x;
      draw();
    }),
    bars,
    flow(wanted.element, gradient.element),
    said,
    h('h2', {}, t.forced),
    remark(t.forcedText),
    table,
    h('h2', {}, t.schedule),
    formula([n('rate'), EQUALS, sup(sub(n('d'), n('model')), d(local('-0.5'))), o('\u00b7'), n('s'), o(',')],
      [n('s'), EQUALS, n('min'), APPLY, paren(
        sup(n('step'), d(local('-0.5'))), o(','), row(n('step'), o('\u00b7'), sup(n('warmup'), d(local('-1.5')))))]),
    flow(
      choice('d_model', [width(128), width(256), width(512), width(1024)], schedule.width, (value) => {
        schedule.width = value;
        drawCurve();
      }),
      slider(t.warmup, { min: 500, max: 16_000, step: 500, value: schedule.warmup }, (value) => {
        schedule.warmup = value;
        drawCurve();
      }),
    ),
    curve,
  );
  draw();
  drawCurve();
  return { unmount: stop };
}
