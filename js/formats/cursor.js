// cursor.js - random access to a file of weights: forwards as one stream, elsewhere by seeking in a file or Blob, or by
// Range requests to a server; used by the formats in this directory.
//
// Parts of a file have no hash. So a file that heed.json lists is read completely before any of it is used: from a
// server it is downloaded, stored like other files, and held as a Blob until close(); elsewhere it is read twice.

import { badType } from '../base/check.js';
import { CHUNK } from '../base/limits.js';
import { plainName } from '../files/layout.js';
import { unpack } from '../files/unpack.js';

/** @typedef {import('../files/source.js').Chunks} Chunks */
/** @typedef {import('../files/source.js').FileChunks} FileChunks  of Io, in declarations */
/** @typedef {Awaited<ReturnType<typeof import('../files/source.js').openSource>>} Files */
/** @typedef {Files['io']} Io */
/**
 * Called while a file from a server is downloaded as a whole: its bytes so far, from 0 to its size.
 *
 * @typedef {(file: string, bytes: number, size: number) => void} OnRead
 */

/** Whether a file begins like a zip archive; a pickle begins with 0x80. @param {Uint8Array} head */
export const isZip = (head) => head[0] === 0x50 && head[1] === 0x4b;

/** A smaller gap is read and dropped, which is faster than another request to a server. */
const GAP = 1 << 17;

/**
 * The source of a cursor's bytes. size: undefined if a server does not report it. first: the stream from 0. from: opens
 * a stream at an offset, or returns null if only the first stream exists.
 *
 * @typedef {{ size: number | undefined, first: Chunks, from: (at: number) => Promise<Chunks | null>,
 *   isRemote?: boolean, close?: () => Promise<void> }} Supply
 */

/** @param {Io} io @param {string} path @returns {Promise<Supply | null>} */
async function fileSupply({ fileChunks }, path) {
  const file = await fileChunks(path);
  if (!file) return null;
  // all streams share the handle
  const first = { next: file.next, close: async () => {} };
  return {
    size: file.size,
    first,
    from: async (at) => {
      file.seek(at);
      return first;
    },
    close: file.close,
  };
}

/** @param {Io} io @param {Blob} blob @param {string} where @returns {Supply} */
const blobSupply = ({ streamChunks }, blob, where) => ({
  size: blob.size,
  first: streamChunks(blob.stream(), where),
  from: async (at) => streamChunks(blob.slice(at).stream(), where),
});

/** @param {Io} io @param {Uint8Array} bytes @returns {Supply} */
const byteSupply = ({ byteChunks }, bytes) => ({
  size: bytes.length,
  first: byteChunks(bytes),
  from: async (at) => byteChunks(bytes.subarray(at)),
});

/** @param {Io} io @param {URL} url @param {AbortSignal | undefined} signal @returns {Promise<Supply | null>} */
async function serverSupply({ fetchChunks, unreadable }, url, signal) {
  const first = await fetchChunks(url, signal, true);
  if (!first) return null;
  const told = (/** @type {string} */ name) => first.headers.get(name);
  // the length of an encoded body differs
  const length = told('content-encoding') === null ? told('content-length') : null;
  return {
    size: length === null ? undefined : Number(length),
    isRemote: true,
    first,
    from: async (at) => {
      if (length === null || told('accept-ranges') === 'none') return null;
      // a server or CORS may refuse range requests; then the first stream must do
      const part = await fetchChunks(url, signal, false, { range: `bytes=${at}-` }).catch(() => {
        signal?.throwIfAborted();
        return null;
      });
      if (part?.status !== 206) {
        await part?.close();
        return null;
      }
      const [tag, range] = [part.headers.get('etag'), part.headers.get('content-range')];
      const isSame = tag === null || told('etag') === null || tag === told('etag');
      // a page may not see the range; then only the format checks the bytes
      if (isSame && (range === null || range === `bytes ${at}-${Number(length) - 1}/${length}`)) return part;
      await part.close();
      throw unreadable(`${url}: the file changed between two requests, or the range is wrong: found ${range ?? tag}`);
    },
  };
}

/** A position in a file, and the bytes after it. */
export class Cursor {
  #supply;
  #reader;
  #at = 0;
  #onRead;
  /** @readonly */
  file;
  /** @readonly */
  signal;

  /** @readonly */
  io;

  /**
   * @param {Supply} supply
   * @param {string} file  for messages
   * @param {Io} io
   * @param {AbortSignal} [signal]
   * @param {OnRead} [onRead]
   */
  constructor(supply, file, io, signal, onRead) {
    this.#supply = supply;
    this.#onRead = onRead;
    this.io = io;
    this.signal = signal;
    this.#reader = this.chunked(supply.first);
    this.file = file;
  }

  /** Reads chunks of any size. @param {Chunks} chunks */
  chunked(chunks) {
    return new this.io.ChunkReader(chunks);
  }

  /** Size of the file; undefined if a server does not report it. */
  get size() {
    return this.#supply.size;
  }

  /** Moves to an offset. @param {number} at */
  async seek(at) {
    const gap = at - this.#at;
    if (gap === 0) return;
    const from = gap > 0 && gap <= GAP ? null : await this.#supply.from(at);
    if (from) await this.#enter(from);
    else if (gap < 0) {
      const why = 'the server sends no parts of a file, and those of this one are not in order';
      throw this.io.unreadable(`${this.file}: ${why}`);
    } else await this.#reader.skip(gap);
    this.#at = at;
  }

  /** @param {Chunks} stream */
  async #enter(stream) {
    await this.#reader.close();
    this.#reader = this.chunked(stream);
  }

  /** The next 1 to `most` bytes, valid until the next call; null at the end. @param {number} most */
  async next(most) {
    this.signal?.throwIfAborted();
    const chunk = await this.#reader.next(most);
    this.#at += chunk?.length ?? 0;
    return chunk;
  }

  /** A copy of n bytes at an offset, or of all that are left. @param {number} at @param {number} n */
  async read(at, n) {
    await this.seek(at);
    const bytes = await this.#reader.take(n);
    this.#at += bytes.length;
    return bytes;
  }

  /**
   * Moves back into bytes that were read from 0 on, without opening a stream.
   *
   * @param {Uint8Array} bytes  all bytes from 0 on
   * @param {number} at
   */
  rewind(bytes, at) {
    const rest = this.#reader;
    /** @type {Uint8Array | null} */
    let again = bytes.subarray(at);
    this.#reader = this.chunked({
      next() {
        const chunk = again;
        again = null;
        return chunk?.length ? Promise.resolve(chunk) : rest.next(CHUNK);
      },
      close: () => rest.close(),
    });
    this.#at = at;
  }

  /**
   * Makes every offset accessible; `head` has the bytes read so far. If a server does not send parts, or if `whole` is
   * set, the file is held until close().
   *
   * @param {Uint8Array} head
   * @param {boolean} [whole]
   * @returns {Promise<number>}  bytes of the file
   */
  async spool(head, whole = false) {
    const { size, from, isRemote } = this.#supply;
    if (size !== undefined && !(whole && isRemote)) {
      // the first bytes to be read are near the end
      const at = Math.max(0, size - GAP);
      const part = await from(at);
      if (part) {
        await this.#enter(part);
        this.#at = at;
        return size;
      }
    }
    /** @type {BlobPart[]} */
    const parts = [head.slice()];
    const tell = (/** @type {number} */ bytes) => size && this.#onRead?.(this.file, bytes, size);
    tell(0);
    for (let chunk; (chunk = await this.next(CHUNK)); tell(this.#at)) parts.push(chunk.slice());
    await this.close();
    const blob = new Blob(parts);
    this.#supply = blobSupply(this.io, blob, this.file);
    await this.#enter(this.#supply.first);
    this.#at = 0;
    return blob.size;
  }

  async close() {
    await this.#reader.close();
    await this.#supply.close?.();
  }
}

/**
 * Reads a file to its end and unpacks it. A listed file is compared with heed.json: HEED_E_HASH.
 *
 * @param {Files} files
 * @param {string} name
 * @param {OnRead} [onRead]
 * @param {boolean} [isKept]
 * @returns {Promise<Blob | null>}  null if it is missing; empty unless `isKept`
 */
export async function readWhole({ find, url, io, listedSize }, name, onRead, isKept = true) {
  const packed = await find(name, true);
  if (!packed) return null;
  const chunks = await unpack(io, packed, name);
  const size = listedSize(name);
  // a packed file has more bytes than are listed
  const tell = (/** @type {number} */ bytes) => url && size && chunks === packed && onRead?.(name, bytes, size);
  /** @type {BlobPart[]} */
  const parts = [];
  let bytes = 0;
  tell(0);
  try {
    for (let chunk; (chunk = await chunks.next());) {
      if (isKept) parts.push(chunk.slice());
      tell((bytes += chunk.length));
    }
  } finally {
    await chunks.close();
  }
  return new Blob(parts);
}

/**
 * Opens a file of a model for random access, unpacked; null if it is missing.
 *
 * @param {Files} files
 * @param {string} name
 * @param {OnRead} [onRead]
 * @returns {Promise<Cursor | null>}
 */
export async function openCursor(files, name, onRead) {
  const { url, path, source, signal, io } = files;
  signal?.throwIfAborted();
  const isPacked = plainName(name) !== name;
  const isListed = files.listedSize(name) !== undefined;
  const isKept = isPacked || url !== undefined;
  const whole = isPacked || isListed ? await readWhole(files, name, onRead, isKept) : null;
  if (isPacked) return whole && new Cursor(blobSupply(io, whole, name), name, io, signal, onRead);
  const given = /** @type {Record<string, any>} */ (source);
  const value = !url && path === undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  const supply = url
    ? whole ? blobSupply(io, whole, name) : await serverSupply(io, io.join(url, name), signal)
    : path !== undefined
      ? await fileSupply(io, `${path}/${name}`)
      : value === undefined
        ? null
        : value instanceof Blob
          ? blobSupply(io, value, name)
          : byteSupply(io, bytesOf(value, name));
  return supply && new Cursor(supply, name, io, signal, onRead);
}

/** @param {any} value @param {string} name */
function bytesOf(value, name) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return badType(`source: ${name}`, value, 'a Blob, ArrayBuffer or Uint8Array');
}
