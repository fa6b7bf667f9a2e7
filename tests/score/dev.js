// dev.js - translates the development sets that models claim scores for, and scores them: BLEU, chrF2, speed. Used by
// `make score`.
//
//     node tests/score/dev.js --data ../shared/data [--model models/en-de]...
//
// Each line is one sentence to the model, whole, translated in f32 and in int8 arithmetic. Exit code 1: the figures of
// the model's own arithmetic are not those in its heed.json ("scores", under the set's name), or int8 loses more than
// 0.3 against f32.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Transformer } from '../../js/index.js';
import { bleu, chrf } from './score.js';

/** heed.json's figures have one decimal, and int8 arithmetic is the same everywhere. */
const TOLERANCE = 0.05 + 1e-9;
/** What 7-bit activations may cost, in BLEU and in chrF2. */
const MOST_LOST = 0.3;

const HELP = `usage: node tests/score/dev.js --data DIR [options]
  DIR has en-de.dev.tsv.gz, ...: lines of English TAB other language TAB anything; both directions are read from it
  --model DIR      any number of times (those of models/index.json)
  --beams N        hypotheses per sentence (1)
  --max-tokens N   longest translation (128)
  --batch N        sentences decoded together (32)
  --dtype D        f32 or int8 alone
`;

/** @param {string} path @returns {string[]} */
function readLines(path) {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.replace(/\n$/, '').split('\n');
}

/** @param {string[]} translations @param {string[]} references */
function score(translations, references) {
  return { bleu: bleu(translations, references).score, chrf2: chrf(translations, references).score };
}

/** @param {{ bleu: number, chrf2: number }} figures */
const show = (figures) => `BLEU ${figures.bleu.toFixed(1)}  chrF2 ${figures.chrf2.toFixed(1)}`;

/**
 * @param {string[]} sources
 * @param {string[]} references
 * @param {{ model: string, dtype: 'f32' | 'int8', generate: object }} how
 */
async function run(sources, references, { model: directory, dtype, generate }) {
  const model = await Transformer.load(directory, { dtype });
  const started = performance.now();
  const ids = sources.map((source) => model.tokenizer.encode(source).ids);
  const best = model.generate(ids, generate).map((hypotheses) => hypotheses[0]);
  const translations = best.map((hypothesis) => model.tokenizer.decode(hypothesis.ids));
  const seconds = (performance.now() - started) / 1000;
  const tokens = best.reduce((total, hypothesis) => total + hypothesis.ids.length, 0);
  const cut = best.filter(({ finished }) => !finished).length;
  const { simd } = model.info;
  model.dispose();

  const figures = score(translations, references);
  console.log(`${dtype.padEnd(4)} ${simd}  ${show(figures)}  ${seconds.toFixed(1)} s  ${tokens} tokens  ` +
    `${Math.round(tokens / seconds)} tokens/s  ${cut} not finished`);
  return figures;
}

/** @param {{ bleu: number, chrf2: number }} a @param {{ bleu: number, chrf2: number }} b */
const differences = (a, b) => [a.bleu - b.bleu, a.chrf2 - b.chrf2];

/**
 * @param {string} directory  of a model
 * @param {string} data  the directory of the sets
 * @param {{ dtype?: string, generate: { beams: number, maxTokens: number, batchSize: number } }} options
 * @returns {Promise<boolean>}  whether all is as it should be
 */
async function scoreModel(directory, data, { dtype, generate }) {
  const manifest = JSON.parse(readFileSync(join(directory, 'heed.json'), 'utf8'));
  let isGood = true;
  for (const [set, claim] of Object.entries(manifest.scores)) {
    const path = join(data, `${set}.tsv.gz`);
    const isTurned = set.split('-')[0] !== manifest.source;
    const rows = readLines(path).map((line) => line.split('\t'));
    const [sources, references] = [rows.map((row) => row[isTurned ? 1 : 0]), rows.map((row) => row[isTurned ? 0 : 1])];
    const search = generate.beams === 1 ? 'greedy' : `${generate.beams} beams`;
    console.log(`${directory} on ${path}${isTurned ? ', turned round' : ''}: ${rows.length} sentences, ${search}`);

    /** @type {Record<string, { bleu: number, chrf2: number }>} */
    const figures = {};
    for (const each of /** @type {const} */ (['f32', 'int8'])) {
      if (dtype && dtype !== each) continue;
      figures[each] = await run(sources, references, { model: directory, dtype: each, generate });
    }
    const own = figures[manifest.dtype === 'int8' ? 'int8' : 'f32'];
    if (own && claim.beams === generate.beams) {
      const isEqual = differences(own, claim).every((d) => Math.abs(d) <= TOLERANCE);
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
  return isGood;
}

async function main() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string', multiple: true }, data: { type: 'string' }, help: { type: 'boolean' },
      beams: { type: 'string', default: '1' }, 'max-tokens': { type: 'string', default: '128' },
      batch: { type: 'string', default: '32' }, dtype: { type: 'string' },
    },
  });
  const { data, dtype } = values;
  if (values.help || !data || !['f32', 'int8', undefined].includes(dtype)) {
    console.error(HELP);
    return values.help ? 0 : 2;
  }
  const shipped = () => JSON.parse(readFileSync('models/index.json', 'utf8')).models.map((m) => join('models', m.path));
  const generate = {
    beams: Number(values.beams), maxTokens: Number(values['max-tokens']), batchSize: Number(values.batch),
  };
  let isGood = true;
  for (const directory of values.model ?? shipped()) {
    isGood = (await scoreModel(directory, data, { dtype, generate })) && isGood;
  }
  return isGood ? 0 : 1;
}

process.exitCode = await main();
