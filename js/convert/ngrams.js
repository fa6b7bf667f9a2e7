// ngrams.js - reads and writes the n-grams of a language, and takes along those that a smaller vocabulary can spell.
// Used by trim.js and by what makes ngrams.bin.
//
// src/heed.h says of what form the bytes are, at heed_model_set_ngrams().

import { E_FILE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';

const MAGIC = 'NGR1';
/** N-grams have 2 to 4 ids. */
export const LEVELS = 3;

/**
 * N-grams of one length, by context and id. A context of the first level is an id, or the size of the vocabulary for
 * the start of a target; others are n-grams of the level below.
 *
 * @typedef {object} Level
 * @property {Int32Array} context
 * @property {Int32Array} id  the last one
 * @property {Int32Array} shorter  on the level below: the n-gram without its first id; nothing on the first level
 * @property {Int8Array} gains  in quarters
 * @property {Uint8Array} backoffs  of each context: in quarters; 0 without n-grams
 */

/**
 * Where the n-grams of each context begin, and after the last one the end.
 *
 * @param {Int32Array} context  of each n-gram
 * @param {number} n  contexts
 */
function startsOf(context, n) {
  const starts = new Int32Array(n + 1);
  for (const each of context) starts[each + 1]++;
  for (let i = 0; i < n; i++) starts[i + 1] += starts[i];
  return starts;
}

/**
 * @param {number} size  of the vocabulary
 * @param {Level[]} levels
 * @returns {Uint8Array}
 */
export function writeNgrams(size, levels) {
  /** @type {number[]} */
  const out = [...new TextEncoder().encode(MAGIC)];
  const push = (/** @type {number} */ number) => {
    for (; number > 127; number >>>= 7) out.push((number & 127) | 128);
    out.push(number);
  };
  push(size);
  for (const { id } of levels) push(id.length);
  let below = new Int32Array(0);
  levels.forEach(({ context, id, shorter, gains, backoffs }, level) => {
    const starts = startsOf(context, backoffs.length);
    for (let i = 0; i < backoffs.length; i++) push(starts[i + 1] - starts[i]);
    id.forEach((each, i) => {
      const isFirst = i === starts[context[i]];
      if (level === 0) push(each - (isFirst ? 0 : id[i - 1] + 1));
      // the first that follows the context without its first id: a context is the level below's n-gram
      else push(shorter[i] - (isFirst ? below[levels[level - 1].context[shorter[i]]] : shorter[i - 1] + 1));
    });
    for (const gain of gains) out.push(gain & 255);
    backoffs.forEach((each, i) => {
      if (starts[i] < starts[i + 1]) out.push(each);
    });
    below = starts;
  });
  return Uint8Array.from(out);
}

/**
 * @param {Uint8Array} bytes
 * @param {string} what  for messages
 * @returns {{ size: number, levels: Level[] }}  HEED_E_FILE: the bytes are not of this form
 */
export function readNgrams(bytes, what) {
  const damaged = () => new HeedError(E_FILE, `${what}: found other bytes, expected n-grams`);
  if (String.fromCharCode(...bytes.subarray(0, MAGIC.length)) !== MAGIC) throw damaged();
  let at = MAGIC.length;
  const take = () => {
    if (at >= bytes.length) throw damaged();
    return bytes[at++];
  };
  const varint = () => {
    let [number, bits, byte] = [0, 1, 0];
    do {
      byte = take();
      number += (byte & 127) * bits;
      bits *= 128;
    } while (byte > 127 && bits < 2 ** 42);
    return number;
  };
  const size = varint();
  const counts = Array.from({ length: LEVELS }, varint);
  // each n-gram takes more than a byte
  if (size > 65535 || counts.some((n) => n > bytes.length)) throw damaged();
  /** @type {Level[]} */
  const levels = [];
  let below = new Int32Array(0);
  counts.forEach((n, level) => {
    const lower = levels[level - 1];
    const contexts = level === 0 ? size + 1 : lower.id.length;
    const [context, id, shorter] = [new Int32Array(n), new Int32Array(n), new Int32Array(level === 0 ? 0 : n)];
    let end = 0;
    for (let i = 0; i < contexts; i++) {
      const more = varint();
      if (more > n - end) throw damaged();
      context.fill(i, end, end += more);
    }
    if (end < n) throw damaged();
    const starts = startsOf(context, contexts);
    let [next, last] = [0, 0];
    for (let i = 0; i < n; i++) {
      if (i === starts[context[i]]) {
        // a context of two ids is an n-gram, whose last id is the context without the first
        const of = level === 1 ? lower.id[context[i]] : level > 1 ? lower.shorter[context[i]] : 0;
        [next, last] = level === 0 ? [0, size] : [below[of], below[of + 1]];
      }
      next += varint();
      if (next >= last) throw damaged();
      if (level > 0) shorter[i] = next;
      id[i] = level === 0 ? next : lower.id[next];
      next++;
    }
    const gains = Int8Array.from({ length: n }, take);
    const backoffs = Uint8Array.from({ length: contexts }, (_, i) => (starts[i] < starts[i + 1] ? take() : 0));
    levels.push({ context, id, shorter, gains, backoffs });
    below = starts;
  });
  if (at < bytes.length) throw damaged();
  return { size, levels };
}

/**
 * The n-grams of which a smaller vocabulary has all ids.
 *
 * @param {Uint8Array} bytes
 * @param {number} from  how many ids the model has
 * @param {Map<number, number>} map  new ids by old ones
 * @param {string} what  for messages
 * @returns {Uint8Array}  HEED_E_FILE: the bytes are malformed, or of another vocabulary
 */
export function trimNgrams(bytes, from, map, what) {
  const { size, levels } = readNgrams(bytes, what);
  if (size !== from) throw new HeedError(E_FILE, mismatch(what, `n-grams of ${size} ids`, `n-grams of ${from} ids`));
  /** Of contexts and n-grams of the level below: their new numbers, -1 if they are gone. @type {Int32Array} */
  let numbers = Int32Array.from({ length: size + 1 }, (_, id) => (id === size ? map.size : map.get(id) ?? -1));
  let contexts = map.size + 1;
  return writeNgrams(map.size, levels.map(({ context, id, shorter, gains, backoffs }, level) => {
    const ids = Int32Array.from(id, (each) => map.get(each) ?? -1);
    const stays = Int32Array.from(id.keys()).filter((i) => numbers[context[i]] >= 0 && ids[i] >= 0
      && (level === 0 || numbers[shorter[i]] >= 0))
      .sort((a, b) => numbers[context[a]] - numbers[context[b]] || ids[a] - ids[b]);
    const next = new Int32Array(id.length).fill(-1);
    stays.forEach((i, at) => { next[i] = at; });
    const left = new Uint8Array(contexts);
    backoffs.forEach((each, i) => { if (numbers[i] >= 0) left[numbers[i]] = each; });
    const made = {
      context: stays.map((i) => numbers[context[i]]),
      id: stays.map((i) => ids[i]),
      shorter: level === 0 ? new Int32Array(0) : stays.map((i) => numbers[shorter[i]]),
      gains: Int8Array.from(stays, (i) => gains[i]),
      backoffs: left,
    };
    [numbers, contexts] = [next, stays.length];
    return made;
  }));
}
