// pieces.js - the vocabulary of a SentencePiece file whose pieces have the ids of the model, as Marian's and Firefox's.
// A real one has 32,000 pieces, of which a text needs few: only those become strings. Used by directory.js and
// text/families.js.

import { E_VOCAB } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/**
 * The pieces and ids of one side of a model.
 *
 * @typedef {object} Vocabulary
 * @property {(id: number) => string | undefined} piece
 * @property {(piece: string) => number | undefined} id
 * @property {Iterable<[piece: string, id: number]>} entries  all, or at least those that may be special
 * @property {(id: number) => number} [ofPiece]  the id of a known piece of the SentencePiece file; default: by its text
 * @property {number} [pad]  the id of padding; default: config.json's
 * @property {number} [unknown]  the id of what has no piece; default: that of `<unk>`
 * @property {Map<string, number>} [languages]  ids of language tokens by code; default: those like `>>deu<<` in entries
 * @property {string} [language]  the one of a source that has none
 * @property {Iterable<number>} [special]  more ids that text never becomes, and that never become text
 * @property {Frame} [frame]  default: the language token, the text, `</s>`
 * @property {(ids: number[]) => string} [decode]  text of ids; default: SentencePiece's of their pieces
 */
/**
 * The ids around those of a text.
 *
 * @typedef {(eos: number, language?: number) => { before: number[], after: number[] }} Frame
 */
/**
 * @typedef {ReturnType<import('../wasm/core.js').Core['tokenizer']> & { vocabulary: Vocabulary }} Side  a SentencePiece
 *   file and the ids of its pieces
 */

const PAD = '<pad>';

/**
 * Finds pieces of a SentencePiece file by their text.
 *
 * @param {Side['pieces']} pieces
 * @returns {(piece: string) => number | undefined}  its id there
 */
export function finder({ types, special, piece: read }) {
  const entryOf = (/** @type {number} */ id) => /** @type {[string, number]} */ ([read(id), id]);
  const few = new Map(special.map(entryOf));
  /** Made for the first piece that is not special. @type {Map<string, number> | undefined} */
  let all;
  return (piece) => {
    const id = few.get(piece);
    if (id !== undefined) return id;
    all ??= new Map(Array.from(types, (_, i) => entryOf(i)));
    return all.get(piece);
  };
}

/**
 * @param {import('../wasm/core.js').Core} core
 * @param {string} file  for messages
 * @param {Uint8Array} bytes
 * @param {number} size  of the vocabulary with padding, which is its last piece unless the file has another
 * @returns {Side & { eos: number, unknown: number }}
 */
export function readPieces(core, file, bytes, size) {
  const { handle, pieces } = core.tokenizer(file, bytes);
  const { types, special: others, piece: read } = pieces;
  const pad = size - 1;
  if (types.length !== pad) {
    throw new HeedError(E_VOCAB, `${file}: found ${types.length} pieces, expected ${pad} as the embeddings have`);
  }
  const special = others.map((id) => /** @type {[string, number]} */ ([read(id), id]));
  const findPiece = finder(pieces);
  const find = (/** @type {string} */ piece) => findPiece(piece) ?? (piece === PAD ? pad : undefined);
  const [eos, unknown] = ['</s>', '<unk>'].map((piece) => {
    const id = find(piece);
    if (id === undefined) throw new HeedError(E_VOCAB, `${file}: found no piece ${piece}`);
    return id;
  });
  const piece = (/** @type {number} */ id) => (id < pad ? read(id) : id === pad ? PAD : undefined);
  return { handle, pieces, eos, unknown, vocabulary: { piece, id: find, entries: special, ofPiece: (id) => id, pad } };
}

/**
 * Properties for an object of files, which make the lists of pieces when they are read. They keep the tokenizers alive,
 * and no other file.
 *
 * @param {Side[]} sides  source and target
 * @param {Record<string, any>} config
 * @returns {Record<string, { enumerable: true, get: () => Uint8Array }>}
 */
export function vocabularyFiles([source, target], config) {
  const list = (/** @type {Side} */ { vocabulary: { piece, id } }, /** @type {number} */ size) => ({
    enumerable: /** @type {const} */ (true),
    get() {
      const entries = Array.from({ length: size }, (_, i) => [piece(i), id(String(piece(i)))]);
      return new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
    },
  });
  return {
    'vocab.json': list(source, config.vocab_size),
    ...(!config.share_encoder_decoder_embeddings && { 'target_vocab.json': list(target, config.decoder_vocab_size) }),
  };
}
