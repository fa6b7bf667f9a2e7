// Files in zstd: the content is what was packed, in chunks of any size; damaged files, bombs and other files are
// refused with their name; and Node's own zstd agrees on changed files.
import test from 'node:test';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { openSource } from '../js/files/source.js';
import { unzstd } from '../js/files/zstd.js';
import { otherNode } from './browser/hosts.js';
import { SAMPLES, packed } from './golden/zstd.js';
import { timeOf } from './time-of.js';

const { io } = await openSource({});

/** @param {Uint8Array} bytes @param {number} size  of a chunk */
function chunksOf(bytes, size) {
  let at = 0;
  return {
    isClosed: false,
    async next() {
      if (at >= bytes.length) return null;
      at += size;
      return bytes.subarray(at - size, at);
    },
    async close() {
      this.isClosed = true;
    },
  };
}

/** @param {Uint8Array} bytes @param {{ size?: number, most?: number }} [options] */
async function contentOf(bytes, { size = Infinity, most = 1e6 } = {}) {
  const chunks = chunksOf(bytes, size);
  const content = unzstd(io, chunks, 'the file', most);
  const parts = [];
  try {
    for (let chunk; (chunk = await content.next());) parts.push(chunk.slice());
    assert.equal(await content.next(), null, 'the end comes again');
  } finally {
    await content.close();
  }
  assert.ok(chunks.isClosed);
  return Buffer.concat(parts);
}

/** @param {Promise<unknown>} promise @param {RegExp} message */
const refuses = (promise, message) => assert.rejects(promise, (error) => {
  assert.equal(error.code, 13, error.stack); // HEED_E_SAFETENSORS
  assert.match(error.message, /^the file: /);
  assert.match(error.message, message);
  return true;
});

for (const [name, { content }] of Object.entries(SAMPLES)) {
  test(`the sample ${name}`, async () => {
    const expected = content();
    for (const size of [Infinity, 1000, 7, 1]) {
      const found = await contentOf(packed(name), { size });
      assert.ok(found.equals(expected), `${found.length} bytes, in chunks of ${size}`);
    }
  });
}

test('frames follow each other, with frames to skip between them', async () => {
  const skipped = Buffer.concat([Buffer.of(0x57, 0x2a, 0x4d, 0x18, 5, 0, 0, 0), Buffer.from('hello')]);
  const [words, short] = [packed('words'), packed('short')];
  const found = await contentOf(Buffer.concat([skipped, words, short, skipped, words]));
  const [text, line] = [SAMPLES.words.content(), SAMPLES.short.content()];
  assert.ok(found.equals(Buffer.concat([text, line, text])));
  await refuses(contentOf(Buffer.concat([words, skipped.subarray(0, 10)])), /is cut short/);
  await refuses(contentOf(Buffer.concat([words, Buffer.from('more')])), /something else than a frame/);
});

test('every beginning of a file is refused', async () => {
  for (const name of ['words', 'bell', 'zeros', 'short']) {
    const bytes = packed(name);
    const ends = Array.from({ length: Math.min(bytes.length, 400) }, (_, i) => i);
    for (const end of [...ends, bytes.length - 5, bytes.length - 1]) {
      await refuses(contentOf(bytes.subarray(0, end)), /cut short|no frame/);
    }
  }
});

test('with a checksum, no changed bit gives other content', async () => {
  const expected = SAMPLES.words.content();
  const bytes = packed('words');
  let refused = 0;
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1 << (at % 8);
    const found = await contentOf(changed).catch((error) => {
      assert.equal(error.code, 13, error.stack);
      refused++;
    });
    assert.ok(!found || found.equals(expected), `byte ${at}`);
  }
  assert.ok(refused > bytes.length * 0.95, `${refused} of ${bytes.length}`);
});

test('what asks for too much is refused before it is done', async () => {
  // the header says how much: nothing is unpacked; without, no more than the limit
  await refuses(contentOf(packed('zeros'), { most: 399_999 }), /found more than 399999 bytes of content/);
  await refuses(contentOf(packed('far-piped'), { most: 200_000 }), /found more than 200000 bytes of content/);
  assert.equal((await contentOf(packed('far-piped'), { most: 400_000 })).length, 400_000);
  // 32511 sequences of 65539 bytes and as many literals, in nine bytes
  const block = [0, 255, 0xff, 0, 0b01010100, 35, 0, 52, 1];
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x50, 1 | (2 << 1) | (block.length << 3), 0, 0, ...block];
  const refused = () => refuses(contentOf(Uint8Array.from(frame)), /more literals than it has|cut short/);
  assert.ok(await timeOf(refused) < 1000);
  // windows of 128 MB and of 2^41 bytes
  const windowed = (/** @type {number} */ size) =>
    contentOf(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, size, 1 | (1 << 3), 0, 0, 65));
  assert.equal(String(await windowed(17 << 3)), 'A');
  await refuses(windowed(0xf8), /found a window of 2199023255552 bytes, expected at most 134217728/);
});

test('each refusal names what is wrong', async () => {
  const start = [0x28, 0xb5, 0x2f, 0xfd];
  for (const [bytes, message] of /** @type {[number[], RegExp][]} */ ([
    [[], /found no frame of Zstandard/],
    [[0x1f, 0x8b, 8, 0, 0], /found no frame of Zstandard/],
    [[...start, 0x21, 1, 1, 0, 0], /needs a dictionary/],
    [[...start, 0x28, 1], /reserved bit/],
    [[...start, 0x20, 1, 7, 0, 0], /a block of a reserved type/],
    [[...start, 0x20, 1, 1 | (2 << 3), 0, 0, 65, 65], /found a block of 2 bytes, expected at most 1/],
    [[...start, 0x20, 2, 1 | (1 << 3), 0, 0, 65], /found 1 bytes of content, expected 2/],
  ])) await refuses(contentOf(Uint8Array.from(bytes)), message);
});

test('errors of the file itself stay, and a wrong hash is the better message', async () => {
  const bytes = packed('words');
  const broken = Object.assign(new Error('the connection broke'), { code: 10 });
  let isFirst = true;
  const failing = {
    next: async () => {
      if (!isFirst) throw broken;
      isFirst = false;
      return bytes.subarray(0, 100);
    },
    close: async () => {},
  };
  const content = unzstd(io, failing, 'the file', 1e6);
  await assert.rejects(async () => { while (await content.next()); }, (error) => error === broken);

  const hash = new Error('sha256: found another');
  const damaged = { ...chunksOf(bytes.subarray(0, 200), 50), verify: async () => { throw hash; } };
  const other = unzstd(io, damaged, 'the file', 1e6);
  await assert.rejects(async () => { while (await other.next()); }, (error) => error === hash);
});

/**
 * A frame of one block, with a window of 1 KiB. Its literals are the letter A; every sequence has the same codes.
 *
 * @param {number} literals @param {number} sequences @param {number[]} codes  of literal length, offset, match length
 * @param {number[]} bits
 */
function sequencesOf(literals, sequences, codes, bits) {
  const block = [1 | (literals << 3), 65, sequences, 0b01010100, ...codes, ...bits];
  return Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1 | (2 << 1) | (block.length << 3), 0, 0, ...block]);
}

test('sequences stay inside their literals, their block and the content', async () => {
  // one literal, then three bytes from one byte before
  assert.equal(String(await contentOf(sequencesOf(2, 2, [1, 0, 0], [1]))), 'AAAAAAAA');
  assert.equal(String(await contentOf(sequencesOf(3, 2, [1, 0, 0], [1]))), 'AAAAAAAAA', 'the other literals follow');
  assert.equal((await contentOf(sequencesOf(7, 7, [1, 0, 43], [...Array(6).fill(0), 2]))).length, 7 * 132);
  for (const [bytes, message] of /** @type {const} */ ([
    [sequencesOf(1, 2, [1, 0, 0], [1]), /take more literals than it has/],
    [sequencesOf(8, 8, [1, 0, 43], [...Array(7).fill(0), 1]), /found more than 1024 bytes in a block/],
    [sequencesOf(2, 2, [1, 0, 0], [2]), /found bits after the sequences/],
    [sequencesOf(1, 1, [1, 0, 43], [1]), /the sequences of a block are cut short/],
    [sequencesOf(1, 1, [1, 0, 0], [0]), /no end of a stream of bits/],
    [sequencesOf(1, 1, [1, 3, 0], [8]), /found a copy from 5 bytes before, expected 1 to 1/],
    [sequencesOf(1, 1, [0, 0, 0], [1]), /found a copy from 4 bytes before, expected 1 to 0/],
    [sequencesOf(1, 1, [36, 0, 0], [1]), /found a wrong code of literal lengths/],
    [sequencesOf(1, 1, [0, 31, 0], [1]), /found a wrong code of offsets/],
    [sequencesOf(1, 1, [0, 0, 53], [1]), /found a wrong code of match lengths/],
  ])) await refuses(contentOf(bytes), message);
});

test('the last three offsets change places', async () => {
  // the first ten letters, then six times three bytes from one of the last offsets, with a dash before them or without;
  // a bit of the pattern chooses the offset; what comes out is what the program zstd makes of the same bytes
  for (const [dashes, pattern, expected] of /** @type {const} */ ([
    [1, 0b001011, 'ABCDEFGHIJ-HIJ-----HIJ------------'], [1, 0b110100, 'ABCDEFGHIJ-DEF-DEF-DEF-----DEF----'],
    [0, 0b001001, 'ABCDEFGHIJCDEJCDJCDDEJDDEDDE'], [0, 0b011000, 'ABCDEFGHIJCDEGHICDEDEGICDDEG'],
  ])) {
    const block = [...(dashes ? [1 | (6 << 3), 45] : [0]), 6, 0b01010100, dashes, 1, 0, 64 | pattern];
    const first = [10 << 3, 0, 0, ...Buffer.from('ABCDEFGHIJ')];
    const file = [0x28, 0xb5, 0x2f, 0xfd, 0, 0, ...first, 1 | (2 << 1) | (block.length << 3), 0, 0, ...block];
    assert.equal(String(await contentOf(Uint8Array.from(file))), expected);
  }
});

test("it agrees with Node's own on changed files", async (t) => {
  const node = await otherNode(t, 'node24');
  if (!node) return;
  const script = fileURLToPath(new URL('mutate/zstd.js', import.meta.url));
  const { wrong, ...counts } = JSON.parse(await node([script, '--runs', '2000']));
  t.diagnostic(JSON.stringify(counts));
  assert.deepEqual(wrong, []);
  assert.ok(counts.same > 50 && counts.refused > 1000 && counts.stricter < 100, JSON.stringify(counts));
});
