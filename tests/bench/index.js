// index.js - the benchmark: heed beside onnxruntime-web as transformers.js drives it, same weights, same inputs.
//
//   node tests/bench/index.js [--hosts node,node22,node24,chromium] [--models A,B] [--dtypes f32,int8] [--rounds 7]
//                             [--only speed,cost,growth,load] [--results FILE]
//
// --results writes the speeds to a file as those in results/, of which the page of benchmarks is made.
// Everything runs on one thread. Bergamot takes part in Node, with the same weights in int8 and a vocabulary of words:
// it takes text, so its times have the cutting of text in them. CTranslate2, native, takes part where
// CTRANSLATE2_PYTHON or python3 has it (PyPI's ctranslate2); it has a process of its own, which takes its turns. Other
// engines are installed into tests/bench/node_modules, and models are written to build/bench, when they are missing.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from './competitors.js';
import { commandOf, writeResult } from './results.js';
import { CASES, MODELS } from './shapes.js';
import { brief, child, machine, megabytes, table } from './table.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
// f32: the same sums of up to 2,048 products in another order; 7e-6 was measured, on logits of magnitude 5.
// int8: two ways to round weights and activations; onnxruntime's alone moves the logits by 3 to 4 % of their size.
const WORST_F32 = 1e-4;
const RELATIVE_INT8 = 0.1;
/** Of near ties sums in another order may choose the other, after which a target goes another way. */
const SAME_IDS = 0.99;
/** Bergamot's sums saturate in 16 bits. With activations rounded in another way 88 % are the same. */
const SAME_AS_BERGAMOT = 0.95;

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: 'node,node22,node24,chromium' },
    models: { type: 'string', default: Object.keys(MODELS).join() },
    dtypes: { type: 'string', default: 'f32,int8' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: 'speed,cost,growth,load' },
    results: { type: 'string' },
  },
});
const [hosts, models, dtypes, parts] = ['hosts', 'models', 'dtypes', 'only'].map((name) => values[name].split(','));
const rounds = Number(values.rounds);
if (!(rounds >= 7)) throw new RangeError(`--rounds: found ${values.rounds}, expected 7 or more`);

/** How to measure on a host, or why not. */
async function runnerOf(host) {
  if (host === 'node') return { program: 'node.js', node: process.execPath };
  if (host === 'chromium') {
    const { findChromium } = await import('./chromium.js');
    if (findChromium()) return { program: 'chromium.js' };
    return { missing: 'no Chromium found: apt-get install chromium, or set CHROMIUM to the path of one' };
  }
  const node = `${HERE}node_modules/${host}/bin/node`;
  if (existsSync(node)) return { program: 'node.js', node };
  return { missing: `tests/bench/${node.slice(HERE.length)} is missing: there is one for Linux on x64 only` };
}

/** What --results writes. @type {import('./results.js').Measured[]} */
const measured = [];

/** One block of the table: all cases of one model in one arithmetic on one host. */
function report({ host, model, dtype, skipped, agree, ids, ofBergamot, results }) {
  for (const { case: name, engines } of results) {
    measured.push({ label: `${model} ${dtype}, ${name}, ${host}`, engines });
  }
  console.log(`\n${host}, model ${model}, ${dtype}`);
  const rows = results.flatMap(({ case: name, rounds: n, engines }) => {
    const { batch, target } = CASES[name];
    const base = engines['onnxruntime-web'];
    return Object.entries(engines).map(([engine, ms]) =>
      [name, engine, brief(ms), brief((1000 * batch * target) / ms), `${(base / ms).toFixed(2)}x`, n]);
  });
  console.log(table(['case', 'engine', 'ms', 'tokens/s', 'to ort-web', 'rounds'], rows, 2));
  for (const [engine, why] of Object.entries(skipped)) console.log(`${engine}: skipped: ${why}`);
  if (ids !== undefined) {
    console.log(`ids of heed and CTranslate2, each with its own search, are the same: ${(100 * ids).toFixed(1)} %`);
    if (dtype === 'f32' && ids < SAME_IDS) {
      console.log('FAILED: that is too little for the same model');
      process.exitCode = 1;
    }
  }
  if (ofBergamot !== undefined) {
    const share = (100 * ofBergamot).toFixed(1);
    console.log(`ids of heed, with the arithmetic of Firefox's engine, and Bergamot are the same: ${share} %`);
    if (ofBergamot < SAME_AS_BERGAMOT) {
      console.log('FAILED: that is too little for the same model');
      process.exitCode = 1;
    }
  }
  if (!agree) return;
  const { worst, relative } = agree;
  const mean = `${(100 * relative).toPrecision(2)} %`;
  console.log(`logits of heed and onnxruntime-web differ by ${worst.toExponential(1)} at most, ${mean} in the mean`);
  if (!(dtype === 'f32' ? worst <= WORST_F32 : relative <= RELATIVE_INT8)) {
    console.log('FAILED: that is too much for the same model');
    process.exitCode = 1;
  }
}

async function speed() {
  console.log('\nSPEED, greedy, one thread, 20 tokens to 25 (or 256 to 25), no </s>; medians; engines in turns, '
    + 'in one');
  console.log('process. onnxruntime is driven as transformers.js drives it; its int8 is its dynamic quantisation.');
  for (const host of hosts) {
    const { program, node, missing } = await runnerOf(host);
    if (missing) {
      console.log(`\n${host}: skipped: ${missing}`);
      continue;
    }
    for (const model of models) {
      for (const dtype of dtypes) report(await child(program, [model, dtype, rounds], node));
    }
  }
}

/** @param {string} file */
function keep(file) {
  const engines = new Set(measured.flatMap((each) => Object.keys(each.engines)));
  const named = Object.entries(MODELS).filter(([name]) => models.includes(name))
    .map(([name, { width, ffn, layers, vocabulary }]) =>
      `Model ${name}: d ${width}, feed-forward ${ffn}, ${layers} + ${layers} layers, ${vocabulary} pieces.`);
  writeResult(file, {
    title: `Beside ${[...engines].filter((name) => !name.startsWith('heed')).join(', ')}`,
    text: 'Milliseconds for 20 tokens to 25, or 256 to 25, of the same random weights, in turns, on one thread, in one '
      + 'process, which CTranslate2 is outside of; Bergamot takes text, in which each token is a word; in brackets the '
      + `speed-up over onnxruntime-web, driven as transformers.js drives it. ${named.join(' ')}`,
    command: commandOf('index.js', process.argv.slice(2)),
    base: 'onnxruntime-web',
    measured,
  });
}

async function cost() {
  const { engineSizes, modelSizes } = await import('./download.js');
  const { ENGINES } = await import('./node.js');
  console.log('\nDOWNLOAD, engine (scripts minified, and wasm), MB');
  const sizes = Object.entries(await engineSizes());
  const cells = ({ raw, gzip, brotli }) => [raw, gzip, brotli].map((bytes) => (bytes / 1e6).toFixed(3));
  console.log(table(['engine', 'raw', 'gzip', 'brotli'], sizes.map(([name, s]) => [name, ...cells(s)])));
  const rows = [];
  const skipped = [];
  for (const model of models) {
    for (const dtype of dtypes) {
      const weights = await modelSizes(model, dtype);
      for (const engine of ENGINES) {
        const runs = [];
        for (let i = 0; i < 3; i++) runs.push(await child('once.js', [engine, model, dtype]));
        if (runs[0].skipped) {
          skipped.push(`${engine}, ${model} ${dtype}: skipped: ${runs[0].skipped}`);
          continue;
        }
        const middle = (key) => runs.map((r) => r[key]).sort((a, b) => a - b)[1];
        const bytes = engine.startsWith('heed') ? weights.heed : weights['onnxruntime-web'];
        rows.push([`${model} ${dtype}`, engine, megabytes(bytes), brief(middle('load')), brief(middle('first')),
          megabytes(middle('peak'))]);
      }
    }
  }
  console.log('\nLOADING, from a directory, each engine in a process of its own, this Node, medians of 3');
  console.log(table(['model', 'engine', 'weights MB', 'loaded ms', 'first translation ms', 'peak RSS MB'], rows, 2));
  for (const line of skipped) console.log(line);
  console.log(`an empty Node: ${megabytes((await child('once.js', ['none'])).peak)} MB`);
}

/** A program of this folder that prints for itself. */
function run(program, ...args) {
  const { status } = spawnSync(process.execPath, [`${HERE}${program}`, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

install();
const { writeModels } = await import('./models.js');
await writeModels(models);
console.log(`heed's benchmark: ${machine()}`);
if (parts.includes('speed')) {
  await speed();
  if (values.results) keep(values.results);
}
if (parts.includes('cost')) await cost();
if (parts.includes('growth')) {
  for (const dtype of dtypes) {
    console.log(`\nGROWTH, ${dtype}`);
    run('growth.js', 'A', dtype);
  }
}
if (parts.includes('load')) {
  console.log('\nLOAD AND MEMORY');
  run('load.js');
}
