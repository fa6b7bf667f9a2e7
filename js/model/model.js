// model.js - the part of a model that translation needs: loaded files, and a running batch. The engine of a thread uses
// it; transformer.js adds the rest.

import { E_STATE, E_TOKENIZER, F32 } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { onAbort } from '../base/host.js';
import { checkSequence } from '../text/ids.js';
import { instantiate } from '../wasm/module.js';
import { Batch } from './batch.js';
import { loadModel } from './load.js';
import { checkLoad } from './options.js';
import { Session } from './session.js';

/** @typedef {{ readonly shape: readonly number[], readonly data: Float32Array }} Tensor  a dense row-major array */
/** @typedef {{ encoder: Tensor, decoder: Tensor, cross: Tensor }} AttentionMaps  rows sum to 1 */
/**
 * @typedef {object} Generated
 * @property {Int32Array} ids  without decoder_start_token_id; with `</s>` if it was produced
 * @property {number} logProb  sum of natural-log token probabilities after all rules; the prefix does not count, forced
 *   ids count as 0
 * @property {number} score  logProb / length^lengthPenalty: the order of hypotheses; the prefix does not count. With
 *   n-grams, (logProb + what they gain) / length^lengthPenalty. With `reverse`, what README.md
 *   says is added
 * @property {boolean} finished  false: stopped by maxTokens, even if the last id is forcedEosTokenId, or by cutRunaways
 * @property {Float64Array} [attended]  [ids, source]: cross attention of the best hypothesis, by the mean of the heads
 *   that place tags, in a search with `align`
 * @property {import('./tree.js').BeamNode[]} [tree]  for the best hypothesis, with beamTree: all steps of the search
 */

/** The base class of Transformer. */
export class Model {
  #core;
  #model;
  /** From readConfig(). @type {Record<string, any>} */
  #config;
  #defaults;
  #tokenizer;
  /** Names of missing files of a tokenizer. */
  #missing;
  #arithmetic;
  #unsupported;
  #files;
  /** For everything except searches. */
  #pass;

  /**
   * Only load() may call it.
   *
   * @internal
   * @param {NonNullable<Awaited<ReturnType<typeof loadModel>>>} parts
   */
  constructor({ core, model, config, defaults, tokenizer, missing, manifest, arithmetic, unsupported, files }) {
    this.#core = core;
    this.#model = model;
    this.#config = config;
    this.#defaults = defaults;
    this.#tokenizer = tokenizer;
    this.#missing = missing;
    this.#arithmetic = arithmetic;
    this.#unsupported = unsupported;
    this.#files = files;
    this.#pass = new Session(core, model, config.max_position_embeddings);
    /** config.json, with MarianConfig's defaults. @type {Readonly<Record<string, unknown>>} */
    this.config = Object.freeze(config);
    /** heed.json, or {}. @type {Readonly<Record<string, unknown>>} */
    this.manifest = Object.freeze(manifest);
  }

  /**
   * @param {import('../files/source.js').ModelSource} source  a URL prefix or (Node) a directory path, or the files by
   *   name
   * @param {import('./load.js').LoadOptions} [options]
   * @param {import('./load.js').Accept} [accept]  internal
   * @param {import('../files/record.js').FileRecord} [record]  internal: keeps the files
   * @param {Parameters<typeof instantiate>[1]} [open]  internal: as instantiate() takes it
   * @returns {Promise<Model>}
   */
  static async load(source, options = {}, accept, record, open) {
    checkLoad(options);
    const { signal, wasm, simd, onProgress } = options;
    let most = 0;
    for (let isRetry = false; ; isRetry = true) {
      // modules are shared between loads: this load stops waiting, but the download continues for others
      /** @typedef {import('../wasm/core.js').Core} Core */
      const core = await new Promise((/** @type {(core: Core) => void} */ resolve, reject) => {
        const forget = onAbort(signal, () => reject(signal?.reason));
        instantiate({ wasm, simd }, open).then(resolve, reject).finally(forget);
      });
      try {
        const parts = await loadModel(core, source, {
          ...options,
          isRetry,
          accept,
          record,
          onProgress: (progress) => {
            // files that are loaded again are not reported again
            if (progress.loaded >= most) onProgress?.(progress);
            most = Math.max(most, progress.loaded);
          },
        });
        if (parts) return new this(parts);
        core.dispose();
      } catch (error) {
        core.dispose();
        throw error;
      }
    }
  }

  /**
   * The tokenizer of the model. HEED_E_TOKENIZER if its files are missing.
   *
   * @returns {import('../text/tokenizer.js').Tokenizer}
   */
  get tokenizer() {
    if (this.#core.disposed) throw new HeedError(E_STATE, 'this object was disposed');
    if (!this.#tokenizer) {
      throw new HeedError(
        E_TOKENIZER,
        `missing: ${this.#missing || 'source.spm, target.spm or vocab.json'}: this model works with ids only`,
      );
    }
    return this.#tokenizer;
  }

  /**
   * unsupportedSettings: names of search settings in the model's files that have no effect.
   *
   * @returns {{ dtype: 'f32' | 'int8', simd: 'simd128' | 'relaxed', parameters: number, weightBytes: number,
   *   memoryBytes: number, unsupportedSettings: string[] }}
   */
  get info() {
    return {
      dtype: this.#arithmetic === F32 ? 'f32' : 'int8',
      simd: this.#core.simd,
      parameters: this.#core.run('heed_model_parameters', this.#model),
      weightBytes: this.#core.run('heed_model_bytes', this.#model) >>> 0,
      memoryBytes: this.#core.memoryBytes,
      unsupportedSettings: [...this.#unsupported],
    };
  }

  /** The defaults of generate(). @returns {Readonly<import('./config.js').GenerateDefaults>} */
  get generateDefaults() {
    return this.#defaults;
  }

  /** For transformer.js, inspect.js and train.js. @internal */
  internals() {
    return {
      core: this.#core,
      model: this.#model,
      files: this.#files,
      pass: (/** @type {number} */ source, /** @type {number} */ target) => this.#pass.for(source, target, 1, 1),
      check: this.#check.bind(this),
      disableHeads: this.#disableHeads.bind(this),
    };
  }

  /** @param {string} what @param {ArrayLike<number>} ids @param {'source' | 'target'} side */
  #check(what, ids, side) {
    const { vocab_size: sources, decoder_vocab_size: targets, max_position_embeddings: longest } = this.#config;
    return checkSequence(what, ids, side === 'source' ? sources : targets, longest);
  }

  /** @param {number} session @param {[number, number, number][]} heads */
  #disableHeads(session, heads) {
    for (const [stack, layer, head] of heads) {
      this.#core.call('disabledHeads', 'heed_session_set_head', session, stack, layer, head, 0);
    }
  }

  /**
   * A running batch with its own memory.
   *
   * @internal
   * @param {ConstructorParameters<typeof Batch>[1]} room
   */
  batch(room) {
    const [core, model, config, isF32] = [this.#core, this.#model, this.#config, this.#arithmetic === F32];
    const [disableHeads, byteIds] = [this.#disableHeads.bind(this), () => this.tokenizer.byteIds];
    return new Batch({ core, model, config, isF32, disableHeads, byteIds }, room);
  }

  /** Free all memory. */
  dispose() {
    this.#core.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }
}
