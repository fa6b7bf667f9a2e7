// calls.js - how long two calls at the same time take, and thirty of one sentence, beside one call with the same texts:
// in this thread and in a worker, medians. The last line of each is a short call that comes while a long one runs. The
// processor's time tells where others use the machine.
// Run: node tests/bench/calls.js [ROUNDS]
import { Translator } from '../../js/index.js';
import { numberedSentences, SHIPPED } from '../model-files.js';
import { median } from './measure.js';
import { table } from './table.js';

const rounds = Number(process.argv[2] ?? 15);
const TEXTS = numberedSentences(32);
const [ONE, TWO] = [TEXTS.slice(0, 16), TEXTS.slice(16)];
const LONG = Array.from({ length: 8 }, () => TEXTS).flat();

/** @param {Translator} translator @returns {Record<string, () => Promise<unknown>>} */
const casesOf = (translator) => ({
  '32 sentences in one call': () => translator.translate(TEXTS),
  'in two calls at once': () => Promise.all([translator.translate(ONE), translator.translate(TWO)]),
  'in two calls, one after the other': async () => {
    await translator.translate(ONE);
    await translator.translate(TWO);
  },
  'in 32 calls, one after the other': async () => {
    for (const text of TEXTS) await translator.translate(text);
  },
  'in 32 calls at once': () => Promise.all(TEXTS.map((text) => translator.translate(text))),
  'one sentence': () => translator.translate(TEXTS[0]),
});

/** Milliseconds, and those of the processor. @param {() => Promise<unknown>} f */
async function time(f) {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await f();
  const { user, system } = process.cpuUsage(before);
  return [performance.now() - start, (user + system) / 1000];
}

/** A short call comes while 256 sentences are translated. @param {Translator} translator */
async function waitBesideLong(translator) {
  const stop = new AbortController();
  const long = translator.translate(LONG, { signal: stop.signal }).catch(() => {});
  await new Promise((resolve) => void setTimeout(resolve, 100));
  const waited = await time(() => translator.translate(TEXTS[0]));
  stop.abort();
  await long;
  return waited;
}

const rows = [];
for (const worker of [false, true]) {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, worker });
  const cases = { ...casesOf(translator), 'one sentence, beside a call of 256': null };
  const times = /** @type {Record<string, number[][]>} */ ({});
  // the first rounds are for the host, which compiles; the order changes, so that none always comes first
  for (let round = -2; round < rounds; round++) {
    const entries = Object.entries(cases);
    for (const [name, f] of round % 2 ? entries.reverse() : entries) {
      const taken = f ? await time(f) : await waitBesideLong(translator);
      if (round >= 0) (times[name] ??= []).push(taken);
    }
  }
  translator.destroy();
  /** @param {string} name */
  const medians = (name) => [0, 1].map((i) => median(times[name].map((taken) => taken[i])));
  const [, alone] = medians('32 sentences in one call');
  for (const name of Object.keys(cases)) {
    const [ms, cpu] = medians(name);
    rows.push([worker ? 'worker' : 'this thread', name, `${ms.toFixed(1)} ms`, `${cpu.toFixed(1)} ms`,
      `${(cpu / alone).toFixed(2)} x`]);
  }
}
console.log(table(['engine', `work, median of ${rounds}`, 'time', 'of the processor', 'of one call'], rows, 2));
