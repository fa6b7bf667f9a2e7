// learned-positions.js - a part of the chapter positions: a small model learns its position vectors together with the
// reversing of digits; they are shown beside sinusoids. job.js trains.

import { h, on } from '../lib/dom.js';
import { jobOf, tell } from './job.js';
import { button, flow, heat, remark, shaped } from './kit.js';
import { TASKS } from './tasks.js';

/** Positions that the strings of digits reach, with the end. */
const USED = 11;

/** @param {import('./kit.js').Ops} parts @param {{ shape: readonly number[], data: Float32Array }} positions */
export function compute(parts, { shape: [, width], data }) {
  const learned = shaped(USED, width, data.subarray(0, USED * width));
  const waves = parts.positionalEncoding(USED, width, 'halves');
  return { learned, waves, alike: [learned, waves].map((x) => parts.cosineSimilarity(x, x)) };
}

/**
 * @param {HTMLElement} host @param {any} app @param {any} t  of this part @param {import('./kit.js').Ops} parts
 * @returns {() => void}
 */
export function mount(host, app, t, parts) {
  const job = jobOf('positions');
  const { steps } = TASKS.positions;
  const { background } = app.strings.learn.train;
  tell(job, app, { label: t.title, text: (step) => background(step, steps) }, 'positions');
  // the numbers change many times a second
  const said = remark();
  said.setAttribute('aria-live', 'off');
  const maps = Array.from({ length: 4 }, heat);
  const names = Array.from({ length: USED }, (_, i) => String(i));
  const figures = h('div', {}, [0, 1].map((row) => flow(...[0, 1].map((of) =>
    h('figure', { class: 'grid small' }, h('figcaption', {}, t.figures[row][of]), maps[2 * row + of].element)))));
  const start = button(t.start, () => (job.state === 'running' ? job.stop() : job.state === 'stopped' ? job.go()
    : job.begin()));
  function show() {
    const { probe, state, step } = job;
    start.textContent = state === 'running' ? t.stop : state === 'stopped' ? t.go : t.start;
    said.textContent = state === 'failed' ? job.error : state === 'idle' ? t.idle
      : t.status(step, steps, probe ? `${probe.right} / ${probe.of}` : '\u2013');
    figures.hidden = !probe?.positions;
    if (!probe?.positions) return;
    const { learned, waves, alike } = compute(parts, probe.positions);
    [learned, waves, ...alike].forEach((x, i) => maps[i].set({
      ...x, scale: 'diverging', label: t.figures[i >> 1][i & 1], rowLabels: names,
      colLabels: i < 2 ? Array.from({ length: x.cols }, (_, c) => String(c)) : names,
    }));
  }
  host.append(h('h2', {}, t.title), h('p', {}, t.text), flow(start), said, figures);
  show();
  return on(job, 'change', show);
}
