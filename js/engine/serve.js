// serve.js - the other end of line.js: creates an engine for each port that a worker gets. Used by worker.js.
//
//   received  { id, method, args } a call, { id, abort } cancels it, { isAlive } asks if the worker is alive
//   sent      { ready } first, { id, event } of a running call: progress, or the text so far,
//             { id, value | error, info } an answer, { isAlive } yes, { isUnread } a message could not be deserialised

import { E_MEMORY } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { isNode } from '../base/host.js';
import { createHere } from './here.js';

/** The data to recreate an error. @param {any} error */
function describe(error) {
  const { name, message, code, status, stack, cause } = error ?? {};
  const own = Object.entries({ HeedError, DOMException, TypeError, RangeError });
  const kind = own.find(([, type]) => error instanceof type)?.[0];
  return { kind, name, message: message ?? String(error), code, status, stack,
    cause: cause && String(cause.message ?? cause) };
}

/** The buffers of typed arrays in a result, which are transferred instead of copied. @param {any} value */
function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) value.buffer instanceof ArrayBuffer && found.add(value.buffer); // not shared memory
  else if (Array.isArray(value)) for (const item of value) buffersOf(item, found);
  else if (Object.prototype.toString.call(value) === '[object Object]') buffersOf(Object.values(value), found);
  return found;
}

/**
 * The one message that waits in a port; undefined if it cannot be read, or there is none.
 *
 * @param {MessagePort} port
 * @returns {Promise<any>}
 */
const messageOf = (port) => new Promise((resolve) => {
  const end = (/** @type {any} */ { data }) => {
    resolve(data);
    port.close();
  };
  port.onmessage = end;
  port.onmessageerror = () => end({});
  // in Chromium it can come before the message
  if (isNode) port.addEventListener('close', end);
});

/** @param {MessagePort} port */
export function serve(port) {
  /** @type {import('./engine.js').Engine | undefined} */
  let engine;
  /** @type {ReturnType<typeof import('../wasm/shared.js').sharing> | undefined} */
  let sharing;
  /** By the id of the running call. @type {Map<number, AbortController>} */
  const running = new Map();

  /**
   * Methods that need more than their arguments: the signal and the events of a call.
   *
   * @type {Record<string, (more: { signal: AbortSignal, tell: (event: unknown) => void }, ...args: any[]) => unknown>}
   */
  const methods = {
    async create({ signal, tell }, { isRecorded, share, ...options }) {
      const record = isRecorded ? new (await import('../files/record.js')).FileRecord() : undefined;
      if (share && (isNode || globalThis.crossOriginIsolated)) {
        // a port that is closed tells at once
        const lent = share === true || messageOf(share);
        sharing = (await import('../wasm/shared.js')).sharing(await lent);
      }
      const load = () => createHere({ ...options, record, open: sharing?.open, signal, onProgress: tell });
      engine = await load().catch((error) => {
        // Other workers may fill the shared 4 GB, or the host limits shared memory: load a copy.
        if (error.code !== E_MEMORY || !sharing?.share) throw error;
        sharing = undefined;
        return load();
      });
      const { config, manifest, defaults } = engine;
      return { config, manifest, defaults, isShared: Boolean(sharing?.share), files: record?.files };
    },
    lend: (_, other) => other.postMessage(sharing?.share),
    generate: ({ signal, tell }, sources, search, { isStreamed, ...more }) =>
      engine?.generate(sources, search, { signal, ...more, onStep: isStreamed ? tell : undefined }),
    destroy() {
      for (const stop of running.values()) stop.abort();
      engine?.destroy(undefined);
      port.close();
    },
  };

  port.onmessageerror = () => port.postMessage({ isUnread: true });
  port.onmessage = async ({ data: { id, method, args, abort, isAlive } }) => {
    if (isAlive) {
      port.postMessage({ isAlive });
      return;
    }
    if (abort) {
      running.get(id)?.abort();
      return;
    }
    const stop = new AbortController();
    running.set(id, stop);
    try {
      const tell = (/** @type {unknown} */ event) => port.postMessage({ id, event });
      const value = await (methods[method]
        ? methods[method]({ signal: stop.signal, tell }, ...args)
        : /** @type {any} */ (engine)[method](...args));
      port.postMessage({ id, value, info: engine?.info }, [...buffersOf(value)]);
    } catch (error) {
      port.postMessage({ id, error: describe(error), info: undefined });
    } finally {
      running.delete(id);
    }
  };
  port.postMessage({ ready: true });
}
