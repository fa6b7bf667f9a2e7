// job.js - a training that goes on in a worker while other rooms are open, and what it has learned, which is kept for
// the next visit. Used by train.js and learned-positions.js; train-worker.js does the work.

import { h } from '../lib/dom.js';
import { TASKS } from './tasks.js';

/** @typedef {'idle' | 'running' | 'stopped' | 'finished' | 'failed'} JobState */
/** @typedef {import('./train-worker.js').Answer} Answer */
/** @typedef {Answer & { right: number, of: number, positions?: { shape: number[], data: Float32Array } }} Probe */

/** The cache of what was learned: `task` is the weights, with the numbers beside them in `task.json`. */
const KEPT = 'heed-trained';
/** Addresses in it, which no server has. @param {string} name */
const place = (name) => new URL(`./trained/${name}`, document.baseURI).href;

/** Events: 'change' (see the fields), 'answer' (`answer` has changed). */
export class Job extends EventTarget {
  /** @type {JobState} */
  state = 'idle';
  /** Of each step. @type {{ losses: number[], weights: number[], gradients: number[] }} */
  history = { losses: [], weights: [], gradients: [] };
  /** @type {Probe | null} */
  probe = null;
  /** @type {Answer | null} */
  answer = null;
  /** Why the state is 'failed'. */
  error = '';
  /** Why the last question has no answer. */
  refusal = '';
  /** False if the browser could not store what was learned. */
  isKept = true;
  /** The question of `answer`: the answer is that of the model as it is now. */
  #asked = '';
  /** @type {Worker | undefined} */
  #worker;
  /** What was kept on an earlier visit. @type {{ step: number, weights: Uint8Array } | null} */
  #kept = null;
  /** Who waits for files. @type {{ resolve: (files: any) => void, reject: (error: Error) => void } | undefined} */
  #waiting;
  #name;
  #steps;

  /** @param {string} name  of the task @param {number} [steps]  of the whole training, if what it learns is kept */
  constructor(name, steps) {
    super();
    this.#name = name;
    this.#steps = steps;
  }

  /** Whether there is a model, of this visit or of an earlier one. */
  get hasModel() {
    return this.#worker !== undefined || this.#kept !== null;
  }

  get step() {
    return this.history.losses.length;
  }

  /** With new weights. One job runs at a time. */
  begin() {
    this.#stopOthers();
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#kept = this.probe = this.answer = null;
    this.#asked = this.refusal = '';
    this.isKept = true;
    this.history = { losses: [], weights: [], gradients: [] };
    this.#post({ type: 'start', task: this.#name, seed: Math.floor(Math.random() * 1e6) + 1 });
    this.#become('running');
  }

  go() {
    this.#stopOthers();
    this.#post({ type: 'go' });
    this.#become('running');
  }

  #stopOthers() {
    for (const job of jobs.values()) if (job !== this && job.state === 'running') job.stop();
  }

  stop() {
    this.#worker?.postMessage({ type: 'stop' });
    this.#become('stopped');
  }

  /** Asks the model, now and whenever it has learned more. @param {string} text */
  use(text) {
    this.#asked = text;
    this.#post({ type: 'use', text });
  }

  /** The files of a model directory. @returns {Promise<Record<string, Blob>>} */
  async files() {
    const files = await new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#post({ type: 'files' });
    });
    return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, new Blob([bytes])]));
  }

  /** @param {JobState} state */
  #become(state) {
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }

  /** @param {Record<string, unknown>} message */
  #post(message) {
    if (!this.#worker) {
      const worker = new Worker(new URL('./train-worker.js', import.meta.url), { type: 'module' });
      this.#worker = worker;
      // what one said that was ended since may still arrive
      const ofThis = (/** @type {() => void} */ f) => worker === this.#worker && f();
      worker.addEventListener('message', ({ data }) => ofThis(() => this.#receive(data)));
      worker.addEventListener('error', ({ message: why }) => ofThis(() => this.#fail(why || 'train-worker.js')));
      if (this.#kept) worker.postMessage({ type: 'load', task: this.#name, seed: 1, ...this.#kept });
      this.#kept = null;
    }
    this.#worker.postMessage(message);
  }

  /** @param {any} message */
  #receive(message) {
    if (message.type === 'steps') {
      for (const list of /** @type {const} */ (['losses', 'weights', 'gradients'])) {
        this.history[list].push(...message[list]);
      }
    } else if (message.type === 'probe') {
      this.probe = message;
      if (this.#asked) this.#post({ type: 'use', text: this.#asked });
    } else if (message.type === 'answer') {
      this.answer = message;
      this.refusal = '';
      this.dispatchEvent(new Event('answer'));
      return;
    } else if (message.type === 'kept') return void this.#keep(message);
    else if (message.type === 'files') return this.#waiting?.resolve(message.files);
    else if (message.type === 'refused') return this.#refuse(message);
    else if (message.type === 'failed') return this.#fail(message.message);
    this.#become(message.type === 'finished' ? 'finished' : this.state);
  }

  /** @param {string} why */
  #fail(why) {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.error = why;
    this.#waiting?.reject(new Error(why));
    this.#become('failed');
  }

  /** One call failed; the model is as it was. @param {{ of: string, message: string }} refused */
  #refuse({ of, message }) {
    if (of === 'files') return this.#waiting?.reject(new Error(message));
    this.refusal = message;
    this.dispatchEvent(new Event('answer'));
  }

  /** @param {{ step: number, weights: Uint8Array }} given */
  async #keep({ step, weights }) {
    if (this.#steps === undefined) return;
    const { losses, weights: watched, gradients } = this.history;
    const history = { losses: losses.slice(0, step), weights: watched.slice(0, step),
      gradients: gradients.slice(0, step) };
    const { cross, positions, ...probe } = this.probe ?? {};
    const before = this.isKept;
    // pages without https and frames in a sandbox have no such place, and it may be full
    try {
      const cache = await caches.open(KEPT);
      await cache.put(place(this.#name), new Response(/** @type {BodyInit} */ (weights)));
      // the step is read from the numbers, written last
      await cache.put(place(`${this.#name}.json`), new Response(JSON.stringify({
        history, probe, cross: cross && { shape: cross.shape, data: Array.from(cross.data) },
        config: TASKS[this.#name].config,
      })));
      this.isKept = true;
    } catch {
      this.isKept = false;
    }
    if (this.isKept !== before) this.#become(this.state);
  }

  /** What an earlier visit learned; throws if nothing can be read. */
  async restore() {
    const steps = this.#steps ?? 0;
    const cache = await caches.open(KEPT);
    const names = [this.#name, `${this.#name}.json`];
    const [found, told] = await Promise.all(names.map((name) => cache.match(place(name))));
    if (!found || !told || this.hasModel) return;
    const weights = new Uint8Array(await found.arrayBuffer());
    const { history, probe, cross, config } = await told.json();
    const lists = [history?.losses, history?.weights, history?.gradients];
    const isWhole = lists.every((list) => Array.isArray(list) && list.length === lists[0].length)
      && (!cross || (Array.isArray(cross.shape) && Array.isArray(cross.data)));
    // a task of another shape, of an earlier version of this page, has other weights
    if (!isWhole || JSON.stringify(config) !== JSON.stringify(TASKS[this.#name].config) || this.hasModel) return;
    this.history = history;
    this.probe = cross ? { ...probe, cross: { ...cross, data: Float32Array.from(cross.data) } } : null;
    this.#kept = { step: this.step, weights };
    this.#become(this.step < steps ? 'stopped' : 'finished');
  }
}

/** @type {Map<string, Job>} */
const jobs = new Map();

/**
 * The job of a task, one as long as the page is open; with what was kept, if `steps` is given.
 *
 * @param {string} name @param {number} [steps]
 */
export function jobOf(name, steps) {
  let job = jobs.get(name);
  if (!job) {
    jobs.set(name, (job = new Job(name, steps)));
    // what cannot be read was not kept
    if (steps) job.restore().catch(() => {});
  }
  return job;
}

/** Jobs that tell() shows. @type {Set<Job>} */
const told = new Set();

/**
 * Tells in every other room that a training goes on, with a link to it.
 *
 * @param {Job} job
 * @param {any} app
 * @param {{ label: string, text: (step: number) => string }} words
 * @param {string} chapter  where it is
 * @param {() => void} [onOpen]  called before the chapter is opened by the link
 */
export function tell(job, app, { label, text }, chapter, onOpen) {
  if (told.has(job)) return;
  told.add(job);
  const link = h('a', { href: `#/learn/${chapter}`, onclick: onOpen });
  const element = h('aside', { class: 'training', 'aria-label': label, hidden: true }, link);
  document.body.append(element);
  const show = () => {
    const { room, view } = app.state;
    element.hidden = job.state !== 'running' || (room === 'learn' && view === chapter);
    link.textContent = text(job.step);
  };
  job.addEventListener('change', show);
  app.on(show);
  show();
}
