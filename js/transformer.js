// transformer.js - the model: ids in, ids, logits and attention out. Public; the Translator is built on it.

import { describe } from './json.js';
import { loadModel } from './load.js';
import { checkGenerate, checkHeads, checkSequence } from './options.js';
import { Code, floats, HeedError, instantiate, ints } from './wasm.js';

/** @typedef {{ readonly shape: readonly number[], readonly data: Float32Array }} Tensor  a dense row-major array */
/** @typedef {{ encoder: Tensor, decoder: Tensor, cross: Tensor }} AttentionMaps  rows sum to 1 */
/**
 * @typedef {object} Generated
 * @property {Int32Array} ids  without decoder_start_token_id; `</s>` included if it was produced
 * @property {number} logProb  sum of natural-log token probabilities
 * @property {number} score  logProb / length^lengthPenalty: what hypotheses are ordered by
 * @property {boolean} finished  false: stopped by maxTokens
 */

/** What a session was made for. @typedef {{ source: number, target: number, beams: number, batch: number }} Capacity */

/** Only load() makes a Transformer. */
const KEY = Symbol('Transformer');

/** The power of two that holds n, but not more than `limit`. @param {number} n @param {number} limit */
const roomy = (n, limit) => Math.min(2 ** Math.ceil(Math.log2(n)), limit);

/** A session, made when first needed and made anew when a call needs more than it holds. */
class Session {
  #core;
  #model;
  #longest;
  #handle = 0;
  /** @type {Capacity} */
  #has = { source: 1, target: 1, beams: 1, batch: 1 };

  /** @param {import('./wasm.js').Core} core @param {number} model @param {number} longest */
  constructor(core, model, longest) {
    this.#core = core;
    this.#model = model;
    this.#longest = longest;
  }

  /** The handle of a session that holds this much. @param {Capacity} need */
  for(need) {
    const has = this.#has;
    const fits = this.#handle && need.source <= has.source && need.target <= has.target && need.beams <= has.beams
      && need.batch <= has.batch;
    if (fits) return this.#handle;
    this.#has = {
      source: roomy(Math.max(need.source, has.source), this.#longest),
      target: roomy(Math.max(need.target, has.target), this.#longest),
      beams: Math.max(need.beams, has.beams),
      batch: roomy(Math.max(need.batch, has.batch), 1024),
    };
    this.#core.run('heed_session_free', this.#handle);
    this.#handle = 0;
    try {
      this.#handle = this.#create(this.#has);
    } catch {
      // kept capacity may be what is too much: the bare need decides
      this.#has = { ...need };
      this.#handle = this.#create(need);
    }
    return this.#handle;
  }

  /** @param {Capacity} c @returns {number} */
  #create({ source, target, beams, batch }) {
    const handle = ints(1);
    this.#core.call(`a session for ${source} source and ${target} target tokens, ${beams} beams, ${batch} sentences`,
      'heed_session_create', this.#model, Int32Array.of(source, target, beams, batch), handle);
    return handle.value[0];
  }
}

/**
 * The model itself. Synchronous once loaded; runs in the calling thread. Ids it is given are used as they are: a source
 * includes its own `</s>`. After dispose() every call throws HEED_E_STATE.
 */
export class Transformer {
  #core;
  #model;
  #defaults;
  #tokenizer;
  #weightBytes;
  #parameters;
  #arithmetic;
  #files;
  /** For generate(); a run of it may rest between two steps. */
  #search;
  /** For everything else. */
  #pass;
  /** True while a run of generate() has not ended. */
  #searching = false;

  /**
   * @param {symbol} key
   * @param {Awaited<ReturnType<typeof loadModel>>} parts
   */
  constructor(key, { core, model, config, defaults, tokenizer, manifest, arithmetic, files }) {
    if (key !== KEY) throw new TypeError('use Transformer.load()');
    this.#core = core;
    this.#model = model;
    this.#defaults = defaults;
    this.#tokenizer = tokenizer;
    this.#arithmetic = arithmetic;
    this.#files = files;
    this.#parameters = core.run('heed_model_parameters', model);
    this.#weightBytes = core.run('heed_model_bytes', model) >>> 0;
    this.#search = new Session(core, model, config.max_position_embeddings);
    this.#pass = new Session(core, model, config.max_position_embeddings);
    /** config.json, with what a MarianConfig holds where it is silent. @type {Readonly<Record<string, unknown>>} */
    this.config = Object.freeze(config);
    /** heed.json, or {}. @type {Readonly<Record<string, unknown>>} */
    this.manifest = Object.freeze(manifest);
  }

  /**
   * @param {import('./files.js').ModelSource} source  a URL prefix or (Node) a directory path, or the files by name
   * @param {import('./load.js').LoadOptions} [options]
   * @returns {Promise<Transformer>}
   */
  static async load(source, options = {}) {
    const { dtype = 'auto', onProgress, signal, wasm, simd } = options;
    if (!['auto', 'f32', 'int8'].includes(dtype)) {
      throw new TypeError(`dtype: found ${describe(dtype)}, expected 'auto', 'f32' or 'int8'`);
    }
    if (onProgress !== undefined && typeof onProgress !== 'function') {
      throw new TypeError(`onProgress: found ${describe(onProgress)}, expected a function`);
    }
    signal?.throwIfAborted();
    const core = await instantiate({ wasm, simd });
    try {
      return new Transformer(KEY, await loadModel(core, source, options));
    } catch (error) {
      core.dispose();
      throw error;
    }
  }

  /** Of the model's files. HEED_E_TOKENIZER if it came without. @returns {import('./tokenizer.js').Tokenizer} */
  get tokenizer() {
    if (this.#core.disposed) throw new HeedError(Code.STATE, 'this object was disposed');
    if (typeof this.#tokenizer === 'string') {
      throw new HeedError(Code.TOKENIZER, `this model has no tokenizer: ${this.#tokenizer} missing; it works with ids`);
    }
    return this.#tokenizer;
  }

  /**
   * @returns {{ dtype: 'f32' | 'int8', simd: 'simd128' | 'relaxed', parameters: number, weightBytes: number,
   *   memoryBytes: number }}
   */
  get info() {
    return {
      dtype: this.#arithmetic === 0 ? 'f32' : 'int8',
      simd: this.#core.simd,
      parameters: this.#parameters,
      weightBytes: this.#weightBytes,
      memoryBytes: this.#core.memoryBytes,
    };
  }

  /** What generate() does when its options are silent. @returns {Readonly<import('./config.js').GenerateDefaults>} */
  get generateDefaults() {
    return this.#defaults;
  }

  /** The model's files but for its weights, by name. @returns {Readonly<Record<string, Uint8Array>>} */
  get files() {
    return this.#files;
  }

  /**
   * The weights, one tensor after the other, as floats: copies of what the arithmetic sees.
   *
   * @returns {Generator<{ name: string, shape: [number, number], data: Float32Array }, void, void>}
   */
  *tensors() {
    const count = this.#core.run('heed_tensor_count', this.#model);
    for (let index = 0; index < count; index++) {
      const [rows, cols] = [ints(1), ints(1)];
      this.#core.run('heed_tensor_shape', this.#model, index, rows, cols);
      const [r, c] = [rows.value[0], cols.value[0]];
      const [data, row] = [new Float32Array(r * c), floats(c)];
      for (let i = 0; i < r; i++) {
        this.#core.call('tensors', 'heed_tensor_row', this.#model, index, i, row);
        data.set(row.value, i * c);
      }
      yield { name: String(this.#core.string('heed_tensor_name', this.#model, index)), shape: [r, c], data };
    }
  }

  /** @param {string} what @param {ArrayLike<number>} ids @param {'source' | 'target'} side */
  #check(what, ids, side) {
    const { vocab_size: sources, decoder_vocab_size: targets, max_position_embeddings: longest } = this.config;
    return checkSequence(what, ids, Number(side === 'source' ? sources : targets), Number(longest));
  }

  /**
   * Encoder output, [source, d_model].
   *
   * @param {ArrayLike<number>} source
   * @returns {Tensor}
   */
  encode(source) {
    const ids = this.#check('source', source, 'source');
    const shape = [ids.length, Number(this.config.d_model)];
    const out = floats(shape[0] * shape[1]);
    const session = this.#pass.for({ source: ids.length, target: 1, beams: 1, batch: 1 });
    this.#core.call('encode', 'heed_encode', session, ids, ids.length, out);
    return { shape, data: out.value };
  }

  /**
   * Teacher-forced logits, [target, vocab]: row t predicts target[t] from source and target[0..t-1].
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @returns {{ logits: Tensor, logProbs: Float32Array }}
   */
  forward(source, target) {
    const [from, to] = [this.#check('source', source, 'source'), this.#check('target', target, 'target')];
    const session = this.#pass.for({ source: from.length, target: to.length, beams: 1, batch: 1 });
    this.#core.forward(session, from, to, []);
    const shape = [to.length, Number(this.config.decoder_vocab_size)];
    const data = new Float32Array(shape[0] * shape[1]);
    const logProbs = new Float32Array(to.length);
    for (let t = 0; t < to.length; t++) {
      const row = this.#core.logits(session, t, shape[1]);
      data.set(row.logits, t * shape[1]);
      logProbs[t] = row.logProb;
    }
    return { logits: { shape, data }, logProbs };
  }

  /**
   * All attention of the teacher-forced pass: [layers, heads, source, source], [layers, heads, target, target],
   * [layers, heads, target, source]. Row t of decoder and cross is the one that predicts target[t]. `logProbs` are those
   * of the same pass.
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {{ disabledHeads?: import('./options.js').Head[] }} [options]
   * @returns {AttentionMaps & { logProbs: Float32Array }}
   */
  attention(source, target, { disabledHeads = [] } = {}) {
    const [from, to] = [this.#check('source', source, 'source'), this.#check('target', target, 'target')];
    const heads = checkHeads(disabledHeads, this.config);
    const [S, T] = [from.length, to.length];
    const of = (/** @type {string} */ side) => [Number(this.config[`${side}_layers`]), Number(this.config[`${side}_attention_heads`])];
    const shapes = [[...of('encoder'), S, S], [...of('decoder'), T, T], [...of('decoder'), T, S]];
    const rooms = shapes.map((shape) => floats(shape.reduce((product, n) => product * n)));
    const session = this.#pass.for({ source: S, target: T, beams: 1, batch: 1 });
    this.#disableHeads(session, heads);
    try {
      this.#core.forward(session, from, to, rooms);
    } finally {
      this.#core.run('heed_session_enable_heads', session);
    }
    const logProbs = Float32Array.from(to, (_, t) => this.#core.logits(session, t, 0).logProb);
    const [encoder, decoder, cross] = rooms.map((room, i) => ({ shape: shapes[i], data: /** @type {Float32Array} */ (room.value) }));
    return { encoder, decoder, cross, logProbs };
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
      const { done, value } = run.next();
      if (done) return value;
    }
  }

  /**
   * generate(), resting after every decoder step: between two, other work can be done, or the run be given up by
   * return(). One run at a time: HEED_E_STATE while another has not ended. Each step gives what was finished in it, and
   * the hypothesis under way where there is but one.
   *
   * @param {ArrayLike<number>[]} sources
   * @param {import('./options.js').GenerateOptions} [options]
   * @returns {Generator<{ finished: number[], ids: Int32Array | undefined }, Generated[][], void>}
   */
  *generateSteps(sources, options = {}) {
    const core = this.#core;
    if (core.disposed) throw new HeedError(Code.STATE, 'this object was disposed');
    if (!Array.isArray(sources)) throw new TypeError(`sources: found ${describe(sources)}, expected an array of arrays of ids`);
    const { heads, signal, batchSize, nBest, ...rules } = checkGenerate(options, this.#defaults, this.config);
    const all = sources.map((ids, i) => this.#check(`sources[${i}]`, ids, 'source'));
    if (this.#searching) throw new HeedError(Code.STATE, 'another generate() of this model has not ended');
    /** @type {Generated[][]} */
    const results = new Array(all.length);
    if (all.length === 0) return results;

    const batch = Math.min(batchSize, all.length);
    const session = this.#search.for({
      source: Math.max(...all.map((ids) => ids.length)),
      target: rules.prefix.length + rules.maxTokens,
      beams: rules.beams,
      batch,
    });
    // long ones first: what is left at the end, when the batch empties, is short
    const order = all.map((_, i) => i).sort((a, b) => all[b].length - all[a].length || a - b);
    /** @type {Map<number, number>} place in the batch -> index of the source */
    const running = new Map();
    this.#searching = true;
    try {
      core.searchBegin(session, rules);
      this.#disableHeads(session, heads);
      const slot = ints(1);
      for (let next = 0; next < order.length || running.size > 0; ) {
        for (; next < order.length && running.size < batch; next++) {
          const ids = all[order[next]];
          core.call('generate', 'heed_search_add', session, ids, ids.length, slot);
          running.set(slot.value[0], order[next]);
        }
        core.call('generate', 'heed_search_step', session, slot);
        const finished = [];
        for (let place; (place = core.run('heed_search_finished', session)) >= 0; ) {
          const index = Number(running.get(place));
          const count = Math.min(nBest, core.run('heed_search_hypotheses', session, place));
          results[index] = Array.from({ length: count }, (_, rank) => core.hypothesis(session, place, rank));
          core.call('generate', 'heed_search_release', session, place);
          running.delete(place);
          finished.push(index);
        }
        const [only] = running.size === 1 && rules.beams === 1 && all.length === 1 ? running.keys() : [];
        yield { finished, ids: only === undefined ? undefined : core.hypothesis(session, only, 0).ids };
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

  /** Give all memory back. */
  dispose() {
    this.#core.dispose();
  }

  [Symbol.dispose]() {
    this.dispose();
  }
}
