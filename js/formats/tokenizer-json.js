// tokenizer-json.js - tokenizer.json of transformers as a SentencePiece model, so that the same code in C cuts texts:
// the unigram and BPE models that transformers makes of SentencePiece's, and no others. Used by text/families.js.
//
//     model { type, vocab, merges }   ->   pieces with scores; of BPE, the rank of the merges that make them
//     normalizer, pre_tokenizer       ->   charsmap, add_dummy_prefix
//     added_tokens                    ->   control pieces, which text never becomes

import {
  E_VOCAB, PIECE_BYTE, PIECE_CONTROL, PIECE_NORMAL, PIECE_UNKNOWN, PIECE_USER_DEFINED,
} from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, mismatch, short } from '../base/json.js';
import { MAX_MERGED } from '../base/limits.js';
import { BPE, UNIGRAM, writeSpm } from './spm-write.js';

export const TOKENIZER = 'tokenizer.json';

/** @param {string} what @param {unknown} found @param {string} expected @returns {never} */
function refuse(what, found, expected) {
  throw new HeedError(E_VOCAB, mismatch(`${TOKENIZER}: ${what}`, found, expected));
}

/** @typedef {{ text: string, id: number, score: number, type: number }} Piece */

/**
 * The parts of a normalizer or pre_tokenizer, which may be a sequence.
 *
 * @param {any} part
 * @param {string} list  of a sequence
 * @returns {any[]}
 */
const partsOf = (part, list) => (part == null ? []
  : part.type === 'Sequence' && Array.isArray(part[list]) ? part[list] : [part]);

/** Whether a normalizer is about blanks, which SentencePiece treats by its own rule. @param {any} part */
const isOfBlanks = ({ type, pattern, content }) => type === 'Strip'
  || (type === 'Replace' && (pattern?.Regex === ' {2,}' || pattern?.String === ' ') && /^[ ▁]$/.test(content));

/** @param {any} normalizer @returns {Uint8Array}  SentencePiece's charsmap */
function charsmapOf(normalizer) {
  let charsmap = new Uint8Array();
  for (const part of partsOf(normalizer, 'normalizers')) {
    if (part?.type === 'Precompiled' && typeof part.precompiled_charsmap === 'string') {
      try {
        charsmap = Uint8Array.from(atob(part.precompiled_charsmap), (c) => c.charCodeAt(0));
      } catch {
        refuse('normalizer: precompiled_charsmap', part.precompiled_charsmap, 'base64');
      }
    } else if (!isOfBlanks(part ?? {})) {
      refuse('normalizer', part?.type, 'Precompiled, Strip, or Replace of blanks, as of SentencePiece');
    }
  }
  return charsmap;
}

/** Whether a text gets a blank before it. @param {any} splitter  pre_tokenizer */
function hasPrefix(splitter) {
  const parts = partsOf(splitter, 'pretokenizers').filter((part) => part?.type !== 'WhitespaceSplit');
  const [part = {}] = parts;
  if (parts.length !== 1 || part?.type !== 'Metaspace' || part.replacement !== '▁') {
    refuse('pre_tokenizer', parts.map((each) => each?.type), 'Metaspace with \u2581, as of SentencePiece');
  }
  return part.prepend_scheme === undefined ? part.add_prefix_space !== false : part.prepend_scheme !== 'never';
}

/** The pieces of a unigram model. @param {any} model @returns {Piece[]} */
function unigramPieces({ vocab, unk_id: unknown }) {
  if (!Array.isArray(vocab)) refuse('model: vocab', vocab, 'an array of [piece, score]');
  return vocab.map((/** @type {any} */ entry, /** @type {number} */ id) => {
    const [text, score] = Array.isArray(entry) ? entry : [];
    if (typeof text !== 'string' || text === '' || !Number.isFinite(score)) {
      refuse(`model: vocab: ${id}`, entry, '[piece, score]');
    }
    return { text, id, score, type: id === unknown ? PIECE_UNKNOWN : PIECE_NORMAL };
  });
}

/**
 * The pieces of a BPE model. SentencePiece merges the neighbours that make the piece with the best score, whatever they
 * are; transformers, those that are listed first. It is the same if all that make a piece are listed one after another.
 *
 * @param {any} model
 * @param {Set<string>} special  tokens that nothing is merged to
 * @returns {Piece[]}
 */
function bpePieces({ vocab, merges, unk_token: unknown, ...others }, special) {
  for (const key of ['continuing_subword_prefix', 'end_of_word_suffix', 'dropout']) {
    if (others[key]) refuse(`model: ${key}`, others[key], 'null, as of SentencePiece');
  }
  if (Object(vocab) !== vocab || Array.isArray(vocab)) refuse('model: vocab', vocab, 'an object of ids by piece');
  if (!Array.isArray(merges)) refuse('model: merges', merges, 'an array of pairs');
  const ids = new Map(Object.entries(vocab));
  /**
   * The first merge to each piece, and their number.
   *
   * @type {Map<string, { rank: number, count: number }>}
   */
  const made = new Map();
  let last = '';
  merges.forEach((/** @type {any} */ pair, /** @type {number} */ rank) => {
    const both = typeof pair === 'string' ? pair.split(' ') : pair;
    if (!Array.isArray(both) || both.length !== 2 || !both.every((part) => ids.has(part)) || !ids.has(both.join(''))) {
      refuse(`model: merges: ${rank}`, pair, 'two pieces of the vocabulary that make another one');
    }
    const text = both.join('');
    const known = made.get(text);
    if (known && text !== last) refuse(`model: merges: ${rank}`, pair, 'all merges to a piece one after another');
    made.set(text, { rank: known?.rank ?? rank, count: (known?.count ?? 0) + 1 });
    last = text;
  });
  return Array.from(ids, ([text, id]) => {
    if (text === '') refuse('model: vocab', '', 'pieces that are not empty');
    if (text.length > MAX_MERGED) refuse('model: vocab', short(text), `pieces of ${MAX_MERGED} characters at most`);
    const type = text === unknown ? PIECE_UNKNOWN : PIECE_NORMAL;
    const { rank, count } = made.get(text) ?? { rank: merges.length, count: 0 };
    if (type === PIECE_NORMAL && !special.has(text)) {
      let possible = 0;
      for (let at = 1; at < text.length; at++) {
        possible += Number(ids.has(text.slice(0, at)) && ids.has(text.slice(at)));
      }
      if (possible !== count) {
        refuse(`model: merges: to ${describe(short(text))}`, count, `${possible}, as of SentencePiece`);
      }
    }
    return { text, id: /** @type {any} */ (id), score: -rank, type };
  });
}

/**
 * @param {Record<string, any>} json  tokenizer.json
 * @param {number} size  of the vocabulary
 * @param {Iterable<string>} others  more special tokens, of other files
 * @returns {{ bytes: Uint8Array, ids: number[], tokens: (string | undefined)[], special: number[], last: string[] }}
 *   bytes: the SentencePiece model; ids: of its pieces, in the model; tokens: by id; special: ids that are not text;
 *   last: the special tokens after a text. HEED_E_VOCAB: not as of SentencePiece
 */
export function readTokenizerJson(json, size, others) {
  const { model, normalizer, pre_tokenizer: splitter, added_tokens: added = [], post_processor: template } = json;
  const kind = model?.type ?? (Array.isArray(model?.vocab) ? 'Unigram' : undefined);
  if (kind !== 'Unigram' && kind !== 'BPE') refuse('model: type', kind, 'Unigram or BPE');
  if (!Array.isArray(added)) refuse('added_tokens', added, 'an array');
  /** @type {Map<string, { id: number, special: boolean }>} */
  const addedBy = new Map();
  for (const token of added) {
    if (typeof token?.content !== 'string' || token.content === '') refuse('added_tokens', token, '{ id, content }');
    addedBy.set(token.content, { id: token.id, special: token.special === true });
  }
  const special = new Set([...others, ...[...addedBy].filter(([, token]) => token.special).map(([text]) => text)]);
  const pieces = kind === 'Unigram' ? unigramPieces(model) : bpePieces(model, special);
  const known = new Map(pieces.map(({ text, id }) => [text, id]));
  if (known.size < pieces.length) refuse('model: vocab', `${pieces.length - known.size} twice`, 'each piece once');
  for (const [text, { id }] of addedBy) {
    const own = known.get(text);
    if (own === undefined) pieces.push({ text, id, score: 0, type: PIECE_USER_DEFINED });
    else if (own !== id) refuse(`added_tokens: ${describe(short(text))}`, id, `${own}, as in the vocabulary`);
  }

  /** @type {(string | undefined)[]} */
  const tokens = [];
  let bytes = 0;
  for (const piece of pieces) {
    const { text, id, type } = piece;
    if (!Number.isInteger(id) || id < 0 || id >= size) {
      refuse(describe(short(text)), id, `an id from 0 to ${size - 1}, as vocab_size says`);
    }
    if (tokens[id] !== undefined) refuse(`id ${id}`, [tokens[id], text].map(short), 'one token');
    tokens[id] = text;
    if (type !== PIECE_UNKNOWN && special.has(text)) piece.type = PIECE_CONTROL;
    bytes += Number(/^<0x[\dA-F]{2}>$/.test(text));
  }
  // transformers 5 forgets byte_fallback, which a model with all bytes has
  const byteFallback = bytes === 256;
  if (byteFallback) for (const piece of pieces) if (/^<0x[\dA-F]{2}>$/.test(piece.text)) piece.type = PIECE_BYTE;
  pieces.sort((a, b) => a.id - b.id);
  const single = Array.isArray(template?.single) ? template.single : [];
  const end = single.findIndex((/** @type {any} */ part) => part?.Sequence);
  return {
    bytes: writeSpm(pieces, {
      model: kind === 'BPE' ? BPE : UNIGRAM,
      byteFallback,
      charsmap: charsmapOf(normalizer),
      addDummyPrefix: hasPrefix(splitter),
    }),
    ids: pieces.map(({ id }) => id),
    tokens,
    special: pieces.filter(({ type }) => type === PIECE_CONTROL || type === PIECE_UNKNOWN).map(({ id }) => id),
    last: single.slice(end + 1).flatMap((/** @type {any} */ part) => part?.SpecialToken?.id ?? []).map(String),
  };
}
