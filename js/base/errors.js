// errors.js - the class of errors other than TypeError and RangeError, and the statuses of the C core that it carries.
// Used by all rooms.

// The numbers of base/status.h that JavaScript uses. The C core has their names.
export const E_MEMORY = 2;
export const E_ID = 3;
export const E_LENGTH = 4;
export const E_STATE = 5;
export const E_WASM = 6;
export const E_FILE = 10;
export const E_JSON = 11;
export const E_CONFIG = 12;
export const E_SAFETENSORS = 13;
export const E_TENSOR_MISSING = 14;
export const E_TENSOR_UNKNOWN = 15;
export const E_TENSOR_SHAPE = 16;
export const E_TENSOR_DTYPE = 17;
export const E_TENSOR_VALUE = 18;
export const E_HASH = 19;
export const E_VOCAB = 21;
export const E_TOKENIZER = 22;
export const E_LANGUAGE = 23;
export const E_DIVERGED = 30;

/** Names by number, read from the first module that loads. Before that, only E_WASM can occur. */
/** @type {string[]} */
const spelling = [];
const spell = (/** @type {number} */ code) => spelling[code] ?? (code === E_WASM ? 'HEED_E_WASM' : 'HEED_E_?');
/** A status in a message. @param {number} code */
export const words = (code) => (code === E_MEMORY ? `out of memory, ${spell(code)}` : spell(code));

/** Reads the names of statuses from the core. @param {(code: number) => string | null} nameOf */
export function learnSpelling(nameOf) {
  for (let code = spelling.length; code < 100; code++) spelling[code] = nameOf(code) ?? '';
}

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
