// local.js - reads local files in chunks, from a directory (Node) or from objects; loaded by source.js.

import { CHUNK } from '../base/limits.js';

/**
 * Opens a file in a directory.
 *
 * @param {import('./source.js').Io} io
 * @param {string} path
 * @returns {Promise<import('./source.js').FileChunks | null>}  null if it is missing
 */
export async function fileChunks({ builtin, unreadable }, path) {
  /** @param {any} error @returns {never} */
  const fail = (error) => {
    throw unreadable(`${path}: ${error.message}`, error);
  };
  const { open } = await builtin('fs/promises');
  // ENOTDIR: a folder in the path is a file
  const isMissing = (/** @type {any} */ error) => error.code === 'ENOENT' || error.code === 'ENOTDIR';
  const file = await open(path).catch((/** @type {unknown} */ error) => (isMissing(error) ? null : fail(error)));
  if (!file) return null;
  const stat = await file.stat().catch((/** @type {unknown} */ error) => file.close().then(() => fail(error)));
  // one holds the last chunk; into the other, the next is read while the caller works
  const buffers = [new Uint8Array(CHUNK), new Uint8Array(CHUNK)];
  /** Pipes and the like have no positions. @type {number | null} */
  let place = null;
  /** @type {Promise<Uint8Array> | undefined} */
  let ahead;
  /** @type {Promise<void> | undefined} */
  let closing;
  const read = async () => {
    const { bytesRead } = await file.read(buffers[0], 0, CHUNK, place);
    return buffers[0].subarray(0, bytesRead);
  };
  /** @param {Promise<Uint8Array> | undefined} reading */
  const keep = (reading) => {
    reading?.catch(() => {}); // next() says what failed; there may be none
    ahead = reading;
  };
  return {
    size: stat.size,
    seek(at) {
      if (place === at) return;
      place = at;
      keep(ahead?.then(read, read));
    },
    async next() {
      const chunk = await (ahead ?? read()).catch(fail);
      if (place !== null) place += chunk.length;
      buffers.reverse();
      // not from a pipe: one that is silent could not be closed
      keep(stat.isFile() && chunk.length > 0 ? read() : undefined);
      return chunk.length > 0 ? chunk : null;
    },
    close: () => (closing ??= file.close()),
  };
}

/**
 * Opens a file that the caller passed as an object.
 *
 * @param {import('./source.js').Io} io
 * @param {Record<string, Blob | ArrayBuffer | Uint8Array | string>} files
 * @param {string} name
 * @returns {Promise<import('./source.js').Chunks | null>}  null if it is missing
 */
export async function givenChunks({ byteChunks, streamChunks }, files, name) {
  const value = Object.hasOwn(files, name) ? files[name] : undefined;
  if (value === undefined) return null;
  if (ArrayBuffer.isView(value)) return byteChunks(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return byteChunks(new Uint8Array(value));
  if (value instanceof Blob) return streamChunks(value.stream(), name);
  throw new TypeError(`source: ${name} is neither Blob, ArrayBuffer, Uint8Array nor the URL of a file`);
}
