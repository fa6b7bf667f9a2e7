// references.js - character references of HTML, with the place of each in the source. Used by blocks.js, and by files
// of documents/.

import { Tokenizer } from './parse5.js';

/** What may be a reference. The longest name has 31 letters. */
const REFERENCE = /&(?:#(?:[xX][\da-fA-F]+|\d+)|[A-Za-z][A-Za-z\d]{1,31});?/g;

/** Text of a document, without references. @param {string} source */
function decode(source) {
  let text = '';
  const add = (/** @type {{ chars: string }} */ { chars }) => void (text += chars);
  const handler = {
    onCharacter: add, onNullCharacter: add, onWhitespaceCharacter: add, onEof() {}, onParseError: null,
  };
  new Tokenizer({}, /** @type {any} */ (handler)).write(source, true);
  return text;
}

/**
 * The part of `source` that is a reference, from its beginning, and its text. Names without a semicolon may end before
 * a letter: &notit is \u00acit.
 *
 * @param {string} source  matches REFERENCE
 * @returns {{ length: number, text: string } | undefined}
 */
function readReference(source) {
  const whole = decode(source);
  if (whole === source) return undefined;
  if (source[1] === '#') return { length: source.length, text: whole };
  for (let length = 3; length <= source.length; length++) {
    const [head, rest] = [source.slice(0, length), source.slice(length)];
    const text = decode(head);
    if (text !== head && text + rest === whole) return { length, text };
  }
  return undefined;
}

/** @returns {(source: string) => { start: number, end: number, text: string }[]}  finds the references of texts */
export function referenceFinder() {
  /** Many texts have the same. @type {Map<string, ReturnType<typeof readReference>>} */
  const known = new Map();
  return (source) => {
    const found = [];
    for (const { 0: match, index } of source.matchAll(REFERENCE)) {
      if (!known.has(match)) known.set(match, readReference(match));
      const reference = known.get(match);
      if (reference) found.push({ start: index, end: index + reference.length, text: reference.text });
    }
    return found;
  };
}
