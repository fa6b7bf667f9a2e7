// pace.js - how fast a server answers, and so how long a request will wait. Used by server.js.

import { BATCH } from '../base/limits.js';

/** Answers that count: those of two batches, as the sentences of one may end together. */
const ANSWERS = 2 * BATCH;

/** Time counts only while there is work. Times are in milliseconds. */
export class Pace {
  /** When the work began, or the answer before the last ANSWERS was given, and these. */
  #answers = [0];
  /** Time without work so far, that before the server began included, and the time at which the work ended. */
  #idle;
  #rest;

  constructor() {
    this.#idle = this.#rest = performance.now();
  }

  /** The first request comes. */
  begin() {
    this.#idle += performance.now() - this.#rest;
  }

  /** No request is left. */
  rest() {
    this.#rest = performance.now();
  }

  /** A request was answered. */
  answer() {
    this.#answers.push(performance.now() - this.#idle);
    if (this.#answers.length > ANSWERS + 1) this.#answers.shift();
  }

  /**
   * How long so many requests take. While nothing is answered, it grows.
   *
   * @param {number} count
   * @returns {number}  0 if there were too few answers to tell
   */
  timeFor(count) {
    const answers = this.#answers.length - 1;
    return answers < BATCH ? 0 : count * (performance.now() - this.#idle - this.#answers[0]) / answers;
  }
}
