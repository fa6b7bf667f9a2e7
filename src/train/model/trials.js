// trials.js - what each option of training gains: trains a model of one pair once plainly and once with each option,
// for the same time, and prints a table of what the models know then.
//
//   node src/train/model/trials.js --data ../shared/data [--only 'guided alignment']...
//
// Time counts, not steps: an option that costs half the speed must gain more than it costs. So the speed of every
// option is measured first, while nothing else runs; it gives the number of steps. The training itself may run beside
// other work, be stopped, and go on another day.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Translator } from '../../../js/index.js';
import { readCases, scoreCopy } from '../../../tests/score/copy.js';
import { writeDirectory } from './directory.js';
import { evaluate } from './evaluate.js';
import { fail } from './options.js';
import { NOISE, prepare, readLog, run, SHAPE, shapeOf } from './recipe.js';

/** How speed is measured: `rounds` times, in turns; `steps` each time, `report` steps between two reports. */
const MEASURED = { rounds: 3, steps: 24, report: 4 };
/** Speeds so near to that of the plain trial, as a share, are the same: one option measured twice differs as much. */
const NEAR = 0.12;

/** Not by the shares of recipe.js. */
const BY_SIZE = 'corpora by their size';
const PLAINLY = 'plain';

/** The plain trial. A later option of the same name replaces an earlier one. */
const PLAIN = [
  '--batch', '2048', '--rate', '0.002', '--warmup', '500', '--dropout', '0', '--smoothing', '0.1', '--longest', '160',
  '--sampled-softmax', '2560', '--join', '0', '--report', '100', '--evaluate', '1000000',
];

/** The trial that shows how much the figures depend on chance is plain too. @type {Record<string, string[]>} */
const TRIALS = {
  [PLAINLY]: [],
  'another seed': ['--seed', '2'],
  'guided alignment': ['--guided', '0.2'],
  'names and numbers replaced': ['--replace', '0.05'],
  'noise on the source': ['--noise', NOISE],
  'subword sampling of both sides': ['--sample-source', '0.2', '--sample-target', '0.2'],
  'mean of the weights': ['--ema', '0.999'],
  'neighbours joined': ['--join', '0.1'],
  'dropout of attention 0.1': ['--attention-dropout', '0.1'],
  [BY_SIZE]: [], // see optionsOf
  'dropout 0.1': ['--dropout', '0.1'],
  'all words in the softmax': ['--sampled-softmax', '0'],
  'norms after the sublayers, rate 0.001': [
    '--config', 'normalize_before=0', '--config', 'add_final_layer_norm=0', '--rate', '0.001', '--warmup', '1500',
  ],
  'cosine instead of inverse square root': ['--schedule', 'cosine'],
  'subword sampling of the source': ['--sample-source', '0.2'],
  'curly quotes on the source': ['--noise', 'quotes=0.3'],
  'no label smoothing': ['--smoothing', '0'],
};

const HELP = `usage: node src/train/model/trials.js --data DIR [options]
  --data DIR         has en-X.train.tsv.gz, .docs, .dev, .docs-dev, and phrases/
  --minutes N        of training for each trial, with all processors of a quiet machine (15)
  --direction X      of the model (en-de)
  --only NAME        this trial, any number of times (all):
${Object.keys(TRIALS).map((name) => `                       ${name}\n`).join('')}
  --spm FILE         the vocabulary (models/de-en-es-fr/source.spm)
  --work DIR         (build/trials)
`;

/** @typedef {{ speed: number, tokensPerStep: number }} Speed  target tokens a second */

/**
 * The fastest that each option was, because other machines of the same host only ever slow it down.
 *
 * @param {string[]} names
 * @param {string} folder  for heed-train
 * @param {(name: string) => string[]} optionsOf
 * @returns {Record<string, Speed>}
 */
function measure(names, folder, optionsOf) {
  /** @type {Record<string, Speed>} */
  const speeds = {};
  for (let round = 0; round < MEASURED.rounds; round++) {
    for (const name of names) {
      rmSync(folder, { recursive: true, force: true });
      run('build/heed-train', [
        ...optionsOf(name), '--out', folder, '--steps', String(MEASURED.steps), '--report', String(MEASURED.report),
      ]);
      const rows = readLog(folder);
      const speed = Math.max(speeds[name]?.speed ?? 0, ...rows.map((row) => Number(row.speed)));
      speeds[name] = { speed, tokensPerStep: Number(rows.at(-1)?.tokens) / MEASURED.steps };
    }
  }
  rmSync(folder, { recursive: true });
  return speeds;
}

/**
 * Shares of the numbers and names that come through, as tests/score/copy counts them, without `keep`.
 *
 * @param {string} model  directory
 * @param {string} direction
 */
async function copyShares(model, direction) {
  const [source, target] = direction.split('-');
  const cases = readCases();
  const translator = await Translator.create({ sourceLanguage: source, targetLanguage: target, model });
  const outputs = await translator.translate(cases.map(({ sentences }) => sentences[source]), { keep: false });
  translator.destroy();
  const { numbers, names } = scoreCopy(outputs, target, cases);
  return [numbers, names].map(({ kept, of }) => (100 * kept) / of);
}

/**
 * What the model of a trial knows.
 *
 * @param {string} name  of the trial
 * @param {string} folder  of heed-train
 * @param {{ work: string, direction: string }} place
 */
async function judge(name, folder, { work, direction }) {
  const [source, target] = direction.split('-');
  const set = [...SHAPE, ...TRIALS[name].filter((text) => /^\w+=\d+$/.test(text))];
  await writeDirectory({
    weights: join(folder, 'model.safetensors'), spm: join(work, 'spm'), set: shapeOf(set),
    manifest: { format: 1, name, source, target, dtype: 'float32' },
  }, join(folder, 'model'));
  const model = join(folder, 'model/int8');
  const scores = Object.fromEntries((await evaluate(model, join(work, 'dev'))).map((score) => [score.name, score]));
  const [everyday, docs] = [direction, `docs-${direction}`].map((set) =>
    ({ bleu: scores[set].bleu, chrf2: scores[set].chrf2 }));
  const [numbers, names] = await copyShares(model, direction);
  return { everyday, docs, numbers, names };
}

/** @param {any[][]} rows  name, tokens a second, what result.json has @param {string} title */
function print(rows, title) {
  const two = (/** @type {Record<string, number>} */ { bleu, chrf2 }) => `${bleu.toFixed(1)}, ${chrf2.toFixed(1)}`;
  console.log(`\n${title}\n`);
  console.log('| option | tokens a second | target tokens | BLEU, chrF2 | documentation | numbers | names |');
  console.log('|---|---|---|---|---|---|---|');
  for (const [name, speed, { tokens, everyday, docs, numbers, names }] of rows) {
    const cells = [
      name, Math.round(speed).toLocaleString('en'), tokens.toLocaleString('en'), two(everyday), two(docs),
      `${numbers.toFixed(1)} %`, `${names.toFixed(1)} %`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' }, minutes: { type: 'string', default: '15' },
      direction: { type: 'string', default: 'en-de' }, only: { type: 'string', multiple: true },
      spm: { type: 'string', default: 'models/de-en-es-fr/source.spm' },
      work: { type: 'string', default: 'build/trials' }, help: { type: 'boolean' },
    },
  });
  const { data, direction, work, minutes } = values;
  if (values.help || !data) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const names = values.only ?? Object.keys(TRIALS);
  for (const name of names) if (!TRIALS[name]) fail(`--only: found '${name}', expected one of:\n${HELP}`);

  const corpora = prepare(work, ['--data', data, '--directions', direction, '--spm', values.spm]);
  const drawn = corpora.map((text) => text.replace(/^(.+):[\d.]+$/, (_, file) => `${file}:${statSync(file).size}`));
  /** @param {string} name */
  const optionsOf = (name) => [
    ...(name === BY_SIZE ? drawn : corpora), ...SHAPE.flatMap((text) => ['--config', text]), ...PLAIN, ...TRIALS[name],
  ];

  const measured = join(work, 'speeds.json');
  /** @type {Record<string, Speed>} */
  const speeds = existsSync(measured) ? JSON.parse(readFileSync(measured, 'utf8')) : {};
  const unknown = [...new Set([PLAINLY, ...names])].filter((name) => !speeds[name]);
  if (unknown.length > 0) {
    Object.assign(speeds, measure(unknown, join(work, 'speed'), optionsOf));
    writeFileSync(measured, `${JSON.stringify(speeds, null, 2)}\n`);
  }

  const rows = [];
  for (const name of names) {
    // a trial of another length is another trial
    const folder = join(work, `${name.replace(/\W+/g, '-')}-${minutes}`);
    const result = join(folder, 'result.json');
    if (!existsSync(result)) {
      const { tokensPerStep } = speeds[name];
      const isNear = Math.abs(speeds[name].speed / speeds[PLAINLY].speed - 1) < NEAR;
      const { speed } = speeds[isNear ? PLAINLY : name];
      // whole hundreds: the log has a row for each, and its last one tells the tokens
      const steps = String(100 * Math.max(1, Math.round((60 * Number(minutes) * speed) / (100 * tokensPerStep))));
      run('build/heed-train', [...optionsOf(name), '--out', folder, '--steps', steps, '--total', steps]);
      const { step, tokens } = readLog(folder).at(-1) ?? {};
      if (step !== steps) fail(`${name}: heed-train stopped after step ${step} of ${steps}; run this again to go on`);
      const known = { tokens: Number(tokens), ...(await judge(name, folder, { work, direction })) };
      writeFileSync(result, `${JSON.stringify(known, null, 2)}\n`);
    }
    rows.push([name, speeds[name].speed, JSON.parse(readFileSync(result, 'utf8'))]);
  }
  print(rows, `${minutes} minutes of ${cpus().length} processors each`);
}

await main();
