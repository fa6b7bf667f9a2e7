// large.js - heed beside onnxruntime-web on random weights of the shape of NLLB-200's 600M, in int8: loading, peak
// memory and speed.
//
//     node tests/bench/large.js [--rounds 7] [--only load,speed]
//
// It needs 16 GB of memory and 5 GB on the disk, and writes build/bench/N first. Everything runs on one thread.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install } from './competitors.js';
import { median } from './measure.js';
import { FOLDER, writeModels } from './models.js';
import { serve } from './server.js';
import { CASES } from './shapes.js';
import { brief, child, machine, megabytes, table } from './table.js';

const ENGINES = ['heed simd128', 'heed relaxed', 'onnxruntime-web'];
const LISTED = ['one sentence', 'batch of 8'];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, only: { type: 'string', default: 'load,speed' } },
});

/** @param {string[]} names  in build/bench/N */
const bytesOf = async (names) =>
  (await Promise.all(names.map((name) => stat(join(FOLDER, 'N', name))))).reduce((sum, { size }) => sum + size, 0);

async function loading() {
  const onnx = ['encoder', 'decoder'].map((side) => `onnx-int8/${side}_model${side === 'decoder' ? '_merged' : ''}.onnx`);
  const sizes = { heed: await bytesOf(['int8/model.safetensors']), onnx: await bytesOf(onnx) };
  const rows = [];
  for (const engine of ENGINES) {
    const runs = [];
    for (let i = 0; i < 3; i++) runs.push(await child('once.js', [engine, 'N', 'int8']));
    if (runs[0].skipped) {
      rows.push([engine, 'skipped', '', '', '']);
      continue;
    }
    const middle = (/** @type {string} */ key) => median(runs.map((run) => run[key]));
    rows.push([engine, megabytes(engine.startsWith('heed') ? sizes.heed : sizes.onnx), brief(middle('load') / 1000),
      brief(middle('first') / 1000), megabytes(middle('peak'))]);
  }
  console.log('\nLOADING, from a directory, each engine in a process of its own, medians of 3');
  console.log(table(['engine', 'weights MB', 'loaded s', 'first translation s', 'peak RSS MB'], rows));
  const server = await serve();
  try {
    const { load, peak } = await child('once.js', ['heed simd128', 'N', 'f32:int8', `${server.url}build/bench/`]);
    const size = await bytesOf(['f32/model.safetensors']);
    console.log(`heed simd128, from ${megabytes(size)} MB of F32 on a server into int8: loaded after `
      + `${brief(load / 1000)} s, peak RSS ${megabytes(peak)} MB`);
  } finally {
    server.close();
  }
}

async function speed() {
  const { agree, results } = await child('node.js', ['N', 'int8', values.rounds, ...LISTED]);
  console.log('\nSPEED, greedy, one thread, 20 tokens to 25, medians, engines in turns in one process');
  const rows = results.flatMap(({ case: name, rounds, engines }) => Object.entries(engines).map(([engine, ms]) =>
    [name, engine, brief(ms), brief((1000 * CASES[name].batch * CASES[name].target) / ms),
      `${(engines['onnxruntime-web'] / ms).toFixed(2)}x`, rounds]));
  console.log(table(['case', 'engine', 'ms', 'tokens/s', 'to ort-web', 'rounds'], rows, 2));
  console.log(`logits differ by ${(100 * agree.relative).toPrecision(2)} % in the mean`);
}

install();
await writeModels(['N']);
console.log(machine());
if (values.only.includes('load')) await loading();
if (values.only.includes('speed')) await speed();
