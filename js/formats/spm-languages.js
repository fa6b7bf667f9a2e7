// spm-languages.js - the languages of MADLAD, which are pieces of its SentencePiece model, without the core and before
// anything else is loaded. Used by model/pairs.js.
//
//     ModelProto { 1 piece { 1 text, 3 type }, … }      <2de>, <2pt_BR>

import { PIECE_BYTE, PIECE_UNKNOWN } from '../base/constants.js';

/** A field's number and wire type in one byte: messages and bytes, integers, floats. */
const [PIECE, TEXT, TYPE, SCORE] = [0x0a, 0x0a, 0x18, 0x15];

const decoder = new TextDecoder();

/**
 * The codes of languages in the pieces at the start of a file. Ends at the first byte that is not as expected, such as
 * in a piece that is cut: loading tells what is wrong with a file.
 *
 * @param {Uint8Array} bytes
 * @returns {string[]}
 */
export function languagesIn(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Infinity; // cut
  };
  const found = [];
  while (bytes[at++] === PIECE) {
    const end = varint() + at;
    if (end > bytes.length) break;
    let text = '';
    let type;
    while (at < end) {
      const key = bytes[at++];
      if (key === TEXT) {
        const length = varint();
        // nearly all pieces are no language: only of those that may be one a string is made
        if (bytes[at] === 0x3c) text = decoder.decode(bytes.subarray(at, Math.min(at + length, end)));
        at += length;
      } else if (key === TYPE) type = varint();
      else if (key === SCORE) at += 4;
      else return found;
    }
    const [, code] = /^<2(.+)>$/.exec(text) ?? [];
    if (code !== undefined && type !== PIECE_UNKNOWN && type !== PIECE_BYTE) found.push(code);
    at = end;
  }
  return found;
}
