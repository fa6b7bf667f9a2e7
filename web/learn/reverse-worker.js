// reverse-worker.js - the worker of the chapter Train: learns to reverse digits, reports progress, answers.
//
//   in   { type: 'start', seed }      start with new weights        { type: 'stop' }    pause
//        { type: 'go' }               continue                      { type: 'use', digits }
//   out  { type: 'steps', step, losses }  of the steps since the last   { type: 'finished' }
//        { type: 'probe', right, of, ...Answer }   { type: 'answer', ...Answer }   { type: 'failed', message }

import { Trainer } from '../../js/train.js';
import { BATCH, CONFIG, LONGEST, OPTIONS, pairOf, STEPS, strings, toDigits, toIds } from './reverse-task.js';

/**
 * @typedef {object} Answer
 * @property {string} digits  what was asked
 * @property {string} answer
 * @property {{ shape: readonly number[], data: Float32Array }} cross  [layers, heads, target, source]
 */

/** Milliseconds between messages, and steps between evaluations. Neither may slow down training. */
const [PAUSE, LOOK] = [80, 25];
const PROBE = '3141592';
const TRIALS = 50;

/** @type {Trainer | undefined} */
let trainer;
let step = 0;
let running = false;
/** Incremented with each start, so that steps of an earlier one are dropped. */
let run = 0;
let next = strings(1);
// other strings than those for training
const trials = Array.from({ length: TRIALS }, strings(987654));

/**
 * The model's answer to a string, with its cross attention.
 *
 * @param {import('../../js/model/transformer.js').Transformer} model
 * @param {string} digits
 */
function ask(model, digits) {
  const source = toIds(digits);
  const [[{ ids }]] = model.generate([source], { maxTokens: LONGEST + 5 });
  return { digits, answer: toDigits(ids), cross: model.attention(source, ids).cross };
}

/** The number of right answers, and the attention for one string with the right answer as input. */
async function probe() {
  const model = await /** @type {Trainer} */ (trainer).toModel();
  try {
    const pairs = trials.map(pairOf);
    const found = model.generate(
      pairs.map(({ source }) => source),
      { maxTokens: LONGEST + 5, batchSize: TRIALS },
    );
    const right = found.filter(([{ ids }], i) => ids.join() === pairs[i].target.join()).length;
    const { source, target } = pairOf(PROBE);
    const { cross } = model.attention(source, target);
    postMessage({ type: 'probe', right, of: TRIALS, digits: PROBE, answer: toDigits(target), cross });
  } finally {
    model.dispose();
  }
}

/** Learns until stopped, a message's turn at a time. @param {number} mine */
async function learn(mine) {
  while (running && run === mine && trainer && step < STEPS) {
    const losses = [];
    const start = performance.now();
    let isLook = false;
    while (step < STEPS && !isLook && performance.now() - start < PAUSE) {
      losses.push(trainer.step(Array.from({ length: BATCH }, () => pairOf(next()))).loss);
      isLook = ++step % LOOK === 0;
    }
    postMessage({ type: 'steps', step, losses });
    if (isLook) await probe();
    // let messages arrive
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (run === mine && step === STEPS) {
    running = false;
    postMessage({ type: 'finished' });
  }
}

/** @param {{ type: string, seed?: number, digits?: string }} message */
async function receive({ type, seed = 1, digits = '' }) {
  if (type === 'start') {
    const mine = ++run;
    running = false;
    trainer?.dispose();
    trainer = undefined;
    const made = await Trainer.create({ config: CONFIG, seed }, OPTIONS);
    if (run !== mine) return made.dispose();
    trainer = made;
    step = 0;
    next = strings(seed);
    await probe();
    running = true;
    await learn(mine);
  } else if (type === 'stop') running = false;
  else if (type === 'go' && trainer && !running) {
    running = true;
    await learn(run);
  } else if (type === 'use' && trainer) {
    const model = await trainer.toModel();
    try {
      postMessage({ type: 'answer', ...ask(model, digits) });
    } finally {
      model.dispose();
    }
  }
}

addEventListener('message', (event) => {
  receive(event.data).catch((error) => {
    running = false;
    postMessage({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
