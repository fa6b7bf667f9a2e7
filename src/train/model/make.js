// make.js - makes a model directory from the corpora: vocabulary, alignment, lexicon, n-grams, training in rounds, int8,
// scores, heed.json. `make model` runs it.
//
// All intermediate files are in --work. Nothing is done twice: a second start continues. Each round writes a usable
// model to WORK/round; the one with the best mean BLEU on the development sets is copied to OUT.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { preparedSets, writeCalibration } from './calibrate.js';
import { convert } from '../../../js/convert/convert.js';
import { writeDirectory } from './directory.js';
import { evaluate, means } from './evaluate.js';
import { fail } from './options.js';
import { forGpu, GUIDED_HEAD, listSets, prepare, readLog, RECIPE, run, SHAPE, shapeOf } from './recipe.js';

const HELP = `usage: node src/train/model/make.js --data DIR [options] [-- OPTIONS OF heed-train]
  --data DIR         has en-X.train.tsv.gz, .docs, .dev, .docs-dev, and phrases/
  --directions LIST  as en-de,de-en (all twelve)
  --out DIR          the model directory (WORK/model)       --work DIR         (build/models/de-en-es-fr)
  --minutes N        of training in all (1200)              --round N          minutes between scores (60)
  --vocabulary N     pieces (16000)                         --threads N        (all processors)
  --set KEY=NUMBER   of config.json, any number of times    --seed N           (1)
  --start DIR        begin with the weights and the vocabulary of this model, which has the same shape
  --sentences N      of each development set that rounds are compared by (300)
  --pack FILE        train nothing; pack the input of src/train/gpu/train.py; PYTHON (python3) names one with torch
`;

/** A trainer may stop this many seconds early: a step and its report. */
const LAST_STEP = 30;

/** The weight of the probability of the source, see js/model/reverse.js; models/README.md says what it gains. */
const REVERSE = 0.3;
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
      pack: { type: 'string' }, help: { type: 'boolean' },
    },
  });
  if (values.help || !values.data) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const { data, work, directions, start } = values;
  const out = values.out ?? join(work, 'model');
  mkdirSync(work, { recursive: true });
  const corpora = prepare(work, [
    '--data', data, '--vocabulary', values.vocabulary, '--seed', values.seed,
    ...(directions ? ['--directions', directions] : []), ...(start ? ['--spm', join(start, 'source.spm')] : []),
  ]);
  const set = [...SHAPE, ...values.set];
  const recipe = [...set.flatMap((text) => ['--config', text]), ...RECIPE];
  if (values.pack) {
    const init = start ? ['--init', join(start, 'model.safetensors')] : []; // int8 is a quarter of the bytes
    const packed = forGpu([...corpora, '--seed', values.seed, ...init, ...recipe], forTrainer);
    run(process.env.PYTHON ?? 'python3', ['src/train/gpu/pack.py', values.pack, ...packed]);
    return;
  }
  const lexicon = join(work, 'lexicon.tsv');
  if (!existsSync(lexicon)) run(process.execPath, ['src/train/model/lexicon.js', '--work', work, '--out', lexicon]);
  const ngrams = join(work, 'ngrams.bin');
  if (!existsSync(ngrams)) run(process.execPath, ['src/train/model/ngrams.js', '--work', work, '--out', ngrams]);
  const first = join(work, 'start');
  if (start && !existsSync(first)) await convert(start, first, { dtype: 'f32' });

  const shape = shapeOf(set);
  const [spm, dev, trained] = [join(work, 'spm'), join(work, 'dev'), join(work, 'run')];
  const sets = listSets(work);
  const options = [
    ...corpora, '--out', trained, '--seed', values.seed,
    ...(values.threads ? ['--threads', values.threads] : []),
    ...(start ? ['--init', join(first, 'model.safetensors')] : []), ...recipe, ...forTrainer,
  ];

  /** The last line of training's log: steps, target tokens, seconds. */
  function progress() {
    const { step, tokens, seconds } = readLog(trained).at(-1) ?? {};
    return { steps: Number(step), tokens: Number(tokens), seconds: Number(seconds) };
  }

  /** Writes the current model to WORK/round, and scores it. */
  async function finish() {
    const { steps, tokens, seconds } = progress();
    const round = join(work, 'round');
    await writeDirectory({
      weights: join(trained, 'model.safetensors'), spm, lexicon, ngrams,
      set: { ...shape, alignment_heads: [[shape.decoder_layers - 1, GUIDED_HEAD]] },
      manifest: {
        format: 1, name: basename(work), dtype: 'float32',
        pairs: [...new Set(sets.map((name) => name.replace('docs-', '')))].map((name) => name.split('-')),
        license: 'CC-BY-4.0 AND MPL-2.0', data: SOURCES, reverse: REVERSE,
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
