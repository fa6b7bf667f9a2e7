// xxh64.js - the 64-bit xxHash with seed 0, of which Zstandard stores the low half as a checksum. Used by zstd.js.
//
// A 64-bit number is two of 32 bits, because BigInt takes ten times as long.

/** @typedef {[high: number, low: number]} Wide  unsigned or signed: only the bits count */

/** @type {Wide[]} */
const [P1, P2, P3, P4, P5] = [
  [0x9e3779b1, 0x85ebca87], [0xc2b2ae3d, 0x27d4eb4f], [0x165667b1, 0x9e3779f9], [0x85ebca77, 0xc2b2ae63],
  [0x27d4eb2f, 0x165667c5],
];

/** The high 32 bits of a product of two unsigned numbers. @param {number} a @param {number} b */
function highOf(a, b) {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (other >>> 16);
}

/** @param {Wide} a @param {Wide} b @returns {Wide} */
const times = ([aHigh, aLow], [bHigh, bLow]) =>
  [(highOf(aLow, bLow) + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) | 0, Math.imul(aLow, bLow)];

/** @param {Wide} a @param {Wide} b @returns {Wide} */
function plus([aHigh, aLow], [bHigh, bLow]) {
  const low = (aLow >>> 0) + (bLow >>> 0);
  return [(aHigh + bHigh + (low > 0xffffffff ? 1 : 0)) | 0, low | 0];
}

/** @param {Wide} a @param {Wide} b @returns {Wide} */
const xor = ([aHigh, aLow], [bHigh, bLow]) => [aHigh ^ bHigh, aLow ^ bLow];

/** Rotates to the left. @param {Wide} a @param {number} n  1 to 31 @returns {Wide} */
const rotate = ([high, low], n) => [(high << n) | (low >>> (32 - n)), (low << n) | (high >>> (32 - n))];

/** Shifts to the right. @param {Wide} a @param {number} n  1 to 63 @returns {Wide} */
const shift = ([high, low], n) => (n < 32 ? [high >>> n, (low >>> n) | (high << (32 - n))] : [0, high >>> (n - 32)]);

/** @param {Wide} lane @param {Wide} word */
const round = (lane, word) => times(rotate(plus(lane, times(word, P2)), 31), P1);

/** Bytes that the lanes take together. */
const STRIPE = 32;

/** A hash of bytes that arrive in parts. */
export class Xxh64 {
  /** The four lanes: the high half of each, then the low half. */
  #lanes = new Int32Array(8);
  #rest = new Uint8Array(STRIPE);
  #size = 0;

  constructor() {
    const lanes = [plus(P1, P2), P2, [0, 0], times(P1, [-1, -1])];
    for (const [i, [high, low]] of lanes.entries()) [this.#lanes[i], this.#lanes[4 + i]] = [high, low];
  }

  /**
   * Adds whole stripes. It computes round() of numbers, because arrays would take most of the time.
   *
   * @param {Uint8Array} bytes
   * @param {number} at
   * @param {number} end
   */
  #add(bytes, at, end) {
    const lanes = this.#lanes;
    const [[p1High, p1Low], [p2High, p2Low]] = [P1, P2];
    for (; at < end; at += STRIPE) {
      for (let i = 0; i < 4; i++) {
        const p = at + 8 * i;
        const low = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
        const high = bytes[p + 4] | (bytes[p + 5] << 8) | (bytes[p + 6] << 16) | (bytes[p + 7] << 24);
        const sum = (lanes[4 + i] >>> 0) + (Math.imul(low, p2Low) >>> 0);
        const sumLow = sum | 0;
        const sumHigh = (lanes[i] + highOf(low, p2Low) + Math.imul(low, p2High) + Math.imul(high, p2Low)
          + (sum > 0xffffffff ? 1 : 0)) | 0;
        const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
        const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
        lanes[i] = highOf(turnedLow, p1Low) + Math.imul(turnedLow, p1High) + Math.imul(turnedHigh, p1Low);
        lanes[4 + i] = Math.imul(turnedLow, p1Low);
      }
    }
  }

  /** @param {Uint8Array} bytes */
  update(bytes) {
    let at = 0;
    const held = this.#size % STRIPE;
    this.#size += bytes.length;
    if (held > 0) {
      at = Math.min(STRIPE - held, bytes.length);
      this.#rest.set(bytes.subarray(0, at), held);
      if (held + at < STRIPE) return;
      this.#add(this.#rest, 0, STRIPE);
    }
    const end = at + Math.floor((bytes.length - at) / STRIPE) * STRIPE;
    this.#add(bytes, at, end);
    this.#rest.set(bytes.subarray(end));
  }

  /** The low 32 bits of the hash of all bytes so far, unsigned. */
  low() {
    const lanes = Array.from({ length: 4 }, (_, i) => /** @type {Wide} */ ([this.#lanes[i], this.#lanes[4 + i]]));
    /** @type {Wide} */
    let hash = P5;
    if (this.#size >= STRIPE) {
      hash = [1, 7, 12, 18].map((n, i) => rotate(lanes[i], n)).reduce(plus);
      for (const lane of lanes) hash = plus(times(xor(hash, round([0, 0], lane)), P1), P4);
    }
    hash = plus(hash, [Math.floor(this.#size / 2 ** 32), this.#size | 0]);
    const rest = new DataView(this.#rest.buffer, 0, this.#size % STRIPE);
    let at = 0;
    for (; at + 8 <= rest.byteLength; at += 8) {
      const word = round([0, 0], [rest.getInt32(at + 4, true), rest.getInt32(at, true)]);
      hash = plus(times(rotate(xor(hash, word), 27), P1), P4);
    }
    if (at + 4 <= rest.byteLength) {
      hash = plus(times(rotate(xor(hash, times([0, rest.getInt32(at, true)], P1)), 23), P2), P3);
      at += 4;
    }
    for (; at < rest.byteLength; at++) hash = times(rotate(xor(hash, times([0, rest.getUint8(at)], P5)), 11), P1);
    hash = times(xor(hash, shift(hash, 33)), P2);
    hash = times(xor(hash, shift(hash, 29)), P3);
    return xor(hash, shift(hash, 32))[1] >>> 0;
  }
}
