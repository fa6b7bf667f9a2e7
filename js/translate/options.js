// options.js - the options of a Translator: their names, their types, and copies of those of a call. Used by all files
// that take them.

import { badType, checkBoolean, checkInteger, checkOptions } from '../base/check.js';
import { GENERATE, WEIGHTS } from '../model/options.js';

/**
 * glossary: exact translations of terms. If one is impossible, translate() throws and translateDetailed() reports it.
 * With a glossary, translateStreaming() returns whole sentences.
 * keep: what no model can know passes through unchanged, see text/keep.js; so do characters that the vocabulary of a
 * model of Marian's lacks, unless they have a plain form: see text/unknown.js. A term of the glossary wins over it. A
 * sentence with such a part comes from translateStreaming() whole. Default: true.
 * lexicon: words that were rare in training, and several words together such as "town hall", become more probable
 * where the model reads what they translate, if its directory has a lexicon, see model/lexicon.js. Default: true.
 * ngrams: hypotheses whose words people often write in this order come first, if the directory has an ngrams.bin, see
 * model/ngrams.js. Default: true.
 * reverse: hypotheses with similar scores are reranked by the probability of the source, if the model translates both
 * ways and its heed.json has `reverse`, see model/reverse.js. Default: true.
 *
 * @typedef {import('../model/options.js').GenerateOptions & { keep?: boolean, lexicon?: boolean, ngrams?: boolean,
 *   reverse?: boolean, glossary?: Readonly<Record<string, string>> | ReadonlyMap<string, string> }} TranslateOptions
 */

/**
 * @typedef {import('../model/options.js').GenerateOptions & { glossary?: [string, string][], keep?: boolean,
 *   lexicon?: boolean, ngrams?: boolean, reverse?: boolean, align?: boolean }} Options  as they run; align: see Search
 */

// The names of the options of each function.
export const CREATE =
  `sourceLanguage targetLanguage language model models pivot monitor worker timeout workers ${WEIGHTS}`;
export const TRANSLATE = `${GENERATE} glossary keep lexicon ngrams reverse`;
export const TRANSLATE_DETAILED = `${TRANSLATE} attention beamTree`;

/**
 * Copies a glossary, because the caller may change it while the call waits.
 *
 * @param {any} glossary
 * @returns {[term: string, translation: string][]}
 */
export function copyGlossary(glossary) {
  const kind = Object.prototype.toString.call(glossary).slice(8, -1);
  if (kind !== 'Object' && kind !== 'Map') badType('glossary', glossary, 'an object or a Map: { term: translation }');
  return kind === 'Map' ? [...glossary] : Object.entries(glossary);
}

/**
 * A copy of ids and heads, because the caller may change them while the call waits.
 *
 * @param {any} value
 * @param {number} [depth]  of lists: badWords has two
 * @returns {any}
 */
function copyOf(value, depth = 2) {
  if (depth > 0 && (Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value))) {
    return Array.from(/** @type {any} */ (value), (each) => copyOf(each, depth - 1));
  }
  return Object.prototype.toString.call(value) === '[object Object]' ? { ...value } : value;
}

/**
 * A copy of a call's options.
 *
 * @param {TranslateOptions} options
 * @param {string} names
 * @returns {Options}
 */
export function copyOptions(options, names) {
  const { glossary, ...others } = checkOptions(options, names);
  const rest = /** @type {Record<string, any>} */ (others);
  for (const name in rest) if (name !== 'signal') rest[name] = copyOf(rest[name]);
  // translate() and translateStreaming() set it to 1 later
  if (rest.nBest !== undefined) checkInteger('nBest', rest.nBest, 1);
  if (rest.keep !== undefined) checkBoolean('keep', rest.keep);
  return glossary === undefined ? rest : { ...rest, glossary: copyGlossary(glossary) };
}
