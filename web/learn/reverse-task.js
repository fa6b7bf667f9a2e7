// reverse-task.js - the task of the chapter Train: strings of digits written backwards, as ids; the model's config and
// options of training. Used by reverse-worker.js (training) and train.js (the page).

export const STEPS = 1000;
export const BATCH = 64;
/** Lengths of strings. */
export const [SHORTEST, LONGEST] = [3, 10];

const END = 2;
/** Digit d is id FIRST + d; ids below are padding (also the start), unknown and end. */
const FIRST = 3;

export const CONFIG = {
  model_type: 'marian',
  d_model: 64,
  encoder_layers: 2,
  decoder_layers: 2,
  encoder_attention_heads: 4,
  decoder_attention_heads: 4,
  encoder_ffn_dim: 128,
  decoder_ffn_dim: 128,
  activation_function: 'relu',
  vocab_size: FIRST + 10,
  max_position_embeddings: 16,
  scale_embedding: true,
  pad_token_id: 0,
  eos_token_id: END,
  decoder_start_token_id: 0,
};

export const OPTIONS = /** @type {const} */ ({
  learningRate: 0.004,
  warmupSteps: 200,
  schedule: 'cosine',
  totalSteps: STEPS,
  dropout: 0,
  labelSmoothing: 0,
});

/** @param {string} digits @returns {number[]} */
export const toIds = (digits) => [...Array.from(digits, (digit) => FIRST + Number(digit)), END];

/** Digits of ids up to the end; what is no digit is shown as a dot. @param {ArrayLike<number>} ids @returns {string} */
export function toDigits(ids) {
  const all = Array.from(ids);
  const end = all.indexOf(END);
  return all
    .slice(0, end < 0 ? all.length : end)
    .map((id) => (id >= FIRST ? String(id - FIRST) : '\u00b7'))
    .join('');
}

/** @param {string} digits */
export const reversed = (digits) => Array.from(digits).reverse().join('');

/** @param {string} digits */
export const pairOf = (digits) => ({ source: toIds(digits), target: toIds(reversed(digits)) });

/** Random strings, the same for the same seed. @param {number} seed @returns {() => string} */
export function strings(seed) {
  const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return () =>
    Array.from({ length: SHORTEST + Math.floor(next() * (LONGEST - SHORTEST + 1)) }, () =>
      Math.floor(next() * 10),
    ).join('');
}
