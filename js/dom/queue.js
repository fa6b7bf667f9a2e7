// queue.js - the texts of a page that wait for their translation: what is visible first, in calls of some sentences,
// each text once. Used by page.js.

import { MAX_PAGE_CALLS, MAX_PAGE_TEXTS, PAGE_CALL, PAGE_CALL_VISIBLE } from '../base/limits.js';
import { splitBlocks } from './unit.js';

/** @typedef {import('./unit.js').Unit | import('./unit.js').AttributeUnit} AnyUnit */
/** @typedef {{ html: string, units: Set<AnyUnit>, isRunning: boolean }} Entry */

/**
 * @typedef {object} QueueOptions
 * @property {(html: string) => Promise<string>} translate
 * @property {(unit: AnyUnit) => boolean} isVisible
 * @property {(unit: AnyUnit, answer: string) => void} deliver
 * @property {(error: unknown) => void} fail
 * @property {(error: unknown) => boolean} isOfText  whether an error is of one text: it stays as it is
 * @property {() => void} wake  called when a call has ended
 */

export class Queue {
  #options;
  /** @type {Map<string, Entry>} */
  #entries = new Map();
  #running = 0;
  /** Translations, those that were used last at the end. @type {Map<string, string>} */
  #known = new Map();
  #isEnded = false;

  /** @param {QueueOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** A translation that is known. @param {string} html */
  find(html) {
    const answer = this.#known.get(html);
    if (answer !== undefined) this.#keep(html, answer);
    return answer;
  }

  /** @param {string} html @param {string} answer */
  #keep(html, answer) {
    this.#known.delete(html);
    this.#known.set(html, answer);
    if (this.#known.size > MAX_PAGE_TEXTS) this.#known.delete(String(this.#known.keys().next().value));
  }

  /** @param {AnyUnit} unit */
  add(unit) {
    const { html } = unit;
    const entry = this.#entries.get(html) ?? { html, units: new Set(), isRunning: false };
    entry.units.add(unit);
    this.#entries.set(html, entry);
  }

  /** @param {AnyUnit} unit */
  remove(unit) {
    const entry = this.#entries.get(unit.html);
    entry?.units.delete(unit);
    if (entry?.units.size === 0 && !entry.isRunning) this.#entries.delete(unit.html);
  }

  /** What is translated next. @returns {Entry[]} */
  #choose() {
    /** @type {Entry[]} */
    const visible = [];
    /** @type {Entry[]} */
    const others = [];
    let [size, othersSize] = [0, 0];
    for (const entry of this.#entries.values()) {
      if (entry.isRunning) continue;
      if ([...entry.units].some(this.#options.isVisible)) {
        visible.push(entry);
        size += entry.html.length;
        if (size > PAGE_CALL_VISIBLE) break;
      } else if (othersSize < PAGE_CALL) {
        others.push(entry);
        othersSize += entry.html.length;
      }
    }
    return visible.length > 0 ? visible : others;
  }

  /** Starts calls, as many as may run. */
  feed() {
    while (!this.#isEnded && this.#running < MAX_PAGE_CALLS) {
      const entries = this.#choose();
      if (entries.length === 0) return;
      void this.#call(entries);
    }
  }

  /** @param {Entry[]} entries */
  async #call(entries) {
    this.#running++;
    for (const entry of entries) entry.isRunning = true;
    try {
      const answers = await this.#translate(entries.map(({ html }) => html));
      if (this.#isEnded) return;
      for (const [i, { html, units }] of entries.entries()) {
        this.#keep(html, answers[i]);
        this.#entries.delete(html);
        for (const unit of units) this.#options.deliver(unit, answers[i]);
      }
    } catch (error) {
      if (!this.#isEnded) this.#options.fail(error);
    } finally {
      this.#running--;
    }
    // also if nothing was delivered, since the page has dropped it
    this.#options.wake();
  }

  /** @param {string[]} texts @returns {Promise<string[]>} */
  async #translate(texts) {
    try {
      return splitBlocks(await this.#options.translate(texts.join('')), texts.length);
    } catch (error) {
      if (this.#isEnded || !this.#options.isOfText(error)) throw error;
      if (texts.length === 1) {
        console.warn(`translatePage(): a text is not translated: ${/** @type {Error} */ (error).message}`);
        return texts;
      }
      const answers = [];
      for (const text of texts) answers.push(...(await this.#translate([text])));
      return answers;
    }
  }

  /** Starts no more calls, and delivers nothing. */
  end() {
    this.#isEnded = true;
    this.#entries.clear();
    this.#known.clear();
  }
}
