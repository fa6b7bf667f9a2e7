// read-terms.js - the glossary as the user writes it. Used by translate.js, which has the one of the last visit before
// the panel, and by terms.js.

/**
 * The terms of a text of lines "term = translation"; lines that begin with # are remarks.
 *
 * @param {string} text
 * @returns {{ terms: Map<string, string>, wrong: number[] }}  wrong: numbers of the lines that are neither
 */
export function readTerms(text) {
  const terms = new Map();
  /** @type {number[]} */
  const wrong = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [term, ...rest] = line.split(/\t|=/);
    const translation = rest.join('=').trim();
    if (term.trim() && translation) terms.set(term.trim(), translation);
    else wrong.push(i + 1);
  }
  return { terms, wrong };
}
