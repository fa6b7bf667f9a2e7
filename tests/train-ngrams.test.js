// The n-grams of a model: which ones of its texts are kept and what they gain, by a plain count; read, written, and
// taken to a smaller vocabulary.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readNgrams, trimNgrams, writeNgrams } from '../js/convert/ngrams.js';
import { trim } from '../js/convert/trim.js';
import { readParts, unpackPart } from '../js/files/parts.js';
import { Transformer, Translator } from '../js/index.js';
import { addNgram, ngramsFile } from './ngrams-file.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SHIPPED = join(ROOT, 'models/de-en-es-fr');
const folder = mkdtempSync(join(tmpdir(), 'heed-train-ngrams-'));
const model = await Transformer.load(SHIPPED);
test.after(() => {
  model.dispose();
  rmSync(folder, { recursive: true });
});

/** Numbers below n that look random. */
let seed = 1;
const pick = (/** @type {number} */ n) => {
  seed = (seed * 48271) % 2147483647;
  return seed % n;
};

/** Random n-grams of a vocabulary. @param {number} size @param {number} n */
function randomNgrams(size, n) {
  const ngrams = { size, gains: new Map(), kept: new Map() };
  for (let i = 0; i < n; i++) {
    const ids = Array.from({ length: 2 + pick(3) }, () => pick(size));
    if (pick(3) === 0) ids[0] = size;
    addNgram(ngrams, ids, () => pick(256) - 128);
  }
  for (const key of ngrams.gains.keys()) ngrams.kept.set(key.slice(0, key.lastIndexOf(',')), pick(256));
  return ngrams;
}

/** By ids, such as "428,7,2": the gains in quarters. @param {Uint8Array} bytes */
function gainsOf(bytes) {
  const { size, levels } = readNgrams(bytes, 'test');
  /** @type {string[]} */
  let contexts = Array.from({ length: size + 1 }, (_, id) => String(id));
  /** @type {Map<string, number>} */
  const gains = new Map();
  for (const { context, id, gains: own } of levels) {
    const keys = Array.from(id, (each, i) => `${contexts[context[i]]},${each}`);
    keys.forEach((key, i) => gains.set(key, own[i]));
    contexts = keys;
  }
  return gains;
}

test('n-grams are read as they are written, by a plain writer too', () => {
  for (const [size, n] of [[5, 40], [300, 60], [2000, 30], [3, 0]]) {
    const ngrams = randomNgrams(size, n);
    const file = ngramsFile(ngrams);
    assert.deepEqual(gainsOf(file), new Map([...gainsOf(file).keys()].map((key) => [key, ngrams.gains.get(key)])));
    assert.equal(gainsOf(file).size, ngrams.gains.size);
    const { levels } = readNgrams(file, 'test');
    assert.deepEqual(writeNgrams(size, levels), file);
  }
});

test('damaged n-grams are refused', () => {
  const file = ngramsFile(randomNgrams(9, 12));
  const refused = { name: 'HeedError', status: 'HEED_E_FILE',
    message: 'ngrams.bin: part de: found other bytes, expected n-grams' };
  for (let n = 0; n < file.length; n++) {
    assert.throws(() => readNgrams(file.subarray(0, n), 'ngrams.bin: part de'), refused, `${n}`);
  }
  assert.throws(() => readNgrams(Uint8Array.of(...file, 0), 'ngrams.bin: part de'), refused);
  assert.throws(() => readNgrams(Uint8Array.of(0, ...file.subarray(1)), 'ngrams.bin: part de'), refused);
});

test('a smaller vocabulary has the n-grams that it can spell', () => {
  const [size, left] = [12, 7];
  const ngrams = randomNgrams(size, 200);
  for (const isShuffled of [false, true]) {
    const ids = Array.from({ length: size }, (_, id) => id).sort(() => pick(3) - 1).slice(0, left);
    if (!isShuffled) ids.sort((a, b) => a - b);
    const map = new Map(ids.map((id, i) => [id, i]));
    const numbers = new Map(map).set(size, left);
    const renamed = (/** @type {Map<string, number>} */ own) => new Map([...own].flatMap(([key, value]) => {
      const found = key.split(',').map((id) => numbers.get(Number(id)));
      return found.includes(undefined) ? [] : [[String(found), value]];
    }));
    const wanted = { size: left, gains: renamed(ngrams.gains), kept: renamed(ngrams.kept) };
    assert.ok(wanted.gains.size > 50 && wanted.gains.size < ngrams.gains.size);
    assert.deepEqual(trimNgrams(ngramsFile(ngrams), size, map, 'test'), ngramsFile(wanted));
    assert.throws(() => trimNgrams(ngramsFile(ngrams), size + 1, map, 'test'), { status: 'HEED_E_FILE',
      message: "test: found 'n-grams of 12 ids', expected n-grams of 13 ids" });
  }
});

test('heed trim takes the n-grams along, and a text that it was made for is translated as before', async () => {
  const [texts, to] = [join(folder, 'texts'), join(folder, 'small')];
  const line = 'Which bus goes to the beach?';
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  const whole = await Translator.create({ ...pair, model: SHIPPED });
  const wanted = await whole.translate(line);
  whole.destroy();
  writeFileSync(texts, `${line}\n${wanted}\n`);
  await trim(SHIPPED, to, { keep: ['en', 'de'], texts: [texts] });
  const file = new Uint8Array(readFileSync(join(to, 'ngrams.bin')));
  assert.deepEqual([...readParts(file, 'ngrams.bin').keys()].sort(), ['de', 'en']);
  const small = await Translator.create({ ...pair, model: to });
  assert.equal(await small.translate(line), wanted);
  assert.equal(await small.translate(line, { ngrams: false }), wanted.replace('Welcher', 'Welchen'));
  small.destroy();
});

/**
 * What src/train/model/ngrams.js keeps, counted plainly: gains in quarters by ids.
 *
 * @param {number[][]} texts
 * @param {number} size  of the vocabulary
 * @param {Set<number>} digits
 */
function countPlainly(texts, size, digits) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const alone = new Array(size).fill(0.5);
  const add = (/** @type {number[]} */ ids) => counts.set(String(ids), (counts.get(String(ids)) ?? 0) + 1);
  for (const text of texts) {
    for (const id of text) alone[id]++;
    const ids = [size, ...text];
    for (let n = 2; n <= 4; n++) for (let i = 0; i + n <= ids.length; i++) add(ids.slice(i, i + n));
  }
  const sum = alone.reduce((a, b) => a + b, 0);
  const followers = (/** @type {string} */ context, /** @type {Set<string>} */ kept) => [...kept].filter((key) =>
    key.slice(0, key.lastIndexOf(',')) === context);
  /** @type {(ids: number[], kept: Set<string>) => [p: number, lower: number]} */
  const probability = (ids, kept) => {
    if (ids.length === 1) return [alone[ids[0]] / sum, 0];
    const context = String(ids.slice(0, -1));
    const total = followers(context, new Set(counts.keys())).reduce((n, key) => n + Number(counts.get(key)), 0);
    const taken = followers(context, kept).reduce((n, key) => n + Number(counts.get(key)) - 0.75, 0);
    const lower = (total > 0 ? 1 - taken / total : 1) * probability(ids.slice(1), kept)[0];
    return [lower + (kept.has(String(ids)) ? (Number(counts.get(String(ids))) - 0.75) / total : 0), lower];
  };
  const all = new Set(counts.keys());
  /** @type {Set<string>} */
  const kept = new Set();
  const keep = (/** @type {number[]} */ ids) => {
    if (ids.length < 2) return;
    kept.add(String(ids));
    keep(ids.slice(0, -1));
    keep(ids.slice(1));
  };
  for (const [key, count] of counts) {
    const ids = key.split(',').map(Number);
    const [p, lower] = probability(ids, all);
    if (count * Math.log(p / lower) > 1.5 && !ids.some((id) => digits.has(id))) keep(ids);
  }
  return new Map([...kept].map((key) => {
    const ids = key.split(',').map(Number);
    const own = alone[/** @type {number} */ (ids.at(-1))] / sum;
    return [key, 4 * Math.round(Math.log(probability(ids, kept)[0] / own))];
  }));
}

test('the n-grams without which the texts would be least probable, and what they gain', async () => {
  const size = Number(model.config.decoder_vocab_size);
  mkdirSync(join(folder, 'train'), { recursive: true });
  writeFileSync(join(folder, 'spm.model'), readFileSync(join(SHIPPED, 'target.spm')));
  const pieces = Array.from({ length: size }, (_, id) => model.tokenizer.idToPiece(id));
  writeFileSync(join(folder, 'spm.vocab'), pieces.map((piece) => `${piece}\t0\n`).join(''));
  const texts = ['Der Bus ist da.', 'Der Bus ist hier.', 'Der Zug ist da.', 'Um 10 Uhr ist der Bus da.',
    'Um 10 Uhr ist der Zug hier.', 'Der Bus kommt um 10 Uhr.'];
  const lines = texts.map((text) => `>>de<< x\t${text}\n`);
  // a text counts once; other languages have their own; docs count too
  writeFileSync(join(folder, 'train/everyday.tsv'), lines.slice(0, 4).join('') + lines[0] + '>>fr<< x\tLe bus.\n');
  writeFileSync(join(folder, 'train/docs.tsv'), lines.slice(3).join(''));
  const run = (/** @type {string[]} */ ...options) => {
    const { status, stderr, stdout } = spawnSync(process.execPath,
      ['src/train/model/ngrams.js', '--work', folder, '--out', join(folder, 'ngrams.bin'), ...options],
      { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return { stdout, parts: readParts(new Uint8Array(readFileSync(join(folder, 'ngrams.bin'))), 'ngrams.bin') };
  };
  const { parts } = run();
  assert.deepEqual([...parts.keys()], ['de', 'fr']);
  const ids = texts.map((text) => [...model.tokenizer.encode(text, { side: 'target' }).ids]);
  const digits = new Set(pieces.flatMap((piece, id) => (/\d/.test(piece) ? [id] : [])));
  const wanted = countPlainly(ids, size, digits);
  assert.ok(wanted.size > 20 && ids.flat().some((id) => digits.has(id)));
  const german = async (/** @type {Map<string, Uint8Array>} */ own) =>
    gainsOf(await unpackPart(/** @type {Uint8Array} */ (own.get('de')), 'de'));
  const found = await german(parts);
  assert.deepEqual(found, new Map([...found.keys()].map((key) => [key, wanted.get(key)])));
  assert.equal(found.size, wanted.size);

  const few = await german(run('--most', '5').parts);
  assert.ok(few.size >= 5 && few.size <= 5 + 5, 'one may need others'); // of four ids: two of three, three of two
});
