// host.js - what differs between Node and a page: built-in modules, addresses, and giving the event loop a turn; and
// the listening to signals. Used by all rooms.

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

/** What an abort calls: one listener a signal, however many calls share it. @extends {Set<() => void>} */
class Listener extends Set {
  handleEvent() {
    for (const f of this) f();
  }
}

/** @type {WeakMap<AbortSignal, Listener>} */
const listeners = new WeakMap();

/**
 * Call f when the signal aborts. The signal has a listener as long as there is something to call.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} f
 * @returns {() => void}  forgets it
 */
export function onAbort(signal, f) {
  if (!signal) return () => {};
  const listener = listeners.get(signal) ?? new Listener();
  listeners.set(signal, listener);
  listener.add(f);
  signal.addEventListener('abort', listener); // the same listener again changes nothing
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
