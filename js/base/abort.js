// abort.js - calls with two signals: that of the caller and that of the object's lifetime. Used by
// translate/ and engine/.

import { onAbort } from './host.js';

/**
 * Call f with the reason when one of the signals aborts, once.
 *
 * @param {(AbortSignal | undefined)[]} signals
 * @param {(reason: unknown) => void} f
 * @returns {() => void}  removes f
 */
export function onAborts(signals, f) {
  const forgets = signals.map((signal) => onAbort(signal, () => {
    forgetAll();
    f(signal?.reason);
  }));
  const forgetAll = () => forgets.forEach((forget) => forget());
  return forgetAll;
}

/**
 * What f gives, or at once the reason of the first signal that aborts.
 *
 * @template T
 * @param {(AbortSignal | undefined)[]} signals
 * @param {() => Promise<T>} f  is not called if one has aborted
 * @returns {Promise<T>}
 */
export const unlessAborted = (signals, f) => new Promise((resolve, reject) => {
  for (const signal of signals) signal?.throwIfAborted();
  const forget = onAborts(signals, reject);
  f().then(resolve, reject).finally(forget);
});

/**
 * Errors a stream at once when one of the signals aborts, even if nobody reads it. The signals do not keep the stream
 * alive: it can be garbage-collected.
 *
 * @param {(AbortSignal | undefined)[]} signals
 * @param {ReadableStreamDefaultController} controller
 * @param {(reason: unknown) => void} stop  stops the work
 * @returns {() => void}  removes the listeners
 */
export function endStream(signals, controller, stop) {
  const held = new WeakRef(controller);
  return onAborts(signals, (reason) => {
    held.deref()?.error(reason);
    stop(reason);
  });
}
