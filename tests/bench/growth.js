// growth.js - how heed's time grows with the length of the source, of the target, and with the batch.
//
//   node growth.js [MODEL] [DTYPE] [SIMD]     prints three tables with exponents; started by index.js
//
// An exponent e says time ~ n^e: 1 is in proportion. It is the slope of log time over log n: from row to row, and the
// least-squares line through all rows.
import { open } from './node.js';
import { median } from './measure.js';
import { writeModels } from './models.js';
import { MODELS, sentences } from './shapes.js';
import { brief, machine, table } from './table.js';

const ROUNDS = 7;

/** Slope of log y over log x, least squares. */
function exponent(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, p) => sum + p[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const along = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return along / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

/** Medians, one for each shape; the shapes take turns, so that a busy moment of the machine touches all. */
function measure(engine, vocabulary, shapes) {
  const runs = shapes.map(({ batch = 1, source = 20, target = 25 }) =>
    ({ input: sentences(batch, source, vocabulary), target, times: [] }));
  for (let r = 0; r < ROUNDS + 1; r++) {
    for (const { input, target, times } of runs) {
      const start = performance.now();
      engine.translate(input, target);
      times.push(performance.now() - start);
    }
  }
  return runs.map(({ times }) => median(times.slice(1))); // the first of each makes room in the session
}

const [model = 'A', dtype = 'f32', simd = 'simd128'] = process.argv.slice(2);
await writeModels([model]);
const { vocabulary } = MODELS[model];
const engine = await open(`heed ${simd}`, model, dtype);
for (let i = 0; i < 20; i++) engine.translate(sentences(8, 20, vocabulary), 25); // until it is compiled

console.log(`${engine.name} ${dtype}, model ${model}; ${machine()}; medians of ${ROUNDS}`);
for (const [what, sizes, shape] of [
  ['source tokens (25 target tokens)', [16, 32, 64, 128, 256, 512], (n) => ({ source: n })],
  ['target tokens (20 source tokens)', [16, 32, 64, 128, 256, 512], (n) => ({ target: n })],
  ['sentences (20 to 25 tokens)', [1, 2, 4, 8, 16, 32, 64], (n) => ({ batch: n })],
]) {
  const times = measure(engine, vocabulary, sizes.map(shape));
  const points = sizes.map((n, i) => [n, times[i]]);
  const rows = points.map(([n, ms], i) =>
    [n, brief(ms), brief(ms / n), i ? exponent(points.slice(i - 1, i + 1)).toFixed(2) : '']);
  console.log(`\n${table([what, 'ms', 'ms/each', 'exponent'], rows)}\nover all rows: ${exponent(points).toFixed(2)}`);
}
engine.dispose();
