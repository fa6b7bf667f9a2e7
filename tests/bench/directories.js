// directories.js - models in directories beside each other: the time to load, and to translate lines one at a time and
// all in one call; for instance a new model beside those that it takes the place of.
//
//   node tests/bench/directories.js DIR DIR… [--from en] [--to de] [--lines FILE] [--most 200] [--rounds 5]
//   node tests/bench/directories.js DIR --one ...    one process: prints one line of JSON
//
// Lines are the first cells of FILE, by default the sentences of tests/score/samples.json in the source language. Each
// round has a process for each model, in turns. Times are of the processor, all threads, since others may be busy;
// medians.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { median } from './measure.js';
import { brief, child, machine, megabytes, table } from './table.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: 'en' },
    to: { type: 'string', default: 'de' },
    lines: { type: 'string' },
    most: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    one: { type: 'boolean', default: false },
  },
});

/** @returns {string[]} */
function readLines() {
  const samples = new URL('../score/samples.json', import.meta.url);
  if (!values.lines) return JSON.parse(readFileSync(samples, 'utf8'))[values.from];
  const bytes = readFileSync(values.lines);
  const text = (values.lines.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.trim().split('\n').slice(0, Number(values.most)).map((line) => line.split('\t')[0]);
}

async function one() {
  const times = { loaded: 0, lines: 0, batch: 0 };
  let before = process.cpuUsage();
  const lap = (/** @type {keyof typeof times} */ name) => {
    const { user, system } = process.cpuUsage(before);
    times[name] = (user + system) / 1000;
    before = process.cpuUsage();
  };
  const { Translator } = await import('../../js/index.js');
  const translator = await Translator.create({
    sourceLanguage: values.from, targetLanguage: values.to, model: positionals[0], worker: false,
  });
  lap('loaded');
  const lines = readLines();
  await translator.translate(lines[0]);
  before = process.cpuUsage();
  for (const line of lines) await translator.translate(line);
  lap('lines');
  await translator.translate(lines);
  lap('batch');
  console.log(JSON.stringify({ ...times, memory: translator.info.memoryBytes }));
}

async function all() {
  const lines = readLines();
  const words = lines.reduce((sum, line) => sum + line.split(/\s+/).length, 0);
  const { from, to, most, rounds } = values;
  const runs = positionals.map(() => /** @type {any[]} */ ([]));
  for (let round = 0; round < Number(rounds); round++) {
    for (const [i, directory] of positionals.entries()) {
      runs[i].push(await child('directories.js', [directory, '--one', '--from', from, '--to', to, '--most', most,
        ...(values.lines ? ['--lines', values.lines] : [])]));
    }
  }
  console.log(`${machine()}\n${from}-${to}, ${lines.length} lines of ${words} words, median of ${rounds} processes`);
  console.log(table(['model', 'load, ms', 'lines, words/s', 'one call, words/s', "heed's module, MB"],
    positionals.map((directory, i) => {
      const of = (/** @type {string} */ key) => median(runs[i].map((run) => run[key]));
      return [directory, brief(of('loaded')), brief((1000 * words) / of('lines')), brief((1000 * words) / of('batch')),
        megabytes(of('memory'))];
    })));
}

await (values.one ? one() : all());
