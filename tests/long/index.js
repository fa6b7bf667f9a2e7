// index.js - `make long`: the runs of runs.js at length, their figures and limits, one line each. `node
// tests/long/index.js NAME…` does some of them.
import { aborts, concurrent, loads, translations } from './runs.js';

const percent = (/** @type {number} */ x) => `${(100 * x).toFixed(1)} %`;
const megabytes = (/** @type {number} */ x) => `${(x / 1e6).toFixed(1)} MB`;

/** @type {Record<string, () => Promise<[fits: boolean, figures: string]>>} */
const runs = {
  async translations() {
    const { translations: n, seconds, wasmGrowth, heapBytes, heapGrowth } = await translations(100_000, 5_000);
    const figures = `${n} in ${seconds.toFixed(0)} s: wasm memory + ${wasmGrowth} bytes, `
      + `JS heap ${percent(heapGrowth)} of ${megabytes(heapBytes)}`;
    return [wasmGrowth === 0 && Math.abs(heapGrowth) <= 0.05, figures];
  },
  async loads() {
    const { loads: n, rssBefore, rssAfter, rssMost, rssGrowth } = await loads(1000, 50);
    const figures = `${n}: RSS ${megabytes(rssBefore)} before, ${megabytes(rssAfter)} after, `
      + `${megabytes(rssMost)} at most: ${percent(rssGrowth)}`;
    return [rssGrowth <= 0.1, figures];
  },
  async aborts() {
    const { aborts: n, aborted, finished, wasmGrowth } = await aborts(1000);
    return [wasmGrowth === 0,
      `${n}: ${aborted} ended by it, ${finished} had ended before; wasm memory + ${wasmGrowth} bytes`];
  },
  async concurrent() {
    const all = [await concurrent(1000, false), await concurrent(1000, true)];
    return [true, all.map(({ calls, worker, given }) =>
      `${calls} calls at once${worker ? ' in a worker' : ''}, ${given} given up`).join('; ')];
  },
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(runs);
for (const name of chosen) {
  if (!Object.hasOwn(runs, name)) throw new RangeError(`found '${name}', expected some of ${Object.keys(runs)}`);
  const [fits, figures] = await runs[name]();
  console.log(`${name}: ${figures}${fits ? '' : ': TOO MUCH'}`);
  if (!fits) process.exitCode = 1;
}
