// zstd.js - files of Zstandard as its own program packs them, in golden/zstd/, and their content, computed here, not
// stored. Used by zstd.test.js.
//
//   node tests/golden/zstd.js --write    packs them again; needs the program zstd
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('zstd/', import.meta.url);

/** Numbers from 0 to n - 1, the same in every run. @param {number} seed */
function numbers(seed) {
  return (/** @type {number} */ n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
}

/** Words of which few are frequent. @param {number} size @param {number} [count]  different words */
function words(size, count = 300) {
  const next = numbers(17);
  const all = Array.from({ length: count }, () =>
    Array.from({ length: 2 + next(8) }, () => 'etaoinshrdlu'[next(12)]).join(''));
  let text = '';
  while (text.length < size) text += `${all[Math.min(next(count), next(count), next(count))]} `;
  return Buffer.from(text.slice(0, size));
}

/** Bytes around a mean, as in int8 matrices: nothing repeats. @param {number} size */
function bell(size) {
  const next = numbers(4);
  const draw = () => Array.from({ length: 6 }, () => next(12)).reduce((a, b) => a + b);
  return Buffer.from(Array.from({ length: size }, draw));
}

/** @param {number} size */
function noise(size) {
  const next = numbers(9);
  return Buffer.from(Array.from({ length: size }, () => next(256)));
}

/** A text that takes up what stood far before. @param {number} size */
function far(size) {
  const [part, next] = [words(20_000), numbers(3)];
  const parts = Array.from({ length: Math.ceil(size / 20_000) }, (_, i) => {
    const copy = Buffer.from(part);
    copy[next(copy.length)] = i;
    return copy;
  });
  return Buffer.concat(parts).subarray(0, size);
}

/** Rows of a table: what repeats stands at few distances, in turn. @param {number} size */
function rows(size) {
  const next = numbers(5);
  const kinds = Array.from({ length: 4 }, (_, i) => `${i} row of ${'-'.repeat(3 * i)} numbers: `);
  let text = '';
  while (text.length < size) text += `${kinds[next(4)]}${next(9)}${kinds[next(4)].slice(2, 9)}${next(9)};`;
  return Buffer.from(text.slice(0, size));
}

/**
 * By name: the content, and the options of the program. isPiped: the program does not know the size beforehand.
 *
 * @type {Record<string, { content: () => Buffer, options: string[], isPiped?: boolean }>}
 */
export const SAMPLES = {
  empty: { content: () => Buffer.alloc(0), options: [] },
  short: { content: () => Buffer.from('Das Haus ist klein.\n'), options: [] },
  words: { content: () => words(6000), options: ['-19'] },
  'words-fast': { content: () => words(6000), options: ['-1', '--no-check'] },
  rows: { content: () => rows(30_000), options: ['-19'] },
  'few-words': { content: () => words(150_000, 9), options: ['-19'] },
  bell: { content: () => bell(9000), options: ['-3'] },
  noise: { content: () => noise(1500), options: ['-3'] },
  zeros: { content: () => Buffer.alloc(400_000), options: ['-3'] },
  far: { content: () => far(400_000), options: ['-19'] },
  'far-piped': { content: () => far(400_000), options: ['-9'], isPiped: true },
  'small-window': { content: () => far(300_000), options: ['--zstd=wlog=15,clog=15,hlog=15'], isPiped: true },
};

/** Any bytes as a file of Zstandard, as they are, in blocks. @param {Uint8Array} bytes */
export function stored(bytes) {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 5);
  const blocks = Array.from({ length: Math.ceil(bytes.length / 100_000) || 1 }, (_, i) => {
    const block = bytes.subarray(i * 100_000, (i + 1) * 100_000);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(block.length * 8 + ((i + 1) * 100_000 >= bytes.length ? 1 : 0));
    return [size.subarray(0, 3), block];
  });
  return Buffer.concat([head, ...blocks.flat()]);
}

/** The packed bytes of a sample. @param {string} name */
export const packed = (name) => readFileSync(new URL(`${name}.zst`, folder));

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === '--write') {
  for (const [name, { content, options, isPiped }] of Object.entries(SAMPLES)) {
    const input = content();
    const size = isPiped ? [] : [`--stream-size=${input.length}`];
    writeFileSync(new URL(`${name}.zst`, folder), execFileSync('zstd', ['-q', ...options, ...size, '-c'], { input }));
  }
}
