// A model without the pieces that texts do not use: the same pieces and translations of those texts, fewer ids.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { trim } from '../js/convert/trim.js';
import { modelFiles, readMessage, writeMessage } from './mutate/model.js';

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

/**
 * The model with other files of its tokenizer.
 *
 * @param {string} to
 * @param {string} name
 * @param {string} file  that is called tokenizer.json
 */
function jsonAlone(to, name, file) {
  mkdirSync(to);
  for (const each of readdirSync(placeOf(name))) {
    if (/^(model.*|pytorch_model|config|generation_config)\.(json|safetensors|bin)$/.test(each)
      || (each === 'tokenizer_config.json' && file === 'tokenizer.json')) {
      copyFileSync(join(placeOf(name), each), join(to, each));
    }
  }
  copyFileSync(join(placeOf(name), file), join(to, 'tokenizer.json'));
  return to;
}

/**
 * Both models cut texts alike, and say the same to them.
 *
 * @param {string} from
 * @param {string} to
 * @param {string[]} texts
 * @param {{ text: string, language?: string }[]} cases  of searches
 * @param {string[]} [codes]  languages that stay
 */
async function compare(from, to, texts, cases, codes) {
  const [whole, less] = await Promise.all([from, to].map((each) => Transformer.load(each)));
  if (codes) assert.deepEqual(less.tokenizer.languages, codes);
  const [V, v] = [whole, less].map(({ config }) => Number(config.decoder_vocab_size));
  assert.ok(v < V);
  for (const side of /** @type {const} */ (['source', 'target'])) {
    for (const text of texts) {
      const [expected, found] = [whole, less].map(({ tokenizer }) => tokenizer.encode(text, { side }));
      assert.deepEqual([found.pieces, found.offsets], [expected.pieces, expected.offsets], text);
      const size = side === 'source' ? less.config.vocab_size : less.config.decoder_vocab_size;
      assert.ok(found.ids.every((id) => id < Number(size)));
      assert.equal(less.tokenizer.decode(found.ids, { side }), whole.tokenizer.decode(expected.ids, { side }));
    }
  }
  for (const { text, language } of cases) {
    const [expected, found] = [whole, less].map((model) => {
      const { tokenizer, config } = model;
      const isMarian = /^>>/.test(language ?? '');
      const { ids } = tokenizer.encode(text, { ...(isMarian && { language }) });
      const forced = language && !isMarian && tokenizer.encode('', { side: 'target', language }).ids
        .find((id) => id !== config.eos_token_id);
      const [[best]] = model.generate([ids], { beams: 1, ...(language && !isMarian && { forcedBosTokenId: forced }) });
      return { text: tokenizer.decode(best.ids), logits: model.forward(ids, best.ids).logits, ids: best.ids };
    });
    assert.equal(found.text, expected.text);
    // the logits are those of the same pieces
    const [first, own] = [expected.ids[1], found.ids[1]];
    assert.ok(Math.abs(expected.logits.data[V + first] - found.logits.data[v + own]) < 1e-5);
  }
  const { manifest } = less;
  for (const model of [whole, less]) model.dispose();
  return { manifest, before: V, after: v };
}

const [EN_DE_FR_ES, FAIRSEQ, MBART] = [['de', 'en', 'es', 'fr'], ['deu_Latn', 'eng_Latn', 'fra_Latn', 'spa_Latn'],
  ['de_DE', 'en_XX', 'es_XX', 'fr_XX']];
/**
 * The model, the file of its tokenizer if it has only that, and the codes that stay.
 *
 * @type {[string, string, string[]][]}
 */
const FAMILIES = [
  ['m2m100', '', EN_DE_FR_ES], ['nllb', '', FAIRSEQ], ['mbart50', '', MBART], ['t5', '', []], ['mt5', '', []],
  ['nllb', 'tokenizer.json', FAIRSEQ], ['nllb', 'tokenizer-5.json', FAIRSEQ], ['mbart50', 'tokenizer-5.json', MBART],
  ['t5', 'tokenizer.json', []], ['mt5', 'tokenizer-5.json', []],
];

for (const [name, file, codes] of FAMILIES) {
  test(`${name}${file && ` with ${file} alone`}: the same pieces and translations with fewer ids`, async (t) => {
    const place = await folder(t);
    const cases = linesOf(name, 'cases').filter((each) => each.case === 'greedy').slice(0, 5);
    // texts in many scripts; a line break would end one
    const others = linesOf(name, 'more').map(({ text }) => text).slice(0, 120);
    const texts = [...cases.map(({ text }) => text), ...others];
    const both = [...texts, ...cases.flatMap(({ outputs }) => outputs.map((/** @type {any} */ each) => each.text))];
    writeFileSync(join(place, 'texts'), both.join('\n'));
    const [from, to] = [file ? jsonAlone(join(place, 'from'), name, file) : placeOf(name), join(place, 'out')];
    const { pieces, bytes, speed } = await trim(from, to, { keep: EN_DE_FR_ES, texts: [join(place, 'texts')] });
    assert.ok(pieces[1] < pieces[0] && bytes[1] < bytes[0] && speed.every((each) => each > 0));
    const { manifest, after } = await compare(from, to, texts, cases, codes);
    assert.equal(after, pieces[1]);
    assert.equal(codes.length > 0 ? /** @type {any} */ (manifest.pairs).length : 12, 12);
  });
}

for (const [name, keep, tokens] of /** @type {[string, string[], string[]][]} */ ([
  ['opus', ['en', 'de'], []], ['untied', ['en', 'fr'], []], ['multi', ['en', 'de'], ['eng', 'deu']],
])) {
  test(`MarianMT ${name}: the same pieces and translations with fewer ids`, async (t) => {
    const place = await folder(t);
    const from = fileURLToPath(new URL(`../${name}`, ROOT));
    const lines = linesOf(`../${name}`, 'lines').map(({ text }) => text).slice(0, 12);
    const wide = linesOf(`../${name}`, 'tokenizer').map(({ text }) => text).filter((text) => !/[\r\n]/.test(text));
    const texts = [...lines, ...wide.slice(0, 20)];
    const language = tokens.length > 0 ? '>>deu<<' : undefined;
    // what the model says to them, and what it might say: pieces that no text has would be missing
    const model = await Transformer.load(from);
    const own = lines.map((text) => model.tokenizer.decode(
      model.generate([model.tokenizer.encode(text, { language }).ids], { beams: 1 })[0][0].ids));
    model.dispose();
    const to = join(place, 'out');
    writeFileSync(join(place, 'texts'), [...texts, ...own].join('\n'));
    await trim(from, to, { keep, texts: [join(place, 'texts')] });
    const { before, after } = await compare(from, to, texts, lines.map((text) => ({ text, language })), tokens);
    t.diagnostic(`${after} ids of ${before}`);
  });
}

test('the shipped model in two of its languages: a Translator says the same', async (t) => {
  const place = await folder(t);
  const from = fileURLToPath(new URL('../models/de-en-es-fr', import.meta.url));
  const [to, file] = [join(place, 'out'), join(place, 'texts')];
  const source = 'The old house stands at the river. "Where is the station?" \u2603 Nobody saw the 17 keys\u2026';
  const say = async (/** @type {string} */ model) => {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
    const translated = await translator.translate(source);
    translator.destroy();
    return translated;
  };
  const expected = await say(from);
  writeFileSync(file, `${source}\n${expected}\n`);
  const { pieces } = await trim(from, to, { keep: ['en', 'de'], texts: [file] });
  assert.ok(pieces[1] < 500, `${pieces[1]}`);
  assert.equal(await say(to), expected);
  const { pairs } = JSON.parse(readFileSync(join(to, 'heed.json'), 'utf8'));
  assert.deepEqual(pairs, [['en', 'de'], ['de', 'en']]);
  for (const keep of [['it', 'en'], ['de']]) {
    await assert.rejects(trim(from, join(place, 'no'), { keep, texts: [file] }),
      { name: 'NotSupportedError', message: /^keep: found (it|de), the model is for en to de, / });
  }
});

test('what a Translator reads in place of a character that the vocabulary lacks stays', async (t) => {
  const place = await folder(t);
  const [from, to, file] = ['from', 'to', 'texts'].map((name) => join(place, name));
  mkdirSync(from);
  // the piece x is a plain quote
  const json = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);
  for (const [name, bytes] of Object.entries(modelFiles())) {
    const fields = /\.spm$/.test(name) ? readMessage(bytes, [1, 2, 3]) : [];
    for (const { value } of fields.map(({ value: own }) => /** @type {any} */ (own)[0])) {
      if (value?.length === 1 && value[0] === 0x78) value[0] = 0x22;
    }
    const changed = name === 'vocab.json' ? json(bytes).replace('"x"', '"\\""')
      : name === 'config.json' ? json(bytes).replace('{', '{"unk_token_id":1,') : bytes;
    writeFileSync(join(from, name), fields.length > 0 ? writeMessage(fields) : changed);
  }
  writeFileSync(file, '\u201cab\u201d');
  await trim(from, to, { keep: ['en', 'fr'], texts: [file] });
  const model = await Transformer.load(to);
  assert.deepEqual([model.tokenizer.pieceToId('"') === undefined, model.tokenizer.pieceToId('y')], [false, undefined]);
  model.dispose();
});

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

/** Files of one folder with some of another. @param {string} to @param {[string, RegExp][]} parts */
function gather(to, ...parts) {
  mkdirSync(to);
  for (const [name, pattern] of parts) {
    for (const each of readdirSync(placeOf(name)).filter((file) => pattern.test(file))) {
      copyFileSync(join(placeOf(name), each), join(to, each));
    }
  }
  return to;
}

test('mBART of 25 languages keeps the one that its translations begin with', async (t) => {
  const place = await folder(t);
  const from = gather(join(place, 'from'), ['mbart50', /^(model|config|generation_config|sentencepiece)/],
    ['mbart25', /^tokenizer_config/]);
  for (const name of ['config.json', 'generation_config.json']) {
    const json = JSON.parse(readFileSync(join(from, name), 'utf8'));
    writeFileSync(join(from, name), JSON.stringify({ ...json, decoder_start_token_id: 403 })); // de_DE
  }
  const [texts, to] = [join(place, 'texts'), join(place, 'out')];
  writeFileSync(texts, 'Hello.\nHallo.\n');
  await assert.rejects(trim(from, to, { keep: ['en', 'fr'], texts: [texts] }), { name: 'NotSupportedError',
    message: "keep: found en_XX, fr_XX, expected en_XX, fr_XX, de_DE: the model's translations begin with it" });
  await trim(from, to, { keep: ['en', 'fr', 'de'], texts: [texts] });
  const { pairs } = JSON.parse(readFileSync(join(to, 'heed.json'), 'utf8'));
  assert.deepEqual(pairs, [['en', 'de'], ['fr', 'de']]);
  const [whole, less] = await Promise.all([from, to].map((model) =>
    Translator.create({ model, sourceLanguage: 'en', targetLanguage: 'de' })));
  const [expected, found] = await Promise.all([whole, less].map((each) => each.translateDetailed('Hello.')));
  const piecesOf = (/** @type {typeof found} */ [{ sourceTokens }]) => sourceTokens.map(({ piece }) => piece);
  assert.deepEqual(piecesOf(found), piecesOf(expected));
  assert.deepEqual(piecesOf(found).slice(-2), ['</s>', 'en_XX']);
  for (const translator of [whole, less]) translator.destroy();
});

test('a forced first token is a default: its language need not stay', async (t) => {
  const place = await folder(t);
  const from = gather(join(place, 'from'), ['mbart50', /./]);
  const config = JSON.parse(readFileSync(join(from, 'config.json'), 'utf8'));
  writeFileSync(join(from, 'config.json'), JSON.stringify({ ...config, forced_bos_token_id: 404 })); // en_XX
  const [texts, to] = [join(place, 'texts'), join(place, 'out')];
  writeFileSync(texts, 'Hallo.\nBonjour.\n');
  await trim(from, to, { keep: ['de', 'fr'], texts: [texts] });
  const { pairs } = JSON.parse(readFileSync(join(to, 'heed.json'), 'utf8'));
  assert.deepEqual(pairs, [['de', 'fr'], ['fr', 'de']]);
  assert.ok(!('forced_bos_token_id' in JSON.parse(readFileSync(join(to, 'config.json'), 'utf8'))));
});

test('a model that does not load here is trimmed all the same', async (t) => {
  const place = await folder(t);
  const from = gather(join(place, 'from'), ['nllb', /./]);
  // the last row of the embeddings, which no text needs, has no numbers
  const weights = join(from, 'model.safetensors');
  const bytes = readFileSync(weights);
  const head = Number(bytes.readBigUInt64LE());
  const { data_offsets: [, end], dtype } = JSON.parse(bytes.toString('utf8', 8, 8 + head))['model.shared.weight'];
  assert.equal(dtype, 'F32');
  bytes.writeFloatLE(NaN, 8 + head + end - 4);
  writeFileSync(weights, bytes);
  writeFileSync(join(place, 'texts'), 'Hello.\n');
  await assert.rejects(Transformer.load(from), /model\.shared\.weight/);
  const options = { keep: ['en', 'de'], texts: [join(place, 'texts')] };
  const { speed, failure } = await trim(from, join(place, 'out'), options);
  assert.ok(Number.isNaN(speed[0]) && speed[1] > 0);
  assert.ok(failure instanceof HeedError);
  assert.equal(failure.status, 'HEED_E_TENSOR_VALUE');
  const said = execFileSync(process.execPath,
    ['js/cli.js', 'trim', '--keep', 'en,de', '--text', ...options.texts, from, join(place, 'two')],
    { encoding: 'utf8' });
  assert.match(said, /tokens\/s \(the whole does not load here: model\.safetensors: .*: HEED_E_TENSOR_VALUE\)\n$/);
});

test('a model for which there is no memory is trimmed, and heed trim says that memory was the reason', async (t) => {
  const place = await folder(t);
  const whole = 'models/de-en-es-fr';
  const pages = Math.floor(statSync(join(whole, 'model.safetensors')).size / 65_536) + 8;
  writeFileSync(join(place, 'texts'), 'Hello.\n');
  writeFileSync(join(place, 'less.mjs'), `import { limited } from '${new URL('limited.js', import.meta.url)}';
    const { compile } = WebAssembly;
    WebAssembly.compile = () => compile(limited('heed.wasm', ${pages}));`);
  const said = execFileSync(process.execPath, ['--import', join(place, 'less.mjs'), 'js/cli.js', 'trim',
    '--keep', 'en,de', '--text', join(place, 'texts'), whole, join(place, 'out')], { encoding: 'utf8' });
  assert.match(said, /tokens\/s \(the whole does not load here: .*: out of memory, HEED_E_MEMORY\)\n$/);
});

test('a model that is not as its heed.json lists it is not trimmed', async (t) => {
  const place = await folder(t);
  const [from, to, text] = ['from', 'out', 'texts'].map((name) => join(place, name));
  cpSync('models/de-en-es-fr', from, { recursive: true });
  writeFileSync(text, 'Hello.\n');
  const weights = join(from, 'model.safetensors');
  const bytes = readFileSync(weights);
  bytes[bytes.length - 1] ^= 1;
  writeFileSync(weights, bytes);
  const options = { keep: ['en', 'de'], texts: [text] };
  const wrong = { status: 'HEED_E_HASH', message: /^model\.safetensors: sha256: found .* as heed\.json says$/ };
  await assert.rejects(trim(from, to, options), wrong);
  writeFileSync(weights, Buffer.concat([bytes, Buffer.from('more')]));
  await assert.rejects(trim(from, to, options), { status: 'HEED_E_HASH', message: /bytes: found more than/ });
  writeFileSync(weights, bytes.subarray(0, 1000));
  await assert.rejects(trim(from, to, options), { status: 'HEED_E_HASH', message: /bytes: found 1000, expected/ });
  assert.deepEqual(readdirSync(place).sort(), ['from', 'texts']);
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
    /out: \d+ ids of 509, \d+ bytes of weights of \d+, [\d.]+ tokens\/s \([\d.]+ with the whole\)\n$/);
  assert.match(run('--keep', 'en,de', '--text', one, model, out),
    /^1: heed: .*out: exists, expected the name of a new/);
  const other = join(place, 'other');
  assert.match(run('--text', one, model, other), /^2: heed: trim: expected --keep/);
  assert.match(run('--keep', 'en', model, other), /^2: heed: trim: expected --text/);
  assert.match(run('--keep', 'en', '--text', one, model), /^2: heed: trim: expected a model directory and a new one/);
  assert.match(run('--keep', 'en,tlh', '--text', one, model, other),
    /^1: heed: keep: found tlh, the model's are af, am/);
  assert.match(run('--keep', 'en', '--text', other, model, other), /^1: heed: .*ENOENT.*other/);
  assert.match(run('--keep', 'en', '--text', one, placeOf('byt5'), other),
    /byt5: ByT5 has an id for each byte and no others: there is nothing to trim/);
  assert.ok(!existsSync(other));
});
