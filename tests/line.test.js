// line.test.js - the line to a worker when things go wrong: workers that are silent, options that cannot be sent, and
// programs that must end all the same. tests/worker-page.test.js has what only pages have.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { EventEmitter, on, once } from 'node:events';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { HeedError, Translator } from '../js/index.js';
import { checkGenerate } from '../js/model/options.js';
import { SHIPPED } from './model-files.js';

const run = promisify(execFile);
const PAIR = { sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED };
const INDEX = JSON.stringify(new URL('../js/index.js', import.meta.url).href);
const WORKER = JSON.stringify(new URL('../js/worker.js', import.meta.url).href);
const TEXT = 'I love you. Where is the nearest bank?';
const HAS = { config: {}, manifest: {}, defaults: {} };

/** A worker that runs this module. @param {string} program */
const workerOf = (program) => new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));

/** The end of the line that a worker has, in the hands of a test. */
class FakeWorker extends EventEmitter {
  /** @type {any[]} */
  received = [];

  postMessage({ heed: port }) {
    this.port = port;
    port.on('message', (message) => {
      this.received.push(message);
      this.emit('received', message);
    });
  }

  /** The next message with this key. @param {string} key */
  async next(key) {
    for (;;) {
      const found = this.received.findIndex((message) => key in message);
      if (found >= 0) return this.received.splice(found, 1)[0];
      await once(this, 'received');
    }
  }
}

/** A Translator over a FakeWorker. @param {object} [options] */
async function createFake(options) {
  const worker = new FakeWorker();
  const created = Translator.create({ ...PAIR, worker, ...options });
  while (!worker.port) await new Promise(setImmediate);
  worker.port.postMessage({ ready: true });
  const { id } = await worker.next('method');
  worker.port.postMessage({ id, value: HAS, info: {} });
  return { worker, translator: await created };
}

/** Whether the promise has ended once all that is on its way has arrived. @param {Promise<unknown>} promise */
async function hasEnded(promise) {
  let ended = false;
  promise.then(() => (ended = true), () => (ended = true));
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  return ended;
}

test('a worker that never answers: create() rejects after the timeout', async () => {
  const worker = new Worker('setInterval(() => {}, 1e6)', { eval: true });
  const start = performance.now();
  await assert.rejects(Translator.create({ ...PAIR, worker, timeout: 60 }), (error) => error instanceof HeedError
    && error.name === 'TimeoutError' && error.status === 'HEED_E_WASM'
    && /^worker: found no message in 60 ms, the option timeout: does it import 'heed\/worker'\?$/.test(error.message));
  assert.ok(performance.now() - start >= 59, 'not earlier'); // timers count whole milliseconds
  await worker.terminate();
});

test('the timeout is 30 s, and every message restarts it', async (t) => {
  const { worker, translator } = await createFake();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const call = translator.translate(TEXT);
  const { id } = await worker.next('method');
  t.mock.timers.tick(29_999);
  assert.equal(await hasEnded(call), false, 'before 30 s');
  for (const message of [{ id, event: 'so far' }, { isAlive: true }, { id: 1e6, value: 'of another call' }]) {
    worker.port.postMessage(message);
    assert.equal(await hasEnded(call), false);
    t.mock.timers.tick(29_999);
    assert.equal(await hasEnded(call), false, `30 s after ${JSON.stringify(message)}`);
  }
  // the clock ticks every 3 s
  t.mock.timers.tick(3001);
  await assert.rejects(call, { name: 'TimeoutError', message: /30000 ms/ });
  assert.deepEqual(await worker.next('abort'), { id, abort: true });
  translator.destroy();
});

test('a call that begins late has the whole time', async (t) => {
  const { worker, translator } = await createFake({ timeout: 1000 });
  t.mock.timers.enable({ apis: ['setInterval'] });
  const first = translator.translate(TEXT);
  await worker.next('method');
  t.mock.timers.tick(950);
  const second = translator.translate(TEXT);
  await worker.next('method');
  t.mock.timers.tick(50);
  await assert.rejects(first, { name: 'TimeoutError' });
  t.mock.timers.tick(949);
  assert.equal(await hasEnded(second), false);
  t.mock.timers.tick(101); // the clock ticks every 100 ms
  await assert.rejects(second, { name: 'TimeoutError' });
  translator.destroy();
});

test('a busy worker gives a sign of life before the translation is ready', async () => {
  const worker = new Worker(new URL('../js/worker.js', import.meta.url));
  const { port1: port, port2 } = new MessageChannel();
  const received = on(port, 'message');
  const next = async () => (await received.next()).value[0];
  worker.postMessage({ heed: port2 }, [port2]);
  assert.deepEqual(await next(), { ready: true });
  port.postMessage({ id: 0, method: 'create', args: [{ model: SHIPPED, source: 'en', target: 'de' }] });
  let answer;
  do answer = await next(); while (answer.event !== undefined);
  assert.equal(answer.error, undefined);
  const { config, defaults } = answer.value;
  port.postMessage({ id: 1, method: 'encode', args: [[TEXT]] });
  const [{ ids }] = (await next()).value;
  const search = checkGenerate({}, defaults, config);
  port.postMessage({ id: 2, method: 'generate', args: [Array(100).fill(ids), search, {}] });
  port.postMessage({ isAlive: true });
  assert.deepEqual(await next(), { isAlive: true });
  answer = await next();
  assert.deepEqual([answer.id, answer.error, answer.value.length], [2, undefined, 100]);
  port.close();
  await worker.terminate();
});

test('a worker that sleeps: calls end by their signal or the timeout; when it wakes, it translates', async (t) => {
  const worker = workerOf(`
    import ${WORKER};
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ sleep }) => {
      if (!sleep) return;
      parentPort.postMessage('sleeps');
      Atomics.wait(sleep, 0, 0);
    });`);
  const translator = await Translator.create({ ...PAIR, worker });
  const text = await translator.translate(TEXT);
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage({ sleep });
  await once(worker, 'message');

  t.mock.timers.enable({ apis: ['setInterval'] });
  const stop = new AbortController();
  const aborted = translator.translate(TEXT, { signal: stop.signal });
  const streamed = translator.translateStreaming(TEXT, { signal: stop.signal }).getReader().read();
  const silent = translator.translate(TEXT);
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(aborted, reason);
  await assert.rejects(streamed, reason);
  t.mock.timers.tick(33_000); // the clock ran when the call began
  const message = 'worker: found no message in 30000 ms, the option timeout';
  await assert.rejects(silent, { name: 'TimeoutError', message });
  t.mock.timers.reset();

  Atomics.store(sleep, 0, 1);
  Atomics.notify(sleep, 0);
  assert.equal(await translator.translate(TEXT), text);
  translator.destroy();
  await worker.terminate();
});

test('a signal aborts create() at once, in every state of the worker', async () => {
  const worker = new Worker('setInterval(() => {}, 1e6)', { eval: true });
  const stop = new AbortController();
  const created = Translator.create({ ...PAIR, worker, timeout: Infinity, signal: stop.signal });
  assert.equal(await hasEnded(created), false);
  const reason = new Error('enough');
  stop.abort(reason);
  await assert.rejects(created, reason);
  await worker.terminate();
});

test('a timeout is a number of milliseconds', async () => {
  for (const timeout of [0, -1, NaN, '30', null]) {
    await assert.rejects(Translator.create({ ...PAIR, timeout }), { name: 'TypeError', message: /^timeout: found / });
  }
});

test('a message that cannot be read at the other end rejects the calls', async () => {
  const { worker, translator } = await createFake();
  const call = translator.translate(TEXT);
  await worker.next('method');
  worker.port.postMessage({ isUnread: true });
  await assert.rejects(call, { name: 'TypeError', message: /cannot be read at the other end/ });
  translator.destroy();
});

/** What a program prints, which must end by itself. @param {string} program */
async function printed(program) {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', `
    import { Translator } from ${INDEX};
    const PAIR = ${JSON.stringify(PAIR)};
    const tell = ({ name, message }) => console.log(name + ': ' + message);
    ${program}`], { timeout: 60_000 });
  return stdout.trim().split('\n');
}

test('an option that cannot be sent, or is checked before, rejects by its name, and the program ends', async () => {
  const expected = 'expected what can be sent to a worker (structured clone)';
  assert.deepEqual(await printed(`
    for (const option of [{ wasm: () => {} }, { language: Symbol('x') }, { model: { 'config.json': () => {} } }]) {
      await Translator.create({ ...PAIR, worker: true, ...option }).catch(tell);
    }`), [
    `TypeError: wasm: found () => {}, ${expected}`,
    `TypeError: language: found Symbol(x), ${expected}`,
    `TypeError: model: found [object Object], ${expected}`,
  ]);
  assert.deepEqual(await printed(`
    const translator = await Translator.create({ ...PAIR, worker: true });
    await translator.translate('a', { glossary: { a: () => 'b' } }).catch(tell);
    await translator.translate(() => 'a').catch(tell);
    await translator.attention([5], () => [5]).catch(tell);
    await translator.inspect([5], [5], { names: new Proxy(['logits'], {}) }).catch(tell);
    const stream = translator.translateStreaming('a', { prefix: () => [5] });
    await stream.getReader().read().catch(tell);
    console.log(await translator.translate('Good morning.'));`), [
    "TypeError: glossary: a: found () => 'b', expected a text",
    "TypeError: input: found () => 'a', expected a string",
    `TypeError: input: found () => [5], ${expected}`,
    `TypeError: names: found [logits], ${expected}`,
    'TypeError: prefix: found () => [5], expected an array of ids',
    'Guten Morgen.',
  ]);
});

test('a program ends after a timeout, too', async () => {
  assert.deepEqual(await printed(`
    import { Worker } from 'node:worker_threads';
    const worker = new Worker('setInterval(() => {}, 1e6)', { eval: true });
    worker.unref();
    await Translator.create({ ...PAIR, worker, timeout: 50 }).catch(({ name }) => console.log(name));`),
  ['TimeoutError']);
});
