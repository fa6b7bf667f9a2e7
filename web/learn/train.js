// train.js - chapter: a small Transformer learns to reverse digits in a worker; its loss, its cross attention, its
// answers.

import { h } from '../lib/dom.js';
import { chart } from './chart.js';
import { button, decimal, flow, heat, remark } from './kit.js';
import { CONFIG, LONGEST, reversed, SHORTEST, STEPS } from './reverse-task.js';

const layersOf = () => Array.from({ length: CONFIG.decoder_layers }, heat);

/**
 * The mean over the heads of one layer; maps is [layers, heads, target, source].
 *
 * @param {{ shape: readonly number[], data: Float32Array }} cross
 * @param {number} layer
 */
export function meanOfHeads({ shape: [, heads, rows, cols], data }, layer) {
  const mean = new Float32Array(rows * cols);
  for (let head = 0; head < heads; head++) {
    const from = (layer * heads + head) * rows * cols;
    for (let i = 0; i < mean.length; i++) mean[i] += data[from + i] / heads;
  }
  return { rows, cols, data: mean };
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export function mount(host, app, t) {
  /** @type {number[]} */
  const losses = [];
  /** @type {Worker | undefined} */
  let worker;
  let state = /** @type {'idle' | 'running' | 'stopped' | 'finished' | 'failed'} */ ('idle');
  let right = '\u2013';
  /** The digits of the last question: the answer is that of the model as it is now. */
  let asked = '';

  const said = remark(t.idle);
  const bar = h('progress', { max: STEPS, value: 0, 'aria-label': t.steps });
  const curve = h('figure', { class: 'grid wide' });
  const maps = { probe: layersOf(), answer: layersOf() };
  const figures = (/** @type {ReturnType<typeof heat>[]} */ list) =>
    flow(
      ...list.map(({ element }, layer) =>
        h('figure', { class: 'grid small' }, h('figcaption', {}, `${t.layer} ${layer + 1}`), element),
      ),
    );
  const toggle = /** @type {HTMLButtonElement} */ (button(t.start, () => (state === 'running' ? stop() : go())));
  toggle.classList.add('primary');
  const again = button(t.again, begin);
  const input = /** @type {HTMLInputElement} */ (
    h('input', { type: 'text', inputmode: 'numeric', value: '20261', autocomplete: 'off' })
  );
  const use = /** @type {HTMLButtonElement} */ (h('button', { type: 'submit' }, t.use));
  const form = h('form', { class: 'flow' }, h('label', { class: 'field' }, h('span', {}, t.digits), input), use);
  const answered = remark();

  function describe() {
    const step = losses.length;
    const text = t.status(step, STEPS, step ? decimal(losses[step - 1], 3) : '\u2013', right);
    const note = { idle: '', running: '', stopped: t.stopped, finished: t.finished, failed: '' }[state];
    said.textContent = `${text} ${note}`;
    bar.setAttribute('value', String(step));
    toggle.textContent = state === 'running' ? t.stop : state === 'stopped' ? t.go : t.start;
    toggle.disabled = state === 'finished';
    again.hidden = state === 'idle';
    use.disabled = !worker;
  }
  function drawCurve() {
    const label = `${t.curve}. ${t.random}`;
    const shown = chart({ x: [0, STEPS], y: [0, Math.max(2.7, ...losses)], xLabel: t.steps, yLabel: t.loss, label });
    shown.line([0, STEPS], [Math.log(10), Math.log(10)], 'reference');
    shown.line(
      losses.map((_, i) => i + 1),
      losses,
    );
    curve.replaceChildren(h('figcaption', {}, label), shown.element);
  }
  /** @param {'probe' | 'answer'} which @param {any} found */
  function drawMap(which, found) {
    const written = [...found.answer, t.end];
    maps[which].forEach((map, layer) =>
      map.set({
        ...meanOfHeads(found.cross, layer),
        scale: 'sequential',
        label: `${t.map}, ${t.layer} ${layer + 1}`,
        rowLabels: Array.from({ length: found.cross.shape[2] }, (_, i) => written[i] ?? ''),
        colLabels: [...found.digits, t.end],
      }),
    );
  }

  /** @param {any} message */
  function receive(message) {
    if (message.type === 'steps') {
      losses.push(...message.losses);
      drawCurve();
    } else if (message.type === 'probe') {
      right = `${message.right} / ${message.of}`;
      drawMap('probe', message);
      if (asked) worker?.postMessage({ type: 'use', digits: asked });
    } else if (message.type === 'answer') {
      const expected = reversed(message.digits);
      const verdict = message.answer === expected ? t.right : t.wrong(expected);
      answered.textContent = `${t.answer}: ${message.answer}. ${verdict}`;
      answerMaps.hidden = false;
      drawMap('answer', message);
    } else if (message.type === 'finished') state = 'finished';
    else if (message.type === 'failed') return fail(message.message);
    describe();
  }
  /** @param {string} why */
  function fail(why) {
    worker?.terminate();
    worker = undefined;
    state = 'failed';
    describe();
    said.textContent = `${t.failed} ${why}`;
  }
  function begin() {
    worker?.terminate();
    worker = new Worker(new URL('./reverse-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', (event) => receive(event.data));
    worker.addEventListener('error', (event) => fail(event.message || 'reverse-worker.js'));
    losses.length = 0;
    right = '\u2013';
    asked = answered.textContent = '';
    answerMaps.hidden = true;
    worker.postMessage({ type: 'start', seed: Math.floor(Math.random() * 1e6) + 1 });
    state = 'running';
    drawCurve();
    describe();
  }
  function go() {
    if (state !== 'stopped' || !worker) return begin();
    worker.postMessage({ type: 'go' });
    state = 'running';
    describe();
  }
  function stop() {
    worker?.postMessage({ type: 'stop' });
    state = 'stopped';
    describe();
  }

  form.addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    const digits = input.value.trim();
    const isGood = /^\d+$/.test(digits) && digits.length >= SHORTEST && digits.length <= LONGEST;
    input.setAttribute('aria-invalid', String(!isGood));
    asked = isGood ? digits : '';
    if (isGood) worker?.postMessage({ type: 'use', digits });
    else answered.textContent = t.badDigits(input.value);
  });
  const answerMaps = figures(maps.answer);
  answerMaps.hidden = true;
  host.append(
    flow(toggle, again, bar),
    said,
    curve,
    remark(`${t.map} (${t.rows})`),
    figures(maps.probe),
    h('h2', {}, t.use),
    form,
    answered,
    answerMaps,
  );
  drawCurve();
  describe();
  said.textContent = t.idle;
  return { unmount: () => worker?.terminate() };
}
