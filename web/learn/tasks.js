// tasks.js - what a Transformer can learn in the chapter Train, by name. Used by train-worker.js, which trains, and by
// train.js, which shows it.

import { drawn } from './base-task.js';
import { task as reverse } from './reverse-task.js';
import { task as words } from './words-task.js';

/**
 * @typedef {object} Task
 * @property {number} steps
 * @property {number} batch  pairs of a step
 * @property {number} longest  tokens of an answer
 * @property {string} example  a text to try first
 * @property {string} probe  the text whose attention is shown while it learns
 * @property {Record<string, unknown>} config  of the model
 * @property {import('../../js/train/options.js').TrainOptions} options
 * @property {number} guess  what pure guessing chooses from
 * @property {(text: string) => number[]} toIds  with the end
 * @property {(ids: readonly number[]) => string} toText  without the end
 * @property {(text: string) => string[]} split  a text into what has an id each
 * @property {(text: string) => string | undefined} solve  the right answer; undefined if the task has no such text
 * @property {(seed: number) => Generator<string, never>} texts  to learn from, the same for the same seed
 * @property {(seed: number) => Generator<string, never>} trials  to try it with
 * @property {RegExp} [random]  names of tensors that begin as random numbers, not as the Trainer has them
 * @property {() => Promise<Record<string, Uint8Array>>} [files]  beside weights and config.json, for a model that loads
 *   like any other
 */

/** With positions that are learned from random numbers, and small: only they are shown. @type {Task} */
const positions = {
  ...reverse,
  steps: 400,
  config: {
    ...reverse.config, d_model: 32, encoder_layers: 1, decoder_layers: 1, static_position_embeddings: false,
  },
  options: { ...reverse.options, totalSteps: 400 },
  random: /embed_positions/,
};

/** @type {Record<string, Task>} */
export const TASKS = { reverse, words, positions };

/** @param {Task} task @param {string} text */
export const pairOf = (task, text) => ({ source: task.toIds(text), target: task.toIds(String(task.solve(text))) });

/** Ids up to the end. @param {ArrayLike<number>} ids @param {number} end */
export function untilEnd(ids, end) {
  const all = Array.from(ids);
  const at = all.indexOf(end);
  return at < 0 ? all : all.slice(0, at);
}

/**
 * Fills tensors of a model.safetensors with random numbers from -1 to 1.
 *
 * @param {Uint8Array} bytes  changed
 * @param {RegExp} names
 * @param {number} seed
 */
export function scatter(bytes, names, seed) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const next = drawn(seed);
  for (const [name, { data_offsets: [from, to] = [0, 0] }] of Object.entries(header)) {
    if (!names.test(name)) continue;
    for (let at = from; at < to; at += 4) view.setFloat32(8 + length + at, 2 * next() - 1, true);
  }
  return bytes;
}
