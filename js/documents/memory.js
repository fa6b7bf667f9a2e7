// memory.js - translations that were made before, in a file of lines of JSON, so that only what is new is translated.
// People may correct the lines by hand.
//
//   {"from":"en","to":"de","source":"Good morning.","target":"Guten Morgen."}

import { describe } from '../base/json.js';
import { hasSameTags } from './inline.js';
import { DocumentError } from './unit.js';

const FIELDS = /** @type {const} */ (['from', 'to', 'source', 'target']);

export class Memory {
  /** By source, of one pair of languages. @type {Map<string, string>} */
  #known = new Map();
  #from;
  #to;
  /** What the file has, and what is new. */
  #text;
  /** How much of it the file has. */
  #saved;

  /** @param {string} text  the file, or '' @param {string} from @param {string} to  language tags */
  constructor(text, from, to) {
    this.#from = from;
    this.#to = to;
    this.#saved = text.length;
    this.#text = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    for (const [i, line] of text.replace(/^\ufeff/, '').split('\n').entries()) {
      if (line.trim() === '') continue;
      let entry;
      try {
        entry = JSON.parse(line);
      } catch (error) {
        throw new DocumentError(i + 1, `not JSON: ${/** @type {Error} */ (error).message}`);
      }
      const wrong = FIELDS.find((name) => typeof entry?.[name] !== 'string');
      if (wrong) throw new DocumentError(i + 1, `${wrong}: found ${describe(entry?.[wrong])}, expected a text`);
      // the last one holds
      if (entry.from === from && entry.to === to) this.#known.set(entry.source, entry.target);
    }
  }

  /** @param {import('./unit.js').Unit} unit @returns {string | undefined}  undefined also if a tag was lost by hand */
  get({ text, isHtml }) {
    const known = this.#known.get(text);
    return known === undefined || (isHtml && !hasSameTags(known, text)) ? undefined : known;
  }

  /** @param {import('./unit.js').Unit} unit @param {string} translation */
  add({ text }, translation) {
    if (this.#known.get(text) === translation) return;
    this.#known.set(text, translation);
    this.#text += `${JSON.stringify({ from: this.#from, to: this.#to, source: text, target: translation })}\n`;
  }

  /** What is to be appended to the file since the last call. */
  takeNew() {
    const lines = this.#text.slice(this.#saved);
    this.#saved = this.#text.length;
    return lines;
  }

  /** The file. */
  get text() {
    return this.#text;
  }
}
