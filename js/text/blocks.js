// blocks.js - the texts of HTML that are for translation: of each block with its inline elements one text, and the
// attributes that people read. Used by translate/html.js.
//
//   tokens -> kinds of elements -> blocks: text, the place of each character in the source, tags
//
// Everything between the tags of blocks is a block. Elements that stand in a sentence like an image, such as buttons,
// have blocks of their own inside of the block around them.

import {
  ATOM, BLOCK, ICONS, INLINE, isKept, isRead, NO_STATE, OPAQUE, SPACED, stateOf, SVG_INLINE, VOID, WORDS,
} from './elements.js';
import { readMarkup } from './markup.js';
import { referenceFinder } from './references.js';

/** @typedef {import('./markup.js').Token} Token */
/**
 * @typedef {object} Tag  what stands between or around words
 * @property {'open' | 'close' | 'point' | 'word'} kind  point: it has no end, or is copied with its content; word: so,
 *   but its content is also a word of the text
 * @property {number} first  index of its first token
 * @property {number} last  index after its last token
 * @property {number} at  position in the text
 * @property {number} mate  index of the other tag; -1: there is none
 * @property {boolean} isSpaced  it divides words like a space
 * @property {boolean} left  white space is between it and the word before
 * @property {boolean} right  and the word after
 */
/**
 * @typedef {object} Block
 * @property {number} first  index of its first token
 * @property {number} last  index after its last token
 * @property {string} text  to translate; outside of <pre> with one space for each run of white space
 * @property {number[]} from  UTF-16 position in the source of each character of `text`
 * @property {number[]} to  and where it ends
 * @property {Tag[]} tags  in order
 * @property {{ start: number, end: number }[]} words  places of the tags of kind 'word' in the text
 */
/**
 * @typedef {object} ReadAttribute
 * @property {number} token
 * @property {string} text
 * @property {number} start  UTF-16 position of the value in the source, with its quotes
 * @property {number} end
 * @property {string} quote  '' if there is none
 */
/**
 * @typedef {object} Document
 * @property {string} html
 * @property {Token[]} tokens
 * @property {Block[]} blocks  those inside of another come before it
 * @property {ReadAttribute[]} attributes  in order
 */

/** Longest word that is copied: a text, rather than a word, is only put in its place. */
const LONGEST_WORD = 60;

/** Tokens of a footnote mark. */
const LONGEST_MARK = 16;

const WORDED = /[\p{L}\p{N}]/u;
/** White space of HTML. */
const SPACE = /[ \t\n\f\r]/;
/** A line that ends so is the end of a sentence. */
const ENDS = /[.!?:;\u2026\u3002\uff01\uff1f\uff1a\uff1b]["'\u201d\u2019\u00bb)\]]*$/;
const STARTS_SMALL = /^\p{Ll}/u;

/** @param {Token} token @param {string} name */
const get = ({ attributes }, name) => attributes.find((attribute) => attribute.name === name)?.value;

/** @typedef {import('./elements.js').State} State */
/** @typedef {'block' | 'inline' | 'atom' | 'opaque' | 'void' | 'rule'} Kind  rule: void, and ends a sentence */

/**
 * The kind of each element by the index of its start tag, and what holds of it.
 *
 * @param {string} html
 * @param {Token[]} tokens
 * @param {(language: string) => boolean} isOther
 * @param {ReturnType<typeof referenceFinder>} find
 */
function classify(html, tokens, isOther, find) {
  /** @type {State[]} */
  const states = [];
  /** Whether an element, or the document at -1, has text of its own, and words in it. */
  const hasText = new Set();
  const hasWords = new Set();
  /** Links beside each other without words between them, as in a menu: how many, and whether there is more. */
  const links = new Map();
  /** Elements that are kept, with something in them that is not. */
  const isMixed = new Set();
  for (const [i, token] of tokens.entries()) {
    const { type, start, end, parent, name } = token;
    if (type === 'text') {
      const text = html.slice(start, end);
      if (!/\S/.test(text)) continue;
      hasText.add(parent);
      if (WORDED.test(text)) hasWords.add(parent);
    }
    if (type !== 'open') continue;
    const around = parent < 0 ? NO_STATE : states[parent];
    states[i] = stateOf(token, (name) => get(token, name), around, isOther);
    if (isKept(around) && !isKept(states[i])) {
      for (let up = parent; up >= 0 && !isMixed.has(up); up = tokens[up].parent) isMixed.add(up);
    }
    if (name === 'a') links.set(parent, Number(links.get(parent) ?? 0) + 1);
    else if (!VOID.has(name)) links.set(parent, NaN);
  }

  /** Footnote marks and exponents, which are written like an image. @type {Set<number>} */
  const marks = new Set();
  /** @type {Kind[]} */
  const kinds = [];
  for (const [i, { type, name, space, parent, mate }] of tokens.entries()) {
    if (type !== 'open') continue;
    const isInline = parent >= 0 && kinds[parent] === 'inline';
    if (space === 'html' && VOID.has(name)) kinds[i] = /^(?:hr|col|frame)$/.test(name) ? 'rule' : 'void';
    else if ((isKept(states[i]) && !isMixed.has(i)) || (space !== 'svg' && OPAQUE.has(name))) kinds[i] = 'opaque';
    else if (space === 'svg' && name !== 'svg') {
      kinds[i] = name === 'style' || name === 'script' ? 'opaque' : SVG_INLINE.has(name) ? 'inline' : 'block';
    } else if (ATOM.has(name)) kinds[i] = mate < 0 ? 'block' : 'atom';
    else if (BLOCK.has(name)) kinds[i] = 'block';
    else if (name === 'a' && !isInline && !hasWords.has(parent) && Number(links.get(parent)) > 1) {
      kinds[i] = mate < 0 ? 'block' : 'atom';
    } else kinds[i] = INLINE.has(name) || isInline || hasText.has(parent) ? 'inline' : 'block';
  }

  let isWordNext = false; // the text after a token begins with a word
  for (let i = tokens.length - 1; i >= 0; i--) {
    const { type, name, start, mate } = tokens[i];
    const kind = kinds[type === 'close' ? mate : i];
    if (kind === 'block' || kind === 'rule') isWordNext = false;
    if (type === 'text') isWordNext = /^[\p{L}\p{N}]/u.test(html.slice(start, start + 2));
    const isMark = type === 'close' && name === 'sup' && kind === 'inline' && i - mate < LONGEST_MARK;
    if (!isMark || isWordNext) continue;
    const text = textOf(html, tokens.slice(mate, i), find);
    if (text !== '' && !/\p{L}/u.test(text)) marks.add(mate);
  }
  for (const i of marks) kinds[i] = 'opaque';

  // what has no end tag, and what ends it, must stay where it is
  const ends = new Set(tokens.flatMap(({ type, mate, last }, i) =>
    (type === 'open' && mate < 0 && kinds[i] !== 'inline' ? [last] : [])));
  for (const i of ends) {
    if (kinds[i] === 'inline' || kinds[i] === 'atom') kinds[i] = 'block';
    else if (kinds[i] === 'void') kinds[i] = 'rule';
  }
  // an inline element with a block inside is a block
  const isDivided = (/** @type {number} */ i) =>
    kinds[i] === 'inline' || (kinds[i] === 'opaque' && (isKept(states[i]) || marks.has(i)));
  const divided = new Set([...ends].filter((i) => kinds[i] === 'opaque'));
  for (const [i, { type, name, parent, mate }] of tokens.entries()) {
    const isUnread = kinds[i] === 'opaque' && (BLOCK.has(name) || mate < 0);
    const isBreak = type === 'open' ? kinds[i] === 'block' || kinds[i] === 'rule' || isUnread
      : type === 'close' && mate < 0 && !INLINE.has(name) && !VOID.has(name);
    if (!isBreak) continue;
    if (isUnread) divided.add(i);
    for (let up = parent; up >= 0 && isDivided(up) && !divided.has(up); up = tokens[up].parent) divided.add(up);
  }
  for (const i of divided) if (kinds[i] === 'inline') kinds[i] = 'block';
  return { states, kinds, divided, ends };
}

/** Puts a block together. */
class Builder {
  /** The text, by code unit. @type {string[]} */
  #units = [];
  /** @type {number[]} */
  from = [];
  /** @type {number[]} */
  to = [];
  /** @type {Tag[]} */
  tags = [];
  /** @type {Block['words']} */
  words = [];
  first = -1;
  last = -1;
  /** White space since the last word. */
  #spaces = 0;
  /** `#spaces` at each tag since the last word. @type {{ tag: Tag, spaces: number }[]} */
  #open = [];
  /** What divides words since the last word. */
  #breaks = 0;
  #isSpaced = false;

  /** @param {string} c @param {number} from @param {number} to */
  #put(c, from, to) {
    for (let i = 0; i < c.length; i++) {
      this.#units.push(c[i]);
      this.from.push(from);
      this.to.push(to);
    }
  }

  /** A character that is no white space follows. @param {string} text  that begins with it @param {number} from */
  #beginWord(text, from) {
    for (const { tag, spaces } of this.#open) tag.right = this.#spaces > spaces;
    const units = this.#units;
    if (units.length > 0 && (this.#breaks > 0 || this.#isSpaced)) {
      const last = units[units.length - 1];
      const goesOn = this.#breaks === 0 ||
        (this.#breaks === 1 && !ENDS.test(units.slice(-8).join('').trimEnd()) && STARTS_SMALL.test(text));
      if (!goesOn && last === ' ') units[units.length - 1] = '\n';
      else if (!/\s/.test(last)) this.#put(goesOn ? ' ' : '\n', from, from);
    }
    [this.#spaces, this.#open, this.#breaks, this.#isSpaced] = [0, [], 0, false];
  }

  /** @param {number} first @param {number} last */
  #cover(first, last) {
    if (this.first < 0) this.first = first;
    this.last = last;
  }

  /**
   * @param {number} token
   * @param {string} source
   * @param {number} start  its place in the source
   * @param {{ start: number, end: number, text: string }[]} references
   * @param {boolean} isPreformatted
   */
  addText(token, source, start, references, isPreformatted) {
    this.#cover(token, token + 1);
    let next = 0;
    for (let i = 0; i < source.length;) {
      const reference = references[next]?.start === i ? references[next++] : undefined;
      const end = reference?.end ?? i + 1;
      const c = reference?.text ?? source[i];
      const isSpace = SPACE.test(c);
      if (isSpace) this.#spaces++;
      else if (c !== '\0') {
        if (this.#spaces + this.#open.length > 0) this.#beginWord(reference?.text ?? source.slice(i, i + 2), start + i);
        this.#put(c, start + i, start + end);
      }
      const last = this.#units.at(-1);
      if (isSpace && (isPreformatted || (last !== undefined && !/[ \n]/.test(last)))) {
        this.#put(isPreformatted ? c : ' ', start + i, start + end);
      }
      i = end;
    }
  }

  /**
   * @param {Tag['kind']} kind
   * @param {number} first
   * @param {number} last
   * @param {{ name?: string, isSpaced?: boolean }} [more]
   * @returns {number}  index of the tag
   */
  addTag(kind, first, last, { name = '', isSpaced = SPACED.has(name) } = {}) {
    this.#cover(first, last);
    const tag = { kind, first, last, at: this.#units.length, mate: -1, isSpaced, left: this.#spaces > 0, right: false };
    this.#open.push({ tag, spaces: this.#spaces });
    if (name === 'br') this.#breaks++;
    this.#isSpaced ||= isSpaced;
    return this.tags.push(tag) - 1;
  }

  /** @param {number} first @param {number} last @param {string} word @param {number} from @param {number} to */
  addWord(first, last, word, from, to) {
    const i = this.addTag('word', first, last, { isSpaced: false });
    const tag = this.tags[i];
    this.#beginWord(word, from);
    tag.at = this.#units.length;
    tag.right = false;
    this.words.push({ start: tag.at, end: tag.at + word.length });
    this.#put(word, from, to);
  }

  /** @returns {Block | undefined}  undefined: it has no words */
  finish() {
    const { tags, words, first, last, from, to } = this;
    const text = this.#units.join('').trimEnd();
    if (!WORDED.test(text)) return undefined;
    for (const { tag, spaces } of this.#open) tag.right = this.#spaces > spaces;
    for (const tag of tags) {
      tag.at = Math.min(tag.at, text.length);
      // a tag whose other is not in this block is alone
      if (tag.kind !== 'word' && tag.mate < 0) tag.kind = 'point';
    }
    return { first, last, text, from, to, tags, words };
  }
}

/**
 * The visible text of a few tokens, as one line.
 *
 * @param {string} html
 * @param {Token[]} tokens
 * @param {ReturnType<typeof referenceFinder>} find
 */
function textOf(html, tokens, find) {
  let text = '';
  for (const { type, start, end } of tokens) {
    if (type !== 'text') continue;
    const source = html.slice(start, end);
    let at = 0;
    for (const reference of find(source)) {
      text += source.slice(at, reference.start) + reference.text;
      at = reference.end;
    }
    text += source.slice(at);
  }
  // marks without width would belong to the sentence before
  return text.replace(/[ \t\n\f\r]+/g, ' ').replace(/^[\s\p{Cf}]+/u, '').trim();
}

/** @param {string} html @param {Token} token @param {number} index @returns {ReadAttribute[]} */
function attributesOf(html, token, index) {
  const { attributes, name: element } = token;
  return attributes.flatMap(({ name, value, start, end }) => {
    const isText = WORDED.test(value) && isRead(element, name, (other) => get(token, other));
    if (!isText) return [];
    const equals = /^[ \t\n\f\r]*=[ \t\n\f\r]*/.exec(html.slice(start + name.length, end))?.[0].length ?? 0;
    const from = start + name.length + equals;
    const quote = /["']/.test(html[from]) ? html[from] : '';
    return [{ token: index, text: value, start: from, end, quote }];
  });
}

/**
 * @param {string} html
 * @param {(language: string) => boolean} isOther  whether a tag is of another language than the text
 * @returns {Document}
 */
export function readBlocks(html, isOther) {
  const tokens = readMarkup(html);
  const find = referenceFinder();
  const { states, kinds, divided, ends } = classify(html, tokens, isOther, find);
  /** @type {Block[]} */
  const blocks = [];
  /** @type {ReadAttribute[]} */
  const attributes = [];
  let block = new Builder();
  /** Blocks around elements that are read. @type {{ block: Builder, last: number }[]} */
  const around = [];
  /** By the index of a start tag. @type {Map<number, { block: Builder, index: number }>} */
  const opened = new Map();

  const flush = () => {
    const finished = block.finish();
    if (finished) blocks.push(finished);
    block = new Builder();
  };

  /** Adds an element that is not read. @param {number} i */
  const addOpaque = (i) => {
    const { last, name, space, parent } = tokens[i];
    if (divided.has(i)) return void flush();
    const isWord = (space === 'math' || WORDS.has(name) || isKept(states[i])) &&
      !SPACED.has(name) && !ICONS.test(get(tokens[i], 'class') ?? '') && !(parent >= 0 && isKept(states[parent]));
    const word = isWord && last - i <= 2 * LONGEST_WORD ? textOf(html, tokens.slice(i, last), find) : '';
    if (WORDED.test(word) && word.length <= LONGEST_WORD) {
      block.addWord(i, last, word, tokens[i].start, tokens[last - 1].end);
    } else block.addTag('point', i, last, { name });
  };

  for (let i = 0; i < tokens.length;) {
    if (ends.has(i)) flush();
    while (around.at(-1)?.last === i) {
      flush();
      block = /** @type {{ block: Builder }} */ (around.pop()).block;
    }
    const token = tokens[i];
    const { type, start, end, parent, mate, name } = token;
    const state = states[type === 'open' ? i : parent];
    let next = i + 1;
    if (type === 'open' && !isKept(state)) attributes.push(...attributesOf(html, token, i));
    if (type === 'text') {
      if (state && isKept(state)) block.addTag('point', i, next);
      else {
        const source = html.slice(start, end);
        block.addText(i, source, start, source.includes('&') ? find(source) : [], state?.isPreformatted ?? false);
      }
    } else if (type === 'other' && end === html.length) flush(); // it may have no end
    else if (type === 'other') block.addTag('point', i, next);
    else if (type === 'close') {
      const kind = kinds[mate] ?? (INLINE.has(name) || VOID.has(name) ? 'void' : 'block');
      if (kind === 'inline') {
        const index = block.addTag('close', i, next);
        const open = opened.get(mate);
        if (open?.block === block) [block.tags[index].mate, block.tags[open.index].mate] = [open.index, index];
      } else if (kind === 'block') flush();
      else if (kind === 'void') block.addTag('point', i, next);
    } else if (kinds[i] === 'block' || kinds[i] === 'rule') flush();
    else if (kinds[i] === 'void') block.addTag('point', i, next, { name });
    else if (kinds[i] === 'inline') {
      const index = block.addTag(mate < 0 ? 'point' : 'open', i, next);
      if (mate >= 0) opened.set(i, { block, index });
    } else if (kinds[i] === 'opaque') {
      addOpaque(i);
      next = token.last;
    } else {
      block.addTag('point', i, token.last, { name });
      around.push({ block, last: token.last });
      block = new Builder();
    }
    i = next;
  }
  while (around.length > 0) {
    flush();
    block = /** @type {{ block: Builder }} */ (around.pop()).block;
  }
  flush();
  return { html, tokens, blocks, attributes };
}
