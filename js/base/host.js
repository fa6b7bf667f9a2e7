// host.js - the differences between Node and a page: built-in modules, addresses, letting the event loop run; and
// listeners of signals. Used by all rooms.

/** True if files and directories can be read. */
export const isNode = typeof globalThis.process?.versions?.node === 'string';

/**
 * A built-in module of Node. The specifier is a variable so that bundlers for pages ignore it.
 *
 * @param {string} name  without `node:`
 * @returns {Promise<any>}
 */
export function builtin(name) {
  const specifier = `node:${name}`;
  return import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
}

/**
 * Resolves an address: in Node a path unless it has a scheme, in a page relative to the page.
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

/** The functions to call on abort. All calls with one signal share one listener. @extends {Set<() => void>} */
class Listener extends Set {
  handleEvent() {
    for (const f of this) f();
  }
}

/** @type {WeakMap<AbortSignal, Listener>} */
const listeners = new WeakMap();

/**
 * Calls f when the signal aborts. The signal has a listener only while there is a function to call.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} f
 * @returns {() => void}  removes f
 */
export function onAbort(signal, f) {
  if (!signal) return () => {};
  const listener = listeners.get(signal) ?? new Listener();
  listeners.set(signal, listener);
  listener.add(f);
  signal.addEventListener('abort', listener); // adding the same listener again has no effect
  return () => {
    listener.delete(f);
    if (listener.size === 0) signal.removeEventListener('abort', listener);
  };
}

/** @type {(() => void)[]} */
const waiting = [];
/** @type {MessageChannel | undefined} */
let channel;

/**
 * Resolves after the event loop has run once, so that events, timers and aborts are handled. It uses a message and not
 * a timer, because pages delay nested timers by 4 ms.
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
