// worker.js - the other end of line.js: serves Translators in a worker, of a page or of Node. Public as
// 'heed/worker': a worker of one's own that imports it can be given to Translator.create().
//
// A client sends { heed: port }; all else goes through that port, so that other messages of the worker are left alone:
//   to here    { id, method, args } a call, { id, abort } its end, { isAlive } is the worker alive?
//   from here  { ready } at first, { id, loaded } progress, { id, value | error, info } an answer, { isAlive } it is,
//              { isUnread } a message cannot be read here

import { builtin, isNode } from './base/host.js';
import { Translator } from './translate/translator.js';
import { HeedError } from './base/errors.js';

/** What an error is made again from. @param {any} error */
function describe(error) {
  const { name, message, code, status, stack, cause } = error ?? {};
  const own = Object.entries({ HeedError, DOMException, TypeError, RangeError });
  const kind = own.find(([, type]) => error instanceof type)?.[0];
  return { kind, name, message: message ?? String(error), code, status, stack,
    cause: cause && String(cause.message ?? cause) };
}

/** The buffers of typed arrays in a result: they move instead of being copied. @param {any} value */
function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (Array.isArray(value)) for (const item of value) buffersOf(item, found);
  else if (Object.prototype.toString.call(value) === '[object Object]') buffersOf(Object.values(value), found);
  return found;
}

/** @param {MessagePort} port */
function serve(port) {
  /** @type {Translator | undefined} */
  let translator;
  /** By the id of the call under way. @type {Map<number, AbortController>} */
  const running = new Map();
  /** By the id of the call that opened it. @type {Map<number, ReadableStreamDefaultReader<string>>} */
  const streams = new Map();

  /** @type {Record<string, (id: number, signal: AbortSignal, ...args: any[]) => unknown>} */
  const methods = {
    async create(id, signal, options) {
      const monitor = (/** @type {EventTarget} */ target) =>
        target.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) =>
          port.postMessage({ id, loaded }));
      translator = await Translator.create({ ...options, worker: false, signal, monitor });
      const { sourceLanguage, targetLanguage, inputQuota, config, manifest } = translator;
      return { sourceLanguage, targetLanguage, inputQuota, config, manifest };
    },
    open(id, signal, input, options) {
      const stream = /** @type {Translator} */ (translator).translateStreaming(input, options);
      streams.set(id, stream.getReader());
      return id;
    },
    async read(id, signal, stream) {
      let isOver = true;
      try {
        const result = (await streams.get(stream)?.read()) ?? { done: true };
        isOver = result.done;
        return result;
      } finally {
        if (isOver) streams.delete(stream);
      }
    },
    async cancel(id, signal, stream, reason) {
      const reader = streams.get(stream);
      streams.delete(stream);
      await reader?.cancel(reason);
    },
    destroy() {
      for (const stop of running.values()) stop.abort();
      translator?.destroy();
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
      const { signal } = stop;
      const own = methods[method];
      const value = await (own
        ? own(id, signal, ...args)
        : /** @type {any} */ (translator)[method](...args.map((/** @type {any} */ arg) =>
          arg?.signal === true ? { ...arg, signal } : arg)));
      port.postMessage({ id, value, info: translator?.info }, [...buffersOf(value)]);
    } catch (error) {
      port.postMessage({ id, error: describe(error), info: undefined });
    } finally {
      running.delete(id);
    }
  };
  port.postMessage({ ready: true });
}

const listen = (/** @type {any} */ data) => void (data?.heed && serve(data.heed));
if (isNode) void builtin('worker_threads').then(({ parentPort }) => parentPort?.on('message', listen));
else globalThis.addEventListener('message', ({ data }) => listen(data));
