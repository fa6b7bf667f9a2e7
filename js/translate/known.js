// known.js - the sentences that translateHtml() has translated recently: of a paragraph that has changed by one, only
// that one is translated. Used by html.js.

import { MAX_KNOWN } from '../base/limits.js';
import { generateAligned } from './aligned.js';

/** @typedef {import('../text/split.js').Sentence} Sentence */
/** @typedef {import('./glossary.js').Result} Result */
/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('../text/evidence.js').Weights} Weights */
/** @typedef {{ result: Result, weights?: Weights }} Known  weights: if they were needed */

/**
 * By engine: the last options, and by sentence what they gave; those used last at the end.
 *
 * @type {WeakMap<object, { asked: string, known: Map<string, Known> }>}
 */
const engines = new WeakMap();

/**
 * The translations of sentences.
 *
 * @param {Sentence[]} sentences
 * @param {Options} options
 * @param {Pick<import('./host.js').Host, 'engine' | 'generate'>} host  engine: what is known is its
 * @returns {Promise<Known[]>}
 */
export async function translateKnown(sentences, options, { engine, generate }) {
  const own = { ...options, nBest: 1 };
  const translate = async (/** @type {Sentence[]} */ some) => (await generateAligned(generate, some, own))
    .map(([result]) => /** @type {Known} */ ({ result }));
  // a term may cross two sentences
  if (options.glossary) return (await generate(sentences, own)).map(([result]) => ({ result }));
  const { signal: _, ...settings } = options;
  const asked = JSON.stringify(settings);
  const before = engines.get(engine);
  const { known } = before?.asked === asked ? before : { known: new Map() };
  engines.set(engine, { asked, known });
  const keys = sentences.map(({ text, isKept, kept }) => JSON.stringify([text, isKept, kept]));
  /** @type {Map<string, Sentence>} */
  const missing = new Map();
  for (const [i, key] of keys.entries()) {
    if (!known.has(key) && !missing.get(key)?.isTagged) missing.set(key, sentences[i]);
  }
  const all = new Map(keys.map((key) => [key, known.get(key)]));
  const found = (await translate([...missing.values()])).values();
  for (const key of missing.keys()) all.set(key, found.next().value);
  for (const [key, each] of all) {
    known.delete(key);
    known.set(key, each);
  }
  for (const key of known.keys()) {
    if (known.size <= MAX_KNOWN) break;
    known.delete(key);
  }
  return keys.map((key) => /** @type {Known} */ (all.get(key)));
}
