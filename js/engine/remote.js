// remote.js - an engine in a worker, at the other end of a line. Loaded by engine.js if a worker may be used.

import { resolve } from '../base/host.js';
import { callsOf } from './calls.js';
import { Line } from './line.js';

/** @typedef {import('./engine.js').Engine} Engine */

/** @param {unknown} error */
const elsewhere = async (error) => (await import('./elsewhere.js')).startElsewhere(error);

/**
 * Makes an address absolute, because relative ones refer to this page and not to the worker.
 *
 * @param {any} place
 * @returns {Promise<any>}
 */
async function addressOf(place) {
  if (typeof place !== 'string' && !(place instanceof URL)) return place;
  const { url, path } = await resolve(place);
  return path ?? url.href;
}

/**
 * @param {Line} line
 * @param {Pick<Engine, 'config' | 'manifest' | 'defaults' | 'isShared'>} has  properties of the engine in the worker
 * @returns {Engine}
 */
function engineOf(line, { config, manifest, defaults, isShared }) {
  return {
    config,
    manifest,
    defaults,
    isShared,
    lend: (port) => line.call('lend', [port], { ports: [port] }),
    get info() {
      return { ...line.info, worker: true };
    },
    generate: (sources, search, { signal, onStep, ...more } = {}) =>
      line.call('generate', [sources, search, { isStreamed: onStep !== undefined, ...more }],
        { signal, onEvent: onStep }),
    ...callsOf((method) => (...args) => line.call(method, args)),
    destroy: (reason) => line.end(reason),
  };
}

/**
 * @typedef {Record<string, Uint8Array>} Files  all files of a model
 * @typedef {Omit<import('./engine.js').EngineOptions, 'workers'> & { onFiles?: (files?: Files) => void }} RemoteOptions
 *   onFiles: gets the files that the worker has read, if it read all at a URL
 * @typedef {(options: RemoteOptions) => Promise<Engine | undefined>} Connect  starts one worker; undefined if that is
 *   impossible
 */

/**
 * @param {() => Promise<any>} startWorker
 * @param {RemoteOptions & { workers?: number }} given  `worker` undefined: if possible
 * @returns {Promise<Engine | undefined>}  undefined if workers are impossible
 */
export async function createRemote(startWorker, { workers, ...given }) {
  /** @type {Connect} */
  const connect = (options) => connectOne(startWorker, options)
    .finally(() => /** @type {any} */ (options.share)?.close?.()); // without effect if the worker has it
  const isTheirs = Object(given.worker) === given.worker && workers === undefined;
  return isTheirs ? connect(given) : (await import('./growing.js')).createOwn(connect, given, workers);
}

/**
 * @param {() => Promise<any>} startWorker
 * @param {RemoteOptions} given
 * @returns {Promise<Engine | undefined>}
 */
async function connectOne(startWorker, given) {
  const { signal, worker, timeout = 30_000, onProgress, onFiles, ...options } = given;
  const isOwn = Object(worker) !== worker;
  /** @type {Line | undefined} */
  let line;
  try {
    line = new Line(isOwn ? await startWorker().catch(elsewhere) : worker, { isOwn, timeout });
    await line.ready(signal);
  } catch (error) {
    line?.end(error);
    if (worker !== undefined || signal?.aborted) throw error;
    console.warn(`heed: the model runs in the page's own thread: ${/** @type {any} */ (error).message}`);
    return undefined;
  }
  try {
    const [model, wasm] = [await addressOf(options.model), await addressOf(options.wasm)];
    const { share } = options;
    const isRecorded = onFiles !== undefined;
    const has = await line.call('create', [{ ...options, model, wasm, isRecorded }],
      { signal, onEvent: onProgress, ports: share instanceof MessagePort ? [share] : [] });
    onFiles?.(has.files);
    return engineOf(line, has);
  } catch (error) {
    line.end(error);
    throw error;
  }
}
