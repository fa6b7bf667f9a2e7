// line.js - the connection to a worker: sends calls to the engine there, receives the answers, and rejects calls
// without an answer. serve.js is the other end, and describes the messages. Used by remote.js.

import { E_WASM } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { isNode, onAbort } from '../base/host.js';
import { mismatch } from '../base/json.js';

/** A worker is silent after this many ticks without a message. */
const TICKS = 10;
/** The longest time of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1;
/** The id of the call that `ready` answers. */
const READY = -1;

/** The error that serve.js described, as one of this thread. @param {any} description */
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

/** The listeners for failures of a worker. @type {WeakMap<object, ReturnType<typeof watch>>} */
const watched = new WeakMap();

/** @param {any} worker */
function watch(worker) {
  /** @type {Set<(failure: any) => void>} */
  const all = new Set();
  const tell = (/** @type {any} */ failure) => all.forEach((each) => each(failure));
  const tellExit = () => tell(new Error('it has ended'));
  if (isNode) worker.on('error', tell).on('exit', tellExit);
  else worker.addEventListener('error', tell);
  const stop = () => {
    watched.delete(worker);
    if (isNode) worker.off('error', tell).off('exit', tellExit);
    else worker.removeEventListener('error', tell);
  };
  return { all, stop };
}

/**
 * Call f with each failure of the worker. Lines that share a worker share its listeners.
 *
 * @param {any} worker
 * @param {(failure: any) => void} f
 * @returns {() => void}  stops it
 */
function onFailure(worker, f) {
  const { all, stop } = watched.get(worker) ?? watch(worker);
  watched.set(worker, { all, stop });
  all.add(f);
  return () => {
    all.delete(f);
    if (all.size === 0) stop();
  };
}

/** Whether a value can be sent to a worker. @param {unknown} value */
function isSendable(value) {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** The option or argument that cannot be sent. @param {unknown[]} args @param {unknown} cause */
function unsendable(args, cause) {
  const parts = args.flatMap((arg) =>
    Object.prototype.toString.call(arg) === '[object Object]'
      ? Object.entries(/** @type {object} */ (arg))
      : [/** @type {[string, unknown]} */ (['input', arg])],
  );
  const [name, value] = parts.find(([, part]) => !isSendable(part)) ?? ['options', args];
  return new TypeError(mismatch(name, value, 'what can be sent to a worker (structured clone)'), { cause });
}

/**
 * @typedef {object} Call  a pending call
 * @property {(value: any) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {(event: any) => void} [onEvent]
 * @property {number} silent  ticks of the clock since the last message
 */

/** A worker, and the pending calls to its engine. */
export class Line {
  #worker;
  #isOwn;
  #timeout;
  #port;
  #next = 0;
  /** @type {Map<number, Call>} */
  #calls = new Map();
  /** Runs while there are pending calls. @type {ReturnType<typeof setInterval> | undefined} */
  #clock;
  /** The reason why no more answers come. @type {unknown} */
  #ended;
  #isReady = false;
  /** An error of the worker before it was ready, which may explain a silence. */
  #suspect = '';
  /** Stops listening to the worker. */
  #forget;
  /** Data of the model, at the time of the last answer. @type {any} */
  info;

  /**
   * @param {any} worker
   * @param {object} options
   * @param {boolean} options.isOwn  created for this line, and terminated with it
   * @param {number} options.timeout  milliseconds without a message after which a call is rejected
   */
  constructor(worker, { isOwn, timeout }) {
    const { port1, port2 } = new MessageChannel();
    this.#worker = worker;
    this.#isOwn = isOwn;
    this.#timeout = timeout;
    this.#port = port1;
    this.#forget = onFailure(worker, (failure) => this.#fail(failure));
    port1.onmessage = ({ data }) => this.#receive(data);
    port1.onmessageerror = () => this.#rejectUnread();
    worker.postMessage({ heed: port2 }, [port2]);
  }

  /** Resolves when the worker is ready. @param {AbortSignal} [signal] @returns {Promise<void>} */
  ready(signal) {
    return this.#wait(READY, { signal });
  }

  /** @param {any} failure  an Error in Node, an event in a page */
  #fail(failure) {
    const { message } = failure;
    // a worker in Node has ended; one in a page continues, and the error may be in the user's own code
    if (!isNode && !this.#isOwn && (this.#isReady || message)) {
      if (!this.#isReady) this.#suspect = `; its last error: ${message}`;
      return;
    }
    if (this.#isOwn) failure.preventDefault?.();
    const why = message ?? 'it cannot be loaded: a policy of the page, a missing file, or no module workers';
    this.end(new HeedError(E_WASM, `worker: ${why}`, { cause: failure.error ?? failure }));
  }

  /** @param {any} data */
  #receive({ id = READY, event, value, error, info, isAlive, isUnread }) {
    for (const call of this.#calls.values()) call.silent = -1;
    if (isUnread) return void this.#rejectUnread();
    const call = this.#calls.get(id);
    if (isAlive || !call) return; // not an answer, or for a call that was rejected
    if (event !== undefined) return void call.onEvent?.(event);
    if (id === READY) this.#isReady = true;
    this.info = info ?? this.info;
    if (error) call.reject(revive(error));
    else call.resolve(value);
  }

  /** A message could not be deserialised, and its call is unknown. */
  #rejectUnread() {
    const error = 'worker: found an option or a result that cannot be read at the other end of the line';
    for (const call of this.#calls.values()) call.reject(new TypeError(error));
  }

  /** Counts a tick for every pending call, and asks the worker if it is alive. */
  #tick() {
    for (const [id, call] of this.#calls) {
      if (++call.silent < TICKS) continue;
      this.#port.postMessage({ id, abort: true });
      const hint = this.#isReady ? '' : `: does it import 'heed/worker'?${this.#suspect}`;
      call.reject(new HeedError(E_WASM, `worker: found no message in ${this.#timeout} ms, the option timeout${hint}`,
        { name: 'TimeoutError' }));
    }
    if (this.#isReady) this.#port.postMessage({ isAlive: true });
  }

  /** A line with pending calls keeps the program running and has a timer; a line without does not. */
  #settle() {
    const isBusy = this.#calls.size > 0;
    if (!isBusy) {
      clearInterval(this.#clock);
      this.#clock = undefined;
    } else if (this.#timeout < Infinity) {
      this.#clock ??= setInterval(() => this.#tick(), Math.min(this.#timeout / TICKS, LONGEST));
    }
    if (!isNode) return;
    for (const end of [this.#port, this.#isOwn && this.#worker]) end?.[isBusy ? 'ref' : 'unref']?.();
  }

  /**
   * Sends a call, and resolves to its answer.
   *
   * @param {number} id
   * @param {{ signal?: AbortSignal, onEvent?: (event: any) => void }} options
   * @returns {Promise<any>}
   */
  #wait(id, { signal, onEvent }) {
    if (this.#ended || signal?.aborted) return Promise.reject(this.#ended ?? signal?.reason);
    return new Promise((resolve, reject) => {
      /** @param {(value: any) => void} f @returns {(value: any) => void} */
      const once = (f) => (value) => {
        forget();
        this.#calls.delete(id);
        this.#settle();
        f(value);
      };
      // the first call starts the timer; another call may begin just before a tick
      const call = { resolve: once(resolve), reject: once(reject), onEvent, silent: this.#clock ? -1 : 0 };
      const forget = onAbort(signal, () => {
        this.#port.postMessage({ id, abort: true });
        call.reject(signal?.reason);
      });
      this.#calls.set(id, call);
      this.#settle();
    });
  }

  /**
   * @param {string} method
   * @param {unknown[]} args
   * @param {{ signal?: AbortSignal, onEvent?: (event: any) => void, ports?: any }} [options]  signal: aborts the
   *   call; ports: those among the arguments
   * @returns {Promise<any>}
   */
  call(method, args, options = {}) {
    const id = this.#next++;
    const answer = this.#wait(id, options);
    try {
      if (this.#calls.has(id)) this.#port.postMessage({ id, method, args }, options.ports);
    } catch (error) {
      this.#calls.get(id)?.reject(unsendable(args, error));
    }
    return answer;
  }

  /** Refuses more calls, and rejects pending ones. @param {unknown} reason */
  end(reason) {
    if (this.#ended) return;
    this.#ended = reason;
    this.#forget();
    for (const { reject } of this.#calls.values()) reject(reason);
    if (this.#isOwn) this.#worker.terminate();
    else this.#port.postMessage({ id: this.#next++, method: 'destroy', args: [] });
    this.#port.close();
  }
}
