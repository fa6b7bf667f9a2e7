// model.js - the model as far as translating needs it: ids in, ids out. The Translator is built on it,
// and transformer.js adds the rest.

import { onAbort } from '../base/host.js';
import { loadModel } from './load.js';
import { paceOf } from './pace.js';
import { badType } from '../base/check.js';
import { checkGenerate, checkLoad } from './options.js';
import { checkSequence } from '../text/ids.js';
import { E_STATE, E_TOKENIZER, HeedError } from '../base/errors.js';
import { ints } from '../wasm/core.js';
import { instantiate } from '../wasm/module.js';

/** @typedef {{ readonly shape: readonly number[], readonly data: Float32Array }} Tensor  a dense row-major array */
/** @typedef {{ encoder: Tensor, decoder: Tensor, cross: Tensor }} AttentionMaps  rows sum to 1 */
/**
 * @typedef {object} Generated
 * @property {Int32Array} ids  without decoder_start_token_id; `</s>` included if it was produced
 * @property {number} logProb  sum of natural-log token probabilities after all rules; the prefix does not count, a
 *   forced id has 0
 * @property {number} score  logProb / length^lengthPenalty: what hypotheses are ordered by; the prefix does not count
 * @property {boolean} finished  false: stopped by maxTokens, even if the last id is forcedEosTokenId, or by cutRunaways
 * @property {import('./tree.js').BeamNode[]} [tree]  of the best hypothesis, with beamTree: all that was looked at
 */

/** A session, made when first needed and made anew when a call needs more than it holds. */
class Session {
  #core;
  #model;
  #handle = 0;
  /** max_source, max_target, max_beams, max_batch of heed_session_options: what there is, and the most there may be. */
  #has = [1, 1, 1, 1];
  #most;

  /** @param {import('../wasm/core.js').Core} core @param {number} model @param {number} longest */
  constructor(core, model, longest) {
    this.#core = core;
    this.#model = model;
    this.#most = [longest, longest, 64, 1024];
  }

  /** The handle of a session that holds this much. @param {...number} need  in the order above */
  for(...need) {
    if (this.#handle !== 0 && need.every((n, i) => n <= this.#has[i])) return this.#handle;
    this.#core.run('heed_session_free', this.#handle);
    this.#handle = 0;
    // powers of two: a text with ever longer sentences makes few sessions; beams and sentences multiply, so what an
    // earlier call had of them is no reason to have it now
    const wanted = need.map((n, i) =>
      Math.max(n, Math.min(2 ** Math.ceil(Math.log2(i < 2 ? Math.max(n, this.#has[i]) : n)), this.#most[i])),
    );
    const handle = ints(1);
    this.#core.call(
      `a session for ${need.join(', ')} source tokens, target tokens, beams, sentences`,
      'heed_session_create',
      this.#model,
      Int32Array.from(wanted),
      handle,
    );
    this.#has = wanted;
    return (this.#handle = handle.value[0]);
  }
}

/** See Transformer, which is one. */
export class Model {
  #core;
  #model;
  /** Of readConfig. @type {Record<string, any>} */
  #config;
  #defaults;
  #tokenizer;
  #arithmetic;
  #unsupported;
  #files;
  /** For generate(); a run of it may rest between two steps. */
  #search;
  /** For everything else. */
  #pass;
  /** True while a run of generate() has not ended. */
  #searching = false;

  /**
   * Only load() makes one.
   *
   * @internal
   * @param {NonNullable<Awaited<ReturnType<typeof loadModel>>>} parts
   */
  constructor({ core, model, config, defaults, tokenizer, manifest, arithmetic, unsupported, files }) {
    this.#core = core;
    this.#model = model;
    this.#config = config;
    this.#defaults = defaults;
    this.#tokenizer = tokenizer;
    this.#arithmetic = arithmetic;
    this.#unsupported = unsupported;
    this.#files = files;
    this.#search = new Session(core, model, config.max_position_embeddings);
    this.#pass = new Session(core, model, config.max_position_embeddings);
    /** config.json, with what a MarianConfig holds where it is silent. @type {Readonly<Record<string, unknown>>} */
    this.config = Object.freeze(config);
    /** heed.json, or {}. @type {Readonly<Record<string, unknown>>} */
    this.manifest = Object.freeze(manifest);
  }

  /**
   * @param {import('../files/source.js').ModelSource} source  a URL prefix or (Node) a directory path, or the files by
   *   name
   * @param {import('./load.js').LoadOptions} [options]
   * @param {(manifest: Record<string, unknown>) => void} [accept]  internal: throws if heed.json is of a model that is
   *   not wanted, before more is read
   * @returns {Promise<Model>}
   */
  static async load(source, options = {}, accept) {
    checkLoad(options);
    const { signal, wasm, simd, onProgress } = options;
    let most = 0;
    for (let isRetry = false; ; isRetry = true) {
      // modules are shared between loads: this one stops waiting, the download goes on for the others
      /** @typedef {import('../wasm/core.js').Core} Core */
      const core = await new Promise((/** @type {(core: Core) => void} */ resolve, reject) => {
        const forget = onAbort(signal, () => reject(signal?.reason));
        instantiate({ wasm, simd }).then(resolve, reject).finally(forget);
      });
      try {
        const parts = await loadModel(core, source, {
          ...options,
          isRetry,
          accept,
          onProgress: (progress) => {
            // what is loaded once more is no news
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

  /** Of the model's files. HEED_E_TOKENIZER if it came without. @returns {import('../text/tokenizer.js').Tokenizer} */
  get tokenizer() {
    if (this.#core.disposed) throw new HeedError(E_STATE, 'this object was disposed');
    if (!this.#tokenizer) {
      throw new HeedError(
        E_TOKENIZER,
        'source.spm, target.spm or vocab.json is missing: this model works with ids only',
      );
    }
    return this.#tokenizer;
  }

  /**
   * unsupportedSettings: those of search in the model's files, by their names there, that have no effect.
   *
   * @returns {{ dtype: 'f32' | 'int8', simd: 'simd128' | 'relaxed', parameters: number, weightBytes: number,
   *   memoryBytes: number, unsupportedSettings: string[] }}
   */
  get info() {
    return {
      dtype: this.#arithmetic === 0 ? 'f32' : 'int8',
      simd: this.#core.simd,
      parameters: this.#core.run('heed_model_parameters', this.#model),
      weightBytes: this.#core.run('heed_model_bytes', this.#model) >>> 0,
      memoryBytes: this.#core.memoryBytes,
      unsupportedSettings: [...this.#unsupported],
    };
  }

  /** What generate() does when its options are silent. @returns {Readonly<import('./config.js').GenerateDefaults>} */
  get generateDefaults() {
    return this.#defaults;
  }

  /** For transformer.js, inspect.js and train.js. @internal */
  parts() {
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
   * One list of hypotheses, best first, for each source.
   *
   * @param {ArrayLike<number>[]} sources
   * @param {import('./options.js').GenerateOptions} [options]
   * @returns {Generated[][]}
   */
  generate(sources, options = {}) {
    const run = this.generateSteps(sources, options);
    for (;;) {
      const step = run.next();
      if (step.done) return step.value;
    }
  }

  /**
   * generate(), resting before the first and after every step, of which none is long: between two, other work can be
   * done, or the run be ended by return(). One run at a time: HEED_E_STATE while another has not ended. Each step gives
   * the ids so far where there is but one sentence and one beam.
   *
   * @param {ArrayLike<number>[]} sources
   * @param {import('./options.js').GenerateOptions} [options]
   * @param {import('./tree.js').Trees} [trees]  gets what is looked at
   * @returns {Generator<Int32Array | undefined, Generated[][], void>}
   */
  *generateSteps(sources, options = {}, trees) {
    const core = this.#core;
    if (!Array.isArray(sources)) badType('sources', sources, 'an array of arrays of ids');
    const { heads, signal, batchSize, nBest, ...rules } = checkGenerate(options, this.#defaults, this.#config);
    const all = sources.map((ids, i) => this.#check(`sources[${i}]`, ids, 'source'));
    if (this.#searching) throw new HeedError(E_STATE, 'another generate() of this model has not ended');
    /** @type {Generated[][]} */
    const results = new Array(all.length);
    if (all.length === 0) return results;

    const pace = paceOf(this.#config, this.#arithmetic === 0);
    const most = options.batchSize === undefined ? Math.max(1, Math.floor(pace.rows / rules.beams)) : batchSize;
    const batch = Math.min(batchSize, most, all.length);
    // long ones first: what is left at the end, when the batch empties, is short
    const order = all.map((_, i) => i).sort((a, b) => all[b].length - all[a].length || a - b);
    const session = this.#search.for(all[order[0]].length, rules.prefix.length + rules.maxTokens, rules.beams, batch);
    /** @type {Map<number, number>} place in the batch -> index of the source */
    const running = new Map();
    this.#searching = true;
    try {
      core.searchBegin(session, rules, rules.validUtf8 ? this.tokenizer.byteIds : new Int32Array());
      this.#disableHeads(session, heads);
      const slot = ints(1);
      yield; // a session may have been made, which takes its time
      signal?.throwIfAborted();
      for (let next = 0; next < order.length || running.size > 0;) {
        // the core encodes what is added in its next step: so much that the step stays short
        let tokens = 0;
        for (; next < order.length && running.size < batch; next++) {
          const ids = all[order[next]];
          tokens += ids.length;
          if (tokens > pace.tokens && tokens > ids.length) break;
          core.call('generate', 'heed_search_add', session, ids, ids.length, slot);
          running.set(slot.value[0], order[next]);
        }
        core.call('generate', 'heed_search_step', session, slot);
        if (trees) for (const [place, index] of running) trees.step(core, session, place, index);
        for (let place; (place = core.run('heed_search_finished', session)) >= 0;) {
          const index = /** @type {number} */ (running.get(place));
          // a sentence that failed has none, and the first that is asked for says why
          const count = Math.min(nBest, core.run('heed_search_hypotheses', session, place) || 1);
          results[index] = Array.from({ length: count }, (_, rank) => core.hypothesis(session, place, rank));
          if (trees) results[index][0].tree = trees.finish(index, results[index][0].ids);
          core.call('generate', 'heed_search_release', session, place);
          running.delete(place);
        }
        const [only] = running.size === 1 && rules.beams === 1 && all.length === 1 ? running.keys() : [];
        yield only === undefined ? undefined : core.hypothesis(session, only, 0).ids;
        signal?.throwIfAborted();
      }
      return results;
    } finally {
      this.#searching = false;
      if (!core.disposed) {
        core.run('heed_search_end', session);
        core.run('heed_session_enable_heads', session);
      }
    }
  }

  /** Free all memory. */
  dispose() {
    this.#searching = false;
    this.#core.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }
}
