// calibrate.js - how often the words of a model's translations are right: the two numbers of `confidence` in heed.json,
// and how well they fit. For make.js and by hand:
//
//   node src/train/model/calibrate.js --data ../shared/data [--model DIR]...   (those of models/index.json)
//   node src/train/model/calibrate.js --model DIR --dev build/models/de-en-es-fr/dev
//
// A word of a translation is right if the reference has it, capitals aside, and not more often than the reference does.
// A good translation in other words counts as wrong, so confidence errs on the side of doubt.
//
//   every second sentence   ->  offset, slope: logistic regression of "right" on log(p / (1 - p))
//   the other sentences     ->  expected calibration error (ECE): in ten bins of equal width, how far the mean
//                               confidence is from the share of right words; the mean of that over all words

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { createHere } from '../../../js/engine/here.js';
import { pairsOf } from '../../../js/model/languages.js';
import { checkGenerate } from '../../../js/model/options.js';
import { wordsOf } from '../../../js/text/words.js';
import { calibrate as confidenceOf, logit, weigh } from '../../../js/translate/confidence.js';
import { readSet } from './sets.js';

/** @typedef {{ offset: number, slope: number }} Calibration */
/** @typedef {{ logProb: number, isRight: boolean }} Judged  a word of a translation */
/** @typedef {{ source: string, reference: string, language?: string }} Pair  language: if there are several */
/** @typedef {{ name: string, target: string, pairs: Pair[] }} DevSet */

const BINS = 10;

/** Tokens of the longest translation. */
const LONGEST = 128;

/**
 * Which words of a translation are right.
 *
 * @template {{ text: string }} T
 * @param {T[]} words
 * @param {string} reference
 * @param {string} language
 * @returns {(T & { isRight: boolean })[]}
 */
export function judge(words, reference, language) {
  const folded = (/** @type {string} */ text) => text.toLocaleLowerCase(language);
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const { text } of wordsOf(reference, language)) left.set(folded(text), (left.get(folded(text)) ?? 0) + 1);
  return words.map((word) => {
    const count = left.get(folded(word.text)) ?? 0;
    left.set(folded(word.text), count - 1);
    return { ...word, isRight: count > 0 };
  });
}

/**
 * Logistic regression by Newton's method: the offset and slope that make what was judged most likely.
 *
 * @param {Judged[]} words
 * @returns {Calibration}
 */
export function fit(words) {
  let [offset, slope] = [0, 1];
  for (let round = 0; round < 50; round++) {
    // a little of the identity: words that are all right, or all alike, have no finite answer
    const [g, h] = [[0, 0], [1e-3, 0, 1e-3]];
    for (const { logProb, isRight } of words) {
      const x = logit(logProb);
      const p = confidenceOf(logProb, { offset, slope });
      const [error, weight] = [Number(isRight) - p, p * (1 - p)];
      g[0] += error;
      g[1] += error * x;
      h[0] += weight;
      h[1] += weight * x;
      h[2] += weight * x * x;
    }
    const determinant = h[0] * h[2] - h[1] * h[1];
    const step = [(g[0] * h[2] - g[1] * h[1]) / determinant, (g[1] * h[0] - g[0] * h[1]) / determinant];
    offset += step[0];
    slope += step[1];
    if (Math.abs(step[0]) + Math.abs(step[1]) < 1e-9) break;
  }
  const rounded = (/** @type {number} */ x) => Math.round(x * 1e3) / 1e3;
  return { offset: rounded(offset), slope: Math.max(rounded(slope), 1e-3) };
}

/**
 * Expected calibration error.
 *
 * @param {Judged[]} words
 * @param {(logProb: number) => number} confidence
 */
export function calibrationError(words, confidence) {
  const bins = Array.from({ length: BINS }, () => ({ confidence: 0, right: 0 }));
  for (const { logProb, isRight } of words) {
    const p = confidence(logProb);
    const bin = bins[Math.min(Math.floor(p * BINS), BINS - 1)];
    bin.confidence += p;
    bin.right += Number(isRight);
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / words.length;
}

/**
 * The words of a model's own translations of a set, with its lexicon, judged; by sentence.
 *
 * @param {string} directory  of the model
 * @param {DevSet} set
 * @returns {Promise<Judged[][]>}
 */
async function judgeSet(directory, { name, pairs, target: language }) {
  const engine = await createHere({ model: directory, source: name.split('-').at(-2) ?? '', target: language });
  try {
    const sources = (await engine.encode(pairs.map((pair) => pair.source))).map(({ ids }) => ids);
    const asked = { maxTokens: LONGEST, batchSize: 64, cutRunaways: true, validUtf8: true };
    const translations = await engine.generate(sources, checkGenerate(asked, engine.defaults, engine.config));
    const judged = [];
    for (const [i, [{ ids, text }]] of translations.entries()) {
      const { logProbs } = await engine.attention(sources[i], ids, { lexicon: true });
      const pieces = await engine.pieces(ids);
      const { words } = await weigh(engine, { source: sources[i], ids, logProbs, text, language, pieces, lexicon: true });
      judged.push(judge(words, pairs[i].reference, language));
    }
    return judged;
  } finally {
    engine.destroy();
  }
}

/**
 * Fits a model to halves of its sets, and tells how well it fits the other halves.
 *
 * @param {string} directory
 * @param {DevSet[]} sets
 * @returns {Promise<{ confidence: Calibration & { words: number, ece: number, uncalibrated: number },
 *   sets: { name: string, words: number, right: number, raw: number, ece: number }[] }>}  confidence: for heed.json;
 *   uncalibrated, raw: the ECE of p itself
 */
export async function calibrate(directory, sets) {
  const judged = [];
  for (const set of sets) judged.push(await judgeSet(directory, set));
  const half = (/** @type {Judged[][]} */ sentences, /** @type {number} */ which) =>
    sentences.filter((_, i) => i % 2 === which).flat();
  const numbers = fit(judged.flatMap((sentences) => half(sentences, 0)));
  const error = (/** @type {Judged[]} */ words) =>
    calibrationError(words, (logProb) => confidenceOf(logProb, numbers));
  const others = judged.map((sentences) => half(sentences, 1));
  const all = others.flat();
  return {
    confidence: {
      ...numbers, words: all.length, ece: Number(error(all).toFixed(3)),
      uncalibrated: Number(calibrationError(all, Math.exp).toFixed(3)),
    },
    sets: others.map((words, i) => ({
      name: sets[i].name, words: words.length,
      right: words.filter(({ isRight }) => isRight).length / words.length,
      raw: calibrationError(words, Math.exp), ece: error(words),
    })),
  };
}

/**
 * The everyday sets that prepare.js wrote: DEV/NAME.tsv, sources with the token of their target.
 *
 * @param {string} dev
 * @returns {DevSet[]}
 */
export const preparedSets = (dev) => readdirSync(dev).filter((file) => !file.startsWith('docs-')).sort().map((file) => {
  const name = basename(file, '.tsv');
  const target = name.split('-').at(-1) ?? '';
  return { name, target, pairs: readFileSync(join(dev, file), 'utf8').split('\n').filter(Boolean).map((line) => {
    const [, language, source, reference] =
      /** @type {RegExpExecArray} */ (/^(?:>>(.+?)<< ?)?(.*?)\t([^\t]*)/.exec(line));
    return { source, reference, language };
  }) };
});

/**
 * The everyday sets of a folder of corpora for the pairs of a model.
 *
 * @param {string} data
 * @param {string} directory  of the model
 * @returns {DevSet[]}
 */
function corpusSets(data, directory) {
  const pairs = pairsOf(JSON.parse(readFileSync(join(directory, 'heed.json'), 'utf8')));
  const language = (/** @type {string} */ target) => (pairs.length > 1 ? target : undefined);
  return pairs.map(([source = '', target = '']) => ({
    name: `${source}-${target}`, target,
    pairs: readSet(data, `${source}-${target}`).map((pair) => ({ ...pair, language: language(target) })),
  }));
}

/**
 * calibrate(), its numbers into heed.json, and a line for each set.
 *
 * @param {string} directory
 * @param {DevSet[]} sets
 */
export async function writeCalibration(directory, sets) {
  const { confidence, sets: found } = await calibrate(directory, sets);
  const percent = (/** @type {number} */ x) => (100 * x).toFixed(1).padStart(4);
  for (const { name, words, right, raw, ece } of found) {
    console.log(`${name.padEnd(12)} ${String(words).padStart(6)} words, ${percent(right)} % right; ` +
      `ECE of p ${percent(raw)} %, of confidence ${percent(ece)} %`);
  }
  const path = join(directory, 'heed.json');
  const { files, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, `${JSON.stringify({ ...manifest, confidence, files }, null, 2)}\n`);
}

async function main() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string', multiple: true }, data: { type: 'string' }, dev: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { data, dev } = values;
  if (values.help || Boolean(data) === Boolean(dev)) {
    console.error('usage: calibrate.js --data DIR | --dev DIR [--model DIR]...');
    process.exit(values.help ? 0 : 2);
  }
  const listed = () => new Set(JSON.parse(readFileSync('models/index.json', 'utf8')).models
    .map((/** @type {{ path: string }} */ { path }) => join('models', path)));
  for (const directory of values.model ?? listed()) {
    await writeCalibration(directory, dev ? preparedSets(dev) : corpusSets(String(data), directory));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
