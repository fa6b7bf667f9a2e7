// prepare.js - turns the corpora into training data for one model of four languages: files of pairs whose source begins
// with the token of the target language, `>>de<< Good morning.<TAB>Guten Morgen.`, development sets, a vocabulary.
//
//   node src/train/model/prepare.js --data ../shared/data --out build/models/de-en-es-fr
//
//   OUT/train/*.tsv  everyday, docs, phrases, sentences, words, first, numerals, templates, times, dates, names; those
//                    ending in -x have no English
//   OUT/dev/*.tsv    SOURCE-TARGET and docs-SOURCE-TARGET
//   OUT/spm.model    16,000 unigram pieces for all languages, both sides and the output
//
// heed-train reads several files with a share each, and shuffles them.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { addDates, dateLines } from './dates.js';
import { collectParts, replaceNames } from './names.js';
import { numeralRows } from './numerals.js';
import { fail, wholeNumber } from './options.js';
import { random, shuffled } from './random.js';
import { holdOut } from './sets.js';
import {
  clean, isPlausible, joinPairs, keyOf, LANGUAGES, languagesOf, learnedLine, OTHERS, pairLine, readHeldOut, readLines,
  readPairs, readPhrases, readSentences, rowOf,
} from './texts.js';
import { addTimes, replaceTimes } from './times.js';
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

/** Shares of the other sentences that get times of day, and dates. */
const ADDED = 0.15;
const DATED = 0.08;
/** How often sentences without English get other names, and the rows of a pair with English that get some, at most. */
const NAMES = 3;
const NAMED = 25000;
/** Lines that are dates, or end with one. */
const DATES = 4000;
/** How often a sentence with times of day gets others. */
const TIMES = 30;

/**
 * An entry of a dictionary as people type it: half as it is, a quarter with a capital, a quarter with a full stop too.
 *
 * @param {Row} row
 * @param {() => number} next  random numbers
 */
function asTyped(row, next) {
  const draw = next();
  const stop = draw >= 0.75 && Object.values(row).every((text) => /[\p{L}\p{N}]$/u.test(text)) ? '.' : '';
  if (draw < 0.5) return row;
  return Object.fromEntries(Object.entries(row).map(([language, text]) =>
    [language, text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) + stop]));
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
      const languages = languagesOf(row);
      const keys = Object.fromEntries(languages.map((language) => [language, keyOf(row[language])]));
      // one side is enough: a translation into another language would reveal the answer
      if (Object.values(keys).some((key) => this.held.texts.has(key))) continue;
      kept++;
      for (const [source, target] of directions(languages).filter((direction) => this.has(direction))) {
        for (const language of [source, target]) texts[language].add(row[language]);
        if (wanted([source, target]) && !this.held.sources[source].has(keys[source]))
          lines.get(`${source}-${target}`)?.add(learnedLine(target, row[source], row[target]));
      }
    }
    const all = [...lines.values()].flatMap((set) => [...set]);
    this.put(`train/${name}.tsv`, all);
    for (const set of Object.values(texts))
      for (const text of set) for (let i = 0; i < times; i++) this.text.push(text);
    console.log(`${name}: ${all.length} lines of ${kept} rows, ${rows.length - kept} rows held out`);
  }

  /** @param {string} name @param {string[]} lines @param {'a' | 'w'} [flag]  'a': added to those that are there */
  put(name, lines, flag = 'w') {
    writeFileSync(join(this.out, name), lines.join(''), { flag });
  }

  /** @param {string} name @param {[string, string]} direction @param {Row[]} rows */
  dev(name, [source, target], rows) {
    if (!this.has([source, target])) return;
    this.put(`dev/${name}${source}-${target}.tsv`,
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
  const [count, seed] = [wholeNumber('templates', values.templates), wholeNumber('seed', values.seed)];
  const next = random(seed);

  /** @param {string} part @returns {Record<string, import('./texts.js').Labelled[]>} */
  const readAll = (part) => Object.fromEntries(OTHERS.map((other) => [other, readPairs(data, other, part)]));
  const everyday = readAll('train');
  const docs = readAll('docs');

  const triples = holdOut(everyday, prepared.held.texts);
  for (const direction of directions(OTHERS)) prepared.dev('', direction, triples);
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
  const sentences = readSentences();
  prepared.write('sentences', sentences, hasEnglish, 2);
  prepared.write('sentences-x', sentences, (direction) => !hasEnglish(direction));
  prepared.write('words', readPhrases(data, true).map((row) => asTyped(row, next)), always, 1);
  const first = readLines(fileURLToPath(new URL('first.tsv', import.meta.url))).map(rowOf);
  prepared.write('first', [...first, ...first.map((row) => asTyped(row, next))], always, 1);
  prepared.write('numerals', numeralRows(next), always);
  // a pair may share the times that a third language writes with words
  const pairs = phrases.flatMap((row) => directions().filter(([a, b]) => a < b)
    .map(([a, b]) => ({ [a]: row[a], [b]: row[b] })));
  // before anything is replaced: afterwards a held-out sentence would not be known
  const isFree = (/** @type {Row} */ row) =>
    !languagesOf(row).some((language) => prepared.held.texts.has(keyOf(row[language])));
  const sources = [...pairs, ...OTHERS.flatMap((other) => everyday[other])].filter(isFree);
  prepared.write('times', [
    ...Array.from({ length: TIMES }, () => sources.flatMap((row) => replaceTimes(row, next) ?? [])).flat(),
    ...sources.flatMap((row) => (next() < ADDED ? addTimes(row, next) ?? [] : [])),
  ], always);
  prepared.write('dates', [
    ...sources.flatMap((row) => (next() < DATED ? addDates(row, next) ?? [] : [])), ...dateLines(DATES, next),
  ], always);
  const others = withoutEnglish(everyday).filter(isFree);
  const parts = collectParts([...others, ...sources]);
  const renamed = (/** @type {Row[]} */ rows) => rows.flatMap((row) => replaceNames(row, parts, next) ?? []);
  prepared.write('names', [
    ...Array.from({ length: NAMES }, () => renamed(others)).flat(),
    ...OTHERS.flatMap((other) => shuffled(renamed(everyday[other].filter(isFree)), next).slice(0, NAMED)),
  ], always);

  const wantedDirections = directions().filter((direction) => prepared.has(direction));
  /**
   * Expanded templates as lines for heed-train, a list for each direction.
   *
   * @param {number} each  lines of a direction @param {number} start  random seed @param {string} [folder]
   */
  const readExpanded = (each, start, folder) =>
    expand(data, wantedDirections, values.python, each, start, folder).map(({ direction: [source, target], lines }) =>
      lines.map((line) => {
        const [from, to] = line.split('\t');
        return [clean(from, source), learnedLine(target, clean(from, source), clean(to, target))];
      }));
  const templates = readExpanded(count, seed);
  for (const list of templates) list.forEach(([from], i) => { if (i % 4 === 0) prepared.text.push(from); });
  prepared.put('train/templates.tsv', templates.flat().map(([, line]) => line));
  console.log(`templates: ${templates.flat().length} lines`);

  const folder = join(out, 'templates');
  mkdirSync(folder, { recursive: true });
  cpSync(join(data, 'phrases/fillers.tsv'), join(folder, 'fillers.tsv'));
  const withTimes = readLines(join(data, 'phrases/templates.tsv')).filter((line) => line.includes('{TIME'));
  writeFileSync(join(folder, 'templates.tsv'), `${withTimes.join('\n')}\n`);
  // 8 % of the templates have times: these are more, as there are 1,440 times to learn
  const timed = Math.ceil(count / 5);
  const times = readExpanded(timed, seed + 1, folder).flat().map(([, line]) => line);
  prepared.put('train/times.tsv', times, 'a');
  console.log(`times: ${times.length} lines of templates`);
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
