// leaks.test.js - fifty streams, translators and aborted calls leave nothing behind: no listener, no handle of Node, no
// object of the calling thread or of a worker, no memory of WebAssembly.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import * as v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Translator } from '../js/index.js';
import { modelFiles } from './mutate/model.js';

/** A model of ten kilobytes: its texts are of no sense. */
const PAIR = { sourceLanguage: 'en', targetLanguage: 'fr', model: modelFiles() };
const TEXT = 'abc ab c. '.repeat(20);
/** Not translated before it is aborted. */
const LONG = TEXT.repeat(50);
const TIMES = 50;
/** Objects that may be left by chance: the last ones are held by what has just run. */
const SPARE = 5;
/** Milliseconds in which what ends in another thread has ended: far more than it takes on two busy cores. */
const LIMIT = 60_000;
const skip = !v8.queryObjects && 'this Node has no v8.queryObjects';

/** @type {string[]} */
const warnings = [];
const note = (/** @type {Error} */ { name, message }) => {
  if (name !== 'ExperimentalWarning') warnings.push(`${name}: ${message}`);
};
process.on('warning', note);
after(() => process.off('warning', note));

/** What is on its way has arrived, and ports that were closed are gone. */
async function settle() {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

/** Once all has come to its end, no more listens to a signal. @param {AbortSignal} signal @param {string} what */
async function checkListeners(signal, what) {
  const count = () => getEventListeners(signal, 'abort').length;
  for (const end = Date.now() + LIMIT; count() > 0 && Date.now() < end;) await settle();
  assert.equal(count(), 0, `listeners of ${what}`);
}

/** Handles of Node by kind. */
function handles() {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Objects of this thread by kind. */
const objects = () => Object.fromEntries(
  Object.entries({ Translator, ReadableStream, AbortController, Memory: WebAssembly.Memory, MessagePort }).map(
    ([name, type]) => [name, v8.queryObjects(type, { format: 'count' })]));

/** All that is counted. @param {Worker} [worker] @returns {Promise<Record<string, number>>} */
async function countAll(worker) {
  await settle();
  const counts = { ...handles(), ...objects() };
  if (!worker) return counts;
  worker.postMessage('count');
  const [there] = await once(worker, 'message');
  for (const [kind, count] of Object.entries(there)) counts[`${kind}, in the worker`] = count;
  return counts;
}

/**
 * Some objects are freed at a second look only: a port has two ends.
 *
 * @param {Record<string, number>} before
 * @param {Worker} [worker]
 */
async function checkCounts(before, worker) {
  for (const end = Date.now() + LIMIT; ;) {
    const found = await countAll(worker);
    const more = Object.entries(found).filter(([kind, count]) => count > (before[kind] ?? 0) + SPARE);
    if (more.length === 0) return;
    const told = more.map(([kind, count]) => `${count} ${kind}, ${before[kind] ?? 0} before`);
    assert.ok(Date.now() < end, told.join('; '));
  }
}

/** What is done fifty times with a Translator, with one signal for all of them and one for each. */
const CALLS = {
  async 'calls'(translator, signal) {
    await translator.translate('a', { signal });
    await translator.translateDetailed('a', { signal });
    await translator.measureInputUsage('a', { signal });
  },
  async 'streams that are read'(translator, signal) {
    const stream = translator.translateStreaming('a', { signal });
    for await (const piece of stream) assert.equal(typeof piece, 'string');
  },
  async 'streams that are cancelled'(translator, signal) {
    const reader = translator.translateStreaming(TEXT, { signal }).getReader();
    await reader.read();
    await reader.cancel('enough');
  },
  async 'streams that are aborted'(translator) {
    const stop = new AbortController();
    const reader = translator.translateStreaming(LONG, { signal: stop.signal }).getReader();
    await reader.read();
    stop.abort();
    await assert.rejects(reader.read(), { name: 'AbortError' });
    await checkListeners(stop.signal, 'an aborted stream');
  },
  async 'calls that are aborted'(translator) {
    const stop = new AbortController();
    const call = translator.translate(LONG, { signal: stop.signal });
    await new Promise(setImmediate);
    stop.abort();
    await assert.rejects(call, { name: 'AbortError' });
    await checkListeners(stop.signal, 'an aborted call');
  },
  async 'calls with wrong options'(translator, signal) {
    await assert.rejects(translator.translate('a', { signal, beams: 0 }), RangeError);
    await assert.rejects(translator.translate('a', { signal, prefix: /** @type {any} */ (() => 1) }), TypeError);
  },
  async 'streams with wrong options'(translator, signal) {
    const stream = translator.translateStreaming('a', { signal, beams: 0 });
    await assert.rejects(stream.getReader().read(), RangeError);
  },
};

/** @param {import('node:test').TestContext} t @param {string} where */
function startWorker(t, where) {
  if (where !== 'a worker') return undefined;
  const worker = new Worker(new URL('leaks-worker.js', import.meta.url));
  t.after(() => worker.terminate());
  return worker;
}

for (const where of ['this thread', 'a worker']) {
  test(`in ${where}: calls leave nothing`, { skip }, async (t) => {
    const worker = startWorker(t, where);
    const translator = await Translator.create({ ...PAIR, ...(worker && { worker }) });
    const { signal } = new AbortController();
    for (const call of Object.values(CALLS)) await call(translator, signal);
    const before = await countAll(worker);
    for (const [what, call] of Object.entries(CALLS)) {
      for (let i = 0; i < TIMES; i++) await call(translator, signal);
      await checkListeners(signal, what);
    }
    await checkCounts(before, worker);
    translator.destroy();
  });

  test(`in ${where}: translators leave nothing`, { skip }, async (t) => {
    const worker = startWorker(t, where);
    const { signal } = new AbortController();
    const options = { ...PAIR, signal, ...(worker && { worker }) };
    let aborted = 0;
    const ways = {
      destroyed: async () => (await Translator.create(options)).destroy(),
      // all that are there at once share the listeners of the worker
      'destroyed together': async () => {
        const all = await Promise.all(Array.from({ length: 11 }, () => Translator.create(options)));
        for (const translator of all) translator.destroy();
      },
      aborted: async () => {
        const stop = new AbortController();
        const created = Translator.create({ ...options, signal: stop.signal });
        await new Promise(setImmediate);
        stop.abort();
        // where this thread had to wait for the processor, the worker may have been faster: the signal ends it later
        await created.then(() => {}, ({ name }) => {
          assert.equal(name, 'AbortError');
          aborted++;
        });
        await checkListeners(stop.signal, 'an aborted create()');
      },
      refused: async () => {
        await assert.rejects(Translator.create({ ...options, targetLanguage: 'de' }), { name: 'NotSupportedError' });
      },
    };
    for (const way of Object.values(ways)) await way();
    const listeners = () => (worker ? worker.listenerCount('error') + worker.listenerCount('exit') : 0);
    const before = await countAll(worker);
    for (const [what, way] of Object.entries(ways)) {
      for (let i = 0; i < (what === 'destroyed together' ? TIMES / 10 : TIMES); i++) await way();
      await checkListeners(signal, what);
      assert.equal(listeners(), 0, `${what}: listeners on the worker`);
    }
    await checkCounts(before, worker);
    assert.ok(aborted > TIMES / 2, `${aborted} were aborted before they were there`);
  });
}

test('workers of its own end with their Translators', { skip }, async () => {
  const round = async () => (await Translator.create({ ...PAIR, worker: true })).destroy();
  await round();
  const before = await countAll();
  for (let i = 0; i < 10; i++) await round();
  await checkCounts(before);
});

test('there is no warning of too many listeners', async () => {
  await new Promise(setImmediate);
  assert.deepEqual(warnings, []);
});
