// limited.js - modules whose memory runs out early; used by the tests of memory and of `heed trim`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** @param {number} n @returns {number[]} */
const leb = (n) => (n < 128 ? [n] : [(n % 128) | 128, ...leb(Math.floor(n / 128))]);

/**
 * The module with memory that grows to so many pages and no further, as on a host that has no more.
 *
 * @param {string} name
 * @param {number} pages
 * @returns {Uint8Array}
 */
export function limited(name, pages) {
  const code = readFileSync(new URL(`../js/${name}`, import.meta.url));
  let at = 8;
  const number = () => {
    let n = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = code[at++];
      n += (byte & 127) * scale;
      if (byte < 128) return n;
    }
  };
  while (at < code.length) {
    const start = at;
    const id = code[at++];
    const size = number();
    if (id !== 5) {
      at += size;
      continue;
    }
    assert.equal(number(), 1, 'one memory');
    assert.equal(number() & 1, 1, 'that has a limit');
    const initial = number();
    number();
    const content = [1, 1, ...leb(Math.min(initial, pages)), ...leb(pages)];
    const section = Buffer.from([5, ...leb(content.length), ...content]);
    return Buffer.concat([code.subarray(0, start), section, code.subarray(at)]);
  }
  throw new Error(`${name} has no memory`);
}
