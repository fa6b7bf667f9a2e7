// options.js - the options of loading and of search, and the core's value for each search setting. Lengths that the
// model does not support are HeedErrors. Used by this room, translate/ and cli/.

import {
  badRange, badType, checkBoolean, checkFinite, checkFunction, checkInteger, checkOptions, checkSignal,
} from '../base/check.js';
import {
  DECODER, EARLY_FALSE, EARLY_NEVER, EARLY_TRUE, ENCODER, E_LENGTH, MAX_BATCH, MAX_BEAMS, MAX_RULE_IDS, QUANTIZERS,
  STACKS,
} from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { checkId, checkIds } from '../text/ids.js';

/** @param {import('./load.js').LoadOptions} options */
export function checkLoad(options) {
  const {
    dtype = 'auto', activations = 'rows', shortlist = true, signal, onProgress, cache,
  } = checkOptions(options, LOAD);
  if (!['auto', 'f32', 'int8'].includes(dtype)) badType('dtype', dtype, "'auto', 'f32' or 'int8'");
  if (!QUANTIZERS.includes(activations)) badType('activations', activations, `one of ${QUANTIZERS}`);
  checkFunction('onProgress', onProgress);
  if (!['undefined', 'boolean', 'string'].includes(typeof cache)) badType('cache', cache, 'a boolean or a directory');
  checkBoolean('shortlist', shortlist);
  checkSignal(signal);
}

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
    if (index === DECODER && config.decoder_cell === 'ssru') {
      badRange(`${where}.stack`, stack, "'encoder' or 'cross': the decoder has no self-attention");
    }
    const side = index === ENCODER ? 'encoder' : 'decoder';
    checkInteger(`${where}.layer`, layer, 0, config[`${side}_layers`] - 1);
    checkInteger(`${where}.head`, head, 0, config[`${side}_attention_heads`] - 1);
    return [index, layer, head];
  });
}

/**
 * The settings of search. Those that Hugging Face's generate() also has mean the same. Defaults come from
 * generation_config.json, or config.json if that is missing, or else are as stated here.
 *
 * @typedef {object} GenerateOptions
 * @property {number} [beams]  num_beams; default: as generation_config.json says, or else 1: greedy
 * @property {number} [lengthPenalty]  score = logProb / length^penalty; default 1. For a Translator, n-grams and
 *   `reverse` change the score, see Generated
 * @property {number} [nBest]  hypotheses to return, at most `beams`; default 1
 * @property {number} [maxTokens]  max_new_tokens, including `</s>`; default: as many as the model has positions
 * @property {number} [minTokens]  min_new_tokens: least tokens before `</s>`; default 0
 * @property {number} [maxLength]  max_length: includes decoder_start_token_id and `prefix`; maxTokens overrides it
 * @property {number} [minLength]  min_length: likewise; minTokens overrides it
 * @property {ArrayLike<number>} [prefix]  target ids to begin with, after decoder_start_token_id; not part of the score
 *   or its length
 * @property {boolean | 'never'} [earlyStopping]  when to stop after as many hypotheses as beams have ended: at once
 *   (true), if no other can score better now (false, the default) or at its greatest length ('never')
 * @property {number} [repetitionPenalty]  0.001 to 1000: above 1, ids that the target already has become less likely;
 * default 1: off
 * @property {number} [noRepeatNgram]  no_repeat_ngram_size: no sequence of so many ids occurs twice; 0: off
 * @property {ArrayLike<number>[]} [badWords]  bad_words_ids: sequences that are never produced; replaces the list of
 * the file
 * @property {ArrayLike<number>} [suppressTokens]  ids that are never produced
 * @property {ArrayLike<number>} [beginSuppressTokens]  ids that are not produced first
 * @property {number | null} [forcedBosTokenId]  the first id, unless there is a prefix; null: none
 * @property {number | ArrayLike<number> | null} [forcedEosTokenId]  the id at the greatest length; null: none
 * @property {ArrayLike<number> | number} [eosTokenIds]  eos_token_id: any of these ends a hypothesis
 * @property {boolean} [renormalizeLogits]  share the probabilities of beams among allowed ids only, as greedy search
 *   always does
 * @property {boolean} [cutRunaways]  stop hypotheses, with `finished: false`, that repeat themselves far more than
 * their
 *   source or exceed 32 tokens plus 4 per source token; beams that loop are replaced by others. Default: true in a
 *   Translator, false in generate()
 * @property {boolean} [validUtf8]  Transformer.generate: forbid ids that would break a character which a model with
 * byte
 *   fallback spells byte by byte. Default: false, as in transformers; a Translator always forbids them
 * @property {boolean} [shortlist]  false: compute all words, although the model was loaded with a shortlist
 * @property {number} [batchSize]  sentences decoded together; results are the same for every value
 * @property {Head[]} [disabledHeads]  attention heads whose output becomes zero
 * @property {boolean} [beamTree]  Transformer.generate and translateDetailed: return all steps of the search
 * @property {AbortSignal} [signal]
 */

/** @param {number} low */
const atLeast = (low) => (/** @type {string} */ what, /** @type {unknown} */ value) => checkInteger(what, value, low);

/** @param {string} what @param {any} value @param {Record<string, any>} config */
const targetIds = (what, value, config) => checkIds(what, value, config.decoder_vocab_size);

/** One id, several, or null. @param {string} what @param {any} value @param {Record<string, any>} config */
const idOrIds = (what, value, config) =>
  typeof value === 'number'
    ? Int32Array.of(checkId(what, value, config.decoder_vocab_size))
    : targetIds(what, value ?? [], config);

/** @type {[value: unknown, number: number][]} */
const EARLY_STOPPING = [[false, EARLY_FALSE], [true, EARLY_TRUE], ['never', EARLY_NEVER]];

/**
 * The search settings: each function returns the core's value, or throws an error that begins with `what`.
 *
 * @type {Record<string, (what: string, value: any, config: Record<string, any>) => any>}
 */
export const RULES = {
  beams: (what, value) => checkInteger(what, value, 1, MAX_BEAMS),
  maxTokens: atLeast(1),
  minTokens: atLeast(0),
  maxLength: atLeast(1),
  minLength: atLeast(0),
  lengthPenalty: (what, value) =>
    Number.isFinite(Math.fround(checkFinite(what, value))) ? value : badRange(what, value, 'a number of 32 bits'),
  earlyStopping: (what, value) => {
    const found = EARLY_STOPPING.find(([known]) => known === value);
    return found ? found[1] : badType(what, value, "true, false or 'never'");
  },
  repetitionPenalty: (what, value) =>
    checkFinite(what, value) >= 0.001 && value <= 1000 ? value : badRange(what, value, 'a number from 0.001 to 1000'),
  noRepeatNgram: atLeast(0),
  badWords: (what, value, config) => {
    if (!Array.isArray(value)) badType(what, value, 'an array of arrays of ids');
    return value.map((/** @type {any} */ word, /** @type {number} */ i) => {
      const ids = targetIds(`${what}[${i}]`, word, config);
      return ids.length > 0 ? ids : badRange(`${what}[${i}]`, word, 'at least one id');
    });
  },
  suppressTokens: targetIds,
  beginSuppressTokens: targetIds,
  forcedBosTokenId: (what, value, config) => {
    if (value !== null && typeof value !== 'number') badType(what, value, 'an id');
    return idOrIds(what, value, config);
  },
  forcedEosTokenId: idOrIds,
  eosTokenIds: (what, value, config) => {
    const ids = idOrIds(what, value, config);
    return ids.length > 0 ? ids : badRange(what, value, 'at least one id');
  },
  renormalizeLogits: checkBoolean,
  cutRunaways: checkBoolean,
  shortlist: checkBoolean,
};

/** What a gain of n-grams counts beside a log-probability: chosen by translations, see models/README.md. */
const NGRAM_WEIGHT = 0.15;

// The names of the options of each function. Options with a `!` belong to the contract, but are unsupported.
export const WEIGHTS = 'dtype activations wasm simd cache shortlist signal';
const LOAD = `${WEIGHTS} onProgress`;
export const GENERATE = `${Object.keys(RULES).join(' ')} nBest prefix batchSize disabledHeads signal`;
export const GENERATE_IDS = `${GENERATE} beamTree validUtf8`;

/**
 * The complete settings of a search.
 *
 * @typedef {import('../wasm/core.js').SearchRules & { validUtf8: boolean, lexicon: boolean, reverse: boolean,
 *   nBest: number, batchSize?: number, heads: [stack: number, layer: number, head: number][] }} Search  lexicon,
 *   reverse: use the lexicon and the reranker of the engine, if it has them; batchSize: if given; heads: the disabled
 *   heads; align: the best hypotheses get `attended`, see Generated
 */

/**
 * Completes the options of generate(). The caller checks their names, because a Translator has others.
 *
 * @param {GenerateOptions & { scores?: boolean, align?: boolean, lexicon?: boolean, ngrams?: boolean,
 *   reverse?: boolean }} options  scores, align: see core.js; the others: see translate/options.js
 * @param {import('./config.js').GenerateDefaults} defaults
 * @param {Record<string, any>} config
 * @returns {Search}
 */
export function checkGenerate(options, defaults, config) {
  const longest = config.max_position_embeddings;
  const initial = { cutRunaways: false, shortlist: true, .../** @type {any} */ (defaults) };
  const { nBest = 1, batchSize, validUtf8 = false, prefix = [], disabledHeads = [], scores = true, align = false,
    lexicon = true, ngrams = true, reverse = true, signal } = options;
  const { maxTokens: most, minTokens: least, maxLength, minLength, badWords, ...rules } =
    /** @type {Record<string, any>} */ (Object.fromEntries(Object.entries(RULES).map(([name, rule]) => {
      const own = /** @type {any} */ (options)[name];
      const value = own === undefined ? initial[name] : own;
      return [name, value === undefined ? undefined : rule(name, value, config)];
    })));
  checkInteger('nBest', nBest, 1, rules.beams);
  if (batchSize !== undefined) checkInteger('batchSize', batchSize, 1);
  checkBoolean('validUtf8', validUtf8);
  checkBoolean('lexicon', lexicon);
  checkBoolean('ngrams', ngrams);
  checkBoolean('reverse', reverse);
  const ids = checkIds('prefix', prefix, config.decoder_vocab_size);
  if (ids.length >= longest) {
    throw new HeedError(E_LENGTH, `prefix: found ${ids.length} ids, expected less than ${longest}`);
  }
  // lengths include the prefix; new tokens override lengths, and options override files
  const prompt = 1 + ids.length;
  const maxTokens = options.maxTokens ?? (maxLength === undefined ? most : maxLength - prompt);
  const minTokens = options.minTokens ?? (minLength === undefined ? least : Math.max(0, minLength - prompt));
  if (maxTokens < 1) {
    const where = options.maxLength === undefined ? "max_length of the model's files" : 'maxLength';
    throw new HeedError(E_LENGTH, mismatch(where, maxLength, `more than the start token and the prefix, ${prompt}`));
  }
  const words = badWords.filter((/** @type {Int32Array} */ word) =>
    word.length > 1 || !rules.eosTokenIds.includes(word[0]));
  const all = {
    ...rules,
    badWords: Int32Array.from(words.flatMap((/** @type {Int32Array} */ word) => [word.length, ...word])),
  };
  const size = Object.values(all).reduce((sum, list) => sum + (list.length ?? 0), 0);
  if (size > MAX_RULE_IDS) badRange('badWords, suppressTokens and other lists', size, `${MAX_RULE_IDS} ids at most`);
  const heads = checkHeads(disabledHeads, config);
  checkSignal(signal);
  return {
    .../** @type {any} */ (all),
    nBest,
    minTokens,
    validUtf8,
    scores,
    align,
    lexicon,
    ngrams: ngrams ? NGRAM_WEIGHT : 0,
    reverse,
    heads,
    prefix: ids,
    maxTokens: Math.min(maxTokens, longest - ids.length),
    batchSize: batchSize && Math.min(batchSize, MAX_BATCH),
  };
}
