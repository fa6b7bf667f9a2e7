// spm-languages.js - reads the languages of MADLAD from its SentencePiece model, whose pieces they are. Needs no core.
// Used by model/stated.js.
//
//     ModelProto { 1 piece { 1 text, 3 type }, … }      <2de>, <2pt_BR>

import { PIECE_BYTE, PIECE_UNKNOWN } from '../base/constants.js';

/** Keys of fields, number * 8 + wire type: a message, bytes, an integer. */
const [PIECE, TEXT, TYPE] = [0x0a, 0x0a, 0x18];

const decoder = new TextDecoder();

/**
 * The codes of languages in the pieces at the start of a file. Ends where the bytes end, such as in a piece that is
 * cut, and at what is no field: loading tells what is wrong with a file.
 *
 * @param {Uint8Array} bytes
 * @returns {string[]}  of a whole file that loads, those that the core finds
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
  /** Steps over the value of a field that tells nothing of languages. @param {number} key */
  const skip = (key) => {
    const wire = key % 8;
    if (wire === 0) varint();
    // `at` comes after what moves it
    else at = (wire === 1 ? 8 : wire === 2 ? varint() : wire === 5 ? 4 : Infinity) + at;
  };
  const found = [];
  while (at < bytes.length) {
    const key = varint();
    if (key !== PIECE) {
      skip(key);
      continue;
    }
    const end = varint() + at;
    if (end > bytes.length) break;
    let text = '';
    let type;
    while (at < end) {
      const own = varint();
      if (own === TEXT) {
        const length = varint();
        // nearly all pieces are no language: only of those that may be one a string is made
        text = bytes[at] === 0x3c ? decoder.decode(bytes.subarray(at, Math.min(at + length, end))) : '';
        at += length;
      } else if (own === TYPE) type = varint();
      else skip(own);
    }
    if (at !== end) break;
    const [, code] = /^<2(.+)>$/.exec(text) ?? [];
    if (code !== undefined && type !== PIECE_UNKNOWN && type !== PIECE_BYTE) found.push(code);
  }
  return found;
}
