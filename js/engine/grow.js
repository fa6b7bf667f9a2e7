// grow.js - a pool of one worker, for callers that do not pass `workers`. It starts more while there is much to do: at
// most one for each core, GROWN_WORKERS in all, and only where that downloads nothing again. Loaded by growing.js.

import { builtin, isNode, resolve } from '../base/host.js';
import { GROWN_BYTES, GROWN_WORKERS } from '../base/limits.js';
import { openRemote } from '../files/source.js';
import { borrow, hasBytes, isBroken, poolOf, versionOf } from './pool.js';

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {import('./engine.js').EngineOptions} EngineOptions */

/**
 * @typedef {object} Growth
 * @property {number} wanted  how many workers there will be soon
 * @property {(has: Engine[], wants: number, add: (engine: Engine) => void) => void} grow  starts the workers that are
 *   wanted and missing; each is added when it has the model
 * @property {(reason: unknown) => void} stop
 */

/** How many cores this program may use. */
const countCores = async () =>
  (isNode ? (await builtin('os')).availableParallelism() : (globalThis.navigator?.hardwareConcurrency ?? 1));

/**
 * Whether another worker can load the model without a download: all its files are local or stored.
 *
 * @param {EngineOptions['model']} model
 * @param {boolean | string} cache
 */
async function isAtHand(model, cache) {
  const isPlace = typeof model === 'string' || model instanceof URL;
  const places = isPlace ? [model] : Object.values(model).filter((file) => typeof file === 'string');
  const urls = (await Promise.all(places.map(resolve))).flatMap(({ url }) => url ?? []);
  if (urls.length === 0) return true;
  const remote = await openRemote(cache);
  return remote.isKept(isPlace ? urls[0] : (name) => /** @type {Record<string, any>} */ (model)[name]);
}

/** How many workers GROWN_BYTES are enough for. @param {Engine} first */
function countFitting({ isShared, info: { memoryBytes, weightBytes } }) {
  const shared = isShared ? weightBytes : 0;
  return Math.floor((GROWN_BYTES - shared) / (memoryBytes - shared));
}

/**
 * @param {Engine} first
 * @param {Pick<EngineOptions, 'model' | 'cache'>} options
 * @param {(options: Pick<EngineOptions, 'signal' | 'share'>) => Promise<Engine>} start
 * @returns {Promise<Growth | undefined>}  undefined: there will never be more than one worker
 */
async function growthOf(first, { model, cache = !isNode }, start) {
  const most = Math.min(GROWN_WORKERS, await countCores(), countFitting(first));
  if (most <= 1 || hasBytes(model)) return undefined;
  const life = new AbortController();
  let [left, starting] = [most - 1, 0];
  /** @type {Promise<boolean> | undefined} */
  let isFree;

  /** @param {Engine} other  that is not lost @param {(engine: Engine) => void} add */
  const startOne = async (other, add) => {
    try {
      isFree ??= isAtHand(model, cache);
      if (!(await isFree)) return;
      const engine = await start({ signal: life.signal, share: await borrow(other) });
      // the server or the directory may have another model by now
      if (life.signal.aborted || versionOf(engine) !== versionOf(first)) engine.destroy(life.signal.reason);
      else add(engine);
    } catch (/** @type {any} */ error) {
      if (isBroken(error)) return; // the memory of the other one; there will be a new one
      left = 0;
      if (!life.signal.aborted) console.warn(`heed: no more workers can be started: ${error.message}`);
    } finally {
      starting--;
    }
  };
  const self = {
    wanted: 1,
    /** @type {Growth['grow']} */
    grow(has, wants, add) {
      for (; left > 0 && has.length + starting < wants; left--) {
        starting++;
        void startOne(has[0], add);
      }
      self.wanted = has.length + starting;
    },
    stop(/** @type {unknown} */ reason) {
      left = 0;
      life.abort(reason);
    },
  };
  return self;
}

/**
 * @param {Engine} first
 * @param {import('./remote.js').Connect} connect
 * @param {import('./remote.js').RemoteOptions} options  of the first
 * @returns {Promise<Engine>}
 */
export async function createGrowing(first, connect, { onProgress: _, ...options }) {
  const growth = await growthOf(first, options, (more) => /** @type {Promise<Engine>} */ (
    connect({ ...options, worker: true, ...more })));
  /** @type {import('./pool.js').Restart} */
  const restart = async (count, signal) =>
    (await import('./several.js')).startAll(connect, count, { ...options, worker: true, share: true, signal });
  return poolOf([first], { isFixed: false, growth, restart: hasBytes(options.model) ? undefined : restart });
}
