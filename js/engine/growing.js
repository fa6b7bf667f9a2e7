// growing.js - the engine of one worker, until there is more to do, or of as many as the caller says. Loaded by
// remote.js, if the caller gave no worker.

import { E_WASM } from '../base/constants.js';
import { BATCH } from '../base/limits.js';
import { CALLS } from './calls.js';

/** @typedef {import('./engine.js').Engine} Engine */

/**
 * The engine of one worker. When more sentences wait than it translates at a time, or when it is lost, it becomes a
 * pool, see grow.js: its prototype changes.
 *
 * @param {Engine} first
 * @param {import('./remote.js').Connect} connect
 * @param {import('./remote.js').RemoteOptions} options  of the first
 * @returns {Engine}
 */
function growing(first, connect, options) {
  /** @type {Engine} */
  const self = Object.create(first);
  let load = 0;
  /** @type {{ reason: unknown } | undefined} */
  let end;
  /** @type {Promise<void> | undefined} */
  let pool;
  // the one worker can do all of it: that there are no more is no failure
  const become = async () => {
    try {
      const all = await (await import('./grow.js')).createGrowing(first, connect, options);
      if (end) all.destroy(end.reason);
      Object.setPrototypeOf(self, all);
    } catch (error) {
      console.warn('heed: no more workers can be started:', error);
    }
  };
  // what a pool does in another worker if the one of a call is lost
  for (const method of [...CALLS, 'generate']) {
    const call = (/** @type {any[]} */ ...args) => Object.getPrototypeOf(self)[method](...args);
    /** @type {any} */ (self)[method] = async (/** @type {any[]} */ ...args) => {
      const count = method === 'generate' ? args[0].length : 0;
      load += count;
      try {
        if (load > BATCH) await (pool ??= become());
        return await call(...args).catch(async (/** @type {any} */ error) => {
          if (pool || error?.code !== E_WASM) throw error;
          await (pool ??= become());
          return call(...args);
        });
      } finally {
        load -= count;
      }
    };
  }
  self.destroy = (reason) => {
    end = { reason };
    Object.getPrototypeOf(self).destroy(reason);
  };
  return self;
}

/**
 * @param {import('./remote.js').Connect} connect
 * @param {import('./remote.js').RemoteOptions} options
 * @param {number} [workers]
 * @returns {Promise<Engine | undefined>}  undefined if workers are impossible
 */
export async function createOwn(connect, options, workers) {
  if (workers !== undefined) return (await import('./several.js')).createSeveral(connect, workers, options);
  const first = await connect({ ...options, share: true });
  // Bytes start no other worker. Do not hold them: {} counts as bytes, see hasBytes().
  const model = Object.values(options.model).some((file) => file?.byteLength) ? {} : options.model;
  return first && growing(first, connect, { ...options, model });
}
