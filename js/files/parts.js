// parts.js - files of a model that have a part for each language, packed alone: a translator unpacks only those of its
// two languages. Used by model/, convert/ and what makes such files.
//
//     "HPT1" | parts: u8 n, n bytes of a language's code, u32 size (little-endian), size bytes of gzip
//
// A name with .gz would not do: some servers say of such files that HTTP has packed them, and browsers unpack them.

import { concat } from '../base/bytes.js';
import { E_FILE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { short } from '../base/json.js';
import { MAX_PART } from '../base/limits.js';

const MAGIC = 'HPT1';
/** Bytes of a code and a size, beside the code's letters. */
const HEAD = 5;
/** A language's code. */
const CODE = /^[a-z]{2,8}$/;

/** @param {string} file @param {string} what @returns {never} */
function refuse(file, what) {
  throw new HeedError(E_FILE, `${file}: ${what}`);
}

/** @param {Uint8Array} bytes */
const ascii = (bytes) => String.fromCharCode(...bytes);

/**
 * The parts of a file, still packed.
 *
 * @param {Uint8Array} bytes
 * @param {string} file  for messages
 * @returns {Map<string, Uint8Array>}  by language. HEED_E_FILE: the file is not of this form
 */
export function readParts(bytes, file) {
  const magic = ascii(bytes.subarray(0, MAGIC.length));
  if (magic !== MAGIC) refuse(file, `found '${short(magic)}' first, expected '${MAGIC}'`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  /** @type {Map<string, Uint8Array>} */
  const parts = new Map();
  for (let at = MAGIC.length; at < bytes.length;) {
    const n = bytes[at];
    const code = ascii(bytes.subarray(at + 1, at + 1 + n));
    if (at + HEAD + n > bytes.length) refuse(file, `byte ${at}: a part is cut short`);
    if (!CODE.test(code)) refuse(file, `byte ${at}: found '${short(code)}', expected a language's code`);
    if (parts.has(code)) refuse(file, `found two parts for ${code}, expected one`);
    const size = view.getUint32(at + 1 + n, true);
    at += HEAD + n;
    if (size > bytes.length - at) {
      refuse(file, `part ${code}: found ${bytes.length - at} bytes, expected ${size}: it is cut short`);
    }
    parts.set(code, bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

/**
 * The file of some parts.
 *
 * @param {Iterable<[code: string, packed: Uint8Array]>} parts
 * @returns {Uint8Array}
 */
export function writeParts(parts) {
  const letters = (/** @type {string} */ text) => new TextEncoder().encode(text);
  return concat([letters(MAGIC), ...[...parts].flatMap(([code, packed]) => {
    if (!CODE.test(code)) throw new RangeError(`found the part '${short(code)}', expected a language's code`);
    const size = new Uint8Array(Uint32Array.of(packed.length).buffer); // little-endian like every host
    return [Uint8Array.of(code.length), letters(code), size, packed];
  })]);
}

/**
 * @param {Uint8Array} packed  a part
 * @param {string} what  for messages: its file and code
 * @returns {Promise<Uint8Array>}  HEED_E_FILE: it is damaged, or larger than MAX_PART
 */
export async function unpackPart(packed, what) {
  const stream = new Blob([/** @type {any} */ (packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  /** @type {Uint8Array[]} */
  const chunks = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause) => {
      throw new HeedError(E_FILE, `${what}: cannot be unpacked: damaged or cut short`, { cause });
    });
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > MAX_PART) {
      void reader.cancel().catch(() => {});
      refuse(what, `found more than ${MAX_PART} bytes of content`);
    }
  }
  return concat(chunks);
}

/**
 * The content of the parts of some languages.
 *
 * @param {Uint8Array} bytes
 * @param {string} file  for messages
 * @param {string[]} codes  those without a part have none
 * @returns {Promise<Uint8Array[]>}  in the order of the file. HEED_E_FILE, see readParts() and unpackPart()
 */
export async function unpackParts(bytes, file, codes) {
  const parts = readParts(bytes, file);
  const wanted = [...parts].filter(([code]) => codes.includes(code));
  return Promise.all(wanted.map(([code, packed]) => unpackPart(packed, `${file}: part ${code}`)));
}
