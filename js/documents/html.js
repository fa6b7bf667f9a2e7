// html.js - HTML: each outermost block, with all inside, is a text of its own, so that a memory has the texts that did
// not change. Attributes elsewhere are plain texts.
//
// A block by itself must mean what it means in its page, for example inside of <pre>. If no element around it does
// that, the whole page is one text.

import { languageOf } from '../model/languages.js';
import { readBlocks } from '../text/blocks.js';
import { encodeValue } from '../text/escapes.js';
import { Builder } from './unit.js';

/** @typedef {import('../text/blocks.js').Block} Block */

/** What may be put around a block, so that it means what it means in its page. */
const AROUND = [['', ''], ['<pre>', '</pre>'], ['<div lang=zxx>', '</div>'], ['<div translate=no>', '</div>']];

/** What a translation depends on. @param {Block[]} blocks @param {{ text: string }[]} attributes */
const essence = (blocks, attributes) => JSON.stringify([attributes.map(({ text }) => text),
  blocks.map(({ text, words, tags }) => [text, words, tags.map(({ kind, at, mate, isSpaced, left, right }) =>
    [kind, at, mate, isSpaced, left, right])])]);

/**
 * @param {string} source
 * @param {{ source: string }} options  a language tag
 * @returns {import('./unit.js').Document}
 */
export function readHtml(source, { source: language }) {
  const isOther = (/** @type {string} */ tag) => languageOf(tag) !== languageOf(language);
  const { tokens, blocks, attributes } = readBlocks(source, isOther);
  const builder = new Builder(source);
  const whole = () => {
    const all = new Builder(source);
    const index = all.add(source, 0, true);
    all.replace(0, source.length, (translations) => translations[index]);
    return all.finish();
  };
  let [next, read] = [0, 0];
  /** Adds attributes of tags before a token. @param {number} last */
  const addAttributes = (last) => {
    for (; read < attributes.length && attributes[read].token < last; read++) {
      const { text, start, end, quote } = attributes[read];
      const index = builder.add(text, start);
      builder.replace(start, end, (translations) => {
        const translation = translations[index];
        return translation === text ? source.slice(start, end)
          : (quote || '"') + encodeValue(translation, quote || '"') + (quote || '"');
      });
    }
  };
  // blocks inside of another come before it: from the last one back, each is outermost or inside of the one found
  /** @type {Block[]} */
  const outer = [];
  for (const block of blocks.toReversed()) {
    const around = outer.at(-1);
    if (!around || block.first < around.first) outer.push(block);
  }
  for (const block of outer.reverse()) {
    addAttributes(block.first);
    const own = blocks.slice(next, blocks.indexOf(block, next) + 1);
    next += own.length;
    let until = read;
    while (attributes[until]?.token < block.last) until++;
    const ownAttributes = attributes.slice(read, until);
    read = until;
    const [start, end] = [tokens[block.first].start, tokens[block.last - 1].end];
    const html = source.slice(start, end);
    const wanted = essence(own, ownAttributes);
    const fitting = AROUND.find(([open, close]) => {
      const alone = readBlocks(open + html + close, isOther);
      return essence(alone.blocks, alone.attributes) === wanted;
    });
    if (!fitting) return whole();
    const [open, close] = fitting;
    const index = builder.add(open + html + close, start, true);
    builder.replace(start, end, (translations) =>
      translations[index].slice(open.length, translations[index].length - close.length));
  }
  addAttributes(tokens.length);
  return builder.finish();
}
