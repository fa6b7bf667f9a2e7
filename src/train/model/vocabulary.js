// vocabulary.js - the normalisation of text before it is cut into pieces, and the characters that must be pieces. Used
// by prepare.js.
//
// SentencePiece's own rules (NFKC) would turn m² into m2 and ½ into 1⁄2. These compose combining accents, replace
// special spaces and apostrophes by plain ones, and change nothing else.

const hex = (/** @type {string} */ text) =>
  [...text].map((c) => /** @type {number} */ (c.codePointAt(0)).toString(16).toUpperCase()).join(' ');

/** @param {number} first @param {number} last */
const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => String.fromCodePoint(first + i));

/** Rules of SentencePiece's normaliser, one per line: code points TAB code points. @returns {string} */
export function charsmap() {
  /** @type {Map<string, string>} */
  const rules = new Map();
  const blocks = [range(0xc0, 0x24f), range(0x1e00, 0x1eff)].flat();
  for (const letter of blocks) {
    const parts = letter.normalize('NFD');
    if (parts !== letter) rules.set(parts, letter);
  }
  for (const space of ['\t', '\n', '\r', '\u00a0', '\u1680', ...range(0x2000, 0x200a), '\u2028', '\u2029', '\u202f',
    '\u205f', '\u3000'])
    rules.set(space, ' ');
  for (const nothing of ['\u00ad', '\u200b', '\u2060', '\ufeff']) rules.set(nothing, '');
  for (const apostrophe of ['\u2018', '\u2019', '\u02bc', '\u2032']) rules.set(apostrophe, "'");
  for (const hyphen of ['\u2010', '\u2011', '\u2212']) rules.set(hyphen, '-');
  rules.set('\u2026', '...');
  for (const wide of range(0xff01, 0xff5e)) rules.set(wide, wide.normalize('NFKC'));
  for (const ligature of range(0xfb00, 0xfb04)) rules.set(ligature, ligature.normalize('NFKC'));
  return [...rules].map(([from, to]) => `${hex(from)}\t${hex(to)}\n`).join('');
}

const ACCENTED = 'ÄÖÜäöüßẞÀÂÆÇÈÉÊËÎÏÔŒÙÛŸàâæçèéêëîïôœùûÿÁÍÑÓÚÜáíñóúü';
const SIGNS = '¿¡«»‹›„‚“”–—•·…€£¥¢$§©®™°±×÷²³½¼¾µªº†‰→←↑↓';

/**
 * Every printable ASCII character except the space, the letters of the four languages, quotes, currencies and signs.
 */
export const REQUIRED = [...new Set([...range(0x21, 0x7e), ...ACCENTED, ...SIGNS.replace('…', '')])].join('');
