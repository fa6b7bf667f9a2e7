// pool.js - an engine of several workers, each with the model or with its part of a shared one. The sentences of a call
// are dealt out in chunks, and the results are in the order of the sources. If a worker is lost, the others translate
// its sentences. If its module had a trap, which ends all that share its memory, others are started in their place.
// Used by grow.js and several.js.

import { unlessAborted } from '../base/abort.js';
import { E_WASM } from '../base/constants.js';
import { BROKE, ELSEWHERE, HeedError } from '../base/errors.js';
import { onAbort } from '../base/host.js';
import { BATCH, SHARE } from '../base/limits.js';
import { callsOf } from './calls.js';

/** @typedef {import('./engine.js').Engine} Engine */

/** Chunks of a call that a worker has at a time: with one alone, its batch would be empty between two. */
const AT_ONCE = 2;

/**
 * Whether a worker is lost: it has ended, is silent, or its module is broken. The pool's own errors have one as their
 * cause.
 *
 * @param {unknown} error
 */
export const isLoss = (error) =>
  error instanceof HeedError && error.code === E_WASM && !(error.cause instanceof HeedError);
/** Whether its module is broken. @param {unknown} error */
export const isBroken = (error) => isLoss(error) && /** @type {Error} */ (error).message.startsWith(BROKE);
/** Whether it broke while it did this work. @param {Error} error */
const isTrap = ({ message }) => message.startsWith(`${BROKE}:`) && !message.endsWith(ELSEWHERE);
/** The reason with which a worker ends whose memory broke. */
const elsewhere = () => new HeedError(E_WASM, `${BROKE}: ${ELSEWHERE}`);

/** What a worker translates with: a server or a directory may have another model later. @param {Engine} engine */
export const versionOf = ({ config, manifest }) => JSON.stringify([config, manifest]);

/**
 * Whether bytes are among the files of a model, or only some of them are at URLs. Those that the caller passed are not
 * held for workers that start later: growing.js puts {} in their place, so {} has bytes.
 *
 * @param {import('./engine.js').EngineOptions['model']} model
 */
export const hasBytes = (model) => {
  if (typeof model === 'string' || model instanceof URL) return false;
  const [first, ...others] = Object.values(model).map((file) => (file instanceof Blob ? 'Blob' : typeof file));
  return (first !== 'Blob' && first !== 'string') || others.some((kind) => kind !== first);
};

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
  /** Stands for the memory that the workers share now. */
  let memory = {};
  /** How many sentences each worker has, and its memory, if it shares one. */
  const members = new Map(engines.map((engine) => [engine, { load: 0, memory }]));
  /** Workers that are lost and not yet ended: their calls tell by themselves what happened. @type {Set<Engine>} */
  const leaving = new Set();
  /** Workers that nobody was left to take the work of. @type {WeakSet<Engine>} */
  const final = new WeakSet();
  /** Gives a new worker its part of each call that runs. @type {Set<() => void>} */
  const running = new Set();
  const life = new AbortController();
  /** The last start of others, while it runs. @type {Promise<void> | undefined} */
  let renewal;
  /** The end of the line of work that was in a module when it broke. @type {Promise<void>} */
  let suspects = Promise.resolve();

  /** @param {Engine} engine @param {object} own  its memory */
  const add = (engine, own) => {
    members.set(engine, { load: 0, memory: own });
    for (const join of running) join();
  };

  /** Starts so many in the place of others, after those that are being started. @param {number} count */
  const renew = (count) => {
    const own = (memory = {});
    const before = renewal;
    const start = async () => {
      await before?.catch(() => {});
      life.signal.throwIfAborted();
      const others = await /** @type {Restart} */ (restart)(count, life.signal);
      const isOther = others.some((each) => versionOf(each) !== versionOf(first));
      if (life.signal.aborted || isOther) {
        for (const each of others) each.destroy(life.signal.reason);
        life.signal.throwIfAborted();
        throw new HeedError(E_WASM, `${BROKE}, and there is another model since`);
      }
      for (const each of others) add(each, own);
    };
    const started = start();
    renewal = started;
    started.catch((error) => {
      if (!life.signal.aborted) console.warn(`heed: no other workers can be started: ${error.message}`);
    }).finally(() => {
      if (renewal === started) renewal = undefined; // the next call tries again
    });
    return started;
  };

  /** Resolves when others are started. @param {AbortSignal} [signal] */
  const renewed = (signal) => unlessAborted([signal], () => renewal ?? renew(engines.length));

  /**
   * @param {Engine} engine
   * @param {Error} error
   * @returns {boolean}  whether others do its work
   */
  const lose = (engine, error) => {
    const member = members.get(engine);
    if (!member) { // another worker with this memory failed first, or another call of this one
      engine.destroy(error);
      return !final.has(engine);
    }
    const lost = [...members].filter(([each, other]) => each === engine
      || (isBroken(error) && engine.isShared && each.isShared && other.memory === member.memory));
    const isLast = lost.length === members.size;
    if (isLast && !restart) return false;
    for (const [each, { load }] of lost) {
      members.delete(each);
      if (each !== engine && load > 0) leaving.add(each);
      else each.destroy(error);
    }
    const isAwaited = renewal !== undefined;
    const isRenewed = restart && (isBroken(error) || (isLast && !isAwaited));
    if (isRenewed) renew(isBroken(error) ? lost.length : engines.length);
    const who = lost.length > 1 ? `${lost.length} workers are` : 'a worker is';
    const what = isRenewed || isLast ? 'others are started' : `its sentences go to the other ${members.size}`;
    console.warn(`heed: ${who} lost, ${what}: ${error.message}`);
    // work that silences every worker would go round for ever
    const goesOn = isBroken(error) || !isLast || isAwaited;
    if (!goesOn) final.add(engine);
    return goesOn;
  };

  /**
   * The result of the engine that has least to do. If it is lost, another one does the work; the error of the last one
   * reaches the caller. What was in a module that broke is done once more, with nothing else of that kind beside it: if
   * a module breaks again, that is an error.
   *
   * @template T
   * @param {number} load  sentences
   * @param {(engine: Engine) => Promise<T>} f
   * @param {AbortSignal} [signal]  ends the waiting; f has to listen itself
   * @returns {Promise<T>}
   */
  const withLeast = async (load, f, signal) => {
    let leave = () => {};
    try {
      for (let traps = 0; ;) {
        while (members.size === 0) await renewed(signal);
        const [engine, member] = [...members].reduce((least, other) => (other[1].load < least[1].load ? other : least));
        member.load += load;
        try {
          return await f(engine);
        } catch (/** @type {any} */ error) {
          if (!isLoss(error) || !lose(engine, error)) throw error;
          if (!isTrap(error)) continue;
          if (++traps > 1) {
            const message = error.message.replace(BROKE, `${BROKE} twice with the same sentences`);
            throw new HeedError(E_WASM, message, { cause: error });
          }
          const before = suspects;
          suspects = new Promise((resolve) => (leave = resolve));
          await unlessAborted([signal], () => before);
        } finally {
          member.load -= load;
          // not before the last of its calls has told: another one may be what broke it
          if (member.load === 0 && leaving.delete(engine)) engine.destroy(elsewhere());
        }
      }
    } finally {
      leave();
    }
  };

  /** Starts workers if these sentences and those that wait are enough for them. @param {number} count */
  const grow = (count) => {
    const all = [...members.values()].reduce((sum, { load }) => sum + load, count);
    const lent = memory;
    growth?.grow([...members.keys()], Math.ceil(all / BATCH), (engine) => {
      // the memory may have broken meanwhile
      if (engine.isShared && lent !== memory) engine.destroy(elsewhere());
      else add(engine, lent);
    });
  };

  const { config, manifest, defaults } = first;
  return {
    config,
    manifest,
    defaults,
    get info() {
      let [own, shared] = [0, 0];
      for (const { isShared, info } of members.keys()) {
        if (isShared) shared = Math.max(shared, info.memoryBytes);
        else own += info.memoryBytes;
      }
      return { ...first.info, memoryBytes: own + shared,
        ...((isFixed || members.size > 1) && { workers: members.size }) };
    },
    async generate(sources, search, { signal, ...options } = {}) {
      while (members.size === 0) await renewed(signal);
      grow(sources.length);
      const most = Math.ceil(sources.length / SHARE);
      // one that is about to start takes over what is not yet dealt out
      const hoped = Math.min(Math.max(growth?.wanted ?? 0, members.size), most);
      if (hoped <= 1) {
        return withLeast(sources.length, (engine) => engine.generate(sources, search, { signal, ...options }), signal);
      }
      const stop = new AbortController();
      const forget = onAbort(signal, () => stop.abort(signal?.reason));
      // long ones first: what is left at the end, when workers become idle, is short
      const order = sources.map((_, i) => i).sort((a, b) => sources[b].length - sources[a].length);
      const size = Math.min(BATCH, Math.ceil(sources.length / (AT_ONCE * hoped)));
      const own = { signal: stop.signal, together: AT_ONCE * size };
      const chunks = Array.from({ length: Math.ceil(order.length / size) },
        (_, i) => order.slice(i * size, (i + 1) * size)).values();
      /** @type {import('./engine.js').Result[][]} */
      const results = new Array(sources.length);
      const run = async () => {
        for (const chunk of chunks) {
          const found = await withLeast(chunk.length, (engine) =>
            engine.generate(chunk.map((i) => sources[i]), search, { ...own, ...options }), own.signal);
          chunk.forEach((i, k) => (results[i] = found[k]));
        }
      };
      /** @type {Promise<void>[]} */
      const runs = [];
      let active = 0;
      const join = () => {
        // those that were with a lost worker go on with another one
        for (const enough = AT_ONCE * Math.min(members.size, most); active < enough; active++) {
          const one = run().finally(() => active--);
          one.catch((error) => stop.abort(error)); // the other chunks end too
          runs.push(one);
        }
      };
      try {
        signal?.throwIfAborted();
        running.add(join);
        join();
        for (const each of runs) await each; // also those that join meanwhile
        return results;
      } finally {
        running.delete(join);
        forget();
      }
    },
    ...callsOf((method) => (...args) => withLeast(1, (engine) => /** @type {any} */ (engine)[method](...args))),
    destroy(reason) {
      life.abort(reason);
      growth?.stop(reason);
      for (const engine of [...members.keys(), ...leaving]) engine.destroy(reason);
    },
  };
}
