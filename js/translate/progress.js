// progress.js - the monitor of Translator.create(): an EventTarget that gets 'downloadprogress' events, as the Writing
// Assistance APIs define it; used by translator.js.

/** The parts of a whole that progress is told in. */
const STEPS = 65_536;

/** What pages have and Node has not: an event with `loaded`, `total` and `lengthComputable`. */
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
  /** Calls the handler of the moment. It keeps its place among the listeners when the handler changes. */
  #listener = (/** @type {Event} */ event) => {
    if (this.#handler?.call(this, event) === false) event.preventDefault();
  };

  get ondownloadprogress() {
    return this.#handler;
  }

  /** As of any event handler: what is no object means none. */
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
 * Gives a monitor to the caller, and tells it what is loaded.
 *
 * @param {((monitor: any) => void) | undefined} callback  its error is the caller's
 * @param {AbortSignal | undefined} signal  after its abort no event comes
 * @returns {(loaded: number) => void}  takes 0 to 1; fires an event if the number, floored, has grown
 */
export function startMonitor(callback, signal) {
  if (!callback) return () => {};
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
