// dev.js - translates the development sets that models claim scores for, and scores them: BLEU, chrF2, speed. Used by
// `make score`.
//
//     node tests/score/dev.js --data ../shared/data [--model models/de-en-es-fr]...
//
// Each line is one sentence to the model, whole, translated in f32 and in int8, with its lexicon and n-grams. A
// model that translates two languages without English also translates them by way of English, in two steps. Exit code
// 1: the figures of the model's own arithmetic are not those in its heed.json ("scores", under the set's name), or int8
// loses more than 0.3 against f32. --write puts the figures there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createHere } from '../../js/engine/here.js';
import { checkGenerate } from '../../js/model/options.js';
import { readSet } from '../../src/train/model/sets.js';
import { listDirections } from './directions.js';
import { bleu, chrf } from './score.js';

/** heed.json's figures have one decimal, and int8 arithmetic is the same everywhere. */
const TOLERANCE = 0.05 + 1e-9;
/** What 7-bit activations may cost, in BLEU and in chrF2. */
const MOST_LOST = 0.3;

const HELP = `usage: node tests/score/dev.js --data DIR [options]
  DIR has en-de.dev.tsv.gz, ...: lines of English TAB other language TAB anything; both directions are read from it
  --write          puts the figures of the model's own arithmetic into its heed.json, for all its directions
  --model DIR      any number of times (those of models/index.json)
  --beams N        hypotheses per sentence (the model's own number)
  --max-tokens N   longest translation (128)
  --batch N        sentences decoded together (32)
  --dtype D        f32 or int8 alone, without --write
  --no-lexicon     without its lexicon, and without --write
  --no-ngrams      without its n-grams, and without --write
  --no-reverse     without reranking by the probability of the source, and without --write
`;

/** @param {string[]} translations @param {string[]} references */
function score(translations, references) {
  return { bleu: bleu(translations, references).score, chrf2: chrf(translations, references).score };
}

/** @param {{ bleu: number, chrf2: number }} figures */
const show = (figures) => `BLEU ${figures.bleu.toFixed(1)}  chrF2 ${figures.chrf2.toFixed(1)}`;

/**
 * beams: of the model by default
 *
 * @typedef {{ beams?: number, maxTokens: number, batchSize: number, lexicon: boolean,
 *   ngrams: boolean, reverse: boolean }} Generate
 */
/** @typedef {{ directory: string, dtype: 'f32' | 'int8' }} Arithmetic  of a model */

/**
 * @param {Arithmetic} of
 * @param {string[]} sources
 * @param {[source: string, target: string]} pair
 * @param {Generate} generate
 */
async function translate({ directory, dtype }, sources, [source, target], generate) {
  const engine = await createHere({ model: directory, dtype, source, target });
  try {
    const ids = (await engine.encode(sources)).map((encoded) => encoded.ids);
    const search = checkGenerate(generate, engine.defaults, engine.config);
    await engine.generate(ids.slice(0, 1), search); // the first call reads the lexicon
    const started = performance.now();
    const results = await engine.generate(ids, search);
    const best = results.map((hypotheses) => hypotheses[0]), seconds = (performance.now() - started) / 1000;
    return { best, translations: best.map(({ text }) => text), seconds, info: engine.info };
  } finally {
    engine.destroy();
  }
}

/**
 * @param {Arithmetic} of
 * @param {import('../../src/train/model/sets.js').Pair[]} pairs
 * @param {{ pair: [source: string, target: string], hasPivot: boolean, generate: Generate }} how
 */
async function run(of, pairs, { pair: [source, target], hasPivot, generate }) {
  const [sources, references] = [pairs.map(({ source: text }) => text), pairs.map(({ reference }) => reference)];
  const { best, translations, seconds, info } = await translate(of, sources, [source, target], generate);
  const tokens = best.reduce((total, hypothesis) => total + hypothesis.ids.length, 0);
  const cut = best.filter(({ finished }) => !finished).length;
  const figures = score(translations, references);
  console.log(`${info.dtype.padEnd(4)} ${info.simd}  ${show(figures)}  ${seconds.toFixed(1)} s  ${tokens} tokens  ` +
    `${Math.round(tokens / seconds)} tokens/s  ${cut} not finished`);
  if (!hasPivot) return figures;
  const english = (await translate(of, sources, [source, 'en'], generate)).translations;
  const pivot = score((await translate(of, english, ['en', target], generate)).translations, references);
  console.log(`by way of English: ${show(pivot)}`);
  return { ...figures, pivot };
}

/** @param {{ bleu: number, chrf2: number }} a @param {{ bleu: number, chrf2: number }} b */
const differences = (a, b) => [a.bleu - b.bleu, a.chrf2 - b.chrf2];

const round = (/** @type {number} */ x) => Number(x.toFixed(1));

/**
 * @param {string} directory  of a model
 * @param {string} data  the directory of the sets
 * @param {{ dtype?: string, write?: boolean, generate: Generate }} options
 * @returns {Promise<boolean>}  whether all is as it should be
 */
async function scoreModel(directory, data, { dtype, write, generate: asked }) {
  const path = join(directory, 'heed.json');
  const { files, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
  const directions = listDirections(manifest);
  const hasEnglish = (/** @type {string} */ direction) => direction.split('-').includes('en');
  const all = [...directions, ...directions.filter(hasEnglish).map((direction) => `docs-${direction}`)];
  const own = manifest.dtype === 'int8' ? 'int8' : 'f32';
  const dtypes = /** @type {('f32' | 'int8')[]} */ (dtype ? [dtype] : ['f32', 'int8']);
  const settings = join(directory, 'generation_config.json');
  const usual = existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')).num_beams : 1;
  const { beams = Number(usual ?? 1), ...others } = asked;
  const generate = { beams, ...others };
  /** @type {Record<string, object>} */
  const scores = {};
  let isGood = true;
  for (const set of write ? all : Object.keys(manifest.scores)) {
    const pairs = readSet(data, set);
    const claim = manifest.scores?.[set];
    const search = beams === 1 ? 'greedy' : `${beams} beams`;
    console.log(`${directory} on ${set}: ${pairs.length} sentences, ${search}`);
    const pair = /** @type {[string, string]} */ (set.split('-').slice(-2));
    /** @type {Record<string, { bleu: number, chrf2: number, pivot?: { bleu: number, chrf2: number } }>} */
    const figures = {};
    for (const each of dtypes) {
      const how = { pair, hasPivot: each === own && !hasEnglish(set), generate };
      figures[each] = await run({ directory, dtype: each }, pairs, how);
    }
    if (figures[own]) {
      const { bleu: b, chrf2, pivot } = figures[own];
      scores[set] = {
        sentences: pairs.length, beams, bleu: round(b), chrf2: round(chrf2),
        ...(pivot ? { pivot: { bleu: round(pivot.bleu), chrf2: round(pivot.chrf2) } } : {}),
      };
    }
    if (!write && figures[own] && claim.beams === beams) {
      const isEqual = differences(figures[own], claim).every((d) => Math.abs(d) <= TOLERANCE);
      isGood &&= isEqual;
      console.log(`heed.json: ${show(claim)}: ${isEqual ? 'so it is' : 'DIFFERS'}`);
    }
    if (figures.f32 && figures.int8) {
      const lost = differences(figures.f32, figures.int8);
      isGood &&= lost.every((d) => d <= MOST_LOST);
      const [bleuLost, chrfLost] = lost.map((d) => (d <= 0 ? `gains ${(-d).toFixed(2)}` : `loses ${d.toFixed(2)}`));
      console.log(`int8 against f32: ${bleuLost} BLEU, ${chrfLost} chrF2 (at most ${MOST_LOST} may be lost)`);
    }
  }
  if (write) writeFileSync(path, `${JSON.stringify({ ...manifest, scores, files }, null, 2)}\n`);
  return isGood;
}

async function main() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string', multiple: true }, data: { type: 'string' }, help: { type: 'boolean' },
      write: { type: 'boolean' },
      beams: { type: 'string' }, 'max-tokens': { type: 'string', default: '128' },
      batch: { type: 'string', default: '32' }, dtype: { type: 'string' }, 'no-lexicon': { type: 'boolean' },
      'no-ngrams': { type: 'boolean' }, 'no-reverse': { type: 'boolean' },
    },
  });
  const { data, dtype, write } = values;
  const [lexicon, ngrams, reverse] = (/** @type {const} */ (['no-lexicon', 'no-ngrams', 'no-reverse']))
    .map((name) => !values[name]);
  const isPlain = !(lexicon && ngrams && reverse);
  if (values.help || !data || !['f32', 'int8', undefined].includes(dtype) || (write && (dtype || isPlain))) {
    console.error(HELP);
    return values.help ? 0 : 2;
  }
  const shipped = () => new Set(JSON.parse(readFileSync('models/index.json', 'utf8')).models
    .map((/** @type {{ path: string }} */ { path }) => join('models', path)));
  const generate = {
    beams: values.beams ? Number(values.beams) : undefined,
    maxTokens: Number(values['max-tokens']), batchSize: Number(values.batch),
    lexicon, ngrams, reverse,
  };
  let isGood = true;
  for (const directory of values.model ?? shipped()) {
    isGood = (await scoreModel(directory, data, { dtype, write, generate })) && isGood;
  }
  return isGood ? 0 : 1;
}

process.exitCode = await main();
