// translators.js - the translators of a server: each pair of languages is loaded once, when it is first asked for, and
// only some are kept. Calls start in the order in which they come. Used by interface.js.

import { onAbort } from '../base/host.js';
import { isLoss } from '../engine/pool.js';

/** @typedef {import('../translate/translator.js').Translator} Translator */
/** @typedef {{ translator: Promise<Translator>, users: number }} Kept */
/** @typedef {{ pair: string, enter: (kept: Kept) => void }} Waiting */

export class Translators {
  #create;
  #most;
  #atOnce;
  /** By pair, the one that was used last at the end. @type {Map<string, Kept>} */
  #kept = new Map();
  /** @type {Waiting[]} */
  #waiting = [];
  #running = 0;

  /**
   * @param {(source: string, target: string) => Promise<Translator>} create
   * @param {object} limits
   * @param {number} limits.most  translators to keep
   * @param {number} limits.atOnce  calls at the same time, of all translators
   */
  constructor(create, { most, atOnce }) {
    this.#create = create;
    this.#most = most;
    this.#atOnce = atOnce;
  }

  /** @param {string} pair @param {Kept} kept */
  #drop(pair, kept) {
    if (this.#kept.get(pair) === kept) this.#kept.delete(pair);
    kept.translator.then((translator) => translator.destroy(), () => {});
  }

  /** The translator of a pair, or undefined if all that may be kept are in use. @param {string} pair */
  #find(pair) {
    const found = this.#kept.get(pair);
    this.#kept.delete(pair);
    if (!found && this.#kept.size >= this.#most) {
      const idle = [...this.#kept].find(([, { users }]) => users === 0);
      if (!idle) return undefined;
      this.#drop(...idle);
    }
    const [source, target] = pair.split(' ');
    const kept = found ?? { translator: this.#create(source, target), users: 0 };
    this.#kept.set(pair, kept);
    return kept;
  }

  /** Starts what waits and can run. One that cannot is not overtaken, so that it does not wait forever. */
  #start() {
    while (this.#waiting.length > 0 && this.#running < this.#atOnce) {
      const [{ pair, enter }] = this.#waiting;
      const kept = this.#find(pair);
      if (!kept) return;
      this.#waiting.shift();
      this.#running++;
      kept.users++;
      enter(kept);
    }
  }

  /** @param {string} pair @param {AbortSignal} signal @returns {Promise<Kept>} */
  #turn(pair, signal) {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => {
        forget();
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
        this.#start();
      });
      /** @type {Waiting} */
      const waiting = {
        pair,
        enter: (kept) => {
          forget();
          resolve(kept);
        },
      };
      this.#waiting.push(waiting);
      this.#start();
    });
  }

  /**
   * The result of f with the translator of a pair, when it is its turn.
   *
   * @template T
   * @param {string} source
   * @param {string} target
   * @param {AbortSignal} signal  ends the waiting; f has to listen itself
   * @param {(translator: Translator) => Promise<T>} f
   * @returns {Promise<T>}
   */
  async use(source, target, signal, f) {
    const pair = `${source} ${target}`;
    const kept = await this.#turn(pair, signal);
    try {
      const translator = await kept.translator.catch((error) => {
        this.#drop(pair, kept); // the next call tries again
        throw error;
      });
      return await f(translator);
    } catch (error) {
      // a pool that has refused a text goes on
      if (isLoss(error)) this.#drop(pair, kept);
      throw error;
    } finally {
      kept.users--;
      this.#running--;
      this.#start();
    }
  }

  /** Frees all. */
  destroy() {
    for (const [pair, kept] of this.#kept) this.#drop(pair, kept);
  }
}
