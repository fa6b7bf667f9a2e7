// door.test.js - wrong options and sources are named, in the calling thread and in a worker; tags of languages are read
// as people write them; many calls may share a signal.
import test from 'node:test';
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { loadOps, Transformer, Translator } from '../js/index.js';
import { changeJson, SHIPPED, TINY, withLanguages } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED };
const named = (/** @type {string} */ name) => ({ name: 'TypeError', message: new RegExp(`^${name}: found `) });

for (const worker of [false, true]) {
  test(`options of a Translator, ${worker ? 'in a worker' : 'here'}`, async () => {
    const translator = /** @type {any} */ (await Translator.create({ ...PAIR, worker }));
    const ways = {
      translate: (/** @type {any} */ text, /** @type {any} */ options) => translator.translate(text, options),
      translateDetailed: (/** @type {any} */ text, /** @type {any} */ options) =>
        translator.translateDetailed(text, options),
      translateStreaming: async (/** @type {any} */ text, /** @type {any} */ options) =>
        translator.translateStreaming(text, options).getReader().read(),
    };
    for (const [way, call] of Object.entries(ways)) {
      for (const options of [null, 5]) await assert.rejects(call('a', options), named('options'), way);
      await assert.rejects(call(' \n', { beams: 'x' }), named('beams'), `${way} of white space`);
      await assert.rejects(call('a', { signal: 5 }), named('signal'), way);
      for (const keep of [true, false]) await assert.rejects(call([Symbol('a')], { keep }), named('input'), way);
    }
    await assert.rejects(translator.attention([1, 0], [1, 0], null), named('options'));
    translator.destroy();
  });
}

test('options of loading', async () => {
  const load = (/** @type {any} */ options) => Transformer.load(TINY, options);
  for (const options of [null, 5]) await assert.rejects(load(options), named('options'));
  for (const name of ['signal', 'onProgress', 'cache', 'dtype']) await assert.rejects(load({ [name]: 5 }), named(name));
  for (const options of [null, 5]) await assert.rejects(loadOps(/** @type {any} */ (options)), named('options'));
  await assert.rejects(Translator.create(/** @type {any} */ ({ ...PAIR, monitor: 5 })), named('monitor'));
  for (const source of [new Blob(), new ArrayBuffer(1), [], new Map()]) {
    await assert.rejects(Transformer.load(/** @type {any} */ (source)), named('source'));
  }
});

test('en_US in heed.json is English; the token de serves Austria', async () => {
  const stating = (/** @type {object} */ languages) =>
    changeJson(withLanguages('>>de<<'), 'heed.json', ({ source: _, target: __, pairs: ___, ...json }) =>
      ({ ...json, ...languages }));
  const files = stating({ source: 'en_US', target: 'de' });
  (await Translator.create({ ...PAIR, model: files })).destroy();
  await assert.rejects(Translator.create({ ...PAIR, model: files, sourceLanguage: 'fr' }),
    { name: 'NotSupportedError' });
  const several = stating({ source: 'en' });
  (await Translator.create({ ...PAIR, model: several, targetLanguage: 'de-AT' })).destroy();
  await assert.rejects(Translator.create({ ...PAIR, model: several, targetLanguage: 'fr' }),
    { name: 'NotSupportedError' });
});

test('thirty calls share one signal without a warning', async () => {
  /** @type {string[]} */
  const warned = [];
  const listen = (/** @type {Error} */ { message }) => warned.push(message);
  process.on('warning', listen);
  const translator = await Translator.create(PAIR);
  const { signal } = new AbortController();
  const read = async () => {
    for await (const _ of translator.translateStreaming('a', { signal }));
  };
  await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 3 ? translator.translate('a', { signal }) : read())));
  await setImmediate(); // a warning is an event of the next tick
  process.off('warning', listen);
  assert.deepEqual(warned, []);
  translator.destroy();
});
