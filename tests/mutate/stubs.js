// stubs.js - translates HTML by stubs instead of a model: each word of a sentence has its translations, with an
// alignment. Used by html.js, html.test.js, score/html.js and pages of browser/, so it needs no Node.

import { readBlocks } from '../../js/text/blocks.js';
import { hideStops } from '../../js/text/keep.js';
import { splitSentences } from '../../js/text/sentences.js';
import { reportKept } from '../../js/text/terms.js';
import { joinSpans } from '../../js/text/units.js';
import { withFixedSpaces, writeDocument } from '../../js/text/write.js';

/** @typedef {[word: string, source: number][]} Translated  words with the number of the word they translate */
/**
 * @typedef {(words: string[], isKept: (i: number) => boolean) => Translated} Stub  isKept: whether a word passes
 *   through
 */

/** @param {string} word */
const upper = (word) => word.toUpperCase();

/** @type {Record<string, Stub>} */
export const STUBS = {
  identity: (words) => words.map((word, i) => [word, i]),
  upper: (words, isKept) => words.map((word, i) => [isKept(i) ? word : upper(word), i]),
  reverse: (words, isKept) => STUBS.upper(words, isKept).reverse(),
  twice: (words, isKept) => words.flatMap((word, i) => (isKept(i) ? [[word, i]] : [[upper(word), i], ['zu', i]])),
  half: (words) => words.flatMap((word, i) => (i % 2 ? [] : [[upper(word), i]])),
  astray: (words) => words.map((word, i) => [upper(word), (i * 7 + 3) % words.length]),
  one: (words) => [[upper(words.join('')), 0]],
  none: () => [],
};

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * @param {string} text
 * @param {Stub} stub
 * @param {{ start: number, end: number }[]} [passing]
 * @returns {import('../../js/text/place.js').Part[]}
 */
export function translateText(text, stub, passing = []) {
  const parts = [];
  let start = 0;
  // like a model, no more than some hundred words at once
  const pieces = Array.from(splitSentences(hideStops(text, passing), sentences)).flatMap(({ text: sentence, after }) =>
    [...(sentence.match(/(?:\S{1,80}\s*){1,40}/g) ?? ['']).map((piece, i, all) => {
      const { length } = i === all.length - 1 ? piece : piece.trimEnd();
      return { length, after: i === all.length - 1 ? after : piece.slice(length) };
    })]);
  for (const { length, after } of pieces) {
    const source = text.slice(start, start + length);
    const spans = passing.map((span) => ({ start: span.start - start, end: span.end - start }))
      .filter((span) => span.start >= 0 && span.end <= source.length);
    const isIn = (/** @type {number} */ at) => spans.some((span) => span.start < at && at < span.end);
    const words = Array.from(source.matchAll(/\S+/g), ({ 0: word, index }) =>
      ({ word, start: index, end: index + word.length }))
      .reduce((/** @type {any[]} */ all, own) => {
        const last = all.at(-1);
        // one that passes through may have spaces
        if (last && isIn(own.start)) Object.assign(last, { word: source.slice(last.start, own.end), end: own.end });
        else all.push(own);
        return all;
      }, []);
    const isKept = (/** @type {number} */ i) =>
      spans.some((span) => span.start < words[i].end && span.end > words[i].start);
    let target = '';
    const targets = [];
    const links = stub(words.map(({ word }) => word), isKept);
    for (const [word] of links) {
      if (target) target += ' ';
      targets.push({ start: target.length, end: target.length + word.length });
      target += word;
    }
    const data = new Float64Array(targets.length * words.length);
    links.forEach(([, s], t) => (data[t * words.length + s] = 1));
    const terms = spans.map((span) => {
      const term = source.slice(span.start, span.end);
      return { ...span, term, translation: term };
    });
    const kept = reportKept(target, terms).matches;
    if (source) {
      const isSame = links.length === words.length && links.every(([word], i) => word === words[i].word);
      target = isSame ? source : withFixedSpaces(source, target, kept);
      parts.push({ start, source, target, kept, weights: { data, sources: words, targets } });
    }
    start += source.length + after.length;
  }
  return parts;
}

/** A text that is not in a block. @param {string} text @param {Stub} stub */
export function translatePlain(text, stub) {
  let [output, at] = ['', 0];
  for (const { start, source, target } of translateText(text, stub)) {
    output += text.slice(at, start) + target;
    at = start + source.length;
  }
  return output + text.slice(at);
}

/** @param {string} language */
export const isOther = (language) => !/^en\b/i.test(language);

/**
 * @param {string} html
 * @param {string | Stub} stub
 * @param {{ source: string, target: string }} [languages]
 */
export function translateBy(html, stub, languages = { source: 'en', target: 'de' }) {
  const own = typeof stub === 'string' ? STUBS[stub] : stub;
  const document = readBlocks(html, isOther);
  const parts = document.blocks.map(({ text, words }) => translateText(text, own, joinSpans(words)));
  const attributes = document.attributes.map(({ text }) => translatePlain(text, own));
  return { document, parts, output: writeDocument(document, parts, attributes, languages) };
}
