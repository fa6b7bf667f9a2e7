// markup.js - HTML as tokens that tile the source: tags, texts, and the rest, which is only copied. Finds the end of
// each element like a browser, without moving any. Never throws. Used by blocks.js.
//
//   source  ->  tokens of parse5's tokenizer  ->  what is between them is text
//   tags    ->  a stack of open elements, with the standard's rules for end tags that are missing
//
// Time grows with the length of the source, however it is nested: open elements are counted by name, so that no stack
// is searched in vain.

import { BLOCK, BREAKOUT, ENDS, ENDS_CELL, ENDS_P, HTML_INSIDE, STATES, VOID, WALLS } from './elements.js';
import { Tokenizer, TokenizerMode } from './parse5.js';

/**
 * @typedef {object} Attribute
 * @property {string} name  in lower case
 * @property {string} value  without references
 * @property {number} start  UTF-16 position in the source
 * @property {number} end
 */
/**
 * @typedef {object} Token
 * @property {'text' | 'open' | 'close' | 'other'} type  other: comments, doctypes, what a browser ignores
 * @property {number} start  UTF-16 position in the source
 * @property {number} end
 * @property {number} parent  index of the start tag of the element around it; -1: there is none
 * @property {string} name  of a tag, in lower case
 * @property {string} space  of an element: 'html', 'svg' or 'math'
 * @property {Attribute[]} attributes  of a start tag
 * @property {number} mate  of a tag: index of its other tag, its own if it needs none; -1: it has none
 * @property {number} last  of a start tag: index after the element's last token
 */

/** An element that is open. @typedef {{ index: number, name: string, space: string }} Open */

/** The elements that are open, with their numbers by name. */
class Stack {
  /** @type {Open[]} */
  #open = [];
  /** By wall: how many are open inside it. @type {Map<string, number>[]} */
  #counts = [new Map()];
  /** The same of elements in a sentence, by block. @type {Map<string, number>[]} */
  #inline = [new Map()];
  /** @type {Open[]} */
  #walls = [];
  #onClose;

  /** @param {(element: Open) => void} onClose */
  constructor(onClose) {
    this.#onClose = onClose;
  }

  get top() {
    return this.#open.at(-1);
  }

  /** @param {Open} element */
  static isWall({ name, space }) {
    return WALLS.has(name) && (space === 'html' || name === 'foreignobject' || name === space);
  }

  /** @param {Open} element */
  static isBlock(element) {
    return Stack.isWall(element) || (BLOCK.has(element.name) && element.space === 'html');
  }

  /** @param {Map<string, number>} counts @param {string} name @param {number} by */
  static #count(counts, name, by) {
    counts.set(name, (counts.get(name) ?? 0) + by);
  }

  /** @param {Open} element */
  push(element) {
    const isBlock = Stack.isBlock(element);
    Stack.#count(/** @type {Map<string, number>} */ ((isBlock ? this.#counts : this.#inline).at(-1)), element.name, 1);
    if (isBlock) this.#inline.push(new Map());
    if (Stack.isWall(element)) {
      this.#counts.push(new Map());
      this.#walls.push(element);
    }
    this.#open.push(element);
  }

  pop() {
    const element = /** @type {Open} */ (this.#open.pop());
    const isBlock = Stack.isBlock(element);
    if (Stack.isWall(element)) {
      this.#counts.pop();
      this.#walls.pop();
    }
    if (isBlock) this.#inline.pop();
    Stack.#count(/** @type {Map<string, number>} */ ((isBlock ? this.#counts : this.#inline).at(-1)), element.name, -1);
    this.#onClose(element);
    return element;
  }

  /** Pops elements up to one with this name. @param {string} name */
  popTo(name) {
    while (this.pop().name !== name);
  }

  /** Whether an element is open inside the nearest wall. @param {string} name @param {boolean} isBlock */
  has(name, isBlock) {
    return Number((isBlock ? this.#counts : this.#inline).at(-1)?.get(name)) > 0;
  }

  /** Pops up to the outermost of `names`, if one is open inside of `holders`. @param {Set<string>[]} rule */
  popImplied([names, holders]) {
    let count = 0;
    for (let i = this.#open.length - 1; i >= 0 && !holders.has(this.#open[i].name); i--) {
      if (names.has(this.#open[i].name)) count = this.#open.length - i;
      else if (Stack.isWall(this.#open[i])) break;
    }
    for (; count > 0; count--) this.pop();
  }

  /** The nearest wall. @returns {Open | undefined} */
  get wall() {
    return this.#walls.at(-1);
  }
}

/** What stands in text and is none: an end tag without a name; in SVG and MathML, CDATA. */
const JUNK = /<\/>/g;
const FOREIGN_JUNK = /<\/>|<!\[CDATA\[[^]*?(?:\]\]>|$)/g;

/** The tokenizer's states inside of a tag. */
const IN_TAG = new Set([7, 31, 32, 33, 34, 35, 36, 37, 38, 39]);

/**
 * @param {string} html
 * @returns {Token[]}  they tile the source
 */
export function readMarkup(html) {
  /** @type {Token[]} */
  const tokens = [];
  let at = 0; // where the last token ends
  const stack = new Stack(({ index }) => (tokens[index].last = tokens.length));
  /** The element of `top` whose content is not HTML. */
  const foreign = () => {
    const { top } = stack;
    return top && top.space !== 'html' && !HTML_INSIDE.has(`${top.space}:${top.name}`) ? top : undefined;
  };

  /** @param {Token['type']} type @param {number} start @param {number} end @param {Partial<Token>} [more] */
  const add = (type, start, end, more) => {
    const parent = stack.top?.index ?? -1;
    tokens.push({ type, start, end, parent, name: '', space: 'html', attributes: [], mate: -1, last: -1, ...more });
    at = end;
    return tokens.length - 1;
  };
  /** Adds what is before a token. @param {number} end */
  const begin = (end) => {
    const from = at;
    for (const { 0: { length }, index } of html.slice(from, end).matchAll(foreign() ? FOREIGN_JUNK : JUNK)) {
      if (from + index > at) add('text', at, from + index);
      add('other', from + index, from + index + length);
    }
    if (end > at) add('text', at, end);
  };

  /** @param {any} token @returns {Attribute[]} */
  const attributesOf = ({ attrs, location }) => attrs.map((/** @type {any} */ { name, value }) => {
    const { startOffset, endOffset } = location.attrs[name];
    return { name, value, start: startOffset, end: endOffset };
  });

  const handler = {
    onCharacter() {},
    onNullCharacter() {},
    onWhitespaceCharacter() {},
    onEof() {},
    onParseError: null,
    onComment: (/** @type {any} */ token) => handler.onOther(token),
    onDoctype: (/** @type {any} */ token) => handler.onOther(token),
    onOther(/** @type {any} */ { location }) {
      begin(location.startOffset);
      add('other', location.startOffset, Math.min(location.endOffset, html.length));
    },
    onStartTag(/** @type {any} */ token) {
      const { tagName: name, selfClosing, location: { startOffset, endOffset } } = token;
      begin(startOffset);
      if (foreign() && BREAKOUT.has(name)) while (foreign()) stack.pop();
      const around = foreign();
      const space = around ? around.space : name === 'svg' || name === 'math' ? name : 'html';
      if (space === 'html') {
        if (ENDS_P.has(name) && stack.has('p', true)) stack.popTo('p');
        if (ENDS[name]) stack.popImplied(ENDS[name]);
        if (name === 'a' && stack.has('a', false)) stack.popTo('a');
        if (name === 'button' && stack.wall?.name === 'button') stack.popTo('button');
      }
      const index = add('open', startOffset, endOffset, { name, space, attributes: attributesOf(token) });
      const isWhole = space === 'html' ? VOID.has(name) : selfClosing;
      if (isWhole) Object.assign(tokens[index], { last: index + 1, mate: index });
      else stack.push({ index, name, space });
      if (space === 'html' && STATES[name]) {
        tokenizer.state = TokenizerMode[/** @type {'RCDATA'} */ (STATES[name])];
      }
      tokenizer.inForeignNode = foreign() !== undefined;
    },
    onEndTag(/** @type {any} */ { tagName: name, location: { startOffset, endOffset } }) {
      begin(startOffset);
      const mate = closeFor(name);
      const index = add('close', startOffset, endOffset, { name, mate, space: tokens[mate]?.space ?? 'html' });
      if (mate >= 0) Object.assign(tokens[mate], { mate: index, last: index + 1 });
      tokenizer.inForeignNode = foreign() !== undefined;
    },
  };

  /** Ends the element of an end tag. @param {string} name @returns {number}  its start tag; -1: there is none */
  const closeFor = (name) => {
    const around = stack.wall?.name ?? '';
    if (ENDS_CELL.has(name) && /^(?:td|th|caption)$/.test(around)) stack.popTo(around);
    for (;;) {
      const { wall } = stack;
      const isOpen = wall?.name === name || stack.has(name, false) || stack.has(name, true);
      if (!isOpen) {
        // SVG and MathML are no wall for what is around them
        const isForeign = wall && wall.space !== 'html' && wall.name === wall.space;
        if (!isForeign || !BLOCK.has(name)) return -1;
        stack.popTo(wall.name);
        continue;
      }
      let element;
      do element = stack.pop();
      while (element.name !== name);
      return element.index;
    }
  };

  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, /** @type {any} */ (handler));
  tokenizer.write(html, true);
  // a tag that the source ends in is none; the tokenizer drops it
  const { state, currentToken } = /** @type {any} */ (tokenizer);
  const dropped = IN_TAG.has(state) ? currentToken.location.startOffset : html.length;
  begin(dropped);
  if (dropped < html.length) add('other', dropped, html.length);
  while (stack.top) stack.pop();
  return tokens;
}
