// session.js - the core's memory for a search or a pass, made anew when more is needed than it holds. Used by model.js
// and batch.js.

import { MAX_BATCH, MAX_BEAMS } from '../base/constants.js';
import { ints } from '../wasm/core.js';

/** max_source, max_target, max_beams, max_batch of heed_session_options. @typedef {number[]} Size */

/** A session, made when first needed. */
export class Session {
  #core;
  #model;
  #handle = 0;
  /** What there is, and the most there may be. @type {Size} */
  #has = [1, 1, 1, 1];
  #most;

  /** @param {import('../wasm/core.js').Core} core @param {number} model @param {number} longest */
  constructor(core, model, longest) {
    this.#core = core;
    this.#model = model;
    this.#most = [longest, longest, MAX_BEAMS, MAX_BATCH];
  }

  /** What it was made for. */
  get size() {
    return this.#has;
  }

  /** Whether there is one that holds this much. @param {Size} need */
  holds(need) {
    return this.#handle !== 0 && need.every((n, i) => n <= this.#has[i]);
  }

  /** The handle of a session that holds this much. @param {...number} need  in the order above */
  for(...need) {
    if (this.holds(need)) return this.#handle;
    this.#core.run('heed_session_free', this.#handle);
    this.#handle = 0;
    // powers of two: a text with ever longer sentences makes few sessions; beams and sentences multiply, so what an
    // earlier call had of them is no reason to have it now
    const wanted = need.map((n, i) => {
      const rounded = i < 3 ? 2 ** Math.ceil(Math.log2(i < 2 ? Math.max(n, this.#has[i]) : n)) : n;
      return Math.max(n, Math.min(rounded, this.#most[i]));
    });
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
