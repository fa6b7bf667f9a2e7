// unit.js - the parts of a file that are for translation, and errors with the line of a file. Used by all of
// documents/.

/**
 * A part of a file that is translated by itself.
 *
 * @typedef {object} Unit
 * @property {string} text
 * @property {boolean} isHtml  the text is HTML for translateHtml(), see inline.js
 * @property {number} line  of the file, from 1
 * @property {string} [problem]  why it has no translation but the text itself
 */
/**
 * @typedef {object} Document  a file that was read
 * @property {Unit[]} units  in order
 * @property {(translations: string[], tell: Tell) => string} write  the file with a translation for each unit
 */
/** @typedef {(line: number, problem: string) => void} Tell  hears what could not be written */
/** @typedef {(translations: string[], tell: Tell) => string} Write  a part of a file */

/**
 * Writes a part of a file, unless it would not be a translation: then undefined, and tell() has heard why.
 *
 * @param {Unit[]} units  all of the part
 * @param {Write} write
 * @returns {(translations: string[], tell: Tell) => string | undefined}
 */
export const unlessRefused = (units, write) => (translations, tell) => {
  let isRefused = units.some(({ problem }) => problem !== undefined);
  const output = write(translations, (line, problem) => {
    isRefused = true;
    tell(line, problem);
  });
  return isRefused ? undefined : output;
};

/** A file that is not what its format demands. */
export class DocumentError extends Error {
  /** @param {number} line  from 1 @param {string} message */
  constructor(line, message) {
    super(message);
    this.line = line;
  }
}

const WORDED = /\p{L}/u;

/** Whether there is anything to translate. @param {string} text */
export const hasWords = (text) => WORDED.test(text);

/** What may divide the columns of a line, see gapTest(). */
export const GAP = /(?<=\S)(?:[^\S\n\t]*\t[^\S\n]*| {3,})(?=\S)/g;

/** Finds lines by position. */
export class Lines {
  /** Where each line begins. */
  #starts = [0];

  /** @param {string} text */
  constructor(text) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** @param {number} position  UTF-16 @returns {number}  from 1 */
  at(position) {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= position) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** The position of a line. @param {number} index  from 0 */
  startOf(index) {
    return this.#starts[index];
  }
}

/**
 * Tells which of what GAP finds divides columns. Three spaces may be in prose: those of a line beside must end at the
 * same place.
 *
 * @param {string} text
 * @returns {(start: number, end: number) => boolean}
 */
export function gapTest(text) {
  /** @type {string[] | undefined} */
  let all;
  const lines = new Lines(text);
  return (start, end) => {
    if (text.slice(start, end) !== '   ') return true;
    all ??= text.split('\n');
    const own = lines.at(start) - 1;
    const column = end - lines.startOf(own);
    return [all[own - 1], all[own + 1]].some((line) => line?.slice(column - 3, column) === '   ' &&
      /\S/.test(line.charAt(column)) && /\S/.test(line.slice(0, column)));
  };
}

/** Collects the units of a file, and its text around them. */
export class Builder {
  /** @type {Unit[]} */
  units = [];
  #text;
  #lines;
  #at = 0;
  /** What is written, in order. @type {(string | Write)[]} */
  #parts = [];

  /** @param {string} text  the whole file */
  constructor(text) {
    this.#text = text;
    this.#lines = new Lines(text);
  }

  /** @param {number} position */
  lineAt(position) {
    return this.#lines.at(position);
  }

  /**
   * @param {string} text
   * @param {number} position  in the file
   * @param {boolean} [isHtml]
   * @returns {number}  its index in the translations
   */
  add(text, position, isHtml = false) {
    return this.units.push({ text, isHtml, line: this.lineAt(position) }) - 1;
  }

  /**
   * Replaces a part of the file that comes after all others.
   *
   * @param {number} start
   * @param {number} end
   * @param {Write} write
   */
  replace(start, end, write) {
    this.#parts.push(this.#text.slice(this.#at, start), write);
    this.#at = end;
  }

  /** @returns {Document} */
  finish() {
    const parts = [...this.#parts, this.#text.slice(this.#at)];
    return {
      units: this.units,
      write: (translations, tell) =>
        parts.map((part) => (typeof part === 'string' ? part : part(translations, tell))).join(''),
    };
  }
}
