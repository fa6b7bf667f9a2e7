// unpack.js - the content of packed files, .gz and .zst; used by formats/.

import { E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { MAX_UNPACKED } from '../base/limits.js';

/** @typedef {import('./source.js').Chunks} Chunks */

/** Bytes given to a decoder of the host at a time: it unpacks all of them at once, to a thousand times as many. */
const PART = 1 << 14;

/**
 * @param {import('./source.js').Io} io
 * @param {Chunks} chunks
 * @param {string} name
 * @returns {Chunks}
 */
function gunzip({ ChunkReader, streamChunks }, chunks, name) {
  const reader = new ChunkReader(chunks);
  /** The error of the packed file, which says more than that of the stream after it. @type {unknown} */
  let failure;
  /** @type {ReadableStream<Uint8Array>} */
  const packed = new ReadableStream({
    async pull(stream) {
      try {
        const chunk = await reader.next(PART);
        if (chunk) stream.enqueue(chunk.slice());
        else stream.close();
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  }, { highWaterMark: 0 });
  const { next, close } = streamChunks(packed.pipeThrough(/** @type {any} */ (new DecompressionStream('gzip'))), name);
  let size = 0;
  return {
    async next() {
      const chunk = await next().catch(async (cause) => {
        if (failure) throw failure;
        const told = new HeedError(E_SAFETENSORS, `${name}: cannot be unpacked: damaged or cut short`, { cause });
        await chunks.verify?.(told);
        throw told;
      });
      size += chunk?.length ?? 0;
      if (size <= MAX_UNPACKED) return chunk;
      throw new HeedError(E_SAFETENSORS, `${name}: found more than ${MAX_UNPACKED} bytes of content`);
    },
    async close() {
      await close();
      await chunks.close();
    },
  };
}

/**
 * The content of a file whose name ends with .gz or .zst; of any other, the file.
 *
 * @param {import('./source.js').Io} io
 * @param {Chunks} chunks  of the file; closed with the result
 * @param {string} name
 * @returns {Promise<Chunks>}  HEED_E_SAFETENSORS if the file is damaged
 */
export async function unpack(io, chunks, name) {
  if (name.endsWith('.gz')) return gunzip(io, chunks, name);
  if (!name.endsWith('.zst')) return chunks;
  const { unzstd } = await import('./zstd.js');
  return unzstd(io, chunks, name, MAX_UNPACKED);
}
