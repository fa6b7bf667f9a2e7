// reverse-task.js - a task of the chapter Train: strings of digits written backwards. Used by tasks.js.

import { BASE, BEGIN, drawn, END, OPTIONS } from './base-task.js';

const STEPS = 1000;
/** Lengths of strings. */
const [SHORTEST, LONGEST] = [3, 10];
const DIGITS = 10;

/** Digit d is id BEGIN + d. @param {string} digits @returns {number[]} */
export const toIds = (digits) => [...Array.from(digits, (digit) => BEGIN + Number(digit)), END];

/** Digits of ids; what is no digit is shown as a dot. @param {readonly number[]} ids @returns {string} */
export const toDigits = (ids) => ids.map((id) => (id >= BEGIN ? String(id - BEGIN) : '\u00b7')).join('');

/** @param {string} digits */
const isGood = (digits) => /^\d+$/.test(digits) && digits.length >= SHORTEST && digits.length <= LONGEST;

/** @param {number} seed @returns {Generator<string, never>} */
function* strings(seed) {
  const next = drawn(seed);
  for (;;) {
    yield Array.from({ length: SHORTEST + Math.floor(next() * (LONGEST - SHORTEST + 1)) }, () =>
      Math.floor(next() * DIGITS)).join('');
  }
}

/** @type {import('./tasks.js').Task} */
export const task = {
  steps: STEPS,
  batch: 64,
  longest: LONGEST + 5,
  example: '20261',
  probe: '3141592',
  config: { ...BASE, vocab_size: BEGIN + DIGITS, max_position_embeddings: 16 },
  options: { ...OPTIONS, learningRate: 0.004, totalSteps: STEPS },
  guess: DIGITS,
  toIds,
  toText: toDigits,
  split: (digits) => Array.from(digits),
  solve: (digits) => (isGood(digits) ? Array.from(digits).reverse().join('') : undefined),
  texts: strings,
  trials: strings,
};
