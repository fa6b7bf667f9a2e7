// attended.js - the cross attention of a search, kept step by step, so that an alignment needs no pass of its own: the
// mean of the heads, of the hypotheses that live or may be the result.
// Loaded by engine/here.js for searches with `align`.

import { ENDED, PRUNED } from '../base/constants.js';
import { floats, ints } from '../wasm/core.js';
import { candidatesOf } from './candidates.js';
import { headsOfTags } from './heads.js';
import { meanOfHeads } from './inspect.js';

/**
 * A hypothesis, by its last id. It refers to what it continues, not the reverse: what is pruned becomes garbage.
 *
 * @typedef {object} Hypothesis
 * @property {Hypothesis} [before]  what it continues
 * @property {number} length  number of its ids
 * @property {number} id  the last of them
 * @property {Float32Array | Float64Array} [row]  [source], where the search looked when it chose the id
 */
/**
 * @typedef {object} Kept  of a sentence
 * @property {Hypothesis[]} live
 * @property {Hypothesis[]} ended  all, of which the core keeps the best
 */

/** A Watcher, see batch.js. */
class Attended {
  #sources;
  #search;
  #heads;
  /** By source. @type {Map<number, Kept>} */
  #kept = new Map();

  /** @param {Int32Array[]} sources @param {import('./options.js').Search} search @param {Int32Array} heads */
  constructor(sources, search, heads) {
    this.#sources = sources;
    this.#search = search;
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
    const { beams } = this.#search;
    const { length } = this.#sources[source];
    const size = heads.length * length;
    const [data, count] = [floats(beams * size), ints(1)];
    core.call('generate', 'heed_search_attention', session, row, heads, heads.length, data, count);
    const n = count.value[0];
    // before its first step, or put back to start over
    if (n === 0) return void this.#kept.delete(source);
    const { live, ended } = this.#kept.get(source) ?? { live: [{ length: 0, id: -1 }], ended: [] };
    const rows = Array.from({ length: n }, (_, b) => {
      const own = data.value.slice(b * size, (b + 1) * size);
      return heads.length === 1 ? own : meanOfHeads({ shape: [1, heads.length, 1, length], data: own });
    });
    /** @type {Kept} */
    const next = { live: [], ended };
    const { beam, id, fate, n: found } = candidatesOf(core, session, row, beams);
    for (let i = 0; i < found; i++) {
      if (fate[i] === PRUNED) continue;
      const before = live[beam[i]];
      const tip = { before, length: before.length + 1, id: id[i], row: rows[beam[i]] };
      if (fate[i] === ENDED) ended.push(tip);
      else next.live[fate[i]] = tip;
    }
    // no id could follow: the result is what lived before
    if (next.live.length === 0 && ended.length === 0) next.live = live;
    this.#kept.set(source, next);
  }

  /** @param {number} source @param {import('./model.js').Generated} best  gets what it has attended to */
  finish(source, best) {
    const { live, ended } = this.#kept.get(source) ?? { live: [], ended: [] };
    this.#kept.delete(source);
    const { length } = this.#sources[source];
    const attended = new Float64Array(best.ids.length * length);
    // its last ids may be cut off, if they are an incomplete character
    const isBest = (/** @type {Hypothesis} */ tip) => {
      if (tip.length < best.ids.length) return false;
      for (let at = tip; at.before && at.row; at = at.before) {
        const t = at.length - 1;
        if (t >= best.ids.length) continue;
        if (at.id !== best.ids[t]) return false;
        attended.set(at.row, t * length);
      }
      return true;
    };
    // rows of the same ids are the same, whichever hypothesis they are of
    if ([...ended, ...live].some(isBest)) best.attended = attended;
  }
}

/**
 * Keeps the cross attention of a search.
 *
 * @param {Int32Array[]} sources
 * @param {import('./options.js').Search} search
 * @param {Readonly<Record<string, any>>} config
 * @returns {import('./batch.js').Watcher[]}  none, if heads of another layer than the last place the tags: the core
 *   does not keep them
 */
export function watchAttention(sources, search, config) {
  const heads = headsOfTags(config);
  if (heads.some(([layer]) => layer !== config.decoder_layers - 1)) return [];
  return [new Attended(sources, search, Int32Array.from(heads, ([, head]) => head))];
}
