// firefox-measure.js - what firefox-engine.js in Node and firefox-page.js in Chromium share: heed as an engine, and the
// clock.
import { Transformer, Translator } from '../../js/index.js';

/**
 * All texts in one call. memory: bytes that heed's module has; other engines do not say.
 *
 * @typedef {((texts: string[]) => string[] | Promise<string[]>) & { memory?: () => number }} Translate
 */

/**
 * @param {object} options
 * @param {any} options.model  a directory, or files by name
 * @param {string} options.sourceLanguage
 * @param {string} options.targetLanguage
 * @param {'simd128' | 'relaxed'} options.simd
 * @param {boolean} options.hasShortlist
 * @param {boolean} [options.isRandom]  random weights end no translation: all are as long as the engines allow
 * @returns {Promise<Translate>}
 */
export async function openHeed({ model, sourceLanguage, targetLanguage, simd, hasShortlist, isRandom }) {
  const shortlist = hasShortlist ? { shortlist: true } : {};
  if (!isRandom) {
    const options = { sourceLanguage, targetLanguage, model, simd, worker: false, ...shortlist };
    const translator = await Translator.create(options);
    return Object.assign((/** @type {string[]} */ texts) => translator.translate(texts, { keep: false, beams: 1 }),
      { memory: () => translator.info.memoryBytes });
  }
  const loaded = await Transformer.load(model, { simd, cache: false, ...shortlist });
  const one = (/** @type {string} */ text) => {
    const { ids } = loaded.tokenizer.encode(text);
    const options = { beams: 1, maxTokens: LENGTH * ids.length, cutRunaways: false };
    return loaded.tokenizer.decode(loaded.generate([ids], options)[0][0].ids);
  };
  return Object.assign((/** @type {string[]} */ texts) => texts.map(one), { memory: () => loaded.info.memoryBytes });
}

/** Tokens of the longest translation for each of the source, </s> included: Firefox's max-length-factor. */
export const LENGTH = 2;

/**
 * @param {Translate} translate
 * @param {{ texts: string[], isOneByOne: boolean }} message
 * @returns {Promise<{ ms: number, each: number[], texts: string[] }>}  milliseconds of all and of each call
 */
export async function measure(translate, { texts: all, isOneByOne }) {
  const calls = isOneByOne ? all.map((text) => [text]) : [all];
  /** @type {number[]} */
  const each = [];
  /** @type {string[]} */
  const texts = [];
  const begin = performance.now();
  for (const call of calls) {
    const before = performance.now();
    texts.push(...await translate(call));
    each.push(performance.now() - before);
  }
  return { ms: performance.now() - begin, each, texts };
}
