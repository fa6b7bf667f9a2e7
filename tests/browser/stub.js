// stub.js - a Translator for pages, of words and their alignment instead of a model. Used by dom.js and dom-fuzz.js.
import { translateBy } from '../mutate/stubs.js';

export class Stub {
  /** The HTML of each call. @type {string[]} */
  calls = [];

  /**
   * @param {string} stub  of mutate/stubs.js
   * @param {{ targetLanguage?: string, delay?: number | Promise<void> }} [options]  delay: milliseconds before each
   *   answer, or what each waits for
   */
  constructor(stub = 'upper', { targetLanguage = 'de', delay = 0 } = {}) {
    Object.assign(this, { stub, delay, sourceLanguage: 'en', targetLanguage });
  }

  async translateHtml(html, { signal } = {}) {
    this.calls.push(html);
    await (typeof this.delay === 'number' ? new Promise((resolve) => setTimeout(resolve, this.delay)) : this.delay);
    signal?.throwIfAborted();
    return translateBy(html, this.stub).output;
  }
}
