// tokenizer.js - text to the model's ids and back: SentencePiece in C, and vocab.json here, which maps pieces to ids;
// created by load.js, public as Transformer.tokenizer.

import { badType, checkOptions } from '../base/check.js';
import { E_LANGUAGE, E_VOCAB, PIECE_BYTE, PIECE_UNKNOWN } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, mismatch } from '../base/json.js';
import { ints } from '../wasm/core.js';
import { checkIds } from './ids.js';

/** A token for a target language: `>>deu<<`. */
const LANGUAGE = /^>>(.+)<<$/;

/** vocab.json of one side: pieces and ids. */
class Vocabulary {
  /** @type {Map<string, number>} */
  ids;
  /** @type {(string | undefined)[]} */
  pieces = [];
  /** Ids that text never becomes, and that never become text. @type {Set<number>} */
  special = new Set();
  /** Language tokens. @type {Map<string, number>} */
  languages = new Map();
  unknown;

  /**
   * @param {Record<string, unknown>} json
   * @param {string} file
   * @param {number} size
   * @param {Record<string, any>} config
   */
  constructor(json, file, size, config) {
    const entries = /** @type {[string, number][]} */ (Object.entries(json));
    for (const [piece, id] of entries) {
      if (!Number.isInteger(id) || id < 0 || id >= size) {
        throw new HeedError(E_VOCAB, mismatch(`${file}: ${describe(piece)}`, id, `an id from 0 to ${size - 1}`));
      }
      if (this.pieces[id] !== undefined) {
        throw new HeedError(E_VOCAB, `${file}: id ${id} is both ${describe(this.pieces[id])} and ${describe(piece)}`);
      }
      this.pieces[id] = piece;
      const language = LANGUAGE.exec(piece)?.[1];
      if (language) {
        this.languages.set(language, id);
        this.special.add(id);
      }
    }
    this.ids = new Map(entries);
    const { eos_token_id: eos, pad_token_id: pad } = config;
    const unknown = this.ids.get('<unk>');
    if (unknown === undefined || this.pieces[eos] === undefined) {
      throw new HeedError(
        E_VOCAB,
        `${file}: found no ${unknown === undefined ? '<unk>' : `piece with id ${eos}, the eos_token_id`}`,
      );
    }
    this.unknown = unknown;
    for (const id of [eos, pad, this.unknown]) this.special.add(id);
  }
}

/** One SentencePiece file and its vocabulary. */
class Side {
  #core;
  #handle;
  /** Pieces by id; null for the unknown piece, which may be any text. */
  #pieces;
  vocabulary;
  /** Ids of the byte pieces: none, or 256, -1 for one that the vocabulary lacks. */
  byteIds;

  /** @param {import('../wasm/core.js').Core} core @param {number} handle @param {Vocabulary} vocabulary */
  constructor(core, handle, vocabulary) {
    this.#core = core;
    this.#handle = handle;
    this.vocabulary = vocabulary;
    const all = core.tokenizerPieces(handle);
    this.#pieces = all.map(({ piece, type }) => (type === PIECE_UNKNOWN ? null : piece));
    // <0x00> to <0xFF>: a file with byte pieces has all of them
    const bytes = all.filter(({ type }) => type === PIECE_BYTE).map(({ piece }) => piece).sort();
    this.byteIds = bytes.map((piece) => vocabulary.ids.get(piece) ?? -1);
  }

  /** @param {string} text */
  encode(text) {
    const { special, unknown, ids } = this.vocabulary;
    const found = this.#core.tokenizerEncode(this.#handle, text);
    // a text without a piece in this file may be a piece of the other language's file
    const pieces = Array.from(found.ids, (id, i) => this.#pieces[id] ?? found.surface(i));
    return {
      // user text stays text: it never becomes `</s>` or a language token
      ids: pieces.map((piece) => ids.get(piece) ?? unknown).map((id) => (special.has(id) ? unknown : id)),
      offsets: found.offsets,
      pieces,
    };
  }

  /** @param {ArrayLike<number>} ids */
  decode(ids) {
    const { special, pieces } = this.vocabulary;
    const kept = Array.from(ids).filter((id) => !special.has(id));
    return this.#core.tokenizerDecode(
      this.#handle,
      kept.map((id) => pieces[id] ?? ''),
    ).trim();
  }
}

/** Converts text to ids and back, with the model's files. */
export class Tokenizer {
  #eos;
  /** @type {Record<'source' | 'target', Side>} */
  #sides;
  #sizes;

  /**
   * @internal
   * @param {{ core: import('../wasm/core.js').Core, config: Record<string, any>, sourceSpm: Uint8Array,
   *           targetSpm: Uint8Array, vocab: Record<string, unknown>, targetVocab?: Record<string, unknown> }} files
   */
  constructor(files) {
    if (!files?.core) badType('new Tokenizer', files, 'Transformer.load(), whose model has a tokenizer');
    const { core, config, sourceSpm, targetSpm, vocab, targetVocab } = files;
    const { eos_token_id: eos, vocab_size: sourceSize, decoder_vocab_size: targetSize } = config;
    const shared = new Vocabulary(
      vocab,
      'vocab.json',
      targetVocab ? sourceSize : Math.max(sourceSize, targetSize),
      config,
    );
    const own = targetVocab ? new Vocabulary(targetVocab, 'target_vocab.json', targetSize, config) : shared;
    const read = (/** @type {string} */ file, /** @type {Uint8Array} */ bytes) => {
      const handle = ints(1);
      core.report(file, 'heed_tokenizer_create', bytes, bytes.length, handle);
      return handle.value[0];
    };
    const source = new Side(core, read('source.spm', sourceSpm), shared);
    const same =
      own === shared && sourceSpm.length === targetSpm.length && sourceSpm.every((byte, i) => byte === targetSpm[i]);
    this.#sides = { source, target: same ? source : new Side(core, read('target.spm', targetSpm), own) };
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
   * @param {{ side?: 'source' | 'target', language?: string }} [options]  language: the target, for a model with
   * several;
   *   one of `languages`
   * @returns {{ ids: Int32Array, pieces: string[], offsets: Int32Array }}
   */
  encode(text, options = {}) {
    const { side = 'source', language } = checkOptions(options, 'side language');
    if (typeof text !== 'string') badType('text', text, 'a string');
    const encoder = this.#side(side);
    const { languages, pieces } = encoder.vocabulary;
    const token = language === undefined ? undefined : languages.get(LANGUAGE.exec(language)?.[1] ?? language);
    if (language !== undefined && token === undefined) {
      const known = [...languages.keys()].join(', ') || 'none: this model has one target language';
      throw new HeedError(E_LANGUAGE, `language: found ${describe(language)}, available: ${known}`);
    }
    const body = encoder.encode(text);
    // no spread arguments, because a text may have a million pieces
    const first = token === undefined ? 0 : 1;
    const length = first + body.ids.length + 1;
    const ids = new Int32Array(length);
    const offsets = new Int32Array(2 * length);
    ids.set(body.ids, first);
    offsets.set(body.offsets, 2 * first);
    ids[length - 1] = this.#eos;
    offsets.fill(text.length, 2 * length - 2);
    if (token !== undefined) {
      ids[0] = token;
      body.pieces.unshift(String(pieces[token]));
    }
    body.pieces.push(String(pieces[this.#eos]));
    return { ids, pieces: body.pieces, offsets };
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

  /** Target languages for encode(), if the model has several; else empty. */
  get languages() {
    return [...this.#sides.source.vocabulary.languages.keys()];
  }

  /**
   * @param {number} id
   * @param {{ side?: 'source' | 'target' }} [options]  matters only if the sides have separate vocabularies
   * @returns {string}  '' for an id that no piece has
   */
  idToPiece(id, options = {}) {
    const { side = 'source' } = checkOptions(options, 'side');
    checkIds('id', [id], this.#sizes[side]);
    return this.#side(side).vocabulary.pieces[id] ?? '';
  }

  /**
   * @param {string} piece
   * @param {{ side?: 'source' | 'target' }} [options]
   * @returns {number | undefined}
   */
  pieceToId(piece, options = {}) {
    const { side = 'source' } = checkOptions(options, 'side');
    return this.#side(side).vocabulary.ids.get(piece);
  }
}
