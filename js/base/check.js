// check.js - checks of arguments and options: a wrong type is a TypeError, a wrong number a RangeError. Both name the
// option. Used by all rooms above.

import { describe, mismatch, short } from './json.js';

/** @param {string} what @param {unknown} value @param {string} expected @returns {never} */
export function badType(what, value, expected) {
  throw new TypeError(mismatch(what, value, expected));
}

/** @param {string} what @param {unknown} value @param {string | number} expected @returns {never} */
export function badRange(what, value, expected) {
  throw new RangeError(mismatch(what, value, String(expected)));
}

/** @param {string} name @param {unknown} value @returns {number} */
export function checkFinite(name, value) {
  if (typeof value !== 'number') badType(name, value, 'a number');
  return Number.isFinite(value) ? value : badRange(name, value, 'a finite number');
}

/** @param {string} name @param {unknown} value @param {number} low @param {number} [high] @returns {number} */
export function checkInteger(name, value, low, high = 2 ** 31 - 1) {
  if (typeof value !== 'number') badType(name, value, 'a number');
  const fits = Number.isInteger(value) && value >= low && value <= high;
  return fits ? value : badRange(name, value, `a whole number from ${low} to ${high}`);
}

/** The key for constructors that only heed's own files may call. */
export const OWN = Symbol('heed');

/** Refuses `new` for a class that has a create function. @param {unknown} key @param {string} name */
export function checkOwn(key, name) {
  if (key !== OWN) throw new TypeError(`Illegal constructor: use ${name}.create()`);
}

/**
 * The letter pairs of a name, ignoring other characters, so that `max_tokens` is near `maxTokens`. @param {string} name
 */
const pairs = (name) => [...name.toLowerCase().replace(/[_-]/g, '')].map((letter, i, all) => letter + all[i + 1]);

/** @param {string} name @param {string[]} names @returns {never} */
function badName(name, names) {
  const found = pairs(short(name));
  // Dice's coefficient: the share of common pairs
  const nearness = (/** @type {string} */ known) => {
    const own = pairs(known);
    return (2 * own.filter((pair) => found.includes(pair)).length) / (own.length + found.length);
  };
  const [nearest] = [...names].sort((a, b) => nearness(b) - nearness(a));
  const hint = nearness(nearest) < 0.5 ? `expected ${names.join(', ')}` : `did you mean '${nearest}'?`;
  throw new TypeError(`unknown option ${describe(name)}: ${hint}`);
}

/**
 * Checks that `options` is an object with only these names.
 *
 * @template T
 * @param {T} options
 * @param {string} names
 * @returns {T}
 */
export function checkOptions(options, names) {
  if (typeof options !== 'object' || options === null) badType('options', options, 'an object');
  const known = names.split(' ');
  for (const name of Object.keys(options)) if (!known.includes(name)) badName(name, known);
  return options;
}

/** @param {string} name @param {unknown} value */
export function checkFunction(name, value) {
  if (value !== undefined && typeof value !== 'function') badType(name, value, 'a function');
}

/** @param {AbortSignal | undefined} signal */
export function checkSignal(signal) {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') badType('signal', signal, 'an AbortSignal');
  signal?.throwIfAborted();
}

/** @param {string} what @param {unknown} value */
export const checkBoolean = (what, value) =>
  (typeof value === 'boolean' ? value : badType(what, value, 'true or false'));
