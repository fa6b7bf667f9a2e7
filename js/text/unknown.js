// unknown.js - characters that a vocabulary does not have, so that they would be lost: one that has a plain form is
// read as that, the others pass through. Loaded by translate/passing.js and forced.js for a model of Marian's.

/** @typedef {import('./keep.js').Span} Span */

/** Each form is one code unit, as the character is, so that positions stay. @type {Record<string, string>} */
const PLAIN = {
  "'": '\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u02bc\u00b4`',
  '"': '\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb',
  '-': '\u2010\u2011\u2012\u2013\u2014\u2015\u2022\u2212\u00b7',
};
const PLAIN_OF = new Map(Object.entries(PLAIN).flatMap(([plain, all]) => Array.from(all, (c) => [c, plain])));

/** Most characters to remember, and their longest length. Letters with marks have no limit. */
const MOST = 20_000;
const LONGEST = 8;
/**
 * Most characters with marks that one call looks for. A pattern of thousands takes minutes. In a text with more, each
 * word with a letter and a mark passes through.
 */
const MARKED = 1000;

/** A character with its marks that may be unknown: all but those of English prose. */
const CHARACTER = /[^\sA-Za-z\d.,;:!?'"()\p{M}-]\p{M}*|[A-Za-z]\p{M}+/gu;

/** @param {string} text  to appear as itself in a pattern */
const quoted = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * What the vocabulary lacks of some texts.
 *
 * @param {string[]} texts
 * @param {(texts: string[]) => Promise<import('./split.js').Encoded[]>} encode
 * @param {number} unk  the id of <unk>
 * @param {Map<string, boolean>} all  what is known of characters; gets those of the texts
 * @returns {Promise<{ plain: (text: string) => string, spans: (text: string) => Span[] } | undefined>}  undefined:
 *   nothing; plain: the text with plain forms, of the same length; spans: what passes through
 */
export async function findUnknown(texts, encode, unk, all) {
  const found = new Set(texts.flatMap((text) => (typeof text === 'string' ? text.match(CHARACTER) ?? [] : [])));
  const known = new Map([...found].map((c) => [c, all.get(c)]));
  const asked = [...found].filter((c) => known.get(c) === undefined);
  if (asked.length > 0) {
    for (const [i, { ids }] of (await encode(asked)).entries()) known.set(asked[i], !ids.includes(unk));
    const short = asked.filter((c) => c.length <= LONGEST).slice(0, MOST);
    if (all.size + short.length > MOST) all.clear(); // calls have what they need
    for (const c of short) all.set(c, Boolean(known.get(c)));
  }
  const unknown = [...found].filter((c) => !known.get(c));
  if (unknown.length === 0) return undefined;
  let marked = 0;
  const kept = unknown.filter((c) => !PLAIN_OF.has(c) && (!/\p{M}/u.test(c) || ++marked <= MARKED));
  // an unknown letter or digit with its word; an unknown sign with the number beside it, and between letters with both
  // words: x@y is a name, and y^2 a formula
  const oneOf = (/** @type {string[]} */ list) => list.map(quoted).join('|');
  const any = oneOf(kept.sort((a, b) => b.length - a.length));
  const letters = (oneOf(kept.filter((c) => /^[\p{L}\p{N}]/u.test(c))) || '(?!)') +
    (marked > MARKED ? '|\\p{L}\\p{M}' : '');
  const signs = oneOf(kept.filter((c) => /^[!-~\p{Sm}]$/u.test(c))) || '(?!)';
  const letter = '[\\p{L}\\p{N}\\p{M}]';
  const pattern = new RegExp(`(?<!${letter})(?=\\p{L}{0,40}?(?:${letters}))\\p{L}${letter}*|` +
    `(?<!${letter})${letter}{1,40}(?:(?:${signs})${letter}{1,40})+|` +
    `(?:(?<![\\d.,])\\d[\\d.,]{0,20}[ \\u00a0]?)?(?:${any})(?:[ \\u00a0]?\\d(?:[\\d.,]{0,20}\\d)?)?`, 'gu');
  return {
    plain: (text) => text.replace(CHARACTER, (c) => (known.get(c) ? c : (PLAIN_OF.get(c) ?? c))),
    spans: (text) => (any === '' ? [] : Array.from(text.matchAll(pattern), ({ 0: { length }, index }) =>
      ({ start: index, end: index + length }))),
  };
}

/**
 * Parts of a sentence with the characters by which it was encoded: where the vocabulary lacks one, and the sentence has
 * no <unk>, a plain one was read.
 *
 * @param {{ encode: Parameters<typeof findUnknown>[1], config: Readonly<Record<string, unknown>> }} engine
 * @param {{ ids: Int32Array, offsets: Int32Array }} sentence
 * @param {{ text: string, from: number, to: number }[]} parts  from, to: their place in the sentence
 * @returns {Promise<string[]>}
 */
export async function asEncoded({ encode, config }, { ids, offsets }, parts) {
  const texts = parts.map(({ text }) => text);
  const unk = Number(config.unk_token_id);
  const unknown = await findUnknown(texts, encode, unk, new Map());
  if (!unknown) return texts;
  return parts.map(({ text, from, to }) => {
    const isLost = ids.some((id, i) => id === unk && offsets[2 * i] < to && offsets[2 * i + 1] > from);
    return isLost ? text : unknown.plain(text);
  });
}
