// errors.js - the class of errors other than TypeError and RangeError. It carries a status of the C core. Used by all
// rooms.

import { E_MEMORY, E_WASM } from './constants.js';

/**
 * Names by number, read from the first module that loads. Before that, only E_WASM and E_MEMORY can occur.
 *
 * @type {string[]}
 */
const spelling = [];
const spell = (/** @type {number} */ code) =>
  spelling[code] ?? `HEED_E_${code === E_WASM ? 'WASM' : code === E_MEMORY ? 'MEMORY' : '?'}`;
/** A status in a message. @param {number} code */
export const words = (code) => (code === E_MEMORY ? `out of memory, ${spell(code)}` : spell(code));

/** Reads the names of statuses from the core. @param {(code: number) => string | null} nameOf */
export function learnSpelling(nameOf) {
  for (let code = spelling.length; code < 100; code++) spelling[code] = nameOf(code) ?? '';
}

/** How the message of a trap begins, and how it ends if the trap was in another worker, with the same memory. */
export const BROKE = 'the module broke';
export const ELSEWHERE = 'a trap in another worker';

/** An error with a status of the C core. */
export class HeedError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {{ name?: string, cause?: unknown, status?: string }} [options]  `name`: as in the DOMException that a page
   *   expects; `status`: its name, if no module is loaded yet
   */
  constructor(code, message, { name = 'HeedError', cause, status = spell(code) } = {}) {
    super(message, { cause });
    this.name = name;
    /** Fixed number, from src/base/status.h. @readonly */
    this.code = code;
    /** Its name, such as "HEED_E_CONFIG". @readonly */
    this.status = status;
  }
}
