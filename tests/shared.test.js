// shared.test.js - one memory for several workers: the weights are in it once, each instance has a stack and pages of
// its own, results are those of a memory for each; what ends or breaks, and hosts that cannot share.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import threads from 'node:worker_threads';
import { E_MEMORY } from '../js/base/constants.js';
import { createHere } from '../js/engine/here.js';
import { poolOf } from '../js/engine/pool.js';
import { serve as serveEngine } from '../js/engine/serve.js';
import { Translator } from '../js/index.js';
import { Model } from '../js/model/model.js';
import { checkGenerate } from '../js/model/options.js';
import { ints } from '../js/wasm/core.js';
import { givePages, sharing, takePages } from '../js/wasm/shared.js';
import { needBrowser, reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { passTime } from './clock.js';
import { limited } from './limited.js';
import { numberedSentences, SHIPPED, TINY } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const TEXTS = numberedSentences(40);
const WASM = readFileSync(new URL('../js/heed.wasm', import.meta.url));

/** All workers that were started. @type {threads.Worker[]} */
const started = [];
/** Called when one is. */
let onStart = () => {};
/** Options for them. */
let more = {};
threads.Worker = class extends threads.Worker {
  /** @param {ConstructorParameters<typeof threads.Worker>} args */
  constructor(...[script, options]) {
    super(script, { ...options, ...more });
    started.push(this);
    onStart();
  }
};
syncBuiltinESMExports();

const one = await Translator.create({ ...PAIR, model: SHIPPED });
const expected = await one.translate(TEXTS);
const GREEDY = { beams: 1 };
const greedy = await one.translate(TEXTS, GREEDY);
after(() => one.destroy());

/**
 * What each worker is given: true, the share of another worker, or nothing.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} [refused]  a method whose calls throw
 */
function spy(t, refused) {
  /** @type {any[]} */
  const given = [];
  const { postMessage } = MessagePort.prototype;
  t.mock.method(MessagePort.prototype, 'postMessage', function (/** @type {any[]} */ ...args) {
    if (args[0]?.method === 'create') given.push(args[0].args[0].share);
    if (refused && args[0]?.method === refused) throw new Error('no');
    return Reflect.apply(postMessage, this, args);
  });
  return given;
}

test('two workers more take no weights more', async (t) => {
  const given = spy(t);
  const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 3 });
  t.after(() => pool.destroy());
  assert.equal(given[0], true);
  assert.ok(given.length === 3 && given.slice(1).every((share) => share instanceof MessagePort));
  assert.deepEqual(await pool.translate(TEXTS), expected);
  // as floats, the weights are most of the memory; that of the work is counted before there is any
  const bytes = [];
  for (const workers of [1, 3]) {
    const floats = await Translator.create({ ...PAIR, model: SHIPPED, dtype: 'f32', workers });
    bytes.push(floats.info.memoryBytes);
    if (workers === 3) assert.ok(bytes[1] - bytes[0] < floats.info.weightBytes, `${bytes} bytes`);
    floats.destroy();
  }
});

test('two workers take the weights once and the work twice, however often they work', async (t) => {
  const { memoryBytes: single, weightBytes } = one.info;
  const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 2 });
  t.after(() => pool.destroy());
  for (let i = 0; i < 6; i++) assert.deepEqual(await pool.translate(TEXTS), expected);
  const { memoryBytes } = pool.info;
  t.diagnostic(`one worker ${single}, two ${memoryBytes} bytes`);
  // the second one has a stack and tokenizers of its own: less than half of the weights
  assert.ok(memoryBytes < 2 * single - weightBytes / 2, `${memoryBytes} bytes, alone ${single}`);
});

test('room for all chunks of a call is made at the first', async () => {
  const sizes = [];
  for (const together of [20, undefined]) {
    const engine = await createHere({ model: SHIPPED, source: 'en', target: 'de' });
    const sources = (await engine.encode(TEXTS.slice(0, 20))).map(({ ids }) => ids);
    const search = checkGenerate({ maxTokens: 8 }, engine.defaults, engine.config);
    await engine.generate(sources.slice(0, 10), search, { together });
    const before = engine.info.memoryBytes;
    await engine.generate(sources, search);
    sizes.push(engine.info.memoryBytes - before);
    engine.destroy(new Error('enough'));
  }
  assert.equal(sizes[0], 0);
  assert.ok(sizes[1] > 0, 'or else the next one makes more');
});

const STATUS = '/proc/self/status';
/** Bytes of addresses. A memory takes 4 GB of them and more. */
const addresses = () => 1024 * Number(/^VmSize:\s+(\d+) kB$/m.exec(readFileSync(STATUS, 'utf8'))?.[1]);

test('destroy() frees the memory at once, as this thread never has it', async (t) => {
  if (!existsSync(STATUS)) return t.skip('only Linux tells');
  await Promise.all(started.map((worker) => worker.terminate()));
  const before = addresses();
  for (let i = 0; i < 3; i++) {
    const from = started.length;
    const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 2 });
    pool.destroy();
    await Promise.all(started.slice(from).map((worker) => worker.terminate()));
  }
  assert.ok(addresses() < before + 4e9, `${addresses() - before} bytes more`);
});

test('a start that is aborted leaves no memory behind', async (t) => {
  if (!existsSync(STATUS)) return t.skip('only Linux tells');
  t.after(() => void (onStart = () => {}));
  const given = spy(t);
  await Promise.all(started.map((worker) => worker.terminate()));
  const before = addresses();
  for (let i = 0; i < 3; i++) {
    const from = started.length;
    const stop = new AbortController();
    // the second worker starts when the memory is lent; it has not got it yet
    onStart = () => void (started.length === from + 2 && stop.abort(new Error('enough')));
    await assert.rejects(Translator.create({ ...PAIR, model: SHIPPED, workers: 2, signal: stop.signal }), /enough/);
    assert.equal(started.length, from + 2);
    await Promise.all(started.slice(from).map((worker) => worker.terminate()));
  }
  assert.deepEqual(given, [true, true, true]);
  assert.ok(addresses() < before + 4e9, `${addresses() - before} bytes more`);
});

test('a worker whose memory cannot be lent is no loss of the others', async (t) => {
  // one mock: of two, the first would stay
  const given = spy(t, 'lend');
  const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 2 });
  t.after(() => pool.destroy());
  assert.deepEqual(given, [true, undefined]);
  assert.deepEqual(await pool.translate(TEXTS), expected);
  const { memoryBytes, weightBytes } = pool.info;
  assert.ok(memoryBytes > one.info.memoryBytes + weightBytes, `${[memoryBytes, one.info.memoryBytes, weightBytes]}`);
});

test('a worker that is lent nothing, as the other one ends, has a copy', async (t) => {
  const { postMessage } = MessagePort.prototype;
  t.mock.method(MessagePort.prototype, 'postMessage', function (/** @type {any} */ message, /** @type {any} */ ports) {
    const options = message?.method === 'create' ? message.args[0] : {};
    if (!(options.share instanceof MessagePort)) return Reflect.apply(postMessage, this, [message, ports]);
    const { port1, port2 } = new MessageChannel();
    Reflect.apply(postMessage, this, [{ ...message, args: [{ ...options, share: port2 }] }, [port2]]);
    port1.close();
  });
  const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 2 });
  t.after(() => pool.destroy());
  assert.deepEqual(await pool.translate(TEXTS), expected);
  const { memoryBytes, weightBytes } = pool.info;
  assert.ok(memoryBytes > one.info.memoryBytes + weightBytes, `${[memoryBytes, one.info.memoryBytes, weightBytes]}`);
});

/**
 * Engines of one memory, so many, and after them one that has a memory to itself.
 *
 * @param {number} count
 */
async function enginesOf(count) {
  const [first, other] = [sharing(true), sharing(true)];
  const options = { model: SHIPPED, source: 'en', target: 'de' };
  const engines = [await createHere({ ...options, open: first.open })];
  const { share } = first;
  assert.ok(share);
  while (engines.length < count) engines.push(await createHere({ ...options, open: sharing(share).open }));
  engines.push(await createHere({ ...options, open: other.open }));
  const { share: alone } = other;
  assert.ok(alone);
  return { engines, share, alone };
}

test('instances of one memory take turns, grow it, end, and give what others give', async () => {
  const { engines, share, alone } = await enginesOf(3);
  assert.notEqual(alone.memory, share.memory);
  const [ids] = await Promise.all([engines[3].encode(TEXTS)]);
  const sources = ids.map(({ ids: each }) => each);
  const { defaults, config } = engines[0];
  const before = share.memory.buffer.byteLength;
  for (const beams of [1, 4, 2]) {
    const search = { ...checkGenerate({ beams }, defaults, config), scores: true };
    const found = await Promise.all(engines.map((engine, i) => engine.generate(sources.slice(0, 10 + i), search)));
    for (const [i, results] of found.entries()) {
      assert.deepEqual(results, found[3].slice(0, 10 + i), `${beams} beams, instance ${i}`);
    }
  }
  assert.ok(share.memory.buffer.byteLength > before, 'it grew');
  engines[0].destroy(new Error('enough'));
  assert.deepEqual((await engines[1].parameter('final_logits_bias')).data,
    (await engines[3].parameter('final_logits_bias')).data);
  for (const engine of engines.slice(1)) engine.destroy(new Error('enough'));
});

/** @param {import('../js/wasm/shared.js').Share} share */
const pages = (share) => share.memory.buffer.byteLength / 65_536;

test('two instances whose sessions change take three times the largest session at most', async (t) => {
  // each step seems to take 10 ms: then the instances take turns after each, on every host
  t.after(passTime(10));
  const { engines, share, alone: own } = await enginesOf(2);
  const sources = (await engines[0].encode(TEXTS.map((_, i) => `House ${i}.`))).map(({ ids }) => ids);
  const generate = (/** @type {number} */ count, /** @type {number} */ beams, /** @type {number} */ maxTokens) =>
    Promise.all(engines.map((engine) => engine.generate(sources.slice(0, count),
      { ...checkGenerate({ beams, maxTokens, reverse: false }, engine.defaults, engine.config), scores: true })));
  const before = [pages(share), pages(own)];
  const rounds = [[1, 4, 200], [3, 4, 400], [3, 1, 400], [9, 2, 400], [3, 4, 8], [9, 4, 400], [40, 1, 400], [17, 2, 8],
    [40, 2, 400], [9, 4, 8], [1, 1, 8], [9, 1, 8], [9, 4, 200], [40, 2, 400]];
  for (const [count, beams, maxTokens] of rounds) {
    const [a, b, alone] = await generate(count, beams, maxTokens);
    assert.deepEqual(a, alone);
    assert.deepEqual(b, alone);
  }
  const [both, alone] = [pages(share) - before[0], pages(own) - before[1]];
  // alone, the largest session begins where the memory ended; of two, one may lie between two holes that are too small
  assert.ok(both <= 3 * alone, `${both} pages, alone ${alone}`);
  for (const engine of engines) engine.destroy(new Error('enough'));
});

test('pages: the shortest run that is long enough, else those at the end of the memory', () => {
  const free = new Uint8Array(new SharedArrayBuffer(65_536));
  const take = (/** @type {number} */ count) => takePages(free, count, () => 100);
  assert.equal(take(1), undefined);
  for (const [from, end] of [[10, 20], [30, 35], [35, 36], [90, 100]]) givePages(free, from, end);
  assert.deepEqual(take(6), { from: 30, end: 36 }, 'neighbours are one');
  assert.deepEqual(take(11), { from: 90, end: 100 });
  assert.equal(take(11), undefined);
  assert.deepEqual(take(4), { from: 10, end: 14 });
  assert.deepEqual(take(6), { from: 14, end: 20 });
  assert.equal(take(1), undefined);
});

test('pages that another instance takes meanwhile: others are found, and none is lost', () => {
  const free = new Uint8Array(new SharedArrayBuffer(65_536));
  for (const [from, end] of [[10, 14], [20, 25]]) givePages(free, from, end);
  const { indexOf } = Uint8Array.prototype;
  // when all runs are found
  free.indexOf = (...args) => {
    const found = Reflect.apply(indexOf, free, args);
    if (found < 0) Atomics.store(free, 12, 0);
    return found;
  };
  assert.deepEqual(takePages(free, 4, () => 100), { from: 20, end: 24 });
  assert.deepEqual([...free.keys()].filter((page) => free[page]), [10, 11, 13, 24]);
});

test('an instance that joins uses a small part of its stack, below which others have pages', async () => {
  const first = sharing(true);
  const options = { model: SHIPPED, source: 'en', target: 'de' };
  const engine = await createHere({ ...options, open: first.open });
  const { share } = first;
  assert.ok(share);
  const stack = share.memory.buffer.byteLength;
  const other = await createHere({ ...options, open: sharing(share).open });
  const [{ ids }, { ids: rare }] =
    await other.encode(['x'.repeat(20_000), 'The badger is in the hedge.', ...TEXTS, '\u0301'.repeat(5000)]);
  const sources = [ids.slice(0, 100), ids.slice(0, 8), rare];
  for (const rules of [{}, { beams: 4, nBest: 4, noRepeatNgram: 2, repetitionPenalty: 1.1, suppressTokens: [5] }]) {
    const search = { ...checkGenerate({ maxTokens: 20, ...rules }, other.defaults, other.config), scores: true };
    await other.generate(sources, search);
  }
  await other.inspect(ids.slice(0, 8), ids.slice(0, 4));
  await other.logits(ids.slice(0, 8), ids.slice(0, 4));
  await other.attention(rare, rare, { lexicon: true });
  await other.parameters();
  await other.decode([[...ids]]);
  // it grows down from the end of its two pages; a byte that was never written is 0
  const bytes = new Uint8Array(share.memory.buffer, stack, 131_072);
  const deepest = bytes.length - bytes.findIndex((byte) => byte !== 0);
  assert.ok(deepest > 256 && deepest < 8192, `${deepest} bytes of ${bytes.length}`);
  for (const each of [engine, other]) each.destroy(new Error('enough'));
});

/** A text whose translation has a trap: it has more than 50 tokens, as no other one here. */
const GUILTY = `The dog and the cat ${'and the dog and the cat '.repeat(9)}sleep.`;
/** Runs in a worker: makes so many traps of such texts. */
const TRAPS = `data:text/javascript,${encodeURIComponent(`
  import { workerData } from 'node:worker_threads';
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...given) => {
    const { exports } = await instantiate(...given);
    let isGuilty = false;
    return { exports: { ...exports,
      heed_search_add(session, source, n, row) {
        isGuilty ||= n > 50;
        return exports.heed_search_add(session, source, n, row);
      },
      heed_search_step(...rest) {
        if (isGuilty && Atomics.sub(workerData, 0, 1) > 0) exports.heed_model_bytes(-16); // outside of the memory
        isGuilty = false;
        return exports.heed_search_step(...rest);
      },
    } };
  };
`)}`;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/**
 * So many traps from now on, in all workers that start.
 *
 * @param {import('node:test').TestContext} t
 * @param {number} count
 */
function makeTraps(t, count) {
  collectGarbage(); // a host has room for few shared memories, and those of other tests here wait for it
  const { mock } = t.mock.method(console, 'warn', () => {});
  const left = new Int32Array(new SharedArrayBuffer(4)).fill(count);
  more = { workerData: left, execArgv: ['--import', TRAPS] };
  t.after(() => void (more = {}));
  return { left, warnings: () => mock.calls.map(({ arguments: [message] }) => String(message)) };
}

const LOST = 'heed: 2 workers are lost, others are started: the module broke: ';

test('after a trap, workers with a new memory go on, and nothing is lost; a second one is an error', async (t) => {
  const given = spy(t);
  const { left, warnings } = makeTraps(t, 1);
  const pool = await Translator.create({ ...PAIR, model: SHIPPED, workers: 2 });
  t.after(() => pool.destroy());
  const texts = [...TEXTS.slice(0, 9), GUILTY, ...TEXTS.slice(9, 18)];
  const found = await pool.translate(texts, GREEDY);
  assert.ok(left[0] <= 0, 'there was a trap');
  assert.deepEqual(found, await one.translate(texts, GREEDY));
  // the one with the trap, or the other one, tells first
  assert.ok(warnings().length === 1 && warnings()[0].startsWith(LOST), warnings().join('\n'));
  assert.deepEqual(given.map((share) => typeof share), ['boolean', 'object', 'boolean', 'object']);
  assert.equal(pool.info.workers, 2);

  left.fill(1000);
  const guilty = assert.rejects(pool.translate(texts, GREEDY), { name: 'HeedError', status: 'HEED_E_WASM',
    message: 'the module broke twice with the same sentences: RuntimeError: memory access out of bounds' });
  const others = [pool.translate(TEXTS.slice(0, 20), GREEDY), pool.translate(TEXTS[3], GREEDY)];
  assert.deepEqual(await Promise.all(others), [greedy.slice(0, 20), greedy[3]]);
  await guilty;
  assert.deepEqual(await pool.translate(TEXTS.slice(20), GREEDY), greedy.slice(20));
  assert.deepEqual([warnings().length, pool.info.workers], [3, 2]);
});

test('workers that were started for much work are replaced, too', async (t) => {
  t.mock.method(os, 'availableParallelism', () => 2);
  syncBuiltinESMExports();
  t.after(() => syncBuiltinESMExports());
  const { left, warnings } = makeTraps(t, 1);
  const pool = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
  t.after(() => pool.destroy());
  for (let i = 0; i < 50 && pool.info.workers !== 2; i++) {
    assert.deepEqual(await pool.translate(TEXTS, GREEDY), greedy);
  }
  assert.equal(pool.info.workers, 2);
  assert.equal(await pool.translate(GUILTY, GREEDY), await one.translate(GUILTY, GREEDY));
  assert.equal(pool.info.workers, 2);
  assert.ok(left[0] <= 0 && warnings().length === 1 && warnings()[0].startsWith(LOST), warnings().join('\n'));
});

/**
 * A pool of two whose memory broke, as a third one's guard tells it.
 *
 * @param {import('../js/engine/pool.js').Restart} [restart]
 */
async function brokenPool(restart) {
  const { engines, share } = await enginesOf(2);
  const [a, b, alone] = engines;
  alone.destroy(new Error('enough'));
  for (const each of [a, b]) each.isShared = true;
  const pool = poolOf([a, b], { isFixed: true, restart });
  const sources = (await pool.encode(TEXTS)).map(({ ids }) => ids);
  const search = { ...checkGenerate({}, pool.defaults, pool.config), scores: true };
  const running = pool.generate(sources, search);
  await new Promise(setImmediate);
  Atomics.store(share.broken, 0, 1);
  return { pool, running, again: () => [pool.generate(sources, search), pool.encode(TEXTS)] };
}

test('where no others can be started, a pool rejects what runs and all calls after a trap', async (t) => {
  t.mock.method(console, 'warn', () => {});
  for (const [restart, error] of /** @type {[any, any][]} */ ([
    [undefined, { name: 'HeedError', status: 'HEED_E_WASM', message: /a trap in another worker$/ }],
    [async () => { throw new Error('no more threads'); }, { message: 'no more threads' }],
    [async () => [{ ...await createHere({ model: SHIPPED, source: 'en', target: 'de' }), manifest: {} }],
      { status: 'HEED_E_WASM', message: 'the module broke, and there is another model since' }],
  ])) {
    const { pool, running, again } = await brokenPool(restart);
    await assert.rejects(running, error);
    // all are awaited at once: any of them may reject first
    await Promise.all(again().map((call) => assert.rejects(call, error)));
    pool.destroy(new Error('enough'));
  }
});

test('an engine that is destroyed after a trap in another worker throws nothing', async () => {
  const { engines: [engine], share } = await enginesOf(1);
  const [{ ids }] = await engine.encode(TEXTS);
  const search = { ...checkGenerate({}, engine.defaults, engine.config), scores: true };
  const running = engine.generate([ids], search);
  await engine.encode(TEXTS.slice(0, 1)); // its turn comes after the first step
  Atomics.store(share.broken, 0, 1);
  engine.destroy(new Error('enough'));
  await assert.rejects(running, /^Error: enough$/);
});

test('a pool that is destroyed while others are started ends them, and its calls with its reason', async (t) => {
  t.mock.method(console, 'warn', () => {});
  /** @type {((engines: any[]) => void) | undefined} */
  let start;
  const { pool, running } = await brokenPool(() => new Promise((resolve) => (start = resolve)));
  const settled = assert.rejects(running, /^Error: enough$/);
  while (!start) await new Promise(setImmediate);
  pool.destroy(new Error('enough'));
  const late = await createHere({ model: SHIPPED, source: 'en', target: 'de' });
  start([late]);
  await settled;
  await assert.rejects(late.encode(TEXTS), /^Error: enough$/);
});

test('pages that were taken for a session are given back if it is not created', async (t) => {
  const { Memory } = WebAssembly;
  /** @type {WebAssembly.Memory[]} */
  const made = [];
  t.mock.method(WebAssembly, 'Memory', function (/** @type {WebAssembly.MemoryDescriptor} */ limits) {
    made.push(new Memory({ ...limits, maximum: limits.initial + 400 })); // the model takes less, a large session more
    return made[made.length - 1];
  });
  const first = sharing(true);
  const model = await Model.load(SHIPPED, {}, undefined, undefined, first.open);
  const { share } = first;
  assert.ok(share);
  const { core, model: handle } = model.internals();
  // as another instance gives them, at the end of the memory
  const from = share.memory.grow(40);
  givePages(share.free, from, from + 40);
  const session = () => core.run('heed_session_create', handle, Int32Array.of(512, 512, 16, 64), ints(1));
  assert.equal(session(), E_MEMORY);
  assert.equal(share.free.subarray(from, from + 40).filter(Boolean).length, 40);
  model.dispose();
});

test('after a trap no instance of the memory goes on: what it wrote before is unknown', async () => {
  const load = async (/** @type {Parameters<typeof sharing>[0]} */ given) => {
    const sharer = sharing(given);
    return { model: await Model.load(TINY, {}, undefined, undefined, sharer.open), share: sharer.share };
  };
  const first = await load(true);
  const second = await load(/** @type {any} */ (first.share));
  assert.equal(second.model.info.weightBytes, first.model.info.weightBytes);
  const outside = () => second.model.internals().core.run('heed_model_bytes', -16);
  assert.throws(outside, { status: 'HEED_E_WASM', message: /^the module broke: RuntimeError/ });
  assert.throws(() => first.model.info, { status: 'HEED_E_WASM', message: /broke: Error: a trap in another worker$/ });
  await assert.rejects(load(/** @type {any} */ (first.share)), { status: 'HEED_E_WASM' });
});

test('where memory cannot be shared, each worker has its own', async (t) => {
  const options = { ...PAIR, model: SHIPPED, workers: 2 };
  const given = spy(t);
  const module = await Translator.create({ ...options, wasm: await WebAssembly.compile(WASM) });
  t.after(() => module.destroy());
  assert.deepEqual(await module.translate(TEXTS), expected);
  assert.deepEqual(given, [true, undefined]);

  const bytes = new Uint8Array(WASM);
  for (const { wasm, share } of [{ wasm: bytes, share: true }, { wasm: bytes.buffer, share: true },
    { wasm: new WebAssembly.Module(WASM), share: false }]) {
    const sharer = sharing(true);
    (await Model.load(TINY, { wasm }, undefined, undefined, sharer.open)).dispose();
    assert.equal(sharer.share !== undefined, share);
  }
  for (const wasm of [WASM.subarray(0, 1000), new Uint8Array(8), '/nowhere.wasm']) {
    const sharer = sharing(true);
    await assert.rejects(Model.load(TINY, { wasm }, undefined, undefined, sharer.open), { status: 'HEED_E_WASM' });
  }
  t.mock.method(WebAssembly, 'Memory', function () {
    throw new RangeError('no such range of addresses');
  });
  const load = async () => {
    const sharer = sharing(true);
    (await Model.load(TINY, {}, undefined, undefined, sharer.open)).dispose();
    return sharer.share;
  };
  assert.equal(await load(), undefined);
  t.mock.restoreAll();
  assert.ok(await load());
  const { instantiate } = WebAssembly;
  t.mock.method(WebAssembly, 'instantiate', async (/** @type {any} */ code, /** @type {any} */ imports) => {
    if (imports.env) throw new WebAssembly.LinkError('no shared memory');
    return instantiate(code, imports);
  });
  assert.equal(await load(), undefined);
  t.mock.restoreAll();
  t.mock.method(globalThis, 'structuredClone', () => {
    throw new DOMException('not with this function', 'DataCloneError');
  });
  assert.ok(await load());
});

/**
 * The answer of a worker's end of the line to create(), in this thread.
 *
 * @param {import('node:test').TestContext} t
 * @param {object} options  of create()
 * @param {Transferable[]} [ports]
 * @returns {Promise<any>}
 */
async function answerOf(t, options, ports = []) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  serveEngine(port2);
  const answer = new Promise((resolve) => {
    port1.onmessage = ({ data }) => void (data.id === 1 && data.event === undefined && resolve(data));
  });
  port1.postMessage({ id: 1, method: 'create', args: [{ model: SHIPPED, source: 'en', target: 'de', ...options }] },
    ports);
  return answer;
}

test('a worker for which the shared memory has no room has one of its own', async (t) => {
  const { Memory } = WebAssembly;
  /** @type {WebAssembly.Memory[]} */
  const made = [];
  // as if others had the rest: it grows to 34 MB at most, and floats take 44
  t.mock.method(WebAssembly, 'Memory', function (/** @type {WebAssembly.MemoryDescriptor} */ limits) {
    const memory = new Memory({ ...limits, maximum: 2 * limits.initial });
    made.push(memory);
    return memory;
  });
  const { value, info, error } = await answerOf(t, { share: true, dtype: 'f32' });
  assert.equal(error, undefined);
  assert.ok(made.some(({ buffer }) => buffer.byteLength > 65_536), 'a memory was to be shared');
  assert.equal(value.isShared, false);
  assert.ok(info.memoryBytes > info.weightBytes && info.weightBytes > 4e7);
  // int8 has room there
  assert.equal((await answerOf(t, { share: true })).value.isShared, true);
  // what is too large for any memory
  const wasm = limited('heed.wasm', 272);
  const { error: large } = await answerOf(t, { share: true, dtype: 'f32', wasm });
  assert.deepEqual([large.kind, large.status], ['HeedError', 'HEED_E_MEMORY']);
  assert.match(large.message, /out of memory/);
});

test('a worker that finds all 4 GB taken has a memory of its own', async () => {
  const options = { model: SHIPPED, source: 'en', target: 'de' };
  const first = sharing(true);
  const engine = await createHere({ ...options, open: first.open });
  const { share } = first;
  assert.ok(share);
  const [{ ids }] = await engine.encode(TEXTS);
  const search = { ...checkGenerate({}, engine.defaults, engine.config), scores: true };
  const results = await engine.generate([ids], search);
  share.memory.grow(65_536 - share.memory.buffer.byteLength / 65_536);
  const second = sharing(share);
  const other = await createHere({ ...options, open: second.open });
  assert.equal(second.share, undefined);
  assert.deepEqual(await other.generate([ids], search), results);
  for (const each of [engine, other]) each.destroy(new Error('enough'));
});

test('a message that cannot be read is no share, and is reported', { timeout: 60_000 }, async (t) => {
  const { set, ...own } = /** @type {any} */ (Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessageerror'));
  t.after(() => Object.defineProperty(MessagePort.prototype, 'onmessageerror', { ...own, set }));
  let which = 0;
  let count = 0;
  // in place of a message, the port that is listened to as number `which` gets the event
  Object.defineProperty(MessagePort.prototype, 'onmessageerror', { ...own, set(f) {
    Reflect.apply(set, this, [f]);
    if (count++ !== which) return;
    this.onmessage = null;
    setImmediate(() => this.dispatchEvent(new Event('messageerror')));
  } });
  const load = async () => {
    count = 0;
    const sharer = sharing(true);
    (await Model.load(TINY, {}, undefined, undefined, sharer.open)).dispose();
    return sharer.share;
  };
  assert.equal(await load(), undefined, 'the memory cannot be sent');
  assert.equal(count, 1);
  which = 1;
  assert.ok(await load());

  const { port1, port2 } = new MessageChannel();
  count = 0; // 0: the worker's end of the line; 1: the port that a share comes from
  const { value, error } = await answerOf(t, { share: port2 }, [port2]);
  assert.equal(error, undefined);
  assert.deepEqual([count, value.isShared], [2, false]);
  port1.close();

  const line = new MessageChannel();
  t.after(() => line.port1.close());
  which = count = 0;
  const said = new Promise((resolve) => {
    line.port1.onmessage = ({ data }) => data.isUnread && resolve(true);
  });
  serveEngine(line.port2);
  assert.equal(await said, true);
});

const KINDS = /** @type {const} */ (['chromium', 'firefox', 'webkit']);
for (const kind of KINDS) for (const isolated of [true, false]) {
  const what = isolated ? 'an isolated page shares' : 'a page that is not isolated has a copy each';
  test(`${kind}: ${what}`, async (t) => {
    if (!needBrowser(kind, t)) return;
    const found = await reportOf(await serve({
      page: 'tests/browser/shared.html',
      isolated,
      intercept: (request, response) =>
        Boolean(request.url?.endsWith('/texts') && response.end(JSON.stringify(TEXTS))),
    }), { kind });
    assert.equal(found.error, undefined);
    assert.deepEqual(found.violations, []);
    assert.equal(found.crossOriginIsolated, isolated);
    // WebKitGTK's isolated pages have no shared memory
    const canShare = isolated && found.hasShared;
    if (kind !== 'webkit') assert.equal(canShare, isolated);
    for (const how of ['fixed', 'grown']) {
      const { texts, info, shares, isShared } = found[how];
      assert.deepEqual(texts, greedy, how);
      assert.deepEqual([info.workers, shares], [2, ['boolean', canShare ? 'object' : 'undefined']], how);
      assert.deepEqual(isShared, [canShare, canShare], how);
    }
    const { info: { memoryBytes, weightBytes }, single } = found.fixed;
    t.diagnostic(`one worker ${single}, two ${memoryBytes} bytes of modules' memory`);
    // as in Node, above
    if (canShare && kind === 'chromium') assert.ok(memoryBytes < 2 * single - weightBytes / 2);
  });
}
