// sets.js - the development sets by name: "en-de" has everyday sentences, "docs-en-de" documentation. Used by
// calibrate.js and by tests/score/dev.js. prepare.js writes the same sets in the spelling of the corpora.

import { join } from 'node:path';
import { random } from './random.js';
import { holdOutTriples, keyOf, LANGUAGES, OTHERS, readHeldOut, readLines, readPairs } from './texts.js';

/** @typedef {{ source: string, reference: string }} Pair */

/**
 * Chooses the sentences that are held out of the pairs without English. It never changes: another seed, or other texts
 * in tests/score, would choose sentences that a model was trained on.
 */
const SEED = 1;

/**
 * The sentences of the pairs without English, the same for every model.
 *
 * @param {Record<string, import('./texts.js').Labelled[]>} everyday  pairs with English by the other language
 * @param {Set<string>} held  keys of texts that are held out anyway
 */
const chooseTriples = (everyday, held) => holdOutTriples(everyday, held, random(SEED));

/**
 * Holds these sentences out of training.
 *
 * @param {Record<string, import('./texts.js').Labelled[]>} everyday  pairs with English by the other language
 * @param {Set<string>} held  keys of texts that are held out anyway; those of the sentences are added
 */
export function holdOut(everyday, held) {
  const rows = chooseTriples(everyday, held);
  for (const row of rows) for (const language of LANGUAGES) held.add(keyOf(row[language]));
  return rows;
}

/** @type {Map<string, import('./texts.js').Row[]>} */
const triples = new Map();

/**
 * The held-out sentences in all languages. It takes seconds to find them.
 *
 * @param {string} data
 * @param {string} score
 */
function readTriples(data, score) {
  const key = `${data} ${score}`;
  if (!triples.has(key)) {
    const everyday = Object.fromEntries(OTHERS.map((other) => [other, readPairs(data, other, 'train')]));
    triples.set(key, chooseTriples(everyday, readHeldOut(data, score).texts));
  }
  return /** @type {import('./texts.js').Row[]} */ (triples.get(key));
}

/**
 * The pairs of a set. Those with English are spelled as in their file.
 *
 * @param {string} data  has en-X.dev.tsv.gz, en-X.docs-dev.tsv.gz, and for pairs without English en-X.train.tsv.gz
 * @param {string} name  such as "en-de", "docs-de-en", "fr-es"
 * @param {string} [score]  the texts that no model may learn from
 * @returns {Pair[]}
 */
export function readSet(data, name, score = 'tests/score') {
  const [, docs, source, target] = /^(docs-)?(\w+)-(\w+)$/.exec(name) ?? [];
  if (source === undefined) throw new Error(`found a set '${name}', expected a name such as en-de or docs-en-de`);
  if (source !== 'en' && target !== 'en') {
    return readTriples(data, score).map((row) => ({ source: row[source], reference: row[target] }));
  }
  const [from, to] = source === 'en' ? [0, 1] : [1, 0];
  const file = `en-${source === 'en' ? target : source}.${docs ? 'docs-dev' : 'dev'}.tsv.gz`;
  return readLines(join(data, file)).map((line) => {
    const row = line.split('\t');
    return { source: row[from], reference: row[to] };
  });
}
