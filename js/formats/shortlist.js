// shortlist.js - reads a shortlist, lex.50.50.ende.s2t.bin: for each id of the source, the ids of its likely
// translations. Loaded by load.js if a model has one and is to use it.
//
//     u64 0xF11A48D5013417F5      u64 checksum of all that follows      u64 first      u64 best      u64 n      u64 m
//     n u64 offsets: the list of source id i has the ids from offsets[i] to offsets[i + 1]      m u32 target ids
//
// Little-endian, as Marian writes it (data/shortlist.h). The ids below `first` can follow in every translation. `best`
// is how long the longest list was meant to be, which nothing needs.

import { E_CONFIG, E_FILE, E_MEMORY, E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { plainName } from '../files/layout.js';
import { listFiles } from '../files/list.js';
import { unpack } from '../files/unpack.js';
import { ints } from '../wasm/core.js';

const MAGIC = 0xf11a48d5013417f5n;
/** Bytes before the offsets, and before what the checksum is of. */
const [HEAD, CHECKED] = [48, 16];

/** The name of a shortlist. */
const LIST = /^lex\..*\.bin$/;

/** @typedef {{ first: number, offsets: Int32Array, ids: Int32Array }} Shortlist */

/** Words that a function reads per call: one that is called often is compiled sooner than one with a long loop. */
const STRIDE = 4096;

/**
 * Marian's checksum: for each word, `sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2)` modulo 2^64. BigInts take a
 * second for five megabytes, so sums are halves of 32 bits, of which the low one is added in halves of 16, for the
 * carry.
 *
 * @param {Int32Array} words  halves, the low one first; one without another is left out
 * @param {number} from  even
 * @param {number} to
 * @param {Int32Array} sum  low and high half; overwritten
 */
function addWords(words, from, to, sum) {
  let [low, high] = sum;
  for (let i = from; i + 1 < to; i += 2) {
    const word = words[i], left = low << 6, right = (low >>> 2) | (high << 30);
    const first = (word & 0xffff) + 0x79b9 + (left & 0xffff) + (right & 0xffff);
    const second = (word >>> 16) + 0x9e37 + (left >>> 16) + (right >>> 16) + (first >>> 16);
    const above = words[i + 1] + ((high << 6) | (low >>> 26)) + (high >>> 2) + (second >>> 16);
    low ^= (second << 16) | (first & 0xffff);
    high ^= above;
  }
  sum[0] = low;
  sum[1] = high;
}

/**
 * The index of the first id from `from` up, below `to`, that is not below `size`; or -1.
 *
 * @param {Uint32Array} ids
 * @param {number} from
 * @param {number} to
 * @param {number} size
 */
function findOutside(ids, from, to, size) {
  for (let i = from; i < to; i++) if (ids[i] >= size) return i;
  return -1;
}

/** @param {string} file */
const warn = (file) => console.warn(`heed: ${file}: the checksum is wrong: the file may be damaged`);

/**
 * The plain twin of heed_model_read_shortlist(), which says what is wrong with a file.
 *
 * @param {Uint8Array} bytes
 * @param {string} file  for messages
 * @param {{ vocab_size: number, decoder_vocab_size: number }} config
 * @returns {Shortlist}  HEED_E_SAFETENSORS, with what was found
 */
export function readShortlist(bytes, file, { vocab_size: sources, decoder_vocab_size: targets }) {
  /** @param {string} what @param {unknown} found @param {string} expected @returns {never} */
  const refuse = (what, found, expected) => {
    throw new HeedError(E_SAFETENSORS, mismatch(`${file}: ${what}`, found, expected));
  };
  if (bytes.length < HEAD) refuse('bytes', bytes.length, `${HEAD} at least`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [magic, stated, first, , n, m] = Array.from({ length: HEAD / 8 }, (_, i) => view.getBigUint64(8 * i, true));
  if (magic !== MAGIC) refuse('first bytes', `0x${magic.toString(16)}`, `0x${MAGIC.toString(16)} of a shortlist`);
  if (first > targets) refuse('first ids', first, `${targets} at most, as config.json says`);
  // a model of Marian's has one more id than its vocabulary: padding, which begins a translation
  if (n !== BigInt(sources) && n !== BigInt(sources) + 1n) {
    refuse('lists', n - 1n, `${sources - 1} or ${sources}, one for each id of the source`);
  }
  const size = BigInt(HEAD) + 8n * n + 4n * m;
  if (size !== BigInt(bytes.length)) refuse('bytes', bytes.length, `${size}, for ${n} offsets and ${m} ids`);

  // aligned, and little-endian like every host
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Uint32Array(aligned.buffer, aligned.byteOffset + CHECKED, (bytes.length - CHECKED) / 4);
  const at = (HEAD - CHECKED) / 4;
  const offsets = new Int32Array(Number(n));
  for (let i = 0, last = 0; i < offsets.length; i++) {
    const offset = words[at + 2 * i] + 2 ** 32 * words[at + 2 * i + 1];
    const isLast = i === offsets.length - 1;
    if (i === 0 && offset !== 0) refuse('offset of list 0', offset, '0');
    if (offset < last || offset > m) refuse(`offset of list ${i}`, offset, `${last} to ${m}`);
    if (isLast && offset !== Number(m)) refuse('end of the last list', offset, `${m}`);
    offsets[i] = last = offset;
  }
  const ids = words.subarray(at + 2 * offsets.length);
  for (let i = 0; i < ids.length; i += STRIDE) {
    const bad = findOutside(ids, i, Math.min(i + STRIDE, ids.length), targets);
    if (bad >= 0) refuse(`target id ${bad}`, ids[bad], `an id below ${targets}`);
  }
  const [signed, sum] = [new Int32Array(words.buffer, words.byteOffset, words.length), new Int32Array(2)];
  for (let i = 0; i < words.length; i += STRIDE) addWords(signed, i, Math.min(i + STRIDE, words.length), sum);
  if (new BigUint64Array(sum.buffer)[0] !== stated) warn(file);
  return { first: Number(first), offsets, ids: signed.subarray(at + 2 * offsets.length) };
}

/**
 * Gives a model its shortlist. `config.shortlist` names the file; or else it is the one whose name says so, where files
 * can be listed.
 *
 * @param {import('../wasm/core.js').Core} core
 * @param {number} model
 * @param {object} from
 * @param {import('./cursor.js').Files} from.files
 * @param {Record<string, any>} from.config
 * @param {(name: string) => Promise<Uint8Array | null>} from.read
 * @param {boolean} [from.shortlist]  whether to use it. Default: if both sides share a vocabulary. With two, the words
 *   that a translation copies are not among its candidates
 * @returns {Promise<void>}  HEED_E_FILE: it is missing
 */
export async function addShortlist(core, model, { files, config, read, shortlist }) {
  if (!(shortlist ?? config.share_encoder_decoder_embeddings)) return;
  const stated = config.shortlist;
  if (stated !== undefined && (typeof stated !== 'string' || !/^lex[\w.-]*$/.test(stated))) {
    throw new HeedError(E_CONFIG, mismatch('config.json: shortlist', stated, 'the name of a file, lex.*.s2t.bin'));
  }
  const lists = async () => (await listFiles(files)).filter((name) => LIST.test(plainName(name))).sort();
  const named = stated ?? (await lists())[0];
  const packed = named && (await read(named));
  if (!packed) throw new HeedError(E_FILE, `${named ?? 'lex.*.s2t.bin'} is missing: the model has no shortlist`);
  const { io } = files;
  const isPacked = plainName(named) !== named;
  const bytes = isPacked ? await io.readAll(await unpack(io, io.byteChunks(packed), named)) : packed;
  const begin = bytes.length < HEAD ? undefined : new DataView(bytes.buffer, bytes.byteOffset, CHECKED);
  if (begin?.getBigUint64(0, true) === MAGIC) {
    const [rest, sum] = [bytes.subarray(CHECKED), ints(2)];
    const status = core.run('heed_model_read_shortlist', model, rest, rest.length, sum);
    if (status === 0) {
      if (new BigUint64Array(sum.value.buffer)[0] !== begin.getBigUint64(8, true)) warn(named);
      return;
    }
    if (status === E_MEMORY) core.check(status, named);
  }
  // it is refused: the reader here says why
  const { first, offsets, ids } = readShortlist(bytes, named, /** @type {any} */ (config));
  core.call(named, 'heed_model_set_shortlist', model, first, offsets, offsets.length, ids, ids.length);
}
