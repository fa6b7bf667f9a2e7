// What the fuzz targets begin with: node tests/fuzz/seeds.js DIRECTORY writes a directory of inputs for each target,
// some made here, and those of corpus/, which were found to matter. Used by fuzz.mk.
//
// node tests/fuzz/seeds.js --pack FROM TARGET makes corpus/TARGET.gz of the files in FROM: each as its length in four
// bytes, lowest first, then its bytes.

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { floats, FLOAT32, INT8, INTGEMM8, ints, SETTINGS, writeBin } from '../hostile/marian-bin.js';
import { shortlistFile } from '../shortlist-file.js';

const golden = fileURLToPath(new URL('../golden/text/', import.meta.url));
const packed = (/** @type {string} */ target) => fileURLToPath(new URL(`corpus/${target}.gz`, import.meta.url));

const [out, from, target] = process.argv.slice(2);
if (!out || (out === '--pack' && !target)) {
  console.error('usage: node tests/fuzz/seeds.js DIRECTORY\n       node tests/fuzz/seeds.js --pack FROM TARGET');
  process.exit(2);
}

if (out === '--pack') {
  const parts = readdirSync(from).sort().flatMap((name) => {
    const bytes = readFileSync(join(from, name));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  writeFileSync(packed(target), gzipSync(Buffer.concat(parts), { level: 9 }));
  process.exit(0);
}

/** The inputs of corpus/TARGET.gz. @param {string} name */
function unpack(name) {
  const inputs = [];
  const bytes = existsSync(packed(name)) ? gunzipSync(readFileSync(packed(name))) : Buffer.alloc(0);
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32LE(at);
    inputs.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return inputs;
}

/** @param {string} name @param {Uint8Array[]} seeds */
function write(name, seeds) {
  mkdirSync(join(out, name), { recursive: true });
  [...seeds, ...unpack(name)].forEach((bytes, i) => writeFileSync(join(out, name, `seed-${i}`), bytes));
}

const spm = readdirSync(golden).filter((name) => name.endsWith('.spm')).map((name) => readFileSync(join(golden, name)));

const texts = [
  '',
  ' ',
  'Hello world',
  '  two   spaces  ',
  'ab>>fra<<</s>ab',
  'na\u00efve caf\u00e9 e\u0301\u0323',
  '\ufb01\u3000\uff21\ufdfa',
  '\u65e5\u672c\u8a9e \u092e\u093f \u0627\u0644',
  '\u{1f469}\u200d\u{1f467}',
  '\u2581\u2581a',
  'a'.repeat(300),
  '\u0301'.repeat(100),
  '1,234.5\n\t\u00a0',
].map((text) => Buffer.from(text));
const broken = [[0xff], [0xc3], [0xe2, 0x96], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0, 0, 0x61], [0xc0, 0x80]];

/** Every text for one tokenizer after another. */
const forTokenizers = (/** @type {Uint8Array[]} */ list) =>
  list.flatMap((bytes, i) => [i, i + 5, i + 11].map((t) => Buffer.concat([Buffer.of(t % 16), bytes])));

/** Bytes that are the same on every run, `n` of them. */
function random(/** @type {number} */ seed, /** @type {number} */ n) {
  const bytes = new Uint8Array(n);
  for (let i = 0, x = seed + 1; i < n; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    bytes[i] = x >>> 24;
  }
  return bytes;
}
const noise = Array.from({ length: 40 }, (_, i) => random(i, 8 + 12 * i));

write('spm', spm);
write('text', forTokenizers([...texts, ...broken.map((bytes) => Buffer.from(bytes))]));
write('pieces', noise);
write('decode', noise);
write('weights', noise);
write('shortlist', noise);
// a model of three ids, a target of two of them, then n-grams without their beginning: those of test_ngrams.c, and none
const ngrams = [3, 2, 1, ...[1, 1, 0, 1, 1, 2, 0, 8, 9, 10, 1, 2, 3], ...[1, 0, 1, 0, 0, 11, 12, 4, 5], 0, 1, 0, 13, 6];
const given = [[0, 5, 2, 0, 1, 1, 0], [0, 4, 3, 0, 1, 2]];
write('ngrams', [...given.map((start) => Buffer.of(...start, ...ngrams)), Buffer.alloc(9), ...noise]);

/** A .bin of two layers, as far as readers look. @param {boolean} isInt8 @param {boolean} isJoint */
function bin(isInt8, isJoint) {
  const item = (/** @type {string} */ name, /** @type {number[]} */ shape, isMatrix = false) => {
    const numbers = Array.from({ length: shape[0] * shape[1] }, (_, i) => (i % 7) - 3);
    return isMatrix && isInt8 ? { name, shape, type: INTGEMM8, data: ints(numbers, 50) }
      : { name, shape, type: FLOAT32, data: floats(numbers) };
  };
  const yml = Buffer.from(`${SETTINGS}\0`);
  return writeBin([
    ...(isJoint ? ['Wemb'] : ['encoder_Wemb', 'decoder_Wemb']).map((name) => item(name, [3, 4], true)),
    item('decoder_ff_logit_out_b', [1, 3]),
    ...['encoder_l1_self_Wq', 'encoder_l1_ffn_W1', 'decoder_l1_rnn_W'].map((name) => item(name, [4, 4], true)),
    ...['encoder_l1_self_bq', 'encoder_l1_ffn_ffn_ln_scale'].map((name) => item(name, [1, 4])),
    ...(isInt8 ? ['encoder_l1_ffn_W1_QuantMultA', 'none_QuantMultA'].map((name) => item(name, [1, 1])) : []),
    ...(isInt8 && isJoint ? [item('Wemb_QuantMultA', [1, 1], true)] : []),
    { name: 'special:model.yml', type: INT8, shape: [yml.length], data: yml },
  ]);
}
write('bin', [bin(true, true), bin(true, false), bin(false, true), bin(false, false)]);
const lists = [[], [5], [4, 6, 11], [], [7, 8], [9], [10], [2]];
write('lex', [shortlistFile(lists), shortlistFile(lists.slice(1)), shortlistFile([[], ...lists], { checksum: 1n })]);
write('vocabulary', ['"</s>": 0\n"<unk>": 1\n"a\\x41\\\\": 2\n', "---\n'it''s': 0\r\nb: 1\n", '"a": 0\n"a": 1\n']
  .map((text) => Buffer.from(text)));
// a model, sizes, then: begin with four beams, add three, two of them with lexicons, step, as many times as it takes
const lexicons = [...[230, 1, 1, 2, 12, 249, 2, 5, 9, 5, 100, 1, 8], ...[230, 2, 2, 1, 8, 200, 1, 3]];
const session = [3, 8, 3, 3, 0, 64, 4, 6, 0, 6, ...[1, 3, 4, 5, 6, 1, 2, 7, 8, 1, 1, 9], ...lexicons,
  ...[8, 7, 8, 7, 8, 7]];
write('translate', [...[0, 1, 2, 3, 4, 5, 6].map((model) => Buffer.of(model, ...session)), ...noise]);
