// pool.js - an engine of several workers, each with the model or with its part of a shared one. The sentences of a call
// are dealt out in chunks, and the results are in the order of the sources. If a worker is lost, the others translate
// its sentences. Used by grow.js and several.js.

import { E_WASM } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { onAbort } from '../base/host.js';
import { BATCH, SHARE } from '../base/limits.js';

/** @typedef {import('./engine.js').Engine} Engine */

/** Chunks of a call that a worker has at a time: with one alone, its batch would be empty between two. */
const AT_ONCE = 2;

/** Whether a worker is lost: it has ended, is silent, or its module is broken. @param {unknown} error */
const isLoss = (error) => error instanceof HeedError && error.code === E_WASM;

/**
 * The option `share` of another worker. Whoever gets the port closes it: what waits in it is in memory until then.
 *
 * @param {Engine} engine  if it is lost, there is no share, and the other worker loads a copy
 * @returns {Promise<MessagePort | undefined>}
 */
export async function borrow({ isShared, lend }) {
  if (!isShared) return undefined;
  const { port1, port2 } = new MessageChannel();
  try {
    await lend?.(port1);
    return port2;
  } catch {
    for (const port of [port1, port2]) port.close();
    return undefined;
  }
}

/**
 * @param {Engine[]} engines  one at least
 * @param {{ isFixed: boolean, growth?: import('./grow.js').Growth }} options  isFixed: the caller said how many;
 *   growth: starts more
 * @returns {Engine}
 */
export function poolOf(engines, { isFixed, growth }) {
  const [first] = engines;
  /** How many sentences each one has. @type {Map<Engine, number>} */
  const loads = new Map(engines.map((engine) => [engine, 0]));
  /** Gives a new worker its part of each call that runs. @type {Set<() => void>} */
  const running = new Set();

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

  /** Starts workers if these sentences and those that wait are enough for them. @param {number} count */
  const grow = (count) => {
    const all = [...loads.values()].reduce((sum, load) => sum + load, count);
    growth?.grow([...loads.keys()], Math.ceil(all / BATCH), (engine) => {
      loads.set(engine, 0);
      for (const join of running) join();
    });
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
      let [own, shared] = [0, 0];
      for (const { isShared, info } of loads.keys()) {
        if (isShared) shared = Math.max(shared, info.memoryBytes);
        else own += info.memoryBytes;
      }
      return { ...first.info, memoryBytes: own + shared,
        ...((isFixed || loads.size > 1) && { workers: loads.size }) };
    },
    async generate(sources, search, { signal, ...options } = {}) {
      grow(sources.length);
      const most = Math.ceil(sources.length / SHARE);
      const width = Math.min(loads.size, most);
      // one that is about to start takes over what is not yet dealt out
      const hoped = Math.min(Math.max(growth?.wanted ?? 0, loads.size), most);
      if (hoped <= 1) {
        return withLeast(sources.length, (engine) => engine.generate(sources, search, { signal, ...options }));
      }
      const stop = new AbortController();
      const forget = onAbort(signal, () => stop.abort(signal?.reason));
      // long ones first: what is left at the end, when workers become idle, is short
      const order = sources.map((_, i) => i).sort((a, b) => sources[b].length - sources[a].length);
      const size = Math.min(BATCH, Math.ceil(sources.length / (AT_ONCE * hoped)));
      const together = AT_ONCE * size;
      const chunks = Array.from({ length: Math.ceil(order.length / size) },
        (_, i) => order.slice(i * size, (i + 1) * size)).values();
      /** @type {import('./engine.js').Result[][]} */
      const results = new Array(sources.length);
      const run = async () => {
        for (const chunk of chunks) {
          const found = await withLeast(chunk.length, (engine) =>
            engine.generate(chunk.map((i) => sources[i]), search, { signal: stop.signal, together, ...options }));
          chunk.forEach((i, k) => (results[i] = found[k]));
        }
      };
      /** @type {Promise<void>[]} */
      const runs = [];
      const join = () => {
        for (let i = 0; i < AT_ONCE; i++) {
          runs.push(run());
          runs[runs.length - 1].catch((error) => stop.abort(error)); // the other chunks end too
        }
      };
      try {
        signal?.throwIfAborted();
        running.add(join);
        for (let i = 0; i < width; i++) join();
        for (const each of runs) await each; // also those that join meanwhile
        return results;
      } finally {
        running.delete(join);
        forget();
      }
    },
    encode, decode, pieces, logits, attention, inspect, parameters, parameter,
    destroy(reason) {
      growth?.stop(reason);
      for (const engine of loads.keys()) engine.destroy(reason);
    },
  };
}
