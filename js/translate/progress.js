// progress.js - the monitor of Translator.create(): an EventTarget that gets 'downloadprogress' events, as the Writing
// Assistance APIs define it; loaded by translator.js if there is a monitor.

/** Progress is reported in this many steps. */
const STEPS = 65_536;

/** For Node, which lacks it: an event with `loaded`, `total` and `lengthComputable`. */
const ProgressEvent = globalThis.ProgressEvent ?? class ProgressEvent extends Event {
  #init;

  /** @param {string} type @param {ProgressEventInit} [init] */
  constructor(type, init = {}) {
    super(type, init);
    this.#init = init;
  }

  get lengthComputable() {
    return this.#init.lengthComputable ?? false;
  }

  get loaded() {
    return this.#init.loaded ?? 0;
  }

  get total() {
    return this.#init.total ?? 0;
  }

  get [Symbol.toStringTag]() {
    return 'ProgressEvent';
  }
};

class CreateMonitor extends EventTarget {
  /** @type {((event: Event) => unknown) | null} */
  #handler = null;
  /** Calls the current handler. Its position among the listeners stays the same when the handler changes. */
  #listener = (/** @type {Event} */ event) => {
    if (this.#handler?.call(this, event) === false) event.preventDefault();
  };

  get ondownloadprogress() {
    return this.#handler;
  }

  /** As for any event handler, a value that is not an object means none. */
  set ondownloadprogress(handler) {
    const next = typeof handler === 'function' ? handler : null;
    if (!this.#handler && next) this.addEventListener('downloadprogress', this.#listener);
    if (!next) this.removeEventListener('downloadprogress', this.#listener);
    this.#handler = next;
  }

  get [Symbol.toStringTag]() {
    return 'CreateMonitor';
  }
}

/**
 * Passes a monitor to the caller, unless it has aborted, and reports progress to it.
 *
 * @param {(monitor: any) => void} callback  its errors reach the caller
 * @param {AbortSignal | undefined} signal  no events after its abort
 * @returns {(loaded: number) => void}  takes 0 to 1; fires an event if the number, floored, has grown
 */
export function startMonitor(callback, signal) {
  signal?.throwIfAborted();
  const monitor = new CreateMonitor();
  callback(monitor);
  let last = -1;
  return (part) => {
    const loaded = Math.floor(part * STEPS) / STEPS;
    if (loaded <= last || signal?.aborted) return;
    last = loaded;
    monitor.dispatchEvent(new ProgressEvent('downloadprogress', { lengthComputable: true, loaded, total: 1 }));
  };
}
