// changes.js - the containers of a page that have changed, and when each is read again: at first before the page is
// painted, but a text that is written again and again has to wait, or the languages would take turns. Used by page.js.

import { CHANGE_DELAY, MAX_CHANGE_DELAY } from '../base/limits.js';

/** @typedef {Element | ShadowRoot} Container */

/** So many changes of a container are read at once. */
const QUIET = 5;

export class Changes {
  #wake;
  /** @type {Map<Container, { at: number, isFirst: boolean }>} */
  #noted = new Map();
  /** How often containers have changed recently. @type {WeakMap<Node, { count: number, last: number }>} */
  #unrest = new WeakMap();
  #timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  /** @param {() => void} wake  called when it is time */
  constructor(wake) {
    this.#wake = wake;
  }

  /** Whether `done` waits for one of them. */
  get hasFirst() {
    for (const { isFirst } of this.#noted.values()) if (isFirst) return true;
    return false;
  }

  /**
   * @param {Container} container
   * @param {boolean} isFirst  whether `done` waits for it
   * @param {boolean} isWanted  whether it is noted, if it is not yet
   */
  add(container, isFirst, isWanted) {
    const noted = this.#noted.get(container);
    if (noted) noted.isFirst ||= isFirst;
    if (noted || !isWanted) return;
    const now = performance.now();
    const unrest = this.#unrest.get(container) ?? { count: 0, last: 0 };
    unrest.count = now - unrest.last > MAX_CHANGE_DELAY ? 0 : unrest.count + 1;
    unrest.last = now;
    this.#unrest.set(container, unrest);
    const delay = unrest.count < QUIET ? 0 : Math.min(CHANGE_DELAY * 2 ** (unrest.count - QUIET), MAX_CHANGE_DELAY);
    // and `done` does not wait for one that waits
    this.#noted.set(container, { at: now + delay, isFirst: isFirst && unrest.count < QUIET });
  }

  /** Takes those whose time has come. */
  takeDue() {
    const now = performance.now();
    /** @type {{ container: Container, isFirst: boolean }[]} */
    const due = [];
    let next = Infinity;
    for (const [container, { at, isFirst }] of this.#noted) {
      if (at > now) {
        next = Math.min(next, at);
        continue;
      }
      this.#noted.delete(container);
      due.push({ container, isFirst });
    }
    clearTimeout(this.#timer);
    if (next < Infinity) this.#timer = setTimeout(this.#wake, next - now);
    return due;
  }

  end() {
    clearTimeout(this.#timer);
  }
}
