// train.js - the Trainer: trains a model in the calling thread with heed-train.wasm. Public as 'heed/train'.

import { badType, checkInteger, checkOptions } from './base/check.js';
import { E_DIVERGED, E_TENSOR_UNKNOWN, E_WASM, F32, TRAIN_GRADIENTS, TRAIN_WEIGHTS } from './base/constants.js';
import { HeedError } from './base/errors.js';
import { writeSafetensors } from './formats/write.js';
import { configNumbers, readConfig } from './model/config.js';
import { tensorNames, toMarian } from './model/family.js';
import { Transformer } from './model/transformer.js';
import { checkSequence } from './text/ids.js';
import { packLinks, packOptions, TRAIN } from './train/options.js';
import { floats, ints } from './wasm/core.js';
import { instantiate } from './wasm/module.js';

/** @typedef {import('./train/options.js').Pair} Pair */
/** @typedef {import('./train/options.js').Tensor} Tensor */
/** @typedef {import('./train/options.js').TrainOptions} TrainOptions */

/** The key that only create() has. */
const KEY = Symbol('Trainer');

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
 * Trains in the calling thread. Starts from a config (random weights) or from a loaded model, which does not change.
 */
export class Trainer {
  #core;
  #handle;
  #config;
  #names;
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
   *   names: import('./model/family.js').TensorNames,
   *   files: Record<string, Uint8Array>, wasm?: WebAssembly.Module }} parts
   */
  constructor(key, { core, handle, config, names, longest, files, wasm }) {
    if (key !== KEY) throw new TypeError('use Trainer.create()');
    this.#core = core;
    this.#handle = handle;
    this.#config = config;
    this.#names = names;
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
    const config = model ? { ...model.config }
      : readConfig(await toMarian({ model_type: 'marian', ...given.config }), {});
    const modelSeed = model ? 0 : checkInteger('seed', given.seed ?? 1, 0);
    // sinusoids are constants, even if a file has them; this is MarianConfig's default
    const learnsPositions = Boolean(config.learned_positions) || config.static_position_embeddings === false;
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
        activations: 0,
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
        names: await tensorNames(config),
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
    const checked = Array.from(pairs, (pair, i) => [ // holes too
      checkSequence(`pairs[${i}].source`, pair?.source, sources, this.#longest),
      checkSequence(`pairs[${i}].target`, pair?.target, targets, this.#longest),
    ]).flat();
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
   * The current weights of a tensor. `name` is its name in model.safetensors.
   *
   * @param {string} name
   * @returns {Tensor}
   */
  weight(name) {
    const { shape, data } = this.#read(name, TRAIN_WEIGHTS);
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

  /** model.safetensors, F32, with the names and shapes of the family's model in transformers. @returns {Uint8Array} */
  save() {
    const { toCore, toFile } = this.#names;
    const read = (/** @type {string} */ name) => ({ ...this.#read(name, TRAIN_WEIGHTS), name: toFile(name) });
    // T5 has no final_logits_bias, whose zeros nobody needs
    const stored = [...this.#tensors.keys()].filter((name) => toCore(toFile(name)) === name);
    return writeSafetensors(stored.map(read));
  }

  /** Free all memory. */
  dispose() {
    this.#core.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }
}
