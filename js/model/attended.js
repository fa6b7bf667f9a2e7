// attended.js - the cross attention of a search, kept step by step, so that an alignment needs no pass of its own.
// Used by translate/alignment.js and translate/detail.js; loaded by engine/here.js for searches with `align`.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { floats, ints } from '../wasm/core.js';
import { candidatesOf } from './candidates.js';
import { meanOfHeads } from './inspect.js';

/** @typedef {[layer: number, head: number]} CrossHead */
/**
 * A hypothesis: what each head attended to when it chose its next id, and by that id what it became.
 *
 * @typedef {{ rows?: Float32Array, next: Map<number, Hypothesis> }} Hypothesis  rows: [heads, source]
 */

/**
 * The heads of cross attention that a model names: [[layer, head], ...]; undefined: it names none, and all count.
 *
 * @param {unknown} named  `alignment_heads` of config.json
 * @param {number} layers
 * @param {number} heads
 * @returns {CrossHead[] | undefined}
 */
export function headsFor(named, layers, heads) {
  if (named === undefined || named === null) return undefined;
  const fits = (/** @type {any} */ x, /** @type {number} */ below) => Number.isInteger(x) && x >= 0 && x < below;
  const list = Array.isArray(named) ? named : [];
  if (list.length === 0 || !list.every((at) => at?.length === 2 && fits(at[0], layers) && fits(at[1], heads))) {
    const expected = `[[layer, head], ...] of ${layers} decoder layers with ${heads} heads`;
    throw new HeedError(E_CONFIG, `config.json: alignment_heads: found ${JSON.stringify(named)}, expected ${expected}`);
  }
  return list;
}

/**
 * The heads that place tags: those that the model names, or else the last layer's.
 *
 * @param {Readonly<Record<string, any>>} config
 * @returns {CrossHead[]}
 */
export function headsOfTags({ decoder_layers: layers, decoder_attention_heads: heads, alignment_heads: named }) {
  // the last layer is best in our models; see tests/score/tags.js
  return headsFor(named, layers, heads) ?? Array.from({ length: heads }, (_, head) => [layers - 1, head]);
}

/** A Watcher, see batch.js. */
class Attended {
  #sources;
  #beams;
  #heads;
  /** By source: what no id has led to yet, and the hypotheses that live. */
  #trees = /** @type {Map<number, { root: Hypothesis, live: Hypothesis[] }>} */ (new Map());

  /** @param {Int32Array[]} sources @param {number} beams @param {Int32Array} heads */
  constructor(sources, beams, heads) {
    this.#sources = sources;
    this.#beams = beams;
    this.#heads = heads;
  }

  /**
   * @param {import('../wasm/core.js').Core} core
   * @param {number} session
   * @param {number} row
   * @param {number} source
   */
  step(core, session, row, source) {
    const heads = this.#heads;
    const size = heads.length * this.#sources[source].length;
    const [data, count] = [floats(this.#beams * size), ints(1)];
    core.call('generate', 'heed_search_attention', session, row, heads, heads.length, data, count);
    const n = count.value[0];
    // before its first step, or put back to start over
    if (n === 0) return void this.#trees.delete(source);
    /** @type {Hypothesis} */
    const root = { next: new Map() };
    const tree = this.#trees.get(source) ?? { root, live: [root] };
    this.#trees.set(source, tree);
    for (let b = 0; b < n; b++) tree.live[b].rows = data.value.slice(b * size, (b + 1) * size);
    tree.live = this.#next(core, session, row, tree.live);
  }

  /**
   * What the live hypotheses have become in the last step.
   *
   * @param {import('../wasm/core.js').Core} core
   * @param {number} session
   * @param {number} row
   * @param {Hypothesis[]} live
   */
  #next(core, session, row, live) {
    const { beam, id, fate, n } = candidatesOf(core, session, row, this.#beams);
    /** @type {Hypothesis[]} */
    const next = [];
    for (let i = 0; i < n; i++) {
      if (fate[i] < 0) continue; // nothing follows what has ended
      next[fate[i]] = { next: new Map() };
      live[beam[i]].next.set(id[i], next[fate[i]]);
    }
    return next;
  }

  /** @param {number} source @param {import('./model.js').Generated} best  gets what it has attended to */
  finish(source, best) {
    const { length } = this.#sources[source];
    const attended = new Float64Array(best.ids.length * length);
    let at = this.#trees.get(source)?.root;
    for (const [t, id] of best.ids.entries()) {
      if (!at?.rows) return;
      const shape = [1, this.#heads.length, 1, length];
      attended.set(meanOfHeads({ shape, data: at.rows }), t * length);
      at = at.next.get(id);
    }
    this.#trees.delete(source);
    best.attended = attended;
  }
}

/**
 * Keeps the cross attention of a search.
 *
 * @param {Int32Array[]} sources
 * @param {import('./options.js').Search} search
 * @param {Readonly<Record<string, any>>} config
 * @returns {import('./batch.js').Watcher[]}  none, if heads of another layer than the last place the tags: the core does
 *   not keep them
 */
export function watchAttention(sources, { beams }, config) {
  const heads = headsOfTags(config);
  if (heads.some(([layer]) => layer !== config.decoder_layers - 1)) return [];
  return [new Attended(sources, beams, Int32Array.from(heads, ([, head]) => head))];
}
