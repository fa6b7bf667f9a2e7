// Text to the model's ids and back: vocab.json, offsets, languages, and text that looks like control tokens. The pieces
// themselves are compared with SentencePiece's in text.test.js.
import test from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { HeedError, Transformer } from '../js/index.js';
import { readConfig } from '../js/model/config.js';
import { Tokenizer } from '../js/text/tokenizer.js';
import { instantiate } from '../js/wasm/module.js';
import { bytes, changeJson, readFiles, SHIPPED, TINY, withLanguages } from './model-files.js';

const model = await Transformer.load(SHIPPED);
const { tokenizer } = model;
/** @type {Record<string, number>} */
const VOCABULARY = JSON.parse(readFileSync(`${SHIPPED}/vocab.json`, 'utf8'));
const SIZE = Object.keys(VOCABULARY).length;

test('text becomes ids with </s>, pieces, and offsets into the text', () => {
  const text = 'How are you, Tom?';
  const { ids, pieces, offsets } = tokenizer.encode(text);
  assert.deepEqual(pieces, ['▁How', '▁are', '▁you', ',', '▁Tom', '?', '</s>']);
  assert.deepEqual(
    [...ids],
    pieces.map((piece) => tokenizer.pieceToId(piece)),
  );
  assert.deepEqual(
    pieces.map((_, i) => text.slice(offsets[2 * i], offsets[2 * i + 1])),
    ['How', ' are', ' you', ',', ' Tom', '?', ''],
  );
  assert.equal(offsets.at(-1), text.length);
  assert.ok(ids instanceof Int32Array && offsets instanceof Int32Array);
});

test('ids become text again', () => {
  for (const text of ['Have you had breakfast yet?', 'Grüße aus Köln', 'Tom paid "1,000" – or 12?', '']) {
    assert.equal(tokenizer.decode(tokenizer.encode(text).ids, { side: 'source' }), text);
    assert.equal(tokenizer.decode([...tokenizer.encode(text, { side: 'target' }).ids]), text);
  }
  // padding and </s> are not text, wherever they stand
  assert.equal(tokenizer.decode([0, ...tokenizer.encode('Guten Tag').ids, 0, 2]), 'Guten Tag');
});

test('what has no piece is spelled in bytes, with its offsets, and comes back', () => {
  const text = 'a 𓀀𓀁 b';
  const { ids, pieces, offsets } = tokenizer.encode(text);
  const first = pieces.indexOf('<0xF0>');
  assert.ok(first > 0);
  assert.equal(pieces.filter((piece) => /^<0x[\dA-F]{2}>$/.test(piece)).length, 8);
  assert.equal(text.slice(offsets[2 * first], offsets[2 * (first + 7) + 1]), '𓀀𓀁');
  assert.equal(tokenizer.decode(ids), text);
});

test('lone surrogates, NUL and BOM are text like other text', () => {
  for (const text of ['a\ud800b', '\udc00', 'a\0b', '\ufeffa', '\u202eabc']) {
    const { ids, offsets } = tokenizer.encode(text);
    assert.equal(ids.at(-1), 2);
    assert.ok(offsets.every((at) => at >= 0 && at <= text.length));
    assert.equal(typeof tokenizer.decode(ids), 'string');
  }
});

test('typed control tokens stay text', () => {
  for (const text of ['</s>', 'a </s> b', '<pad>', '<unk>', '<s>']) {
    const { ids } = tokenizer.encode(text);
    assert.deepEqual(
      [...ids].filter((id) => id === 2 || id === 0),
      [2],
      `${text}: the last is the only control token`,
    );
  }
});

test('pieces and ids', () => {
  assert.equal(tokenizer.size, SIZE);
  assert.equal(tokenizer.idToPiece(2), '</s>');
  assert.equal(tokenizer.pieceToId('▁Tom'), VOCABULARY['▁Tom']);
  assert.equal(tokenizer.pieceToId('no such piece'), undefined);
  assert.equal(tokenizer.pieceToId('__proto__'), undefined);
  for (let id = 0; id < tokenizer.size; id++) assert.equal(tokenizer.pieceToId(tokenizer.idToPiece(id)), id);
  assert.throws(() => tokenizer.idToPiece(SIZE), { code: 3 });
  assert.throws(() => tokenizer.idToPiece(-1), { code: 3 });
  assert.throws(() => tokenizer.decode([SIZE]), { code: 3 });
});

test('wrong arguments are refused by name', () => {
  const any = /** @type {any} */ (tokenizer);
  assert.throws(() => any.encode(), { name: 'TypeError', message: /^text: found undefined/ });
  assert.throws(() => any.encode('a', { side: 'left' }), { name: 'TypeError', message: /^side: found 'left'/ });
  assert.throws(() => any.decode('abc'), { name: 'TypeError', message: /^ids: found 'abc'/ });
  assert.throws(() => any.decode(['a']), { name: 'TypeError', message: /^ids\[0\]: found 'a'/ });
  assert.throws(() => any.idToPiece('2'), { name: 'TypeError' });
  assert.throws(() => any.idToPiece(2, { side: 'left' }), { name: 'TypeError', message: /^side: found 'left'/ });
});

test('a million characters, without a space too', { timeout: 120_000 }, () => {
  for (const text of ['x'.repeat(1_000_000), 'word '.repeat(200_000)]) {
    const { ids, offsets } = tokenizer.encode(text);
    assert.equal(offsets[offsets.length - 3], text.trimEnd().length);
    assert.equal(tokenizer.decode(ids), text.trimEnd());
  }
});

const several = await Transformer.load(withLanguages('>>deu<<', '>>fra<<'));

test('a language is an option, and stands first', () => {
  const { tokenizer: t } = several;
  assert.deepEqual(t.languages, ['deu', 'fra']);
  for (const language of ['fra', '>>fra<<']) {
    const { ids, pieces, offsets } = t.encode('Hello', { language });
    assert.deepEqual([ids[0], pieces[0], offsets[0], offsets[1]], [SIZE - 1, '>>fra<<', 0, 0]);
    assert.deepEqual([...ids.slice(1)], [...t.encode('Hello').ids]);
    assert.equal(t.decode(ids, { side: 'source' }), 'Hello', 'it is not text');
  }
  assert.throws(
    () => t.encode('a', { language: 'spa' }),
    (/** @type {any} */ error) =>
      error instanceof HeedError &&
      error.status === 'HEED_E_LANGUAGE' &&
      /found 'spa', available: deu, fra/.test(error.message),
  );
  const named = Object.keys(VOCABULARY).flatMap((piece) => /^>>(.*)<<$/.exec(piece)?.[1] ?? []);
  assert.deepEqual(tokenizer.languages, named);
});

test('a typed language token stays text', () => {
  const { ids } = several.tokenizer.encode('>>fra<< Hello');
  assert.ok(!ids.includes(SIZE - 1));
});

test('a piece that is a control token in this model is never typed', async () => {
  // a model that ends its sentences with the id of an ordinary piece
  const tom = VOCABULARY['▁Tom'];
  const ends = (/** @type {any} */ json) => ({ ...json, eos_token_id: tom });
  const odd = await Transformer.load(
    changeJson(changeJson(readFiles(SHIPPED), 'config.json', ends), 'generation_config.json', ends),
  );
  assert.equal(tokenizer.encode('Tom').ids[0], tom);
  assert.deepEqual(
    [...odd.tokenizer.encode('Tom and Tom').ids].filter((id) => id === tom || id === 1),
    [1, 1, tom],
  );
});

test('two vocabularies, one for each side', async () => {
  // a model of 67 ids on both sides; its pieces are those of the shipped file, in another order on the target side
  const directory = TINY.replace('postnorm-relu-shared', 'prenorm-gelu-separate-stored');
  const { 'source.spm': source, 'target.spm': target } = readFiles(SHIPPED);
  const files = readFiles(directory);
  const {
    vocab_size: from,
    decoder_vocab_size: to,
    eos_token_id: eos,
  } = JSON.parse(new TextDecoder().decode(files['config.json']));
  const all = ['▁Tom', '.', ',', 's', '▁I', 'a', 'e'];
  const number = (/** @type {string[]} */ pieces, /** @type {number} */ size) => {
    const ids = Array.from({ length: size }, (_, id) => id).filter((id) => id !== eos);
    return bytes(
      JSON.stringify({ '</s>': eos, ...Object.fromEntries(['<unk>', ...pieces].map((piece, i) => [piece, ids[i]])) }),
    );
  };
  const two = await Transformer.load({
    ...files,
    'source.spm': source,
    'target.spm': target,
    'vocab.json': number(all, from),
    'target_vocab.json': number(all.toReversed(), to),
  });
  const { tokenizer: t } = two;
  const left = t.encode('Tom.');
  const right = t.encode('Tom.', { side: 'target' });
  assert.deepEqual(left.pieces, right.pieces);
  assert.notDeepEqual(left.ids, right.ids);
  assert.equal(t.decode(right.ids), 'Tom.');
  assert.equal(t.decode(left.ids, { side: 'source' }), 'Tom.');
  assert.equal(t.size, from);
  assert.equal(t.idToPiece(right.ids[0], { side: 'target' }), '▁Tom');
  assert.equal(t.pieceToId('▁Tom', { side: 'target' }), right.ids[0]);
});

// ---------------------------------------------------------------- real tokenisers

const shared = new URL('../../shared/', import.meta.url);
const skip = !existsSync(new URL('tokenizers/', shared)) && '../shared/tokenizers (real tokenisers) is missing';

test("10,000 lines have SentencePiece's pieces, as vocab.json numbers them", { skip }, async () => {
  const data = readdirSync(new URL('data/', shared)).filter((name) => name.endsWith('.dev.tsv.gz')).sort();
  const lines = data
    .flatMap((name) => gunzipSync(readFileSync(new URL(`data/${name}`, shared))).toString().split('\n'))
    .flatMap((line) => line.split('\t'))
    .slice(0, 10_000);
  const golden = readFileSync(new URL('golden/text/vocabulary.txt', import.meta.url), 'utf8').trim().split('\n');
  /** @type {Map<string, Tokenizer>} */
  const tokenizers = new Map();
  for (const row of golden) {
    const [name, side, group, hash] = row.split(' ');
    if (!tokenizers.has(name)) {
      const read = (/** @type {string} */ file) =>
        new Uint8Array(readFileSync(new URL(`tokenizers/${name}/${file}`, shared)));
      const json = (/** @type {string} */ file) => JSON.parse(new TextDecoder().decode(read(file)));
      tokenizers.set(name, new Tokenizer({
        core: await instantiate(),
        config: readConfig(json('config.json'), json('generation_config.json')),
        sourceSpm: read('source.spm'),
        targetSpm: read('target.spm'),
        vocab: json('vocab.json'),
      }));
    }
    const found = createHash('sha256');
    for (const line of lines.slice(Number(group) * 100, (Number(group) + 1) * 100)) {
      found.update(/** @type {Tokenizer} */ (tokenizers.get(name))
        .encode(line, { side: /** @type {any} */ (side) }).ids);
    }
    assert.equal(found.digest('hex').slice(0, 8), hash, `${name}, ${side}, lines ${group}00 and on`);
  }
  assert.equal(golden.length, 200);
});
