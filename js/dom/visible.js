// visible.js - which containers of a page are on the screen. Used by page.js.

import { isElement } from './nodes.js';

/** Milliseconds to wait for a browser to say what is visible. */
const PATIENCE = 250;

/** @param {Node} container */
const boxOf = (container) => (isElement(container) ? container : /** @type {ShadowRoot} */ (container).host);

export class Visible {
  #document;
  #observer = /** @type {IntersectionObserver | undefined} */ (undefined);
  /** @type {WeakSet<Element>} */
  #visible = new WeakSet();
  /** Whether the browser has said it, or will not. */
  isKnown = typeof IntersectionObserver !== 'function';

  /** @param {Document} document @param {() => void} wake  called when that changes */
  constructor(document, wake) {
    this.#document = document;
    if (this.isKnown) return;
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.#visible.add(target);
        else this.#visible.delete(target);
      }
      this.isKnown = true;
      wake();
    });
    setTimeout(() => {
      this.isKnown = true;
      wake();
    }, PATIENCE);
  }

  /** @param {Node} container */
  has(container) {
    return this.#visible.has(boxOf(container)) 
      || (container.parentNode !== null && container.parentNode === this.#document.head);
  }

  /** @param {Node} container */
  watch(container) {
    this.#observer?.observe(boxOf(container));
  }

  /** @param {Node} container */
  forget(container) {
    this.#observer?.unobserve(boxOf(container));
  }

  end() {
    this.#observer?.disconnect();
  }
}
