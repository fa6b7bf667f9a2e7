// unit.js - a text of a page with the elements in it, as HTML for translateHtml(), and what comes back. Used by
// read.js, queue.js, write.js and page.js.
//
//   <p>The <a href=…>small <b>dog</b></a> <button>…</button></p>
//   -> <div>The <a i="0">small <b i="1">dog</b></a> <input i="2"></div>
//
// The HTML has no attributes of the page, and what is not part of the sentence stands in it as an empty element. So
// the answer is read by a few lines, without a parser that could run what is in it.

import { INLINE } from '../text/elements.js';

/** A child of an element in a translation: a text, or the index of a node. @typedef {string | number} Child */
/**
 * Neighbours, and the elements in them whose children are part of the text.
 *
 * @typedef {{ top: Node[], inner: Node[] }} Run
 */
/**
 * @typedef {object} Unit
 * @property {Node} container
 * @property {string} html
 * @property {Node[]} top  neighbours in the container, in the order of the page
 * @property {(Element | Comment)[]} nodes  elements and comments in them
 * @property {number[]} parents  of each of `nodes`: index of the one around it, or -1
 * @property {Set<number>} leaves  those whose content is not part of the unit
 * @property {undefined} [name]
 */
/** @typedef {{ container: Element, html: string, name: string }} AttributeUnit */

/** @type {Record<string, string>} */
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** @type {Record<string, string>} */
const REFERENCES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&nbsp;': '\u00a0', '&quot;': '"', '&#39;': "'" };

/** @param {string} text */
const encode = (text) => text.replace(/[&<>]/g, (c) => ESCAPES[c]);
/** @param {string} html */
const decode = (html) => html.replace(/&(?:amp|lt|gt|nbsp|quot|#39);/g, (reference) => REFERENCES[reference]);

/** A text alone, line breaks kept. @param {string} text */
export const htmlOfText = (text) => `<pre>${encode(text)}</pre>`;

/** Puts a unit together. */
export class Builder {
  #html = '';
  /** @type {Node[]} */
  #top = [];
  /** @type {(Element | Comment)[]} */
  #nodes = [];
  /** @type {number[]} */
  #parents = [];
  /** @type {Set<number>} */
  #leaves = new Set();
  /** Open elements. @type {{ index: number, name: string }[]} */
  #open = [];
  hasWords = false;

  /** @param {Element | Comment} node */
  #number(node) {
    this.#parents.push(this.#open.at(-1)?.index ?? -1);
    return this.#nodes.push(node) - 1;
  }

  /** A neighbour begins. @param {Node} node */
  begin(node) {
    this.#top.push(node);
  }

  /** @param {string} text */
  addText(text) {
    this.#html += encode(text);
  }

  /** @param {Element} element @param {'yes' | 'no' | ''} translate  what changes at it */
  open(element, translate) {
    const own = element.localName.toLowerCase();
    // what would end an element of this name is only known by another
    const isPlain = !INLINE.has(own) || own === 'rb' || (own === 'a' && this.#open.some(({ name }) => name === 'a'));
    const name = isPlain ? 'span' : own;
    const index = this.#number(element);
    this.#open.push({ index, name });
    this.#html += `<${name} i="${index}"${translate && ` translate="${translate}"`}>`;
  }

  close() {
    this.#html += `</${this.#open.pop()?.name}>`;
  }

  /**
   * What stands in the sentence without being read.
   *
   * @param {Element | Comment} node
   * @param {'br' | 'wbr' | 'img' | 'input'} name
   */
  addPoint(node, name) {
    const index = this.#number(node);
    this.#leaves.add(index);
    this.#html += `<${name} i="${index}">`;
  }

  /** A word that is not translated. @param {Element} element @param {string} text */
  addWord(element, text) {
    const index = this.#number(element);
    this.#leaves.add(index);
    this.#html += `<code i="${index}">${encode(text)}</code>`;
  }

  /** @returns {Run} */
  get run() {
    return { top: this.#top, inner: this.#nodes.filter((_, i) => !this.#leaves.has(i)) };
  }

  /**
   * @param {Node} container
   * @param {boolean} isPreformatted
   * @param {boolean} isKept
   * @returns {Unit}
   */
  finish(container, isPreformatted, isKept) {
    const name = isPreformatted ? 'pre' : 'div';
    return {
      container, html: `<${name}${isKept ? ' translate="no"' : ''}>${this.#html}</${name}>`,
      top: this.#top, nodes: this.#nodes, parents: this.#parents, leaves: this.#leaves,
    };
  }
}

/**
 * The blocks of an answer.
 *
 * @param {string} html
 * @param {number} count
 */
export function splitBlocks(html, count) {
  const blocks = html.match(/<(div|pre)\b[^>]*>[^]*?<\/\1>/g) ?? [];
  if (blocks.length === count) return blocks;
  throw new Error(`translateHtml(): found ${blocks.length} elements in the translation, expected ${count}`);
}

/** The text of a block without elements. @param {string} html */
export const textOfBlock = (html) => decode(html.replace(/^<[^>]*>|<[^>]*>$/g, ''));

/**
 * The children of each element of a unit, the container at -1. Whatever the answer is, each node is in it once, in its
 * own parent.
 *
 * @param {string} html
 * @param {Unit} unit
 * @returns {Map<number, Child[]>}
 */
export function readAnswer(html, { nodes, parents, leaves }) {
  /** @type {Map<number, Child[]>} */
  const children = new Map([[-1, []]]);
  for (const i of nodes.keys()) if (!leaves.has(i)) children.set(i, []);
  const listOf = (/** @type {number} */ i) => /** @type {Child[]} */ (children.get(i));
  const found = new Set();
  /** Open elements; those that are not known, or not in their place, are undefined. @type {(number | undefined)[]} */
  const open = [];
  const current = () => open.findLast((i) => i !== undefined) ?? -1;
  const inner = html.replace(/^<[^>]*>|<\/(?:div|pre)>$/g, '');
  for (const { 0: token, 1: end, 2: name, 3: number } of inner.matchAll(/<(\/?)(\w+)(?: i="(\d+)")?[^>]*>|[^<]+/g)) {
    const isInLeaf = open.length > 0 && leaves.has(Number(open.at(-1)));
    if (name === undefined) {
      if (!isInLeaf) listOf(current()).push(decode(token));
      continue;
    }
    if (end) {
      open.pop();
      continue;
    }
    const i = number === undefined ? -1 : Number(number);
    const isRight = i >= 0 && i < nodes.length && !found.has(i) && parents[i] === current();
    if (isRight) {
      listOf(parents[i]).push(i);
      found.add(i);
    }
    if (!/^(?:br|wbr|img|input)$/.test(name)) open.push(isRight ? i : undefined);
  }
  // what did not come back stands behind what it stood behind
  for (const [i, parent] of parents.entries()) {
    if (found.has(i)) continue;
    const list = listOf(parent);
    const before = parents.lastIndexOf(parent, i - 1);
    list.splice(i > 0 && before >= 0 ? list.indexOf(before) + 1 : 0, 0, i);
    found.add(i);
  }
  return children;
}
