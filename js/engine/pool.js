// pool.js - an engine of several workers, each with the model or with its part of a shared one. The sentences of a call
// are dealt out in chunks, and the results are in the order of the sources. If a worker is lost, the others translate
// its sentences. If its module had a trap, which ends all that share its memory, others are started in their place.
// Used by grow.js and several.js.

import { E_WASM } from '../base/constants.js';
import { BROKE, ELSEWHERE, HeedError } from '../base/errors.js';
import { onAbort } from '../base/host.js';
import { BATCH, SHARE } from '../base/limits.js';

/** @typedef {import('./engine.js').Engine} Engine */

/** Chunks of a call that a worker has at a time: with one alone, its batch would be empty between two. */
const AT_ONCE = 2;

/**
 * Whether a worker is lost: it has ended, is silent, or its module is broken. The pool's own errors have one as their
 * cause.
 *
 * @param {unknown} error
 */
const isLoss = (error) =>
  error instanceof HeedError && error.code === E_WASM && !(error.cause instanceof HeedError);
/** Whether its module is broken. @param {Error} error */
const isBroken = ({ message }) => message.startsWith('the module broke');
/** Whether it broke while it did this work. @param {Error} error */
const isTrap = ({ message }) => message.startsWith(BROKE) && !message.endsWith(ELSEWHERE);

/** What a worker translates with: a server or a directory may have another model later. @param {Engine} engine */
export const versionOf = ({ config, manifest }) => JSON.stringify([config, manifest]);

/**
 * Whether bytes are among the files of a model, or some of them only are at URLs. Those that the caller passed are not
 * held for workers that start later.
 *
 * @param {import('./engine.js').EngineOptions['model']} model
 */
export const hasBytes = (model) => typeof model !== 'string' && !(model instanceof URL)
  && !Object.values(model).every((file) => file instanceof Blob)
  && !Object.values(model).every((file) => typeof file === 'string');

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
 * @typedef {(count: number, signal: AbortSignal) => Promise<Engine[]>} Restart  starts so many, with a new memory
 */

/**
 * @param {Engine[]} engines  one at least
 * @param {{ isFixed: boolean, growth?: import('./grow.js').Growth, restart?: Restart }} options  isFixed: the caller
 *   said how many; growth: starts more; restart: undefined if others cannot be started
 * @returns {Engine}
 */
export function poolOf(engines, { isFixed, growth, restart }) {
  const [first] = engines;
  /** How many sentences each one has. @type {Map<Engine, number>} */
  const loads = new Map(engines.map((engine) => [engine, 0]));
  /** Gives a new worker its part of each call that runs. @type {Set<() => void>} */
  const running = new Set();
  const life = new AbortController();
  /** When there are workers again; rejected if there will be none. @type {Promise<void> | undefined} */
  let renewal;
  /** The end of the line of work that was in a module when it broke. @type {Promise<void>} */
  let suspects = Promise.resolve();

  /** @param {Engine} engine */
  const add = (engine) => {
    loads.set(engine, 0);
    for (const join of running) join();
  };

  /** @param {Restart} start @param {number} count */
  const renew = async (start, count) => {
    const others = await start(count, life.signal);
    const isOther = others.some((each) => versionOf(each) !== versionOf(first));
    if (life.signal.aborted || isOther) {
      for (const each of others) each.destroy(life.signal.reason);
      life.signal.throwIfAborted();
      throw new HeedError(E_WASM, 'the module broke, and there is another model since');
    }
    others.forEach(add);
  };

  /** @param {Engine} engine @param {Error} error */
  const lose = (engine, error) => {
    // another one, of the same memory, may have told before
    const isFirst = loads.has(engine);
    engine.destroy(error);
    if (!isFirst) return;
    const lost = [...loads.keys()].filter((each) => each === engine
      || (isBroken(error) && engine.isShared && each.isShared));
    for (const each of lost) {
      // those that work tell by themselves what ended them
      if (!loads.get(each)) each.destroy(error);
      loads.delete(each);
    }
    const isRenewed = restart && isBroken(error);
    if (isRenewed) renewal = renew(restart, lost.length);
    else if (loads.size === 0) renewal = Promise.reject(error);
    renewal?.catch(() => {});
    if (!isRenewed && loads.size === 0) return;
    const who = lost.length > 1 ? `${lost.length} workers are` : 'a worker is';
    const what = isRenewed ? 'others are started' : `its sentences go to the other ${loads.size}`;
    console.warn(`heed: ${who} lost, ${what}: ${error.message}`);
  };

  /**
   * The result of the engine that has least to do. If it is lost, another one does the work; the error of the last one
   * reaches the caller. What was in a module that broke is done once more, with nothing else of that kind beside it: if
   * a module breaks again, that is an error.
   *
   * @template T
   * @param {number} load  sentences
   * @param {(engine: Engine) => Promise<T>} f
   * @returns {Promise<T>}
   */
  const withLeast = async (load, f) => {
    let leave = () => {};
    try {
      for (let traps = 0; ;) {
        while (loads.size === 0) await renewal;
        const [engine] = [...loads].reduce((least, other) => (other[1] < least[1] ? other : least));
        const has = (/** @type {number} */ more) => {
          if (loads.has(engine)) loads.set(engine, Number(loads.get(engine)) + more);
        };
        has(load);
        try {
          const result = await f(engine);
          if (!loads.has(engine)) engine.destroy(new HeedError(E_WASM, BROKE + ELSEWHERE));
          return result;
        } catch (/** @type {any} */ error) {
          if (!isLoss(error)) throw error;
          lose(engine, error);
          if (!isTrap(error)) continue;
          if (++traps > 1) {
            const message = error.message.replace(BROKE, 'the module broke twice with the same sentences: ');
            throw new HeedError(E_WASM, message, { cause: error });
          }
          const before = suspects;
          suspects = new Promise((resolve) => (leave = resolve));
          await before;
        } finally {
          has(-load);
        }
      }
    } finally {
      leave();
    }
  };

  /** Starts workers if these sentences and those that wait are enough for them. @param {number} count */
  const grow = (count) => {
    const all = [...loads.values()].reduce((sum, load) => sum + load, count);
    growth?.grow([...loads.keys()], Math.ceil(all / BATCH), add);
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
      if (loads.size === 0) await renewal;
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
      life.abort(reason);
      growth?.stop(reason);
      for (const engine of loads.keys()) engine.destroy(reason);
    },
  };
}
