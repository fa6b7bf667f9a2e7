// languages.js - states the language of a page, and its direction, as it is translated. Used by page.js.
//
// A browser shapes all text again whose language changes: for a whole page that takes many times a frame. So at first
// each block states its language itself, as it is written. When all is written, the root states it, which changes no
// block; then the blocks have what they had.

import { PAGE_BLOCKS } from '../base/limits.js';
import { directionOf, languageOf } from '../model/languages.js';
import { isKept } from '../text/elements.js';
import { isElement, parentOf } from './nodes.js';

/** @typedef {import('./originals.js').Originals} Originals */

export class Languages {
  #originals;
  #reader;
  #translator;
  #top;
  /** From, to. */
  #directions;
  /** Elements that are done, with all around them. @type {WeakSet<Node>} */
  #marked = new WeakSet();
  /** Elements that will state the language. @type {Set<Element>} */
  #stating = new Set();
  /** Blocks that do so until then. @type {Set<Element>} */
  #blocks = new Set();
  #isSettled = false;

  /**
   * @param {Originals} originals
   * @param {Pick<import('./read.js').Reader, 'stateAt'>} reader
   * @param {{ sourceLanguage: string, targetLanguage: string }} translator
   * @param {Node | null} top  the root, or the outermost element of a document
   */
  constructor(originals, reader, translator, top) {
    this.#originals = originals;
    this.#reader = reader;
    this.#translator = translator;
    this.#top = top;
    this.#directions = [translator.sourceLanguage, translator.targetLanguage].map(directionOf);
  }

  /** What is around elements, or what they state, has changed. */
  forget() {
    this.#marked = new WeakSet();
  }

  /** Keeps the direction of what is not translated. @param {Element[]} elements */
  keepDirections(elements) {
    const [from, to] = this.#directions;
    if (from === to) return;
    for (const element of elements) {
      const hasText = /\S/.test(element.textContent ?? '') && !element.hasAttribute('dir');
      if (hasText) this.#originals.setAttribute(element, 'dir', from);
    }
  }

  /**
   * A container is translated, or one of its texts.
   *
   * @param {Node} container
   * @param {boolean} isBlock  there are no other containers in it
   */
  add(container, isBlock) {
    for (let node = /** @type {Node | null} */ (container); node && !this.#marked.has(node); node = parentOf(node)) {
      this.#marked.add(node);
      if (isElement(node)) this.#mark(node, node === container && isBlock);
      if (node === this.#top) break;
    }
    const isOpen = !this.#isSettled && isBlock && isElement(container) && !container.hasAttribute('lang');
    if (!isOpen) return;
    this.#blocks.add(container);
    this.#originals.setAttribute(container, 'lang', this.#translator.targetLanguage);
  }

  /** Elements in a text that is translated. @param {Node[]} nodes */
  addInline(nodes) {
    for (const node of nodes) if (isElement(node)) this.#mark(node, true);
  }

  /** @param {Element} element @param {boolean} isSmall */
  #mark(element, isSmall) {
    const { sourceLanguage, targetLanguage } = this.#translator;
    const isTop = this.#top && isElement(this.#top) ? element === this.#top : element.parentNode === this.#top;
    const [from, to] = this.#directions;
    const lang = this.#originals.attributeOf(element, 'lang');
    const dir = this.#originals.attributeOf(element, 'dir')?.toLowerCase();
    const isStated = lang && languageOf(lang) === languageOf(sourceLanguage);
    // of what is kept as it is, some part is translated
    if (!isTop && (isStated || dir) && isKept(this.#reader.stateAt(element))) return;
    if (isTop || isStated) {
      if (isSmall || this.#isSettled) this.#originals.setAttribute(element, 'lang', targetLanguage);
      else this.#stating.add(element);
    }
    if (from !== to && (isTop || dir === from)) this.#originals.setAttribute(element, 'dir', to);
  }

  /**
   * All is written: states the language where it belongs, some elements at a time.
   *
   * @returns {boolean}  whether there may be more
   */
  settle() {
    this.#isSettled = true;
    for (const element of this.#stating) {
      this.#stating.delete(element);
      if (!element.isConnected) continue;
      this.#mark(element, true);
      return true;
    }
    let count = 0;
    for (const block of this.#blocks) {
      if (count++ === PAGE_BLOCKS) break;
      this.#blocks.delete(block);
      if (this.#originals.attributeOf(block, 'lang') === null) this.#originals.restoreAttribute(block, 'lang');
    }
    return count > 0;
  }
}
