// client.js - a Translator whose model is in a worker, at the other end of a line. Loaded by translator.js when a
// worker is wanted.

import { endStream } from '../base/abort.js';
import { builds } from '../builds.js';
import { builtin, isNode, resolve } from '../base/host.js';
import { Line } from './line.js';
import { badType, checkOptions, checkSignal, OWN } from '../base/check.js';
import { TRANSLATE, TRANSLATE_DETAILED } from '../translate/options.js';
import { Translator } from '../translate/translator.js';

/**
 * An address as text: those given as text are relative to this page, not to the worker.
 *
 * @param {any} place
 * @returns {Promise<any>}
 */
async function addressOf(place) {
  if (Array.isArray(place)) return Promise.all(place.map(addressOf));
  if (typeof place !== 'string' && !(place instanceof URL)) return place;
  const { url, path } = await resolve(place);
  return path ?? url.href;
}

/** @returns {Promise<any>} */
async function startWorker() {
  if (!isNode) return builds.worker();
  const { Worker } = await builtin('worker_threads');
  // flags of this program like --input-type are not for the worker's
  return new Worker(new URL(builds.workerAddress()), { execArgv: [] });
}

/** The Translator of this end. Forwards each call to the Translator in the worker. */
class Client extends Translator {
  #line;
  #has;
  /** Aborted by destroy(). */
  #life = new AbortController();

  /** @param {Line} line @param {any} has  what the worker says of its Translator */
  constructor(line, has) {
    super(OWN, null, has.sourceLanguage, has.targetLanguage);
    this.#line = line;
    this.#has = has;
  }

  /** @param {AbortSignal} [signal] */
  #check(signal) {
    this.#life.signal.throwIfAborted();
    checkSignal(signal);
  }

  /**
   * A call with options that may hold a signal.
   *
   * @param {string} method
   * @param {unknown} input
   * @param {any} [options]
   */
  async #ask(method, input, options = {}) {
    const { signal } = checkOptions(options, TRANSLATE_DETAILED);
    this.#check(signal);
    return this.#line.call(method, [input, { ...options, signal: signal && true }], { signal });
  }

  /** @param {string} method @param {unknown[]} args */
  async #tell(method, ...args) {
    this.#check();
    return this.#line.call(method, args);
  }

  /** @override */
  get info() {
    return { ...this.#line.info, worker: true };
  }

  /** @override */
  get config() {
    return this.#has.config;
  }

  /** @override */
  get manifest() {
    return this.#has.manifest;
  }

  /** @override @param {any} input @param {any} [options] @returns {Promise<any>} */
  translate(input, options) {
    return this.#ask('translate', input, options);
  }

  /** @override @param {string} input @param {any} [options] */
  translateDetailed(input, options) {
    return this.#ask('translateDetailed', input, options);
  }

  /** @override @param {string} input @param {any} [options] @returns {Promise<number>} */
  measureInputUsage(input, options) {
    return this.#ask('measureInputUsage', input, options);
  }

  /** @override @param {string} input @param {any} [options] @returns {ReadableStream<string>} */
  translateStreaming(input, options = {}) {
    const { signal, ...rest } = checkOptions(options, TRANSLATE);
    if (typeof input !== 'string') badType('input', input, 'a string');
    this.#check(signal);
    /** @type {Promise<number>} */
    let stream;
    let forget = () => {};
    const line = this.#line;
    const fail = (/** @type {unknown} */ error) => {
      forget();
      throw error;
    };
    const cancel = (/** @type {unknown} */ reason) => {
      forget();
      return stream.then((id) => line.call('cancel', [id, String(reason)])).catch(() => {});
    };
    return new ReadableStream({
      start: async (controller) => {
        forget = endStream([this.#life.signal, signal], controller, cancel);
        stream = line.call('open', [input, rest]);
        await stream.catch(fail);
      },
      pull: async (controller) => {
        const { done, value } = await line.call('read', [await stream], { signal }).catch(fail);
        if (done) {
          forget();
          controller.close();
        } else controller.enqueue(value);
      },
      cancel,
    });
  }

  static {
    // its objects are Translators, and nobody else makes one
    Object.defineProperty(Client.prototype, 'constructor', { value: Translator });
    // methods that need no more than to be asked for
    for (const method of ['tokenize', 'detokenize', 'attention']) {
      Object.defineProperty(Client.prototype, method, {
        value: /** @this {Client} @param {unknown[]} args */ function (...args) {
          return this.#tell(method, ...args);
        },
      });
    }
  }

  /** @override @param {any[]} args @returns {Promise<any>} */
  inspect(...args) {
    return this.#tell('inspect', ...args);
  }

  /** @override @returns {Promise<any>} */
  parameters() {
    return this.#tell('parameters');
  }

  /** @override @param {any[]} args @returns {Promise<any>} */
  parameter(...args) {
    return this.#tell('parameter', ...args);
  }

  /** @override @param {unknown} reason */
  [OWN](reason) {
    this.#life.abort(reason);
    super[OWN](reason);
    this.#line.end(reason);
  }
}

/**
 * Translator.create() in a worker.
 *
 * @param {any} options  checked there; `worker` undefined: if it can be; `onProgress` gets numbers from 0 to 1
 * @returns {Promise<Translator | undefined>}  undefined: it cannot be
 */
export async function createClient({ signal, monitor: _, worker, timeout = 30_000, onProgress, ...options }) {
  const isOwn = Object(worker) !== worker;
  /** @type {Line | undefined} */
  let line;
  try {
    line = new Line(isOwn ? await startWorker() : worker, { isOwn, timeout });
    await line.ready(signal);
  } catch (error) {
    line?.end(error);
    if (worker !== undefined || signal?.aborted) throw error;
    console.warn(`heed: the model runs in the page's own thread: ${/** @type {any} */ (error).message}`);
    return undefined;
  }
  try {
    for (const place of ['model', 'models', 'wasm']) options[place] = await addressOf(options[place]);
    return new Client(line, await line.call('create', [options], { signal, onProgress }));
  } catch (error) {
    line.end(error);
    throw error;
  }
}
