// pace.js - how fast a server answers, and so how long a request will wait. Used by server.js.

import { BATCH } from '../base/limits.js';

/** Answers that count: those of two batches, as the sentences of one may end together. */
const ANSWERS = 2 * BATCH;

/**
 * Time and answers count only while at least BATCH requests are open: one alone takes longer than its share of a batch.
 * Times are in milliseconds.
 */
export class Pace {
  /** When the load began, or the answer before the last ANSWERS was given, and these. */
  #answers = [0];
  /** Time without load so far, that before the server began included, and the time at which the load ended. */
  #idle;
  #rest;

  constructor() {
    this.#idle = this.#rest = performance.now();
  }

  /** As many as BATCH requests are open. */
  begin() {
    this.#idle += performance.now() - this.#rest;
  }

  /** Fewer are open. */
  rest() {
    this.#rest = performance.now();
  }

  /** A request was answered under load. */
  answer() {
    this.#answers.push(performance.now() - this.#idle);
    if (this.#answers.length > ANSWERS + 1) this.#answers.shift();
  }

  /**
   * How long so many requests take, BATCH at least. While nothing is answered, it grows.
   *
   * @param {number} count
   * @returns {number}  0 if there were too few answers to tell
   */
  timeFor(count) {
    const answers = this.#answers.length - 1;
    return answers < BATCH ? 0 : count * (performance.now() - this.#idle - this.#answers[0]) / answers;
  }
}
