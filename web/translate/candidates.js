// candidates.js - the hypotheses at the end of the search, best first, with their scores; loaded by translate.js
// for a wider search.

import { h } from '../lib/dom.js';
import { fixed } from '../lib/words.js';

/**
 * @param {HTMLElement} host
 * @param {any} t  strings
 * @param {import('../../js/translate/detail.js').TranslatedSentence[]} sentences
 */
export function showCandidates(host, t, sentences) {
  const lists = sentences.map(({ target, logProb, score, alternatives = [] }, i) => {
    const all = [{ text: target, logProb, score }, ...alternatives];
    const total = all.reduce((sum, { logProb: l }) => sum + Math.exp(l), 0);
    const items = all.map(({ text, logProb: l, score: s = l }) => {
      const share = Math.exp(l) / total;
      const bar = h('i', { 'aria-hidden': 'true' });
      bar.style.setProperty('--share', share.toFixed(4));
      return h('li', {}, h('span', {}, text),
        h('span', { class: 'chance', title: `${t.score}; ${t.probability(`${(share * 100).toFixed(0)} %`)}` },
          bar, h('span', {}, h('span', { class: 'unseen' }, t.score, ' '), fixed(s, 2))));
    });
    return [sentences.length > 1 && h('h3', {}, t.candidatesOf(i + 1)), h('ol', {}, items)];
  });
  host.replaceChildren(...(lists.length ? [h('h2', {}, t.candidates), h('div', {}, lists)] : []));
}
