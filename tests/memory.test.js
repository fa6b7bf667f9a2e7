// When memory runs out: wherever it does, an error says so, and what was there before works on; and models that cannot
// fit are refused by what their files say of themselves, before those are downloaded.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { Trainer } from '../js/train.js';
import { limited } from './limited.js';
import { listen } from './listen.js';
import { bytes, changeJson, SHIPPED, readFiles, safetensors, TINY, unlisted } from './model-files.js';

/** Bytes of a page of wasm memory. */
const PAGE = 65536;

/** @param {RegExp} what */
const outOfMemory = (what) => (/** @type {any} */ error) => {
  assert.ok(error instanceof HeedError, error?.stack);
  assert.equal(error.status, 'HEED_E_MEMORY', error.message);
  assert.match(error.message, what);
  return true;
};

const SOURCE = [5, 9, 12, 0];

test('a model does not keep the files that it was loaded from', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const golden = (/** @type {string} */ name) => fileURLToPath(new URL(`golden/firefox/${name}`, import.meta.url));
  const load = async (/** @type {string} */ directory) => {
    const files = readFiles(directory);
    return { model: await Transformer.load(files), files: new WeakRef(files) };
  };
  const isFreed = async (/** @type {WeakRef<object>} */ files) => {
    // promises, streams and messages of workers are about to end; ten seconds are enough on a busy machine
    const deadline = performance.now() + 10_000;
    while (files.deref() && performance.now() < deadline) {
      await setTimeout(5);
      collect();
    }
    return files.deref() === undefined;
  };
  for (const directory of [TINY, golden('tiny-joint'), golden('memory-split')]) {
    const { model, files } = await load(directory);
    assert.ok(await isFreed(files), directory);
    assert.equal(model.generate([SOURCE], { maxTokens: 1 }).length, 1, 'the model is there');
    model.dispose();
  }
  // nor does a Translator, in this thread and in workers, whose signal is there still
  const { signal } = new AbortController();
  for (const options of [{ signal }, { worker: true, signal }, { workers: 1 }]) {
    const create = async () => {
      const files = readFiles(SHIPPED);
      const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
      return { files: new WeakRef(files), weights: new WeakRef(files['model.safetensors']),
        made: await Translator.create({ ...pair, model: files, ...options }) };
    };
    const { files, weights, made } = await create();
    assert.ok(await isFreed(files) && await isFreed(weights), JSON.stringify(options));
    assert.equal(await made.translate('Good morning.'), 'Guten Morgen.');
    // more than one worker translates at a time; it stays alone
    assert.equal((await made.translate(new Array(40).fill('Good morning.'))).length, 40);
    made.destroy();
  }
});

test('loading in any amount of memory: it loads whole, or says that there is not enough', async () => {
  const files = unlisted(readFiles(SHIPPED));
  const source = [46, 1140, 982, 6, 3, 2];
  const full = await Transformer.load(files);
  const expected = full.generate([source], { beams: 1, maxTokens: 8 })[0][0].ids;
  full.dispose();
  const met = new Set();
  // of the module's own data to what the model and a session take
  for (let pages = 8; pages <= 256; pages += 8) {
    try {
      const model = await Transformer.load(files, { wasm: limited('heed.wasm', pages), simd: 'simd128' });
      try {
        assert.deepEqual(model.generate([source], { beams: 1, maxTokens: 8 })[0][0].ids, expected);
        met.add('translated');
      } catch (error) {
        outOfMemory(/^a session for 6, 8, 1, 1 source tokens|of arguments$/)(error);
        met.add('session');
      }
      model.dispose();
    } catch (/** @type {any} */ error) {
      outOfMemory(/^(config\.json|(source|target)\.spm|sha256): out of memory|of arguments$/)(error);
      met.add(error.message.split(':')[0]);
    }
  }
  for (const place of ['config.json', 'source.spm', 'translated']) assert.ok(met.has(place), `${place}: ${[...met]}`);
});

test('a model still works after a request that does not fit in memory', async () => {
  const model = await Transformer.load(TINY, { wasm: limited('heed.wasm', 272), simd: 'simd128' });
  const expected = model.generate([SOURCE]);
  const maps = model.attention(SOURCE, SOURCE).cross.data;
  const long = new Int32Array(48).fill(5);
  for (let i = 0; i < 3; i++) {
    assert.throws(
      () => model.generate(Array(1024).fill(long), { beams: 64, batchSize: 1024 }),
      outOfMemory(/^a session for 48, \d+, 64, 1024 source tokens, .*: out of memory, HEED_E_MEMORY$/),
    );
    assert.deepEqual(model.generate([SOURCE]), expected, 'it translates as before');
    assert.deepEqual(model.attention(SOURCE, SOURCE).cross.data, maps);
  }
  model.dispose();
});

test('a text that there is no room for, and the next one', async () => {
  const wasm = limited('heed.wasm', 576);
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, wasm });
  const expected = await translator.translate('The house is small.');
  for (let i = 0; i < 3; i++) {
    // one word of ten million letters: the work of the tokenizer is thirty times the text
    const word = translator.tokenize('x'.repeat(10_000_000));
    await assert.rejects(word, outOfMemory(/^encode: out of memory|of arguments$/));
    assert.equal(await translator.translate('The house is small.'), expected);
  }
  translator.destroy();
});

test('a Trainer that there is no room for', async () => {
  const wasm = limited('heed-train.wasm', 264);
  const config = { d_model: 256, vocab_size: 8000, pad_token_id: 1, decoder_start_token_id: 1 };
  await assert.rejects(Trainer.create({ config }, { wasm }), outOfMemory(/out of memory, HEED_E_MEMORY$/));
  const small = {
    ...config, d_model: 16, vocab_size: 40, encoder_ffn_dim: 16, decoder_ffn_dim: 16, encoder_layers: 1,
    decoder_layers: 1, encoder_attention_heads: 2, decoder_attention_heads: 2, max_position_embeddings: 16,
  };
  const trainer = await Trainer.create({ config: small }, { wasm, maxTokens: 32 });
  const pairs = [{ source: [5, 6, 0], target: [7, 8, 0] }];
  assert.ok(Number.isFinite(trainer.step(pairs).loss));
});

test('weights of 6 GB are refused by their header', async (t) => {
  const embeddings = { dtype: 'F32', shape: [98_304, 16_384], data_offsets: [0, 98_304 * 16_384 * 4] };
  const sizes = { vocab_size: 98_304, decoder_vocab_size: 98_304, d_model: 16_384 };
  const listed = { 'model.safetensors': { size: 6_442_451_060, sha256: 'a'.repeat(64) } };
  const files = {
    ...changeJson(readFiles(TINY), 'config.json', (json) => ({ ...json, ...sizes })),
    'model.safetensors': safetensors({ 'model.shared.weight': embeddings }),
    'heed.json': bytes(JSON.stringify({ files: listed })),
  };
  let sent = 0;
  const asked = /** @type {string[]} */ ([]);
  const weights = function* () {
    for (let chunk = files['model.safetensors']; ; chunk = new Uint8Array(PAGE)) {
      sent += chunk.length; // as much as the sockets of both sides hold, before anything is read
      yield chunk;
    }
  };
  const address = await listen(t, (request, response) => {
    const name = String(request.url).slice(1);
    asked.push(name);
    if (!(name in files)) response.writeHead(404).end();
    else if (name !== 'model.safetensors') response.end(files[/** @type {keyof typeof files} */ (name)]);
    else {
      response.writeHead(200, { 'content-length': 6_442_451_060 });
      pipeline(Readable.from(weights()), response).catch(() => {}); // the client has enough
    }
  });
  for (const dtype of /** @type {const} */ (['auto', 'f32'])) {
    await assert.rejects(
      Transformer.load(address, { dtype }),
      outOfMemory(/^config\.json: out of memory, HEED_E_MEMORY$/),
    );
  }
  assert.equal(asked.filter((name) => name === 'model.safetensors').length, 2, 'once each');
  assert.ok(sent < 2 ** 25, `${sent} bytes of 6 GB were sent`);
});
