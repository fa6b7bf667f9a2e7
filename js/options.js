// options.js - what callers pass in, checked once at the door: a wrong kind is a TypeError, a wrong number a RangeError,
// both naming the option; ids and lengths that the model cannot take are HeedErrors. Used by transformer.js, tokenizer.js
// and translator.js.

import { describe } from './json.js';
import { Code, HeedError } from './wasm.js';

/**
 * Ids as int32s, each inside the vocabulary.
 *
 * @param {string} what  for messages
 * @param {ArrayLike<number>} ids
 * @param {number} vocabulary
 * @returns {Int32Array}
 */
export function checkIds(what, ids, vocabulary) {
  if (typeof ids !== 'object' || ids === null || !Number.isInteger(ids.length) || ids.length < 0) {
    throw new TypeError(`${what}: found ${describe(ids)}, expected an array of ids`);
  }
  return Int32Array.from(ids, (id, i) => {
    if (!Number.isInteger(id)) throw new TypeError(`${what}[${i}]: found ${describe(id)}, expected an integer`);
    if (id < 0 || id >= vocabulary) {
      throw new HeedError(Code.ID, `${what}[${i}]: found id ${id}, expected 0 to ${vocabulary - 1}`);
    }
    return id;
  });
}

/**
 * checkIds, and at least one of them but not more than the model has positions for.
 *
 * @param {string} what
 * @param {ArrayLike<number>} ids
 * @param {number} vocabulary
 * @param {number} longest
 */
export function checkSequence(what, ids, vocabulary, longest) {
  const length = Number(ids?.length);
  if (length === 0 || length > longest) {
    throw new HeedError(Code.LENGTH, `${what}: found ${length} ids, expected 1 to ${longest}`);
  }
  return checkIds(what, ids, vocabulary);
}

/** @param {string} name @param {unknown} value @param {number} low @param {number} [high] @returns {number} */
function integer(name, value, low, high = 2 ** 31 - 1) {
  if (!Number.isInteger(value)) throw new TypeError(`${name}: found ${describe(value)}, expected an integer`);
  if (Number(value) < low || Number(value) > high) {
    throw new RangeError(`${name}: found ${value}, expected ${high < 2 ** 31 - 1 ? `${low} to ${high}` : `at least ${low}`}`);
  }
  return Number(value);
}

/** @param {AbortSignal | undefined} signal */
export function checkSignal(signal) {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw new TypeError(`signal: found ${describe(signal)}, expected an AbortSignal`);
  }
  signal?.throwIfAborted();
}

const STACKS = ['encoder', 'decoder', 'cross']; // in the order of heed.h

/**
 * @typedef {{ stack: 'encoder' | 'decoder' | 'cross', layer: number, head: number }} Head
 * @param {Head[]} heads
 * @param {Record<string, any>} config
 * @returns {[stack: number, layer: number, head: number][]}
 */
export function checkHeads(heads, config) {
  if (!Array.isArray(heads)) throw new TypeError(`disabledHeads: found ${describe(heads)}, expected an array`);
  return heads.map((entry, i) => {
    const { stack, layer, head } = entry ?? {};
    const where = `disabledHeads[${i}]`;
    const index = STACKS.indexOf(stack);
    if (index < 0) throw new TypeError(`${where}.stack: found ${describe(stack)}, expected 'encoder', 'decoder' or 'cross'`);
    const side = index === 0 ? 'encoder' : 'decoder';
    integer(`${where}.layer`, layer, 0, config[`${side}_layers`] - 1);
    integer(`${where}.head`, head, 0, config[`${side}_attention_heads`] - 1);
    return [index, layer, head];
  });
}

/**
 * @typedef {object} GenerateOptions
 * @property {number} [beams]  default 1 (greedy), or what generation_config.json says
 * @property {number} [lengthPenalty]  score / length^penalty; default 1
 * @property {number} [nBest]  hypotheses to return, at most `beams`; default 1
 * @property {number} [maxTokens]  new tokens, `</s>` included; default from the model's files
 * @property {number} [minTokens]  `</s>` is forbidden before; default 0
 * @property {ArrayLike<number>} [prefix]  target ids to begin with, after decoder_start_token_id
 * @property {number} [noRepeatNgram]  no n-gram of this length twice; 0: off
 * @property {number} [batchSize]  sentences decoded together; results are the same for every value
 * @property {Head[]} [disabledHeads]  attention heads whose output is taken as zero
 * @property {AbortSignal} [signal]
 */

/** What one session decodes together by default: more gains little, and costs memory. */
const BATCH = 32;
/** The core's own limit. */
const MAX_BATCH = 1024;

/**
 * generate()'s options, complete.
 *
 * @param {GenerateOptions} options
 * @param {import('./config.js').GenerateDefaults} defaults
 * @param {Record<string, any>} config
 */
export function checkGenerate(options, defaults, config) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options: found ${describe(options)}, expected an object`);
  }
  const longest = config.max_position_embeddings;
  const { beams = defaults.beams, nBest = 1, maxTokens = defaults.maxTokens, minTokens = defaults.minTokens,
    lengthPenalty = defaults.lengthPenalty, noRepeatNgram = defaults.noRepeatNgram, batchSize = BATCH, prefix = [],
    disabledHeads = [], signal } = options;
  integer('beams', beams, 1);
  integer('nBest', nBest, 1, beams);
  integer('maxTokens', maxTokens, 1);
  integer('minTokens', minTokens, 0);
  integer('noRepeatNgram', noRepeatNgram, 0);
  integer('batchSize', batchSize, 1);
  if (typeof lengthPenalty !== 'number') {
    throw new TypeError(`lengthPenalty: found ${describe(lengthPenalty)}, expected a number`);
  }
  if (!Number.isFinite(lengthPenalty)) throw new RangeError(`lengthPenalty: found ${lengthPenalty}, expected a finite number`);
  const prefixIds = checkIds('prefix', prefix, config.decoder_vocab_size);
  if (prefixIds.length >= longest) {
    throw new HeedError(Code.LENGTH, `prefix: found ${prefixIds.length} ids, expected less than ${longest}`);
  }
  const heads = checkHeads(disabledHeads, config);
  checkSignal(signal);
  return {
    beams, nBest, minTokens, lengthPenalty, noRepeatNgram, signal, heads,
    prefix: prefixIds,
    maxTokens: Math.min(maxTokens, longest - prefixIds.length),
    batchSize: Math.min(batchSize, MAX_BATCH),
    badWords: Int32Array.from(defaults.badWords.flatMap((ids) => [ids.length, ...ids])),
  };
}
