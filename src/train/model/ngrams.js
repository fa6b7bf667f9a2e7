// ngrams.js - makes ngrams.bin of a model: which pieces of a language follow each other in the texts that it learned.
// src/heed.h says what is in it, and src/search/gains.c how a search uses it.
//
//   node src/train/model/ngrams.js --work build/models/de-en-es-fr --out build/models/de-en-es-fr/ngrams.bin
//
// An n-gram stays if the texts are much less probable without it, about as in Stolcke 1998, "Entropy-based Pruning of
// Backoff Language Models", and so do those that it needs.

import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { LEVELS, writeNgrams } from '../../../js/convert/ngrams.js';
import { writeParts } from '../../../js/files/parts.js';
import { readConfig } from '../../../js/model/config.js';
import { Tokenizer } from '../../../js/text/tokenizer.js';
import { instantiate } from '../../../js/wasm/module.js';
import { makeConfig, readPieces } from './directory.js';
import { fail, wholeNumber } from './options.js';
import { LANGUAGES } from './texts.js';

const HELP = `usage: node src/train/model/ngrams.js --work DIR --out FILE [--most N]
  --work DIR   has train/*.tsv and the vocabulary: what prepare.js wrote
  --out FILE   ngrams.bin of a model
  --most N     about so many n-grams of a language (430000)
`;

/** What people write every day, whole; and lines of documentation, a part of which is enough to know its style. */
const CORPORA = ['everyday', 'everyday-x', 'phrases', 'phrases-x', 'sentences', 'sentences-x'];
const DOCS = 'docs';
const MOST_DOCS = 40_000;

/** What each count gives up for what was not seen. */
const DISCOUNT = 0.75;
/** An n-gram is one number, context * RADIX + id: more than any id. */
const RADIX = 2 ** 17;
/** The least loss of an n-gram that may stay, in natural logarithms over all texts. */
const LEAST = 1.5;
/** Gains are rounded to this many quarters: finer ones take more room, and so leave less for others. */
const STEP = 4;

/** What makes ids of a text, with </s>. @param {string} work @param {string[]} pieces */
async function encoderOf(work, pieces) {
  const config = readConfig(makeConfig(pieces.length, {}), {});
  const spm = readFileSync(join(work, 'spm.model'));
  const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
  const tokenizer = new Tokenizer({ core: await instantiate(), config, sourceSpm: spm, targetSpm: spm, vocab });
  return (/** @type {string} */ text) => tokenizer.encode(text, { side: 'target' }).ids;
}

/**
 * The different texts of a language.
 *
 * @param {string} folder
 * @param {string} language
 */
async function textsOf(folder, language) {
  /** @type {Set<string>} */
  const texts = new Set();
  const begin = `>>${language}<<`;
  for (const name of [...CORPORA, DOCS]) {
    const path = join(folder, `${name}.tsv`);
    if (!existsSync(path)) continue;
    const most = name === DOCS ? texts.size + MOST_DOCS : Infinity;
    const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
    for await (const line of lines) {
      if (texts.size >= most) break;
      if (line.startsWith(begin)) texts.add(line.split('\t')[1]);
    }
  }
  return texts;
}

/** The different numbers, ascending, and how often each is there. @param {Float64Array} all */
function distinct(all) {
  const keys = all.slice().sort();
  const counts = new Int32Array(keys.length);
  let n = 0;
  for (const key of keys) {
    if (n === 0 || key !== keys[n - 1]) keys[n++] = key;
    counts[n - 1]++;
  }
  return { keys: keys.slice(0, n), counts: counts.slice(0, n) };
}

/** Where a number is among others, which ascend. @param {Float64Array} keys @param {number} key */
function placeOf(keys, key) {
  let [low, high] = [0, keys.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * All n-grams of one length, sorted by context and id. Contexts of two ids and more are n-grams of the level below.
 *
 * @typedef {object} Level
 * @property {number} contexts  how many there are
 * @property {Int32Array} context  of each n-gram
 * @property {Int32Array} id  its last
 * @property {Int32Array} shorter  on the level below: the n-gram without its first id
 * @property {Int32Array} counts
 */

/**
 * @param {Int32Array} ids  of all texts, each after `start`
 * @param {number} start  above all others
 * @returns {Level[]}
 */
function levelsOf(ids, start) {
  /** Ids since the start of a text. */
  const depths = new Int32Array(ids.length);
  for (let i = 1; i < ids.length; i++) depths[i] = ids[i] === start ? 0 : depths[i - 1] + 1;
  /** Of each place: the n-gram of the level below that ends there. */
  let ends = ids;
  /** @type {Level[]} */
  const levels = [];
  for (let level = 0; level < LEVELS; level++) {
    const places = depths.map((depth, i) => (depth > level ? i : 0)).filter(Boolean);
    const keyAt = (/** @type {number} */ i) => ends[i - 1] * RADIX + ids[i];
    const { keys, counts } = distinct(Float64Array.from(places, keyAt));
    const shorter = new Int32Array(keys.length);
    const next = new Int32Array(ids.length);
    for (const i of places) {
      next[i] = placeOf(keys, keyAt(i));
      shorter[next[i]] = ends[i];
    }
    levels.push({
      contexts: level === 0 ? start + 1 : levels[level - 1].id.length,
      context: Int32Array.from(keys, (key) => Math.floor(key / RADIX)),
      id: Int32Array.from(keys, (key) => key % RADIX),
      shorter,
      counts,
    });
    ends = next;
  }
  return levels;
}

/**
 * Probabilities with some of the n-grams: the others are what is left to the context without its first id.
 *
 * @param {Level[]} levels
 * @param {Float64Array} alone  of each id
 * @param {Uint8Array[]} [kept]  1 for those that stay. Default: all
 * @returns {{ p: Float64Array, lower: Float64Array, left: Float64Array }[]}  by level: of each n-gram's last id, and if
 *   the n-gram were not there; of each context, what is left to others
 */
function probabilities(levels, alone, kept) {
  /** @type {ReturnType<typeof probabilities>} */
  const all = [];
  levels.forEach(({ contexts, context, id, shorter, counts }, level) => {
    const [totals, taken] = [new Float64Array(contexts), new Float64Array(contexts)];
    counts.forEach((count, i) => {
      totals[context[i]] += count;
      if (!kept || kept[level][i]) taken[context[i]] += count - DISCOUNT;
    });
    const left = taken.map((n, i) => (n > 0 ? 1 - n / totals[i] : 1));
    const lower = Float64Array.from(id, (each, i) =>
      left[context[i]] * (level === 0 ? alone[each] : all[level - 1].p[shorter[i]]));
    const p = lower.map((rest, i) =>
      (!kept || kept[level][i] ? rest + (counts[i] - DISCOUNT) / totals[context[i]] : rest));
    all.push({ p, lower, left });
  });
  return all;
}

/**
 * Marks the n-grams without which the texts would lose most, and those that they need. None has a digit: a number is
 * what the source says, however often another one is written.
 *
 * @param {Level[]} levels
 * @param {Float64Array} alone
 * @param {number} most
 * @param {boolean[]} isDigit  of each id
 */
function choose(levels, alone, most, isDigit) {
  const found = probabilities(levels, alone);
  const kept = levels.map(({ id }) => new Uint8Array(id.length));
  /** @type {[level: number, i: number, loss: number][]} */
  const losses = [];
  /** Of contexts and n-grams of the level below: whether they have a digit. */
  let digits = [...isDigit, false];
  levels.forEach(({ counts, context, id }, level) => {
    digits = Array.from(id, (each, i) => digits[context[i]] || isDigit[each]);
    counts.forEach((count, i) => {
      const loss = count * Math.log(found[level].p[i] / found[level].lower[i]);
      if (loss > LEAST && !digits[i]) losses.push([level, i, loss]);
    });
  });
  let left = most;
  /** @param {number} level @param {number} i */
  const keep = (level, i) => {
    if (kept[level][i]) return;
    kept[level][i] = 1;
    left--;
    if (level === 0) return;
    keep(level - 1, levels[level].context[i]);
    keep(level - 1, levels[level].shorter[i]);
  };
  for (const [level, i] of losses.sort((a, b) => b[2] - a[2])) {
    if (left <= 0) break;
    keep(level, i);
  }
  return kept;
}

/** In quarters. @param {number} x @param {number} low @param {number} high */
const rounded = (x, low, high) => Math.max(low, Math.min(high, Math.round((4 * x) / STEP) * STEP));

/**
 * The n-grams that stay, as writeNgrams() takes them.
 *
 * @param {Level[]} levels
 * @param {Uint8Array[]} kept
 * @param {Float64Array} alone
 */
function keepOnly(levels, kept, alone) {
  const found = probabilities(levels, alone, kept);
  const lists = kept.map((marks) => Int32Array.from(marks.keys()).filter((i) => marks[i]));
  /** Where each n-gram of the level below is among those that stay; contexts of the first level are ids. */
  let places = new Int32Array(0);
  return levels.map(({ contexts, context, id, shorter }, level) => {
    const list = lists[level];
    const all = level === 0 ? Int32Array.from({ length: contexts }, (_, i) => i) : lists[level - 1];
    const made = {
      context: level === 0 ? list.map((i) => context[i]) : list.map((i) => places[context[i]]),
      id: list.map((i) => id[i]),
      shorter: level === 0 ? new Int32Array(0) : list.map((i) => places[shorter[i]]),
      gains: Int8Array.from(list, (i) => rounded(Math.log(found[level].p[i] / alone[id[i]]), -128, 127)),
      backoffs: Uint8Array.from(all, (i) => rounded(-Math.log(found[level].left[i]), 0, 255)),
    };
    places = new Int32Array(id.length);
    list.forEach((i, at) => { places[i] = at; });
    return made;
  });
}

async function main() {
  const { values } = parseArgs({
    options: {
      work: { type: 'string' }, out: { type: 'string' }, most: { type: 'string', default: '430000' },
    },
  });
  const { work, out } = values;
  const most = wholeNumber('most', values.most);
  if (!work || !out) return fail(HELP);
  const pieces = readPieces(join(work, 'spm.vocab'));
  const isDigit = pieces.map((piece) => /\d/.test(piece));
  const [size, encode] = [pieces.length, await encoderOf(work, pieces)];
  /** @type {[string, Uint8Array][]} */
  const parts = [];
  for (const language of LANGUAGES) {
    const texts = await textsOf(join(work, 'train'), language);
    if (texts.size === 0) continue;
    const ids = Int32Array.from([...texts].flatMap((text) => [size, ...encode(text)]));
    // an id that is not there has a probability too
    const counts = new Float64Array(size).fill(0.5);
    for (const id of ids) if (id < size) counts[id]++;
    const total = counts.reduce((sum, n) => sum + n, 0);
    const alone = counts.map((n) => n / total);
    const levels = levelsOf(ids, size);
    const kept = choose(levels, alone, most, isDigit);
    const packed = gzipSync(writeNgrams(size, keepOnly(levels, kept, alone)), { level: 9 });
    parts.push([language, packed]);
    const [all, some] = [levels.map(({ id }) => id.length), kept.map((marks) => marks.reduce((sum, n) => sum + n, 0))];
    console.log(`${language}: ${texts.size} texts, n-grams of 2, 3, 4: ${some.join(', ')} of ${all.join(', ')}; ` +
      `${packed.length} bytes`);
  }
  if (parts.length === 0) fail(`${join(work, 'train')}: found no text, expected ${CORPORA[0]}.tsv or others`);
  writeFileSync(out, writeParts(parts));
}

await main();
