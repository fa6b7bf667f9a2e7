// everywhere.js - what the shipped model makes of the composed texts, in one way of asking, as hashes. Runs in a page,
// in Node and in workers of both; used by everywhere-page.js, golden/everywhere.js and everywhere.test.js.
import { Translator } from '../../js/index.js';
import { composed } from './composed.js';
import { FIXTURE } from './fixture.js';

/**
 * Ways of asking for the translations.
 *
 * @type {Record<string, (translator: Translator, texts: string[]) => Promise<string[]>>}
 */
const WAYS = {
  batch: (translator, texts) => translator.translate(texts, { beams: 1 }),
  async single(translator, texts) {
    const targets = [];
    for (const text of texts) targets.push(await translator.translate(text, { beams: 1 }));
    return targets;
  },
  async streaming(translator, texts) {
    const targets = [];
    for (const text of texts) {
      const reader = translator.translateStreaming(text, { beams: 1 }).getReader();
      let target = '';
      for (let part; !(part = await reader.read()).done;) target += part.value;
      targets.push(target);
    }
    return targets;
  },
};

/**
 * Of the sentences of every seventh text: details cost twice.
 *
 * @param {Translator} translator
 * @param {string[]} texts
 */
async function logProbs(translator, texts) {
  const some = texts.filter((_, i) => i % 7 === 0).join('\n');
  const sentences = await translator.translateDetailed(some, { beams: 1 });
  return Float64Array.from(sentences, ({ logProb }) => logProb);
}

/** @param {BlobPart} data */
async function sha256(data) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob([data]).arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * SHA-256 of the texts, of their translations (each list joined by line breaks), and of all bits of log-probabilities.
 * NotSupportedError: the host lacks this SIMD.
 *
 * @param {{ way: string, simd?: string, worker?: boolean, every?: number }} run  every: 2: every second text
 */
export async function everywhere({ way, simd = 'simd128', worker = false, every = 1 }) {
  const texts = composed().filter((_, i) => i % every === 0);
  const translator = await Translator.create({
    sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE, dtype: 'int8', cache: false, simd, worker,
  });
  try {
    const start = performance.now();
    const targets = await WAYS[way](translator, texts);
    const scores = await logProbs(translator, texts);
    const ms = Math.round(performance.now() - start);
    const { dtype, simd: got, worker: isWorker } = translator.info;
    if (dtype !== 'int8' || got !== simd || isWorker !== worker) {
      throw new Error(`asked for int8 ${simd}, worker ${worker}; got ${dtype} ${got}, worker ${isWorker}`);
    }
    return {
      texts: await sha256(texts.join('\n')),
      targets: await sha256(targets.join('\n')),
      scores: await sha256(scores),
      list: targets,
      ms,
    };
  } finally {
    translator.destroy();
  }
}

/**
 * What other hosts are asked for: the arithmetic of both builds, and in pages the worker that is the default there. Half
 * of the texts: another sum anywhere would show in some of them.
 */
export const RUNS = [{ way: 'batch', simd: 'simd128', worker: true, every: 2 },
  { way: 'batch', simd: 'relaxed', every: 2 }];

/** Each of RUNS, or the reason why this host cannot run it. */
export async function survey() {
  const found = [];
  for (const run of RUNS) {
    found.push(await everywhere(run).catch((error) => {
      if (error.name !== 'NotSupportedError') throw error;
      return { lacks: error.message };
    }));
  }
  return found;
}
