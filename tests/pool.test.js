// pool.test.js - a Translator of several workers in Node: the results of one, one download, aborts, progress, workers
// that are lost; `heed translate --jobs`.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import threads from 'node:worker_threads';
import { E_WASM } from '../js/base/constants.js';
import { BROKE, ELSEWHERE, HeedError } from '../js/base/errors.js';
import { poolOf } from '../js/engine/pool.js';
import { Translator } from '../js/index.js';
import { FileRecord } from '../js/files/record.js';
import { readFiles, SHIPPED, TINY } from './model-files.js';
import { serve } from './served-model.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const WORDS = ['house', 'small dog', 'train to Berlin', 'letter', 'question', 'long and very beautiful summer', 'cat'];
/** So many that each of three workers has several chunks. */
const TEXTS = Array.from({ length: 66 }, (_, i) => `The ${WORDS[i % 7]} is number ${i}.${i % 9 ? '' : ' I see it.'}`);
const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));

/** All workers that were started, so that a test can end one. @type {threads.Worker[]} */
const started = [];
threads.Worker = class extends threads.Worker {
  /** @param {ConstructorParameters<typeof threads.Worker>} args */
  constructor(...args) {
    super(...args);
    started.push(this);
  }
};
syncBuiltinESMExports();

const one = await Translator.create({ ...PAIR, model: SHIPPED });
const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 3 });
const expected = await one.translate(TEXTS);
after(() => {
  one.destroy();
  pool.destroy();
});

test('three workers give what one thread gives, in its order', async () => {
  assert.deepEqual(await pool.translate(TEXTS), expected);
  const { memoryBytes, ...info } = pool.info;
  const { memoryBytes: _, ...own } = one.info;
  assert.deepEqual(info, { ...own, worker: true, workers: 3 });
  assert.ok(memoryBytes > 3 * info.weightBytes);
  const detailed = { beams: 3, nBest: 2, attention: true };
  const long = TEXTS.slice(0, 30).join(' ');
  assert.deepEqual(await pool.translateDetailed(long, detailed), await one.translateDetailed(long, detailed));
  const pieces = [];
  for await (const piece of pool.translateStreaming(TEXTS[0])) pieces.push(piece);
  assert.equal(pieces.join(''), expected[0]);
  assert.deepEqual(await pool.translate([]), []);
});

test('calls at the same time have their own results', async () => {
  const calls = [TEXTS, TEXTS.slice(30), TEXTS.slice(0, 3), [...TEXTS].reverse()];
  assert.deepEqual(await Promise.all(calls.map((call) => pool.translate(call))),
    [expected, expected.slice(30), expected.slice(0, 3), [...expected].reverse()]);
});

test('an abort ends the work of all workers, with its reason; so does a wrong option', async () => {
  const controller = new AbortController();
  const reason = new Error('changed my mind');
  const aborted = pool.translate(TEXTS, { signal: controller.signal });
  setImmediate(() => controller.abort(reason));
  await assert.rejects(aborted, reason);
  await assert.rejects(pool.translate(TEXTS, { signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(pool.translate(TEXTS, { prefix: [-1] }), { message: /^prefix\[0\]: found id -1/ });
  assert.deepEqual(await pool.translate(TEXTS.slice(0, 20)), expected.slice(0, 20));
});

test('a model at a URL is downloaded once, and its bytes are one copy', async (t) => {
  const state = await serve(t);
  state.files = readFiles(SHIPPED);
  const seen = [];
  const translator = await Translator.create({ ...PAIR, model: state.address, workers: 3,
    monitor: (m) => m.addEventListener('downloadprogress', ({ loaded }) => seen.push(loaded)) });
  t.after(() => translator.destroy());
  assert.ok(state.asked.includes('model.safetensors'));
  assert.deepEqual(state.asked.filter((name, i) => state.asked.indexOf(name) < i), [], 'asked twice');
  assert.deepEqual([seen[0], seen.at(-1), seen.filter((loaded) => loaded === 1).length], [0, 1, 1]);
  assert.ok(seen.length > 5 && seen.every((loaded, i) => i === 0 || loaded > seen[i - 1]));
  assert.deepEqual(await translator.translate(TEXTS.slice(0, 40)), expected.slice(0, 40));

  const record = new FileRecord();
  for (const [name, parts] of Object.entries({ 'config.json': ['a', 'bc'], 'model.safetensors': ['d', 'e'], x: [] })) {
    const left = parts.map((part) => Buffer.from(part));
    const chunks = record.keep(name, { next: async () => left.shift() ?? null, close: async () => {} }, 2);
    assert.equal(record.files === undefined, name !== 'x', 'all files, or none');
    while (await chunks.next());
  }
  const found = Object.entries(record.files ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]);
  assert.deepEqual(found, [['config.json', 'abc'], ['model.safetensors', 'de'], ['x', '']]);
  for (const { buffer } of Object.values(record.files ?? {})) assert.ok(buffer instanceof SharedArrayBuffer);
});

test('a worker that is lost takes nothing with it; after the last there is an error, and others start', async (t) => {
  const { mock } = t.mock.method(console, 'warn', () => {});
  const from = started.length;
  const translator = await Translator.create({ ...PAIR, model: SHIPPED, workers: 3 });
  const [first, second, third] = started.slice(from);
  const { postMessage } = MessagePort.prototype;
  const asked = new Promise((resolve) => {
    let count = 0;
    t.mock.method(MessagePort.prototype, 'postMessage', function (/** @type {any[]} */ ...args) {
      if (args[0]?.method === 'generate' && ++count === 3) resolve(undefined);
      return Reflect.apply(postMessage, this, args);
    });
  });
  const running = translator.translate(TEXTS);
  await asked; // each has sentences
  await second.terminate();
  assert.deepEqual(await running, expected);
  assert.equal(translator.info.workers, 2);
  assert.equal(mock.callCount(), 1);
  assert.match(mock.calls[0].arguments[0], /^heed: a worker is lost, its sentences go to the other 2: worker: /);
  await first.terminate(); // which also encodes texts
  assert.deepEqual(await translator.translate(TEXTS), expected);
  assert.equal(translator.info.workers, 1);
  await third.terminate();
  await assert.rejects(translator.translate(TEXTS), { status: 'HEED_E_WASM', message: 'worker: it has ended' });
  assert.deepEqual(await translator.translate(TEXTS), expected);
  assert.equal(translator.info.workers, 3);
  translator.destroy();
});

test('if a worker cannot load the model, create() throws and ends all', async () => {
  const from = started.length;
  for (const workers of [1, 3]) {
    await assert.rejects(Translator.create({ ...PAIR, model: '/nowhere', workers }), /config\.json is missing/);
  }
  const controller = new AbortController();
  const stopped = Translator.create({ ...PAIR, model: SHIPPED, workers: 3, signal: controller.signal });
  setImmediate(() => controller.abort(new Error('enough')));
  await assert.rejects(stopped, /^Error: enough$/);
  await Promise.all(started.slice(from).map((worker) => worker.terminate()));
});

test('without a number, one worker becomes several while there is much to do', async (t) => {
  t.mock.method(os, 'availableParallelism', () => 8);
  syncBuiltinESMExports();
  t.after(() => syncBuiltinESMExports());
  const from = started.length;
  const translator = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
  t.after(() => translator.destroy());
  const { postMessage } = MessagePort.prototype;
  /** Which worker got sentences, and how many. @type {Map<unknown, number>} */
  const got = new Map();
  /** Until the others are there, the first worker gets no sentences. @type {(() => void)[] | undefined} */
  let held;
  t.mock.method(MessagePort.prototype, 'postMessage', function (/** @type {any[]} */ ...args) {
    if (args[0]?.method !== 'generate') return Reflect.apply(postMessage, this, args);
    got.set(this, (got.get(this) ?? 0) + args[0].args[0].length);
    const send = () => Reflect.apply(postMessage, this, args);
    return held ? void held.push(send) : send();
  });
  assert.deepEqual(await translator.translate(TEXTS.slice(0, 20)), expected.slice(0, 20));
  assert.deepEqual([started.length - from, translator.info.workers], [1, undefined], 'one, for short texts');

  const many = [...TEXTS, ...TEXTS];
  held = [];
  const call = translator.translate(many);
  for (let i = 0; translator.info.workers !== 4 && i < 600; i++) await sleep(50);
  const now = held;
  held = undefined;
  for (const send of now) send();
  assert.deepEqual(await call, [...expected, ...expected]);
  assert.deepEqual([started.length - from, translator.info.workers], [4, 4], 'four at most');
  assert.equal(got.size, 4, 'all have worked for the call that started them');
  const running = translator.translate(many);
  translator.destroy();
  await assert.rejects(running, { name: 'AbortError' });
});

test('no second worker by itself where it would download again, or find another model', async (t) => {
  t.mock.method(os, 'availableParallelism', () => 2);
  syncBuiltinESMExports();
  t.after(() => syncBuiltinESMExports());
  const { mock } = t.mock.method(console, 'warn', () => {});
  const state = await serve(t);
  state.files = readFiles(SHIPPED);
  const files = Object.fromEntries(Object.keys(state.files).map((name) => [name, state.address + name]));
  const changed = { ...state.files, 'heed.json': Buffer.from(JSON.stringify({
    ...JSON.parse(String(Buffer.from(state.files['heed.json']))), name: 'another' })) };
  for (const [options, workers, change] of /** @type {[any, number | undefined, (() => void)?][]} */ ([
    [{ model: state.address }, undefined], // nothing is stored
    [{ model: state.files }, undefined], // bytes would be held for it
    [{ model: state.address, cache: state.cache }, 2],
    [{ model: files, cache: state.cache }, 2],
    [{ model: state.address, cache: state.cache }, undefined, () => (state.files = changed)],
  ])) {
    const translator = await Translator.create({ ...PAIR, worker: true, ...options });
    change?.();
    const from = started.length;
    assert.deepEqual(await translator.translate(TEXTS.slice(0, 34)), expected.slice(0, 34));
    // the second may come, or end, after the last sentence
    const isSettled = () => (workers ? translator.info.workers : started.slice(from).every((w) => w.threadId < 0));
    if (!workers) await sleep(300);
    for (let i = 0; !isSettled() && i < 600; i++) await sleep(50);
    assert.equal(translator.info.workers, workers, Object.keys(options).join());
    translator.destroy();
  }
  assert.equal(state.asked.filter((name) => name === 'model.safetensors').length, 2, 'once without a cache, once with');
  assert.deepEqual(mock.calls.map(({ arguments: [message] }) => message), []);
});

test('if no other worker can be counted, the first one goes on alone', async (t) => {
  t.mock.method(os, 'availableParallelism', () => {
    throw new Error('no such number');
  });
  syncBuiltinESMExports();
  t.after(() => syncBuiltinESMExports());
  const { mock } = t.mock.method(console, 'warn', () => {});
  const translator = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
  for (let i = 0; i < 2; i++) assert.deepEqual(await translator.translate(TEXTS), expected);
  translator.destroy();
  assert.match(String(mock.calls[0].arguments[0]), /^heed: no more workers can be started/);
});

test('wrong numbers of workers are refused', async () => {
  for (const [more, message] of /** @type {[object, RegExp][]} */ ([
    [{ workers: 0 }, /^RangeError: workers: found 0, expected a whole number from 1 to 64$/],
    [{ workers: 2.5 }, /^RangeError: workers: found 2\.5/],
    [{ workers: '2' }, /^TypeError: workers: found '2', expected a number$/],
    [{ workers: 2, worker: false }, /^RangeError: workers: found 2, expected none, as worker is false$/],
    [{ workers: 2, worker: started[0] }, /^TypeError: worker: found .*, expected true, as there is the option workers$/],
  ])) await assert.rejects(Translator.create({ ...PAIR, model: TINY, ...more }), (e) => message.test(String(e)));
});

/**
 * @param {string[]} args
 * @param {{ input?: string, isOpen?: boolean, env?: object, node?: string[] }} [options]  isOpen: the input does not end
 */
async function run(args, { input = `${TEXTS.join('\n')}\n`, isOpen = false, env, node = [] } = {}) {
  const child = spawn(process.execPath, [...node, cli, 'translate', '--from', 'en', '--to', 'de', ...args],
    { env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => child.on('close', resolve));
  child.stdin.on('error', () => {}); // it may end before it has read all
  child.stdin.write(input);
  if (!isOpen) child.stdin.end();
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

test('heed translate --jobs 3: the same bytes', async () => {
  const { stdout, stderr, code } = await run(['--jobs', '3', '--batch', '10']);
  assert.deepEqual([stdout, stderr, code], [expected.map((line) => `${line}\n`).join(''), '', 0]);
  const json = await run(['--json', '--jobs', '2', '--batch', '4'], { input: TEXTS.slice(0, 12).join('\n') });
  const alone = await run(['--json', '--batch', '4'], { input: TEXTS.slice(0, 12).join('\n') });
  assert.deepEqual(json, alone);
  for (const [jobs, found] of [['0', "'0', expected a whole number from 1 to 64"], ['x', "'x', expected a number"]]) {
    const wrong = await run(['--jobs', jobs]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, new RegExp(`^heed: --jobs: found ${found}\n`));
  }
});

test('heed translate --jobs: a lost worker loses no line; an error comes after the lines before it', async () => {
  // ends workers when some lines are written
  const patch = `data:text/javascript,${encodeURIComponent(`
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    const started = [];
    threads.Worker = class extends threads.Worker {
      constructor(...args) { super(...args); started.push(this); }
    };
    syncBuiltinESMExports();
    const write = process.stdout.write;
    let lines = 0;
    process.stdout.write = function (...args) {
      if (++lines === 20) for (const worker of started.slice(0, process.env.ENDED)) void worker.terminate();
      return write.apply(this, args);
    };
  `)}`;
  const args = ['--jobs', '2', '--batch', '10'];
  const some = await run(args, { node: ['--import', patch], env: { ENDED: 1 } });
  assert.deepEqual([some.stdout.split('\n').slice(0, -1), some.code], [expected, 0]);
  assert.equal(some.stderr, 'heed: a worker is lost, its sentences go to the other 1: worker: it has ended\n');

  // more input may come
  const none = await run(args, { node: ['--import', patch], env: { ENDED: 2 }, isOpen: true });
  const lines = none.stdout.split('\n').slice(0, -1);
  assert.ok(lines.length >= 20 && lines.length < expected.length && lines.length % 10 === 0, `${lines.length} lines`);
  assert.deepEqual(lines, expected.slice(0, lines.length));
  assert.deepEqual([none.stderr.split('\n').slice(-2), none.code], [['heed: worker: it has ended', ''], 1]);
});

/**
 * An engine whose calls the test ends, and the calls.
 *
 * @param {boolean} [isShared]
 */
function makeEngine(isShared = true) {
  /** @type {{ resolve: (results: any) => void, reject: (error: unknown) => void }[]} */
  const calls = [];
  /** @type {unknown[]} */
  const ends = [];
  const engine = /** @type {any} */ ({
    config: {}, manifest: {}, defaults: {}, isShared, info: { memoryBytes: 1, weightBytes: 1 },
    generate: (/** @type {unknown[]} */ sources) => new Promise((resolve, reject) =>
      void calls.push({ resolve: () => resolve(sources.map((source) => [source])), reject })),
    destroy: (/** @type {unknown} */ reason) => void ends.push(reason),
  });
  return { engine, calls, ends };
}
const trap = () => new HeedError(E_WASM, `${BROKE}RuntimeError: unreachable`);
const soon = () => sleep(5);

test('a worker whose memory broke ends with its calls, aborted ones included, and with the pool', async (t) => {
  t.mock.method(console, 'warn', () => {});
  for (const isDestroyed of [false, true]) {
    const [a, b, c] = [makeEngine(), makeEngine(), makeEngine()];
    const own = poolOf([a.engine, b.engine], { isFixed: true, restart: async () => [c.engine] });
    const [first, second] = ['1', '2'].map((source) =>
      own.generate(/** @type {any} */ ([source]), /** @type {any} */ ({})));
    await soon();
    a.calls[0].reject(trap());
    await soon();
    assert.deepEqual([a.ends.length, b.ends.length, c.calls.length], [1, 0, 1]);
    if (isDestroyed) own.destroy(new Error('enough'));
    else b.calls[0].reject(new Error('aborted'));
    c.calls[0].resolve(undefined);
    assert.deepEqual(await first, [['1']]);
    if (!isDestroyed) await assert.rejects(second, /aborted/);
    assert.equal(b.ends.length, 1);
  }
});

test('a worker whose memory broke ends after the last of its calls, which may be what broke it', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const [a, b, c] = [makeEngine(), makeEngine(), makeEngine()];
  const own = poolOf([a.engine, b.engine], { isFixed: true, restart: async () => [c.engine] });
  const results = ['1', '2', '3', '4'].map((source) =>
    own.generate(/** @type {any} */ ([source]), /** @type {any} */ ({})));
  await soon();
  assert.deepEqual([a.calls.length, b.calls.length], [2, 2]);
  // a tells that b broke
  for (const { reject } of a.calls) reject(new HeedError(E_WASM, `${BROKE}: ${ELSEWHERE}`));
  await soon();
  b.calls[0].resolve(undefined);
  await soon();
  assert.equal(b.ends.length, 0);
  b.calls[1].reject(trap());
  await soon();
  assert.ok(b.ends.length > 0);
  for (const { resolve } of c.calls) resolve(undefined);
  assert.deepEqual((await Promise.all(results)).flat(2), ['1', '2', '3', '4']);
});

test('a worker that comes late into a memory that broke is ended, and the new ones go on', async (t) => {
  const { mock } = t.mock.method(console, 'warn', () => {});
  const [a, late, c] = [makeEngine(), makeEngine(), makeEngine()];
  /** @type {(engine: any) => void} */
  let add = () => {};
  const growth = { wanted: 1, grow: (/** @type {any} */ _, /** @type {any} */ __, /** @type {any} */ f) => (add = f),
    stop: () => {} };
  const own = poolOf([a.engine], { isFixed: true, growth, restart: async () => [c.engine] });
  const found = own.generate(/** @type {any} */ (['1']), /** @type {any} */ ({}));
  await soon();
  const addOld = add;
  a.calls[0].reject(trap());
  await soon();
  addOld(late.engine);
  assert.deepEqual([late.ends.length, c.ends.length, own.info.workers], [1, 0, 1]);
  c.calls[0].resolve(undefined);
  assert.deepEqual(await found, [['1']]);
  assert.equal(mock.callCount(), 1);
});

test('workers in the place of others have as many chunks at a time', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const [a, b, c, d] = Array.from({ length: 4 }, () => makeEngine());
  const own = poolOf([a.engine, b.engine], { isFixed: true, restart: async () => [c.engine, d.engine] });
  const sources = Array.from({ length: 200 }, (_, i) => String(i));
  const found = own.generate(/** @type {any} */ (sources), /** @type {any} */ ({}));
  await soon();
  assert.deepEqual([a.calls.length, b.calls.length], [2, 2]);
  for (const { reject } of [...a.calls, ...b.calls]) reject(new HeedError(E_WASM, BROKE + ELSEWHERE));
  for (let i = 0; i < 50; i++) {
    await soon();
    const [open, other] = [c, d].map(({ calls }) => calls.splice(0));
    assert.ok(open.length <= 2 && other.length <= 2, `${open.length}, ${other.length}`);
    for (const { resolve } of [...open, ...other]) resolve(undefined);
    if (open.length + other.length === 0) break;
  }
  assert.deepEqual(await found, sources.map((source) => [source]));
});
