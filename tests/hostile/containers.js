// containers.js - zip archives, pickles of PyTorch states and NumPy arrays, written by hand, so that they can lie. Used
// by ../hostile-checkpoints.test.js and ../mutate/.
import { gzipSync } from 'node:zlib';
import { bytes, concat } from '../model-files.js';

/**
 * A little-endian number: a place in the array takes it modulo 256.
 *
 * @param {number} n  an integer
 * @param {number} width  bytes
 */
export function number(n, width) {
  // a plain loop: the mutations write thousands of numbers for a file
  const all = new Uint8Array(width);
  for (let i = 0; i < width; i++) all[i] = Math.floor(n / 256 ** i);
  return all;
}
export const [u16, u32, u64] = [2, 4, 8].map((width) => (/** @type {number} */ n) => number(n, width));

// ---------------------------------------------------------------- zip

/** The fields of a header before its texts, and their bytes. */
export const LOCAL = {
  magic: 4, version: 2, flags: 2, method: 2, time: 4, crc: 4, packed: 4, size: 4, nameBytes: 2, extraBytes: 2,
};
export const CENTRAL = {
  magic: 4, made: 2, version: 2, flags: 2, method: 2, time: 4, crc: 4, packed: 4, size: 4, nameBytes: 2, extraBytes: 2,
  commentBytes: 2, disk: 2, inner: 2, outer: 4, at: 4,
};
export const END = {
  magic: 4, disk: 2, first: 2, here: 2, count: 2, directoryBytes: 4, directoryAt: 4, commentBytes: 2,
};
/** The end record of zip64, and the locator behind it. */
export const WIDE = {
  magic: 4, recordBytes: 8, made: 2, version: 2, disk: 4, first: 4, here: 8, count: 8, directoryBytes: 8,
  directoryAt: 8, locator: 4, recordDisk: 4, recordAt: 8, disks: 4,
};

/**
 * What a header states in place of what is so: a number, or made of the right one.
 *
 * @typedef {Record<string, number | ((n: number) => number)>} Lies
 */

/** @param {Record<string, number>} layout @param {Record<string, number>} values  0 where silent @param {Lies} lies */
const header = (layout, values, lies) =>
  concat(
    ...Object.entries(layout).map(([field, width]) => {
      const [value, lie] = [values[field] ?? 0, lies[field]];
      return number(typeof lie === 'function' ? lie(value) : (lie ?? value), width);
    }),
  );

/**
 * An entry; what it states of itself may be untrue. `method`, `flags`, `size`, `packedSize` stand in both headers, `at`
 * and `extra` in the central one; `packed` are the bytes in the archive, if they are not `data`.
 *
 * @typedef {{ name: string, data: Uint8Array, packed?: Uint8Array, method?: number, flags?: number, size?: number,
 *  packedSize?: number, at?: number, localName?: string, extra?: Uint8Array, localExtra?: Uint8Array, local?: Lies,
 *  central?: Lies }} Entry
 */

/** CRC-32, which gzip writes after the content. @param {Uint8Array} data */
const checksum = (data) => gzipSync(data, { level: 0 }).subarray(-8).readUInt32LE();

/**
 * A zip archive. `wide`: it has the records of zip64.
 *
 * @param {Entry[]} entries
 * @param {{ end?: Lies, wide?: Lies, comment?: Uint8Array }} [o]
 */
export function zip(entries, { end = {}, wide, comment = new Uint8Array() } = {}) {
  const none = new Uint8Array();
  const parts = [];
  const central = [];
  let at = 0;
  for (const e of entries) {
    const { data, method = 0, flags = 0, extra = none, localExtra = none } = e;
    const { packed: content = data, size = data.length } = e;
    const packed = e.packedSize ?? (method ? content.length : size);
    const name = bytes(e.name);
    // as PyTorch may: stored entries have none
    const crc = method ? checksum(data) : 0;
    const both = { version: 20, flags, method, crc, packed, size, nameBytes: name.length };
    const local = header(LOCAL, { ...both, magic: 0x04034b50, extraBytes: localExtra.length }, e.local ?? {});
    const own = { ...both, magic: 0x02014b50, made: 20, extraBytes: extra.length, at: e.at ?? at };
    central.push(header(CENTRAL, own, e.central ?? {}), name, extra);
    const part = concat(local, bytes(e.localName ?? e.name), localExtra, content);
    parts.push(part);
    at += part.length;
  }
  const directory = concat(...central);
  const count = entries.length;
  const last = { count, here: count, directoryBytes: directory.length, directoryAt: at };
  const record = { ...last, magic: 0x06064b50, recordBytes: 44, made: 45, version: 45, locator: 0x07064b50,
    recordAt: at + directory.length, disks: 1 };
  const far = { count: 0xffff, here: 0xffff, directoryBytes: 0xffffffff, directoryAt: 0xffffffff };
  const stated = { magic: 0x06054b50, ...(wide ? far : last), commentBytes: comment.length };
  return concat(...parts, directory, wide ? header(WIDE, record, wide) : none, header(END, stated, end), comment);
}

// ---------------------------------------------------------------- pickles

export const op = (/** @type {number[]} */ ...codes) => Uint8Array.from(codes);
export const text = (/** @type {string} */ s) => concat(op(0x58), u32(bytes(s).length), bytes(s));
export const global = (/** @type {string} */ module, /** @type {string} */ name) => bytes(`c${module}\n${name}\n`);
/** The argument of BINFLOAT, big-endian. @param {number} x */
export function float64(x) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return new Uint8Array(view.buffer);
}
export const int = (/** @type {number} */ n) => concat(op(0x4a), u32(n));
export const tuple = (/** @type {Uint8Array[]} */ ...items) => concat(op(0x28), ...items, op(0x74));
export const dict = (/** @type {Uint8Array[]} */ ...items) => concat(op(0x7d, 0x28), ...items, op(0x75));
export const list = (/** @type {Uint8Array[]} */ ...items) => concat(op(0x5d, 0x28), ...items, op(0x65));
export const pickle = (/** @type {Uint8Array[]} */ ...parts) => concat(op(0x80, 2), ...parts, op(0x2e));
export const long = (/** @type {bigint} */ n) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, n, true);
  return concat(op(0x8a, 8), new Uint8Array(view.buffer));
};

/**
 * @param {{ type?: string, key?: string, count?: Uint8Array, offset?: Uint8Array, shape?: Uint8Array, stride?:
 *  Uint8Array, rest?: Uint8Array[] }} [o]
 */
export function tensor({
  type = 'FloatStorage', key = '0', count = int(6), offset = int(0), shape = tuple(int(2), int(3)),
  stride = tuple(int(3), int(1)), rest = [],
} = {}) {
  const id = tuple(text('storage'), global('torch', type), text(key), text('cpu'), count, ...rest);
  const hooks = concat(global('collections', 'OrderedDict'), op(0x29, 0x52));
  return concat(global('torch._utils', '_rebuild_tensor_v2'),
    tuple(concat(id, op(0x51)), offset, shape, stride, op(0x89), hooks), op(0x52));
}

const MAGIC = concat(op(0x8a, 10), Uint8Array.from([0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19]));
const MACHINE = dict(text('protocol_version'), int(1001), text('little_endian'), op(0x88));

/**
 * The pickles before the storages in the format before 1.6; `state` is one, `keys` the object of another.
 *
 * @param {{ magic?: Uint8Array, version?: Uint8Array, machine?: Uint8Array, state: Uint8Array, keys: Uint8Array }} o
 */
export const pickles = ({ magic = MAGIC, version = int(1001), machine = MACHINE, state, keys }) =>
  concat(pickle(magic), pickle(version), pickle(machine), state, pickle(keys));

// ---------------------------------------------------------------- NumPy

/**
 * An .npy.
 *
 * @param {string} header
 * @param {Uint8Array} [data]
 * @param {number} [version]
 * @param {number} [length]  of the header, as stated
 */
export const npy = (header, data = new Uint8Array(), version = 1, length = header.length) =>
  concat(Uint8Array.from([0x93]), bytes('NUMPY'), op(version, 0), version === 1 ? u16(length) : u32(length),
    bytes(header), data);
