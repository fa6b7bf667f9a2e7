// worker.test.js - a Translator whose model is in a worker of Node: the same results, errors, signals and streams as in
// the calling thread, and nothing left behind.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { HeedError, Translator } from '../js/index.js';
import { SHIPPED, readFiles, TINY } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const TEXTS = ['Good morning.', 'Can you help me?', 'I love you. Where is the nearest bank?', ' \n'];

const here = await Translator.create({ ...PAIR, model: SHIPPED });
const there = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
after(() => {
  here.destroy();
  there.destroy();
});

/** @param {ReadableStream<string>} stream */
async function collect(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

/** What an error tells. @param {() => Promise<unknown>} f */
async function errorOf(f) {
  const error = await f().then(() => assert.fail('no error'), (e) => e);
  const { name, message, code, status } = error;
  return { type: error.constructor.name, name, message, code, status };
}

test('it is a Translator, and says where it is', () => {
  assert.ok(there instanceof Translator);
  const { memoryBytes: _, ...info } = here.info;
  const { memoryBytes, ...thereInfo } = there.info;
  assert.deepEqual(thereInfo, { ...info, worker: true });
  assert.ok(memoryBytes > info.weightBytes);
  assert.equal(here.info.worker, false);
  for (const name of ['sourceLanguage', 'targetLanguage', 'inputQuota', 'config', 'manifest']) {
    assert.deepEqual(there[name], here[name], name);
  }
});

test('every method gives what it gives here', async () => {
  assert.deepEqual(await there.translate(TEXTS), await here.translate(TEXTS));
  assert.equal(await there.translate(TEXTS[0]), await here.translate(TEXTS[0]));
  assert.equal(await there.measureInputUsage(TEXTS[2]), await here.measureInputUsage(TEXTS[2]));
  const options = { attention: true, beams: 3, nBest: 2, disabledHeads: [{ stack: 'cross', layer: 0, head: 1 }] };
  const details = await there.translateDetailed(TEXTS[2], options);
  assert.deepEqual(details, await here.translateDetailed(TEXTS[2], options));
  const encoded = await there.tokenize(TEXTS[1]);
  assert.deepEqual(encoded, await here.tokenize(TEXTS[1]));
  assert.equal(await there.detokenize(encoded.ids), await here.detokenize(encoded.ids));
  const maps = await there.attention(encoded.ids, encoded.ids);
  assert.deepEqual(maps, await here.attention(encoded.ids, encoded.ids));
});

test('a stream gives the same pieces, and can be cancelled', async () => {
  assert.deepEqual(await collect(there.translateStreaming(TEXTS[2])), await collect(here.translateStreaming(TEXTS[2])));
  const reader = there.translateStreaming(TEXTS[2].repeat(20)).getReader();
  await reader.read();
  await reader.cancel('enough');
  assert.equal(await there.translate(TEXTS[0]), await here.translate(TEXTS[0]));
});

test('errors are of the same kind, and the model still works', async () => {
  for (const [input, options] of [[5], ['a', { beams: 'x' }], ['a', { beams: 1e9 }], ['a', { prefix: [-1] }]]) {
    const translate = (/** @type {any} */ translator) => () => translator.translate(input, options);
    assert.deepEqual(await errorOf(translate(there)), await errorOf(translate(here)));
  }
  for (const model of ['/nowhere', TINY, { 'config.json': new Uint8Array([1]) }]) {
    const create = (/** @type {boolean} */ worker) => () => Translator.create({ ...PAIR, model, worker });
    assert.deepEqual(await errorOf(create(true)), await errorOf(create(false)));
  }
  assert.equal((await errorOf(() => Translator.create({ ...PAIR, model: '/nowhere', worker: true }))).type,
    'HeedError');
  assert.equal(await there.translate(TEXTS[0]), await here.translate(TEXTS[0]));
});

test('a signal ends a call, a stream and a load, with its reason', async () => {
  const long = TEXTS[2].repeat(50);
  const reason = new Error('changed my mind');
  const abortSoon = () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort(reason));
    return controller.signal;
  };
  await assert.rejects(there.translate(long, { signal: abortSoon() }), reason);
  await assert.rejects(collect(there.translateStreaming(long, { signal: abortSoon() })), reason);
  await assert.rejects(there.translate('a', { signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const load = Translator.create({ ...PAIR, model: SHIPPED, worker: true, signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(load, reason);
  // what was given up does not hold back what follows: the whole text takes many times as long as one sentence
  assert.equal(await there.translate(TEXTS[0]), await here.translate(TEXTS[0]));
});

test('progress goes from 0 to 1; files given as bytes arrive', async () => {
  /** @type {number[]} */
  const seen = [];
  const monitor = (/** @type {EventTarget} */ target) =>
    target.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) => seen.push(loaded));
  const translator = await Translator.create({ ...PAIR, model: readFiles(SHIPPED), worker: true, monitor });
  assert.deepEqual([seen[0], seen.at(-1)], [0, 1]);
  assert.equal(await translator.translate(TEXTS[0]), await here.translate(TEXTS[0]));
  translator.destroy();
});

test('destroy() ends what runs; later calls say so', async () => {
  const translator = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
  const running = translator.translate(TEXTS[2].repeat(50));
  translator.destroy();
  translator.destroy();
  await assert.rejects(running, { name: 'AbortError' });
  assert.equal((await errorOf(() => translator.translate('a'))).name, 'AbortError');
});

test('a worker of one\'s own, for several models, stays', async () => {
  const worker = new Worker(new URL('../js/worker.js', import.meta.url));
  const [one, two] = await Promise.all([1, 2].map(() => Translator.create({ ...PAIR, model: SHIPPED, worker })));
  one.destroy();
  assert.equal(await two.translate(TEXTS[0]), await here.translate(TEXTS[0]));
  two.destroy();
  await worker.terminate();
});

test('a worker that dies ends every call, with a word', async () => {
  const worker = new Worker(new URL('../js/worker.js', import.meta.url));
  const translator = await Translator.create({ ...PAIR, model: SHIPPED, worker });
  const running = translator.translate(TEXTS[2].repeat(50));
  void worker.terminate();
  await assert.rejects(running, (error) => error instanceof HeedError && /worker: it has ended/.test(error.message));
  await assert.rejects(translator.translate('a'), /worker: it has ended/);
  const broken = new Worker('throw new Error("no")', { eval: true });
  await assert.rejects(Translator.create({ ...PAIR, model: SHIPPED, worker: broken }), /worker: no/);
});

test('a program with an idle Translator ends by itself', async () => {
  const program = `
    import { Translator } from ${JSON.stringify(fileURLToPath(new URL('../js/index.js', import.meta.url)))};
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', worker: true,
      model: ${JSON.stringify(SHIPPED)} });
    console.log(await translator.translate('Good morning.'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program],
    { timeout: 60_000 });
  assert.equal(stdout.trim(), await here.translate(TEXTS[0]));
});
