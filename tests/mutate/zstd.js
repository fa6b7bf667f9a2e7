// zstd.js - compares js/files/zstd.js with Node's own zstd, from Node 22.15, on whole and on changed files: what one
// unpacks the other unpacks to the same bytes. heed may refuse more, as zlib does not look at the end of every stream.
// Used by zstd.test.js.
//
//   node24 tests/mutate/zstd.js [--runs 3000] [--seed 1]
import { parseArgs } from 'node:util';
import * as zlib from 'node:zlib';
import { unzstd } from '../../js/files/zstd.js';
import { openSource } from '../../js/files/source.js';
import { SAMPLES } from '../golden/zstd.js';

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const [runs, start] = [Number(values.runs ?? 3000), Number(values.seed ?? 1)];
const { io } = await openSource({});
/** Bytes of content at most: enough for most samples. */
const MOST = 200_000;

let seed = start;
const below = (n) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * n);
};

const whole = Object.values(SAMPLES).flatMap(({ content }) => [1, 3, 19].flatMap((level) => [0, 1].map((checksum) => {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib.constants;
  const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: checksum };
  return zlib.zstdCompressSync(content().subarray(0, MOST), { params });
})));

/** A copy with one to three changes, half of them in the headers at its beginning. @param {Buffer} bytes */
function change(bytes) {
  let changed = Buffer.from(bytes);
  for (let left = 1 + below(3); left > 0; left--) {
    const at = below(below(2) ? Math.min(changed.length, 40) : changed.length);
    const kind = below(6);
    if (kind < 3) changed[at] ^= 1 << below(8);
    else if (kind === 3) changed[at] = below(256);
    else if (kind === 4) changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1)]);
    else changed = changed.subarray(0, at + 1);
  }
  return changed;
}

/** @param {Buffer} bytes */
async function own(bytes) {
  const chunks = unzstd(io, io.byteChunks(bytes), 'x.zst', MOST);
  const parts = [];
  for (let chunk; (chunk = await chunks.next());) parts.push(chunk.slice());
  return Buffer.concat(parts);
}

const counts = { same: 0, refused: 0, stricter: 0 };
const wrong = [];
let slowest = 0;
for (let i = 0; i < runs; i++) {
  const bytes = i < whole.length ? whole[i] : change(whole[below(whole.length)]);
  const begin = performance.now();
  const found = await own(bytes).catch((error) => error);
  slowest = Math.max(slowest, performance.now() - begin);
  let expected;
  try {
    expected = zlib.zstdDecompressSync(bytes, { maxOutputLength: MOST });
  } catch {
    // refused
  }
  if (found instanceof Error && found.status === undefined) wrong.push(`${i}: ${found.stack}`);
  else if (found instanceof Error && i < whole.length) wrong.push(`${i}: whole: ${found.message}`);
  else if (found instanceof Error) counts[expected ? 'stricter' : 'refused']++;
  else if (!expected || !found.equals(expected)) wrong.push(`${i}: ${expected ? 'other bytes' : 'zlib refuses it'}`);
  else counts.same++;
}
console.log(JSON.stringify({ runs, seed: start, ...counts, slowest: Math.round(slowest), wrong }));
