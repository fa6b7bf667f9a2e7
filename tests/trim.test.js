// A model without the pieces that texts do not use: the same pieces and translations of those texts, fewer ids.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Transformer, Translator } from '../js/index.js';
import { trim } from '../js/convert/trim.js';

const ROOT = new URL('golden/hf/families/', import.meta.url);
/** @param {string} name */
const placeOf = (name) => fileURLToPath(new URL(name, ROOT));
/** @param {string} name @param {string} file @returns {any[]} */
const linesOf = (name, file) =>
  gunzipSync(readFileSync(new URL(`${name}/${file}.jsonl.gz`, ROOT))).toString().trim().split('\n')
    .map((line) => JSON.parse(line));

/** A place for a test's files. @param {import('node:test').TestContext} t */
async function folder(t) {
  const place = await mkdtemp(join(tmpdir(), 'heed-trim-'));
  t.after(() => rm(place, { recursive: true }));
  return place;
}

const KEPT = {
  m2m100: ['de', 'en', 'es', 'fr'],
  nllb: ['deu_Latn', 'eng_Latn', 'fra_Latn', 'spa_Latn'],
  mbart50: ['de_DE', 'en_XX', 'es_XX', 'fr_XX'],
  t5: [],
  mt5: [],
};

for (const [name, codes] of Object.entries(KEPT)) {
  test(`${name}: the same pieces and translations with fewer ids`, async (t) => {
    const place = await folder(t);
    const cases = linesOf(name, 'cases').filter((each) => each.case === 'greedy').slice(0, 5);
    // texts in many scripts; a line break would end one
    const others = linesOf(name, 'more').map(({ text }) => text).slice(0, 120);
    const texts = [...cases.map(({ text }) => text), ...others];
    const both = [...texts, ...cases.flatMap(({ outputs }) => outputs.map((/** @type {any} */ each) => each.text))];
    writeFileSync(join(place, 'texts'), both.join('\n'));
    const [from, to] = [placeOf(name), join(place, 'out')];
    const { pieces, bytes } = await trim(from, to, { keep: ['de', 'en', 'es', 'fr'], texts: [join(place, 'texts')] });
    assert.ok(pieces[1] < pieces[0] && bytes[1] < bytes[0]);

    const [whole, less] = await Promise.all([from, to].map((each) => Transformer.load(each)));
    assert.equal(less.config.vocab_size, pieces[1]);
    assert.deepEqual(less.tokenizer.languages, codes);
    for (const text of texts) {
      const [expected, found] = [whole, less].map(({ tokenizer }) => tokenizer.encode(text));
      assert.deepEqual([found.pieces, found.offsets], [expected.pieces, expected.offsets], text);
      assert.ok(found.ids.every((id) => id < pieces[1]));
      assert.equal(less.tokenizer.decode(found.ids), whole.tokenizer.decode(expected.ids));
    }
    for (const { text, language } of cases) {
      const [expected, found] = [whole, less].map((model) => {
        const { tokenizer, config } = model;
        const { ids } = tokenizer.encode(text);
        const forced = language && tokenizer.encode('', { side: 'target', language }).ids
          .find((id) => id !== config.eos_token_id);
        const [[best]] = model.generate([ids], { beams: 1, ...(language && { forcedBosTokenId: forced }) });
        return { text: tokenizer.decode(best.ids), logits: model.forward(ids, best.ids).logits, ids: best.ids };
      });
      assert.equal(found.text, expected.text);
      // the logits are those of the same pieces
      const [V, v] = [pieces[0], pieces[1]];
      const [first, own] = [expected.ids[1], found.ids[1]];
      assert.ok(Math.abs(expected.logits.data[V + first] - found.logits.data[v + own]) < 1e-5);
    }
    assert.equal(codes.length > 0 ? /** @type {any} */ (less.manifest.pairs).length : 12, 12);
    for (const model of [whole, less]) model.dispose();
  });
}

test('the languages that are gone are refused; heed.json lists what is there, with hashes', async (t) => {
  const place = await folder(t);
  writeFileSync(join(place, 'texts'), 'Hello.\nHallo.\n');
  const model = join(place, 'out');
  await trim(placeOf('nllb'), model, { keep: ['de', 'en'], texts: [join(place, 'texts')] });
  const ask = (/** @type {string} */ targetLanguage) =>
    Translator.availability({ sourceLanguage: 'en', targetLanguage, model });
  assert.equal(await ask('de'), 'available');
  assert.equal(await ask('fr'), 'unavailable');
  await assert.rejects(Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', model }),
    { name: 'NotSupportedError', message: /found en to fr, the model is for de to en, en to de/ });
  writeFileSync(join(model, 'vocab.json'), '{}'); // no file of this model
  assert.equal(await ask('de'), 'available');
});

test('heed trim: several files of texts; what is wrong', async (t) => {
  const place = await folder(t);
  const [one, two, out] = ['one', 'two', 'out'].map((name) => join(place, name));
  writeFileSync(one, 'Hello.');
  writeFileSync(two, 'Hallo.');
  const run = (/** @type {string[]} */ ...rest) => {
    try {
      return execFileSync(process.execPath, ['js/cli.js', 'trim', ...rest], { encoding: 'utf8', stdio: 'pipe' });
    } catch (/** @type {any} */ error) {
      return `${error.status}: ${error.stderr}`;
    }
  };
  const model = placeOf('m2m100');
  assert.match(run('--keep', 'en,de', '--text', one, two, model, out),
    /out: \d+ ids of 509, \d+ bytes of weights of \d+\n$/);
  assert.match(run('--keep', 'en,de', '--text', one, model, out),
    /^1: heed: .*out: exists, expected the name of a new/);
  const other = join(place, 'other');
  assert.match(run('--text', one, model, other), /^2: heed: trim: expected --keep/);
  assert.match(run('--keep', 'en', model, other), /^2: heed: trim: expected --text/);
  assert.match(run('--keep', 'en', '--text', one, model), /^2: heed: trim: expected a model directory and a new one/);
  assert.match(run('--keep', 'en,tlh', '--text', one, model, other),
    /^1: heed: keep: found tlh, the model's are af, am/);
  assert.match(run('--keep', 'en', '--text', other, model, other), /^1: heed: .*ENOENT.*other/);
  assert.match(run('--keep', 'en', '--text', one, placeOf('byt5'), other), /byt5: ByT5 has an id for each byte and no others: there is nothing to trim/);
  assert.ok(!existsSync(other));
});
