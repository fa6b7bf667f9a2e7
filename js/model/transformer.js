// transformer.js - the model: takes ids, and returns ids, logits, attention and all other tensors. Public.

import { badType, checkOptions } from '../base/check.js';
import { E_STATE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { floats } from '../wasm/core.js';
import { attention, candidates } from './inspect.js';
import { Model } from './model.js';
import { checkGenerate, GENERATE_IDS } from './options.js';
import { forward, inspect, parameter, parameters } from './tensors.js';
import { Trees } from './tree.js';

/** @typedef {import('./model.js').Tensor} Tensor */
/** @typedef {import('./model.js').AttentionMaps} AttentionMaps */
/** @typedef {import('./model.js').Generated} Generated */

/**
 * A model. All methods are synchronous and run in the calling thread. Ids are used as they are: a source includes its
 * own `</s>`. After dispose() every call throws HEED_E_STATE.
 */
export class Transformer extends Model {
  /** The batch of generate(). @type {import('./batch.js').Batch | undefined} */
  #batch;

  /**
   * Only load() may call it.
   *
   * @internal
   * @param {ConstructorParameters<typeof Model>[0]} parts
   */
  constructor(parts) {
    if (!parts?.core) badType('new Transformer', parts, 'Transformer.load()');
    super(parts);
  }

  /**
   * @override
   * @param {import('../files/source.js').ModelSource} source  a URL prefix or (Node) a directory path, or the files by
   *   name
   * @param {import('./load.js').LoadOptions} [options]
   * @returns {Promise<Transformer>}
   */
  static load(source, options) {
    return /** @type {Promise<any>} */ (super.load(source, options));
  }

  /**
   * Encoder output, [source, d_model].
   *
   * @param {ArrayLike<number>} source
   * @returns {Tensor}
   */
  encode(source) {
    const { core, pass, check } = this.internals();
    const ids = check('source', source, 'source');
    const shape = [ids.length, Number(this.config.d_model)];
    const out = floats(shape[0] * shape[1]);
    const session = pass(ids.length, 1);
    core.call('encode', 'heed_encode', session, ids, ids.length, out);
    return { shape, data: out.value };
  }

  /**
   * Teacher-forced logits, [target, vocab]: row t predicts target[t] from source and target[0..t-1]. With a shortlist
   * they are those of a search: -Infinity for ids that are not among candidates(source, target), which no search
   * computes, and `logProbs` are among the others. shortlist: false: as without one.
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {{ shortlist?: boolean }} [options]
   * @returns {{ logits: Tensor, logProbs: Float32Array }}
   */
  forward(source, target, options) {
    return forward(this, source, target, options);
  }

  /**
   * The target ids that a translation of this source may have, ascending: those that the shortlist selects, `</s>`, and
   * `more`, like a prefix. Without a shortlist, all ids.
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} [more]
   * @returns {Int32Array}
   */
  candidates(source, more) {
    return candidates(this, source, more);
  }

  /**
   * Translates ids. Returns for each source a list of hypotheses, best first; with options.beamTree the best one has
   * the `tree` of all steps of the search.
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
   * generate() as a generator that yields before every step. Steps are short. Between two steps the caller may do other
   * work, or stop the run with return(). Only one run at a time: HEED_E_STATE while another has not ended. With one
   * sentence, each step yields the ids so far that all beams have.
   *
   * @param {ArrayLike<number>[]} sources
   * @param {import('./options.js').GenerateOptions} [options]
   * @returns {Generator<Int32Array | undefined, Generated[][], void>}
   */
  *generateSteps(sources, options = {}) {
    checkOptions(options, GENERATE_IDS);
    if (!Array.isArray(sources)) badType('sources', sources, 'an array of arrays of ids');
    const { check } = this.internals();
    const search = checkGenerate(options, this.generateDefaults, this.config);
    const all = Array.from(sources, (ids, i) => check(`sources[${i}]`, ids, 'source')); // holes too
    const batch = (this.#batch ??= this.batch({ source: 1, spare: 0 }));
    if (batch.isBusy) throw new HeedError(E_STATE, 'another generate() of this model has not ended');
    if (all.length === 0) return [];
    const watchers = options.beamTree ? [new Trees(search.beams)] : [];
    /** @type {Int32Array | undefined} */
    let ids;
    /** @type {{ error?: unknown } | undefined} */
    let end;
    const onStep = (/** @type {Int32Array} */ found) => void (ids = found);
    const call = batch.add(all, search, { watchers, onStep, onEnd: (error) => (end = { error }) });
    try {
      while (!end) {
        yield ids;
        options.signal?.throwIfAborted();
        batch.step();
      }
    } finally {
      batch.remove(call);
    }
    if (end.error !== undefined) throw end.error;
    return call.results;
  }

  /** @override */
  dispose() {
    this.#batch = undefined;
    super.dispose();
  }

  /**
   * All attention of the teacher-forced pass: [layers, heads, source, source], [layers, heads, target, target],
   * [layers, heads, target, source]. Row t of decoder and cross predicts target[t]. Without self-attention in the
   * decoder (SSRU) its map is empty, [0, 0, target, target]. `logProbs` are those of the same pass. With a shortlist
   * they are those of forward(), and `candidates` are the ids that it does not leave out.
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {{ disabledHeads?: import('./options.js').Head[], shortlist?: boolean }} [options]
   * @returns {AttentionMaps & { logProbs: Float32Array, candidates?: Int32Array }}
   */
  attention(source, target, options) {
    return attention(this, source, target, options);
  }

  /**
   * Every intermediate tensor of the teacher-forced pass, in the arithmetic in use, with Hugging Face's names. S is the
   * source, T the target, n either, m the keys (S in cross-attention, else n), D width, H heads, F feed-forward width:
   *
   * - `encoder.` and `decoder.` `embedding` (rows of E, scaled), `positions`, `input` (their sum), `output`: [n, D];
   *   with relative positions (T5) `position_bias` [H, n, n] instead of `positions`;
   * - `encoder.layers.0.self_attn.` (`decoder.layers.0.encoder_attn.`, ...) `q` [n, D], `k`, `v` [m, D], `scores`
   *   (q·k/√(D/H), -Infinity where masked; equal to the input of softmax up to rounding), `weights` [H, n, m],
   *   `context` (weights·v, heads side by side), `output` (after out_proj) [n, D]. In T5, scores are q·k plus, in
   *   self-attention, `position_bias`; q, k, v and context may have another width than D;
   * - `decoder.layers.0.ssru.` instead of `self_attn.`, if the model has SSRUs: `candidate`, `forget` (gates: the share
   *   of each dimension of the cell that is kept), `cell` = forget·(cell before) + (1 - forget)·candidate, `output` =
   *   max(cell, 0): [n, D]; the norm is `ssru_layer_norm`;
   * - `encoder.layers.0.` `self_attn_layer_norm`, `encoder_attn_layer_norm`, `fc1` (after the activation) [n, F],
   *   `fc2`, `final_layer_norm` [n, D]; of gated networks also `fc1_linear` and `gated` = fc1 * fc1_linear. Norms:
   *   after the residual; in pre-norm models the output of the norm;
   * - `logits` [T, V], `log_probs` [T] of target[t]; with a shortlist as in forward().
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {import('./tensors.js').InspectOptions} [options]  names: of tensors, or prefixes that end in
   *   '.'; default: all except the logits
   * @returns {Record<string, Tensor>}  in the order of the pass
   */
  inspect(source, target, options) {
    return inspect(this, source, target, options);
  }

  /** Names and shapes of the weights, with Hugging Face's names. @returns {{ name: string, shape: number[] }[]} */
  get parameters() {
    return parameters(this);
  }

  /**
   * Weights as floats, after quantisation. Names of tied copies are also valid.
   *
   * @param {string} name
   * @param {[from: number, to: number]} [rows]  default: all
   * @returns {Tensor}
   */
  parameter(name, rows) {
    return parameter(this, name, rows);
  }
}
