// read.js - the texts of one container of a page: of neighbours that are one text, and of attributes that people read.
// What an element means is in text/elements.js, as for translateHtml(); and a page also has styles. Used by page.js.
//
// A container is a block, or what has texts of its own: a button, a shadow root. Those inside of it are read later.

import {
  ATOM, BLOCK, ICONS, isKept, isRead, NO_STATE, OPAQUE, SPACED, stateOf, SVG_INLINE, VOID, WORDS,
} from '../text/elements.js';
import { isElement, isText, parentOf, shadowOf } from './nodes.js';
import { Builder, htmlOfText } from './unit.js';

/** @typedef {import('../text/elements.js').State} State */
/** @typedef {import('./unit.js').Unit} Unit */
/** @typedef {import('./unit.js').Run} Run */
/** @typedef {import('./unit.js').AttributeUnit} AttributeUnit */
/** @typedef {import('./originals.js').Originals} Originals */
/**
 * A container, and what holds in it; isLoose: it is one only because of a block inside of it.
 *
 * @typedef {{ container: Element | ShadowRoot, state: State, isLoose: boolean }} Place
 */
/** @typedef {(language: string) => boolean} IsOther  whether it is another language than the page's */
/**
 * @typedef {object} Content
 * @property {(Unit | AttributeUnit)[]} units
 * @property {Place[]} inside  containers in it
 * @property {Element[]} inline  elements that are part of its texts
 * @property {Element[]} kept  elements that stay in their language
 * @property {Run[]} silent  neighbours without words
 * @property {boolean} isBlock  no other block is in it
 */

const WORDED = /[\p{L}\p{N}]/u;
const BLOCK_DISPLAY = /^(?:block|flex|grid|list-item|flow-root|table|-webkit-box)/;
/** Longer texts are no words that translateHtml() would copy. */
const LONGEST_WORD = 100;

/** @typedef {'block' | 'inline' | 'atom' | 'opaque' | 'void' | 'rule'} Kind  as in text/blocks.js */

/** @param {Element} element */
function nameOf({ localName, namespaceURI }) {
  const space = namespaceURI?.endsWith('/svg') ? 'svg' : namespaceURI?.endsWith('/MathML') ? 'math' : 'html';
  return { name: localName.toLowerCase(), space };
}

/** @param {Element} element */
const styleOf = (element) => /** @type {Window} */ (element.ownerDocument.defaultView).getComputedStyle(element);

/** Whether an element ends a sentence. @param {Element} element */
function isApart(element) {
  const { name, space } = nameOf(element);
  return (BLOCK.has(name) && space === 'html') || BLOCK_DISPLAY.test(styleOf(element).display);
}

/** What an element has that may be translated inside of one that is kept. */
const MIXING = '[translate], [lang], [contenteditable]';

/** Whether an element that is kept may have one inside that is not. @param {Element} element */
const isMixed = (element) => element.querySelector(MIXING) !== null;

/** Whether a node may be translated inside of one that is kept, or has such a node in it. @param {Node} node */
export const isMixing = (node) => isElement(node) && (node.matches(MIXING) || isMixed(node));

/** Whether what is inside of an element is never read. @param {Element} element */
function isOpaque(element) {
  const { name, space } = nameOf(element);
  return space === 'svg' ? name === 'style' || name === 'script' : OPAQUE.has(name);
}

/** Whether a node is inside of an element that is never read. @param {Node} node */
export function isUnread(node) {
  for (let each = parentOf(node); each; each = parentOf(each)) if (isElement(each) && isOpaque(each)) return true;
  return false;
}

/** Adds an element that is not read. @param {Element} element @param {State} state @param {Builder} unit */
function addLeaf(element, state, unit) {
  const { name, space } = nameOf(element);
  const classes = element.getAttribute('class') ?? '';
  const text = (element.textContent ?? '').replace(/\s+/g, ' ').trim();
  const isWord = (space === 'math' || WORDS.has(name) || isKept(state)) && !SPACED.has(name) && !ICONS.test(classes);
  if (isWord && WORDED.test(text) && text.length <= LONGEST_WORD) unit.addWord(element, text);
  else if (name === 'br' || name === 'wbr') unit.addPoint(element, name);
  else unit.addPoint(element, SPACED.has(name) ? 'input' : 'img');
}

/** Reads containers. */
export class Reader {
  #originals;
  #isOther;

  /** @param {Originals} originals @param {IsOther} isOther */
  constructor(originals, isOther) {
    this.#originals = originals;
    this.#isOther = isOther;
  }

  /** What holds in an element. @param {Element} element @param {State} around @returns {State} */
  stateOf(element, around) {
    const get = (/** @type {string} */ name) => this.#originals.attributeOf(element, name);
    return stateOf(nameOf(element), get, around, this.#isOther);
  }

  /** What holds in a node, by all that is around it. @param {Node} start @returns {State} */
  stateAt(start) {
    const around = [];
    for (let node = /** @type {Node | null} */ (start); node; node = parentOf(node)) {
      if (isElement(node)) around.push(node);
    }
    const state = around.reduceRight((each, element) => this.stateOf(element, each), NO_STATE);
    return isUnread(start) ? { ...state, isFixed: true } : state;
  }

  /** What holds of the children of a node. @param {Node} node @returns {State} */
  stateInside(node) {
    const state = this.stateAt(node);
    return isElement(node) && isOpaque(node) ? { ...state, isFixed: true } : state;
  }

  /**
   * The outermost node that is kept as it is, of those around a node, and itself.
   *
   * @param {Node | null} node
   * @param {Node | null} top  the last that counts
   */
  keptAround(node, top) {
    /** @type {Node | undefined} */
    let outer;
    for (let each = node; each && isKept(this.stateAt(each)); each = each === top ? null : parentOf(each)) outer = each;
    return outer;
  }

  /** @param {Element} element @param {State} state @returns {Kind} */
  #kindOf(element, state) {
    const { name, space } = nameOf(element);
    if (space === 'html' && VOID.has(name)) return /^(?:hr|col|frame)$/.test(name) ? 'rule' : 'void';
    if ((isKept(state) && !isMixed(element)) || isOpaque(element)) return 'opaque';
    if (space === 'svg' && name !== 'svg') return SVG_INLINE.has(name) ? 'inline' : 'block';
    if (isApart(element)) return 'block';
    return ATOM.has(name) || shadowOf(element) ? 'atom' : 'inline';
  }

  /**
   * @param {Element} element
   * @param {State} state
   * @param {Content} content
   */
  #readAttributes(element, state, content) {
    if (isKept(state)) return;
    const { name: own } = nameOf(element);
    const get = (/** @type {string} */ name) => this.#originals.attributeOf(element, name) ?? undefined;
    for (const name of element.getAttributeNames()) {
      if (!isRead(own, name, get)) continue;
      const text = get(name) ?? '';
      if (WORDED.test(text)) content.units.push({ container: element, html: htmlOfText(text), name });
    }
  }

  /**
   * What an inline element and those inside of it are.
   *
   * @param {Element} top
   * @param {State} around
   * @param {Map<Element, { state: State, kind: Kind }>} known  gets them
   * @returns {boolean}  whether there are blocks inside, or it is one: then it is no part of a sentence
   */
  #isDivided(top, around, known) {
    const stack = [{ element: top, around }];
    for (let each; (each = stack.pop());) {
      const { element } = each;
      const state = this.stateOf(element, each.around);
      const kind = this.#kindOf(element, state);
      known.set(element, { state, kind });
      if (kind === 'block' || kind === 'rule' || (kind === 'opaque' && isApart(element))) return true;
      if (kind === 'inline') for (const child of element.children) stack.push({ element: child, around: state });
    }
    return false;
  }

  /**
   * Adds a neighbour to a unit.
   *
   * @param {Node} top
   * @param {State} state
   * @param {Map<Element, { state: State, kind: Kind }>} known
   * @param {Builder} unit
   * @param {Content} content
   */
  #addNeighbour(top, state, known, unit, content) {
    unit.begin(top);
    /** @type {{ list: Node[], next: number, state: State }[]} */
    const frames = [{ list: [top], next: 0, state }];
    for (let frame; (frame = frames.at(-1));) {
      const node = frame.list[frame.next++];
      if (!node) {
        frames.pop();
        if (frames.length > 0) unit.close();
      } else if (isText(node)) {
        const text = this.#originals.textOf(/** @type {Text} */ (node));
        unit.addText(text);
        unit.hasWords ||= !isKept(frame.state) && WORDED.test(text);
      } else if (node.nodeType !== Node.ELEMENT_NODE) unit.addPoint(/** @type {Comment} */ (node), 'img');
      else {
        const element = /** @type {Element} */ (node);
        const { state: own, kind } = /** @type {{ state: State, kind: Kind }} */ (known.get(element));
        if (kind === 'atom') {
          unit.addPoint(element, SPACED.has(nameOf(element).name) ? 'input' : 'img');
          content.inside.push({ container: element, state: own, isLoose: false });
          continue;
        }
        content.inline.push(element);
        this.#readAttributes(element, own, content);
        if (kind !== 'inline') {
          addLeaf(element, own, unit);
          if (kind === 'opaque') content.kept.push(element);
          continue;
        }
        unit.open(element, isKept(own) === isKept(frame.state) ? '' : isKept(own) ? 'no' : 'yes');
        frames.push({ list: this.#originals.childrenOf(element), next: 0, state: own });
      }
    }
  }

  /**
   * @param {Element | ShadowRoot} container
   * @param {State} state  what holds in it
   * @returns {Content}
   */
  read(container, state) {
    /** @type {Content} */
    const content = { units: [], inside: [], inline: [], kept: [], silent: [], isBlock: true };
    let { isPreformatted } = state;
    if (isElement(container)) {
      this.#readAttributes(container, state, content);
      const shadow = shadowOf(container);
      if (shadow) {
        content.inside.push({ container: shadow, state, isLoose: false });
        content.isBlock = false;
      }
      const { name, space } = nameOf(container);
      if (isOpaque(container) || (space === 'html' && VOID.has(name))) return content;
      isPreformatted ||= /^(?:pre|break-spaces)/.test(styleOf(container).whiteSpace);
    }
    let unit = new Builder();
    const flush = () => {
      if (unit.hasWords) content.units.push(unit.finish(container, isPreformatted, isKept(state)));
      else content.silent.push(unit.run);
      unit = new Builder();
    };
    /** @type {Map<Element, { state: State, kind: Kind }>} */
    const known = new Map();
    for (const child of this.#originals.childrenOf(container)) {
      if (!isElement(child) || !this.#isDivided(child, state, known)) {
        this.#addNeighbour(child, state, known, unit, content);
        continue;
      }
      flush();
      content.isBlock = false;
      const own = /** @type {{ state: State, kind: Kind }} */ (known.get(child));
      if (own.kind === 'opaque') content.kept.push(child);
      if (own.kind !== 'opaque' || !isKept(own.state)) {
        content.inside.push({ container: child, state: own.state, isLoose: own.kind === 'inline' });
      }
    }
    flush();
    return content;
  }
}
