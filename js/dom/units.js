// units.js - the texts of a page that are not written yet, by the container that they stand in. Used by page.js.

import { parentOf } from './nodes.js';

/** @typedef {import('../text/elements.js').State} State */
/** @typedef {import('./queue.js').AnyUnit} AnyUnit */
/**
 * A container that was read.
 *
 * @typedef {object} Known
 * @property {State} state  what held in it
 * @property {Set<AnyUnit>} units  its texts that are not written
 * @property {boolean} isBlock  no other block is in it
 * @property {boolean} isLoose  see Place in read.js
 */

export class Units {
  #onDrop;
  /** @type {WeakMap<Node, Known>} */
  #known = new WeakMap();
  /** Elements that are part of a text of a container around them. @type {WeakSet<Node>} */
  #parts = new WeakSet();
  /** @type {Set<AnyUnit>} */
  #open = new Set();
  /** Those of them that `done` waits for. @type {Set<AnyUnit>} */
  #first = new Set();
  progress = { translated: 0, total: 0 };

  /** @param {(unit: AnyUnit) => void} onDrop  called with each that is not needed any more */
  constructor(onDrop) {
    this.#onDrop = onDrop;
  }

  /** Whether `done` waits for one. */
  get hasFirst() {
    return this.#first.size > 0;
  }

  /** @param {Node} container */
  of(container) {
    return this.#known.get(container);
  }

  /** The container that a node is read in. @param {Node} node @returns {Element | ShadowRoot | undefined} */
  containerOf(node) {
    /** @type {Node | null} */
    let each = node;
    while (each && !this.#known.has(each)) each = parentOf(each);
    return /** @type {Element | undefined} */ (each ?? undefined);
  }

  /**
   * @param {Node} container
   * @param {State} state
   * @param {AnyUnit[]} units
   * @param {{ isBlock: boolean, isLoose: boolean, isFirst: boolean }} more  isFirst: whether `done` waits for them
   */
  set(container, state, units, { isBlock, isLoose, isFirst }) {
    this.#known.set(container, { state, units: new Set(units), isBlock, isLoose });
    for (const unit of units) {
      this.#open.add(unit);
      if (isFirst) this.#first.add(unit);
    }
    this.progress.total += units.length;
  }

  /**
   * What a container was read to hold.
   *
   * @param {Node[]} inline  parts of its texts
   * @param {Node[]} inside  containers
   */
  setParts(inline, inside) {
    for (const element of inline) this.#parts.add(element);
    for (const container of inside) this.#parts.delete(container);
  }

  /** Whether an element is no container any more. @param {Node} element */
  isPart(element) {
    return this.#parts.has(element);
  }

  /** A unit is about to be written. @param {AnyUnit} unit @returns {boolean}  false: it was dropped */
  take(unit) {
    if (!this.#open.delete(unit)) return false;
    this.#first.delete(unit);
    this.#known.get(unit.container)?.units.delete(unit);
    this.progress.translated++;
    return true;
  }

  /**
   * Drops the units of a container, until it is read again.
   *
   * @param {Node} container
   * @returns {boolean}  whether `done` waits for one of them
   */
  drop(container) {
    const known = this.#known.get(container);
    let isFirst = false;
    for (const unit of known?.units ?? []) {
      if (this.#first.delete(unit)) isFirst = true;
      if (!this.#open.delete(unit)) continue;
      this.progress.total--;
      this.#onDrop(unit);
    }
    known?.units.clear();
    return isFirst;
  }

  /** As if they had not been read. @param {Iterable<Node>} nodes @returns {boolean}  as drop() */
  forget(nodes) {
    let isFirst = false;
    for (const node of nodes) {
      if (this.drop(node)) isFirst = true;
      this.#known.delete(node);
      this.#parts.delete(node);
    }
    return isFirst;
  }
}
