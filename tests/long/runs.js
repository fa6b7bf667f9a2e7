// runs.js - work that goes on for long, and what memory it takes meanwhile: translations, loads, aborts, calls at once.
// Each throws when something is not right, and gives its figures. Used by index.js at length, by long.test.js briefly.
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Transformer, Translator } from '../../js/index.js';
import { passTime } from '../clock.js';
import { SHIPPED } from '../model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED };
export const SENTENCES = [
  'Good morning.', 'Thank you.', 'Where is the bank?', 'I love you.', 'Can you help me?', 'The house is small.', 'Yes.',
  'What time is it?', 'She reads a book.', 'We are tired.', 'Open the door!', 'He is my brother.', 'It is raining.',
  'They live in Berlin.', 'No, not today.', 'How much is it?', 'I do not know.', 'Please wait here.', 'Tom laughed.',
];

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collect = runInNewContext('gc');

/** What is held once nothing is left to collect. */
async function settle() {
  const least = { heap: Infinity, rss: Infinity };
  // finalizers have turns, and workers end, until nothing more is given back
  for (let calm = 0, turns = 0; calm < 4 && turns < 200; turns++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
    calm = heapUsed + arrayBuffers < least.heap || rss < least.rss ? 0 : calm + 1;
    least.heap = Math.min(least.heap, heapUsed + arrayBuffers);
    least.rss = Math.min(least.rss, rss);
  }
  return least;
}

/** xorshift32: a function that gives the next number below n. @param {number} state */
const sequence = (state) => (/** @type {number} */ n) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
};

/** @param {Translator} translator @param {string} text */
async function streamed(translator, text) {
  let all = '';
  for await (const piece of translator.translateStreaming(text)) all += piece;
  return all;
}

/** How far b is from a, of a. @param {number} a @param {number} b */
const growth = (a, b) => (b - a) / a;

/**
 * Sentences in every way there is, the memory after `warm` of them against that at the end.
 *
 * @param {number} n
 * @param {number} warm
 */
export async function translations(n, warm) {
  const translator = await Translator.create(PAIR);
  const expected = await translator.translate(SENTENCES);
  /** @type {((i: number) => Promise<string>)[]} */
  const ways = [
    ...Array(7).fill((/** @type {number} */ i) => translator.translate(SENTENCES[i])),
    (i) => streamed(translator, SENTENCES[i]),
    async (i) => (await translator.translateDetailed(SENTENCES[i]))[0].target,
    async (i) => (await translator.translate([...SENTENCES.slice(i), ...SENTENCES.slice(0, i)]))[0],
  ];
  let done = 0;
  const until = async (/** @type {number} */ end) => {
    for (let round = 0; done < end; round++) {
      const i = round % SENTENCES.length;
      const way = Math.floor(round / SENTENCES.length) % ways.length;
      assert.equal(await ways[way](i), expected[i]);
      done += way === ways.length - 1 ? SENTENCES.length : 1;
    }
  };
  await until(warm);
  const before = { ...(await settle()), wasm: translator.info.memoryBytes };
  const start = performance.now();
  await until(warm + n);
  const seconds = (performance.now() - start) / 1000;
  const after = { ...(await settle()), wasm: translator.info.memoryBytes };
  translator.destroy();
  return {
    translations: n,
    seconds,
    wasmGrowth: after.wasm - before.wasm,
    heapBytes: after.heap,
    heapGrowth: growth(before.heap, after.heap),
  };
}

/**
 * The model loaded and given back; each says the same. In a worker too, once in ten.
 *
 * @param {number} n
 * @param {number} warm
 */
export async function loads(n, warm) {
  const ids = [46, 1140, 982, 6, 3, 2];
  /** @type {number[] | undefined} */
  let expected;
  let text = '';
  const load = async (/** @type {number} */ i) => {
    if (i % 10 === 9) {
      const translator = await Translator.create({ ...PAIR, worker: true });
      const said = await translator.translate(SENTENCES[0]);
      assert.equal(said, (text ||= said));
      translator.destroy();
      return;
    }
    const model = await Transformer.load(SHIPPED);
    const [[{ ids: said }]] = model.generate([ids]);
    assert.deepEqual([...said], (expected ??= [...said]));
    model.dispose();
  };
  for (let i = 0; i < warm; i++) await load(i);
  const before = await settle();
  let most = 0;
  for (let i = 0; i < n; i++) {
    await load(i);
    most = Math.max(most, process.memoryUsage.rss());
  }
  const after = await settle();
  return { loads: n, rssBefore: before.rss, rssAfter: after.rss, rssMost: most,
    rssGrowth: growth(before.rss, after.rss) };
}

/**
 * Calls given up at a random step, and what is asked next. In this thread, where a turn of the event loop is a step of
 * the decoder, as each seems to take 10 ms.
 *
 * @param {number} n
 */
export async function aborts(n) {
  const below = sequence(20170612);
  const restore = passTime(10);
  const translator = await Translator.create(PAIR);
  const long = SENTENCES.join(' ');
  const expected = { short: await translator.translate(SENTENCES[0]), long: await translator.translate(long) };
  const counts = { aborted: 0, finished: 0 };
  const turns = async (/** @type {number} */ count) => {
    for (let i = 0; i < count; i++) await new Promise((resolve) => void setImmediate(resolve));
  };
  /** @type {((signal: AbortSignal) => Promise<unknown>)[]} */
  const calls = [
    (signal) => translator.translate(long, { signal }),
    (signal) => translator.translate(long, { signal, beams: 3 }),
    (signal) => translator.translate(SENTENCES, { signal, batchSize: 4 }),
    (signal) => translator.translateDetailed(long, { signal }),
    async (signal) => {
      for await (const piece of translator.translateStreaming(long, { signal })) assert.ok(piece);
    },
    async (signal) => (await Translator.create({ ...PAIR, signal })).destroy(),
  ];
  let wasm = 0;
  for (let i = 0; i < n; i++) {
    const stop = new AbortController();
    const reason = new Error(`abort ${i}`);
    const running = calls[below(calls.length)](stop.signal).then(
      () => void counts.finished++,
      (error) => {
        assert.equal(error, reason);
        counts.aborted++;
      },
    );
    await turns(below(60));
    stop.abort(reason);
    await running;
    if (i % 10 === 0) assert.equal(await translator.translate(SENTENCES[0]), expected.short, `after abort ${i}`);
    if (i === Math.floor(n / 4)) wasm = translator.info.memoryBytes;
  }
  assert.equal(await translator.translate(long), expected.long);
  const wasmGrowth = translator.info.memoryBytes - wasm;
  translator.destroy();
  restore();
  return { aborts: n, ...counts, wasmGrowth };
}

/** Those in the same batch may be shorter, and 32 may pass a call that does not fit beside them. */
const PASSING = 35 + 32;

/**
 * Calls on one Translator that do not wait for each other, one in seven of them given up: all are right, and none waits
 * while many later ones end.
 *
 * @param {number} n
 * @param {boolean} worker
 */
export async function concurrent(n, worker) {
  const below = sequence(42);
  const translator = await Translator.create({ ...PAIR, worker });
  const expected = await translator.translate(SENTENCES);
  const greedy = await translator.translate(SENTENCES, { beams: 1 });
  const tokens = await translator.measureInputUsage(SENTENCES[0]);
  /** Of those that translate, in the order of their ends. @type {number[]} */
  const ended = [];
  let given = 0;
  await Promise.all(Array.from({ length: n }, async (_, call) => {
    const i = below(SENTENCES.length);
    const kind = below(7);
    if (kind === 6) {
      const stop = new AbortController();
      const running = translator.translate(SENTENCES.join(' '), { signal: stop.signal });
      setTimeout(() => stop.abort(new Error('enough')), below(200));
      await running.then((text) => assert.equal(typeof text, 'string'), ({ message }) => {
        assert.equal(message, 'enough');
        given++;
      });
      return;
    }
    if (kind === 5) return void assert.equal(await translator.measureInputUsage(SENTENCES[0]), tokens);
    if (kind === 4) return void assert.equal(await streamed(translator, SENTENCES[i]), expected[i]);
    const said = kind === 3
      ? (await translator.translateDetailed(SENTENCES[i]))[0].target
      : await translator.translate(SENTENCES[i], { beams: 1 + (kind === 2 ? 1 : 0), nBest: 1 });
    if (kind !== 2) assert.equal(said, (kind === 3 ? expected : greedy)[i]);
    if (kind < 3) ended.push(call); // the others reach the engine a little later
  }));
  const passed = ended.map((call, at) => ended.slice(0, at).filter((other) => other > call).length);
  const most = Math.max(...passed);
  assert.ok(most <= PASSING, `${most} later calls ended before one`);
  assert.deepEqual(await translator.translate(SENTENCES), expected);
  translator.destroy();
  return { calls: n, worker, given };
}
