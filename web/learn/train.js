// train.js - chapter: a small Transformer learns to reverse digits or to translate small sentences, in a worker, also
// while other rooms are open; its loss, one of its weights, its cross attention, its answers. job.js has what goes on.

import { h, on } from '../lib/dom.js';
import { chart } from './chart.js';
import { jobOf, tell } from './job.js';
import { button, choice, decimal, failure, flow, heat, remark } from './kit.js';
import { TASKS } from './tasks.js';

/** The tasks of this chapter. @typedef {'reverse' | 'words'} Name */
const NAMES = /** @type {const} */ (['reverse', 'words']);

/** The task that is open, also when the chapter is opened again. @type {Name} */
let chosen = 'reverse';

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
  let close = () => {};
  const body = h('div', { class: 'real' });
  const open = () => {
    close();
    close = mountTask(body, app, t, chosen);
  };
  host.append(choice(t.task, NAMES.map((value) => ({ value, text: t.tasks[value].name })), chosen, (name) => {
    chosen = name;
    open();
  }), body);
  open();
  return { unmount: () => close() };
}

/**
 * @param {HTMLElement} host @param {any} app @param {any} t @param {Name} name
 * @returns {() => void}  leaves; the job goes on
 */
function mountTask(host, app, t, name) {
  const task = TASKS[name];
  const own = t.tasks[name];
  const job = jobOf(name, task.steps);
  const words = { label: t.title, text: (/** @type {number} */ step) => t.background(step, task.steps) };
  tell(job, app, words, 'train', () => (chosen = name));
  // the numbers change many times a second: only the state is read out
  const said = remark();
  said.setAttribute('aria-live', 'off');
  const noted = remark(t.idle);
  const bar = h('progress', { max: task.steps, value: 0, 'aria-label': t.steps });
  const [curve, watched] = [0, 1].map(() => h('figure', { class: 'grid wide' }));
  const maps = { probe: layersOf(), answer: layersOf() };
  const figures = (/** @type {ReturnType<typeof heat>[]} */ list) => flow(...list.map(({ element }, layer) =>
    h('figure', { class: 'grid small' }, h('figcaption', {}, `${t.layer} ${layer + 1}`), element)));
  const toggle = /** @type {HTMLButtonElement} */ (button(t.start, () => {
    if (job.state === 'running') return job.stop();
    if (job.state === 'stopped') job.go();
    else job.begin();
  }));
  toggle.classList.add('primary');
  const again = button(t.again, () => job.begin());
  const input = /** @type {HTMLInputElement} */ (h('input', { type: 'text', value: task.example, autocomplete: 'off',
    inputmode: name === 'reverse' ? 'numeric' : 'text', lang: 'en' }));
  const use = /** @type {HTMLButtonElement} */ (h('button', { type: 'submit' }, t.use));
  const answered = remark();
  const answerMaps = figures(maps.answer);
  const probeMaps = h('div', { class: 'real' }, remark(`${t.map} (${own.rows})`), figures(maps.probe));
  const see = h('button', { type: 'button', onclick: openInSee }, t.see);
  const opened = remark(own.see);

  function layersOf() {
    return Array.from({ length: Number(task.config.decoder_layers) }, heat);
  }
  function describe() {
    const { step, probe, state, history: { losses } } = job;
    const text = t.status(step, task.steps, step ? decimal(losses[step - 1], 3) : '\u2013',
      probe ? `${probe.right} / ${probe.of}` : '\u2013');
    said.textContent = state === 'idle' || state === 'failed' ? '' : text;
    const note = { idle: t.idle, running: '', stopped: t.stopped, finished: t.finished,
      failed: `${t.failed} ${job.error}` }[state] + (job.isKept ? '' : ` ${t.unkept}`);
    if (noted.textContent !== note) noted.textContent = note;
    bar.setAttribute('value', String(step));
    toggle.textContent = state === 'running' ? t.stop : state === 'stopped' ? t.go : t.start;
    toggle.disabled = state === 'finished';
    again.hidden = state === 'idle';
    use.disabled = see.disabled = !job.hasModel;
  }
  function drawCurve() {
    const { losses, weights, gradients } = job.history;
    const guess = Math.log(task.guess);
    const label = `${t.curve}. ${t.random(task.guess, decimal(guess))}`;
    const x = /** @type {[number, number]} */ ([0, task.steps]);
    const shown = chart({ x, y: [0, Math.max(guess * 1.15, ...losses)], xLabel: t.steps, yLabel: t.loss, label });
    shown.line([0, task.steps], [guess, guess], 'reference');
    const steps = losses.map((_, i) => i + 1);
    shown.line(steps, losses);
    curve.replaceChildren(h('figcaption', {}, label), shown.element);
    const span = (/** @type {number[]} */ list) => Math.max(1e-3, ...list.map(Math.abs)) * 1.1;
    const line = (/** @type {string} */ named, /** @type {number[]} */ list) => {
      const y = /** @type {[number, number]} */ ([-span(list), span(list)]);
      const plot = chart({ x, y, xLabel: t.steps, yLabel: named, label: named, height: 130 });
      plot.line(x, [0, 0], 'reference');
      plot.line(steps, list);
      return plot.element;
    };
    watched.replaceChildren(h('figcaption', { hidden: job.step === 0 }, job.step > 0
      ? t.watchedNow(decimal(weights[job.step - 1], 4), decimal(gradients[job.step - 1], 4)) : ''),
    line(t.weight, weights), line(t.gradient, gradients));
  }
  /** @param {'probe' | 'answer'} which @param {import('./train-worker.js').Answer} found */
  function drawMap(which, found) {
    const written = [...task.split(found.answer), t.end];
    maps[which].forEach((map, layer) =>
      map.set({
        ...meanOfHeads(found.cross, layer),
        scale: 'sequential',
        label: `${t.map}, ${t.layer} ${layer + 1}`,
        rowLabels: Array.from({ length: found.cross.shape[2] }, (_, i) => written[i] ?? ''),
        colLabels: [...task.split(found.text), t.end],
      }),
    );
  }
  /** The probe that is drawn. @type {unknown} */
  let drawn = null;
  function show() {
    describe();
    drawCurve();
    probeMaps.hidden = !job.probe;
    if (job.probe && job.probe !== drawn) drawMap('probe', job.probe);
    drawn = job.probe;
    answerMaps.hidden = !job.answer;
    if (!job.answer) answered.textContent = '';
  }
  function showAnswer() {
    const { answer, refusal } = job;
    if (refusal) answered.textContent = refusal;
    if (refusal || !answer) return;
    const expected = String(task.solve(answer.text));
    answered.textContent = `${t.answer}: ${answer.answer}. ${answer.answer === expected ? t.right : t.wrong(expected)}`;
    answerMaps.hidden = false;
    drawMap('answer', answer);
  }
  /** Loads the model as the page's own, and shows its attention. */
  async function openInSee() {
    see.disabled = true;
    let files;
    try {
      files = await job.files();
    } catch (error) {
      opened.textContent = failure(app, error);
      return;
    } finally {
      see.disabled = !job.hasModel;
    }
    app.set({ room: 'see', view: 'heads', pair: '', text: task.probe, sentence: 0, layer: -1, head: -1 });
    app.engine.load({ files });
  }

  const form = h('form', {
    class: 'flow', onsubmit(/** @type {SubmitEvent} */ event) {
      event.preventDefault();
      const text = input.value.trim().replace(/[.!]$/, '').toLowerCase().replace(/\s+/g, ' ');
      const isGood = task.solve(text) !== undefined;
      input.setAttribute('aria-invalid', String(!isGood));
      if (isGood && job.hasModel) job.use(text);
      else if (!isGood) answered.textContent = own.bad(input.value);
    },
  }, h('label', { class: 'field' }, h('span', {}, own.input), input), use);

  const offs = [on(job, 'change', show), on(job, 'answer', showAnswer)];
  host.replaceChildren(
    remark(own.text),
    flow(toggle, again, bar),
    said,
    noted,
    curve,
    probeMaps,
    h('h2', {}, t.oneWeight),
    remark(t.watched),
    watched,
    h('h2', {}, t.use),
    form,
    answered,
    answerMaps,
    ...(task.files ? [flow(see, opened)] : []),
  );
  show();
  showAnswer();
  return () => offs.forEach((off) => off());
}
