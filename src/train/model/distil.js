// distil.js - makes training data: translates sentences with beams, and keeps the hypothesis that is nearest to what
// people wrote (sequence-level interpolation, Kim and Rush 2016, https://aclanthology.org/D16-1139). A model that learns
// from them should find with greedy search what needs beams otherwise.
//
//   node src/train/model/distil.js --data ../shared/data --model models/de-en-es-fr --out build/models/de-en-es-fr
//
//   OUT/train/distil.tsv   >>fr<< SOURCE<TAB>HYPOTHESIS, lines of one direction together
//
// The next run of heed-train, with --init, reads it beside the files of prepare.js.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { Transformer } from '../../../js/index.js';
import { bleu, chrf } from '../../../tests/score/score.js';
import { fail, wholeNumber } from './options.js';
import { random, shuffled } from './random.js';
import { holdOut } from './sets.js';
import { clean, isPlausible, keyOf, OTHERS, pairLine, readHeldOut, readPairs } from './texts.js';

const HELP = `usage: node src/train/model/distil.js --data DIR --model DIR --out DIR [options]
  --data DIR         has en-X.train.tsv.gz and en-X.docs.tsv.gz
  --model DIR        makes the hypotheses                    --out DIR  where train/distil.tsv is written
  --count N          sentences for each of the six directions with English (20000)
  --docs N           and of documentation (4000)
  --directions LIST  only these, such as en-de,de-en (all)   --name NAME  of the file (distil)
  --beams N          hypotheses for each (4)
  --score DIR        texts to hold out of training (tests/score)
  --seed N           random seed (1)
`;
/** Sentences of a call: enough to sort them by length. */
const CALL = 512;
/** chrF2 of the nearest hypothesis: below it the model did not understand the sentence, or the reference is free. */
const LEAST = 45;

/**
 * The hypothesis that is nearest to the reference, if one is near.
 *
 * @param {string[]} hypotheses  the likeliest first, which wins a tie
 * @param {string} reference
 * @returns {string | undefined}
 */
export function nearest(hypotheses, reference) {
  const scores = hypotheses.map((text) => bleu([text], [reference]).score + chrf([text], [reference]).score);
  const best = hypotheses[scores.indexOf(Math.max(...scores))];
  return chrf([best], [reference]).score >= LEAST ? best : undefined;
}

async function main() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' }, model: { type: 'string' }, out: { type: 'string' },
      count: { type: 'string', default: '20000' }, docs: { type: 'string', default: '4000' },
      directions: { type: 'string' }, name: { type: 'string', default: 'distil' },
      beams: { type: 'string', default: '4' }, score: { type: 'string', default: 'tests/score' },
      seed: { type: 'string', default: '1' }, help: { type: 'boolean' },
    },
  });
  const { data, model: directory, out } = values;
  if (values.help || !data || !directory || !out) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const [count, ofDocs, beams, seed] = ['count', 'docs', 'beams', 'seed'].map((name) =>
    wholeNumber(name, /** @type {Record<string, string>} */ (values)[name]));
  const all = OTHERS.flatMap((other) => [`en-${other}`, `${other}-en`]);
  const directions = values.directions?.split(',') ?? all;
  const unknown = directions.find((direction) => !all.includes(direction));
  if (unknown !== undefined) fail(`--directions: found ${unknown}, expected some of ${all.join(', ')}`);
  const everyday = Object.fromEntries(OTHERS.map((other) => [other, readPairs(data, other, 'train')]));
  const { texts: held, sources } = readHeldOut(data, values.score);
  holdOut(everyday, held);
  const next = random(seed);
  const model = await Transformer.load(directory);
  /** @type {string[]} */
  const lines = [];

  /** @param {import('./texts.js').Row[]} rows @param {string} source @param {string} target */
  const add = (rows, source, target) => {
    for (let at = 0; at < rows.length; at += CALL) {
      const part = rows.slice(at, at + CALL);
      const ids = part.map((row) => model.tokenizer.encode(row[source], { language: target }).ids);
      const found = model.generate(ids, { beams, nBest: beams, maxTokens: 128, cutRunaways: true, validUtf8: true });
      part.forEach((row, i) => {
        const texts = found[i].filter(({ finished }) => finished)
          .map((hypothesis) => clean(model.tokenizer.decode(hypothesis.ids), target));
        const best = texts.length > 0 ? nearest(texts, row[target]) : undefined;
        if (best && isPlausible(row[source], best) && !held.has(keyOf(best)))
          lines.push(pairLine(target, row[source], best));
      });
    }
  };

  for (const other of OTHERS) {
    const docs = readPairs(data, other, 'docs').filter((row) => isPlausible(row.en, row[other]));
    for (const [source, target] of [['en', other], [other, 'en']]) {
      if (!directions.includes(`${source}-${target}`)) continue;
      const before = lines.length;
      const usable = (/** @type {import('./texts.js').Row} */ row) => !held.has(keyOf(row[source]))
        && !held.has(keyOf(row[target])) && !sources[source].has(keyOf(row[source]));
      // one translation of each sentence
      const distinct = (/** @type {import('./texts.js').Row[]} */ rows) =>
        [...new Map(shuffled(rows.filter(usable), next).map((row) => [row[source], row])).values()];
      add(distinct(everyday[other]).slice(0, count), source, target);
      add(distinct(docs).slice(0, ofDocs), source, target);
      console.log(`${source}-${target}: ${lines.length - before} lines`);
    }
  }
  model.dispose();
  mkdirSync(join(out, 'train'), { recursive: true });
  writeFileSync(join(out, `train/${values.name}.tsv`), lines.join(''));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
