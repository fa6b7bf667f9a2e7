// evaluate.js - BLEU and chrF2 of every development set of prepare.js, for a model in training. Used by make.js, and on
// the command line:
//
//   node src/train/model/evaluate.js --model DIR --dev build/models/de-en-es-fr/dev [--sentences 300] [--show 5]

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { Transformer } from '../../../js/index.js';
import { bleu, chrf } from '../../../tests/score/score.js';

const ROW = /^(?:>>(.+?)<< ?)?(.*?)\t([^\t]*)/;

/** @typedef {{ set: string, source: string, target: string, translation: string }} Translated */

/**
 * Translates every set with greedy search.
 *
 * @param {string} directory  of the model
 * @param {string} dev  a folder of NAME.tsv
 * @param {number} [sentences]  the first ones of each set
 * @returns {Promise<{ name: string, sentences: number, bleu: number, chrf2: number, rows: Translated[] }[]>}
 */
export async function evaluate(directory, dev, sentences = Infinity) {
  const model = await Transformer.load(directory);
  try {
    return readdirSync(dev).sort().map((file) => {
      const set = basename(file, '.tsv');
      const pairs = readFileSync(join(dev, file), 'utf8').split('\n').filter(Boolean).slice(0, sentences)
        .map((line) => /** @type {RegExpExecArray} */ (ROW.exec(line)));
      const sources = pairs.map(([, language, source]) => model.tokenizer.encode(source, { language }).ids);
      const rows = model
        .generate(sources, { beams: 1, maxTokens: 128, batchSize: 64, cutRunaways: true })
        .map(([best], i) => ({
          set, source: pairs[i][2], target: pairs[i][3], translation: model.tokenizer.decode(best.ids),
        }));
      const [translations, references] = [rows.map((r) => r.translation), rows.map((r) => r.target)];
      return {
        name: set, sentences: rows.length, rows,
        bleu: bleu(translations, references).score, chrf2: chrf(translations, references).score,
      };
    });
  } finally {
    model.dispose();
  }
}

const isDocs = (/** @type {{ name: string }} */ { name }) => name.startsWith('docs-');
const hasEnglish = (/** @type {{ name: string }} */ { name }) => /\ben\b/.test(name);

/** Mean BLEU of everyday sets with English, of those without, and of documentation; 0 if there is no such set.
 * @template {{ name: string, bleu: number }} T @param {T[]} scores */
export function means(scores) {
  const mean = (/** @type {T[]} */ list) => list.reduce((sum, { bleu }) => sum + bleu, 0) / (list.length || 1);
  const everyday = scores.filter((score) => !isDocs(score));
  return {
    english: mean(everyday.filter(hasEnglish)),
    others: mean(everyday.filter((score) => !hasEnglish(score))),
    docs: mean(scores.filter(isDocs)),
  };
}

async function main() {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' }, dev: { type: 'string' }, sentences: { type: 'string', default: '1000000' },
      show: { type: 'string', default: '0' },
    },
  });
  if (!values.model || !values.dev) {
    console.error('usage: evaluate.js --model DIR --dev DIR [--sentences N] [--show N]');
    process.exit(2);
  }
  const scores = await evaluate(values.model, values.dev, Number(values.sentences));
  for (const { name, bleu, chrf2, rows } of scores) {
    console.log(`${name.padEnd(12)} BLEU ${bleu.toFixed(1).padStart(4)}  chrF2 ${chrf2.toFixed(1).padStart(4)}`);
    for (const { source, target, translation } of rows.slice(0, Number(values.show)))
      console.log(`    ${source}\n      ${translation}\n      (${target})`);
  }
  const { english, others, docs } = means(scores);
  const [withEnglish, without, ofDocs] = [english, others, docs].map((bleu) => bleu.toFixed(2));
  console.log(`mean BLEU: pairs with English ${withEnglish}, without ${without}, docs ${ofDocs}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
