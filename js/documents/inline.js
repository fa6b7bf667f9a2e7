// inline.js - a text with marks inside, such as emphasis, links and placeholders, as HTML, whose tags translateHtml()
// puts where the translation has their words; and back. Used by the formats that have such texts.
//
//   *old* {name}  ->  pieces  ->  <b id=0>old</b> <code id=2>{name}</code>  ->  the same, translated  ->  pieces
//
// Every piece but text comes back once, as translateHtml() loses and doubles no tag, and in pairs that do not cross.

import { encodeText } from '../text/escapes.js';

/**
 * @typedef {object} Piece  what follows each other in a text
 * @property {'text' | 'open' | 'close' | 'point' | 'break' | 'gap' | 'word'} kind  open, close: in pairs; point: it
 *   stands between words; break: it ends a line; gap: it ends a text; word: so stands a word that is not translated
 * @property {string} text  of a text or a word
 * @property {string | import('./unit.js').Write} source  as it is written in the file
 * @property {string} [unchanged]  and if the text around it does not change, if that is something else
 */

/** @type {Record<string, string>} */
const NAMES = { open: 'b', point: 'img', break: 'br', gap: 'hr', word: 'code' };
const TAG = /<(\/?)(?:b|img|br|hr|code)(?: id=(\d+))?>/g;

/** @type {Record<string, string>} */
const DECODED = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&nbsp;': '\u00a0' };
/** @param {string} html  as encodeText() makes it */
const decode = (html) => html.replace(/&(?:amp|lt|gt|nbsp);/g, (reference) => DECODED[reference]);

/** An open or close without its other becomes a point. @param {Piece[]} pieces @returns {Piece[]} */
export function pair(pieces) {
  /** @type {number[]} */
  const open = [];
  const paired = new Set();
  for (const [i, { kind }] of pieces.entries()) {
    if (kind === 'open') open.push(i);
    else if (kind === 'close' && open.length > 0) paired.add(i).add(open.pop());
  }
  return pieces.map((piece, i) =>
    ((piece.kind === 'open' || piece.kind === 'close') && !paired.has(i) ? { ...piece, kind: 'point' } : piece));
}

/**
 * The HTML of a text. White space is text in it if `isPreformatted`.
 *
 * @param {Piece[]} pieces  open and close in pairs
 * @param {boolean} isPreformatted
 */
export function toHtml(pieces, isPreformatted) {
  const html = pieces.map(({ kind, text }, i) => (kind === 'text' ? encodeText(text) : kind === 'close' ? '</b>'
    : `<${NAMES[kind]} id=${i}>${kind === 'word' ? `${encodeText(text)}</code>` : ''}`)).join('');
  return isPreformatted ? `<pre>${html}</pre>` : html;
}

/**
 * The pieces of a translation.
 *
 * @param {string} html  what translateHtml() made of that of toHtml()
 * @param {Piece[]} pieces  those of the source
 * @returns {Piece[]}
 */
export function fromHtml(html, pieces) {
  const mates = new Map();
  /** @type {number[]} */
  const stack = [];
  for (const [i, { kind }] of pieces.entries()) {
    if (kind === 'open') stack.push(i);
    else if (kind === 'close') mates.set(stack.pop(), i);
  }
  /** @type {Piece[]} */
  const result = [];
  const inner = html.startsWith('<pre>') ? html.slice('<pre>'.length, -'</pre>'.length) : html;
  let at = 0;
  let isWord = false;
  for (const { 0: tag, 1: slash, 2: id, index } of inner.matchAll(TAG)) {
    if (index > at && !isWord) {
      const text = decode(inner.slice(at, index));
      result.push({ kind: 'text', text, source: text });
    }
    at = index + tag.length;
    isWord = tag.startsWith('<code');
    if (tag === '</code>') continue;
    const piece = slash ? mates.get(stack.pop()) : Number(id);
    if (!slash && pieces[piece].kind === 'open') stack.push(piece);
    result.push(pieces[piece]);
  }
  if (at < inner.length) {
    const text = decode(inner.slice(at));
    result.push({ kind: 'text', text, source: text });
  }
  return apart(result, pieces);
}

const ENDS_WORD = /[\p{L}\p{N}]$/u;
const STARTS_WORD = /^[\p{L}\p{N}]/u;

/**
 * Puts spaces around words that are not translated, unless they touch another word in the source.
 *
 * @param {Piece[]} result
 * @param {Piece[]} pieces  of the source
 */
function apart(result, pieces) {
  const isText = (/** @type {Piece | undefined} */ piece, /** @type {RegExp} */ edge) =>
    piece?.kind === 'text' && edge.test(piece.text);
  const space = (/** @type {boolean} */ isNeeded) =>
    (isNeeded ? [{ kind: /** @type {const} */ ('text'), text: ' ', source: ' ' }] : []);
  return result.flatMap((piece, i) => {
    if (piece.kind !== 'word') return [piece];
    const own = pieces.indexOf(piece);
    return [...space(isText(result[i - 1], ENDS_WORD) && !isText(pieces[own - 1], ENDS_WORD)), piece,
      ...space(isText(result[i + 1], STARTS_WORD) && !isText(pieces[own + 1], STARTS_WORD))];
  });
}

/** The tags of HTML, without attributes but ids. @param {string} html */
const tagsOf = (html) => (html.match(/<\/?[A-Za-z][^\s/>]*(?: id=\d+)?/g) ?? []).sort().join('');

/**
 * Whether HTML may be a translation of other HTML: it has the same tags, and no end tag comes first.
 *
 * @param {string} html
 * @param {string} source
 */
export function hasSameTags(html, source) {
  let depth = 0;
  for (const [tag] of html.matchAll(/<\/?b(?: id=\d+)?>/g)) {
    depth += tag.startsWith('</') ? -1 : 1;
    if (depth < 0) return false;
  }
  return tagsOf(html) === tagsOf(source);
}

/** @param {Pick<Piece, 'source'>} piece @param {string[]} translations @param {import('./unit.js').Tell} tell */
export const sourceOf = ({ source }, translations, tell) =>
  (typeof source === 'string' ? source : source(translations, tell));

/**
 * Adds a text with pieces to a document: as plain text if it has no others.
 *
 * @param {import('./unit.js').Builder} builder
 * @param {Piece[]} given
 * @param {number} position
 * @param {boolean} [isPreformatted]
 * @returns {(translations: string[]) => Piece[] | undefined}  the pieces of the translation; undefined: it is the
 *   source
 */
export function addPieces(builder, given, position, isPreformatted = true) {
  const pieces = pair(given);
  const isPlain = pieces.every(({ kind }) => kind === 'text');
  const text = isPlain ? pieces.map((piece) => piece.text).join('') : toHtml(pieces, isPreformatted);
  const index = builder.add(text, position, !isPlain);
  return (translations) => {
    const translation = translations[index];
    if (translation === text) return undefined;
    return isPlain ? [{ kind: 'text', text: translation, source: translation }] : fromHtml(translation, pieces);
  };
}
