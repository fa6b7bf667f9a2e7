// client.js - a Translator whose model is in a worker: this end of worker.js, which describes what is sent. Loaded by
// translator.js when a worker is wanted.

import { builds } from './builds.js';
import { builtin, isNode, onAbort, resolve } from './host.js';
import { checkOptions, checkSignal } from './options.js';
import { Translator } from './translator.js';
import { E_STATE, E_WASM, HeedError } from './wasm.js';

/** The error that worker.js described, as one of this thread. @param {any} description */
function revive({ kind, name, message, code, status, stack, cause }) {
  const options = { name, cause, status };
  /** @type {any} */
  let error;
  if (kind === 'HeedError') error = new HeedError(code, message, options);
  else if (kind === 'DOMException') return new DOMException(message, name);
  else error = new ({ TypeError, RangeError }[/** @type {'TypeError'} */ (kind)] ?? Error)(message, { cause });
  error.stack = stack;
  return error;
}

/** An address as text: those given as text are relative to this page, not to the worker. @param {any} place */
async function addressOf(place) {
  if (typeof place !== 'string' && !(place instanceof URL)) return place;
  const { url, path } = await resolve(place);
  return path ?? url.href;
}

/** A worker, made or given, and the calls to the one Translator it holds for us. */
class Line {
  #worker;
  #isOwn;
  #port;
  #next = 0;
  /**
   * @type {Map<number, { resolve: (value: any) => void, reject: (error: unknown) => void,
   *   onProgress?: (loaded: number) => void }>}
   */
  #calls = new Map();
  /** Why there is no answer any more. @type {unknown} */
  #ended;
  /** Of the model, as of the last answer. @type {any} */
  info;

  /** @param {any} worker @param {boolean} isOwn */
  constructor(worker, isOwn) {
    const { port1, port2 } = new MessageChannel();
    this.#worker = worker;
    this.#isOwn = isOwn;
    this.#port = port1;
    const fail = (/** @type {any} */ error) => {
      error?.preventDefault?.();
      const why = error?.message ?? 'it cannot be loaded: a policy of the page, a missing file, or no module workers';
      this.end(new HeedError(E_WASM, `worker: ${why}`, { cause: error?.error ?? error }));
    };
    if (isNode) {
      worker.on('error', fail);
      worker.on('exit', () => fail(new Error('it has ended')));
    } else {
      worker.addEventListener('error', fail);
    }
    this.ready = new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
      this.#calls.set(-1, { resolve, reject });
    });
    port1.onmessage = ({ data }) => this.#receive(data);
    worker.postMessage({ heed: port2 }, [port2]);
  }

  /** @param {any} data */
  #receive({ id = -1, loaded, value, error, info }) {
    const call = this.#calls.get(id);
    if (!call) return; // given up
    if (loaded !== undefined) return void call.onProgress?.(loaded);
    this.#calls.delete(id);
    this.#rest();
    this.info = info ?? this.info;
    if (error) call.reject(revive(error));
    else call.resolve(value);
  }

  /** A Translator that does nothing keeps no program running. */
  #rest() {
    if (isNode && this.#calls.size === 0) for (const end of [this.#port, this.#isOwn && this.#worker]) end?.unref?.();
  }

  /**
   * @param {string} method
   * @param {unknown[]} args
   * @param {{ signal?: AbortSignal, onProgress?: (loaded: number) => void }} [options]  signal: of this end
   * @returns {Promise<any>}
   */
  call(method, args, { signal, onProgress } = {}) {
    if (this.#ended || signal?.aborted) return Promise.reject(this.#ended ?? signal?.reason);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => {
        this.#port.postMessage({ id, abort: true });
        this.#calls.delete(id);
        this.#rest();
        reject(signal?.reason);
      });
      const done = (/** @type {(value: any) => void} */ f) => (/** @type {any} */ value) => {
        forget();
        f(value);
      };
      this.#calls.set(id, { resolve: done(resolve), reject: done(reject), onProgress });
      if (isNode) for (const end of [this.#port, this.#isOwn && this.#worker]) end?.ref?.();
      this.#port.postMessage({ id, method, args });
    });
  }

  /** No more calls; those under way are rejected. @param {unknown} reason */
  end(reason) {
    if (this.#ended) return;
    this.#ended = reason;
    for (const { reject } of this.#calls.values()) reject(reason);
    this.#calls.clear();
    if (this.#isOwn) this.#worker.terminate();
    else this.#port.postMessage({ id: this.#next++, method: 'destroy', args: [] });
    this.#port.close();
  }
}

/** @returns {Promise<any>} */
async function startWorker() {
  if (!isNode) return builds.worker();
  const { Worker } = await builtin('worker_threads');
  // flags of this program like --input-type are not for the worker's
  return new Worker(new URL(builds.workerAddress()), { execArgv: [] });
}

/** The Translator of this end. What Translator does in its own thread, this one asks for. */
class Client extends Translator {
  #line;
  #has;
  #isDestroyed = false;

  /** @param {Line} line @param {any} has  what the worker says of its Translator */
  constructor(line, has) {
    super(null, has.sourceLanguage, has.targetLanguage);
    this.#line = line;
    this.#has = has;
  }

  /** @param {AbortSignal} [signal] */
  #check(signal) {
    if (this.#isDestroyed) {
      throw new HeedError(E_STATE, 'the translator was destroyed', { name: 'InvalidStateError' });
    }
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
    const { signal } = checkOptions(options);
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

  /** @override @param {string} input @param {any} [options] @returns {ReadableStream<string>} */
  translateStreaming(input, options = {}) {
    const { signal, ...rest } = options ?? {};
    /** @type {Promise<number>} */
    let stream;
    let forget = () => {};
    const cancel = (/** @type {unknown} */ reason) =>
      stream.then((id) => this.#line.call('cancel', [id, String(reason)])).catch(() => {});
    return new ReadableStream({
      start: async (controller) => {
        checkOptions(options);
        this.#check(signal);
        forget = onAbort(signal, () => {
          controller.error(signal.reason);
          cancel(signal.reason);
        });
        stream = this.#line.call('open', [input, rest]);
        await stream;
      },
      pull: async (controller) => {
        const { done, value } = await this.#line.call('read', [await stream], { signal });
        if (done) {
          forget();
          controller.close();
        } else controller.enqueue(value);
      },
      cancel,
    });
  }

  static {
    // methods that need no more than to be asked for
    for (const method of ['measureInputUsage', 'tokenize', 'detokenize', 'attention']) {
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

  /** @override */
  destroy() {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#line.end(new DOMException('the translator was destroyed', 'AbortError'));
  }
}

/**
 * Translator.create() in a worker.
 *
 * @param {any} options  checked there; `worker` undefined: if it can be; `onProgress` gets numbers from 0 to 1
 * @returns {Promise<Translator | undefined>}  undefined: it cannot be
 */
export async function createClient({ signal, monitor: _, worker, onProgress, ...options }) {
  /** @type {Line | undefined} */
  let line;
  try {
    line = Object(worker) === worker ? new Line(worker, false) : new Line(await startWorker(), true);
    await line.ready;
  } catch (error) {
    line?.end(error);
    if (worker !== undefined) throw error;
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
