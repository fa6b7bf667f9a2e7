// dev.js - translates a development set with heed and scores it: BLEU, chrF2, speed. Used by `make score`.
//
//     node tests/score/dev.js --model models/en-de --data ../shared/data/en-de.dev.tsv.gz
//
// Each line is one sentence to the model, whole. The figures are compared with the model's heed.json ("scores", under
// the data's name): a difference of more than 0.1 is a failure, exit code 1.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Transformer } from '../../js/index.js';
import { bleu, chrf } from './score.js';

/** heed.json's figures have one decimal: this is their rounding and as much again. */
const TOLERANCE = 0.1;

const HELP = `usage: node tests/score/dev.js --model DIR --data FILE.tsv[.gz] [options]
  FILE has lines of source TAB reference TAB anything
  --beams N        hypotheses per sentence (1)
  --max-tokens N   longest translation (128)
  --batch N        sentences decoded together (32)
  --hyp FILE       translations to compare with, a line each
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

async function main() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' }, data: { type: 'string' }, hyp: { type: 'string' }, help: { type: 'boolean' },
      beams: { type: 'string', default: '1' }, 'max-tokens': { type: 'string', default: '128' },
      batch: { type: 'string', default: '32' },
    },
  });
  if (values.help || !values.model || !values.data) {
    console.error(HELP);
    return values.help ? 0 : 2;
  }
  for (const path of [values.model, values.data, values.hyp]) {
    if (path && !existsSync(path)) {
      console.error(`${path} is not there`);
      return 1;
    }
  }
  const beams = Number(values.beams);
  const rows = readLines(values.data).map((line) => line.split('\t'));
  const references = rows.map((row) => row[1]);

  const model = await Transformer.load(values.model);
  const started = performance.now();
  const sources = rows.map((row) => model.tokenizer.encode(row[0]).ids);
  const best = model.generate(sources, {
    beams, maxTokens: Number(values['max-tokens']), batchSize: Number(values.batch),
  }).map((hypotheses) => hypotheses[0]);
  const translations = best.map(({ ids }) => model.tokenizer.decode(ids));
  const seconds = (performance.now() - started) / 1000;
  const tokens = best.reduce((total, { ids }) => total + ids.length, 0);
  const cut = best.filter(({ finished }) => !finished).length;
  const { dtype, simd } = model.info;
  model.dispose();

  const figures = score(translations, references);
  console.log(`${values.model} on ${values.data}, ${beams === 1 ? 'greedy' : `${beams} beams`}, ${dtype} ${simd}`);
  console.log(`${rows.length} sentences  ${show(figures)}`);
  const speed = `${tokens} tokens  ${Math.round(tokens / seconds)} tokens/s`;
  console.log(`${seconds.toFixed(1)} s  ${speed}  ${cut} not finished`);
  if (values.hyp) {
    const given = readLines(values.hyp);
    const equal = translations.filter((line, i) => line === given[i]).length;
    console.log(`${values.hyp}: ${equal} of ${rows.length} lines are equal  ${show(score(given, references))}`);
    translations.forEach((line, i) => {
      if (line !== given[i]) console.log(`  ${i + 1}: ${line}\n  ${' '.repeat(`${i + 1}`.length)}  ${given[i]}`);
    });
  }
  const claim = claimed(values.model, values.data, beams);
  if (!claim) {
    console.log('heed.json has no figures for this data and search');
    return 0;
  }
  const isEqual = Math.max(Math.abs(figures.bleu - claim.bleu), Math.abs(figures.chrf2 - claim.chrf2)) <= TOLERANCE;
  console.log(`heed.json: ${show(claim)}: ${isEqual ? 'equal' : `differs by more than ${TOLERANCE}`}`);
  return isEqual ? 0 : 1;
}

process.exitCode = await main();
