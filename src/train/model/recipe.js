// recipe.js - what a model is trained with: shares of the corpora, shape, options of heed-train; and the corpora
// themselves, ready for it. Used by make.js and by trials.js.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fail } from './options.js';

/**
 * Shares of the target tokens. Words are many lines, few tokens. Without `times` and `dates`, most of them come out
 * wrong, because few other lines have any; so do names from German without `names`.
 *
 * @type {Record<string, number>}
 */
export const SHARES = {
  everyday: 46, 'everyday-x': 6, phrases: 20, 'phrases-x': 4, sentences: 62, 'sentences-x': 8, words: 11, first: 2,
  numerals: 2, templates: 7, times: 4, dates: 3, names: 14, docs: 25, 'docs-x': 2,
  pivot: 9, distil: 25, // if there are such files, of pivot.js and distil.js
};

/**
 * Deep encoder, shallow decoder: the decoder runs once per token. Norms before the sublayers allow twice the rate with
 * a third of the warm-up; after 4.1 M target tokens the perplexity of everyday sentences is 13, not 41.
 */
export const SHAPE = [
  'encoder_layers=6', 'decoder_layers=2', 'encoder_attention_heads=8', 'decoder_attention_heads=8',
  'normalize_before=1', 'add_final_layer_norm=1',
];

/** A head of the last decoder layer: heed-train's default. */
export const GUIDED_HEAD = 0;

/** Faults of the source that a model learns to read over. */
export const NOISE = 'capitals=0.01,small=0.03,title=0.01,stops=0.04,quotes=0.3,typos=0.004';

/**
 * Options of heed-train. No dropout: less than one pass over most corpora leaves nothing to overfit. With the sampled
 * softmax, two cores with bf16 products do 4,350 target tokens a second, not 2,950. `--join` 0.1 costs names: see the
 * trial in models/README.md.
 */
export const RECIPE = [
  '--batch', '2048', '--rate', '0.002', '--warmup', '1000', '--dropout', '0', '--longest', '160', '--join', '0.02',
  '--sampled-softmax', '2560', '--guided', '0.2', '--ema', '0.999', '--replace', '0.15', '--invent', '0.5',
  '--noise', NOISE, '--report', '100', '--evaluate', '1000',
];

/**
 * Options of ../gpu/train.py that override RECIPE. Its steps have 8 times the tokens of the command in
 * models/README.md, so its rate is 2.5 times as high.
 */
const ON_GPU = [
  '--batch', '32768', '--accumulate', '2', '--optimizer', 'muon', '--rate', '0.0025', '--warmup', '200',
  '--schedule', 'cosine', '--total', '0', '--dropout', '0.05', '--replace', '0.5', '--invent', '0.6',
];

/** Options of heed-train that train.py lacks; all have a value. */
const NOT_ON_GPU = new Set(['--sampled-softmax', '--threads', '--save-minutes', '--keep']);

/** Options of train.py. @param {string[]} options  of heed-train @param {string[]} more  of the caller */
export const forGpu = (options, more) =>
  [...options, ...ON_GPU, ...more].filter((word, i, all) => !NOT_ON_GPU.has(word) && !NOT_ON_GPU.has(all[i - 1]));

/** @param {string} program @param {string[]} list */
export function run(program, list) {
  const { status, error } = spawnSync(program, list, { stdio: 'inherit' });
  if (error) fail(`${program}: ${error.message}`);
  if (status !== 0) fail(`${program} ended with ${status}`);
}

/**
 * The rows of a log of heed-train.
 *
 * @param {string} folder
 * @returns {Record<string, string>[]}  by column
 */
export function readLog(folder) {
  const text = readFileSync(join(folder, 'log.tsv'), 'utf8');
  const [head, ...rows] = text.trim().split('\n').map((row) => row.split('\t'));
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

const ALIGNED = '.aligned';

/**
 * Makes the corpora, the vocabulary and the alignment, if they are missing.
 *
 * @param {string} work
 * @param {string[]} options  of prepare.js
 * @returns {string[]}  options of heed-train: what to learn, what to hold out, the vocabulary
 */
export function prepare(work, options) {
  const vocabulary = join(work, 'spm.model');
  if (!existsSync(vocabulary)) run(process.execPath, ['src/train/model/prepare.js', '--out', work, ...options]);
  const folder = join(work, 'train');
  const files = readdirSync(folder).filter((name) => name.endsWith('.tsv')).map((name) => join(folder, name));
  const unknown = files.find((file) => SHARES[basename(file, '.tsv')] === undefined);
  if (unknown) fail(`${unknown}: recipe.js has no share for it`);
  // a file may have been made again
  const missing = files.filter((file) =>
    !existsSync(file + ALIGNED) || statSync(file + ALIGNED).mtimeMs < statSync(file).mtimeMs);
  // heed-align writes beside its input: an unfinished file must not look like a finished one
  if (missing.length > 0) {
    run('build/heed-align', ['--suffix', '.aligning', ...missing]);
    for (const file of missing) renameSync(`${file}.aligning`, file + ALIGNED);
  }
  return [
    ...files.filter((file) => statSync(file).size > 0).flatMap((file) =>
      ['--train', `${file}${ALIGNED}:${SHARES[basename(file, '.tsv')]}`]),
    ...listSets(work).flatMap((name) => ['--dev', `${name}=${join(work, 'dev', `${name}.tsv`)}`]),
    '--spm', vocabulary,
  ];
}

/** The development sets, such as "en-de" and "docs-en-de". @param {string} work */
export const listSets = (work) => readdirSync(join(work, 'dev')).map((name) => basename(name, '.tsv'));

/** Settings of config.json by name. @param {string[]} set  such as "encoder_layers=6" */
export const shapeOf = (set) =>
  Object.fromEntries(set.map((text) => [text.split('=')[0], Number(text.split('=')[1])]));
