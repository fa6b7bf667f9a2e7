// zstd-block.js - unpacks a block of Zstandard, RFC 8878, 3.1.1.3: literals, and sequences that say how many of them to
// copy, and how many bytes from before. Used by zstd.js.

import {
  Bits, MARGIN, buildTable, constantTable, readCodes, readSymbols, readTable, refuse, zeros,
} from './zstd-codes.js';

/** @typedef {import('./zstd-codes.js').Table} Table */
/** @typedef {import('./zstd-codes.js').Codes} Codes */

/** Most bytes of a block, packed and unpacked. */
export const BLOCK = 1 << 17;
/** Bits of an offset: a longer one is outside any window that fits in memory. */
const LAST_OFFSET = 30;

/**
 * A kind of code of sequences: how many extra bits each code has, the least value of each, the most bits of a table,
 * and the table for blocks without one.
 *
 * @typedef {{ name: string, bits: number[], base: number[], most: number, usual: Table }} Kind
 */

/** The least value of each code, if the values of a code follow those of the last. @param {number[]} bits */
function bases(bits, first = 0) {
  return bits.map((n) => (first += 2 ** n) - 2 ** n);
}

const LITERAL_BITS = [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const MATCH_BITS = [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const OFFSET_BITS = Array.from({ length: LAST_OFFSET + 1 }, (_, i) => i);

/** The kinds in the order of the block's header, with the tables of RFC 8878, 3.1.1.3.2.2. @type {Kind[]} */
const KINDS = [
  {
    name: 'literal lengths', bits: LITERAL_BITS, base: bases(LITERAL_BITS), most: 9,
    usual: buildTable([4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
      -1, -1, -1, -1], 6),
  },
  {
    name: 'offsets', bits: OFFSET_BITS, base: bases(OFFSET_BITS, 1), most: 8,
    usual: buildTable([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1], 5),
  },
  {
    name: 'match lengths', bits: MATCH_BITS, base: bases(MATCH_BITS, 3), most: 9,
    usual: buildTable([1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], 6),
  },
];

/** Unpacks the blocks of one frame. It has what a block may take from the blocks before it. */
export class Frame {
  /** @type {Codes | undefined} */
  #codes;
  /** @type {(Table | undefined)[]} */
  #tables = [undefined, undefined, undefined];
  /** The last three offsets. */
  #offsets = [1, 4, 8];
  #literals;

  /** @param {import('./zstd.js').Content} content @param {number} most  bytes of a block */
  constructor(content, most) {
    this.content = content;
    this.#literals = content.literals;
    this.most = most;
  }

  /** @param {Uint8Array} bytes  of a block, with MARGIN zeros on both sides */
  unpack(bytes) {
    const end = bytes.length - MARGIN;
    const { at, size } = this.#readLiterals(bytes, MARGIN, end);
    this.#copy(bytes, at, end, size);
  }

  /** @param {Uint8Array} bytes @param {number} at @param {number} end */
  #readLiterals(bytes, at, end) {
    const head = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
    const [type, format] = [head & 3, (head >> 2) & 3];
    const check = (/** @type {number} */ n, /** @type {number} */ from, /** @type {number} */ packed) => {
      if (n > this.most) refuse(`found ${n} literals in a block of at most ${this.most} bytes`);
      if (from + packed > end) refuse('the literals of a block are cut short');
    };
    if (type < 2) {
      const size = format === 1 ? (head >> 4) & 0xfff : format === 3 ? head >> 4 : (head & 0xff) >> 3;
      at += format === 1 ? 2 : format === 3 ? 3 : 1;
      check(size, at, type === 0 ? size : 1);
      if (type === 0) this.#literals.set(bytes.subarray(at, at + size));
      else this.#literals.fill(bytes[at], 0, size);
      return { at: at + (type === 0 ? size : 1), size };
    }
    // both sizes have 10, 14 or 18 bits: too many for 32-bit numbers
    const width = [10, 10, 14, 18][format];
    const sizes = Math.floor((head + bytes[at + 3] * 2 ** 24 + bytes[at + 4] * 2 ** 32) / 16);
    const size = sizes % 2 ** width;
    const packed = Math.floor(sizes / 2 ** width) % 2 ** width;
    at += (4 + 2 * width + 7) >> 3;
    check(size, at, packed);
    const stop = at + packed;
    if (type === 2) ({ codes: this.#codes, at } = readCodes(bytes, at, stop));
    const codes = this.#codes ?? refuse('a block takes the codes of an earlier one, and there is none');
    if (format === 0) readSymbols(codes, bytes, at, stop, this.#literals, 0, size);
    else {
      const part = (size + 3) >> 2;
      if (at + 6 > stop || 3 * part > size) refuse('the streams of a block are cut short');
      let begin = at + 6;
      for (let i = 0; i < 4; i++) {
        const next = i === 3 ? stop : begin + (bytes[at + 2 * i] | (bytes[at + 2 * i + 1] << 8));
        if (next > stop) refuse('the streams of a block are cut short');
        readSymbols(codes, bytes, begin, next, this.#literals, i * part, i === 3 ? size : (i + 1) * part);
        begin = next;
      }
    }
    return { at: stop, size };
  }

  /** Reads the sequences, and copies as they say. @param {Uint8Array} bytes @param {number} at @param {number} end
   * @param {number} size  of the literals */
  #copy(bytes, at, end, size) {
    if (at >= end) refuse('the sequences of a block are cut short');
    const { content, most } = this;
    const first = bytes[at++];
    let count = first;
    if (first === 255) count = (bytes[at++] | (bytes[at++] << 8)) + 0x7f00;
    else if (first > 127) count = ((first - 128) << 8) | bytes[at++];
    if (count === 0) {
      if (at !== end) refuse('found bytes after the literals of a block without sequences');
      content.add(this.#literals, 0, size);
      return;
    }
    const modes = bytes[at++];
    if (modes & 3) refuse('found a reserved bit in the header of sequences');
    const tables = KINDS.map(({ name, bits: extra, most: log, usual }, i) => {
      const mode = (modes >> (6 - 2 * i)) & 3;
      if (mode === 0) return (this.#tables[i] = usual);
      if (mode === 1) {
        if (at >= end || bytes[at] >= extra.length) refuse(`found a wrong code of ${name}`);
        return (this.#tables[i] = constantTable(bytes[at++]));
      }
      if (mode === 2) ({ table: this.#tables[i], at } = readTable(bytes, at, end, log, extra.length));
      return this.#tables[i] ?? refuse(`a block takes the ${name} of an earlier one, and there are none`);
    });
    const [literals, offsets, matches] = tables;
    const [literalKind, offsetKind, matchKind] = KINDS;
    const bits = new Bits(bytes, at, end);
    let [l, o, m] = tables.map(({ log }) => bits.read(log));
    let used = 0; // literals
    let room = most;
    for (let i = 0; i < count; i++) {
      const [lCode, oCode, mCode] = [literals.symbols[l], offsets.symbols[o], matches.symbols[m]];
      const value = offsetKind.base[oCode] + bits.readLong(offsetKind.bits[oCode]);
      const length = matchKind.base[mCode] + bits.read(matchKind.bits[mCode]);
      const copied = literalKind.base[lCode] + bits.read(literalKind.bits[lCode]);
      if (i < count - 1) {
        l = literals.next[l] + bits.read(literals.bits[l]);
        m = matches.next[m] + bits.read(matches.bits[m]);
        o = offsets.next[o] + bits.read(offsets.bits[o]);
      }
      if (bits.left < 0) refuse('the sequences of a block are cut short');
      room -= copied + length;
      if (copied > size - used) refuse('the sequences of a block take more literals than it has');
      if (room < size - used - copied) refuse(`found more than ${most} bytes in a block`);
      content.add(this.#literals, used, (used += copied));
      content.repeat(this.#offsetOf(value, copied), length);
    }
    if (bits.left !== 0) refuse('found bits after the sequences of a block');
    content.add(this.#literals, used, size);
  }

  /** The offset of a sequence: 1 to 3 are the last ones. @param {number} value @param {number} copied  literals */
  #offsetOf(value, copied) {
    const last = this.#offsets;
    if (value > 3) {
      this.#offsets = [value - 3, last[0], last[1]];
      return value - 3;
    }
    const i = value - 1 + (copied === 0 ? 1 : 0);
    const offset = i === 3 ? last[0] - 1 : last[i];
    if (i > 0) this.#offsets = [offset, last[0], i === 1 ? last[2] : last[1]];
    return offset;
  }
}
