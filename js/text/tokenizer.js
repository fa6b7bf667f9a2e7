// tokenizer.js - text to the model's ids and back: SentencePiece in C, and vocab.json here, which maps pieces to ids;
// created by load.js, public as Transformer.tokenizer. Of a SentencePiece file, only the pieces that occur become
// strings: there are tens of thousands.

import { badType, checkOptions } from '../base/check.js';
import { E_LANGUAGE, E_VOCAB, PIECE_BYTE, PIECE_UNKNOWN } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, mismatch } from '../base/json.js';
import { checkIds } from './ids.js';

/** A token for a target language: `>>deu<<`. */
const LANGUAGE = /^>>(.+)<<$/;

/** @typedef {import('../formats/pieces.js').Vocabulary} Vocabulary */
/** @typedef {import('../formats/pieces.js').Side[]} Sides  source and target, which may be the same object */

/**
 * The vocabulary of a vocab.json.
 *
 * @param {Record<string, unknown>} json
 * @param {string} file
 * @param {number} size
 * @param {Record<string, any>} config
 * @returns {Vocabulary}
 */
export function listedVocabulary(json, file, size, { eos_token_id: eos }) {
  const entries = /** @type {[string, number][]} */ (Object.entries(json));
  /** @type {(string | undefined)[]} */
  const pieces = [];
  for (const [piece, id] of entries) {
    if (!Number.isInteger(id) || id < 0 || id >= size) {
      throw new HeedError(E_VOCAB, mismatch(`${file}: ${describe(piece)}`, id, `an id from 0 to ${size - 1}`));
    }
    if (pieces[id] !== undefined) {
      throw new HeedError(E_VOCAB, `${file}: id ${id} is both ${describe(pieces[id])} and ${describe(piece)}`);
    }
    pieces[id] = piece;
  }
  const ids = new Map(entries);
  const lack = !ids.has('<unk>') ? '<unk>' : pieces[eos] === undefined && `piece with id ${eos}, the eos_token_id`;
  if (lack) throw new HeedError(E_VOCAB, `${file}: found no ${lack}`);
  return { entries, piece: (id) => pieces[id], id: (piece) => ids.get(piece) };
}

/** @type {import('../formats/pieces.js').Frame} */
const plainFrame = (eos, language) => ({ before: language === undefined ? [] : [language], after: [eos] });

/** One SentencePiece file and its vocabulary. */
class Side {
  #core;
  #handle;
  /** Of the SentencePiece file. */
  #pieces;
  vocabulary;
  /** Ids that text never becomes, and that never become text. @type {Set<number>} */
  #special;
  /** Language tokens. @type {Map<string, number>} */
  languages;
  #unknown;
  /** Ids of the byte pieces: none, or 256, -1 for one that the vocabulary lacks. */
  byteIds;

  /**
   * @param {import('../wasm/core.js').Core} core
   * @param {Sides[number]} side
   * @param {Record<string, any>} config
   */
  constructor(core, { handle, pieces, vocabulary }, { eos_token_id: eos, pad_token_id: pad }) {
    this.#core = core;
    this.#handle = handle;
    this.vocabulary = vocabulary;
    const { unknown, languages, special: others = [] } = vocabulary;
    this.#unknown = unknown ?? Number(vocabulary.id('<unk>'));
    this.languages = languages ?? new Map([...vocabulary.entries].flatMap(([piece, id]) => {
      const code = LANGUAGE.exec(piece)?.[1];
      return code ? [[code, id]] : [];
    }));
    this.#special = new Set([...this.languages.values(), eos, vocabulary.pad ?? pad, this.#unknown, ...others]);
    this.#pieces = pieces;
    const { types, special, piece } = pieces;
    // <0x00> to <0xFF>: a file with byte pieces has all of them
    this.byteIds = special.filter((id) => types[id] === PIECE_BYTE)
      .sort((a, b) => (piece(a) < piece(b) ? -1 : 1)).map((id) => this.#id(id, piece(id)) ?? -1);
  }

  /** The vocabulary's id. @param {number} id  in the SentencePiece file @param {string} piece */
  #id(id, piece) {
    const { ofPiece, id: find } = this.vocabulary;
    if (!ofPiece) return find(piece);
    return this.#pieces.types[id] === PIECE_UNKNOWN ? undefined : ofPiece(id);
  }

  /** @param {string} text */
  encode(text) {
    const found = this.#core.tokenizerEncode(this.#handle, text);
    // a text without a piece in this file may be a piece of the other language's file
    const { types, piece: read } = this.#pieces;
    const pieces = Array.from(found.ids, (id, i) => (types[id] === PIECE_UNKNOWN ? found.surface(i) : read(id)));
    return {
      // user text stays text: it never becomes `</s>` or a language token
      ids: pieces.map((piece, i) => this.#id(found.ids[i], piece) ?? this.#unknown)
        .map((id) => (this.#special.has(id) ? this.#unknown : id)),
      offsets: found.offsets,
      pieces,
    };
  }

  /** @param {ArrayLike<number>} ids */
  decode(ids) {
    const kept = Array.from(ids).filter((id) => !this.#special.has(id));
    const { decode } = this.vocabulary;
    if (decode) return decode(kept);
    return this.#core.tokenizerDecode(
      this.#handle,
      kept.map((id) => this.vocabulary.piece(id) ?? ''),
    ).trim();
  }
}

/**
 * @param {{ core: import('../wasm/core.js').Core, config: Record<string, any>, sourceSpm: Uint8Array,
 *           targetSpm: Uint8Array, vocab: Record<string, unknown>, targetVocab?: Record<string, unknown> }} files
 * @returns {Sides}
 */
export function readSides({ core, config, sourceSpm, targetSpm, vocab, targetVocab }) {
  const { vocab_size: sourceSize, decoder_vocab_size: targetSize } = config;
  const size = targetVocab ? sourceSize : Math.max(sourceSize, targetSize);
  const shared = listedVocabulary(vocab, 'vocab.json', size, config);
  const own = targetVocab ? listedVocabulary(targetVocab, 'target_vocab.json', targetSize, config) : shared;
  const read = (/** @type {string} */ file, /** @type {Uint8Array} */ bytes, /** @type {Vocabulary} */ vocabulary) =>
    ({ ...core.tokenizer(file, bytes), vocabulary });
  const source = read('source.spm', sourceSpm, shared);
  const same =
    own === shared && sourceSpm.length === targetSpm.length && sourceSpm.every((byte, i) => byte === targetSpm[i]);
  return [source, same ? source : read('target.spm', targetSpm, own)];
}

/** Converts text to ids and back, with the model's files. */
export class Tokenizer {
  #eos;
  /** @type {Record<'source' | 'target', Side>} */
  #sides;
  #sizes;

  /**
   * @internal
   * @param {{ core: import('../wasm/core.js').Core, config: Record<string, any>, sourceSpm?: Uint8Array | null,
   *           targetSpm?: Uint8Array | null, vocab?: Record<string, unknown>, targetVocab?: Record<string, unknown>,
   *           sides?: Sides | null }} files  sides: instead of all others
   */
  constructor(files) {
    if (!files?.core) badType('new Tokenizer', files, 'Transformer.load(), whose model has a tokenizer');
    const { core, config } = files;
    const { eos_token_id: eos, vocab_size: sourceSize, decoder_vocab_size: targetSize } = config;
    const [source, target] = files.sides ?? readSides(/** @type {any} */ (files));
    const own = new Side(core, source, config);
    this.#sides = { source: own, target: source === target ? own : new Side(core, target, config) };
    this.#sizes = { source: sourceSize, target: targetSize };
    this.#eos = /** @type {number} */ (eos);
  }

  /** @param {'source' | 'target'} side */
  #side(side) {
    if (side !== 'source' && side !== 'target') badType('side', side, "'source' or 'target'");
    return this.#sides[side];
  }

  /**
   * Ids of a text, with `</s>` last and the language token, if any, first. Offsets are UTF-16 [start, end) in `text`,
   * one pair per id. Those of `</s>` are empty, at the end of the text; those of a language token are empty, at its
   * start.
   *
   * @param {string} text
   * @param {{ side?: 'source' | 'target', language?: string }} [options]  language: one of `languages`. With MarianMT,
   *   T5: the target of this source; with M2M-100, NLLB-200, mBART: the language of this text
   * @returns {{ ids: Int32Array, pieces: string[], offsets: Int32Array }}
   */
  encode(text, options = {}) {
    const { side = 'source', language: stated } = checkOptions(options, 'side language');
    if (typeof text !== 'string') badType('text', text, 'a string');
    const encoder = this.#side(side);
    const { languages, vocabulary } = encoder;
    const { language: usual, frame = plainFrame } = vocabulary;
    const language = stated ?? (side === 'source' ? usual : undefined);
    const token = language === undefined ? undefined : languages.get(LANGUAGE.exec(language)?.[1] ?? language);
    if (language !== undefined && token === undefined) {
      const known = [...languages.keys()].join(', ') || 'none: this model has one target language';
      throw new HeedError(E_LANGUAGE, `language: found ${describe(language)}, available: ${known}`);
    }
    const body = encoder.encode(text);
    // no spread arguments, because a text may have a million pieces
    const { before, after } = frame(this.#eos, token);
    const end = before.length + body.ids.length;
    const ids = new Int32Array(end + after.length);
    const offsets = new Int32Array(2 * ids.length);
    ids.set(before);
    ids.set(body.ids, before.length);
    ids.set(after, end);
    offsets.set(body.offsets, 2 * before.length);
    offsets.fill(text.length, 2 * end);
    const name = (/** @type {number} */ id) => String(vocabulary.piece(id));
    return { ids, pieces: [...before.map(name), ...body.pieces, ...after.map(name)], offsets };
  }

  /**
   * Text of ids, without `</s>`, `<unk>`, padding, language tokens, and white space at the ends.
   *
   * @param {ArrayLike<number>} ids
   * @param {{ side?: 'source' | 'target' }} [options]
   * @returns {string}
   */
  decode(ids, options = {}) {
    const { side = 'target' } = checkOptions(options, 'side');
    const decoder = this.#side(side);
    return decoder.decode(checkIds('ids', ids, this.#sizes[side]));
  }

  /** Ids of the byte pieces on the target side, for heed_search_options. @internal */
  get byteIds() {
    return Int32Array.from(this.#sides.target.byteIds, (id) => (id < this.#sizes.target ? id : -1));
  }

  /** Size of the source vocabulary. */
  get size() {
    return this.#sizes.source;
  }

  /** Languages for encode(), if the model has several; else empty. */
  get languages() {
    return [...this.#sides.source.languages.keys()];
  }

  /** Whether a piece has the same id on both sides. */
  get isShared() {
    return this.#sides.source.vocabulary === this.#sides.target.vocabulary;
  }

  /**
   * @param {number} id
   * @param {{ side?: 'source' | 'target' }} [options]  matters only if the sides have separate vocabularies
   * @returns {string}  '' for an id that no piece has
   */
  idToPiece(id, options = {}) {
    const { side = 'source' } = checkOptions(options, 'side');
    const { vocabulary } = this.#side(side);
    checkIds('id', [id], this.#sizes[side]);
    return vocabulary.piece(id) ?? '';
  }

  /**
   * @param {string} piece
   * @param {{ side?: 'source' | 'target' }} [options]
   * @returns {number | undefined}
   */
  pieceToId(piece, options = {}) {
    const { side = 'source' } = checkOptions(options, 'side');
    if (typeof piece !== 'string') badType('piece', piece, 'a string');
    return this.#side(side).vocabulary.id(piece);
  }
}
