// calls.js - the calls of an engine that need no more than their arguments. Used by remote.js, growing.js and pool.js.

/** @typedef {import('./engine.js').Engine} Engine */

export const CALLS = /** @type {const} */ ([
  'encode', 'decode', 'pieces', 'logits', 'attention', 'inspect', 'parameters', 'parameter',
]);

/**
 * These calls of an engine.
 *
 * @param {(method: typeof CALLS[number]) => (...args: any[]) => Promise<any>} make  makes one of them
 * @returns {Pick<Engine, typeof CALLS[number]>}
 */
export const callsOf = (make) =>
  /** @type {any} */ (Object.fromEntries(CALLS.map((method) => [method, make(method)])));
