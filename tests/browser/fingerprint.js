// fingerprint.js - hashes of all results for some sentences. Equal hashes mean that results are equal to the
// bit. Runs in a page, a worker and Node; used by page.js, worker.js, node.js and engines.test.js.
import { Transformer } from '../../js/index.js';
import { FIXTURE } from './fixture.js';
import { SENTENCES } from './sentences.js';

/** The shipped model, wherever these files are served from. */
/** A small random model whose decoder has SSRUs. */
const RECURRENT = new URL('../golden/ssru', import.meta.url);
/** What is run in every host. */
export const BUILDS = ['int8', 'f32'].flatMap((dtype) => ['simd128', 'relaxed'].map((simd) => ({ dtype, simd })));

/** The SHA-256 of arrays one after another, every bit of them. All hosts with SIMD are little-endian as wasm is. */
async function hash(arrays) {
  const bytes = await new Blob(arrays).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Everything generate() says. NaN compares like a number once it is hashed, so it is refused here. */
function told(results) {
  return results.flat().flatMap(({ ids, logProb, score, finished }) => {
    if (!Number.isFinite(logProb) || !Number.isFinite(score)) throw new Error(`log-probability ${logProb}`);
    return [Int32Array.of(ids.length, Number(finished)), ids, Float64Array.of(logProb, score)];
  });
}

/** The hash of what the recurrent model says. @param {{ dtype: string, simd: string }} build */
async function recurrent({ dtype, simd }) {
  const model = await Transformer.load(RECURRENT, { dtype, simd, cache: false });
  try {
    const sources = Array.from({ length: 20 }, (_, i) =>
      [...Array.from({ length: 1 + (i * 7) % 23 }, (_, t) => 1 + (i * 17 + t * t * 5) % 64), 0]);
    const found = [1, 4].flatMap((beams) => model.generate(sources, { beams, maxTokens: 30, batchSize: 6 }));
    const passes = found.slice(0, 3).flatMap(([best], i) => Object.values(model.inspect(sources[i], best.ids)));
    return await hash([...told(found), ...passes.map(({ data }) => data)]);
  } finally {
    model.dispose();
  }
}

/**
 * Hashes by part. HEED_E_WASM NotSupportedError: the host lacks this SIMD.
 *
 * @param {{ dtype: string, simd: string }} build
 */
export async function fingerprint({ dtype, simd }) {
  const model = await Transformer.load(FIXTURE, { dtype, simd, cache: false });
  try {
    const { info, tokenizer } = model;
    if (info.dtype !== dtype || info.simd !== simd) {
      throw new Error(`asked for ${dtype} ${simd}, got ${info.dtype} ${info.simd}`);
    }
    const sources = SENTENCES.map((text) => tokenizer.encode(text).ids);
    // batches smaller than the list: sentences leave and enter while others are decoded
    const greedy = model.generate(sources, { beams: 1, maxTokens: 60, batchSize: 16 });
    // in floats four beams take three times as long: half of them
    const searched = dtype === 'f32' ? sources.filter((_, i) => i % 2 === 0) : sources;
    const beams = model.generate(searched, { beams: 4, nBest: 4, maxTokens: 60, batchSize: 7, lengthPenalty: 0.6 });
    const texts = [...greedy, ...beams].map(([best]) => tokenizer.decode(best.ids));

    const passes = [0, 13, 19, 25, 34].map((i) => [sources[i], greedy[i][0].ids]);
    const logits = passes.flatMap(([from, to]) => {
      const pass = model.forward(from, to);
      return [pass.logits.data, pass.logProbs];
    });
    const attention = passes.flatMap(([from, to]) => {
      const { encoder, decoder, cross, logProbs } = model.attention(from, to);
      return [encoder.data, decoder.data, cross.data, logProbs];
    });
    return {
      source: await hash(sources),
      encoder: await hash(passes.map(([from]) => model.encode(from).data)),
      logits: await hash(logits),
      attention: await hash(attention),
      greedy: await hash(told(greedy)),
      beams: await hash(told(beams)),
      texts: await hash([JSON.stringify(texts)]),
      recurrent: await recurrent({ dtype, simd }),
    };
  } finally {
    model.dispose();
  }
}

/** The fingerprint of each build by name, or the reason why this host cannot run it; with the time it took. */
export async function survey(builds = BUILDS) {
  const found = {};
  for (const build of builds) {
    const start = performance.now();
    const result = await fingerprint(build).then(
      (parts) => ({ parts }),
      (error) => {
        if (error.name !== 'NotSupportedError') throw error;
        return { lacks: error.message };
      },
    );
    found[`${build.dtype} ${build.simd}`] = { ...result, ms: Math.round(performance.now() - start) };
  }
  return found;
}
