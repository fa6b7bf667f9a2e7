// alternatives.js - what else the model could say from a word on; loaded by translate.js when somebody asks.

import { h, on } from '../lib/dom.js';
import { UNKNOWN, isSpecial } from '../lib/pieces.js';

/** @typedef {import('./pane.js').Word} Word */
/** @typedef {import('../../js/translate/detail.js').TranslatedSentence} TranslatedSentence */

/** Translations in the list, and tokens to try beyond that, since some lead to the same or are no words. */
const [MOST, SPARE] = [5, 4];
/** Pixels between the word and the list, and the list's width as style.css has it. */
const [GAP, WIDTH] = [4, 352];

/**
 * Translations that begin as this one does, up to the word, and go on with the most probable other tokens.
 *
 * @param {any} translator
 * @param {TranslatedSentence} part
 * @param {number} first  token of the word
 * @param {Record<string, any>} options  of the search, and the signal
 * @returns {Promise<TranslatedSentence[]>}  none of them twice
 */
export async function findAlternatives(translator, part, first, options) {
  const [source, ids] = [part.sourceTokens, part.targetTokens].map((tokens) => tokens.map(({ id }) => id));
  const { logits: { shape: [, vocabulary], data } } = await translator.inspect(source, ids, { names: ['logits'] });
  const row = data.subarray(first * vocabulary, (first + 1) * vocabulary);
  const best = Array.from(row, (logit, id) => ({ logit, id }))
    .filter(({ logit, id }) => logit > -Infinity && id !== ids[first])
    .sort((a, b) => b.logit - a.logit).slice(0, MOST + SPARE);
  const found = new Map();
  for (const { id } of best) {
    if (found.size === MOST) break;
    const [other, ...more] = await translator.translateDetailed(part.source,
      { ...options, prefix: [...ids.slice(0, first), id] });
    const { piece = '' } = other?.targetTokens[first] ?? {};
    const isWord = other && !isSpecial(piece) && piece !== UNKNOWN;
    if (isWord && more.length === 0 && other.target !== part.target) found.set(other.target, other);
  }
  return [...found.values()];
}

/** How many characters two texts have in common at their beginnings. @param {string} a @param {string} b */
function common(a, b) {
  let n = 0;
  while (n < Math.min(a.length, b.length) && a[n] === b[n]) n++;
  // whole words
  return a.lastIndexOf(' ', n) + 1;
}

/**
 * Opens the list below a word.
 *
 * @param {object} room
 * @param {HTMLElement} room.frame  where the list is put; positions are relative to it
 * @param {any} room.t  strings
 * @param {any} room.translator
 * @param {Record<string, any>} room.options  of the search
 * @param {(word: Word, other: TranslatedSentence) => void} room.choose
 * @param {Word} word
 * @returns {() => void}  closes it
 */
export function openAlternatives({ frame, t, translator, options, choose }, word) {
  const { part, element } = word;
  const isHere = (/** @type {{ targetStart: number, targetEnd: number }} */ { targetStart, targetEnd }) =>
    targetStart < word.end && targetEnd > word.start;
  const given = part.glossary?.find(isHere);
  // words of the glossary, and what passes through, stay as they are; the tokens of two models are not its words
  const first = given || part.steps || part.kept?.some(isHere) ? -1
    : part.targetTokens.findIndex(({ start = 0, end = 0 }) => start < word.end && end > word.start);
  const none = part.steps ? t.twoModels : t.noAlternatives;
  const list = h('div', { class: 'list' }, h('p', { class: 'remark' }, first < 0 ? none : t.searching));
  const percent = Math.round(100 * word.confidence);
  const box = h('div', { class: 'alternatives', role: 'dialog', 'aria-label': t.alternatives, tabindex: -1 },
    h('p', { class: 'remark' }, h('strong', {}, element.textContent), ' ',
      given ? `(${t.terms.title}: ${given.term} = ${given.translation})` : t.sure(percent)), list);
  const before = document.activeElement;
  const stop = new AbortController();
  let isOpen = true;
  function close() {
    if (!isOpen) return;
    isOpen = false;
    stop.abort();
    const hadFocus = box.contains(document.activeElement);
    box.remove();
    for (const off of offs) off();
    if (hadFocus && before instanceof HTMLElement) before.focus();
  }
  const offs = [
    on(document, 'pointerdown', ({ target }) => !box.contains(target) && close()),
    on(box, 'keydown', ({ key }) => key === 'Escape' && close()),
  ];
  const [place, around] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
  box.style.setProperty('--top', `${place.bottom - around.top + GAP}px`);
  box.style.setProperty('--left', `${Math.max(0, Math.min(place.left - around.left, around.width - WIDTH))}px`);
  frame.append(box);
  box.focus();
  if (first >= 0) {
    findAlternatives(translator, part, first, { ...options, signal: stop.signal }).then((others) => {
      if (!isOpen) return;
      list.replaceChildren(...others.map((other) => {
        const n = common(other.target, part.target);
        return h('button', {
          type: 'button', onclick: () => {
            close();
            choose(word, other);
          },
        }, h('span', { class: 'same' }, other.target.slice(0, n)), other.target.slice(n));
      }));
      if (others.length === 0) list.replaceChildren(h('p', { class: 'remark' }, t.noAlternatives));
    }, (error) => isOpen && list.replaceChildren(h('p', { class: 'remark' }, error.message)));
  }
  return close;
}
