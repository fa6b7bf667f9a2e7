// pair.js - the languages of the translation, in the header of every room: from, swap, to; used by shell.js.

import { pairName } from './engine.js';
import { h, on, svg } from './lib/dom.js';
import { languageName } from './lib/words.js';

const SWAP = 'M2 6h13l-3.5-3.5M16 12H3l3.5 3.5';

/** Begins with a capital: names of languages have none in Spanish and French. @param {string} text */
const capital = (text) => text && text[0].toUpperCase() + text.slice(1);

/** @param {any} app @returns {HTMLElement} */
export function mountPair(app) {
  /** @type {import('./engine.js').Engine} */
  const engine = app.engine;
  const t = app.strings.shell;
  const from = h('select', {
    'aria-label': t.from, title: t.from, onchange: () => choose(from.value, engine.languages.to),
  });
  const to = h('select', {
    'aria-label': t.to, title: t.to, onchange: () => choose(engine.languages.from, to.value),
  });
  const swap = h('button', { type: 'button', class: 'icon', 'aria-label': t.swap, onclick: swapBoth },
    svg('svg', { viewBox: '0 0 18 18', width: 18, height: 18, 'aria-hidden': 'true', class: 'line' },
      svg('path', { d: SWAP })));

  /** @param {string} source @param {string} target */
  function choose(source, target) {
    const pairs = engine.pairs.filter((pair) => pair.source === source);
    const have = (/** @type {string} */ language) => pairs.find((pair) => pair.target === language);
    // If the new source is the old target, the pair is reversed.
    const pair = have(target) ?? have(engine.languages.from) ?? pairs[0];
    if (pair) app.choose(pairName(pair));
  }

  const reversed = () => engine.pairs.find(({ source, target }) =>
    source === engine.languages.to && target === engine.languages.from && engine.pair);

  function swapBoth() {
    const pair = reversed();
    const text = app.translation();
    if (pair) app.choose(pairName(pair), text && { text, sentence: 0 });
  }

  /** @param {HTMLSelectElement} select @param {string[]} tags @param {string} chosen @param {string | false} own */
  function fill(select, tags, chosen, own) {
    const options = [...new Set(tags)].map((tag) => h('option', { value: tag }, capital(languageName(tag))));
    if (own) options.unshift(h('option', { value: '' }, own));
    select.replaceChildren(...options);
    select.value = own ? '' : chosen;
    select.disabled = options.length === 0;
  }

  function show() {
    const { pairs, pair, languages, status } = engine;
    const isOwn = pair === '' && status !== 'empty';
    const [source, target] = [languages.from, languages.to].map((tag) => tag && capital(languageName(tag)));
    fill(from, pairs.map((one) => one.source), languages.from,
      isOwn && (source ? `${source} (${t.own})` : capital(t.own)));
    fill(to, pairs.filter((one) => one.source === languages.from).map((one) => one.target), languages.to,
      isOwn && (target || '\u2014'));
    swap.disabled = !reversed();
    swap.title = swap.disabled ? t.noSwap : t.swap;
  }
  on(engine, 'status', show);
  show();
  return h('div', { class: 'languages', role: 'group', 'aria-label': t.pair }, from, swap, to);
}
