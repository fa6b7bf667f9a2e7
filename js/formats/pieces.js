// pieces.js - the vocabulary of a SentencePiece file whose pieces have the ids of the model, as Marian's and Firefox's.
// A real one has 32,000 pieces, of which a text needs few: only those become strings. Used by directory.js.

import { E_VOCAB } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/**
 * The pieces and ids of one side of a model.
 *
 * @typedef {object} Vocabulary
 * @property {(id: number) => string | undefined} piece
 * @property {(piece: string) => number | undefined} id
 * @property {Iterable<[piece: string, id: number]>} entries  all, or at least those that may be special
 * @property {boolean} [hasPieceIds]  each piece of the SentencePiece file has its id there
 * @property {number} [pad]  the id of padding; default: config.json's
 */
/**
 * @typedef {ReturnType<import('../wasm/core.js').Core['tokenizer']> & { vocabulary: Vocabulary }} Side  a SentencePiece
 *   file and the ids of its pieces
 */

const PAD = '<pad>';

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
  const entryOf = (/** @type {number} */ id) => /** @type {[string, number]} */ ([read(id), id]);
  const special = new Map(others.map(entryOf));
  /** Made for the first piece that is not special. @type {Map<string, number> | undefined} */
  let all;
  const find = (/** @type {string} */ piece) => {
    const id = special.get(piece);
    if (id !== undefined) return id;
    all ??= new Map(Array.from(types, (_, i) => entryOf(i)));
    return all.get(piece) ?? (piece === PAD ? pad : undefined);
  };
  const [eos, unknown] = ['</s>', '<unk>'].map((piece) => {
    const id = find(piece);
    if (id === undefined) throw new HeedError(E_VOCAB, `${file}: found no piece ${piece}`);
    return id;
  });
  const piece = (/** @type {number} */ id) => (id < pad ? read(id) : id === pad ? PAD : undefined);
  return { handle, pieces, eos, unknown, vocabulary: { piece, id: find, entries: special, hasPieceIds: true, pad } };
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
