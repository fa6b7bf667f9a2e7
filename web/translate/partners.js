// partners.js - which words of a sentence and of its translation belong together, by the model's alignment. Used by
// pane.js.

import { overlap } from '../../js/text/words.js';

/** @typedef {{ start: number, end: number }} Span  UTF-16, [start, end) */
/** @typedef {{ source: Span, target: Span }} Link  of a target token to its source token */
/** @typedef {import('../../js/translate/detail.js').TranslatedSentence} TranslatedSentence */

/** The links of all tokens that have a place in both texts. @param {TranslatedSentence} part @returns {Link[]} */
export function linksOf({ sourceTokens, targetTokens, alignment }) {
  return targetTokens.flatMap(({ start = 0, end = 0 }, t) => {
    const source = sourceTokens[alignment[t]];
    return start < end && source && source.start < source.end
      ? [{ source: { start: source.start, end: source.end }, target: { start, end } }]
      : [];
  });
}

/**
 * The places on the other side that belong to a word.
 *
 * @param {Link[]} links
 * @param {'source' | 'target'} side  of the word
 * @param {Span} word
 */
export const partnersOf = (links, side, word) =>
  links.filter((link) => overlap(link[side], word)).map((link) => link[side === 'source' ? 'target' : 'source']);
