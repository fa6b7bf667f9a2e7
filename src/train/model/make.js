// make.js - makes a model directory from the corpora: vocabulary, alignment, training in rounds, int8, scores,
// heed.json. `make model` runs it.
//
// All intermediate files are in --work. Nothing is done twice: a second start continues. Each round writes a usable
// model to WORK/round; the one with the best mean BLEU on the development sets is copied to OUT.

import { spawnSync } from 'node:child_process';
import {
  cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { preparedSets, writeCalibration } from './calibrate.js';
import { convert } from '../../../js/convert/convert.js';
import { writeDirectory } from './directory.js';
import { evaluate, means } from './evaluate.js';

const HELP = `usage: node src/train/model/make.js --data DIR [options] [-- OPTIONS OF heed-train]
  --data DIR         has en-X.train.tsv.gz, .docs, .dev, .docs-dev, and phrases/
  --directions LIST  as en-de,de-en (all twelve)
  --out DIR          the model directory (WORK/model)       --work DIR         (build/models/de-en-es-fr)
  --minutes N        of training in all (1200)              --round N          minutes between scores (60)
  --vocabulary N     pieces (16000)                         --threads N        (all processors)
  --set KEY=NUMBER   of config.json, any number of times    --seed N           (1)
  --start DIR        begin with the weights and the vocabulary of this model, which has the same shape
  --sentences N      of each development set that rounds are compared by (300)
`;

/** Shares of the target tokens. Three quarters are everyday sentences and phrases. Words are many lines, few tokens. */
const SHARES = {
  everyday: 58, 'everyday-x': 7, phrases: 9, 'phrases-x': 3, words: 3, templates: 5, docs: 13, 'docs-x': 2,
};

/**
 * Deep encoder, shallow decoder: the decoder runs once per token. Norms before the sublayers allow twice the rate with
 * a third of the warm-up; after 4.1 M target tokens the perplexity of everyday sentences is 13, not 41.
 */
const SHAPE = [
  'encoder_layers=6', 'decoder_layers=2', 'encoder_attention_heads=8', 'decoder_attention_heads=8',
  'normalize_before=1', 'add_final_layer_norm=1',
];

/** A head of the last decoder layer: heed-train's default. */
const GUIDED_HEAD = 0;

/** A trainer may stop this many seconds early: a step and its report. */
const LAST_STEP = 30;

/**
 * Options of heed-train. No dropout: less than one pass over most corpora leaves nothing to overfit. With the sampled
 * softmax, two cores with bf16 products do 4,350 target tokens a second, not 2,950.
 */
const RECIPE = [
  '--batch', '2048', '--rate', '0.002', '--warmup', '1000', '--dropout', '0', '--longest', '160',
  '--sampled-softmax', '2560',
  '--guided', '0.2', '--ema', '0.999', '--replace', '0.05',
  '--noise', 'capitals=0.01,small=0.03,title=0.01,stops=0.04,typos=0.004',
  '--report', '100', '--evaluate', '1000',
];

/** The corpora in heed.json. */
const SOURCES = [
  {
    name: 'Tatoeba, as distributed by manythings.org/anki', license: 'CC-BY-2.0-FR',
    attribution: 'tatoeba.org and www.manythings.org/anki',
  },
  { name: 'MLQE-PE en-de, post-edited', license: 'CC0-1.0' },
  { name: 'Phrases and templates in four languages, written for this project', license: 'CC0-1.0' },
  { name: 'The Debian web site', license: 'Expat or GPL-2.0-or-later', attribution: "the Debian web site's authors" },
  {
    name: 'Help of Business Central, Dynamics Operations and C++, translated by people', license: 'CC-BY-4.0',
    attribution: 'Microsoft and contributors',
  },
  { name: 'The PHP manual', license: 'CC-BY-3.0', attribution: 'the PHP Documentation Group' },
  { name: 'The Python documentation', license: 'CC0-1.0 and PSF-2.0', attribution: 'the Python Software Foundation' },
  {
    name: 'The help of LibreOffice', license: 'MPL-2.0',
    attribution: 'The Document Foundation and contributors',
  },
  { name: 'tldr pages', license: 'CC-BY-4.0', attribution: 'the tldr-pages team' },
  { name: 'Acts of Canada', license: 'Open Government Licence - Canada', attribution: 'Government of Canada' },
];

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`make model: ${message}`);
  process.exit(1);
}

/** @param {string} program @param {string[]} list */
function run(program, list) {
  const { status, error } = spawnSync(program, list, { stdio: 'inherit' });
  if (error) fail(`${program}: ${error.message}`);
  if (status !== 0) fail(`${program} ended with ${status}`);
}

const ALIGNED = '.aligned';

/**
 * Makes the corpora, the vocabulary and the alignment, if they are missing. @param {string} work @param {string[]}
 * options
 */
function prepare(work, options) {
  if (!existsSync(join(work, 'spm.model'))) {
    run(process.execPath, ['src/train/model/prepare.js', '--out', work, ...options]);
  }
  const folder = join(work, 'train');
  const files = readdirSync(folder).filter((name) => name.endsWith('.tsv')).map((name) => join(folder, name));
  const missing = files.filter((file) => !existsSync(file + ALIGNED));
  // heed-align writes beside its input: an unfinished file must not look like a finished one
  if (missing.length > 0) {
    run('build/heed-align', ['--suffix', '.aligning', ...missing]);
    for (const file of missing) renameSync(`${file}.aligning`, file + ALIGNED);
  }
  return files;
}

async function main() {
  const split = process.argv.indexOf('--');
  const [own, forTrainer] =
    split < 0 ? [process.argv.slice(2), []] : [process.argv.slice(2, split), process.argv.slice(split + 1)];
  const { values } = parseArgs({
    args: own,
    options: {
      data: { type: 'string' }, directions: { type: 'string' }, out: { type: 'string' },
      work: { type: 'string', default: 'build/models/de-en-es-fr' }, minutes: { type: 'string', default: '1200' },
      round: { type: 'string', default: '60' }, vocabulary: { type: 'string', default: '16000' },
      threads: { type: 'string' }, set: { type: 'string', multiple: true, default: [] },
      start: { type: 'string' }, seed: { type: 'string', default: '1' }, sentences: { type: 'string', default: '300' },
      help: { type: 'boolean' },
    },
  });
  if (values.help || !values.data) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const { data, work, directions, start } = values;
  const out = values.out ?? join(work, 'model');
  mkdirSync(work, { recursive: true });
  const files = prepare(work, [
    '--data', data, '--vocabulary', values.vocabulary, '--seed', values.seed,
    ...(directions ? ['--directions', directions] : []), ...(start ? ['--spm', join(start, 'source.spm')] : []),
  ]);
  const first = join(work, 'start');
  if (start && !existsSync(first)) await convert(start, first, { dtype: 'f32' });

  const set = [...SHAPE, ...values.set];
  const shape = Object.fromEntries(set.map((text) => [text.split('=')[0], Number(text.split('=')[1])]));
  const [spm, dev, trained] = [join(work, 'spm'), join(work, 'dev'), join(work, 'run')];
  const sets = readdirSync(dev).map((name) => basename(name, '.tsv'));
  /** @param {string} file */
  const share = (file) => SHARES[/** @type {keyof SHARES} */ (basename(file, '.tsv'))];
  const options = [
    ...files.filter((file) => statSync(file).size > 0).flatMap((file) =>
      ['--train', `${file}${ALIGNED}:${share(file)}`]),
    ...sets.flatMap((name) => ['--dev', `${name}=${join(dev, `${name}.tsv`)}`]),
    '--spm', `${spm}.model`, '--out', trained, '--seed', values.seed,
    ...(values.threads ? ['--threads', values.threads] : []),
    ...(start ? ['--init', join(first, 'model.safetensors')] : []),
    ...set.flatMap((text) => ['--config', text]), ...RECIPE, ...forTrainer,
  ];

  /** The last line of training's log: steps, target tokens, seconds. */
  function progress() {
    const [, steps, , tokens, seconds] =
      readFileSync(join(trained, 'log.tsv'), 'utf8').trim().split('\n').at(-1)?.split('\t') ?? [];
    return { steps: Number(steps), tokens: Number(tokens), seconds: Number(seconds) };
  }

  /** Writes the current model to WORK/round, and scores it. */
  async function finish() {
    const { steps, tokens, seconds } = progress();
    const round = join(work, 'round');
    await writeDirectory({
      weights: join(trained, 'model.safetensors'), spm,
      set: { ...shape, alignment_heads: [[shape.decoder_layers - 1, GUIDED_HEAD]] },
      manifest: {
        format: 1, name: basename(work), dtype: 'float32',
        pairs: [...new Set(sets.map((name) => name.replace('docs-', '')))].map((name) => name.split('-')),
        license: 'CC-BY-4.0 AND MPL-2.0', data: SOURCES,
        training: {
          with: 'heed-train', machine: `${cpus().length} cores of ${cpus()[0].model}`,
          minutes: Math.round(seconds / 60), steps, tokens,
          seed: Number(values.seed), options: [...set, ...RECIPE, ...forTrainer],
        },
      },
    }, round);
    return evaluate(join(round, 'int8'), dev, Number(values.sentences));
  }

  const table = join(work, 'scores.tsv');
  if (!existsSync(table)) writeFileSync(table, 'minutes\tenglish\tothers\tdocs\n');
  const past = readFileSync(table, 'utf8').trim().split('\n').slice(1).map((line) => line.split('\t').map(Number));
  const [total, length] = [Number(values.minutes), Number(values.round)];
  while (past.length === 0 || (past.at(-1)?.[0] ?? 0) < total) {
    const minutes = Math.min(total, (past.at(-1)?.[0] ?? 0) + length);
    run('build/heed-train', [...options, '--minutes', String(minutes)]);
    // an interrupted trainer also exits with 0: its state is in the checkpoint, but the round is not complete
    const { seconds } = progress();
    if (seconds < minutes * 60 - LAST_STEP) {
      fail(`heed-train was interrupted after ${(seconds / 60).toFixed(1)} of ${minutes} minutes; ` +
        'run the command again to continue');
    }
    const figures = means(await finish());
    const best = Math.max(-1, ...past.map(([, english]) => english));
    past.push([minutes, figures.english, figures.others, figures.docs]);
    writeFileSync(table, `minutes\tenglish\tothers\tdocs\n${past.map((row) => `${row.join('\t')}\n`).join('')}`);
    console.log(`${minutes} minutes: mean BLEU of pairs with English ${figures.english.toFixed(1)}, ` +
      `without ${figures.others.toFixed(1)}, docs ${figures.docs.toFixed(1)}`);
    if (figures.english > best) {
      rmSync(out, { recursive: true, force: true });
      cpSync(join(work, 'round/int8'), out, { recursive: true });
    }
  }
  console.log(`${out}: mean BLEU ${Math.max(...past.map(([, english]) => english)).toFixed(1)}`);
  await writeCalibration(out, preparedSets(dev));
  run(process.execPath, ['tests/score/dev.js', '--data', data, '--model', out, '--write']);
}

await main();
