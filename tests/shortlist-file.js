// shortlist-file.js - writes shortlists, lex.*.s2t.bin, from the description of the format. Used by shortlist.test.js.

const MASK = 2n ** 64n - 1n;

/**
 * @param {number[][]} lists  of target ids, by source id
 * @param {{ first?: number, best?: number, checksum?: bigint }} [options]
 * @returns {Uint8Array}
 */
export function shortlistFile(lists, { first = 4, best = 50, checksum } = {}) {
  const ids = lists.flat();
  const file = Buffer.alloc(48 + 8 * (lists.length + 1) + 4 * ids.length);
  let at = 16;
  const put = (/** @type {number} */ value) => void (at = file.writeBigUInt64LE(BigInt(value), at));
  [first, best, lists.length + 1, ids.length, 0].forEach(put);
  let end = 0;
  for (const list of lists) put((end += list.length));
  for (const id of ids) at = file.writeUInt32LE(id, at);
  let sum = 0n;
  for (let word = 16; word + 8 <= file.length; word += 8) {
    sum ^= (file.readBigUInt64LE(word) + 0x9e3779b9n + (sum << 6n) + (sum >> 2n)) & MASK;
    sum &= MASK;
  }
  file.writeBigUInt64LE(0xf11a48d5013417f5n, 0);
  file.writeBigUInt64LE(checksum ?? sum, 8);
  return new Uint8Array(file);
}

/**
 * The ids that a sentence may become, by the definition.
 *
 * @param {number[][]} lists
 * @param {ArrayLike<number>} source
 * @param {{ first: number, vocabulary: number, isShared?: boolean, more?: number[] }} options
 */
export function selectPlainly(lists, source, { first, vocabulary, isShared = true, more = [] }) {
  const from = Array.from(source);
  const listed = from.flatMap((id) => lists[id] ?? []);
  const ids = new Set([...Array(first).keys(), ...listed, ...(isShared ? from : []), ...more]);
  for (let id = first; id < vocabulary && ids.size % 8 !== 0; id++) ids.add(id);
  return [...ids].sort((a, b) => a - b);
}
