// cursor.js - a file of weights read at any place: forwards as one stream, elsewhere by seeking in a file or Blob, by
// Range requests on a server; used by the containers of this directory.
//
// Parts of a file have no hash to be compared with. So a file that heed.json lists is read from its first to its last
// byte before any of it is believed: from a server it is downloaded whole, kept as other files are, and held as a Blob
// until close(), elsewhere it is read twice.

import { badType } from '../base/check.js';

/** @typedef {import('../files/source.js').Chunks} Chunks */
/** @typedef {Awaited<ReturnType<typeof import('../files/source.js').openSource>>} Files */
/** @typedef {Files['means']} Means */
/**
 * Told of a file from a server that is held whole: how much there is of it, from 0 to its size.
 *
 * @typedef {(file: string, bytes: number, size: number) => void} OnRead
 */

/** Bytes read at a time. */
const CHUNK = 1 << 18;
/** A gap ahead of this many bytes is read through: on a server that is sooner than another request. */
const GAP = 1 << 17;

/**
 * Where a cursor gets its bytes. size: undefined where a server does not tell. first: the stream from 0. from: a stream
 * that begins at a place, null where only the first can be had.
 *
 * @typedef {{ size: number | undefined, first: Chunks, from: (at: number) => Promise<Chunks | null>,
 *   isRemote?: boolean, close?: () => Promise<void> }} Supply
 */

/** @param {Means} means @param {string} path @returns {Promise<Supply | null>} */
async function fileSupply({ fileChunks }, path) {
  const file = await fileChunks(path);
  if (!file) return null;
  // the handle serves every stream
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

/** @param {Means} means @param {Blob} blob @param {string} where @returns {Supply} */
const blobSupply = ({ streamChunks }, blob, where) => ({
  size: blob.size,
  first: streamChunks(blob.stream(), where),
  from: async (at) => streamChunks(blob.slice(at).stream(), where),
});

/** @param {Means} means @param {Uint8Array} bytes @returns {Supply} */
const byteSupply = ({ byteChunks }, bytes) => ({
  size: bytes.length,
  first: byteChunks(bytes),
  from: async (at) => byteChunks(bytes.subarray(at)),
});

/** @param {Means} means @param {URL} url @param {AbortSignal | undefined} signal @returns {Promise<Supply | null>} */
async function serverSupply({ fetchChunks, unreadable }, url, signal) {
  const first = await fetchChunks(url, signal, true);
  if (!first) return null;
  const told = (/** @type {string} */ name) => first.headers.get(name);
  // of an encoded body the length is another
  const length = told('content-encoding') === null ? told('content-length') : null;
  return {
    size: length === null ? undefined : Number(length),
    isRemote: true,
    first,
    from: async (at) => {
      if (length === null || told('accept-ranges') === 'none') return null;
      // a server, or a page's rules for other origins, may refuse what asks for a part: the whole is open already
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
      // a page may not be allowed to see the range: what is read is checked by the container then
      if (isSame && (range === null || range === `bytes ${at}-${Number(length) - 1}/${length}`)) return part;
      await part.close();
      throw unreadable(`${url}: the file changed between two requests, or the range is wrong: found ${range ?? tag}`);
    },
  };
}

/** A place in a file, and the bytes from there on. */
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
  means;

  /**
   * @param {Supply} supply
   * @param {string} file  for messages
   * @param {Means} means
   * @param {AbortSignal} [signal]
   * @param {OnRead} [onRead]
   */
  constructor(supply, file, means, signal, onRead) {
    this.#supply = supply;
    this.#onRead = onRead;
    this.means = means;
    this.signal = signal;
    this.#reader = this.chunked(supply.first);
    this.file = file;
  }

  /** Chunks of one's own size. @param {Chunks} chunks */
  chunked(chunks) {
    return new this.means.ChunkReader(chunks);
  }

  /** Bytes of the file; undefined where a server does not tell. */
  get size() {
    return this.#supply.size;
  }

  /** Go to a place. @param {number} at */
  async seek(at) {
    const gap = at - this.#at;
    if (gap === 0) return;
    const from = gap > 0 && gap <= GAP ? null : await this.#supply.from(at);
    if (from) await this.#enter(from);
    else if (gap < 0) {
      const why = 'the server sends no parts of a file, and those of this one are not in order';
      throw this.means.unreadable(`${this.file}: ${why}`);
    } else await this.#reader.skip(gap);
    this.#at = at;
  }

  /** @param {Chunks} stream */
  async #enter(stream) {
    await this.#reader.close();
    this.#reader = this.chunked(stream);
  }

  /** What follows: 1 to `most` bytes, good until the next call; null at the end. @param {number} most */
  async next(most) {
    this.signal?.throwIfAborted();
    const chunk = await this.#reader.next(most);
    this.#at += chunk?.length ?? 0;
    return chunk;
  }

  /** n bytes at a place, or all there are. A copy. @param {number} at @param {number} n */
  async read(at, n) {
    await this.seek(at);
    const bytes = await this.#reader.take(n);
    this.#at += bytes.length;
    return bytes;
  }

  /**
   * Go back into what was read from 0 on: no stream begins anew.
   *
   * @param {Uint8Array} bytes  all of it
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
   * Make every place reachable, where what was read so far is `head`: if a server sends no parts, or `whole` is wanted
   * of it, the file is held until close().
   *
   * @param {Uint8Array} head
   * @param {boolean} [whole]
   * @returns {Promise<number>}  bytes of the file
   */
  async spool(head, whole = false) {
    const { size, from, isRemote } = this.#supply;
    if (size !== undefined && !(whole && isRemote)) {
      // most of what is wanted first is near the end
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
    this.#supply = blobSupply(this.means, blob, this.file);
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
 * Read a listed file to its end, where it is compared with what heed.json says: HEED_E_HASH.
 *
 * @param {Files} files
 * @param {string} name
 * @param {number} size
 * @param {OnRead} [onRead]
 * @returns {Promise<Blob>}  empty unless it comes from a server
 */
async function readChecked({ open, url }, name, size, onRead) {
  const chunks = await open(name);
  /** @type {BlobPart[]} */
  const parts = [];
  let bytes = 0;
  if (url) onRead?.(name, 0, size);
  try {
    for (let chunk; (chunk = await chunks.next());) {
      if (!url) continue;
      parts.push(chunk.slice());
      onRead?.(name, (bytes += chunk.length), size);
    }
  } finally {
    await chunks.close();
  }
  return new Blob(parts);
}

/**
 * A file of a model at any place in it, null if it is missing.
 *
 * @param {Files} files
 * @param {string} name
 * @param {OnRead} [onRead]
 * @returns {Promise<Cursor | null>}
 */
export async function openCursor(files, name, onRead) {
  const { url, path, source, signal, means } = files;
  signal?.throwIfAborted();
  const size = files.listedSize(name);
  const whole = size === undefined ? undefined : await readChecked(files, name, size, onRead);
  const given = /** @type {Record<string, any>} */ (source);
  const value = !url && path === undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  const supply = url
    ? whole ? blobSupply(means, whole, name) : await serverSupply(means, means.join(url, name), signal)
    : path !== undefined
      ? await fileSupply(means, `${path}/${name}`)
      : value === undefined
        ? null
        : value instanceof Blob
          ? blobSupply(means, value, name)
          : byteSupply(means, bytesOf(value, name));
  return supply && new Cursor(supply, name, means, signal, onRead);
}

/** @param {any} value @param {string} name */
function bytesOf(value, name) {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return badType(`source: ${name}`, value, 'a Blob, ArrayBuffer or Uint8Array');
}
