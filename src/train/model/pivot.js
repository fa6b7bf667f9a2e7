// pivot.js - sentences without English for a model that exists: pairs whose target people wrote, and whose source the
// model makes of the English. Corpora without English are few, and translation by way of English is better than the
// direct one of a young model.
//
//   node src/train/model/pivot.js --data ../shared/data --model models/de-en-es-fr --out build/models/de-en-es-fr
//
//   OUT/train/pivot.tsv   >>fr<< SOURCE<TAB>TARGET, lines of one direction together
//
// The next run of heed-train, with --init, reads it beside the files of prepare.js.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Translator } from '../../../js/index.js';
import { wholeNumber } from './options.js';
import { random, shuffled } from './random.js';
import { holdOut } from './sets.js';
import { clean, isPlausible, keyOf, learnedLine, OTHERS, readHeldOut, readPairs } from './texts.js';

const HELP = `usage: node src/train/model/pivot.js --data DIR --model DIR --out DIR [options]
  --data DIR    has en-X.train.tsv.gz
  --model DIR   makes the sources
  --out DIR     where train/pivot.tsv is written
  --count N     sentences for each of the six directions (12000)
  --score DIR   texts to hold out of training (tests/score)
  --seed N      (1)
`;
/** Sentences of a call: enough to tell how far it is. */
const CALL = 1000;

async function main() {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' }, model: { type: 'string' }, out: { type: 'string' },
      count: { type: 'string', default: '12000' }, score: { type: 'string', default: 'tests/score' },
      seed: { type: 'string', default: '1' }, help: { type: 'boolean' },
    },
  });
  const { data, model, out } = values;
  if (values.help || !data || !model || !out) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const count = wholeNumber('count', values.count);
  const everyday = Object.fromEntries(OTHERS.map((other) => [other, readPairs(data, other, 'train')]));
  const { texts: held, sources } = readHeldOut(data, values.score);
  holdOut(everyday, held);
  const next = random(wholeNumber('seed', values.seed));
  const rows = Object.fromEntries(OTHERS.map((target) => {
    // in a random order, and one row for each English sentence
    const byEnglish = new Map(shuffled(everyday[target], next).map((row) => [keyOf(row.en), row]));
    return [target, [...byEnglish].filter(([key, row]) => !held.has(key) && !held.has(keyOf(row[target])))
      .map(([, row]) => row)];
  }));
  /** @type {string[]} */
  const lines = [];
  for (const source of OTHERS) {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: source, model });
    for (const target of OTHERS.filter((each) => each !== source)) {
      // the two sources of a target have different rows
      const own = rows[target].splice(0, count);
      let kept = 0;
      for (let at = 0; at < own.length; at += CALL) {
        const part = own.slice(at, at + CALL);
        const made = await translator.translate(part.map(({ en }) => en));
        part.forEach((row, i) => {
          const text = clean(made[i], source);
          const key = keyOf(text);
          if (key === '' || !isPlausible(text, row[target]) || held.has(key) || sources[source].has(key)) return;
          lines.push(learnedLine(target, text, row[target]));
          kept++;
        });
      }
      console.log(`${source}-${target}: ${kept} of ${own.length} lines`);
    }
    translator.destroy();
  }
  mkdirSync(join(out, 'train'), { recursive: true });
  writeFileSync(join(out, 'train/pivot.tsv'), lines.join(''));
}

await main();
