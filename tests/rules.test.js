// rules.test.js - the rules of the Translator API, in Node and in Chromium, in the calling thread and in a worker; and
// those that need a server or a directory to be seen.
import test from 'node:test';
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Translator } from '../js/index.js';
import { reportOf } from './browser/hosts.js';
import { survey } from './browser/rules.js';
import { serve as servePage } from './browser/server.js';
import { SHIPPED, readFiles, TINY } from './model-files.js';
import { serve } from './served-model.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };

/** @param {import('node:test').TestContext} t @param {Record<string, string>} found */
async function check(t, found) {
  assert.ok(Object.keys(found).length > 15, 'the rules were tried');
  for (const [rule, error] of Object.entries(found)) await t.test(rule, () => assert.equal(error, ''));
}

for (const worker of [false, true]) {
  test(`Node, ${worker ? 'in a worker' : 'in the calling thread'}`, async (t) => check(t, await survey({ worker })));
}

test('Chromium', async (t) => {
  const { error, ...found } = await reportOf(await servePage({ page: 'tests/browser/rules.html' }));
  assert.equal(error, undefined);
  for (const [where, rules] of Object.entries(found)) await t.test(where, (u) => check(u, rules));
});

test('another pair than the one asked for is refused after heed.json, before the weights', async (t) => {
  const state = await serve(t);
  state.files = readFiles(SHIPPED);
  const model = state.address;
  for (const worker of [false, true]) {
    for (const [sourceLanguage, targetLanguage] of [['en', 'it'], ['it', 'en']]) {
      state.asked = [];
      await assert.rejects(Translator.create({ sourceLanguage, targetLanguage, model, worker }),
        { name: 'NotSupportedError' });
      assert.deepEqual(state.asked, ['heed.json']);
    }
  }
  state.asked = [];
  (await Translator.create({ ...PAIR, model })).destroy();
  assert.ok(state.asked.includes('model.safetensors'), 'the right pair is downloaded');
});

test('a download that breaks is a NetworkError, with its cause', async (t) => {
  const state = await serve(t);
  state.before = (name, request) => name === 'config.json' && Boolean(request.socket.destroy());
  for (const worker of [false, true]) {
    await assert.rejects(Translator.create({ ...PAIR, model: state.address, worker }), (/** @type {any} */ error) => {
      assert.ok(error instanceof DOMException);
      assert.equal(error.name, 'NetworkError');
      assert.match(error.message, /config\.json: cannot be reached/);
      if (!worker) assert.equal(error.cause.status, 'HEED_E_FILE');
      return true;
    });
  }
});

test('availability of a model at an address', async (t) => {
  const state = await serve(t);
  const options = { ...PAIR, model: state.address, cache: state.cache };
  state.files = {};
  assert.equal(await Translator.availability(options), 'unavailable');
  state.files = readFiles(SHIPPED);
  assert.equal(await Translator.availability(options), 'downloadable');
  assert.equal(await Translator.availability({ ...options, targetLanguage: 'it' }), 'unavailable');
  assert.ok(!state.asked.includes('model.safetensors'), 'to look downloads no weights');
  (await Translator.create(options)).destroy();
  assert.equal(await Translator.availability(options), 'available');
  assert.equal(await Translator.availability({ ...options, cache: false }), 'downloadable');
  state.down = true;
  assert.equal(await Translator.availability(options), 'available');
  await assert.rejects(Translator.availability({ ...options, cache: false }), { name: 'NetworkError' });
});

test('availability of a directory and of given files: all needed files must exist', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'heed-there-'));
  t.after(() => rm(directory, { recursive: true }));
  const availability = (/** @type {any} */ model) => Translator.availability({ ...PAIR, model });
  assert.equal(await availability(SHIPPED), 'available');
  assert.equal(await availability(join(directory, 'nowhere')), 'unavailable');
  assert.equal(await availability(directory), 'unavailable', 'it is empty');
  assert.equal(await availability(`${SHIPPED}/config.json`), 'unavailable', 'it is a file');
  assert.equal(await availability(TINY), 'unavailable', 'it has no tokenizers');
  for (const name of ['config.json', 'model.safetensors', 'source.spm', 'vocab.json']) {
    const copy = join(directory, name);
    await cp(SHIPPED, copy, { recursive: true });
    assert.equal(await availability(copy), 'available');
    await truncate(join(copy, name), 100);
    assert.equal(await availability(copy), 'unavailable', `${name} is cut short`);
    await rm(join(copy, name));
    assert.equal(await availability(copy), 'unavailable', `${name} is missing`);
    await rm(join(copy, 'heed.json'));
    assert.equal(await availability(copy), 'unavailable', `${name} is missing, and nothing lists it`);
    const { [name]: _, ...others } = readFiles(SHIPPED);
    assert.equal(await availability(others), 'unavailable', `${name} is not given`);
  }
  const { 'heed.json': _, ...unlisted } = readFiles(SHIPPED);
  assert.equal(await availability(unlisted), 'available');
  assert.equal(await availability(readFiles(SHIPPED)), 'available');
});
