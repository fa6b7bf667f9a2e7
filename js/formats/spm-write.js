// spm-write.js - writes a SentencePiece model, so that other vocabularies pass through the same tokenizer in C. Used by
// text/families.js and tokenizer-json.js.
//
//     ModelProto { 1 piece { 1 text, 2 score, 3 type }, … 2 trainer { 3 model_type, 35 byte_fallback },
//                  3 normalizer { 2 precompiled_charsmap, 3 add_dummy_prefix, 4 remove_extra_whitespaces,
//                                 5 escape_whitespaces } }

import { concat } from '../base/bytes.js';

const encoder = new TextEncoder();

/** The model types of SentencePiece. */
export const UNIGRAM = 1;
export const BPE = 2;

/** @param {number} value @returns {number[]} */
function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest % 128 | (rest >= 128 ? 128 : 0));
    if (rest < 128) return bytes;
  }
}

/** A field of bytes, or of a message. @param {number} number @param {Uint8Array | number[]} bytes */
const field = (number, bytes) => [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
/** @param {number} number @param {number | boolean} value */
const integer = (number, value) => [...varint(number << 3), ...varint(Number(value))];

/**
 * @typedef {{ text: string, score?: number, type?: number }} Piece  type: PIECE_NORMAL by default
 */

/**
 * @param {Piece[]} pieces  in the order of their ids
 * @param {object} settings
 * @param {number} [settings.model]  UNIGRAM or BPE
 * @param {boolean} [settings.byteFallback]
 * @param {Uint8Array} [settings.charsmap]
 * @param {boolean} [settings.addDummyPrefix]
 * @param {boolean} [settings.removeExtraWhitespaces]
 * @param {boolean} [settings.escapeWhitespaces]
 * @returns {Uint8Array}
 */
export function writeSpm(pieces, { model = UNIGRAM, byteFallback = false, charsmap = new Uint8Array(),
  addDummyPrefix = true, removeExtraWhitespaces = true, escapeWhitespaces = true }) {
  const float = new DataView(new ArrayBuffer(4));
  /** @type {(Uint8Array | number[])[]} */
  const parts = pieces.map(({ text, score = 0, type }) => {
    float.setFloat32(0, score, true);
    const body = [...field(1, encoder.encode(text)), 0x15, ...new Uint8Array(float.buffer)];
    return field(1, type === undefined ? body : [...body, ...integer(3, type)]);
  });
  parts.push(field(2, [...integer(3, model), ...integer(35, byteFallback)]));
  parts.push(field(3, [...field(2, charsmap), ...integer(3, addDummyPrefix), ...integer(4, removeExtraWhitespaces),
    ...integer(5, escapeWhitespaces)]));
  return concat(parts);
}
