// node.js - compares the engines on one model in this Node; started by index.js and large.js.
//
//   node node.js MODEL DTYPE [ROUNDS [CASE...]]     prints one line of JSON
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { marianId } from './bergamot-model.js';
import { bergamot } from './bergamot-node.js';
import { ctranslate2 } from './ctranslate2.js';
import { heed, isLack, onnxruntime } from './engines.js';
import { agreement, compare } from './measure.js';
import { FOLDER } from './models.js';
import { modelOf, sentences } from './shapes.js';

const CREATE = {
  async 'onnxruntime-web'(ort) {
    ort.env.wasm.numThreads = 1;
    return { executionProviders: ['wasm'] };
  },
  async 'onnxruntime-node'() {
    return { executionProviders: ['cpu'], intraOpNumThreads: 1, interOpNumThreads: 1 };
  },
};

/**
 * An engine of engines.js by name, on a model of models.js. `base`: where heed finds it, path or URL, ends with /.
 * `dtype`: of the files and the arithmetic; `f32:int8` if they differ.
 */
export async function open(name, model, dtype, base = FOLDER) {
  const [library, simd] = name.split(' ');
  if (library === 'heed') {
    const { Transformer } = await import('../../js/index.js');
    const [stored, wanted = stored] = dtype.split(':');
    return heed(Transformer, `${base}${model}/${stored}/`, { dtype: wanted, simd });
  }
  if (library === 'Bergamot') return bergamot(join(FOLDER, model, 'bergamot'), dtype);
  if (library === 'CTranslate2') return ctranslate2(join(FOLDER, model, 'f32'), dtype);
  const { default: whole, ...named } = await import(library);
  const ort = whole?.InferenceSession ? whole : named;
  const files = {
    encoder: await readFile(join(FOLDER, model, `onnx-${dtype}`, 'encoder_model.onnx')),
    decoder: await readFile(join(FOLDER, model, `onnx-${dtype}`, 'decoder_model_merged.onnx')),
  };
  return onnxruntime(ort, name, files, modelOf(model), await CREATE[library](ort));
}

/** Those that run in this process. */
export const ENGINES = ['heed simd128', 'heed relaxed', 'onnxruntime-web', 'onnxruntime-node'];

/** The share of ids that two engines have in common. */
async function shareOfIds(one, other, vocabulary) {
  const [sources, length] = [sentences(8, 20, vocabulary, 17), 25];
  const [a, b] = [await one.translate(sources, length), await other.translate(sources, length)];
  const same = a.flatMap((ids, i) => [...ids].map((id, k) => Number(id === b[i][k])));
  return same.reduce((sum, each) => sum + each, 0) / same.length;
}

/** heed on the file that Bergamot reads, with the arithmetic of Firefox's engine. @param {string} model */
async function heedAsBergamot(model) {
  const { Transformer } = await import('../../js/index.js');
  const loaded = await Transformer.load(join(FOLDER, model, 'bergamot/'), { activations: 'fixed' });
  const own = (/** @type {Int32Array} */ ids) => ids.map(marianId);
  return {
    /** @param {Int32Array[]} sources @param {number} length */
    translate: (sources, length) =>
      loaded.generate(sources.map(own), { beams: 1, maxTokens: length }).map(([{ ids }]) => own(ids)),
    dispose: () => loaded.dispose(),
  };
}

async function main(model, dtype, rounds, cases) {
  const engines = [];
  const skipped = {};
  for (const name of [...ENGINES, 'Bergamot', 'CTranslate2']) {
    try {
      engines.push(await open(name, model, dtype));
    } catch (error) {
      if (!isLack(error)) throw error;
      skipped[name] = error.message;
    }
  }
  const { vocabulary } = modelOf(model);
  const ours = engines.find((e) => e.model);
  const web = engines.find((e) => e.name === 'onnxruntime-web');
  const agree = ours && web ? await agreement(ours.model, web, vocabulary) : null;
  const native = engines.find((e) => e.name.startsWith('CTranslate2'));
  const ids = ours && native ? await shareOfIds(ours, native, vocabulary) : undefined;
  const marian = engines.find((e) => e.name.startsWith('Bergamot'));
  const twin = marian && await heedAsBergamot(model);
  const ofBergamot = marian && await shareOfIds(twin, marian, vocabulary);
  twin?.dispose();
  const results = await compare(engines, vocabulary, { rounds, ...(cases.length > 0 && { cases }) });
  console.log(JSON.stringify({ host: `Node ${process.versions.node}`, model, dtype, skipped, agree, ids,
    ofBergamot, results }));
  await native?.dispose(); // its process ends
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [model, dtype, rounds = 7, ...cases] = process.argv.slice(2);
  await main(model, dtype, Number(rounds), cases);
}
