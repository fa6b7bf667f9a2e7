// random.js - repeatable random numbers. Used by the programs that make training data.

/** Random numbers in [0, 1); the same seed gives the same numbers. @param {number} seed */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * One of the items.
 *
 * @template T
 * @param {T[]} items
 * @param {() => number} next  random numbers
 */
export const drawn = (items, next) => items[Math.floor(next() * items.length)];

/**
 * The same items in a random order.
 *
 * @template T
 * @param {T[]} items
 * @param {() => number} next  random numbers
 */
export const shuffled = (items, next) =>
  items.map((item) => ({ item, at: next() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
