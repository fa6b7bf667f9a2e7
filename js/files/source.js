// source.js - the files of a model at a URL, in a directory (Node), or passed as objects. Reads them in chunks, never
// as a whole unless asked, and checks them. Used by load.js, lookup.js, cli.js and convert/.

import { concat } from '../base/bytes.js';
import { E_FILE, E_HASH, E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { builtin, isNode, onAbort, resolve } from '../base/host.js';
import { describe, mismatch, short } from '../base/json.js';
import { CHUNK } from '../base/limits.js';

/**
 * A directory, or the files by name. A string in place of a file is its absolute URL.
 *
 * @typedef {string | URL | Record<string, Blob | ArrayBuffer | Uint8Array | string>} ModelSource
 */

/**
 * A file that is being read. A chunk is valid until the next call; null is the end. close() may be called at any time,
 * and several times.
 *
 * @typedef {object} Chunks
 * @property {() => Promise<Uint8Array | null>} next
 * @property {() => Promise<void>} close
 * @property {() => Promise<void>} [accept]  everything was read and is correct
 * @property {(error: unknown) => Promise<void>} [verify]  call it after an error in the data: throws HEED_E_HASH if the
 *   file is not the listed one, which is then the better message
 * @typedef {Chunks & { size: number, seek: (at: number) => void }} FileChunks  seek: sets the position of the next
 * chunk
 * @typedef {{ size: number, sha256: string }} Listed  the entry of a file in heed.json
 * @typedef {() => ReturnType<import('../wasm/core.js').Core['sha256']>} Sha256
 */

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
  const cancel = () => reader.cancel().catch(() => {});
  // Node's fetch does not end a body whose Response was garbage-collected
  const forget = onAbort(signal, cancel);
  return {
    async next() {
      try {
        const { done, value } = await reader.read();
        signal?.throwIfAborted();
        return done ? null : value;
      } catch (error) {
        signal?.throwIfAborted();
        throw unreadable(`${where}: the connection broke`, error, 'NetworkError');
      }
    },
    close() {
      forget();
      return cancel();
    },
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
  // no-cache: the host must revalidate its copies with the server
  const { status, ok, body, headers } = await fetch(url, { signal, headers: asked, cache: 'no-cache' })
    .catch((error) => {
      signal?.throwIfAborted();
      throw unreadable(`${url}: cannot be reached`, error, 'NetworkError');
    });
  // some servers answer every missing path with their start page
  const isPage = headers.get('content-type')?.startsWith('text/html');
  // object stores answer 403 for a missing file
  const isMissing = status === 404 || status === 410 || (optional && (status === 403 || isPage));
  if (ok && body && !isMissing) return { ...streamChunks(body, url.href, signal), status, headers };
  await body?.cancel();
  if (isMissing) return null;
  throw unreadable(`${url}: HTTP ${status}`, status, 'NetworkError');
}

/** Local files. A page with a model at a URL does not need this module. */
const local = () => import('./local.js');
/** @param {string} path @returns {Promise<FileChunks | null>} */
const fileChunks = async (path) => (await local()).fileChunks(io, path);

/**
 * The same chunks, compared with the listed size and hash: HEED_E_HASH before the end is returned.
 *
 * @param {Chunks} chunks
 * @param {string} name
 * @param {Listed | undefined} listed
 * @param {Sha256} [sha256]
 * @returns {Chunks}
 */
function checked(chunks, name, listed, sha256) {
  /**
   * Created on first use, because the core may be freed by then, and the file must still be closed.
   *
   * @type {ReturnType<Sha256> | undefined}
   */
  let hash;
  let size = 0;
  let hasEnded = false; // further calls also return null
  const compare = (/** @type {string} */ what, /** @type {unknown} */ found, /** @type {unknown} */ expected) => {
    if (found !== expected) {
      throw new HeedError(E_HASH, `${name}: ${what}: found ${found}, expected ${expected} as heed.json says`);
    }
  };
  const self = {
    async next() {
      const chunk = await chunks.next();
      size += chunk?.length ?? 0;
      if (listed && (!chunk || size > listed.size)) {
        compare('bytes', chunk ? `more than ${listed.size}` : size, listed.size);
      }
      if (listed) hash ??= sha256?.();
      if (chunk) hash?.update(chunk);
      else if (!hasEnded) {
        hasEnded = true;
        if (listed && hash) compare('sha256', hash.end(), listed.sha256);
        await chunks.accept?.();
      }
      return chunk;
    },
    async verify(/** @type {any} */ error) {
      if (listed && error?.code > E_FILE && error.code < E_HASH) while (await self.next());
    },
    async close() {
      await chunks.close();
      hash?.free();
    },
  };
  return self;
}

/**
 * The files that a manifest lists. Also checks the rest of heed.json.
 *
 * @param {Record<string, unknown>} manifest  heed.json
 * @returns {Map<string, Listed>}  HEED_E_FILE: the model has moved to another directory
 */
export function listedFiles({ files = {}, pairs = [], ...others }) {
  for (const key of ['name', 'source', 'target', 'moved']) {
    const value = others[key] ?? '';
    if (typeof value !== 'string') throw new HeedError(E_JSON, mismatch(`heed.json: ${key}`, value, 'a string'));
  }
  if (others.moved) {
    throw new HeedError(E_FILE, `heed.json: the model moved: expected the path ${short(String(others.moved))}`);
  }
  const isPair = (/** @type {unknown} */ pair) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((tag) => typeof tag === 'string');
  if (!Array.isArray(pairs) || !pairs.every(isPair)) {
    throw new HeedError(E_JSON, mismatch('heed.json: pairs', pairs, 'an array of [source, target]'));
  }
  if (Object(files) !== files || Array.isArray(files)) {
    throw new HeedError(E_JSON, mismatch('heed.json: files', files, 'an object of { size, sha256 } by name'));
  }
  return new Map(
    Object.entries(/** @type {object} */ (files)).map(([name, value]) => {
      const { size, sha256 } = value ?? {};
      if (!Number.isSafeInteger(size) || size < 0 || typeof sha256 !== 'string' || !/^[\da-f]{64}$/i.test(sha256)) {
        throw new HeedError(
          E_JSON,
          mismatch(`heed.json: files: ${describe(name)}`, [size, sha256], '{ size, sha256 }'),
        );
      }
      return [name, { size, sha256: sha256.toLowerCase() }];
    }),
  );
}

/** @param {Chunks} chunks @returns {Promise<Uint8Array>} */
async function readAll(chunks) {
  try {
    return await new ChunkReader(chunks).take(Infinity);
  } finally {
    await chunks.close();
  }
}

/** Reads chunks of any size. */
export class ChunkReader {
  #chunks;
  /** @type {Uint8Array | null} */
  #rest = null;

  /** @param {Chunks} chunks */
  constructor(chunks) {
    this.#chunks = chunks;
  }

  /** The next 1 to `most` bytes, valid until the next call; null at the end. @param {number} most */
  async next(most) {
    const chunk = this.#rest?.length ? this.#rest : await this.#chunks.next();
    this.#rest = chunk && chunk.subarray(most);
    return chunk && chunk.subarray(0, most);
  }

  /** Skips n bytes, or all that are left. Returns the number of skipped bytes. @param {number} n */
  async skip(n) {
    let length = 0;
    for (let chunk; length < n && (chunk = await this.next(n - length));) length += chunk.length;
    return length && { length };
  }

  /** A copy of the next n bytes, or of all that are left. @param {number} n @returns {Promise<Uint8Array>} */
  async take(n) {
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const parts = [];
    for (let chunk; n > 0 && (chunk = await this.next(n)); n -= chunk.length) parts.push(chunk.slice());
    return parts.length === 1 ? parts[0] : concat(parts);
  }

  close() {
    return this.#chunks.close();
  }

  /** See Chunks. @param {unknown} error */
  async verify(error) {
    await this.#chunks.verify?.(error);
  }
}

/**
 * The functions with which download.js and formats/ read. They are passed, because imports would make bundlers move
 * this file to a separate chunk.
 */
const io = {
  ChunkReader, builtin, byteChunks, fetchChunks, fileChunks, isNode, join, onAbort, readAll, streamChunks, unreadable,
};
/** @typedef {typeof io} Io */

/** Files at URLs. The code is a separate chunk. @param {boolean | string} [cache] @param {boolean} [isRetry] */
export const openRemote = async (cache, isRetry) => (await import('./download.js')).openRemote(io, cache, isRetry);

/**
 * Reads one file by its address; HEED_E_FILE if it is missing.
 *
 * @param {string | URL} place
 * @param {AbortSignal} [signal]
 * @param {boolean | string} [cache]
 * @returns {Promise<{ bytes: Uint8Array, sibling: (name: string) => string | URL }>}  sibling: addresses of files in
 * the same directory
 */
export async function readFileAt(place, signal, cache) {
  const at = await resolve(place);
  const chunks = at.url ? await (await openRemote(cache)).find(at.url, false, { signal }) : await fileChunks(at.path);
  if (!chunks) throw unreadable(`${place} is missing`);
  const path = at.url ? null : await builtin('path');
  return {
    bytes: await readAll(checked(chunks, String(place), undefined)),
    sibling: (name) => (at.url ? new URL(name, at.url) : path.join(path.dirname(at.path), name)),
  };
}

/**
 * The files at a source. Reads nothing yet. If a file is missing, `open` and `read` throw HEED_E_FILE, `readOptional`
 * returns null unless heed.json lists it.
 *
 * @param {ModelSource} source
 * @param {AbortSignal} [signal]
 * @param {object} [options]
 * @param {boolean | string} [options.cache]  store downloads; a string: in that directory
 * @param {boolean} [options.isRetry]  do not read stored files
 * @param {Sha256} [options.sha256]
 * @param {import('./record.js').FileRecord} [options.record]  keeps the files
 */
export async function openSource(source, signal, { cache, isRetry, sha256, record } = {}) {
  const isPlace = typeof source === 'string' || source instanceof URL;
  const isFiles = Object.prototype.toString.call(source) === '[object Object]';
  if (!isPlace && !isFiles) {
    throw new TypeError(mismatch('source', source, 'a URL, a directory path, or an object of files by name'));
  }
  const { url, path } = isPlace ? await resolve(source) : { url: undefined, path: undefined };

  const hasUrls = url || (isFiles && Object.values(source).some((value) => typeof value === 'string'));
  const remote = hasUrls && (await openRemote(cache, isRetry));
  /** @type {Map<string, Listed>} */
  let listed = new Map();

  /** @param {string} name @param {boolean} optional @returns {Promise<Chunks | null>} */
  const find = async (name, optional) => {
    signal?.throwIfAborted();
    const given = /** @type {any} */ (source)[name];
    const at = typeof given === 'string' && /^[a-z][a-z\d+.-]*:/i.test(given) ? await resolve(given)
      : { url: url && join(url, name), path: path && `${path}/${name}` };
    const chunks = await (at.url && remote
      ? remote.find(at.url, optional, { signal, listed: listed.get(name) })
      : at.path !== undefined
        ? fileChunks(at.path)
        : (await local()).givenChunks(io, /** @type {any} */ (source), name));
    if (!chunks && optional && !listed.has(name)) return null;
    if (!chunks) {
      const why = isPlace ? await (await import('./missing.js')).whyMissing(io, source, path) : '';
      throw unreadable(`${url ?? path ?? 'the given files'}: ${name} is missing${why}`);
    }
    const { next, ...others } = checked(record?.keep(name, chunks, listed.get(name)?.size) ?? chunks,
      name, listed.get(name), sha256);
    return {
      next() {
        signal?.throwIfAborted();
        return next();
      },
      ...others,
    };
  };
  const open = async (/** @type {string} */ name) => /** @type {Chunks} */ (await find(name, false));
  return {
    /** From now on, files are compared with these. @param {Map<string, Listed>} files */
    expect(files) {
      listed = files;
    },
    listedSize: (/** @type {string} */ name) => listed.get(name)?.size,
    listedNames: () => [...listed.keys()],
    /**
     * Whether to try again after this error, since a stored or resumed file may be the cause. @param {unknown} error
     */
    mayRetry: async (error) => Boolean(!isRetry && !signal?.aborted && (await (remote && remote.mayRetry(error)))),
    url,
    path,
    source,
    signal,
    io,
    find,
    open,
    read: async (/** @type {string} */ name) => readAll(await open(name)),
    readOptional: async (/** @type {string} */ name) => {
      const chunks = await find(name, true);
      return chunks && readAll(chunks);
    },
  };
}
