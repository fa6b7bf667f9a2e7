// terms.js - the panel of the glossary: a term and its translation on each line. Loaded by translate.js when it
// is opened.

import { debounce, h } from '../lib/dom.js';

/** Milliseconds after the last key until the text is translated again. */
const PAUSE = 500;

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

/**
 * @param {any} t  strings
 * @param {string} text  what it begins with
 * @param {(terms: Map<string, string>, text: string) => void} change
 */
export function mountTerms(t, text, change) {
  const said = h('p', { class: 'remark', role: 'status' });
  const input = h('textarea', {
    rows: 4, spellcheck: 'false', placeholder: t.hint, 'aria-label': t.title, value: text,
  });
  const take = () => {
    const { terms, wrong } = readTerms(input.value);
    said.textContent = wrong.length > 0 ? t.wrong(wrong) : t.count(terms.size);
    change(terms, input.value);
  };
  const later = debounce(take, PAUSE);
  input.addEventListener('input', later);
  take();
  return { children: [h('p', { class: 'remark' }, t.text), input, said], unmount: () => later.cancel() };
}
