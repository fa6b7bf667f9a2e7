// live.js - keeps the translation of a text up to date while it changes: each sentence is translated once, and what is
// not translated yet shows what stood in its place before. Used by translate.js; without the page, so that tests need
// none.

import { mayGoOn, splitSentences } from '../../js/text/sentences.js';
import { targetOf } from '../lib/words.js';

/** @typedef {import('../../js/translate/detail.js').TranslatedSentence} TranslatedSentence */

/**
 * A sentence of the text. Its translation has several parts if the sentence is too long for the model.
 *
 * @typedef {object} Piece
 * @property {string} text  '' for white space before the first sentence
 * @property {string} after  white space
 * @property {number} start  UTF-16, in the text
 * @property {TranslatedSentence[]} [parts]  their `start` is in `text`
 * @property {string} target
 * @property {boolean} isOld  whether `target` translates what stood here before
 */

/**
 * @typedef {object} Work
 * @property {Piece[]} pieces
 * @property {number} waiting  sentences without their translation
 * @property {number} tokens  that calls gave since the text changed; 0: nothing was computed
 * @property {number} ms  that these calls took
 */

/** Sentences whose translations are kept. */
const MOST_KEPT = 2000;
/** Sentences and characters of one call, at most. */
const [MOST_SENTENCES, MOST_CHARACTERS] = [8, 1500];
/** A call should not take longer than this, in milliseconds: then what is typed meanwhile waits no longer. */
const SHORT = 80;

/**
 * Sentences in which no code is divided: neighbours between two backticks are one, if a line has both.
 *
 * @param {Iterable<import('../../js/text/sentences.js').Part>} parts
 */
export function wholeCode(parts) {
  const isOpen = (/** @type {string} */ text) => text.split('`').length % 2 === 0;
  /** @type {import('../../js/text/sentences.js').Part[]} */
  const whole = [];
  const list = Array.from(parts);
  for (let i = 0; i < list.length; i++) {
    let { text, after } = list[i];
    if (isOpen(text)) {
      let [last, joined] = [i, text];
      // the line goes on, and the code has not ended
      while (isOpen(joined) && last + 1 < list.length && !/[\n\r]/.test(list[last].after)) {
        joined += list[last].after + list[++last].text;
      }
      if (!isOpen(joined)) [text, after, i] = [joined, list[last].after, last];
    }
    whole.push({ text, after });
  }
  return whole;
}

export class Live {
  /** @type {Piece[]} */
  #pieces = [];
  /** Translations by sentence, the oldest first. @type {Map<string, TranslatedSentence[]>} */
  #kept = new Map();
  /** What the translations of #kept depend on. */
  #key = '';
  /** The running call. @type {{ texts: string[], stop: AbortController } | null} */
  #call = null;
  #isWorking = false;
  /** Sentences of the next call. */
  #count = 1;
  /** Of #language: making one takes longer than a key may. @type {Intl.Segmenter | undefined} */
  #segmenter;
  #language = '';
  /** Loaded for the first text of more than one sentence. @type {typeof import('../../js/text/abbreviations.js') | null} */
  #rules = null;
  #isLoading = false;
  /** The arguments of the last update(). @type {[text: string, language: string, key: string] | null} */
  #last = null;
  #tokens = 0;
  #ms = 0;
  #translate;
  #show;
  #fail;

  /**
   * @param {object} host
   * @param {(text: string, signal: AbortSignal) => Promise<TranslatedSentence[]>} host.translate
   * @param {(work: Work) => void} host.show  after every change
   * @param {(error: unknown) => void} host.fail
   */
  constructor({ translate, show, fail }) {
    this.#translate = translate;
    this.#show = show;
    this.#fail = fail;
  }

  /**
   * Translates this text instead of the one before.
   *
   * @param {string} text
   * @param {string} language  of the text
   * @param {string} key  translations of another key are not used
   */
  update(text, language, key) {
    const before = key === this.#key ? this.#pieces : [];
    if (key !== this.#key) {
      this.#kept.clear();
      this.#call?.stop.abort();
      this.#key = key;
    }
    if (!this.#segmenter || this.#language !== language) {
      this.#segmenter = new Intl.Segmenter(language || 'und', { granularity: 'sentence' });
      this.#language = language;
    }
    this.#last = [text, language, key];
    if (!this.#rules && !this.#isLoading && mayGoOn(text)) this.#load();
    let start = 0;
    /** @type {Piece[]} */
    const pieces = [];
    for (const part of this.#split(text, this.#segmenter)) {
      const parts = part.text === '' ? [] : this.#kept.get(part.text);
      pieces.push({ ...part, start, parts, target: parts ? targetOf(part.text, parts) : '', isOld: false });
      start += part.text.length + part.after.length;
    }
    keepOld(before, pieces);
    this.#pieces = pieces;
    this.#tokens = this.#ms = 0;
    this.#count = 1;
    // a long call for what is gone delays the rest; that of one sentence, which is being typed, ends soon by itself
    if (this.#call && this.#call.texts.length > 1 && !this.#isWanted(this.#call.texts)) this.#call.stop.abort();
    this.#report();
    this.#work();
  }

  /** Replaces the translation of a sentence, until another key is used. @param {string} text
   * @param {TranslatedSentence[]} parts */
  choose(text, parts) {
    this.#keep(text, parts);
    this.#tokens = this.#ms = 0;
    this.#report();
  }

  /** Stops. */
  stop() {
    this.#call?.stop.abort();
    this.#pieces = [];
    this.#last = null;
  }

  /** The sentences of a text. @param {string} text @param {Intl.Segmenter} segmenter */
  #split(text, segmenter) {
    const { joinSentences } = this.#rules ?? {};
    const join = joinSentences &&
      ((/** @type {Iterable<string>} */ segments) => joinSentences(segments, this.#language));
    return wholeCode(splitSentences(text, segmenter, join));
  }

  /** Loads the rules of abbreviations, with which the text may have fewer sentences. */
  async #load() {
    this.#isLoading = true;
    const rules = await import('../../js/text/abbreviations.js').catch(() => null);
    this.#isLoading = false;
    const count = () => (this.#last && this.#segmenter ? this.#split(this.#last[0], this.#segmenter).length : 0);
    const before = count();
    this.#rules = rules;
    if (this.#last && count() < before) this.update(...this.#last);
  }

  #report() {
    const pieces = this.#pieces;
    this.#show({
      pieces, waiting: pieces.filter(({ parts }) => !parts).length, tokens: this.#tokens, ms: this.#ms,
    });
  }

  /** Whether the text still has one of these sentences. @param {string[]} texts */
  #isWanted(texts) {
    return texts.some((text) => this.#pieces.some((piece) => piece.text === text));
  }

  /** @param {string} text @param {TranslatedSentence[]} parts */
  #keep(text, parts) {
    this.#kept.delete(text);
    this.#kept.set(text, parts);
    for (const piece of this.#pieces) {
      if (piece.text === text) Object.assign(piece, { parts, target: targetOf(text, parts), isOld: false });
    }
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= Math.max(MOST_KEPT, 2 * this.#pieces.length)) break;
      this.#kept.delete(old);
    }
  }

  /** The next sentences to translate: neighbours. */
  #next() {
    const first = this.#pieces.findIndex(({ parts }) => !parts);
    const chosen = [];
    let characters = 0;
    for (let i = first; i >= 0 && i < this.#pieces.length && chosen.length < this.#count; i++) {
      const piece = this.#pieces[i];
      characters += piece.text.length;
      if (piece.parts || (chosen.length > 0 && characters > MOST_CHARACTERS)) break;
      chosen.push(piece);
    }
    return chosen;
  }

  async #work() {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      for (let pieces = this.#next(); pieces.length > 0; pieces = this.#next()) {
        const key = this.#key;
        const call = (this.#call = { texts: pieces.map(({ text }) => text), stop: new AbortController() });
        const start = performance.now();
        try {
          const found = await this.#translate(pieces.map(({ text, after }) => text + after).join(''), call.stop.signal);
          if (key === this.#key) this.#take(pieces, found);
        } catch (error) {
          // a call that was aborted makes room for the next one, and so does one for a text that is gone
          if (!call.stop.signal.aborted && this.#isWanted(call.texts)) throw error;
          continue;
        } finally {
          this.#call = null;
        }
        const ms = performance.now() - start;
        this.#ms += ms;
        if (ms < SHORT) this.#count = Math.min(2 * this.#count, MOST_SENTENCES);
        else if (ms > 2 * SHORT) this.#count = Math.max(1, this.#count >> 1);
        this.#report();
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isWorking = false;
    }
  }

  /** @param {Piece[]} pieces  neighbours @param {TranslatedSentence[]} found  of their text */
  #take(pieces, found) {
    const [{ start: origin }] = pieces;
    for (const { targetTokens } of found) this.#tokens += targetTokens.length;
    const isWhole = pieces.every(({ text, start }) => found.some((part) =>
      part.start >= start - origin && part.start + part.source.length <= start - origin + text.length));
    if (!isWhole) return this.#join(pieces, found);
    for (const { text, start } of pieces) {
      const at = start - origin;
      const parts = found.filter((part) => part.start >= at && part.start < at + text.length)
        .map((part) => ({ ...part, start: part.start - at }));
      this.#keep(text, parts);
    }
  }

  /**
   * Makes one piece of neighbours that the translator did not divide in the same places: a term of the glossary, or
   * code that passes through, has a full stop or a line break inside.
   *
   * @param {Piece[]} pieces
   * @param {TranslatedSentence[]} parts
   */
  #join(pieces, parts) {
    const at = this.#pieces.indexOf(pieces[0]);
    if (at < 0 || this.#pieces[at + pieces.length - 1] !== pieces.at(-1)) return; // the text is another now
    const { start } = pieces[0];
    const { after } = pieces[pieces.length - 1];
    const whole = pieces.map((piece) => piece.text + piece.after).join('');
    const text = whole.slice(0, whole.length - after.length);
    this.#pieces.splice(at, pieces.length, { text, after, start, parts, target: targetOf(text, parts), isOld: false });
  }
}

/**
 * Gives the pieces without a translation what stood in their place before: sentences that did not change, at the
 * beginning and at the end, tell which place that is.
 *
 * @param {readonly Piece[]} before
 * @param {Piece[]} pieces
 */
function keepOld(before, pieces) {
  const same = (/** @type {number} */ i, /** @type {number} */ j) => before[i]?.text === pieces[j]?.text;
  const most = Math.min(before.length, pieces.length);
  let head = 0;
  while (head < most && same(head, head)) head++;
  let tail = 0;
  while (tail < most - head && same(before.length - 1 - tail, pieces.length - 1 - tail)) tail++;
  for (const [i, piece] of pieces.entries()) {
    const isTail = i >= pieces.length - tail;
    const old = before[isTail ? i - pieces.length + before.length : i];
    if (piece.parts || !old || (!isTail && i >= before.length - tail)) continue;
    Object.assign(piece, { target: old.target, isOld: old.target !== '' });
  }
}
