// dev.js - translates a development set with heed and scores it: BLEU, chrF2, speed. Used by `make score`.
//
//     node tests/score/dev.js --model models/en-de --data ../shared/data/en-de.dev.tsv.gz
//
// Each line is one sentence to the model, whole, translated in f32 and in int8 arithmetic. Exit code 1: the f32 figures
// differ by more than 0.1 from those in the model's heed.json ("scores", under the data's name), or int8 loses more than
// 0.3 against f32.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Transformer } from '../../js/index.js';
import { bleu, chrf } from './score.js';

/** heed.json's figures have one decimal: this is their rounding and as much again. */
const TOLERANCE = 0.1;
/** What 7-bit activations may cost, in BLEU and in chrF2. */
const MOST_LOST = 0.3;

const HELP = `usage: node tests/score/dev.js --model DIR --data FILE.tsv[.gz] [options]
  FILE has lines of source TAB reference TAB anything
  --beams N        hypotheses per sentence (1)
  --max-tokens N   longest translation (128)
  --batch N        sentences decoded together (32)
  --dtype D        f32 or int8 alone
  --hyp FILE       translations to compare with, a line each; the differing ones are shown
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
 * What heed.json claims for this data set and search, if it does.
 * @param {string} model
 * @param {string} data
 * @param {number} beams
 * @returns {{ bleu: number, chrf2: number } | undefined}
 */
function claimed(model, data, beams) {
  const path = join(model, 'heed.json');
  if (!existsSync(path)) return undefined;
  const figures = JSON.parse(readFileSync(path, 'utf8')).scores?.[basename(data).replace(/\.tsv(\.gz)?$/, '')];
  return figures?.beams === beams ? figures : undefined;
}

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
  return { figures, translations };
}

/** @param {string[]} translations @param {string[]} references @param {string} file */
function compare(translations, references, file) {
  const given = readLines(file);
  const equal = translations.filter((line, i) => line === given[i]).length;
  console.log(`     ${file}: ${equal} of ${references.length} lines are equal  ${show(score(given, references))}`);
  translations.forEach((line, i) => {
    if (line !== given[i]) console.log(`  ${i + 1}: ${line}\n  ${' '.repeat(`${i + 1}`.length)}  ${given[i]}`);
  });
}

/** @param {{ bleu: number, chrf2: number }} a @param {{ bleu: number, chrf2: number }} b */
const differences = (a, b) => [a.bleu - b.bleu, a.chrf2 - b.chrf2];

async function main() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' }, data: { type: 'string' }, hyp: { type: 'string' }, help: { type: 'boolean' },
      beams: { type: 'string', default: '1' }, 'max-tokens': { type: 'string', default: '128' },
      batch: { type: 'string', default: '32' }, dtype: { type: 'string' },
    },
  });
  const { model, data, hyp, dtype } = values;
  if (values.help || !model || !data || !['f32', 'int8', undefined].includes(dtype)) {
    console.error(HELP);
    return values.help ? 0 : 2;
  }
  for (const path of [model, data, hyp]) {
    if (path && !existsSync(path)) {
      console.error(`${path} is not there`);
      return 1;
    }
  }
  const beams = Number(values.beams);
  const generate = { beams, maxTokens: Number(values['max-tokens']), batchSize: Number(values.batch) };
  const rows = readLines(data).map((line) => line.split('\t'));
  const [sources, references] = [rows.map((row) => row[0]), rows.map((row) => row[1])];
  console.log(`${model} on ${data}: ${rows.length} sentences, ${beams === 1 ? 'greedy' : `${beams} beams`}`);

  let failed = false;
  /** @type {Record<string, { bleu: number, chrf2: number }>} */
  const figures = {};
  for (const each of /** @type {const} */ (['f32', 'int8'])) {
    if (dtype && dtype !== each) continue;
    const result = await run(sources, references, { model, dtype: each, generate });
    figures[each] = result.figures;
    if (hyp) compare(result.translations, references, hyp);
  }
  const claim = claimed(model, data, beams);
  if (!claim) console.log('heed.json has no figures for this data and search');
  else if (figures.f32) {
    const isEqual = differences(figures.f32, claim).every((d) => Math.abs(d) <= TOLERANCE);
    failed ||= !isEqual;
    console.log(`heed.json: ${show(claim)}: f32 ${isEqual ? 'is equal' : `differs by more than ${TOLERANCE}`}`);
  }
  if (figures.f32 && figures.int8) {
    const lost = differences(figures.f32, figures.int8);
    failed ||= lost.some((d) => d > MOST_LOST);
    const [bleuLost, chrfLost] = lost.map((d) => (d <= 0 ? `gains ${(-d).toFixed(2)}` : `loses ${d.toFixed(2)}`));
    console.log(`int8 against f32: ${bleuLost} BLEU, ${chrfLost} chrF2 (at most ${MOST_LOST} may be lost)`);
  }
  return failed ? 1 : 0;
}

process.exitCode = await main();
