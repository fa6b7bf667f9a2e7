// firefox-engine.js - one engine with one of Firefox's models, in a process of its own, which answers messages; started
// by firefox.js.
//
//   arguments   name of the engine, directory of the model, languages, such as en pt; a shortlist is used if it exists
//   message     { texts, isOneByOne }, or 'peak'
//   answer      first { load }, milliseconds, or { skipped } if there is no such engine here; then for each message
//               { ms, each, texts }: milliseconds of all, of each call, and translations; or { peak }, bytes of memory
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { peak } from './peak.js';

const [name, directory, sourceLanguage, targetLanguage] = process.argv.slice(2);

const names = readdirSync(directory).sort();
/** @param {RegExp} pattern */
const find = (pattern) => names.filter((file) => pattern.test(file)).map((file) => readFileSync(join(directory, file)));
const files = () => {
  const [model] = find(/^model\..*\.bin$|\.intgemm.*\.bin$/);
  const [shortlist] = find(/^lex\..*\.bin$/);
  return { model, shortlist, vocabularies: find(/vocab\..*\.spm$/) };
};

/** @type {Record<string, () => Promise<(texts: string[]) => string[] | Promise<string[]>>>} */
const ENGINES = {
  async bergamot() {
    const { openBergamot } = await import('./bergamot.js');
    return openBergamot(files());
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
  ENGINES[`heed ${simd}`] = async () => {
    const { Translator } = await import('../../js/index.js');
    const shortlist = names.some((file) => file.startsWith('lex.')) ? { shortlist: true } : {};
    const options = { sourceLanguage, targetLanguage, model: directory, simd, ...shortlist };
    const translator = await Translator.create(options);
    return (texts) => translator.translate(texts, { keep: false, beams: 1 });
  };
}

/** @type {(message: unknown) => void} */
const answer = (message) => void process.send?.(message);

async function main() {
  const start = performance.now();
  const translate = await ENGINES[name]();
  answer({ load: performance.now() - start });
  process.on('message', async (/** @type {any} */ message) => {
    if (message === 'peak') return answer({ peak: peak() });
    const calls = message.isOneByOne ? message.texts.map((/** @type {string} */ text) => [text]) : [message.texts];
    const [each, texts] = [[], []];
    const begin = performance.now();
    for (const call of calls) {
      const before = performance.now();
      texts.push(...await translate(call));
      each.push(performance.now() - before);
    }
    answer({ ms: performance.now() - begin, each, texts });
  });
}

main().catch((error) => {
  const isLack = /MODULE_NOT_FOUND$/.test(error.code) || error.name === 'NotSupportedError';
  if (!isLack && !/unsupported$/.test(error.message)) throw error;
  answer({ skipped: error.message });
  process.disconnect();
});
