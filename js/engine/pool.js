// pool.js - an engine of several workers, each with the model. The sentences of a call are dealt out in chunks, and the
// results are in the order of the sources. If a worker is lost, the others translate its sentences. Loaded by
// remote.js for the option `workers`.

import { badRange, badType, checkInteger } from '../base/check.js';
import { E_WASM } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { isNode, onAbort, resolve } from '../base/host.js';
import { BATCH, MAX_WORKERS, SHARE } from '../base/limits.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./remote.js').RemoteOptions} RemoteOptions */

/** Chunks of a call that a worker has at a time: with one alone, its batch would be empty between two. */
const AT_ONCE = 2;

/** Whether the files are downloaded. @param {RemoteOptions['model']} model */
const isRemote = async (model) =>
  (typeof model === 'string' || model instanceof URL) && (await resolve(model)).url !== undefined;

/** Whether a worker is lost: it has ended, is silent, or its module is broken. @param {unknown} error */
const isLoss = (error) => error instanceof HeedError && error.code === E_WASM;

/**
 * @param {Engine[]} engines  one at least
 * @returns {Engine}
 */
function poolOf(engines) {
  const [first] = engines;
  /** How many sentences each one has. @type {Map<Engine, number>} */
  const loads = new Map(engines.map((engine) => [engine, 0]));

  /**
   * The result of the engine that has least to do. If it is lost, another one does the work; the error of the last one
   * reaches the caller.
   *
   * @template T
   * @param {number} load  sentences
   * @param {(engine: Engine) => Promise<T>} f
   * @returns {Promise<T>}
   */
  const withLeast = async (load, f) => {
    for (;;) {
      const [engine] = [...loads].reduce((least, other) => (other[1] < least[1] ? other : least));
      const add = (/** @type {number} */ n) => loads.has(engine) && loads.set(engine, Number(loads.get(engine)) + n);
      add(load);
      try {
        return await f(engine);
      } catch (/** @type {any} */ error) {
        if (!isLoss(error) || (loads.size === 1 && loads.has(engine))) throw error;
        if (loads.delete(engine)) {
          engine.destroy(error);
          console.warn(`heed: a worker is lost, its sentences go to the other ${loads.size}: ${error.message}`);
        }
      } finally {
        add(-load);
      }
    }
  };

  const ask = (/** @type {keyof Engine} */ method) => (/** @type {any[]} */ ...args) =>
    withLeast(1, (engine) => /** @type {any} */ (engine)[method](...args));
  const [encode, decode, pieces, logits, attention, inspect, parameters, parameter] =
    /** @type {const} */ (['encode', 'decode', 'pieces', 'logits', 'attention', 'inspect', 'parameters', 'parameter'])
      .map(ask);
  const { config, manifest, defaults } = first;
  return {
    config,
    manifest,
    defaults,
    get info() {
      const bytes = [...loads.keys()].map(({ info }) => info.memoryBytes);
      return { ...first.info, memoryBytes: bytes.reduce((sum, each) => sum + each), workers: loads.size };
    },
    async generate(sources, search, { signal, ...options } = {}) {
      const width = Math.min(loads.size, Math.ceil(sources.length / SHARE));
      if (width <= 1) {
        return withLeast(sources.length, (engine) => engine.generate(sources, search, { signal, ...options }));
      }
      const stop = new AbortController();
      const forget = onAbort(signal, () => stop.abort(signal?.reason));
      // long ones first: what is left at the end, when workers become idle, is short
      const order = sources.map((_, i) => i).sort((a, b) => sources[b].length - sources[a].length);
      const size = Math.min(BATCH, Math.ceil(sources.length / (AT_ONCE * width)));
      const chunks = Array.from({ length: Math.ceil(order.length / size) },
        (_, i) => order.slice(i * size, (i + 1) * size)).values();
      /** @type {import('./engine.js').Result[][]} */
      const results = new Array(sources.length);
      const run = async () => {
        for (const chunk of chunks) {
          const found = await withLeast(chunk.length, (engine) =>
            engine.generate(chunk.map((i) => sources[i]), search, { signal: stop.signal, ...options }));
          chunk.forEach((i, k) => (results[i] = found[k]));
        }
      };
      try {
        signal?.throwIfAborted();
        await Promise.all(Array.from({ length: AT_ONCE * width }, run));
        return results;
      } catch (error) {
        stop.abort(error); // the other chunks end too
        throw error;
      } finally {
        forget();
      }
    },
    encode, decode, pieces, logits, attention, inspect, parameters, parameter,
    destroy(reason) {
      for (const engine of loads.keys()) engine.destroy(reason);
    },
  };
}

/**
 * Creates `workers` engines. A model at a URL is downloaded once: the first worker returns the files, and the others
 * load these bytes. In Node, and in pages that are cross-origin isolated, the bytes are one copy for all workers; each
 * has weights of its own in the memory of its module.
 *
 * @param {typeof import('./remote.js').createRemote} createRemote  passed, as remote.js imports this file
 * @param {() => Promise<any>} startWorker
 * @param {RemoteOptions} options
 * @returns {Promise<Engine | undefined>}  undefined if workers are impossible
 */
export async function createPool(createRemote, startWorker, { workers, worker, onProgress, ...options }) {
  const count = checkInteger('workers', workers, 1, MAX_WORKERS);
  if (worker === false) badRange('workers', workers, 'none, as worker is false');
  if (Object(worker) === worker) badType('worker', worker, 'true, as there is the option workers');
  /** @type {import('./remote.js').Files | undefined} */
  let files;
  const { model } = options;
  const first = await createRemote(startWorker, {
    ...options,
    worker: worker ?? (isNode || undefined),
    // the last event tells that all are ready
    onProgress: (loaded) => void (loaded < 1 && onProgress?.(loaded)),
    ...(count > 1 && (await isRemote(model)) && { onFiles: (read) => (files = read) }),
  });
  if (!first) return undefined;
  const stop = new AbortController();
  const forget = onAbort(options.signal, () => stop.abort(options.signal?.reason));
  const others = Array.from({ length: count - 1 }, async () => /** @type {Engine} */ (
    await createRemote(startWorker, { ...options, worker: true, model: files ?? model, signal: stop.signal })));
  try {
    const engines = [first, ...(await Promise.all(others))];
    onProgress?.(1);
    return poolOf(engines);
  } catch (error) {
    stop.abort(error);
    for (const other of await Promise.allSettled(others)) if (other.status === 'fulfilled') other.value.destroy(error);
    first.destroy(error);
    throw error;
  } finally {
    forget();
  }
}
