// terms.js - the panel of the glossary: a term and its translation on each line. Loaded by translate.js when it
// is opened.

import { debounce, h } from '../lib/dom.js';
import { readTerms } from './read-terms.js';

/** Milliseconds after the last key until the text is translated again. */
const PAUSE = 500;

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
