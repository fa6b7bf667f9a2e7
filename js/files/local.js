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
  const { size } = await file.stat().catch((/** @type {unknown} */ error) => file.close().then(() => fail(error)));
  const buffer = new Uint8Array(CHUNK);
  /** Pipes and the like have no positions. @type {number | null} */
  let place = null;
  /** @type {Promise<void> | undefined} */
  let closing;
  return {
    size,
    seek: (at) => (place = at),
    async next() {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, place).catch(fail);
      if (place !== null) place += bytesRead;
      return bytesRead > 0 ? buffer.subarray(0, bytesRead) : null;
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
