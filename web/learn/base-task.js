// base-task.js - what the tasks of the chapter Train share: the model's shape, the options of training, the first ids,
// random numbers. Used by reverse-task.js and words-task.js.

/** Ids below are padding (also the start), unknown and end. */
export const [END, BEGIN] = [2, 3];

export const BASE = {
  model_type: 'marian',
  d_model: 64,
  encoder_layers: 2,
  decoder_layers: 2,
  encoder_attention_heads: 4,
  decoder_attention_heads: 4,
  encoder_ffn_dim: 128,
  decoder_ffn_dim: 128,
  activation_function: 'relu',
  scale_embedding: true,
  pad_token_id: 0,
  eos_token_id: END,
  decoder_start_token_id: 0,
};

export const OPTIONS = /** @type {const} */ ({ warmupSteps: 200, schedule: 'cosine', dropout: 0, labelSmoothing: 0 });

/** Numbers from 0 to below 1, the same for the same seed. @param {number} seed @returns {() => number} */
export const drawn = (seed) => () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
