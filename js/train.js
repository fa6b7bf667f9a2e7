// train.js - the Trainer: trains a model in the calling thread with heed-train.wasm. Public as 'heed/train'.

import { badRange, badType, checkInteger, checkOptions } from './base/check.js';
import {
  E_DIVERGED, E_TENSOR_UNKNOWN, E_WASM, F32, MAX_LENGTH, SCHEDULES, SCHEDULE_COSINE, SCHEDULE_INVERSE_SQRT,
  TRAIN_GRADIENTS, TRAIN_WEIGHTS,
} from './base/constants.js';
import { HeedError } from './base/errors.js';
import { configNumbers, readConfig } from './model/config.js';
import { Transformer } from './model/transformer.js';
import { checkSequence } from './text/ids.js';
import { floats, ints } from './wasm/core.js';
import { instantiate } from './wasm/module.js';

/**
 * @typedef {object} Pair  ids; both sides end with `</s>`
 * @property {ArrayLike<number>} source
 * @property {ArrayLike<number>} target
 * @property {ArrayLike<ArrayLike<number>>} [links]  [source token, target token] pairs that translate each other, for
 *   `guided`
 */
/** @typedef {{ readonly shape: readonly number[], readonly data: Float32Array }} Tensor  a dense row-major array */

/**
 * @typedef {object} TrainOptions
 * @property {number} [learningRate]  the maximal rate. Default for a new model: with 'inverse-sqrt' that of the paper,
 *   (d_model warmupSteps)^-0.5, else 0.001. Default for a loaded model: 0.0001
 * @property {number} [warmupSteps]  steps over which the rate rises from 0. Default: 4000 for a new model, else 0
 * @property {'inverse-sqrt' | 'constant' | 'cosine'} [schedule]  after the warm-up. Default: 'inverse-sqrt' for a new
 *   model, 'constant' for a loaded one
 * @property {number} [totalSteps]  step at which 'cosine' reaches 0; default 10,000
 * @property {number} [labelSmoothing]  default 0.1
 * @property {number} [dropout]  default 0.1
 * @property {number} [attentionDropout]  dropout of attention weights; default 0
 * @property {number} [guided]  weight of guided alignment: how much a head of the last decoder layer is told by the
 *   pairs' links where to look. Default 0
 * @property {number} [guidedHead]  the head to guide; default 0
 * @property {number} [clipNorm]  maximal norm of the gradient; 0: no limit; default 1
 * @property {number} [seed]  of dropout; default 1
 * @property {number} [maxTokens]  length of the longest sentence; larger batches are computed in parts of this size.
 *   Default 512
 * @property {string | URL | BufferSource | WebAssembly.Module} [wasm]  the source of heed-train.wasm
 */

/** The names of all options. */
const TRAIN =
  'learningRate warmupSteps schedule totalSteps labelSmoothing dropout attentionDropout ' +
  'guided guidedHead clipNorm seed maxTokens wasm';

/** The key that only create() has. */
const KEY = Symbol('Trainer');

/** @param {string} name @param {unknown} value @param {number} least @param {number} below @returns {number} */
function checkNumber(name, value, least, below) {
  if (typeof value !== 'number') badType(name, value, 'a number');
  return value >= least && value < below ? value : badRange(name, value, `a number from ${least} to below ${below}`);
}

/**
 * The weights of a loaded model, one tensor after the other, as copies in floats.
 *
 * @param {Transformer} model
 * @returns {Generator<{ name: string, data: Float32Array }, void, void>}
 */
function* weightsOf(model) {
  const { core, model: handle } = model.internals();
  const count = core.run('heed_tensor_count', handle);
  for (let index = 0; index < count; index++) {
    const [rows, cols] = [ints(1), ints(1)];
    core.run('heed_tensor_shape', handle, index, rows, cols);
    const [r, c] = [rows.value[0], cols.value[0]];
    const [data, row] = [new Float32Array(r * c), floats(c)];
    for (let i = 0; i < r; i++) {
      core.call('weights', 'heed_tensor_row', handle, index, i, row);
      data.set(row.value, i * c);
    }
    yield { name: String(core.string('heed_tensor_name', handle, index)), data };
  }
}

/**
 * heed_train_options: fourteen fields of four bytes.
 *
 * @param {TrainOptions} options
 * @param {{ fresh: boolean, modelSeed: number, learnsPositions: boolean }} model
 */
function packOptions(options, { fresh, modelSeed, learnsPositions }) {
  const {
    schedule = fresh ? 'inverse-sqrt' : 'constant',
    warmupSteps = fresh ? 4000 : 0,
    totalSteps = 10_000,
    labelSmoothing = 0.1,
    dropout = 0.1,
    attentionDropout = 0,
    guided = 0,
    guidedHead = 0,
    clipNorm = 1,
    seed = 1,
    maxTokens = 512,
  } = options;
  const code = SCHEDULES.indexOf(schedule);
  if (code < 0) badType('schedule', schedule, "'inverse-sqrt', 'constant' or 'cosine'");
  checkInteger('warmupSteps', warmupSteps, 0);
  // 0 asks the core for the paper's rate
  const learningRate = options.learningRate ?? (!fresh ? 1e-4 : code === SCHEDULE_INVERSE_SQRT ? 0 : 1e-3);
  if (options.learningRate !== undefined) {
    checkNumber('learningRate', learningRate, 0, 1e6);
    if (learningRate === 0) badRange('learningRate', 0, 'more');
  }
  if (code === SCHEDULE_COSINE) checkInteger('totalSteps', totalSteps, warmupSteps + 1);
  const view = new DataView(new ArrayBuffer(56));
  [
    learningRate,
    checkNumber('labelSmoothing', labelSmoothing, 0, 1),
    checkNumber('dropout', dropout, 0, 1),
    checkNumber('clipNorm', clipNorm, 0, 1e30),
  ].forEach((value, i) => view.setFloat32(4 * i, value, true));
  [
    code,
    warmupSteps,
    totalSteps,
    checkInteger('seed', seed, 0),
    modelSeed,
    Number(learnsPositions),
    checkInteger('maxTokens', maxTokens, 1, MAX_LENGTH),
  ].forEach((value, i) => view.setInt32(16 + 4 * i, value, true));
  view.setFloat32(44, checkNumber('attentionDropout', attentionDropout, 0, 1), true);
  view.setFloat32(48, checkNumber('guided', guided, 0, 1e6), true);
  view.setInt32(52, checkInteger('guidedHead', guidedHead, 0), true);
  return { bytes: new Uint8Array(view.buffer), maxTokens };
}

/**
 * The links of all pairs in the form of heed_trainer_step_guided(): (target, source), sorted by target. Undefined if no
 * pair has links.
 *
 * @param {Pair[]} pairs
 */
function packLinks(pairs) {
  if (pairs.every(({ links }) => links === undefined)) return undefined;
  const sorted = pairs.map(({ source, target, links = [] }, i) => {
    if (typeof links !== 'object' || links === null)
      badType(`pairs[${i}].links`, links, 'an array of [source, target]');
    return Array.from(links, (link, k) => {
      const name = `pairs[${i}].links[${k}]`;
      if (typeof link !== 'object' || link?.length !== 2) badType(name, link, '[source token, target token]');
      return [
        checkInteger(`${name}[1]`, link[1], 0, target.length - 1),
        checkInteger(`${name}[0]`, link[0], 0, source.length - 1),
      ];
    }).sort(([a], [b]) => a - b);
  });
  return { links: Int32Array.from(sorted.flat(2)), counts: Int32Array.from(sorted, ({ length }) => length) };
}

/**
 * A safetensors file of F32 tensors.
 *
 * @param {{ name: string, shape: number[], data: Float32Array }[]} tensors
 * @returns {Uint8Array}
 */
export function writeSafetensors(tensors) {
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  let json = new TextEncoder().encode(JSON.stringify(header));
  // the data begins at a multiple of 8, as in files of the format's own library
  const padded = new Uint8Array(Math.ceil(json.length / 8) * 8).fill(0x20);
  padded.set(json);
  json = padded;
  const file = new Uint8Array(8 + json.length + end);
  new DataView(file.buffer).setUint32(0, json.length, true);
  file.set(json, 8);
  let at = 8 + json.length;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}

/**
 * Trains in the calling thread. Starts from a config (random weights) or from a loaded model, which does not change.
 */
export class Trainer {
  #core;
  #handle;
  #config;
  #longest;
  /** The model's other files, for toModel(). */
  #files;
  /** The module of the initial model. */
  #wasm;
  /** Tensors by name. @type {Map<string, { index: number, rows: number, cols: number }>} */
  #tensors = new Map();

  /**
   * @param {symbol} key
   * @param {{ core: import('./wasm/core.js').Core, handle: number, config: Record<string, any>, longest: number,
   *   files: Record<string, Uint8Array>, wasm?: WebAssembly.Module }} parts
   */
  constructor(key, { core, handle, config, longest, files, wasm }) {
    if (key !== KEY) throw new TypeError('use Trainer.create()');
    this.#core = core;
    this.#handle = handle;
    this.#config = config;
    this.#longest = longest;
    this.#files = files;
    this.#wasm = wasm;
    const count = core.run('heed_trainer_tensor_count', handle);
    for (let index = 0; index < count; index++) {
      const [rows, cols] = [ints(1), ints(1)];
      core.run('heed_trainer_tensor_shape', handle, index, rows, cols);
      const name = String(core.string('heed_trainer_tensor_name', handle, index));
      this.#tensors.set(name, { index, rows: rows.value[0], cols: cols.value[0] });
    }
  }

  /**
   * @param {Transformer | { config: Record<string, unknown>, seed?: number }} from
   * @param {TrainOptions} [options]
   * @returns {Promise<Trainer>}
   */
  static async create(from, options = {}) {
    checkOptions(options, TRAIN);
    const model = from instanceof Transformer ? from : undefined;
    const given = /** @type {{ config: Record<string, unknown>, seed?: number }} */ (from);
    if (typeof given?.config !== 'object' || given.config === null)
      badType('from', from, 'a Transformer or { config }');
    if (!model) checkOptions(given, 'config seed');
    const config = model ? { ...model.config } : readConfig({ model_type: 'marian', ...given.config }, {});
    const modelSeed = model ? 0 : checkInteger('seed', given.seed ?? 1, 0);
    // sinusoids are constants, even if a file has them; this is MarianConfig's default
    const learnsPositions = config.static_position_embeddings === false;
    const { bytes, maxTokens } = packOptions(options, { fresh: !model, modelSeed, learnsPositions });

    const core = await instantiate({
      wasm: options.wasm ?? new URL('./heed-train.wasm', import.meta.url),
      simd: 'simd128',
    });
    try {
      const weights = model ? [...weightsOf(model)] : [];
      const stored = (/** @type {string} */ side) =>
        Number(model ? weights.some(({ name }) => name === `model.${side}.embed_positions.weight`) : learnsPositions);
      const numbers = configNumbers(config, core.configFields(), {
        dtype: F32,
        encoder_positions_stored: stored('encoder'),
        decoder_positions_stored: stored('decoder'),
      });
      const handle = ints(1);
      core.report('config', 'heed_trainer_create', numbers, numbers.length, bytes, handle);
      const longest = Math.min(maxTokens, config.max_position_embeddings);
      const trainer = new Trainer(KEY, {
        core,
        handle: handle.value[0],
        config,
        longest,
        files: { ...model?.internals().files },
        wasm: model?.internals().core.module,
      });
      for (const { name, data } of weights) {
        const { index } = trainer.#find(name);
        core.call(name, 'heed_trainer_set_values', trainer.#handle, index, TRAIN_WEIGHTS, data, data.length);
      }
      return trainer;
    } catch (error) {
      core.dispose();
      throw error;
    }
  }

  /** config.json of the model. @returns {Readonly<Record<string, unknown>>} */
  get config() {
    return this.#config;
  }

  /** Bytes of wasm memory in use. */
  get memoryBytes() {
    return this.#core.memoryBytes;
  }

  /** @param {string} name */
  #find(name) {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new HeedError(E_TENSOR_UNKNOWN, `${name}: this model has no such tensor`);
    return tensor;
  }

  /** @param {string} name @param {number} what */
  #read(name, what) {
    const { index, rows, cols } = this.#find(name);
    const room = floats(rows * cols);
    this.#core.call(name, 'heed_trainer_get_values', this.#handle, index, what, room, rows * cols);
    // as in Hugging Face's checkpoints, vectors have one dimension, except this one
    const shape = rows === 1 && name !== 'final_logits_bias' ? [cols] : [rows, cols];
    return { name, shape, data: /** @type {Float32Array} */ (room.value) };
  }

  /**
   * Calls the core with pairs: ids and lengths in; loss, -log p, norm, rate and tokens out.
   *
   * @param {string} name
   * @param {Pair[]} pairs
   */
  #run(name, pairs) {
    if (!Array.isArray(pairs) || pairs.length === 0) badType('pairs', pairs, 'an array of { source, target }');
    const { vocab_size: sources, decoder_vocab_size: targets } = this.#config;
    const checked = pairs.flatMap((pair, i) => [
      checkSequence(`pairs[${i}].source`, pair?.source, sources, this.#longest),
      checkSequence(`pairs[${i}].target`, pair?.target, targets, this.#longest),
    ]);
    const lengths = Int32Array.from(checked, (ids) => ids.length);
    const ids = new Int32Array(lengths.reduce((sum, n) => sum + n, 0));
    let at = 0;
    for (const part of checked) {
      ids.set(part, at);
      at += part.length;
    }
    const result = floats(7);
    const guide = name === 'heed_trainer_step' ? packLinks(pairs) : undefined;
    const status = guide
      ? this.#core.run(
          'heed_trainer_step_guided',
          this.#handle,
          ids,
          lengths,
          guide.links,
          guide.counts,
          pairs.length,
          result,
        )
      : this.#core.run(name, this.#handle, ids, lengths, pairs.length, result);
    if (status === E_DIVERGED) {
      throw new HeedError(
        status,
        'the loss or its gradient is not finite; the weights are as before: a lower learningRate, or clipNorm?',
      );
    }
    this.#core.check(status, name);
    const [loss, , gradNorm, learningRate, , alignmentLoss] = result.value;
    const [, , , , tokens, , linked] = new Int32Array(result.value.buffer);
    return { loss, tokens, gradNorm, learningRate, ...(linked > 0 && { alignmentLoss }) };
  }

  /**
   * Makes one optimiser step. `loss` is per target token, in natural logarithms, with label smoothing. `gradNorm` is
   * the norm before clipping. `alignmentLoss` is the mean over linked target tokens, if pairs have links and `guided`
   * is not 0; it is not part of `loss`. HEED_E_DIVERGED: no weight has changed.
   *
   * @param {Pair[]} pairs
   * @returns {{ loss: number, tokens: number, gradNorm: number, learningRate: number, alignmentLoss?: number }}
   */
  step(pairs) {
    return this.#run('heed_trainer_step', pairs);
  }

  /**
   * The loss of pairs without dropout, and without a change of weights.
   *
   * @param {Pair[]} pairs
   * @returns {{ loss: number, tokens: number }}
   */
  evaluate(pairs) {
    const { loss, tokens } = this.#run('heed_trainer_evaluate', pairs);
    return { loss, tokens };
  }

  /**
   * The gradient of a tensor in the last step, before clipping. `name` is its name in model.safetensors.
   *
   * @param {string} name
   * @returns {Tensor}
   */
  gradient(name) {
    const { shape, data } = this.#read(name, TRAIN_GRADIENTS);
    return { shape, data };
  }

  /**
   * Creates a model with a copy of the current weights, and with the tokenizer of the initial model. It runs in the
   * module of the initial model. Without one, or if `simd` names a build, it runs in heed.wasm; `wasm` is its source,
   * as for Transformer.load().
   *
   * @param {Pick<import('./model/load.js').LoadOptions, 'dtype' | 'simd' | 'wasm'>} [options]  dtype: default 'f32'
   * @returns {Promise<Transformer>}
   */
  async toModel(options = {}) {
    const { simd = 'auto', wasm = simd === 'auto' ? this.#wasm : undefined } = checkOptions(options, 'dtype simd wasm');
    const files = {
      'config.json': new TextEncoder().encode(JSON.stringify({ model_type: 'marian', ...this.#config })),
      ...this.#files,
      'model.safetensors': this.save(),
    };
    // the manifest describes the old files
    delete (/** @type {Record<string, unknown>} */ (files)['heed.json']);
    try {
      return await Transformer.load(files, { dtype: 'f32', ...options, wasm });
    } catch (error) {
      const { code, message } = /** @type {any} */ (error);
      if (wasm || code !== E_WASM || !message.startsWith('heed.wasm: ')) throw error;
      throw new HeedError(E_WASM, `${message}; toModel({ wasm }) says where it is`, { cause: error });
    }
  }

  /** model.safetensors, F32, with the names and shapes of Hugging Face's MarianMTModel. @returns {Uint8Array} */
  save() {
    return writeSafetensors([...this.#tensors.keys()].map((name) => this.#read(name, TRAIN_WEIGHTS)));
  }

  /** Free all memory. */
  dispose() {
    this.#core.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }
}
