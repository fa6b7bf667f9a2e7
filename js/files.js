// files.js - the files of a model, wherever they are: a URL prefix, a directory (Node), or bytes that the caller has;
// read in chunks, never held whole unless asked for. Used by load.js and languages.js.

import { builtin, resolve } from './host.js';
import { E_FILE, HeedError } from './wasm.js';

/** @typedef {string | URL | Record<string, Blob | ArrayBuffer | Uint8Array>} ModelSource */

/**
 * A file being read. A chunk is good until the next call; null is the end. close() may be called at any time, and more
 * than once.
 *
 * @typedef {{ next(): Promise<Uint8Array | null>, close(): Promise<void> }} Chunks
 */

/** Bytes read at a time. */
const CHUNK = 1 << 18;

/** @param {string} message @param {unknown} [cause] @param {string} [name] */
const unreadable = (message, cause, name) => new HeedError(E_FILE, message, { cause, name });

/** @param {URL | string} place @param {string} name  of a file in it */
function join(place, name) {
  const url = new URL(place);
  url.pathname = url.pathname.replace(/\/?$/, '/') + name;
  return url;
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {string} where
 * @param {AbortSignal} [signal]
 * @returns {Chunks}
 */
function streamChunks(stream, where, signal) {
  const reader = stream.getReader();
  return {
    async next() {
      try {
        const { done, value } = await reader.read();
        return done ? null : value;
      } catch (error) {
        signal?.throwIfAborted();
        throw unreadable(`${where}: the connection broke`, error, 'NetworkError');
      }
    },
    close: () => reader.cancel().catch(() => {}),
  };
}

/** @param {Uint8Array} bytes @returns {Chunks} */
function byteChunks(bytes) {
  let at = 0;
  return {
    async next() {
      if (at >= bytes.length) return null;
      at += CHUNK;
      return bytes.subarray(at - CHUNK, at);
    },
    async close() {},
  };
}

/**
 * @param {URL} url
 * @param {AbortSignal | undefined} signal
 * @param {boolean} optional
 * @param {Record<string, string>} [asked]  headers of the request
 * @returns {Promise<Chunks & { status: number, headers: Headers } | null>}
 */
async function fetchChunks(url, signal, optional, asked) {
  const { status, ok, body, headers } = await fetch(url, { signal, headers: asked }).catch((error) => {
    signal?.throwIfAborted();
    throw unreadable(`${url}: cannot be reached`, error, 'NetworkError');
  });
  // a server that answers every path with its start page has no such file either
  const isPage = headers.get('content-type')?.startsWith('text/html');
  // an object store answers 403 for what is not there
  const isMissing = status === 404 || status === 410 || (optional && (status === 403 || isPage));
  if (ok && body && !isMissing) return { ...streamChunks(body, url.href, signal), status, headers };
  await body?.cancel();
  if (isMissing) return null;
  throw unreadable(`${url}: HTTP ${status}`, undefined, 'NetworkError');
}

/** @param {string} path @returns {Promise<Chunks | null>} */
async function fileChunks(path) {
  /** @param {any} error @returns {never} */
  const fail = (error) => {
    throw unreadable(`${path}: ${error.message}`, error);
  };
  const { open } = await builtin('fs/promises');
  const file = await open(path).catch((/** @type {any} */ error) => (error.code === 'ENOENT' ? null : fail(error)));
  if (!file) return null;
  const buffer = new Uint8Array(CHUNK);
  /** @type {Promise<void> | undefined} */
  let closing;
  return {
    async next() {
      const { bytesRead } = await file.read(buffer, 0, CHUNK).catch(fail);
      return bytesRead > 0 ? buffer.subarray(0, bytesRead) : null;
    },
    close: () => (closing ??= file.close()),
  };
}

/**
 * @param {Record<string, Blob | ArrayBuffer | Uint8Array>} files
 * @param {string} name
 * @returns {Promise<Chunks | null>}
 */
async function givenChunks(files, name) {
  const value = Object.hasOwn(files, name) ? files[name] : undefined;
  if (value === undefined) return null;
  if (ArrayBuffer.isView(value)) return byteChunks(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return byteChunks(new Uint8Array(value));
  if (value instanceof Blob) return streamChunks(value.stream(), name);
  throw new TypeError(`source: ${name} is neither Blob, ArrayBuffer nor Uint8Array`);
}

/** @param {Chunks} chunks @returns {Promise<Uint8Array>} */
async function readAll(chunks) {
  try {
    return await new ChunkReader(chunks).take(Infinity);
  } finally {
    await chunks.close();
  }
}

/** Chunks of one's own size. */
export class ChunkReader {
  #chunks;
  /** @type {Uint8Array | null} */
  #rest = null;

  /** @param {Chunks} chunks */
  constructor(chunks) {
    this.#chunks = chunks;
  }

  /** What follows: 1 to `most` bytes, good until the next call; null at the end. @param {number} most */
  async next(most) {
    const chunk = this.#rest?.length ? this.#rest : await this.#chunks.next();
    this.#rest = chunk && chunk.subarray(most);
    return chunk && chunk.subarray(0, most);
  }

  /** Go past the next n bytes. Gives how many of them are missing. @param {number} n */
  async skip(n) {
    for (let chunk; n > 0 && (chunk = await this.next(n));) n -= chunk.length;
    return n;
  }

  /** The next n bytes, or all there are. A copy. @param {number} n @returns {Promise<Uint8Array>} */
  async take(n) {
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const parts = [];
    for (let chunk; n > 0 && (chunk = await this.next(n)); n -= chunk.length) parts.push(chunk.slice());
    return parts.length === 1 ? parts[0] : new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  close() {
    return this.#chunks.close();
  }
}

/** What containers/ reads with. It is handed over: if it were imported, bundlers would split this file off its users. */
const means = { ChunkReader, byteChunks, fetchChunks, join, streamChunks, unreadable };

/**
 * One file by its own address, HEED_E_FILE if it is missing.
 *
 * @param {string | URL} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ bytes: Uint8Array, sibling: (name: string) => string | URL }>}  sibling: its neighbours
 */
export async function readFileAt(place, signal) {
  const at = await resolve(place);
  const chunks = at.url ? await fetchChunks(at.url, signal, false) : await fileChunks(at.path);
  if (!chunks) throw unreadable(`${place} is missing`);
  const path = at.url ? null : await builtin('path');
  return {
    bytes: await readAll(chunks),
    sibling: (name) => (at.url ? new URL(name, at.url) : path.join(path.dirname(at.path), name)),
  };
}

/**
 * The files at a source. Reads nothing yet. If a file is missing, `open` and `read` throw HEED_E_FILE, `readOptional`
 * gives null.
 *
 * @param {ModelSource} source
 * @param {AbortSignal} [signal]
 */
export async function openSource(source, signal) {
  const isPlace = typeof source === 'string' || source instanceof URL;
  if (!isPlace && (typeof source !== 'object' || source === null || ArrayBuffer.isView(source))) {
    throw new TypeError('source: expected a URL, a directory path, or an object of files by name');
  }
  const { url, path } = isPlace ? await resolve(source) : { url: undefined, path: undefined };

  /** @param {string} name @param {boolean} optional @returns {Promise<Chunks | null>} */
  const find = async (name, optional) => {
    signal?.throwIfAborted();
    const chunks = await (url
      ? fetchChunks(join(url, name), signal, optional)
      : path !== undefined
        ? fileChunks(`${path}/${name}`)
        : givenChunks(/** @type {any} */ (source), name));
    return (
      chunks && {
        next() {
          signal?.throwIfAborted();
          return chunks.next();
        },
        close: chunks.close,
      }
    );
  };
  const open = async (/** @type {string} */ name) => {
    const chunks = await find(name, false);
    if (!chunks) throw unreadable(`${url ?? path ?? 'the given files'}: ${name} is missing`);
    return chunks;
  };
  return {
    url,
    path,
    source,
    signal,
    means,
    find,
    open,
    read: async (/** @type {string} */ name) => readAll(await open(name)),
    readOptional: async (/** @type {string} */ name) => {
      const chunks = await find(name, true);
      return chunks && readAll(chunks);
    },
  };
}
