// host.js - what differs between Node and a page: built-in modules, addresses, and giving the event loop a turn; and
// the listening to signals. Used by wasm.js, files.js, load.js, model.js, translator.js, worker.js and client.js.

/** True where files and directories can be read. */
export const isNode = typeof globalThis.process?.versions?.node === 'string';

/**
 * A built-in module of Node. The specifier is a variable so that bundlers for pages leave it alone.
 *
 * @param {string} name  without `node:`
 * @returns {Promise<any>}
 */
export function builtin(name) {
  const specifier = `node:${name}`;
  return import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
}

/**
 * Where an address given as text points to: in Node a path unless it has a scheme, in a page relative to that.
 *
 * @param {string | URL} place
 * @returns {Promise<{ url: URL, path?: undefined } | { path: string, url?: undefined }>}
 */
export async function resolve(place) {
  // a scheme of one letter is a drive
  const hasScheme = place instanceof URL || /^[a-z][a-z\d+.-]+:/i.test(place);
  if (!hasScheme && isNode) return { path: String(place) };
  const url = hasScheme ? new URL(place) : new URL(place, globalThis.document?.baseURI ?? globalThis.location?.href);
  return isNode && url.protocol === 'file:' ? { path: (await builtin('url')).fileURLToPath(url) } : { url };
}

/** One listener a signal, however many calls share it. @type {WeakMap<AbortSignal, Set<() => void>>} */
const listeners = new WeakMap();

/**
 * Call f when the signal aborts.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} f
 * @returns {() => void}  forgets it
 */
export function onAbort(signal, f) {
  if (!signal) return () => {};
  const known = listeners.get(signal);
  const all = known ?? new Set();
  if (!known) {
    listeners.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
  }
  all.add(f);
  return () => void all.delete(f);
}

/** @type {(() => void)[]} */
const waiting = [];
/** @type {MessageChannel | undefined} */
let channel;

/**
 * Resolves after the event loop has had a turn, so that events, timers and aborts get through. A message, not a timer:
 * pages hold nested timers back for 4 ms.
 *
 * @returns {Promise<void>}
 */
export function turn() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => void setImmediate(resolve));
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  return new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
}
