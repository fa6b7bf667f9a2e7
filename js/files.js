// files.js - the files of a model, wherever they are: a URL prefix, a directory (Node), or bytes that the caller has;
// read in chunks, never held whole unless asked for. Used by transformer.js and translator.js.

import { builtin, isNode } from './host.js';
import { Code, HeedError } from './wasm.js';

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
const unreadable = (message, cause, name) => new HeedError(Code.FILE, message, { cause, name });

/** @param {URL | string} place @param {string} name  of a file in it */
function join(place, name) {
  const url = new URL(place);
  url.pathname = url.pathname.replace(/\/?$/, '/') + name;
  return url;
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @param {string} where
 * @returns {Chunks}
 */
function streamChunks(stream, where) {
  const reader = stream.getReader();
  return {
    async next() {
      try {
        const { done, value } = await reader.read();
        return done ? null : value;
      } catch (error) {
        if (/** @type {any} */ (error)?.name === 'AbortError') throw error;
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

/** @param {URL} url @param {AbortSignal | undefined} signal @param {boolean} optional @returns {Promise<Chunks | null>} */
async function fetchChunks(url, signal, optional) {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw unreadable(`${url}: cannot be reached`, error, 'NetworkError');
  }
  const { status, ok, body } = response;
  // a server that answers every path with its start page has no such file either
  const isPage = response.headers.get('content-type')?.startsWith('text/html');
  if (status === 404 || status === 410 || (optional && ((status >= 400 && status < 500) || isPage))) {
    await body?.cancel();
    return null;
  }
  if (!ok) {
    await body?.cancel();
    throw unreadable(`${url}: HTTP ${status}`, undefined, 'NetworkError');
  }
  return body ? streamChunks(body, url.href) : byteChunks(new Uint8Array(await response.arrayBuffer()));
}

/** @param {string} path @returns {Promise<Chunks | null>} */
async function fileChunks(path) {
  const { open } = await builtin('fs/promises');
  /** @type {any} */
  let file;
  try {
    file = await open(path);
    if ((await file.stat()).isDirectory()) throw new Error('it is a directory');
  } catch (error) {
    await file?.close();
    if (/** @type {any} */ (error).code === 'ENOENT') return null;
    throw unreadable(`${path}: ${/** @type {Error} */ (error).message}`, error);
  }
  const buffer = new Uint8Array(CHUNK);
  let closing;
  return {
    async next() {
      try {
        const { bytesRead } = await file.read(buffer, 0, CHUNK);
        return bytesRead > 0 ? buffer.subarray(0, bytesRead) : null;
      } catch (error) {
        throw unreadable(`${path}: ${/** @type {Error} */ (error).message}`, error);
      }
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
  if (typeof Blob === 'function' && value instanceof Blob) return streamChunks(value.stream(), name);
  throw new TypeError(`source: ${name} is neither Blob, ArrayBuffer nor Uint8Array`);
}

/** The files of one model. */
export class ModelFiles {
  /** @type {(name: string, optional: boolean) => Promise<Chunks | null>} */
  #open;
  /** What messages call the place. @readonly */
  where;

  /** @param {string} where @param {(name: string, optional: boolean) => Promise<Chunks | null>} open */
  constructor(where, open) {
    this.where = where;
    this.#open = open;
  }

  /**
   * @param {string} name
   * @returns {Promise<Chunks>}  HEED_E_FILE if there is no such file
   */
  async open(name) {
    const chunks = await this.#open(name, false);
    if (!chunks) throw unreadable(`${this.where}: ${name} is missing`);
    return chunks;
  }

  /**
   * A whole file, for the small ones.
   *
   * @param {string} name
   * @returns {Promise<Uint8Array>}  HEED_E_FILE if there is no such file
   */
  async read(name) {
    return readAll(await this.open(name));
  }

  /** As read(), but null if there is no such file. @param {string} name */
  async readOptional(name) {
    const chunks = await this.#open(name, true);
    return chunks && readAll(chunks);
  }
}

/** @param {Chunks} chunks @returns {Promise<Uint8Array>} */
async function readAll(chunks) {
  const reader = new ChunkReader(chunks);
  try {
    return await reader.take(Infinity);
  } finally {
    await reader.close();
  }
}

/** Chunks, of which the first bytes can be had in pieces of one's own size. */
export class ChunkReader {
  #chunks;
  /** @type {Uint8Array} */
  #rest = new Uint8Array();

  /** @param {Chunks} chunks */
  constructor(chunks) {
    this.#chunks = chunks;
  }

  /** The next n bytes, or all there are. A copy. @param {number} n */
  async take(n) {
    const parts = [];
    let length = 0;
    while (length < n) {
      const chunk = await this.next();
      if (!chunk) break;
      const part = chunk.slice(0, Math.min(chunk.length, n - length));
      this.#rest = chunk.subarray(part.length);
      parts.push(part);
      length += part.length;
    }
    if (parts.length === 1) return parts[0];
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  /** What follows: a chunk, good until the next call; null at the end. @returns {Promise<Uint8Array | null>} */
  async next() {
    const rest = this.#rest;
    this.#rest = new Uint8Array();
    return rest.length > 0 ? rest : this.#chunks.next();
  }

  close() {
    return this.#chunks.close();
  }
}

/**
 * Where a name given as text points to: a URL, or (Node) a path.
 *
 * @param {string | URL} place
 * @returns {Promise<{ url: URL } | { path: string }>}
 */
async function resolve(place) {
  // a scheme of one letter is a drive
  const isUrl = place instanceof URL || /^[a-z][a-z\d+.-]+:/i.test(place);
  if (!isUrl && isNode) return { path: String(place) };
  const url = isUrl ? new URL(place) : new URL(place, globalThis.document?.baseURI ?? globalThis.location?.href);
  return isNode && url.protocol === 'file:' ? { path: (await builtin('url')).fileURLToPath(url) } : { url };
}

/**
 * One file by its own address, HEED_E_FILE if it is missing.
 *
 * @param {string | URL} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ bytes: Uint8Array, sibling: (name: string) => string | URL }>}  sibling: the address of a file beside it
 */
export async function readFileAt(place, signal) {
  const at = await resolve(place);
  const chunks = 'url' in at ? await fetchChunks(at.url, signal, false) : await fileChunks(at.path);
  if (!chunks) throw unreadable(`${place} is missing`);
  const { dirname, join: joinPath } = 'url' in at ? { dirname: null, join: null } : await builtin('path');
  return {
    bytes: await readAll(chunks),
    sibling: (name) => ('url' in at ? new URL(name, at.url) : joinPath(dirname(at.path), name)),
  };
}

/**
 * The files at a source. Reads nothing yet.
 *
 * @param {ModelSource} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<ModelFiles>}
 */
export async function openSource(source, signal) {
  /** @param {() => Promise<Chunks | null>} open */
  const abortable = async (open) => {
    signal?.throwIfAborted();
    const chunks = await open();
    if (!chunks) return null;
    return {
      next() {
        signal?.throwIfAborted();
        return chunks.next();
      },
      close: chunks.close,
    };
  };
  if (typeof source === 'string' || source instanceof URL) {
    const at = await resolve(source);
    if ('url' in at) {
      const { href } = at.url;
      return new ModelFiles(href, (name, optional) => abortable(() => fetchChunks(join(href, name), signal, optional)));
    }
    const { join: joinPath } = await builtin('path');
    return new ModelFiles(at.path, (name) => abortable(() => fileChunks(joinPath(at.path, name))));
  }
  if (typeof source !== 'object' || source === null || ArrayBuffer.isView(source)) {
    throw new TypeError('source: expected a URL, a directory path, or an object of files by name');
  }
  return new ModelFiles('the given files', (name) => abortable(() => givenChunks(source, name)));
}
