// session.js - the core's memory for a search or a pass; created again if more is needed than it holds. Used by
// model.js and batch.js.

import { MAX_BATCH, MAX_BEAMS } from '../base/constants.js';
import { ints } from '../wasm/core.js';

/** max_source, max_target, max_beams, max_batch of heed_session_options. @typedef {number[]} Size */

/** A session, created on first use. */
export class Session {
  #core;
  #model;
  #handle = 0;
  /** The current size, and the greatest possible one. @type {Size} */
  #has = [1, 1, 1, 1];
  #most;

  /** @param {import('../wasm/core.js').Core} core @param {number} model @param {number} longest */
  constructor(core, model, longest) {
    this.#core = core;
    this.#model = model;
    this.#most = [longest, longest, MAX_BEAMS, MAX_BATCH];
  }

  /** The current size. */
  get size() {
    return this.#has;
  }

  /** Whether the session holds this much. @param {Size} need */
  holds(need) {
    return this.#handle !== 0 && need.every((n, i) => n <= this.#has[i]);
  }

  /** The handle of a session that holds this much. @param {...number} need  in the order above */
  for(...need) {
    if (this.holds(need)) return this.#handle;
    this.#core.run('heed_session_free', this.#handle);
    this.#handle = 0;
    // powers of two, so that a text with ever longer sentences creates few sessions; beams and sentences multiply, so
    // they are not kept from earlier calls
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
