// train-worker.js - the worker of the chapter Train: learns a task, reports progress, answers. Used by job.js.
//
//   in   { type: 'start', task, seed }   with new weights
//        { type: 'load', task, weights, step, seed }   goes on from these, when told to
//        { type: 'stop' }  { type: 'go' }  { type: 'use', text }  { type: 'files' }
//   out  { type: 'steps', step, losses, weights, gradients }  of the steps since the last; WATCHED's number
//        { type: 'probe', right, of, ...Answer, positions? }   { type: 'answer', ...Answer }
//        { type: 'kept', step, weights }   model.safetensors      { type: 'files', files }  of a model directory
//        { type: 'finished' }              { type: 'failed', message }
//        { type: 'refused', of, message }  the call 'use' or 'files' failed; the training goes on

import { END } from './base-task.js';
import { pairOf, TASKS, untilEnd } from './tasks.js';
import { begin, trainerOf } from './trainer.js';

/**
 * @typedef {import('../../js/train.js').Trainer} Trainer
 * @typedef {import('../../js/model/transformer.js').Transformer} Transformer
 * @typedef {object} Answer
 * @property {string} text  what was asked
 * @property {string} answer
 * @property {{ shape: readonly number[], data: Float32Array }} cross  [layers, heads, target, source]
 */

/** Milliseconds between messages, and steps between evaluations. Neither may slow down training. */
const [PAUSE, LOOK] = [80, 25];
/** Evaluations until the weights are kept. */
const KEEP = 4;
const TRIALS = 50;
/** Steps in which the rate rises again after a break. */
const WARMUP = 20;
/** The tensor whose first number is watched: what the queries of the decoder's last layer are made with. */
const watched = (/** @type {Record<string, unknown>} */ config) =>
  `model.decoder.layers.${Number(config.decoder_layers) - 1}.encoder_attn.q_proj.weight`;
const POSITIONS = 'model.encoder.embed_positions.weight';

/** @type {Trainer | undefined} */
let trainer;
/** Settled when the trainer that was asked for last is there, or has failed. */
let made = Promise.resolve();
let task = TASKS.reverse;
let step = 0;
let running = false;
/** Incremented with each start, so that steps of an earlier one are dropped. */
let run = 0;
/** @type {Generator<string, never>} */
let texts;
/** @type {string[]} */
let trials = [];

/**
 * The answer of the model of this step, with its cross attention.
 *
 * @param {Transformer} model
 * @param {string} text
 */
function ask(model, text) {
  const source = task.toIds(text);
  const [[{ ids }]] = model.generate([source], { maxTokens: task.longest });
  return { text, answer: task.toText(untilEnd(ids, END)), cross: model.attention(source, ids).cross };
}

/** The number of right answers, and the attention for one text with the right answer as input. */
async function probe() {
  const model = await /** @type {Trainer} */ (trainer).toModel();
  try {
    const pairs = trials.map((text) => pairOf(task, text));
    const found = model.generate(pairs.map(({ source }) => source), { maxTokens: task.longest, batchSize: TRIALS });
    const right = found.filter(([{ ids }], i) => ids.join() === pairs[i].target.join()).length;
    const { source, target } = pairOf(task, task.probe);
    const { cross } = model.attention(source, target);
    const hasPositions = model.parameters.some(({ name }) => name === POSITIONS);
    postMessage({
      type: 'probe', right, of: TRIALS, text: task.probe, answer: task.solve(task.probe), cross,
      ...(hasPositions && { positions: model.parameter(POSITIONS) }),
    });
  } finally {
    model.dispose();
  }
}

function keep() {
  // new weights have learned nothing, and would replace what an earlier training has
  if (trainer && step > 0) postMessage({ type: 'kept', step, weights: trainer.save() });
}

/** Learns until stopped, a message's turn at a time. @param {number} mine */
async function learn(mine) {
  while (running && run === mine && trainer && step < task.steps) {
    const [losses, weights, gradients] = [[], [], []].map((list) => /** @type {number[]} */ (list));
    const name = watched(trainer.config);
    const start = performance.now();
    let isLook = false;
    while (step < task.steps && !isLook && performance.now() - start < PAUSE) {
      const pairs = Array.from({ length: task.batch }, () => pairOf(task, texts.next().value));
      weights.push(trainer.weight(name).data[0]);
      losses.push(trainer.step(pairs).loss);
      gradients.push(trainer.gradient(name).data[0]);
      isLook = ++step % LOOK === 0;
    }
    postMessage({ type: 'steps', step, losses, weights, gradients });
    if (isLook) await probe();
    if (step % (KEEP * LOOK) === 0) keep();
    // let messages arrive
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (run === mine && step === task.steps) {
    running = false;
    keep();
    postMessage({ type: 'finished' });
  }
}

/** @param {number} seed */
function draw(seed) {
  texts = task.texts(seed);
  const all = task.trials(987654);
  trials = Array.from({ length: TRIALS }, () => all.next().value);
}

/**
 * A trainer that goes on from a step. Adam's averages were not kept, so the rate rises again from a small one. Then it
 * falls by a cosine over the steps that are left: from the rate of the schedule at `from`, not along the same curve.
 *
 * @param {Uint8Array} weights @param {number} from
 */
function restore(weights, from) {
  const { options, steps } = task;
  const rate = Number(options.learningRate) * Math.max(0.5 * (1 + Math.cos((Math.PI * from) / steps)), 1e-3);
  return trainerOf(task, weights, {
    ...options, learningRate: rate, warmupSteps: WARMUP, totalSteps: Math.max(steps - from, WARMUP + 1),
  });
}

/** A model directory. @param {Trainer} from */
const files = async (from) => ({
  ...(await task.files?.()),
  'config.json': new TextEncoder().encode(JSON.stringify({ model_type: 'marian', ...from.config })),
  'model.safetensors': from.save(),
});

/**
 * @param {{ type: string, task?: string, seed?: number, text?: string, weights?: Uint8Array, step?: number }} message
 */
async function receive({ type, task: name = '', seed = 1, text = '', weights, step: from = 0 }) {
  if (type === 'start' || type === 'load') {
    const mine = ++run;
    running = false;
    trainer?.dispose();
    trainer = undefined;
    task = TASKS[name];
    const making = weights ? restore(weights, from) : begin(task, seed);
    made = making.then(() => {}, () => {});
    const fresh = await making;
    if (run !== mine) return fresh.dispose();
    trainer = fresh;
    step = from;
    draw(seed + from);
    if (type === 'load') return;
    // before the wait, so that a stop during it counts
    running = true;
    await probe();
    return learn(mine);
  }
  await made;
  if (type === 'stop') {
    running = false;
    keep();
  } else if (type === 'go' && trainer && !running) {
    running = true;
    await learn(++run);
  } else if (type === 'use' && trainer) {
    const model = await trainer.toModel();
    try {
      postMessage({ type: 'answer', ...ask(model, text) });
    } finally {
      model.dispose();
    }
  } else if (type === 'files' && trainer) postMessage({ type: 'files', files: await files(trainer) });
}

addEventListener('message', (event) => {
  receive(event.data).catch((error) => {
    const message = error instanceof Error ? error.message : String(error);
    const { type } = event.data;
    if (type === 'use' || type === 'files') return postMessage({ type: 'refused', of: type, message });
    running = false;
    postMessage({ type: 'failed', message });
  });
});
