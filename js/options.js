// options.js - what callers pass in, checked once at the door: a wrong kind is a TypeError, a wrong number a
// RangeError, both naming the option; ids and lengths that the model cannot take are HeedErrors. Used by
// model.js, inspect.js, tokenizer.js, translator.js, train.js and ops.js.

import { describe, mismatch, short } from './json.js';
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

/** @param {string} what @param {unknown} id @param {number} vocabulary @returns {number} */
function checkId(what, id, vocabulary) {
  if (!Number.isInteger(id)) badType(what, id, 'an integer');
  const value = Number(id);
  if (value >= 0 && value < vocabulary) return value;
  throw new HeedError(E_ID, `${what}: found id ${value}, expected 0 to ${vocabulary - 1}`);
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
  return Int32Array.from(ids, (id, i) => checkId(`${what}[${i}]`, id, vocabulary));
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

/** The key of what only heed's own files may call. */
export const OWN = Symbol('heed');

/** Refuses `new` of a class whose objects are made by a function. @param {unknown} key @param {string} name */
export function checkOwn(key, name) {
  if (key !== OWN) throw new TypeError(`Illegal constructor: use ${name}.create()`);
}

/** The pairs of letters of a name, without what is no letter: `max_tokens` is near `maxTokens`. @param {string} name */
const pairs = (name) => [...name.toLowerCase().replace(/[_!-]/g, '')].map((letter, i, all) => letter + all[i + 1]);

/** @param {string} name @param {string[]} names @returns {never} */
function badName(name, names) {
  if (names.includes(`${name}!`)) throw new TypeError(`option '${name}': unsupported`);
  const found = pairs(short(name));
  // Dice's coefficient: the share of pairs that both have
  const nearness = (/** @type {string} */ known) => {
    const own = pairs(known);
    return (2 * own.filter((pair) => found.includes(pair)).length) / (own.length + found.length);
  };
  const supported = names.filter((known) => !known.endsWith('!'));
  const [nearest] = [...supported].sort((a, b) => nearness(b) - nearness(a));
  const hint = nearness(nearest) < 0.5 ? `expected ${supported.join(', ')}` : `did you mean '${nearest}'?`;
  throw new TypeError(`unknown option ${describe(name)}: ${hint}`);
}

/**
 * An object, of options with these names.
 *
 * @template T
 * @param {T} options
 * @param {string} names
 * @returns {T}
 */
export function checkOptions(options, names) {
  if (typeof options !== 'object' || options === null) badType('options', options, 'an object');
  const known = names.split(' ');
  for (const name of Object.keys(options)) if (!known.includes(name)) badName(name, known);
  return options;
}

/**
 * A glossary as it is at the call: its owner may change it while the call waits.
 *
 * @param {any} glossary
 * @returns {[term: string, translation: string][]}
 */
export function copyGlossary(glossary) {
  const kind = Object.prototype.toString.call(glossary).slice(8, -1);
  if (kind !== 'Object' && kind !== 'Map') badType('glossary', glossary, 'an object or a Map: { term: translation }');
  return kind === 'Map' ? [...glossary] : Object.entries(glossary);
}

/** @param {string} name @param {unknown} value */
export function checkFunction(name, value) {
  if (value !== undefined && typeof value !== 'function') badType(name, value, 'a function');
}

/** @param {import('./load.js').LoadOptions} options */
export function checkLoad(options) {
  const { dtype = 'auto', signal, onProgress, cache } = checkOptions(options, LOAD);
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
 * Settings of search that Hugging Face's generate() has too mean what they mean there. Default: what
 * generation_config.json says, where there is none config.json, else what is said here.
 *
 * @typedef {object} GenerateOptions
 * @property {number} [beams]  num_beams; default 1: greedy
 * @property {number} [lengthPenalty]  score = logProb / length^penalty; default 1
 * @property {number} [nBest]  hypotheses to return, at most `beams`; default 1
 * @property {number} [maxTokens]  max_new_tokens: `</s>` counts; default: as many as the model has positions for
 * @property {number} [minTokens]  min_new_tokens: so many before `</s>`; default 0
 * @property {number} [maxLength]  max_length: decoder_start_token_id and `prefix` count too; maxTokens wins
 * @property {number} [minLength]  min_length: likewise; minTokens wins
 * @property {ArrayLike<number>} [prefix]  target ids to begin with, after decoder_start_token_id; they count neither in
 *   the score nor in its length
 * @property {boolean | 'never'} [earlyStopping]  when as many hypotheses as beams have ended: stop (true), stop if what
 *   goes on scores no better now (false, the default), or if it cannot score better at its longest ('never')
 * @property {number} [repetitionPenalty]  0.001 to 1000: makes what the target has already less likely; default 1: off
 * @property {number} [noRepeatNgram]  no_repeat_ngram_size; 0: off
 * @property {ArrayLike<number>[]} [badWords]  bad_words_ids: sequences that are never produced, in place of the files'
 * @property {ArrayLike<number>} [suppressTokens]  ids that are never produced
 * @property {ArrayLike<number>} [beginSuppressTokens]  ids that are not produced first
 * @property {number | null} [forcedBosTokenId]  the first id, unless there is a prefix; null: none
 * @property {number | ArrayLike<number> | null} [forcedEosTokenId]  the id at the greatest length; null: none
 * @property {ArrayLike<number> | number} [eosTokenIds]  eos_token_id: any of these ends a hypothesis
 * @property {boolean} [renormalizeLogits]  what is forbidden has no share in the probabilities of beams. In those of
 *   greedy search it never has
 * @property {boolean} [cutRunaways]  end, with `finished: false`, what repeats itself far beyond its source or grows
 *   past 32 tokens and 4 for each of the source's; of several beams those that loop give way to others. Default: true
 *   in a Translator, false in generate()
 * @property {number} [batchSize]  sentences decoded together; results are the same for every value
 * @property {Head[]} [disabledHeads]  attention heads whose output is taken as zero
 * @property {boolean} [beamTree]  Transformer.generate and translateDetailed: tell all that the search looked at
 * @property {AbortSignal} [signal]
 */

/** @param {string} what @param {unknown} value */
const checkBoolean = (what, value) => (typeof value === 'boolean' ? value : badType(what, value, 'true or false'));

/** @param {number} low */
const atLeast = (low) => (/** @type {string} */ what, /** @type {unknown} */ value) => checkInteger(what, value, low);

/** @param {string} what @param {any} value @param {Record<string, any>} config */
const targetIds = (what, value, config) => checkIds(what, value, config.decoder_vocab_size);

/** One id, some, or null. @param {string} what @param {any} value @param {Record<string, any>} config */
const idOrIds = (what, value, config) =>
  typeof value === 'number'
    ? Int32Array.of(checkId(what, value, config.decoder_vocab_size))
    : targetIds(what, value ?? [], config);

/** The core's own limits. */
const MAX_BATCH = 1024;
const MAX_BEAMS = 64;
const MAX_RULE_IDS = 4096;

/**
 * The settings of search, by option: what each is to the core, or an error that begins with `what`.
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
    const index = [false, true, 'never'].indexOf(value);
    return index < 0 ? badType(what, value, "true, false or 'never'") : index;
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
};

// The names of the options of each function. One with a `!` belongs to the contract, and is unsupported.
const WEIGHTS = 'dtype wasm simd cache shortlist! signal';
const LOAD = `${WEIGHTS} onProgress`;
export const CREATE =
  `sourceLanguage targetLanguage language model models monitor worker timeout workers! ${WEIGHTS}`;
const GENERATE = `${Object.keys(RULES).join(' ')} nBest prefix cutRunaways batchSize disabledHeads signal`;
export const GENERATE_IDS = `${GENERATE} beamTree`;
export const TRANSLATE = `${GENERATE} glossary keep!`;
export const TRANSLATE_DETAILED = `${TRANSLATE} attention beamTree`;

/** What one session decodes together by default: more gains little, and costs memory. */
const BATCH = 32;
/**
 * generate()'s options, complete. Their names are checked before: there are others in a Translator.
 *
 * @param {GenerateOptions} options
 * @param {import('./config.js').GenerateDefaults} defaults
 * @param {Record<string, any>} config
 * @returns {import('./wasm.js').SearchRules & { nBest: number, batchSize: number, signal?: AbortSignal,
 *   heads: [stack: number, layer: number, head: number][] }}
 */
export function checkGenerate(options, defaults, config) {
  const longest = config.max_position_embeddings;
  const { nBest = 1, batchSize = BATCH, cutRunaways = false, prefix = [], disabledHeads = [], signal } = options;
  const { maxTokens: most, minTokens: least, maxLength, minLength, badWords, ...rules } =
    /** @type {Record<string, any>} */ (Object.fromEntries(Object.entries(RULES).map(([name, rule]) => {
      const own = /** @type {any} */ (options)[name];
      const value = own === undefined ? /** @type {any} */ (defaults)[name] : own;
      return [name, value === undefined ? undefined : rule(name, value, config)];
    })));
  checkInteger('nBest', nBest, 1, rules.beams);
  checkInteger('batchSize', batchSize, 1);
  checkBoolean('cutRunaways', cutRunaways);
  const ids = checkIds('prefix', prefix, config.decoder_vocab_size);
  if (ids.length >= longest) {
    throw new HeedError(E_LENGTH, `prefix: found ${ids.length} ids, expected less than ${longest}`);
  }
  // lengths count what is there before; new tokens win, and options win over files
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
    cutRunaways,
    signal,
    heads,
    prefix: ids,
    maxTokens: Math.min(maxTokens, longest - ids.length),
    batchSize: Math.min(batchSize, MAX_BATCH),
  };
}
