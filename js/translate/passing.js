// passing.js - what of some texts passes through a translation: by its form, because the vocabulary lacks it, or
// because the caller says so. Loaded by host.js if a text may have such a part.

import { isByte } from '../text/pieces.js';
import { mayKeep } from '../text/split.js';

/** @typedef {import('../text/keep.js').Span} Span */

/**
 * @param {string[]} inputs
 * @param {object} options
 * @param {(texts: string[]) => Promise<import('../text/split.js').Encoded[]>} options.encode
 * @param {string} options.language  of the texts
 * @param {boolean} options.keep  false: only what the caller says
 * @param {[string, string][]} [options.glossary]  its terms win
 * @param {Span[][]} [options.spans]  of each text, in order: these pass through, too
 * @param {number} [options.unk]  of a model that never writes <unk>: its id
 * @param {Map<string, boolean>} options.known  see text/unknown.js
 * @returns {Promise<Pick<import('../text/split.js').Splitter, 'encode' | 'find'>>}
 */
export async function findPassing(inputs, { encode, language, keep, glossary, spans: given, unk, known }) {
  const unknown = keep && unk !== undefined
    ? await (await import('../text/unknown.js')).findUnknown(inputs, encode, unk, known)
    : undefined;
  if (!unknown && !given && !(keep && inputs.some(mayKeep))) return { encode };
  const { findKept, hideStops } = await import('../text/keep.js');
  const { findAnywhere } = glossary ? await import('./glossary.js') : {};
  return {
    async encode(texts, kept) {
      if (unknown) return encode(texts.map(unknown.plain));
      const encoded = await encode(texts);
      // a term may be a part of a word in such a script
      const isPlain = !keep || unk !== undefined || glossary ||
        !encoded.some(({ pieces }) => pieces.some(isByte));
      return isPlain ? encoded
        : (await import('../text/stand-in.js')).withStandIns(texts, kept, encoded, encode, language);
    },
    find(text, index) {
      const own = given?.[index] ?? [];
      const terms = findAnywhere?.(text, glossary ?? [], language);
      const spans = keep ? findKept(text, language, terms, [...unknown?.spans(text) ?? [], ...own]) : own;
      return { spans, hidden: hideStops(text, spans, { keep, terms }) };
    },
  };
}
