// Texts in, texts out: models of other families translate as transformers does, with their own tokenizers; languages
// and tasks of a Translator.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { writeSpm } from '../js/formats/spm-write.js';
import { Transformer, Translator } from '../js/index.js';
import { Trainer } from '../js/train.js';
import { listen } from './listen.js';
import { readMessage, writeMessage } from './mutate/model.js';

const ROOT = new URL('golden/hf/families/', import.meta.url);
/** @param {string} name */
const placeOf = (name) => fileURLToPath(new URL(name, ROOT));
/** @param {string} name @returns {any[]} */
const casesOf = (name) =>
  gunzipSync(readFileSync(new URL(`${name}/cases.jsonl.gz`, ROOT))).toString().trim().split('\n')
    .map((line) => JSON.parse(line));

/** Searches of transformers with the settings of the model, or with one beam, of lines that are one sentence. */
const wanted = (/** @type {any} */ { case: name, fragile }) => !fragile && ['greedy', 'defaults'].includes(name);
const isOne = (/** @type {any} */ { text }) => !/[.!?] ./.test(text.replace(/^translate.*?: /, ''));

for (const name of ['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5']) {
  test(`${name}: texts are transformers'`, async () => {
    const model = await Transformer.load(placeOf(name));
    const { tokenizer, config } = model;
    const cases = casesOf(name).filter(wanted);
    assert.ok(cases.length >= 15);
    for (const { text, language, source, settings: { num_beams: beams }, outputs } of cases) {
      const { ids } = tokenizer.encode(text);
      assert.deepEqual([...ids], source);
      const forced = language && tokenizer.encode('', { side: 'target', language }).ids
        .find((id) => id !== config.eos_token_id);
      const options = { ...(beams && { beams }), ...(forced !== undefined && { forcedBosTokenId: forced }) };
      const [[best]] = model.generate([ids], options);
      assert.equal(tokenizer.decode(best.ids), outputs[0].text.trim(), text);
    }
    model.dispose();
  });
}

const TAGS = { m2m100: ['de', 'fr', 'es'], nllb: ['de', 'fr', 'es'], mbart50: ['de', 'fr', 'es-MX'] };
for (const [name, tags] of Object.entries(TAGS)) {
  test(`${name}: a Translator chooses the tokens of both languages`, async () => {
    const cases = casesOf(name).filter((each) => wanted(each) && each.case === 'defaults' && isOne(each));
    for (const [i, targetLanguage] of tags.entries()) {
      const translator = await Translator.create({ model: placeOf(name), sourceLanguage: 'en-GB', targetLanguage });
      const own = cases.filter(({ line }) => line % 3 === i);
      assert.ok(own.length > 0);
      for (const { text, outputs: [{ text: expected }] } of own) {
        assert.equal(await translator.translate(text, { keep: false, cutRunaways: false }), expected.trim(), text);
      }
      translator.destroy();
    }
  });
}

test('a Translator gives T5 the words and the settings of its task', async () => {
  const model = await Transformer.load(placeOf('t5'));
  const translator = await Translator.create({ model: placeOf('t5'), sourceLanguage: 'en', targetLanguage: 'fr' });
  for (const text of ['Where is the station?', 'Save changes']) {
    const { ids } = model.tokenizer.encode(`translate English to French: ${text}`);
    const [[best]] = model.generate([ids], { beams: 4, earlyStopping: true, maxTokens: 299 });
    const options = { keep: false, cutRunaways: false };
    assert.equal(await translator.translate(text, options), model.tokenizer.decode(best.ids));
    const [{ sourceTokens, alignment, targetTokens }] = await translator.translateDetailed(text, options);
    assert.deepEqual(sourceTokens.map(({ id }) => id), [...ids]);
    // the words of the task are no part of the source
    const first = sourceTokens.findIndex(({ end }) => end > 0);
    assert.equal(sourceTokens[first].start, 0);
    assert.equal(sourceTokens[first - 1].piece, ':');
    assert.ok(sourceTokens.every(({ end }) => end <= text.length));
    assert.equal(alignment.length, targetTokens.length);
  }
  translator.destroy();
  model.dispose();
});

test('pairs that a model has not are refused, with those that it has', async () => {
  /** @param {string} name @param {string} sourceLanguage @param {string} targetLanguage */
  const create = (name, sourceLanguage, targetLanguage) =>
    Translator.create({ model: placeOf(name), sourceLanguage, targetLanguage });
  await assert.rejects(create('t5', 'en', 'ja'),
    { name: 'NotSupportedError', message: "found en to ja, the model's tasks are en to de, en to es, en to fr" });
  await assert.rejects(create('nllb', 'en', 'sr-Latn'),
    { name: 'NotSupportedError', message: /^targetLanguage: found sr-Latn, the model's are ace_Arab, / });
  await assert.rejects(create('mbart50', 'tlh', 'en'),
    { name: 'NotSupportedError', message: /^sourceLanguage: found tlh, the model's are ar_AR, / });
});

/** @param {string} file */
const read = (file) => new Uint8Array(readFileSync(new URL(file, ROOT)));
/** @param {object} value */
const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** Random weights with a small tokenizer of MADLAD's kind. @returns {Promise<Record<string, Uint8Array>>} */
async function madlad() {
  const config = {
    architectures: ['T5ForConditionalGeneration'], model_type: 't5', is_encoder_decoder: true, d_model: 32, d_kv: 16,
    num_heads: 4, d_ff: 64, num_layers: 2, num_decoder_layers: 3, feed_forward_proj: 'gated-gelu', is_gated_act: true,
    dense_act_fn: 'gelu_new', layer_norm_epsilon: 1e-6, n_positions: 512, relative_attention_num_buckets: 32,
    relative_attention_max_distance: 128, tie_word_embeddings: false, vocab_size: 640, pad_token_id: 1,
    eos_token_id: 2, decoder_start_token_id: 0, output_past: true, use_cache: true,
  };
  const trainer = await Trainer.create({ config, seed: 3 });
  const model = { 'config.json': json(config), 'generation_config.json': json({ max_length: 8 }),
    'spiece.model': read('madlad/spiece.model'), 'model.safetensors': trainer.save() };
  trainer.dispose();
  return model;
}

test('MADLAD-400: the keys of its config.json, its ids, and the token of the target before a text', async () => {
  const model = await madlad();
  const translator = await Translator.create({ model, sourceLanguage: 'en', targetLanguage: 'de' });
  const [{ sourceTokens }] = await translator.translateDetailed('Where is the station?');
  assert.deepEqual(sourceTokens.slice(0, 2).map(({ piece }) => piece), ['\u2581', '<2de>']);
  assert.deepEqual(sourceTokens.at(-1), { piece: '</s>', id: 2, start: 21, end: 21 });
  translator.destroy();
  await assert.rejects(Translator.create({ model, sourceLanguage: 'en', targetLanguage: 'tlh' }),
    { name: 'NotSupportedError', message: /^targetLanguage: found tlh, the model's are / });
  const transformer = await Transformer.load(model);
  assert.equal(transformer.config.decoder_start_token_id, 0);
  assert.equal(transformer.config.scale_logits, false);
  assert.deepEqual(transformer.forward([5, 2], [6, 2]).logits.shape, [2, 640]);
  transformer.dispose();
});

/** The models at an address, and what was asked for. @param {import('node:test').TestContext} t */
async function serveFamilies(t) {
  /** @type {string[]} */
  const asked = [];
  const address = await listen(t, ({ url = '' }, response) => {
    asked.push(url);
    const file = new URL(url.slice(1), ROOT);
    if (!existsSync(file)) response.writeHead(404).end();
    else response.end(readFileSync(file));
  });
  return { address, asked };
}

test('availability knows the pairs of a model without heed.json, in a directory and at an address', async (t) => {
  const { address, asked } = await serveFamilies(t);
  for (const [name, pairs] of Object.entries({
    t5: { 'en de': 'available', 'en ja': 'unavailable', 'de en': 'unavailable' },
    't5-v1.1': { 'en de': 'available', 'en ja': 'available' }, // without tasks: any text
    nllb: { 'en de': 'available', 'zh-Hant pt-BR': 'available', 'en sr-Latn': 'unavailable', 'tlh en': 'unavailable' },
    m2m100: { 'en de': 'available', 'en-GB es-MX': 'available', 'en tlh': 'unavailable', 'en eo': 'unavailable' },
    mbart50: { 'en de': 'available', 'tlh en': 'unavailable', 'en sr': 'unavailable' },
  })) {
    for (const [pair, expected] of Object.entries(pairs)) {
      const [sourceLanguage, targetLanguage] = pair.split(' ');
      const options = { sourceLanguage, targetLanguage, model: placeOf(name) };
      assert.equal(await Translator.availability(options), expected, `${name}: ${pair}`);
      const remote = { ...options, model: `${address}${name}/`, cache: false };
      assert.equal(await Translator.availability(remote), expected === 'available' ? 'downloadable' : expected);
      if (expected === 'available') continue;
      await assert.rejects(Translator.create(options), { name: 'NotSupportedError' }, `${name}: ${pair}`);
    }
  }
  // small files alone; of the table of pieces, only whether it is there; of T5's pieces, the start
  const small = /(heed|config|tokenizer_config|vocab)\.json$|\/t5[^/]*\/spiece\.model$/;
  assert.deepEqual(asked.filter((url) => !small.test(url)), []);
});

test('pairs() lists what availability() answers for, of files of each kind', async (t) => {
  const { address, asked } = await serveFamilies(t);
  const languages = { nllb: 200, m2m100: 100, mbart50: 52 };
  for (const [name, count] of Object.entries({
    ...Object.fromEntries(Object.entries(languages).map(([family, n]) => [family, n * (n - 1)])),
    t5: 3, // its tasks
    't5-v1.1': 0, // it may do anything
  })) {
    const pairs = await Translator.pairs({ model: placeOf(name) });
    assert.equal(pairs.length, count, name);
    assert.equal(new Set(pairs.map((pair) => JSON.stringify(pair))).size, count, name);
    for (const pair of pairs.filter((_, i) => i % 199 === 0)) {
      const { sourceLanguage = '', targetLanguage } = pair;
      const options = { sourceLanguage, targetLanguage, model: placeOf(name) };
      assert.equal(await Translator.availability(options), 'available', `${name}: ${JSON.stringify(pair)}`);
    }
    assert.deepEqual(await Translator.pairs({ model: `${address}${name}/`, cache: false }), pairs, name);
  }
  assert.deepEqual(asked.filter((url) => /safetensors|bin$/.test(url)), []);
  const nllb = new Set((await Translator.pairs({ model: placeOf('nllb') })).map((pair) => pair.targetLanguage));
  for (const tag of ['ps', 'qu', 'ff', 'zh-Hans', 'zh-Hant', 'nb']) assert.ok(nllb.has(tag), tag);
  const mbart = await Translator.pairs({ model: placeOf('mbart50') });
  const names = mbart.map(({ sourceLanguage, targetLanguage }) => `${sourceLanguage} ${targetLanguage}`);
  assert.equal(names.filter((name) => name === 'en de').length, 1, 'en_XX and de_DE');

  const pieces = await madlad();
  const list = await Translator.pairs({ model: pieces });
  assert.deepEqual(list.find(({ targetLanguage }) => targetLanguage === 'pt'), { targetLanguage: 'pt' }, '<2pt_BR>');
  /** What OPUS-MT's models say. @param {object} vocab @param {object} settings @param {object} [manifest] */
  const opus = (vocab, settings, manifest = {}) => Translator.pairs({ model: Object.fromEntries(
    Object.entries({ 'config.json': { model_type: 'marian' }, 'vocab.json': vocab, 'tokenizer_config.json': settings,
      'heed.json': manifest })
      .map(([name, value]) => [name, new TextEncoder().encode(JSON.stringify(value))])) });
  assert.deepEqual(await opus({ '</s>': 0, '>>fra<<': 1, '>>es<<': 2 }, { source_lang: 'en', target_lang: 'roa' }),
    [{ sourceLanguage: 'en', targetLanguage: 'fr' }, { sourceLanguage: 'en', targetLanguage: 'es' }]);
  assert.deepEqual(await opus({ '</s>': 0 }, { source_lang: 'en', target_lang: 'de' }),
    [{ sourceLanguage: 'en', targetLanguage: 'de' }]);
  assert.deepEqual(await opus({ '</s>': 0 }, {}), []);
  for (const group of ['mul', 'gem', 'ROMANCE']) {
    assert.deepEqual(await opus({ '>>dan<<': 0 }, { source_lang: group }), [{ targetLanguage: 'da' }], group);
  }
  assert.deepEqual(await opus({ '>>dan<<': 0, '>>swe<<': 1 }, { source_lang: 'dan' }),
    [{ sourceLanguage: 'da', targetLanguage: 'sv' }]);
  assert.deepEqual(await opus({ '>>dan<<': 0 }, {}, { source: 'en' }),
    [{ sourceLanguage: 'en', targetLanguage: 'da' }]);
  await assert.rejects(Translator.pairs({ model: placeOf('nowhere') }), /config\.json is missing: there is no/);
  await assert.rejects(Translator.pairs(/** @type {any} */ ({ sourceLanguage: 'de' })), /unknown option/);
});

test('availability reads the languages of MADLAD from its pieces, the first of them if they tell', async (t) => {
  const model = await madlad();
  const texts = Array.from({ length: 12_000 }, (_, i) => ({ text: `text ${i}` }));
  /** A file that is longer than what is read at once. */
  const long = writeSpm([{ text: '<unk>', type: 2 }, { text: '<s>', type: 3 }, { text: '<2de>', type: 4 },
    { text: '<2xyz>', type: 6 }, ...texts, { text: '<2fr>' }], {});
  const targets = { de: 'available', 'pt-PT': 'available', zh: 'available', pl: 'unavailable', tlh: 'unavailable' };
  /** @type {Set<string>} */
  const asked = new Set();
  let pieces = model['spiece.model'];
  let isCut = false;
  const address = await listen(t, ({ url = '' }, response) => {
    const name = url.slice(1);
    asked.add(name);
    const bytes = name === 'spiece.model' ? pieces : model[name];
    if (!bytes) response.writeHead(404).end();
    else if (isCut && bytes === pieces) response.write(bytes.slice(0, 70_000)); // the rest never comes
    else response.end(bytes);
  });
  const ask = (/** @type {string} */ targetLanguage, /** @type {any} */ place = address) =>
    Translator.availability({ sourceLanguage: 'en', targetLanguage, model: place, cache: false });
  for (const [target, expected] of Object.entries(targets)) {
    assert.equal(await ask(target, model), expected, target);
    assert.equal(await ask(target), expected === 'available' ? 'downloadable' : expected, target);
  }
  pieces = long;
  assert.ok(long.length > 200_000);
  isCut = true;
  assert.equal(await ask('de'), 'downloadable');
  isCut = false;
  assert.equal(await ask('fr'), 'downloadable', 'after all texts');
  assert.equal(await ask('xyz'), 'unavailable', 'it is a byte');
  // protobuf's fields have no order, and some may be unknown
  const fields = readMessage(long, [1]);
  for (const { value } of fields) {
    if (Array.isArray(value)) value.unshift({ number: 200, wire: 1, value: new Uint8Array(8) });
  }
  const isPiece = (/** @type {typeof fields[0]} */ { number }) => number === 1;
  pieces = writeMessage([...fields.filter((field) => !isPiece(field)), ...fields.filter(isPiece)]);
  for (const target of ['de', 'fr']) assert.equal(await ask(target), 'downloadable', target);
  assert.equal(await ask('xyz'), 'unavailable');
  // a piece that is cut, and bytes that are no pieces: loading tells what is wrong
  pieces = long.slice(0, 50);
  assert.equal(await ask('de'), 'downloadable');
  pieces = new Uint8Array(100_000).fill(0xff);
  assert.equal(await ask('de'), 'downloadable');
  const read = ['config.json', 'heed.json', 'spiece.model', 'tokenizer_config.json', 'vocab.json'];
  assert.deepEqual([...asked].sort(), read);
});

test('a language that the files lack is refused before the weights are read', async (t) => {
  const model = await madlad();
  const weights = model['model.safetensors'];
  const head = 8 + Number(new DataView(weights.buffer, weights.byteOffset).getBigUint64(0, true));
  const address = await listen(t, ({ url = '' }, response) => {
    const bytes = model[url.slice(1)];
    if (!bytes) response.writeHead(404).end();
    else if (bytes === weights) response.write(weights.slice(0, head)); // of the weights, no byte ever comes
    else response.end(bytes);
  });
  const create = (/** @type {string} */ targetLanguage) =>
    Translator.create({ model: address, sourceLanguage: 'en', targetLanguage, signal: AbortSignal.timeout(20_000) });
  await assert.rejects(create('tlh'),
    { name: 'NotSupportedError', message: /^targetLanguage: found tlh, the model's are de, fr, pt_BR, zh_Latn$/ });
});

test('the language may be named by its code', async () => {
  const [by, named] = await Promise.all([{}, { language: 'deu_Latn' }].map((more) => Translator.create(
    { model: placeOf('nllb'), sourceLanguage: 'en', targetLanguage: 'de', ...more })));
  assert.equal(await named.translate('Hello.'), await by.translate('Hello.'));
  const unknown = { model: placeOf('nllb'), sourceLanguage: 'en', targetLanguage: 'de', language: 'de' };
  await assert.rejects(Translator.create(unknown), /language: found 'de', available/);
  for (const translator of [by, named]) translator.destroy();
});

test('a term of a glossary comes after the language of the translation', async () => {
  const translator = await Translator.create({ model: placeOf('nllb'), sourceLanguage: 'en', targetLanguage: 'de' });
  for (const [text, term] of [['The kitchen is small.', 'The'], ['Where is the station?', 'station']]) {
    const [{ target, targetTokens }] = await translator.translateDetailed(text, { glossary: { [term]: 'Bahnhof' } });
    assert.match(target, /Bahnhof/);
    assert.deepEqual(targetTokens.map(({ piece }) => piece === 'deu_Latn'), targetTokens.map((_, i) => i === 0));
  }
  translator.destroy();
});

test('mBART of 25 languages translates to the one that it starts with', async () => {
  const own = new URL('mbart25/tokenizer_config.json', ROOT);
  const names = readdirSync(new URL('mbart50/', ROOT))
    .filter((name) => /^(model|config|generation|sentence)/.test(name));
  const files = Object.fromEntries(names.map((name) =>
    [name, new Uint8Array(readFileSync(new URL(`mbart50/${name}`, ROOT)))]));
  const change = (/** @type {string} */ name, /** @type {object} */ more) =>
    new TextEncoder().encode(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(files[name])), ...more }));
  const start = { decoder_start_token_id: 403 }; // de_DE
  const model = { ...files, 'tokenizer_config.json': new Uint8Array(readFileSync(own)),
    'config.json': change('config.json', start), 'generation_config.json': change('generation_config.json', start) };
  const translator = await Translator.create({ model, sourceLanguage: 'en', targetLanguage: 'de' });
  const [{ sourceTokens, targetTokens }] = await translator.translateDetailed('Hello.');
  assert.deepEqual(sourceTokens.slice(-2).map(({ piece }) => piece), ['</s>', 'en_XX']);
  assert.notEqual(targetTokens[0].piece, 'de_DE');
  translator.destroy();
  await assert.rejects(Translator.create({ model, sourceLanguage: 'en', targetLanguage: 'fr' }),
    { name: 'NotSupportedError', message: "targetLanguage: found fr_XX, the model's is de_DE" });
});
