// token.js - a token as a person reads it; used by chapters of Learn.

/**
 * Its text. A byte that is no character, and a piece without text, have their number.
 *
 * @param {{ detokenize: (ids: number[]) => Promise<string> }} translator
 * @param {number} id
 */
export async function tokenName(translator, id) {
  const text = (await translator.detokenize([id])).trim();
  return text === '' || text.includes('\ufffd') ? `#${id}` : text;
}
