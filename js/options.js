// options.js - what callers pass in, checked once at the door: a wrong kind is a TypeError, a wrong number a
// RangeError, both naming the option; ids and lengths that the model cannot take are HeedErrors. Used by
// model.js, inspect.js, tokenizer.js, translator.js, train.js and ops.js.

import { mismatch } from './json.js';
import { E_ID, E_LENGTH, HeedError } from './wasm.js';

/** @param {string} what @param {unknown} value @param {string} expected @returns {never} */
export function badType(what, value, expected) {
  throw new TypeError(mismatch(what, value, expected));
}

/** @param {string} what @param {unknown} value @param {string | number} expected @returns {never} */
export function badRange(what, value, expected) {
  throw new RangeError(mismatch(what, value, String(expected)));
}

/** @param {string} name @param {unknown} value @returns {number} */
export function checkFinite(name, value) {
  if (typeof value !== 'number') badType(name, value, 'a number');
  return Number.isFinite(value) ? value : badRange(name, value, 'a finite number');
}

/** @param {string} name @param {unknown} value @param {number} low @param {number} [high] @returns {number} */
export function checkInteger(name, value, low, high = 2 ** 31 - 1) {
  if (typeof value !== 'number') badType(name, value, 'a number');
  const fits = Number.isInteger(value) && value >= low && value <= high;
  return fits ? value : badRange(name, value, `a whole number from ${low} to ${high}`);
}

/**
 * Ids as int32s, each inside the vocabulary.
 *
 * @param {string} what  for messages
 * @param {ArrayLike<number>} ids
 * @param {number} vocabulary
 * @returns {Int32Array}
 */
export function checkIds(what, ids, vocabulary) {
  if (typeof ids !== 'object' || ids === null || !Number.isInteger(ids.length) || ids.length < 0)
    badType(what, ids, 'an array of ids');
  return Int32Array.from(ids, (id, i) => {
    if (!Number.isInteger(id)) badType(`${what}[${i}]`, id, 'an integer');
    if (id < 0 || id >= vocabulary) {
      throw new HeedError(E_ID, `${what}[${i}]: found id ${id}, expected 0 to ${vocabulary - 1}`);
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
    throw new HeedError(E_LENGTH, `${what}: found ${length} ids, expected 1 to ${longest}`);
  }
  return checkIds(what, ids, vocabulary);
}

/** @template T @param {T} options @returns {T} */
export function checkOptions(options) {
  return typeof options === 'object' && options !== null ? options : badType('options', options, 'an object');
}

/** @param {string} name @param {unknown} value */
export function checkFunction(name, value) {
  if (value !== undefined && typeof value !== 'function') badType(name, value, 'a function');
}

/** @param {import('./load.js').LoadOptions} options */
export function checkLoad(options) {
  const { dtype = 'auto', signal, onProgress, cache } = checkOptions(options);
  if (!['auto', 'f32', 'int8'].includes(dtype)) badType('dtype', dtype, "'auto', 'f32' or 'int8'");
  checkFunction('onProgress', onProgress);
  if (!['undefined', 'boolean', 'string'].includes(typeof cache)) badType('cache', cache, 'a boolean or a directory');
  checkSignal(signal);
}

/** @param {AbortSignal | undefined} signal */
export function checkSignal(signal) {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') badType('signal', signal, 'an AbortSignal');
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
  if (!Array.isArray(heads)) badType('disabledHeads', heads, 'an array');
  return heads.map((entry, i) => {
    const { stack, layer, head } = entry ?? {};
    const where = `disabledHeads[${i}]`;
    const index = STACKS.indexOf(stack);
    if (index < 0) badType(`${where}.stack`, stack, "'encoder', 'decoder' or 'cross'");
    const side = index === 0 ? 'encoder' : 'decoder';
    checkInteger(`${where}.layer`, layer, 0, config[`${side}_layers`] - 1);
    checkInteger(`${where}.head`, head, 0, config[`${side}_attention_heads`] - 1);
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
 * @property {boolean} [cutRunaways]  end, with `finished: false`, what repeats itself far beyond its source or grows
 *   past 32 tokens and 4 for each of the source's. Default: true in a Translator, false in generate()
 * @property {number} [batchSize]  sentences decoded together; results are the same for every value
 * @property {Head[]} [disabledHeads]  attention heads whose output is taken as zero
 * @property {boolean} [beamTree]  Transformer.generate and translateDetailed: tell all that the search looked at
 * @property {AbortSignal} [signal]
 */

/** What one session decodes together by default: more gains little, and costs memory. */
const BATCH = 32;
/** The core's own limits. */
const MAX_BATCH = 1024;
export const MAX_BEAMS = 64;

/**
 * generate()'s options, complete.
 *
 * @param {GenerateOptions} options
 * @param {import('./config.js').GenerateDefaults} defaults
 * @param {Record<string, any>} config
 */
export function checkGenerate(options, defaults, config) {
  checkOptions(options);
  const longest = config.max_position_embeddings;
  const {
    beams = defaults.beams,
    nBest = 1,
    maxTokens = defaults.maxTokens,
    minTokens = defaults.minTokens,
    lengthPenalty = defaults.lengthPenalty,
    noRepeatNgram = defaults.noRepeatNgram,
    batchSize = BATCH,
    cutRunaways = false,
    prefix = [],
    disabledHeads = [],
    signal,
  } = options;
  checkInteger('beams', beams, 1, MAX_BEAMS);
  checkInteger('nBest', nBest, 1, beams);
  checkInteger('maxTokens', maxTokens, 1);
  checkInteger('minTokens', minTokens, 0);
  checkInteger('noRepeatNgram', noRepeatNgram, 0);
  checkInteger('batchSize', batchSize, 1);
  checkFinite('lengthPenalty', lengthPenalty);
  if (typeof cutRunaways !== 'boolean') badType('cutRunaways', cutRunaways, 'true or false');
  const prefixIds = checkIds('prefix', prefix, config.decoder_vocab_size);
  if (prefixIds.length >= longest) {
    throw new HeedError(E_LENGTH, `prefix: found ${prefixIds.length} ids, expected less than ${longest}`);
  }
  const heads = checkHeads(disabledHeads, config);
  checkSignal(signal);
  return {
    beams,
    nBest,
    minTokens,
    lengthPenalty,
    noRepeatNgram,
    cutRunaways,
    signal,
    heads,
    prefix: prefixIds,
    maxTokens: Math.min(maxTokens, longest - prefixIds.length),
    batchSize: Math.min(batchSize, MAX_BATCH),
    badWords: Int32Array.from(defaults.badWords.flatMap((ids) => [ids.length, ...ids])),
  };
}
