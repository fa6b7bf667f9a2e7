// local.js - a file of a directory, read in chunks; loaded by files.js in Node.

/** Bytes read at a time. */
const CHUNK = 1 << 18;

/**
 * @param {import('./files.js').Means} means
 * @param {string} path
 * @returns {Promise<import('./files.js').Chunks | null>}  null: there is none
 */
export async function fileChunks({ builtin, unreadable }, path) {
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
