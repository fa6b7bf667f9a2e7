// zip.js - the entries of a zip archive. Every size is compared with the others before it is used; used by torch.js and
// npy.js.
//
//     (local header | bytes of an entry)… | central directory: an entry's name, sizes, place … | end record
//
// Entries are stored or deflated; zip64 is read. The checksum of a deflated entry is compared at its end. Those of
// stored entries are not compared, because PyTorch can omit them.

import { E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { short } from '../base/json.js';
import { MAX_ZIP_DIRECTORY } from '../base/limits.js';

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {boolean} deflated
 * @property {number} packed  bytes in the archive
 * @property {number} size  bytes of the content
 * @property {number} checksum  CRC-32 of the content
 * @property {number} at  of its local header
 * @property {number} end  where the next header begins
 */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;

/** Size of the end record with the longest comment, and of the zip64 locator before it. */
const TAIL = 22 + 65535 + 20;
/** What a gzip file begins with: no name, no time, an unknown system. */
const GZIP = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** The most bytes that one deflated byte can represent. */
const DEFLATE_RATIO = 1032;

/** A little-endian reader; too few bytes are an error. */
class Fields {
  #view;
  #file;
  #at;
  #end;

  /** @param {Uint8Array} bytes @param {string} file @param {number} [at] @param {number} [end] */
  constructor(bytes, file, at = 0, end = bytes.length) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#file = file;
    this.#at = at;
    this.#end = end;
  }

  get left() {
    return this.#end - this.#at;
  }

  /** The offset of the next n bytes, which it skips. @param {number} n */
  skip(n) {
    if (n > this.left) refuse(this.#file, `cut short: ${n - this.left} bytes are missing from a header`);
    const at = this.#at;
    this.#at += n;
    return at;
  }

  u16() {
    return this.#view.getUint16(this.skip(2), true);
  }

  u32() {
    return this.#view.getUint32(this.skip(4), true);
  }

  u64() {
    const at = this.skip(8);
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  /** A reader of the next n bytes. @param {number} n */
  part(n) {
    const at = this.skip(n);
    const { buffer, byteOffset, byteLength } = this.#view;
    return new Fields(new Uint8Array(buffer, byteOffset, byteLength), this.#file, at, at + n);
  }

  /** @param {number} n */
  text(n) {
    const at = this.skip(n);
    const { buffer, byteOffset } = this.#view;
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(buffer, byteOffset + at, n));
    } catch {
      return refuse(this.#file, 'the name of an entry is not UTF-8');
    }
  }
}

/** @param {string} file @param {string} message @returns {never} */
function refuse(file, message) {
  throw new HeedError(E_SAFETENSORS, `${file}: ${message}`);
}

/**
 * @param {import('./cursor.js').Cursor} cursor
 * @param {number} size
 * @returns {Promise<{ at: number, bytes: number, count: number }>}
 */
async function findDirectory(cursor, size) {
  const { file } = cursor;
  const start = Math.max(0, size - TAIL);
  const tail = await cursor.read(start, size - start);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.length);
  let at = tail.length - 22;
  // in a real end record, the comment ends at the end of the file
  const isEnd = () => view.getUint32(at, true) === END && view.getUint16(at + 20, true) === tail.length - at - 22;
  while (at >= 0 && !isEnd()) at--;
  if (at < 0) refuse(file, 'found no end of a zip archive: cut short, or not a checkpoint?');
  const end = new Fields(tail, file, at + 4);
  const [disk, first, here, count, bytes, place] = [end.u16(), end.u16(), end.u16(), end.u16(), end.u32(), end.u32()];
  if (count < 0xffff && bytes < 0xffffffff && place < 0xffffffff) {
    if (disk + first > 0 || here !== count) refuse(file, 'is part of an archive of several files');
    return { at: place, bytes, count };
  }
  if (at < 20 || view.getUint32(at - 20, true) !== LOCATOR64) refuse(file, 'the zip64 locator is missing');
  const where = new Fields(tail, file, at - 12).u64();
  if (where > size - 56) refuse(file, `the zip64 end record is said to be at ${where} of ${size} bytes`);
  const record = new Fields(await cursor.read(where, 56), file);
  if (record.u32() !== END64) refuse(file, 'the zip64 end record is missing');
  record.skip(20);
  const [here64, count64] = [record.u64(), record.u64()];
  if (here64 !== count64) refuse(file, 'is part of an archive of several files');
  return { count: count64, bytes: record.u64(), at: record.u64() };
}

/** One entry of the central directory. @param {Fields} fields @param {string} file @returns {Entry} */
function readCentral(fields, file) {
  if (fields.u32() !== CENTRAL) refuse(file, 'the central directory has something else in it');
  fields.skip(4);
  const flags = fields.u16();
  const method = fields.u16();
  fields.skip(4);
  const checksum = fields.u32();
  let [packed, size] = [fields.u32(), fields.u32()];
  const [nameBytes, extraBytes, commentBytes] = [fields.u16(), fields.u16(), fields.u16()];
  fields.skip(8);
  let at = fields.u32();
  const name = fields.text(nameBytes);
  const extra = fields.part(extraBytes);
  fields.skip(commentBytes);
  while (extra.left >= 4) {
    const kind = extra.u16();
    const field = extra.part(extra.u16());
    if (kind !== 1) continue;
    if (size === 0xffffffff) size = field.u64();
    if (packed === 0xffffffff) packed = field.u64();
    if (at === 0xffffffff) at = field.u64();
  }
  const what = `${file}: ${short(name)}`;
  if (flags & 1) refuse(what, 'is encrypted');
  if (method !== 0 && method !== 8) refuse(what, `found compression method ${method}, expected 0 or 8 (deflate)`);
  if (method === 0 && packed !== size) refuse(what, `found ${packed} stored bytes, expected ${size}`);
  if (size > packed * DEFLATE_RATIO) refuse(what, `${packed} deflated bytes cannot be ${size}`);
  return { name, deflated: method === 8, packed, size, checksum, at, end: 0 };
}

/**
 * The entries in the order of their bytes, none of which overlap.
 *
 * @param {import('./cursor.js').Cursor} cursor
 * @param {number} size  bytes of the file
 * @returns {Promise<Map<string, Entry>>}
 */
export async function readZip(cursor, size) {
  const { file } = cursor;
  const { at, bytes, count } = await findDirectory(cursor, size);
  if (bytes > MAX_ZIP_DIRECTORY || count * 46 > bytes || at + bytes > size) {
    refuse(file, `found a directory of ${count} entries, ${bytes} bytes at ${at} of ${size}`);
  }
  const fields = new Fields(await cursor.read(at, bytes), file);
  const list = Array.from({ length: count }, () => readCentral(fields, file));
  list.sort((a, b) => a.at - b.at);
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const [i, entry] of list.entries()) {
    entry.end = list[i + 1]?.at ?? at;
    const room = entry.end - entry.at - 30;
    if (entry.packed > room) {
      refuse(file, `${short(entry.name)}: ${entry.packed} bytes overlap what follows: room for ${room}`);
    }
    if (entries.has(entry.name)) refuse(file, `the entry ${short(entry.name)} occurs twice`);
    entries.set(entry.name, entry);
  }
  return entries;
}

/** The content of one entry: forwards, or at any offset by starting again. */
export class EntryReader {
  #cursor;
  #entry;
  /** Offset of its first byte in the archive; 0 until the local header is read. */
  #begin = 0;
  /** The reader of a deflated entry. @type {import('../files/source.js').ChunkReader | undefined} */
  #inflated;
  #at = 0;

  /** @param {import('./cursor.js').Cursor} cursor @param {Entry} entry */
  constructor(cursor, entry) {
    this.#cursor = cursor;
    this.#entry = entry;
  }

  async #open() {
    const { at, end, name, packed } = this.#entry;
    const { file } = this.#cursor;
    const what = short(name);
    const fields = new Fields(await this.#cursor.read(at, 30), file);
    if (fields.u32() !== LOCAL) refuse(file, `${what}: found no entry at ${at}`);
    fields.skip(22);
    const [nameBytes, extraBytes] = [fields.u16(), fields.u16()];
    const begin = at + 30 + nameBytes + extraBytes;
    if (begin + packed > end) refuse(file, `${what}: ${packed} bytes overlap what follows`);
    const own = new Fields(await this.#cursor.read(at + 30, nameBytes), file).text(nameBytes);
    if (own !== name) refuse(file, `${what}: is called ${short(own)} at its place`);
    this.#begin = begin;
  }

  /**
   * A deflated entry as a gzip file: 'deflate-raw' came to browsers and to Node later than 'gzip', which also compares
   * the content's checksum and length.
   *
   * @returns {ReadableStream<Uint8Array>}
   */
  #gzipped() {
    const { packed, size, checksum } = this.#entry;
    let left = packed;
    let at = this.#begin;
    return new ReadableStream({
      start: (stream) => stream.enqueue(GZIP.slice()),
      pull: async (stream) => {
        if (left === 0) {
          const last = new DataView(new ArrayBuffer(8));
          last.setUint32(0, checksum, true);
          last.setUint32(4, size, true); // modulo 2^32
          stream.enqueue(new Uint8Array(last.buffer));
          return stream.close();
        }
        await this.#cursor.seek(at);
        const bytes = await this.#cursor.next(Math.min(left, 1 << 16));
        if (!bytes) return stream.close(); // the decompressor reports an early end
        left -= bytes.length;
        at += bytes.length;
        stream.enqueue(bytes.slice());
      },
    });
  }

  /** @param {number} at */
  async seek(at) {
    if (this.#begin === 0) await this.#open();
    if (!this.#entry.deflated) await this.#cursor.seek(this.#begin + at);
    else {
      if (!this.#inflated || at < this.#at) {
        await this.close();
        const inflate = /** @type {any} */ (new DecompressionStream('gzip'));
        const where = `${this.#cursor.file}: ${short(this.#entry.name)}`;
        const stream = this.#gzipped().pipeThrough(inflate);
        this.#inflated = this.#cursor.chunked(this.#cursor.io.streamChunks(stream, where));
        this.#at = 0;
      }
      await this.#inflated.skip(at - this.#at).catch((error) => { throw this.#reasonOf(error); });
    }
    this.#at = at;
  }

  /** The next 1 to `most` bytes after seek(); null at the end. @param {number} most */
  async next(most) {
    const { size, name } = this.#entry;
    const wanted = Math.min(most, size - this.#at);
    if (wanted === 0) return null;
    let bytes;
    let more;
    try {
      bytes = await (this.#inflated ?? this.#cursor).next(wanted);
      // the checksum is compared at the end; a chunk of a decompressor is not used again
      if (bytes?.length === size - this.#at) more = await this.#inflated?.next(1);
    } catch (error) {
      throw this.#reasonOf(error);
    }
    if (more) refuse(this.#cursor.file, `${short(name)}: found more than ${size} bytes`);
    if (!bytes) refuse(this.#cursor.file, `${short(name)}: cut short: ${size - this.#at} bytes are missing`);
    this.#at += bytes.length;
    return bytes;
  }

  /**
   * Why no bytes came: the file could not be read, or its deflated bytes are wrong. Throws if the signal is aborted.
   *
   * @param {any} error
   */
  #reasonOf(error) {
    this.#cursor.signal?.throwIfAborted();
    const reason = error.cause ?? error;
    if (!this.#inflated || reason instanceof HeedError) return reason;
    const what = `${this.#cursor.file}: ${short(this.#entry.name)}: cannot be inflated`;
    return new HeedError(E_SAFETENSORS, what, { cause: reason });
  }

  /** A copy of n bytes at an offset, or of all that are left. @param {number} at @param {number} n */
  async read(at, n) {
    await this.seek(at);
    const reader = this.#cursor.chunked({ next: () => this.next(n), close: async () => {} });
    return reader.take(Math.min(n, this.#entry.size - at));
  }

  async close() {
    await this.#inflated?.close();
    this.#inflated = undefined;
  }
}
