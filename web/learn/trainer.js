// trainer.js - trainers of the tasks of the chapter Train. Used by train-worker.js and tests/learn-long.js.

import { Trainer } from '../../js/train.js';
import { Transformer } from '../../js/model/transformer.js';
import { scatter } from './tasks.js';

/** @typedef {import('./tasks.js').Task} Task */

/** @param {Task} task @param {Uint8Array} weights  model.safetensors @param {Task['options']} options */
export async function trainerOf(task, weights, options) {
  const model = await Transformer.load({
    'config.json': new TextEncoder().encode(JSON.stringify(task.config)), 'model.safetensors': weights,
  }, { dtype: 'f32' });
  try {
    return await Trainer.create(model, options);
  } finally {
    model.dispose();
  }
}

/** A trainer with new weights. @param {Task} task @param {number} seed */
export async function begin(task, seed) {
  const fresh = await Trainer.create({ config: task.config, seed }, task.options);
  if (!task.random) return fresh;
  const weights = scatter(fresh.save(), task.random, seed);
  fresh.dispose();
  return trainerOf(task, weights, task.options);
}
