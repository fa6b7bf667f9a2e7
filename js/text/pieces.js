// pieces.js - pieces that are no text of their own: bytes, and the letter that a model reads for a word of bytes. Used
// by translate/passing.js, by stand-in.js, which puts the letter there, and by what puts words into a translation.

/** @typedef {{ text: string, pieces?: string[], offsets: Int32Array }} Encoded */

/** A byte. @param {string} piece */
export const isByte = (piece) => /^<0x[\dA-F]{2}>$/.test(piece);

/** The letter. It says nothing, and models copy it like a name. */
export const STAND_IN = 'X';
/** @param {string} piece */
export const isStandIn = (piece) => piece.replace('\u2581', '') === STAND_IN;

/**
 * Whether the model read the letter for a part of a sentence. The text itself may have such a letter.
 *
 * @param {Encoded} sentence
 * @param {number} [start]
 * @param {number} [end]
 */
export const hasStandIn = ({ text, pieces = [], offsets }, start = 0, end = text.length) =>
  pieces.some((piece, s) => isStandIn(piece) && offsets[2 * s] < end && offsets[2 * s + 1] > start &&
    text.slice(offsets[2 * s], offsets[2 * s + 1]).trim() !== STAND_IN);
