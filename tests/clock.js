// clock.js - a clock that counts looks at it, for tests of what depends on time, on hosts of any speed.

/**
 * From now on each look at the clock finds it so much later.
 *
 * @param {number} ms
 * @returns {() => void}  brings the clock of the host back
 */
export function passTime(ms) {
  const { now } = performance;
  let clock = performance.now();
  performance.now = () => clock += ms;
  return () => void (performance.now = now);
}
