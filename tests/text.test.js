// text.test.js - the tokenizer in the wasm module against SentencePiece: ids, UTF-16 offsets and decoded text of golden
// cases, of hostile lines and of the dev corpora; and the time it takes.
//
// golden/text was written by golden/text.py from SentencePiece itself. The lines of hashes.txt are made here as in
// golden/text_lines.py, but for the set "broken": those are not strings.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { HeedError } from '../js/base/errors.js';
import { instantiate } from '../js/wasm/module.js';
import { FIXTURE_PATH } from './browser/fixture.js';
import { timeOf } from './time-of.js';

const root = new URL('../', import.meta.url);
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root));

const core = await instantiate();

/** @param {string} path */
function load(path) {
  const bytes = new Uint8Array(read(path));
  const { handle: tokenizer, pieces: { types, piece } } = core.tokenizer(path, bytes);
  const pieces = Array.from(types, (_, id) => piece(id));
  return {
    pieces,
    encode: (/** @type {string} */ text) => core.tokenizerEncode(tokenizer, text),
    decode: (/** @type {Int32Array} */ ids) => core.tokenizerDecode(tokenizer, Array.from(ids, (id) => pieces[id])),
    free: () => core.run('heed_tokenizer_free', tokenizer),
  };
}

// ------------------------------------------------------------------------- golden/text_lines.py

/** xorshift32: a function that gives the next number below n. @param {number} state */
const sequence = (state) => (/** @type {number} */ n) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
};

const POOLS = [
  [0x20, 0x7e], [0x61, 0x7a], [0x00, 0x1f], [0xa0, 0x17f], [0x300, 0x36f], [0x370, 0x5ff], [0x600, 0x6ff],
  [0x900, 0x97f], [0xe00, 0xe7f], [0x1100, 0x11ff], [0x2000, 0x206f], [0x2580, 0x259f], [0x3040, 0x30ff],
  [0x4e00, 0x9fff], [0xac00, 0xd7a3], [0xfe00, 0xfeff], [0xff00, 0xffff], [0x1f300, 0x1faff],
];
const STRINGS = [
  ' ', '  ', '\u2581', '\r\n', '\0', '\ufeff', '\ufffd', '</s>', '<unk>', '>>fra<<', '<0x41>',
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}', '\u{1f1e9}\u{1f1ea}', 'e\u0301', '\u202e', 'the ',
  'ba', 'der', 'hau', 'lich', 'qui', 'ro', 'sch', 'zen', 'ing', '\u00fcn', '<mask>', 'The house is ', 'ba ba',
  'nationally',
];

const SETS = {
  *points() {
    for (let code = 0; code < 0x10000; code++) {
      const character = String.fromCharCode(code); // a lone surrogate too: it arrives as U+FFFD
      yield character;
      yield `a${character}b ${character}`;
    }
  },
  *mixed() {
    const below = sequence(2463534242);
    for (let i = 0; i < 4096; i++) {
      let line = '';
      for (let parts = 1 + below(24); parts > 0; parts--) {
        const kind = below(2 * POOLS.length);
        if (kind < POOLS.length) {
          const [low, high] = POOLS[kind];
          line += String.fromCodePoint(low + below(high - low + 1));
        } else line += STRINGS[below(STRINGS.length)];
      }
      yield line;
    }
  },
  *letters() {
    const below = sequence(521288629);
    for (let i = 0; i < 2048; i++) {
      let line = '';
      for (let parts = 1 + below(32); parts > 0; parts--) line += 'aaabbcd '[below(8)];
      yield line;
    }
  },
  *dev() {
    const files = readdirSync(new URL('../shared/data', root)).filter((name) => name.endsWith('.dev.tsv.gz')).sort();
    for (const name of files) {
      for (const line of gunzipSync(read(`../shared/data/${name}`)).toString().split('\n')) yield* line.split('\t');
    }
  },
};

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, i) => {
  for (let bit = 0; bit < 8; bit++) i = (i >>> 1) ^ (i & 1 ? 0xedb88320 : 0);
  return i;
});

/** @param {number} crc @param {Uint8Array} bytes */
function crc32(crc, bytes) {
  crc = ~crc;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff];
  return ~crc;
}

// ------------------------------------------------------------------------------------- equality

/** @type {Record<string, { text: string, ids: number[], offsets: number[], decoded: string }[]>} */
const golden = JSON.parse(read('tests/golden/text/cases.json').toString());

for (const [name, cases] of Object.entries(golden)) {
  test(`${name}: ${cases.length} cases as SentencePiece does them`, (t) => {
    const tokenizer = load(`tests/golden/text/${name}.spm`);
    t.after(tokenizer.free);
    for (const { text, ids, offsets, decoded } of cases) {
      const got = tokenizer.encode(text);
      assert.deepEqual([...got.ids], ids, JSON.stringify(text));
      assert.deepEqual([...got.offsets], offsets, JSON.stringify(text));
      assert.equal(tokenizer.decode(got.ids), decoded, JSON.stringify(text));
    }
  });
}

const hashes = read('tests/golden/text/hashes.txt').toString().trim().split('\n').map((line) => line.split(' '));

for (const [path, set, count, crc] of hashes) {
  if (set === 'broken') continue;
  const missing = [path, ...(set === 'dev' ? ['../shared/data'] : [])].filter((p) => !existsSync(new URL(p, root)));
  const skip = missing.length > 0 && `${missing[0]} is missing`;
  test(`${path}: ${count} lines of "${set}" as SentencePiece does them`, { skip }, (t) => {
    const tokenizer = load(path);
    t.after(tokenizer.free);
    const encoder = new TextEncoder();
    const bytes = (/** @type {Int32Array} */ a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
    let [lines, got] = [0, 0];
    for (const text of SETS[/** @type {keyof typeof SETS} */ (set)]()) {
      const { ids, offsets } = tokenizer.encode(text);
      const decoded = encoder.encode(tokenizer.decode(ids));
      for (const numbers of [Int32Array.of(ids.length), ids, offsets, Int32Array.of(decoded.length)]) {
        got = crc32(got, bytes(numbers));
      }
      got = crc32(got, decoded);
      lines++;
    }
    assert.equal(lines, Number(count));
    assert.equal((got >>> 0).toString(16).padStart(8, '0'), crc);
  });
}

test('at least 10,000 hostile lines are compared', () => {
  const shipped = hashes.filter(([path, set]) => path === `${FIXTURE_PATH}/source.spm` && set !== 'dev');
  assert.ok(shipped.reduce((sum, [, , lines]) => sum + Number(lines), 0) >= 10000);
});

test('a lone surrogate is one unit of U+FFFD', (t) => {
  const tokenizer = load(`${FIXTURE_PATH}/source.spm`);
  t.after(tokenizer.free);
  const lone = tokenizer.encode('house \ud83d \ude00 house');
  const replaced = tokenizer.encode('house \ufffd \ufffd house');
  assert.deepEqual(lone.ids, replaced.ids);
  assert.deepEqual(lone.offsets, replaced.offsets);
  assert.equal(lone.offsets.at(-1), 15);
});

// ------------------------------------------------------------------------------ errors and time

test('a file that is not SentencePiece is refused with a reason, and the module still works', () => {
  assert.throws(() => load(`${FIXTURE_PATH}/config.json`), (error) =>
    error instanceof HeedError && error.status === 'HEED_E_SPM' && /cut off, or something else/.test(error.message));
  load('tests/golden/text/bpe.spm').free();
});

test('time is linear: a megabyte without a space, of one letter, of combining marks', async (t) => {
  // The limit is fifty times what it takes on one slow core, and a thousandth of what quadratic time would be.
  const LIMIT = 5000;
  const texts = {
    'one letter': 'a'.repeat(1e6),
    letters: Array.from({ length: 1e6 }, (_, i) => 'etaoinshrdlu'[(i * 7919 + i * i) % 12]).join(''),
    marks: 'e' + '\u0301'.repeat(1e5),
    spaces: ' '.repeat(1e6),
  };
  for (const path of [`${FIXTURE_PATH}/source.spm`, 'tests/golden/text/bpe.spm', 'tests/golden/text/bpe-ties.spm']) {
    const tokenizer = load(path);
    for (const [name, text] of Object.entries(texts)) {
      const time = await timeOf(() => tokenizer.encode(text));
      t.diagnostic(`${path}: ${text.length} units of ${name}: ${time.toFixed(0)} ms`);
      assert.ok(time < LIMIT, `${path}: ${name}: ${time} ms`);
    }
    tokenizer.free();
  }
});
