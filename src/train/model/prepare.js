// prepare.js - turns the corpora into training data for one model of four languages: files of pairs whose source begins
// with the token of the target language, `>>de<< Good morning.<TAB>Guten Morgen.`, development sets, a vocabulary.
//
//   node src/train/model/prepare.js --data ../shared/data --out build/models/de-en-es-fr
//
//   OUT/train/*.tsv  everyday, docs, phrases, words, templates, times; those ending in -x have no English
//   OUT/dev/*.tsv    SOURCE-TARGET and docs-SOURCE-TARGET
//   OUT/spm.model    16,000 unigram pieces for all languages, both sides and the output
//
// heed-train reads several files with a share each, and shuffles them.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { random } from './random.js';
import { chooseTriples } from './sets.js';
import {
  clean, isPlausible, joinPairs, keyOf, LANGUAGES, OTHERS, readHeldOut, readLines, readPairs, readPhrases,
} from './texts.js';
import { replaceTimes } from './times.js';
import { charsmap, REQUIRED } from './vocabulary.js';

const HELP = `usage: node src/train/model/prepare.js --data DIR --out DIR [options]
  --data DIR         has en-X.train.tsv.gz, .docs, .dev, .docs-dev, and phrases/
  --score DIR        texts to hold out of training (tests/score)
  --vocabulary N     pieces (16000)                         --spm FILE  a vocabulary that is there, instead
  --templates N      expanded templates for each direction (20000)
  --directions LIST  directions of the model, such as en-de,de-en (all)
  --python NAME      runs phrases/expand.py (python3)
  --seed N           random seed (1)
`;

/** @typedef {import('./texts.js').Row} Row */

/** How often a sentence with times of day gets others. */
const TIMES = 30;

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`prepare: ${message}`);
  process.exit(1);
}

/** @param {string} program @param {string[]} list @returns {string} */
function run(program, list) {
  const { status, error, stdout } = spawnSync(program, list, {
    encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) fail(`${program}: ${error.message}`);
  if (status !== 0) fail(`${program} ended with ${status}`);
  return stdout;
}

/** @param {string[]} [languages] @returns {[source: string, target: string][]} */
const directions = (languages = LANGUAGES) =>
  languages.flatMap((a) => languages.filter((b) => b !== a).map((b) => /** @type {[string, string]} */ ([a, b])));

/** A line for heed-train. @param {string} target @param {string} from @param {string} to */
const pairLine = (target, from, to) => `>>${target}<< ${from}\t${to}\n`;

/** @param {[string, string]} direction */
const hasEnglish = ([a, b]) => a === 'en' || b === 'en';

class Prepared {
  /** @param {string} out @param {import('./texts.js').HeldOut} held @param {string[] | undefined} only  directions */
  constructor(out, held, only) {
    this.out = out;
    this.held = held;
    this.only = only && new Set(only);
    /** Sentences for the vocabulary. @type {string[]} */
    this.text = [];
  }

  /** @param {[string, string]} direction */
  has(direction) {
    return this.only?.has(direction.join('-')) ?? true;
  }

  /**
   * Writes a training file: every row in every wanted direction.
   *
   * @param {string} name
   * @param {Row[]} rows
   * @param {(direction: [string, string]) => boolean} wanted
   * @param {number} [times]  how often each text counts for the vocabulary
   */
  write(name, rows, wanted, times = 0) {
    /**
     * By direction: heed-train joins neighbouring lines, which should have one direction.
     *
     * @type {Map<string, Set<string>>}
     */
    const lines = new Map(directions().map((direction) => [direction.join('-'), new Set()]));
    /** @type {Record<string, Set<string>>} */
    const texts = Object.fromEntries(LANGUAGES.map((language) => [language, new Set()]));
    let kept = 0;
    for (const row of rows) {
      const languages = LANGUAGES.filter((language) => row[language]);
      const keys = Object.fromEntries(languages.map((language) => [language, keyOf(row[language])]));
      // one side is enough: a translation into another language would reveal the answer
      if (Object.values(keys).some((key) => this.held.texts.has(key))) continue;
      kept++;
      for (const [source, target] of directions(languages).filter((direction) => this.has(direction))) {
        for (const language of [source, target]) texts[language].add(row[language]);
        if (wanted([source, target]) && !this.held.sources[source].has(keys[source]))
          lines.get(`${source}-${target}`)?.add(pairLine(target, row[source], row[target]));
      }
    }
    const all = [...lines.values()].flatMap((set) => [...set]);
    this.#put(`train/${name}.tsv`, all);
    for (const set of Object.values(texts))
      for (const text of set) for (let i = 0; i < times; i++) this.text.push(text);
    console.log(`${name}: ${all.length} lines of ${kept} rows, ${rows.length - kept} rows held out`);
  }

  /** @param {string} name @param {string[]} lines */
  #put(name, lines) {
    writeFileSync(join(this.out, name), lines.join(''));
  }

  /** @param {string} name @param {[string, string]} direction @param {Row[]} rows */
  dev(name, [source, target], rows) {
    if (!this.has([source, target])) return;
    this.#put(`dev/${name}${source}-${target}.tsv`,
      rows.map((row) => pairLine(target, row[source], row[target])));
  }
}

/**
 * Templates with their slots filled in. Only the source varies in format, so each direction is expanded separately.
 *
 * @param {string} data @param {[string, string][]} wanted @param {string} python @param {number} count
 * @param {number} seed
 * @param {string} [folder]  of the templates and their fillers
 * @returns {{ direction: [string, string], lines: string[] }[]}
 */
function expand(data, wanted, python, count, seed, folder = join(data, 'phrases')) {
  return wanted.map((direction, i) => ({
    direction,
    lines: run(python, [
      join(data, 'phrases/expand.py'), '--pair', direction.join('-'), '--count', String(count),
      '--seed', String(1000 * seed + i), '--folder', folder,
    ]).split('\n').filter(Boolean),
  }));
}

function main() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' }, out: { type: 'string' }, score: { type: 'string', default: 'tests/score' },
      vocabulary: { type: 'string', default: '16000' }, spm: { type: 'string' },
      templates: { type: 'string', default: '20000' },
      directions: { type: 'string' }, python: { type: 'string', default: 'python3' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean' },
    },
  });
  const { data, out } = values;
  if (values.help || !data || !out) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  for (const folder of ['train', 'dev']) mkdirSync(join(out, folder), { recursive: true });
  const prepared = new Prepared(out, readHeldOut(data, values.score), values.directions?.split(','));
  const next = random(Number(values.seed));

  /** @param {string} part @returns {Record<string, import('./texts.js').Labelled[]>} */
  const readAll = (part) => Object.fromEntries(OTHERS.map((other) => [other, readPairs(data, other, part)]));
  const everyday = readAll('train');
  const docs = readAll('docs');

  const triples = chooseTriples(everyday, prepared.held.texts);
  for (const direction of directions(OTHERS)) prepared.dev('', direction, triples);
  for (const row of triples) for (const language of LANGUAGES) prepared.held.texts.add(keyOf(row[language]));
  for (const other of OTHERS)
    for (const [name, part] of [['', 'dev'], ['docs-', 'docs-dev']]) {
      const rows = readPairs(data, other, part);
      prepared.dev(name, ['en', other], rows);
      prepared.dev(name, [other, 'en'], rows);
    }

  const withoutEnglish = (/** @type {Record<string, Row[]>} */ by) =>
    [['de', 'fr'], ['de', 'es'], ['fr', 'es']].flatMap(([a, b]) =>
      joinPairs(by[a], by[b]).map((row) => ({ [a]: row[a], [b]: row[b] })));
  const always = () => true;
  prepared.write('everyday', OTHERS.flatMap((other) => everyday[other]), always, 1);
  prepared.write('everyday-x', withoutEnglish(everyday), always);
  const plausible = Object.fromEntries(OTHERS.map((other) =>
    [other, docs[other].filter((row) => isPlausible(row.en, row[other]))]));
  prepared.write('docs', OTHERS.flatMap((other) => plausible[other]), always);
  prepared.write('docs-x', withoutEnglish(plausible).filter((row) => {
    const [a, b] = Object.values(row);
    return isPlausible(a, b);
  }), always);
  const phrases = readPhrases(data, false);
  prepared.write('phrases', phrases, hasEnglish, 2);
  prepared.write('phrases-x', phrases, (direction) => !hasEnglish(direction));
  prepared.write('words', readPhrases(data, true), always, 1);
  // a pair may share the times that a third language writes with words
  const pairs = phrases.flatMap((row) => directions().filter(([a, b]) => a < b)
    .map(([a, b]) => ({ [a]: row[a], [b]: row[b] })));
  const sources = [...pairs, ...OTHERS.flatMap((other) => everyday[other])]
    .filter((row) => !LANGUAGES.some((language) => row[language] && prepared.held.texts.has(keyOf(row[language]))));
  prepared.write('times', Array.from({ length: TIMES }, () => sources.flatMap((row) =>
    replaceTimes(row, next) ?? [])).flat(), always);

  const wantedDirections = directions().filter((direction) => prepared.has(direction));
  const count = Number(values.templates);
  /** @param {string} name @param {string} flags @param {ReturnType<typeof expand>} expanded */
  const writeExpanded = (name, flags, expanded) => {
    const copies = expanded.flatMap(({ direction: [source, target], lines }) => lines.map((line, i) => {
      const [from, to] = line.split('\t');
      if (i % 4 === 0 && flags === 'w') prepared.text.push(clean(from, source));
      return pairLine(target, clean(from, source), clean(to, target));
    }));
    writeFileSync(join(out, `train/${name}.tsv`), copies.join(''), { flag: flags });
    console.log(`${name}: ${copies.length} lines of templates`);
  };
  const seed = Number(values.seed);
  writeExpanded('templates', 'w', expand(data, wantedDirections, values.python, count, seed));
  const folder = join(out, 'templates');
  mkdirSync(folder, { recursive: true });
  cpSync(join(data, 'phrases/fillers.tsv'), join(folder, 'fillers.tsv'));
  const all = readLines(join(data, 'phrases/templates.tsv'));
  const withTimes = all.filter((line) => line.includes('{TIME'));
  writeFileSync(join(folder, 'templates.tsv'), `${withTimes.join('\n')}\n`);
  // 8 % of the templates have times: these are more, as there are 1,440 times to learn
  const timed = Math.ceil(count / 5);
  writeExpanded('times', 'a', expand(data, wantedDirections, values.python, timed, seed + 1, folder));
  rmSync(folder, { recursive: true });

  const [text, rules, model] = [join(out, 'spm.txt'), join(out, 'charsmap.tsv'), join(out, 'spm')];
  if (values.spm) {
    cpSync(values.spm, `${model}.model`);
    run('spm_export_vocab', [`--model=${model}.model`, `--output=${model}.vocab`]);
    return;
  }

  // people rarely type the special words of documentation: a part of it is enough for the vocabulary
  for (const other of OTHERS)
    for (const row of plausible[other])
      if (next() < 0.2 && (prepared.has(['en', other]) || prepared.has([other, 'en'])))
        prepared.text.push(row.en, row[other]);
  writeFileSync(text, prepared.text.map((line) => `${line}\n`).join(''));
  writeFileSync(rules, charsmap());
  run('spm_train', [
    `--input=${text}`, `--model_prefix=${model}`, `--vocab_size=${values.vocabulary}`, '--model_type=unigram',
    '--character_coverage=0.9998', '--byte_fallback=true', '--split_digits=true', `--required_chars=${REQUIRED}`,
    `--normalization_rule_tsv=${rules}`, `--control_symbols=${LANGUAGES.map((l) => `>>${l}<<`).join(',')}`,
    '--pad_id=0', '--unk_id=1', '--eos_id=2', '--bos_id=-1', '--pad_piece=<pad>', '--num_threads=2',
    '--minloglevel=1', '--input_sentence_size=1500000', '--shuffle_input_sentence=true',
  ]);
  rmSync(text);
}

main();
