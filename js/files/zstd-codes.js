// zstd-codes.js - the codes of Zstandard, RFC 8878, 4: finite state entropy (FSE), Huffman codes, and the bits from
// which both are read. Used by zstd-block.js.

import { E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/**
 * A table of FSE: for each state its symbol, and the state that follows: `next` plus as many bits.
 *
 * @typedef {{ log: number, symbols: Uint8Array, bits: Uint8Array, next: Uint16Array }} Table
 *
 * A table of Huffman codes by their first `log` bits: the symbol, plus the number of bits times 256.
 * @typedef {{ log: number, codes: Uint16Array }} Codes
 */

/** Zeros before and after the bytes of a block, so that bits may be read beyond its ends. */
export const MARGIN = 16;
/** Bits of the longest Huffman code. */
const CODE_BITS = 11;

/** Refuses the data. @param {string} what @returns {never} */
export function refuse(what) {
  throw new HeedError(E_SAFETENSORS, what);
}

/** n zeros. @param {number} n @returns {number[]} */
export const zeros = (n) => Array(n).fill(0);

/** The number of bits of n > 0, less one. @param {number} n */
const log2 = (n) => 31 - Math.clz32(n);

/**
 * @param {ArrayLike<number>} counts  of the states of each symbol; -1: one state that reads all bits anew
 * @param {number} log
 * @returns {Table}
 */
export function buildTable(counts, log) {
  const size = 1 << log;
  const table = { log, symbols: new Uint8Array(size), bits: new Uint8Array(size), next: new Uint16Array(size) };
  const { symbols, bits, next } = table;
  const follow = new Uint16Array(counts.length);
  let end = size;
  for (let s = 0; s < counts.length; s++) {
    follow[s] = Math.abs(counts[s]);
    if (counts[s] === -1) symbols[--end] = s;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let at = 0;
  for (let s = 0; s < counts.length; s++) {
    for (let i = 0; i < counts[s]; i++) {
      symbols[at] = s;
      do at = (at + step) & (size - 1); while (at >= end);
    }
  }
  for (let state = 0; state < size; state++) {
    const n = follow[symbols[state]]++;
    bits[state] = log - log2(n);
    next[state] = (n << bits[state]) - size;
  }
  return table;
}

/** @param {number} symbol @returns {Table}  of one state */
export const constantTable = (symbol) =>
  ({ log: 0, symbols: Uint8Array.of(symbol), bits: new Uint8Array(1), next: new Uint16Array(1) });

/**
 * Reads the counts of a table, which stand at the beginning of `bytes`.
 *
 * @param {Uint8Array} bytes  with MARGIN zeros at its end
 * @param {number} at
 * @param {number} end
 * @param {number} most  bits of the table
 * @param {number} symbols  that are allowed
 * @returns {{ table: Table, at: number }}  at: of the byte after it
 */
export function readTable(bytes, at, end, most, symbols) {
  if (at >= end) refuse('a table is cut short');
  let bit = at * 8;
  const peek = (/** @type {number} */ n) => {
    const p = bit >>> 3;
    return ((bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16)) >>> (bit & 7)) & ((1 << n) - 1);
  };
  const log = peek(4) + 5;
  bit += 4;
  if (log > most) refuse(`found a table of 2^${log} states, expected at most 2^${most}`);
  const counts = [];
  for (let left = 1 << log; left > 0;) {
    // a count is from -1 to `left`; the lowest ones take one bit less
    const width = log2(left + 1) + 1;
    const short = (1 << width) - 2 - left;
    let value = peek(width - 1);
    if (value < short) bit += width - 1;
    else {
      value = peek(width);
      bit += width;
      if (value >= 1 << (width - 1)) value -= short;
    }
    counts.push(value - 1);
    left -= Math.abs(value - 1);
    for (let more = value === 1 ? 3 : 0; more === 3 && counts.length <= symbols;) {
      more = peek(2);
      bit += 2;
      counts.push(...zeros(more));
    }
    if (counts.length > symbols || bit > end * 8) {
      refuse(bit > end * 8 ? 'a table is cut short' : `found a table of more than ${symbols} symbols`);
    }
  }
  return { table: buildTable(counts, log), at: (bit + 7) >>> 3 };
}

/** Bits read from the end of a part of a block to its beginning. A 1 bit stands before the first of them. */
export class Bits {
  /**
   * @param {Uint8Array} bytes  with MARGIN more bytes before and after the part
   * @param {number} at
   * @param {number} end
   */
  constructor(bytes, at, end) {
    if (at >= end || bytes[end - 1] === 0) refuse('found no end of a stream of bits');
    this.bytes = bytes;
    /** Position of the first bit, which is read last. */
    this.begin = at * 8;
    /** Position after the next bit. It may fall below `begin` by a few reads, and the caller checks that. */
    this.bit = (end - 1) * 8 + log2(bytes[end - 1]);
  }

  /** The next n bits. @param {number} n  at most 25 */
  read(n) {
    this.bit -= n;
    const { bytes, bit } = this;
    const p = bit >> 3;
    const word = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
    return (word >>> (bit & 7)) & ((1 << n) - 1);
  }

  /** @param {number} n  at most 30 */
  readLong(n) {
    return n <= 16 ? this.read(n) : this.read(n - 16) * 65536 + this.read(16);
  }

  /** How many bits are left. */
  get left() {
    return this.bit - this.begin;
  }
}

/**
 * The weights of Huffman codes that are coded with FSE, by two states in turn.
 *
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 */
function readWeights(bytes, at, end) {
  const { table, at: begin } = readTable(bytes, at, end, 6, 256);
  const bits = new Bits(bytes, begin, end);
  const states = [bits.read(table.log), bits.read(table.log)];
  if (bits.left < 0) refuse('weights of codes are cut short');
  /** @type {number[]} */
  const weights = [];
  for (let i = 0; weights.length < 255; i ^= 1) {
    weights.push(table.symbols[states[i]]);
    states[i] = table.next[states[i]] + bits.read(table.bits[states[i]]);
    if (bits.left < 0) {
      weights.push(table.symbols[states[i ^ 1]]);
      return weights;
    }
  }
  return refuse('found more than 255 weights of codes');
}

/**
 * The Huffman codes of literals.
 *
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 * @returns {{ codes: Codes, at: number }}  at: of the byte after it
 */
export function readCodes(bytes, at, end) {
  const head = bytes[at++];
  const size = head < 128 ? head : (head - 126) >> 1;
  if (at + size > end) refuse('weights of codes are cut short');
  const weights = head < 128 ? readWeights(bytes, at, at + size)
    : Array.from({ length: head - 127 }, (_, i) => (bytes[at + (i >> 1)] >> (i & 1 ? 0 : 4)) & 15);
  // a symbol of weight w > 0 has 2^(w - 1) shares of all; the last symbol has what is left
  const sum = weights.reduce((n, weight) => n + (1 << weight >> 1), 0);
  if (sum === 0 || Math.max(...weights) > CODE_BITS) refuse('found wrong weights of codes');
  const log = log2(sum) + 1;
  const left = (1 << log) - sum;
  if (log > CODE_BITS || (left & (left - 1)) !== 0) refuse('found wrong weights of codes');
  weights.push(log2(left) + 1);
  const codes = new Uint16Array(1 << log);
  let filled = 0;
  for (let weight = 1; weight <= log; weight++) {
    for (const [symbol, own] of weights.entries()) {
      if (own === weight) codes.fill(symbol | ((log + 1 - weight) << 8), filled, (filled += 1 << (weight - 1)));
    }
  }
  return { codes: { log, codes }, at: at + size };
}

/**
 * Reads one stream of Huffman codes.
 *
 * @param {Codes} table
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 * @param {Uint8Array} out
 * @param {number} from
 * @param {number} to
 */
export function readSymbols({ log, codes }, bytes, at, end, out, from, to) {
  const bits = new Bits(bytes, at, end);
  const mask = (1 << log) - 1;
  let bit = bits.bit - log; // of the lowest bit of the next code with all its bits
  const last = bits.begin - log;
  // below the stream are other bits, which only the ends of codes can touch: those do not change the symbol
  while (from < to && bit > last) {
    // a code has at most 11 bits, so 32 have two
    const low = bit - CODE_BITS;
    const p = low >> 3;
    const word = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
    const top = CODE_BITS + (low & 7);
    const first = codes[(word >>> top) & mask];
    out[from++] = first;
    bit -= first >> 8;
    if (from === to || bit <= last) break;
    const second = codes[(word >>> (top - (first >> 8))) & mask];
    out[from++] = second;
    bit -= second >> 8;
  }
  if (from < to || bit !== last) refuse('a stream of literals has another length than its block says');
}
