// several.js - a pool of as many workers as the caller says. Loaded by growing.js for the option `workers`, and by
// grow.js to start workers in place of those that a trap has ended.

import { badRange, badType, checkInteger } from '../base/check.js';
import { isNode, onAbort, resolve } from '../base/host.js';
import { MAX_WORKERS } from '../base/limits.js';
import { borrow, hasBytes, poolOf } from './pool.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./remote.js').RemoteOptions} RemoteOptions */

/** Whether the files are downloaded. @param {RemoteOptions['model']} model */
const isRemote = async (model) =>
  (typeof model === 'string' || model instanceof URL) && (await resolve(model)).url !== undefined;

/**
 * Starts `count` workers. A model at a URL is downloaded once: the first worker returns the files, and the others load
 * these bytes. In Node, and in pages that are cross-origin isolated, the bytes and the weights are one copy for all
 * workers; elsewhere each has weights of its own.
 *
 * @param {import('./remote.js').Connect} connect
 * @param {number} count
 * @param {RemoteOptions} options
 * @returns {Promise<Engine[]>}  [] if workers are impossible
 */
export async function startAll(connect, count, { onProgress, ...options }) {
  /** @type {import('./remote.js').Files | undefined} */
  let files;
  const { model } = options;
  const first = await connect({
    ...options,
    // the last event tells that all are ready
    onProgress: (loaded) => void (loaded < 1 && onProgress?.(loaded)),
    ...(count > 1 && (await isRemote(model)) && { onFiles: (read) => (files = read) }),
  });
  if (!first) return [];
  const stop = new AbortController();
  const forget = onAbort(options.signal, () => stop.abort(options.signal?.reason));
  const rest = { ...options, worker: true, model: files ?? model, signal: stop.signal };
  const others = Array.from({ length: count - 1 }, async () => /** @type {Engine} */ (
    await connect({ ...rest, share: await borrow(first) })));
  try {
    const engines = [first, ...(await Promise.all(others))];
    onProgress?.(1);
    return engines;
  } catch (error) {
    stop.abort(error);
    for (const other of await Promise.allSettled(others)) if (other.status === 'fulfilled') other.value.destroy(error);
    first.destroy(error);
    throw error;
  } finally {
    forget();
  }
}

/**
 * A pool of `workers` engines.
 *
 * @param {import('./remote.js').Connect} connect
 * @param {number} workers
 * @param {RemoteOptions} options
 * @returns {Promise<Engine | undefined>}  undefined if workers are impossible
 */
export async function createSeveral(connect, workers, { worker, ...options }) {
  const count = checkInteger('workers', workers, 1, MAX_WORKERS);
  if (worker === false) badRange('workers', workers, 'none, as worker is false');
  if (Object(worker) === worker) badType('worker', worker, 'true, as there is the option workers');
  const engines = await startAll(connect, count,
    { ...options, worker: worker ?? (isNode || undefined), share: count > 1 || undefined });
  if (engines.length === 0) return undefined;
  const again = { ...options, worker: true, share: /** @type {true} */ (true), onProgress: undefined };
  return poolOf(engines, { isFixed: true,
    restart: hasBytes(options.model) ? undefined : (n, signal) => startAll(connect, n, { ...again, signal }) });
}
