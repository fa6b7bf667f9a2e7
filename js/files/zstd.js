// zstd.js - unpacks files in Zstandard, RFC 8878: unzstd() reads chunks of such a file and gives the content in chunks.
// Loaded when a file of a model is packed so.
//
//   file   frames, and frames to skip
//   frame  header | blocks | checksum of the content, if the header says so
//   block  as it is, one byte repeated, or packed (zstd-block.js)
//
// Nothing is trusted: a block gives at most 128 KiB, the content has a limit, and no more of it is kept than that.
//
// Few hosts have a decoder of their own (Firefox, Node from 22.15), and those use this one too: it is needed anyway,
// and so all refuse the same files and say why. A DecompressionStream takes no limit for the window. The price: a model
// of 17 MB takes 0.25 s of the processor, with Node 24's own decoder 0.04 s.

import { E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { MAX_WINDOW } from '../base/limits.js';
import { Xxh64 } from './xxh64.js';
import { BLOCK, Frame } from './zstd-block.js';
import { MARGIN, refuse } from './zstd-codes.js';

/** @typedef {import('./source.js').Chunks} Chunks */

const MAGIC = 0xfd2fb528;
/** Magic of frames to skip, but for the low four bits. */
const SKIPPED = 0x184d2a5;

/** The end of what was unpacked: as much as the window and the block need. */
export class Content {
  #bytes = new Uint8Array(2 * BLOCK);
  /** Of one block; here, because a file may have many frames. */
  literals = new Uint8Array(BLOCK);
  /** The end of the content in #bytes. */
  #end = 0;
  /** Bytes of this frame. */
  size = 0;
  window = 0;

  /** @param {number} window  bytes from which copies may come */
  begin(window) {
    this.#end = 0;
    this.size = 0;
    this.window = window;
  }

  /** Makes room for a block, and keeps the window. @returns {number}  where the block begins */
  reserve() {
    const kept = Math.min(this.#end, this.window);
    if (this.#end + BLOCK > this.#bytes.length) {
      const from = this.#bytes;
      // half of the room is for new blocks, so that a byte is moved once or twice
      if (2 * (kept + BLOCK) > from.length) this.#bytes = new Uint8Array(2 * (kept + BLOCK));
      this.#bytes.set(from.subarray(this.#end - kept, this.#end));
      this.#end = kept;
    }
    return this.#end;
  }

  /** @param {Uint8Array} bytes @param {number} from @param {number} to */
  add(bytes, from, to) {
    if (to - from > 32) this.#bytes.set(bytes.subarray(from, to), this.#end);
    else for (let i = from, at = this.#end; i < to; i++) this.#bytes[at++] = bytes[i];
    this.#end += to - from;
  }

  /** Adds a byte n times. @param {number} byte @param {number} n */
  fill(byte, n) {
    this.#bytes.fill(byte, this.#end, this.#end + n);
    this.#end += n;
  }

  /** Adds the n bytes that stand `offset` bytes before. They may overlap. @param {number} offset @param {number} n */
  repeat(offset, n) {
    const bytes = this.#bytes;
    if (offset < 1 || offset > Math.min(this.#end, this.window)) {
      refuse(`found a copy from ${offset} bytes before, expected 1 to ${Math.min(this.#end, this.window)}`);
    }
    if (n > 32 && offset >= n) bytes.copyWithin(this.#end, this.#end - offset, this.#end - offset + n);
    else for (let at = this.#end, i = 0; i < n; i++, at++) bytes[at] = bytes[at - offset];
    this.#end += n;
  }

  /** What was added since reserve(). @param {number} begin  what that returned */
  since(begin) {
    this.size += this.#end - begin;
    return this.#bytes.subarray(begin, this.#end);
  }
}

/**
 * @param {import('./source.js').ChunkReader} reader
 * @param {number} most  bytes of content
 * @returns {AsyncGenerator<Uint8Array, void>}  a block at a time, valid until the next call
 */
async function* unpack(reader, most) {
  const take = async (/** @type {number} */ n, what = 'is cut short') => {
    const bytes = await reader.take(n);
    return bytes.length === n ? bytes : refuse(what);
  };
  /** A number of n bytes. @param {number} n */
  const number = async (n) => (await take(n)).reduceRight((value, byte) => value * 256 + byte, 0);
  const content = new Content();
  let total = 0;
  const room = (/** @type {number} */ n) => {
    if (n > most - total) refuse(`found more than ${most} bytes of content`);
  };
  for (let isFirst = true; ; isFirst = false) {
    const head = await reader.take(4);
    if (head.length === 0 && !isFirst) return;
    const magic = head.length === 4 ? new DataView(head.buffer, head.byteOffset).getUint32(0, true) : 0;
    if (magic >>> 4 === SKIPPED) {
      const size = await number(4);
      if ((await reader.skip(size) || { length: 0 }).length < size) refuse('is cut short');
      continue;
    }
    if (magic !== MAGIC) refuse(`found ${isFirst ? 'no' : 'something else than a'} frame of Zstandard`);
    const flags = await number(1);
    if (flags & 8) refuse('found a reserved bit in the header of a frame');
    const isSingle = (flags & 32) !== 0;
    const exponent = isSingle ? 0 : await number(1);
    if (await number([0, 1, 2, 4][flags & 3])) refuse('needs a dictionary: unsupported');
    const width = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6];
    const stated = width > 0 ? (await number(width)) + (width === 2 ? 256 : 0) : undefined;
    room(stated ?? 0);
    const window = isSingle ? Number(stated) : 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
    if (!isSingle && window > MAX_WINDOW) refuse(`found a window of ${window} bytes, expected at most ${MAX_WINDOW}`);
    const largest = Math.min(window, BLOCK);
    content.begin(Math.min(window, most + BLOCK));
    const frame = new Frame(content, largest);
    const hash = flags & 4 ? new Xxh64() : undefined;
    for (let isLast = false; !isLast;) {
      const header = await number(3);
      isLast = (header & 1) !== 0;
      const [type, size] = [(header >> 1) & 3, header >> 3];
      if (type === 3) refuse('found a block of a reserved type');
      if (size > largest) refuse(`found a block of ${size} bytes, expected at most ${largest}`);
      const begin = content.reserve();
      if (type === 1) content.fill(await number(1), size);
      else if (type === 0) content.add(await take(size), 0, size);
      else {
        const bytes = new Uint8Array(size + 2 * MARGIN);
        bytes.set(await take(size), MARGIN);
        frame.unpack(bytes);
      }
      const block = content.since(begin);
      room(block.length);
      total += block.length;
      hash?.update(block);
      if (block.length > 0) yield block;
    }
    if (stated !== undefined && stated !== content.size) {
      refuse(`found ${content.size} bytes of content, expected ${stated}`);
    }
    if (hash && hash.low() !== await number(4)) refuse('the checksum of the content is wrong');
  }
}

/**
 * The content of a file in Zstandard. Its checksums are compared, if it has some.
 *
 * @param {import('./source.js').Io} io
 * @param {Chunks} chunks  of the file; closed with the result
 * @param {string} name  of the file, for errors
 * @param {number} most  bytes of content: a file with more is refused
 * @returns {Chunks}  HEED_E_SAFETENSORS if the file is damaged
 */
export function unzstd({ ChunkReader }, chunks, name, most) {
  const blocks = unpack(new ChunkReader(chunks), most);
  return {
    async next() {
      try {
        return (await blocks.next()).value ?? null;
      } catch (error) {
        if (!(error instanceof HeedError) || error.code !== E_SAFETENSORS) throw error;
        const told = new HeedError(E_SAFETENSORS, `${name}: ${error.message}`, { cause: error });
        await chunks.verify?.(told);
        throw told;
      }
    },
    close: () => chunks.close(),
    verify: chunks.verify,
  };
}
