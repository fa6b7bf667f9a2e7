// firefox-real.js - what one of Mozilla's models makes of some lines, in both builds. Runs in a page and in Node; used
// by firefox-real-page.js and firefox-hosts.test.js.
import { Translator } from '../../js/index.js';

/** @typedef {{ lacks?: string, texts?: string[], logProbs?: number[] }} Said  lacks: why this host cannot */

/**
 * @param {any} model  a directory, or files by name
 * @param {{ sourceLanguage: string, targetLanguage: string }} pair
 * @param {string[]} lines
 * @returns {Promise<Record<'simd128' | 'relaxed', Said>>}  logProbs: of the sentences of every ninth line
 */
export async function translateReal(model, pair, lines) {
  const found = /** @type {Record<'simd128' | 'relaxed', Said>} */ ({});
  for (const simd of /** @type {const} */ (['simd128', 'relaxed'])) {
    try {
      const translator = await Translator.create({ ...pair, model, simd, worker: false, cache: false });
      const texts = await translator.translate(lines, { beams: 1 });
      const some = lines.filter((_, i) => i % 9 === 0).join('\n');
      const logProbs = (await translator.translateDetailed(some, { beams: 1 })).map(({ logProb }) => logProb);
      translator.destroy();
      found[simd] = { texts, logProbs };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'NotSupportedError') throw error;
      found[simd] = { lacks: error.message };
    }
  }
  return found;
}
