// pieces.js - what a person reads of the pieces of a vocabulary: which of them are no text, and the text of several.
// Used by See, Learn and Translate.

/** What stands for a character that the vocabulary lacks. */
export const UNKNOWN = '<unk>';
/** Ends, padding, and languages as families write them: `</s>`, `>>deu<<`, `<2de>`, `__de__`, `deu_Latn`, `de_DE`. */
const SPECIAL = /^(?:<(?!0x|unk>)\/?\w+>|>>.+<<|__\w+__|[a-z]{2,3}_(?:[A-Z]{2}|[A-Z][a-z]{3}))$/;
/** Bytes of UTF-8: all that ByT5 has, and what other models spell rare characters with. */
const BYTES = /(?:<0x[0-9A-F]{2}>)+/g;
const SPACE = '<0x20>';

/** Whether a piece is no text. @param {string} piece */
export const isSpecial = (piece) => SPECIAL.test(piece);

/** Whether a piece begins a word. @param {string} piece */
export const beginsWord = (piece) => piece.startsWith('\u2581') || piece === SPACE;

/** @param {string} bytes  pieces of bytes */
const decoded = (bytes) =>
  new TextDecoder().decode(Uint8Array.from(bytes.match(/[0-9A-F]{2}(?=>)/g) ?? [], (hex) => parseInt(hex, 16)));

/** The text of pieces that follow each other. @param {string[]} pieces */
export const textOf = (pieces) => pieces.join('').replace(BYTES, decoded).replaceAll('\u2581', ' ');

/** A piece as a person reads it. @param {string} piece */
export const readable = (piece) => (piece === SPACE ? '\u2423' : piece.replace(/^<0x[2-7][0-9A-F]>$/, decoded)
  .replace(/^\u2581(?=.)/, '').replace(/\u2581/g, '\u2423'));
