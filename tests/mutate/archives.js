// archives.js - damages a zip archive: its headers are wrong, or its entries occur twice, overlap or have other names.
// Used by checkpoints.js.

import { deflateRawSync } from 'node:zlib';
import { CENTRAL, END, LOCAL, u16, u64, WIDE } from '../hostile/containers.js';
import { concat } from '../model-files.js';
import { COUNTS, NAMES, oneOf, text } from './values.js';

/** @typedef {import('../hostile/containers.js').Entry} Entry */
/** @typedef {import('../hostile/containers.js').Lies} Lies */
/** @typedef {import('./model.js').Random} Random */
/** What zip() takes. @typedef {{ entries: Entry[], end?: Lies, wide?: Lies, comment?: Uint8Array }} Archive */

/** Integers only: a field of a header holds no other. */
const WHOLE = COUNTS.filter((n) => n <= 2 ** 64);
const METHODS = [0, 1, 8, 9, 12, 14, 93, 99, 65535];
/** The end records of an archive, where none should be. */
const FALSE_ENDS = [
  text('PK\x05\x06' + '\0'.repeat(18)),
  text('PK\x06\x07' + '\0'.repeat(16) + 'PK\x05\x06' + '\0'.repeat(18)),
  text('PK\x05\x06'),
  new Uint8Array(65535),
];

/** @param {Random} random @returns {Lies[string]} */
function lie(random) {
  const [by, value] = [random.pick([1, -1, 2, 4, 30, -30, 46, 65536, 2 ** 32 - 1]), random.pick(WHOLE)];
  return random.once(2) ? value : (n) => n + by;
}

/** The field of zip64, with what it stands for. @param {Random} random @param {Entry} entry @param {number} at */
function widen(random, entry, at) {
  const [size, packed] = [entry.data.length, (entry.packed ?? entry.data).length];
  const values = [size, packed, at].map((n) => (random.once(12) ? random.pick(WHOLE) : n));
  const length = random.once(8) ? random.below(32) : 8 * values.length;
  entry.extra = concat(u16(7), u16(2), u16(0), u16(random.once(8) ? 2 : 1), u16(length), ...values.map(u64));
  entry.central = { ...entry.central, size: 2 ** 32 - 1, packed: 2 ** 32 - 1, at: 2 ** 32 - 1 };
}

/** @param {Random} random @param {Entry} entry */
function deflate(random, entry) {
  entry.method = 8;
  const packed = deflateRawSync(entry.data, { level: random.below(3) });
  const n = random.below(packed.length + 1);
  entry.packed = random.pick([
    packed,
    packed,
    packed,
    packed.subarray(0, n),
    concat(packed, packed.subarray(n)),
    packed.map((byte, i) => (i === n ? byte ^ 4 : byte)),
    deflateRawSync(new Uint8Array(1 << 16)),
    new Uint8Array(),
  ]);
}

/** Where the local header of an entry is, if nothing lies. @param {Entry[]} entries @param {Entry} entry */
function placeOf(entries, entry) {
  const before = entries.slice(0, entries.indexOf(entry));
  return before.reduce((sum, e) => {
    const [name, extra, content] = [text(e.localName ?? e.name), e.localExtra, e.packed ?? e.data];
    return sum + 30 + name.length + (extra?.length ?? 0) + content.length;
  }, 0);
}

/** @param {Random} random @param {Archive} archive  changed; its entries are the caller's own */
export function changeArchive(random, archive) {
  const { entries } = archive;
  if (entries.length === 0) return;
  const at = random.below(entries.length);
  const [entry, other] = [entries[at], random.pick(entries)];
  const field = (/** @type {object} */ layout) => random.pick(Object.keys(layout));
  const names = [...NAMES, other.name, `${entry.name}/`, `../${entry.name}`, 'x'.repeat(1000), 'é'.repeat(32767)];
  oneOf(random, [
    () => (entry.local = { ...entry.local, [field(LOCAL)]: lie(random) }),
    () => (entry.central = { ...entry.central, [field(CENTRAL)]: lie(random) }),
    () => (archive.end = { ...archive.end, [field(END)]: lie(random) }),
    () => (archive.wide = {}),
    () => (archive.wide = { ...archive.wide, [field(WIDE)]: lie(random) }),
    () => widen(random, entry, placeOf(entries, entry)),
    () => entries.forEach((each) => widen(random, each, placeOf(entries, each))),
    () => (entry.method = random.pick(METHODS)),
    () => (entry.flags = random.pick(WHOLE)),
    () => (entry.at = placeOf(entries, other) + random.pick([0, 0, 1, -1, 30])),
    () => deflate(random, entry),
    () => deflate(random, entry),
    () => entries.forEach((each) => deflate(random, each)),
    () => (entry.size = (entry.packedSize = entry.data.length + random.pick([-1, 1, 4, 64]))),
    () => (entry.data = entry.data.slice(0, random.below(entry.data.length + 1))),
    () => (entry.data = concat(entry.data, other.data)),
    () => ([entry.data, other.data] = [other.data, entry.data]),
    () => (entry.name = random.pick(names)),
    () => (entry.localName = random.pick(names)),
    () => (entry.localExtra = new Uint8Array(random.pick([1, 4, 64, 65535]))),
    () => (entry.extra = new Uint8Array(random.pick([1, 4, 20, 65535])).fill(random.below(3))),
    () => entries.splice(at, 1),
    () => entries.push({ ...entry }),
    () => entries.push({ ...entry, name: random.pick(names) }),
    () => entries.splice(random.below(entries.length), 0, entries.splice(at, 1)[0]),
    () => (archive.comment = random.pick(FALSE_ENDS)),
    () => entries.push(...Array.from({ length: random.pick([10, 300]) }, (_, i) => ({ ...entry, name: `${i}` }))),
  ]);
}
