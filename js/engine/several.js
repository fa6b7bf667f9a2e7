// several.js - a pool of as many workers as the caller says. Loaded by growing.js for the option `workers`.

import { badRange, badType, checkInteger } from '../base/check.js';
import { isNode, onAbort, resolve } from '../base/host.js';
import { MAX_WORKERS } from '../base/limits.js';
import { borrow, poolOf } from './pool.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./remote.js').RemoteOptions} RemoteOptions */

/** Whether the files are downloaded. @param {RemoteOptions['model']} model */
const isRemote = async (model) =>
  (typeof model === 'string' || model instanceof URL) && (await resolve(model)).url !== undefined;

/**
 * Creates `workers` engines. A model at a URL is downloaded once: the first worker returns the files, and the others
 * load these bytes. In Node, and in pages that are cross-origin isolated, the bytes and the weights are one copy for
 * all workers; elsewhere each has weights of its own.
 *
 * @param {import('./remote.js').Connect} connect
 * @param {number} workers
 * @param {RemoteOptions} options
 * @returns {Promise<Engine | undefined>}  undefined if workers are impossible
 */
export async function createSeveral(connect, workers, { worker, onProgress, ...options }) {
  const count = checkInteger('workers', workers, 1, MAX_WORKERS);
  if (worker === false) badRange('workers', workers, 'none, as worker is false');
  if (Object(worker) === worker) badType('worker', worker, 'true, as there is the option workers');
  /** @type {import('./remote.js').Files | undefined} */
  let files;
  const { model } = options;
  const first = await connect({
    ...options,
    worker: worker ?? (isNode || undefined),
    // the last event tells that all are ready
    onProgress: (loaded) => void (loaded < 1 && onProgress?.(loaded)),
    share: count > 1 || undefined,
    ...(count > 1 && (await isRemote(model)) && { onFiles: (read) => (files = read) }),
  });
  if (!first) return undefined;
  const stop = new AbortController();
  const forget = onAbort(options.signal, () => stop.abort(options.signal?.reason));
  const rest = { ...options, worker: true, model: files ?? model, signal: stop.signal };
  const others = Array.from({ length: count - 1 }, async () => /** @type {Engine} */ (
    await connect({ ...rest, share: await borrow(first) })));
  try {
    const engines = [first, ...(await Promise.all(others))];
    onProgress?.(1);
    return poolOf(engines, { isFixed: true });
  } catch (error) {
    stop.abort(error);
    for (const other of await Promise.allSettled(others)) if (other.status === 'fulfilled') other.value.destroy(error);
    first.destroy(error);
    throw error;
  } finally {
    forget();
  }
}
