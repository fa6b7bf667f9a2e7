// firefox-page.js - one engine with one of Firefox's models in a page; loaded by firefox-chromium.js. The answers are
// those of firefox-engine.js.
import { startBergamot } from './bergamot.js';
import { measure, openHeed } from './firefox-measure.js';

/** @type {import('./firefox-measure.js').Translate} */
let translate;

const bytes = async (/** @type {string | URL} */ url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

/**
 * @param {string} engine
 * @param {{ names: string[], place: string, sourceLanguage: string, targetLanguage: string, isRandom: boolean }} model
 *   place: the URL of the files
 */
export async function open(engine, { names, place, ...options }) {
  const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await bytes(place + name)])));
  const matching = (/** @type {RegExp} */ pattern) =>
    names.filter((name) => pattern.test(name)).map((name) => files[name]);
  const [shortlist] = matching(/^lex\./);
  // the files came through the browser's debugger, which is slow
  const start = performance.now();
  if (engine === 'bergamot') {
    const script = new URL('node_modules/@browsermt/bergamot-translator/worker/bergamot-translator-worker',
      import.meta.url);
    const text = await (await fetch(`${script}.js`)).text();
    const [[model], vocabularies] = [matching(/^model\./), matching(/vocab\./)];
    // as a script of the page, and not of this module
    const load = await startBergamot({ model, vocabularies, shortlist }, await bytes(`${script}.wasm`),
      () => void (0, eval)(text));
    translate = load();
  } else {
    const simd = /** @type {'simd128' | 'relaxed'} */ (engine.replace('heed ', ''));
    try {
      translate = await openHeed({ model: files, simd, hasShortlist: shortlist !== undefined, ...options });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'NotSupportedError') throw error;
      return { skipped: error.message };
    }
  }
  return { load: performance.now() - start };
}

/** @param {Parameters<typeof measure>[1]} message */
export const ask = (message) => measure(translate, message);
