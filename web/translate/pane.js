// pane.js - the translation, sentence by sentence, word by word: doubtful words are underlined; a word that the pointer
// or the keyboard is at lights up with its partners in the other text; a click or Enter lists what else the model could
// say. Used by translate.js.

import { overlap, wordsOf } from '../../js/text/words.js';
import { h, on } from '../lib/dom.js';
import { linksOf, partnersOf } from './partners.js';

/** @typedef {import('./live.js').Piece} Piece */
/** @typedef {import('../../js/translate/detail.js').TranslatedSentence} TranslatedSentence */
/** @typedef {import('./partners.js').Span} Span */
/**
 * A word of the translation: its part of the sentence, and its place there. A word of the text: its place in the
 * sentence.
 *
 * @typedef {Piece & { element: HTMLElement }} Shown
 * @typedef {Span & { piece: Piece, part: TranslatedSentence, confidence: number, element: HTMLElement }} Word
 * @typedef {Span & { piece: Piece, element: HTMLElement }} SourceWord
 */

/** A word is in doubt if it is right less often than this. */
const DOUBT = 0.3;

/** @param {Piece} a @param {Piece} b */
const looksSame = (a, b) => a.parts === b.parts && a.target === b.target && a.isOld === b.isOld && a.after === b.after;

/**
 * @param {object} room
 * @param {HTMLElement} room.said  shows the translation
 * @param {HTMLTextAreaElement} room.source  has the text
 * @param {HTMLElement} room.mirror  has the size and the place of `source`, behind it
 * @param {() => string} room.language  of the text
 * @param {(word: Word) => void} room.ask  for alternatives
 */
export function mountPane({ said, source, mirror, language, ask }) {
  /** What the pane has; a sentence that stays the same stays the same object. @type {Shown[]} */
  let shown = [];
  /** @type {Map<HTMLElement, Word>} */
  const words = new Map();
  /** Says the word that the arrow keys lead to, and its partners. */
  const told = h('span', { class: 'unseen', 'aria-live': 'polite' });
  said.after(told);
  /** @type {SourceWord[]} */
  let sourceWords = [];
  let isMirrored = false;
  /** The word that the keyboard is at. @type {HTMLElement | null} */
  let current = null;

  /** @param {Piece} given @returns {Shown} */
  function render(given) {
    const element = h('span', { class: given.isOld ? 'old' : undefined });
    const piece = { ...given, element };
    let at = 0;
    for (const part of piece.isOld ? [] : (piece.parts ?? [])) {
      element.append(piece.text.slice(at, part.start));
      at = part.start + part.source.length;
      let done = 0;
      for (const { start, end, confidence } of part.targetWords) {
        const word = h('span', { class: confidence < DOUBT ? 'word doubt' : 'word' }, part.target.slice(start, end));
        words.set(word, { start, end, piece, part, confidence, element: word });
        element.append(part.target.slice(done, start), word);
        done = end;
      }
      element.append(part.target.slice(done));
    }
    element.append(piece.isOld || !piece.parts ? piece.target : piece.text.slice(at), piece.after);
    return piece;
  }

  /** Sentences that look the same keep their elements, so nothing moves or flashes. @param {readonly Piece[]} pieces */
  function show(pieces) {
    const most = Math.min(shown.length, pieces.length);
    let head = 0;
    while (head < most && looksSame(shown[head], pieces[head])) head++;
    let tail = 0;
    while (tail < most - head && looksSame(shown[shown.length - 1 - tail], pieces[pieces.length - 1 - tail])) tail++;
    for (const { element } of shown.slice(head, shown.length - tail)) {
      for (const word of element.querySelectorAll('.word')) words.delete(/** @type {HTMLElement} */ (word));
      element.remove();
    }
    const last = tail > 0 ? shown[shown.length - tail].element : null;
    if (shown.length === 0) said.replaceChildren();
    shown = pieces.map((piece, i) => {
      const isHead = i < head;
      // its place in the text may be another now
      if (isHead || i >= pieces.length - tail) {
        return Object.assign(shown[isHead ? i : i - pieces.length + shown.length], piece);
      }
      const made = render(piece);
      said.insertBefore(made.element, last);
      return made;
    });
    isMirrored = false;
    if (current && !words.has(current)) current = null;
  }

  /** A note instead of a translation. @param {string} text */
  function note(text) {
    shown = [];
    words.clear();
    said.textContent = text;
    mirror.replaceChildren();
  }

  /** The words of the text, behind it. */
  function reflect() {
    if (isMirrored) return;
    isMirrored = true;
    sourceWords = [];
    const nodes = [];
    for (const piece of shown) {
      let at = 0;
      for (const { start, end } of wordsOf(piece.text, language())) {
        const element = h('span', {}, piece.text.slice(start, end));
        sourceWords.push({ start, end, piece, element });
        nodes.push(piece.text.slice(at, start), element);
        at = end;
      }
      nodes.push(piece.text.slice(at) + piece.after);
    }
    // a last line without text has no height of its own
    mirror.replaceChildren(...nodes, '\u200b');
    mirror.style.setProperty('--width', `${source.clientWidth}px`);
    mirror.scrollTop = source.scrollTop;
  }

  function darken() {
    for (const list of [words.values(), sourceWords]) for (const { element } of list) element.classList.remove('lit');
  }

  /** @param {Word | undefined} word  of the translation */
  function light(word) {
    darken();
    if (!word) return;
    reflect();
    word.element.classList.add('lit');
    const { piece, part } = word;
    const places = partnersOf(linksOf(part), 'target', word);
    for (const other of sourceWords) {
      const place = { start: other.start - part.start, end: other.end - part.start };
      if (other.piece.start === piece.start && places.some((span) => overlap(span, place))) {
        other.element.classList.add('lit');
      }
    }
  }

  /** @param {SourceWord | undefined} word  of the text */
  function lightSource(word) {
    darken();
    if (!word) return;
    word.element.classList.add('lit');
    for (const part of word.piece.parts ?? []) {
      const place = { start: word.start - part.start, end: word.end - part.start };
      const places = partnersOf(linksOf(part), 'source', place);
      for (const other of words.values()) {
        if (other.part === part && other.piece.start === word.piece.start
          && places.some((span) => overlap(span, other))) other.element.classList.add('lit');
      }
    }
  }

  /** @param {any} event */
  const wordAt = (event) => words.get(event.target.closest?.('.word'));

  /** Moves the keyboard's word. @param {number} by */
  function step(by) {
    const all = [...said.querySelectorAll('.word')];
    const at = current ? all.indexOf(current) + by : by > 0 ? 0 : all.length - 1;
    current = /** @type {HTMLElement | null} */ (all[at] ?? current);
    light(current ? words.get(current) : undefined);
    current?.scrollIntoView({ block: 'nearest' });
    const partners = sourceWords.filter(({ element }) => element.classList.contains('lit'));
    told.textContent = [current?.textContent, ...partners.map(({ element }) => element.textContent)].join(', ');
  }

  const offs = [
    on(said, 'pointerover', (event) => light(wordAt(event))),
    on(said, 'pointerleave', darken),
    on(said, 'click', (event) => {
      const word = wordAt(event);
      // a selection is for copying
      if (word && getSelection()?.isCollapsed !== false) ask(word);
    }),
    on(said, 'keydown', (event) => {
      if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') step(event.key === 'ArrowRight' ? 1 : -1);
      else if (event.key === 'Enter' && current && words.has(current)) ask(/** @type {Word} */ (words.get(current)));
      else return;
      event.preventDefault();
    }),
    on(said, 'blur', darken),
    on(source, 'pointermove', ({ clientX, clientY }) => {
      if (shown.length === 0) return;
      reflect();
      const under = document.elementsFromPoint(clientX, clientY);
      lightSource(sourceWords.find(({ element }) => under.includes(element)));
    }),
    on(source, 'pointerleave', darken),
    on(source, 'scroll', () => (mirror.scrollTop = source.scrollTop)),
  ];
  return { show, note, unmount: () => offs.forEach((off) => off()) };
}
