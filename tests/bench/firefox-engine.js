// firefox-engine.js - one engine with one of Firefox's models, in a process of its own, which answers messages; started
// by firefox.js.
//
//   arguments   name of the engine, directory of the model, languages, such as en pt, and for random weights `random`;
//               a shortlist is used if it exists
//   message     { texts, isOneByOne }, or 'peak'
//   answer      first { load }, milliseconds, or { skipped } if there is no such engine here; then for each message
//               { ms, each, texts }: milliseconds of all, of each call, and translations; or { peak, own }, bytes of
//               memory: of the process, and of heed's module
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openHeed, measure } from './firefox-measure.js';
import { peak } from './peak.js';

const [name, directory, sourceLanguage, targetLanguage, isRandom] = process.argv.slice(2);

const names = readdirSync(directory).sort();
/** @param {RegExp} pattern */
const find = (pattern) => names.filter((file) => pattern.test(file)).map((file) => readFileSync(join(directory, file)));
const files = () => {
  const [model] = find(/^model\..*\.bin$|\.intgemm.*\.bin$/);
  const [shortlist] = find(/^lex\..*\.bin$/);
  return { model, shortlist, vocabularies: find(/vocab\..*\.spm$/) };
};

/** @type {Record<string, () => Promise<import('./firefox-measure.js').Translate>>} */
const ENGINES = {
  async bergamot() {
    return (await (await import('./bergamot-node.js')).startInNode(files()))();
  },
  async fxtranslate() {
    const { Translator } = createRequire(import.meta.url)('fxtranslate');
    const { model, vocabularies } = files();
    const translator = new Translator(model, vocabularies[0], vocabularies.at(-1));
    // it has no call for several texts
    return (texts) => texts.map((text) => translator.translate_long(text));
  },
};
for (const simd of /** @type {const} */ (['simd128', 'relaxed'])) {
  const hasShortlist = names.some((file) => file.startsWith('lex.'));
  ENGINES[`heed ${simd}`] = () =>
    openHeed({ model: directory, sourceLanguage, targetLanguage, simd, hasShortlist, isRandom: isRandom === 'random' });
}

/** @type {(message: unknown) => void} */
const answer = (message) => void process.send?.(message);

async function main() {
  const start = performance.now();
  const translate = await ENGINES[name]();
  answer({ load: performance.now() - start });
  process.on('message', async (/** @type {any} */ message) => {
    if (message === 'peak') return answer({ peak: peak(), own: translate.memory?.() });
    answer(await measure(translate, message));
  });
}

main().catch((error) => {
  const isLack = /MODULE_NOT_FOUND$/.test(error.code) || error.name === 'NotSupportedError';
  if (!isLack && !/unsupported$/.test(error.message)) throw error;
  answer({ skipped: error.message });
  process.disconnect();
});
