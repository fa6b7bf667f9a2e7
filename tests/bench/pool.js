// pool.js - how the time of a long text falls with the number of workers: sentences a second with 1, 2, ... of them,
// and the share of the ideal, which is N times the speed of one. Says how many cores there were. Translations must be
// equal.
// Where other programs use the cores, too, the time says little; the processor time says what sharing the work costs.
// Run: node tests/bench/pool.js [ROUNDS] [MOST]
import { availableParallelism } from 'node:os';
import { Translator } from '../../js/index.js';
import { numberedSentences, SHIPPED } from '../model-files.js';
import { median } from './measure.js';
import { machine, table } from './table.js';

const rounds = Number(process.argv[2] ?? 5);
const cores = availableParallelism();
const most = Number(process.argv[3] ?? cores);
const TEXTS = numberedSentences(1024);

/** @type {Map<number, Translator>} */
const pools = new Map();
for (let workers = 1; workers <= most; workers = workers < most ? Math.min(2 * workers, most) : most + 1) {
  pools.set(workers, await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, workers }));
}
/** Milliseconds, and those of the processors, by number of workers. @type {Map<number, [number, number][]>} */
const times = new Map([...pools.keys()].map((workers) => [workers, []]));
const processor = () => (({ user, system }) => (user + system) / 1000)(process.cpuUsage());
let expected;
// the first rounds are for the host, which compiles; the order changes, so that none always comes first
for (let round = -1; round < rounds; round++) {
  for (const [workers, pool] of round % 2 ? [...pools] : [...pools].reverse()) {
    const [start, before] = [performance.now(), processor()];
    const found = (await pool.translate(TEXTS)).join('\n');
    if (round >= 0) times.get(workers)?.push([performance.now() - start, processor() - before]);
    if ((expected ??= found) !== found) throw new Error(`${workers} workers: other translations`);
  }
}
for (const pool of pools.values()) pool.destroy();

const medians = (/** @type {number} */ workers) =>
  [0, 1].map((i) => median((times.get(workers) ?? []).map((each) => each[i])));
const [one, oneProcessor] = medians(1);
console.log(machine());
console.log(`${TEXTS.length} sentences, medians of ${rounds}, ${cores} cores for this program`);
const columns = ['workers', 'sentences/s', 'of N times one', 'processor time, s', 'of that of one'];
console.log(table(columns, [...times.keys()].map((workers) => {
  const [time, used] = medians(workers);
  return [workers, (1000 * TEXTS.length / time).toFixed(0), (one / time / workers).toFixed(2), (used / 1000).toFixed(1),
    (used / oneProcessor).toFixed(2)];
})));
