// load.js - the cost of loading and of long use: time to the first translation of a shipped model, peak memory while
// loading from a directory and from a URL, and growth over 20,000 translations.
//
//   node load.js             prints it all; started by index.js
//   node load.js --first     one process: loads, translates, prints one line of JSON
import { fileURLToPath } from 'node:url';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FIXTURE, FIXTURE_PATH } from '../browser/fixture.js';
import { median } from './measure.js';
import { FOLDER, writeModels } from './models.js';
import { serve } from './server.js';
import { brief, child, machine, megabytes, table } from './table.js';

const MODEL = fileURLToPath(FIXTURE);
const PROCESSES = 9;
const TRANSLATIONS = 20_000;

async function first() {
  const start = performance.now();
  const { Translator } = await import('../../js/index.js');
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: MODEL });
  const loaded = performance.now() - start;
  const text = await translator.translate('The weather is nice today.');
  const translated = performance.now() - start;
  console.log(JSON.stringify({ text, loaded, translated, sinceStart: performance.now() }));
}

async function timeToFirst() {
  const runs = [];
  for (let i = 0; i < PROCESSES; i++) runs.push(await child('load.js', ['--first']));
  const of = (key) => brief(median(runs.map((r) => r[key])));
  console.log(`${FIXTURE_PATH} in ${PROCESSES} fresh processes, medians: loaded after ${of('loaded')} ms,`);
  console.log(`first translation (${runs[0].text}) after ${of('translated')} ms;`);
  console.log(`with the start of Node ${of('sinceStart')} ms`);
}

/** Sentences of many lengths, from a few words. */
function texts(n) {
  const words = 'the old house was near a river and we often went there in summer'.split(' ');
  return Array.from({ length: n }, (_, i) =>
    `${Array.from({ length: 1 + (i % 10) }, (_, w) => words[(i * 5 + w * (1 + (i % 3))) % words.length]).join(' ')}.`);
}

async function growth() {
  const { Transformer } = await import('../../js/index.js');
  const model = await Transformer.load(MODEL);
  const { tokenizer } = model;
  const input = texts(400);
  const pass = () => {
    const results = model.generate(input.map((text) => tokenizer.encode(text).ids), { maxTokens: 10, batchSize: 32 });
    for (const [best] of results) tokenizer.decode(best.ids);
  };
  pass();
  const before = model.info.memoryBytes;
  const start = performance.now();
  for (let done = 0; done < TRANSLATIONS; done += input.length) pass();
  const seconds = (performance.now() - start) / 1000;
  const grown = model.info.memoryBytes - before;
  console.log(`${TRANSLATIONS} translations with ${FIXTURE_PATH} in ${brief(seconds)} s: ` +
    `wasm memory ${before} bytes, grown by ${grown}`);
  if (grown !== 0) process.exitCode = 1;
  model.dispose();
}

async function peaks() {
  const server = await serve();
  const rows = [];
  try {
    for (const model of ['A', 'B']) {
      for (const dtype of ['f32', 'int8']) {
        const { size } = await stat(join(FOLDER, model, dtype, 'model.safetensors'));
        const limit = 1.3 * size + 16e6;
        for (const [from, base] of [['directory', FOLDER], ['URL', `${server.url}build/bench/`]]) {
          const run = await child('once.js', ['heed simd128', model, dtype, base]);
          if (run.skipped) {
            console.log(`${model} ${dtype} from a ${from}: skipped: ${run.skipped}`);
            continue;
          }
          const grown = run.peakLoad - run.before;
          rows.push([`${model} ${dtype}`, from, megabytes(size), megabytes(run.memory), megabytes(grown),
            megabytes(run.peak - run.before), megabytes(limit), grown <= limit ? 'yes' : 'no']);
        }
      }
    }
  } finally {
    server.close();
  }
  const heading = ['model', 'from', 'weights', 'wasm', 'loading', 'translating', '1.3 weights + 16', 'within'];
  console.log(table(heading, rows, 2));
  console.log('MB; loading, translating: growth of the peak of resident memory, code and caches of Node included');
}

if (process.argv[2] === '--first') await first();
else {
  console.log(machine());
  await writeModels();
  await timeToFirst();
  await growth();
  await peaks();
}
