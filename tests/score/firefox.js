// firefox.js - how near heed computes to Firefox's engine and to floats, with each kind of activations, on models of
// Firefox that are not here, and what each kind costs.
//
//     node tests/score/firefox.js [--pair enpt]... [--simd relaxed]
//
// words/s: of the processor, the median of rounds in which the kinds take turns, line by line, without a shortlist.
//
// The models are those of firefox-models.js; golden/firefox/real says what a reference computes with them: `forced.js`.
// Exit code 1: further away than golden data that float noise alone explains.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Transformer } from '../../js/index.js';
import { median } from '../bench/measure.js';
import { bringModels } from '../firefox-models.js';
import { distances, equalIds, mean, quantile } from './forced.js';

const KINDS = /** @type {const} */ (['rows', 'rows8', 'fixed']);
/** The mean distance from float32 activations that rows may have: that of Firefox's engine, and a third more. */
const MOST = { enpt: 0.02, pten: 0.035 };
/** Of 187 lines: how many translations are to be those of exact sums, and how many distances below 0.15. */
const LEAST = { equal: 165, near: 0.9 };
const ROUNDS = 5;

const { values } = parseArgs({
  options: {
    pair: { type: 'string', multiple: true, default: Object.keys(MOST) },
    simd: { type: 'string', default: 'auto' },
  },
});
const models = bringModels();
if ('missing' in models) {
  console.error(`firefox: ${models.missing}`);
  process.exit(1);
}

/** @param {number[]} off */
const show = (off) => `${mean(off).toFixed(4)} ${quantile(off, 0.99).toFixed(3).padStart(6)}`;

console.log('|Δ log p|, mean and 99th percentile: of the ids of float activations; of exact sums with fixed scales');
console.log('pair  activations      float         exact   lines ≤ 0.0005, ≤ 0.15   equal texts   words/s');
for (const pair of values.pair) {
  const packed = readFileSync(new URL(`../golden/firefox/real/${pair}.expected.jsonl.gz`, import.meta.url));
  const lines = gunzipSync(packed).toString('utf8').trim().split('\n')
    .map((line) => JSON.parse(line)).filter(({ sourceIds }) => sourceIds);
  const words = lines.reduce((sum, { source }) => sum + source.trim().split(/\s+/).length, 0);
  const simd = /** @type {'auto' | 'simd128' | 'relaxed'} */ (values.simd);
  const opened = await Promise.all(KINDS.map(async (activations) => ({
    activations,
    model: await Transformer.load(join(models.directory, pair), { activations, simd, shortlist: false }),
    equal: 0,
    seconds: /** @type {number[]} */ ([]),
  })));
  // in turns, and the first round warms up
  for (let round = 0; round <= ROUNDS; round++) {
    for (const each of round % 2 ? opened.toReversed() : opened) {
      const start = process.cpuUsage(); // of this process: others may be busy
      each.equal = equalIds(each.model, lines);
      if (round > 0) each.seconds.push(process.cpuUsage(start).user / 1e6);
    }
  }
  for (const { activations, model, equal, seconds } of opened) {
    const [float, exact] = /** @type {const} */ (['float', 'exact']).map((to) =>
      lines.map((line) => distances(model, line, to) ?? []));
    const within = (/** @type {number} */ most) => exact.filter((off) => Math.max(...off) <= most).length;
    console.log(`${pair}  ${activations.padEnd(11)} ${show(float.flat())} ${show(exact.flat())}`
      + `  ${within(0.0005).toString().padStart(14)}, ${within(0.15).toString().padStart(6)}`
      + ` ${equal.toString().padStart(8)} of ${lines.length}`
      + `  ${(words / median(seconds)).toFixed(0).padStart(6)}`);
    const most = /** @type {Record<string, number>} */ (MOST)[pair] ?? Infinity;
    const isNear = activations !== 'fixed'
      ? mean(float.flat()) <= most
      : within(0.15) >= LEAST.near * lines.length && equal >= (LEAST.equal / 187) * lines.length;
    if (!isNear) {
      console.log(`${pair}  ${activations}: too far`);
      process.exitCode = 1;
    }
    model.dispose();
  }
}
