// jobs.test.js - simultaneous calls share one running batch. Steps of the decoder are counted, not timed. Each call
// gets the same result as alone, whenever it starts and however the others end.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Translator } from '../js/index.js';
import { Core } from '../js/wasm/core.js';
import { passTime } from './clock.js';
import { numberedSentences, SHIPPED } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED };
const TEXTS = numberedSentences(48);
/** Rows of a batch by default, and those that only calls without a row may take. */
const [ROWS, SPARE] = [32, 3];

const translator = await Translator.create(PAIR);
after(() => translator.destroy());

// Each step seems to take 10 ms, so each has a turn of the event loop, however fast the host is.
passTime(10);

/** What the core has been told: in each step of the decoder, how many sentences came and went before it. */
const steps = /** @type {{ added: number, released: number }[]} */ ([]);
let now = { added: 0, released: 0 };
const { call } = Core.prototype;
Core.prototype.call = function (what, name, ...args) {
  if (name === 'heed_search_add') now.added++;
  if (name === 'heed_search_release') now.released++;
  if (name === 'heed_search_step') {
    steps.push(now);
    now = { added: 0, released: 0 };
  }
  return call.call(this, what, name, ...args);
};

/** Resolves when there have been so many steps more. @param {number} more */
async function stepsFromNow(more) {
  for (const end = steps.length + more; steps.length < end;) await new Promise(setImmediate);
}

/** @param {() => Promise<unknown>} f @returns {Promise<number>}  steps that it takes */
async function countSteps(f) {
  const before = steps.length;
  await f();
  return steps.length - before;
}

/** @param {ReadableStream<string>} stream */
async function collect(stream) {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

/** Calls of every kind, with all numbers that they give: equal means equal to the bit. */
const KINDS = {
  greedy: () => translator.translateDetailed(TEXTS.slice(0, 6).join('\n')),
  list: () => translator.translate(TEXTS.slice(6, 20)),
  beams: () => translator.translateDetailed(TEXTS.slice(4, 9).join('\n'), { beams: 4, nBest: 3, beamTree: true }),
  'two beams': () => translator.translateDetailed(TEXTS.slice(9, 12).join('\n'), { beams: 2, lengthPenalty: 0.6 }),
  prefix: () => translator.translateDetailed(TEXTS[3], { prefix: [9, 10], minTokens: 12 }),
  rules: () => translator.translateDetailed(TEXTS[5], { repetitionPenalty: 1.3, noRepeatNgram: 2 }),
  short: () => translator.translateDetailed(TEXTS[7], { maxTokens: 3 }),
  'one row': () => translator.translateDetailed(TEXTS.slice(12, 16).join('\n'), { batchSize: 1, noRepeatNgram: 3 }),
  'without a head': () => translator.translateDetailed(TEXTS.slice(8, 10).join('\n'),
    { disabledHeads: [{ stack: 'cross', layer: 1, head: 0 }] }),
  glossary: () => translator.translateDetailed(TEXTS.slice(0, 4).join('\n'),
    { glossary: { car: 'Kraftfahrzeug', brother: 'Bruderherz' } }),
  stream: () => collect(translator.translateStreaming(TEXTS.slice(0, 3).join(' '))),
};

test('two calls at once take the steps of one with both texts', async () => {
  const [one, two] = [TEXTS.slice(0, 16), TEXTS.slice(16, 32)];
  const alone = await translator.translate(one);
  const after = await countSteps(async () => {
    await translator.translate(one);
    await translator.translate(two);
  });
  const both = await countSteps(() => translator.translate([...one, ...two]));
  let results;
  const atOnce = await countSteps(async () => {
    results = await Promise.all([translator.translate(one), translator.translate(two)]);
  });
  assert.deepEqual(results, [alone, await translator.translate(two)]);
  // they come one turn apart: the second begins a step or two later
  assert.ok(atOnce <= both + 2, `${atOnce} steps at once, ${both} in one call`);
  assert.ok(after > 1.5 * both, `${after} steps one after the other`);
});

test('thirty calls of one sentence take the steps of one call', async () => {
  const texts = TEXTS.slice(0, 30);
  const list = await countSteps(() => translator.translate(texts));
  let results;
  const calls = await countSteps(async () => {
    results = await Promise.all(texts.map((text) => translator.translate(text)));
  });
  assert.deepEqual(results, await translator.translate(texts));
  // they come one turn apart, and six layers of an encoder take turns too: the longest sentence may begin some steps
  // later. One after the other they would take hundreds
  assert.ok(calls <= 1.5 * list, `${calls} steps of thirty calls, ${list} of one`);
});

test('the same in a worker', async (t) => {
  const worker = new Worker(new URL('jobs-worker.js', import.meta.url));
  t.after(() => worker.terminate());
  const there = await Translator.create({ ...PAIR, worker });
  const count = async () => {
    worker.postMessage('count');
    return (await once(worker, 'message'))[0];
  };
  const [one, two] = [TEXTS.slice(0, 16), TEXTS.slice(16, 32)];
  const start = await count();
  const both = await there.translate([...one, ...two]);
  const middle = await count();
  // nothing comes between the two: this thread may have to wait for the processor while the worker takes its steps
  const { postMessage } = MessagePort.prototype;
  /** @type {(() => void)[]} */
  const held = [];
  t.mock.method(MessagePort.prototype, 'postMessage', function (/** @type {any[]} */ ...args) {
    if (args[0]?.method !== 'generate') return Reflect.apply(postMessage, this, args);
    held.push(() => Reflect.apply(postMessage, this, args));
    if (held.length === 2) for (const send of held) send();
  });
  assert.deepEqual((await Promise.all([there.translate(one), there.translate(two)])).flat(), both);
  const end = await count();
  // both are on their way at the same time, but in two messages
  assert.ok(end - middle <= middle - start + 4, `${end - middle} steps at once, ${middle - start} in one call`);
  assert.ok(middle - start > 10);
  there.destroy();
});

test('late calls give the same results as alone, and share steps', async () => {
  const expected = /** @type {Record<string, unknown>} */ ({});
  let alone = 0;
  for (const [name, f] of Object.entries(KINDS)) alone += await countSteps(async () => (expected[name] = await f()));
  // in several orders, so that each meets others on its way
  for (const gap of [1, 3, 7]) {
    const names = Object.keys(KINDS);
    if (gap > 1) names.reverse();
    const results = /** @type {Record<string, Promise<unknown>>} */ ({});
    const long = translator.translate(TEXTS);
    const total = await countSteps(async () => {
      for (const name of names) {
        await stepsFromNow(gap);
        results[name] = KINDS[name]();
      }
      await Promise.all([long, ...Object.values(results)]);
    });
    for (const name of names) {
      assert.deepEqual(await results[name], expected[name], `${name}, ${gap} steps after another`);
    }
    if (gap === 1) assert.ok(total < alone, `${total} steps together, ${alone} one after the other`);
  }
});

test('one long step a turn, however many calls there are', async () => {
  let [on, most, before] = [true, 0, steps.length];
  const tick = () => {
    most = Math.max(most, steps.length - before);
    before = steps.length;
    if (on) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(Object.values(KINDS).map((f) => f()));
  on = false;
  assert.equal(most, 1);
});

test('a call that is aborted leaves its rows at once, and the others go on', async () => {
  const greedy = { beams: 1 };
  const alone = await translator.translate(TEXTS.slice(0, 16), greedy);
  const stop = new AbortController();
  const reason = new Error('enough');
  const first = translator.translate(TEXTS.slice(0, 16), greedy);
  const second = translator.translate(TEXTS.slice(16, 32), { ...greedy, signal: stop.signal });
  const begun = steps.length;
  const added = () => steps.slice(begun).reduce((sum, step) => sum + step.added, now.added);
  while (added() < 32) await stepsFromNow(1);
  assert.equal(now.released, 0);
  stop.abort(reason);
  assert.equal(now.released, 16, 'before another step');
  await assert.rejects(second, reason);
  assert.deepEqual(await first, alone);
});

test('a short call begins at once, and takes its own steps, while a long one fills the batch', async () => {
  const long = Array.from({ length: 4 }, (_, i) => TEXTS.map((text) => `${text} ${i}`)).flat();
  let isOver = false;
  const running = translator.translate(long).then(() => (isOver = true));
  await stepsFromNow(5);
  const beside = await countSteps(() => translator.translate('Good morning.'));
  assert.ok(!isOver);
  await running;
  const alone = await countSteps(() => translator.translate('Good morning.'));
  // it may come after what may be encoded in one step
  assert.ok(beside <= alone + 1, `${beside} steps, ${alone} alone`);
});

test('a call that cannot share the batch gets its turn, and so do the others', async () => {
  const calls = {
    'other heads': { disabledHeads: [{ stack: 'encoder', layer: 0, head: 1 }] },
    'a wider session': { beams: 12, maxTokens: 40 },
    'more rows': { batchSize: 64 },
  };
  for (const [name, options] of Object.entries(calls)) {
    const own = await Translator.create(PAIR);
    const expected = await own.translate(TEXTS.slice(0, 4), options);
    const long = Array.from({ length: 4 }, (_, i) => TEXTS.map((text) => `${text} ${i}`)).flat();
    let isOver = false;
    const isFirst = name === 'other heads'; // the long one ends as well: once is enough
    const running = own.translate(long).then(() => (isOver = true), (error) => {
      if (isFirst) throw error;
    });
    await stepsFromNow(5);
    assert.deepEqual(await own.translate(TEXTS.slice(0, 4), options), expected, name);
    assert.ok(!isOver, `${name}: it did not wait for the end of the other`);
    if (isFirst) await running;
    own.destroy();
    await running;
  }
});

test('twenty searches at once, each with rules of its own', async () => {
  // a session keeps eight sets of rules: others wait for one
  const options = Array.from({ length: 20 }, (_, i) => ({ minTokens: i + 1, prefix: [20 + i] }));
  const expected = [];
  for (const each of options) expected.push(await translator.translateDetailed(TEXTS[1], each));
  const results = await Promise.all(options.map((each) => translator.translateDetailed(TEXTS[1], each)));
  assert.deepEqual(results, expected);
});

test('a batch grows when many calls come', async () => {
  const greedy = { beams: 1 };
  const own = await Translator.create(PAIR);
  let isOver = false;
  const first = own.translate(TEXTS[0], greedy).finally(() => isOver = true);
  await stepsFromNow(2);
  const before = steps.length;
  assert.equal(isOver, false);
  await Promise.all([first, ...TEXTS.map((text) => own.translate(text, greedy))]);
  let [rows, most] = [1, 0];
  for (const { added, released } of steps.slice(before)) {
    rows += added - released;
    most = Math.max(most, rows);
  }
  assert.equal(most, ROWS + SPARE);
  own.destroy();
});

test('a slow or missing reader does not delay other calls', async () => {
  const text = TEXTS.join(' ');
  const expected = await translator.translate(text);
  const readers = Array.from({ length: 5 }, () => translator.translateStreaming(text).getReader());
  const heads = await Promise.all(readers.map(async (reader) => (await reader.read()).value));
  const alone = await countSteps(() => translator.translate(TEXTS[1]));
  assert.ok(alone < 200, `${alone} steps`);
  const idle = await countSteps(async () => {
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
  });
  assert.equal(idle, 0, 'nothing is done that nobody reads');
  await Promise.all(readers.slice(1).map((reader) => reader.cancel()));
  let rest = String(heads[0]);
  for (let read = await readers[0].read(); !read.done; read = await readers[0].read()) rest += read.value;
  assert.equal(rest, expected, 'and the one who comes back gets all');
});

test('an error of one call is its own', async () => {
  const expected = await translator.translate(TEXTS.slice(0, 8));
  const running = translator.translate(TEXTS.slice(0, 8));
  const wrong = [
    translator.translate('a', { beams: 0 }),
    translator.translate(TEXTS[0], { prefix: Array(600).fill(5) }),
    translator.translate('The car.', { glossary: { car: '\u200b' } }),
  ];
  for (const { status } of await Promise.allSettled(wrong)) assert.equal(status, 'rejected');
  assert.deepEqual(await running, expected);
});

test('destroy() ends all that share the batch', async () => {
  const own = await Translator.create(PAIR);
  const calls = [own.translate(TEXTS), own.translate(TEXTS[0]), own.translateDetailed(TEXTS[1], { beams: 3 })];
  await stepsFromNow(3);
  own.destroy();
  const ended = /** @type {any[]} */ (await Promise.allSettled(calls));
  assert.deepEqual(ended.map(({ reason }) => reason?.name), calls.map(() => 'AbortError'));
});
