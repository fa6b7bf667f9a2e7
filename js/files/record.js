// record.js - keeps the bytes of the files that a load reads, so that other workers need not read them again. Loaded by
// engine/serve.js for a pool of workers.

import { isNode } from '../base/host.js';
import { CHUNK } from '../base/limits.js';

/** Memory that all workers of a program can read, where the host has it: isolated pages of WebKitGTK do not. */
const Memory = (isNode || globalThis.crossOriginIsolated) && globalThis.SharedArrayBuffer || ArrayBuffer;

/** Bytes to ask for at once: heed.json may say any number. */
const MOST = 1024 * CHUNK;

export class FileRecord {
  /** By name. @type {{ [name: string]: Uint8Array }} */
  #files = {};

  /**
   * The same chunks. When the file was read to its end, its bytes are kept.
   *
   * @param {string} name
   * @param {import('./source.js').Chunks} chunks
   * @param {number} [size]  of the file, if it is known
   * @returns {import('./source.js').Chunks}
   */
  keep(name, { next, ...others }, size = 0) {
    let bytes = new Uint8Array(new Memory(Math.min(size, MOST)));
    let at = 0;
    delete this.#files[name];
    return {
      next: async () => {
        const chunk = await next();
        if (!chunk) {
          this.#files[name] = bytes.subarray(0, at);
          return null;
        }
        if (at + chunk.length > bytes.length) {
          const larger = new Uint8Array(new Memory(Math.max(at + chunk.length, 2 * bytes.length)));
          larger.set(bytes.subarray(0, at));
          bytes = larger;
        }
        bytes.set(chunk, at);
        at += chunk.length;
        return chunk;
      },
      ...others,
    };
  }

  /** All files of the model; undefined if it has a layout of which parts are read in another way, see cursor.js. */
  get files() {
    const { 'config.json': config, 'model.safetensors': weights } = this.#files;
    return config && weights && this.#files;
  }
}
