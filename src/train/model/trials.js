// trials.js - what each option of training gains: trains a model of one pair once plainly and once with each option,
// for the same time, and prints a table of what the models know then.
//
//   node src/train/model/trials.js --data ../shared/data --minutes 30 [--only 'guided alignment']...
//
// Time counts, not steps: an option that costs half the speed must gain more than it costs. Nothing else should run.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Translator } from '../../../js/index.js';
import { readCases, scoreCopy } from '../../../tests/score/copy.js';
import { writeDirectory } from './directory.js';
import { evaluate } from './evaluate.js';
import { fail } from './options.js';
import { NOISE, prepare, run, SHAPE, shapeOf } from './recipe.js';

/** The plain trial. A later option of the same name replaces an earlier one. */
const PLAIN = [
  '--batch', '2048', '--rate', '0.002', '--warmup', '500', '--dropout', '0', '--smoothing', '0.1', '--longest', '160',
  '--sampled-softmax', '2560', '--join', '0', '--report', '100', '--evaluate', '1000000',
];

/** @type {Record<string, string[]>} */
const TRIALS = {
  plain: [],
  'all words in the softmax': ['--sampled-softmax', '0'],
  'norms after the sublayers, rate 0.001': [
    '--config', 'normalize_before=0', '--config', 'add_final_layer_norm=0', '--rate', '0.001', '--warmup', '1500',
  ],
  'cosine instead of inverse square root': ['--schedule', 'cosine'],
  'guided alignment': ['--guided', '0.2'],
  'mean of the weights': ['--ema', '0.999'],
  'subword sampling of the source': ['--sample-source', '0.2'],
  'subword sampling of both sides': ['--sample-source', '0.2', '--sample-target', '0.2'],
  'noise on the source': ['--noise', NOISE],
  'curly quotes on the source': ['--noise', 'quotes=0.3'],
  'names and numbers replaced': ['--replace', '0.05'],
  'neighbours joined': ['--join', '0.1'],
  'dropout 0.1': ['--dropout', '0.1'],
  'dropout of attention 0.1': ['--attention-dropout', '0.1'],
  'no label smoothing': ['--smoothing', '0'],
};

const HELP = `usage: node src/train/model/trials.js --data DIR [options]
  --data DIR         has en-X.train.tsv.gz, .docs, .dev, .docs-dev, and phrases/
  --minutes N        of training for each trial (30)
  --direction X      of the model (en-de)
  --only NAME        this trial, any number of times (all):
${Object.keys(TRIALS).map((name) => `                       ${name}\n`).join('')}
  --spm FILE         the vocabulary (models/de-en-es-fr/source.spm)
  --work DIR         (build/trials)
`;

/** The last line of a log of heed-train: kind, step, epoch, tokens. @param {string} folder */
const lastStep = (folder) => /** @type {string} */ (
  readFileSync(join(folder, 'log.tsv'), 'utf8').trim().split('\n').at(-1)).split('\t');

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

async function main() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' }, minutes: { type: 'string', default: '30' },
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
  // a cosine needs to know how many steps there are: as many as the plain trial takes
  const cosine = names.findIndex((name) => TRIALS[name].includes('cosine'));
  const isPlainFirst = names.slice(0, Math.max(cosine, 0)).includes('plain');
  if (cosine >= 0 && !isPlainFirst && !existsSync(join(work, 'plain/log.tsv'))) {
    fail(`--only '${names[cosine]}': takes the steps of the trial 'plain': run that first, with --only plain`);
  }

  const corpora = prepare(work, ['--data', data, '--directions', direction, '--spm', values.spm]);
  const [source, target] = direction.split('-');
  console.log('| option | target tokens | BLEU, chrF2 | documentation | numbers | names |');
  console.log('|---|---|---|---|---|---|');
  for (const name of names) {
    const folder = join(work, name.replace(/\W+/g, '-'));
    run('build/heed-train', [
      ...corpora, '--out', folder, '--minutes', minutes, ...SHAPE.flatMap((text) => ['--config', text]), ...PLAIN,
      ...(TRIALS[name].includes('cosine') ? ['--total', lastStep(join(work, 'plain'))[1]] : []),
      ...TRIALS[name],
    ]);
    const set = [...SHAPE, ...TRIALS[name].filter((text) => /^\w+=\d+$/.test(text))];
    await writeDirectory({
      weights: join(folder, 'model.safetensors'), spm: join(work, 'spm'), set: shapeOf(set),
      manifest: { format: 1, name, source, target, dtype: 'float32' },
    }, join(folder, 'model'));
    const model = join(folder, 'model/int8');
    const scores = Object.fromEntries((await evaluate(model, join(work, 'dev'))).map((score) => [score.name, score]));
    const { [direction]: everyday, [`docs-${direction}`]: docs } = scores;
    const [numbers, kept] = await copyShares(model, direction);
    const cells = [
      name, Number(lastStep(folder)[3]).toLocaleString('en'),
      `${everyday.bleu.toFixed(1)}, ${everyday.chrf2.toFixed(1)}`, `${docs.bleu.toFixed(1)}, ${docs.chrf2.toFixed(1)}`,
      `${numbers.toFixed(1)} %`, `${kept.toFixed(1)} %`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

await main();
