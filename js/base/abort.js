// abort.js - what a call with two signals needs: that of the caller and that of the object's life. Used by
// translate/ and engine/.

import { onAbort } from './host.js';

/**
 * Call f with the reason when one of the signals aborts, once.
 *
 * @param {(AbortSignal | undefined)[]} signals
 * @param {(reason: unknown) => void} f
 * @returns {() => void}  forgets f
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
 * Ends a stream with an error when one of the signals aborts, at once, also while nobody reads. The signals do not hold
 * the stream: one that the caller dropped can be collected.
 *
 * @param {(AbortSignal | undefined)[]} signals
 * @param {ReadableStreamDefaultController} controller
 * @param {(reason: unknown) => void} stop  ends the work
 * @returns {() => void}  forgets all
 */
export function endStream(signals, controller, stop) {
  const held = new WeakRef(controller);
  return onAborts(signals, (reason) => {
    held.deref()?.error(reason);
    stop(reason);
  });
}
