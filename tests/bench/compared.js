// compared.js - compares the engines on one model in a page, as node.js does in Node; loaded by chromium.js.
import { Transformer } from '../../js/index.js';
import { heed, isLack, onnxruntime } from './engines.js';
import { agreement, compare } from './measure.js';
import { MODELS } from './shapes.js';

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

async function openOnnxruntime(folder, dtype, shape) {
  const ort = await import('./node_modules/onnxruntime-web/dist/ort.wasm.min.mjs');
  ort.env.wasm.numThreads = 1;
  const files = {
    encoder: await bytes(`${folder}onnx-${dtype}/encoder_model.onnx`),
    decoder: await bytes(`${folder}onnx-${dtype}/decoder_model_merged.onnx`),
  };
  return onnxruntime(ort, 'onnxruntime-web', files, shape, { executionProviders: ['wasm'] });
}

/**
 * The same as node.js prints.
 *
 * @param {string} model  of shapes.js
 * @param {string} dtype
 * @param {object} options
 * @param {number} options.rounds
 * @param {string} [options.directory]  heed's model, another than build/bench has: heed is measured alone
 * @param {any} [options.effort]  seconds and cases of compare()
 */
export async function run(model, dtype, { rounds, directory, effort }) {
  const folder = new URL(`../../build/bench/${model}/`, import.meta.url).href;
  const engines = [];
  const skipped = {};
  for (const simd of ['simd128', 'relaxed']) {
    try {
      engines.push(await heed(Transformer, directory ?? `${folder}${dtype}/`, { dtype, simd }));
    } catch (error) {
      if (!isLack(error)) throw error;
      skipped[`heed ${simd}`] = error.message;
    }
  }
  const { vocabulary } = MODELS[model];
  const web = directory ? null : await openOnnxruntime(folder, dtype, MODELS[model]);
  if (web) engines.push(web);
  const agree = web && engines[0].model ? await agreement(engines[0].model, web, vocabulary) : null;
  const results = await compare(engines, vocabulary, { rounds, ...effort });
  const host = navigator.userAgent.match(/Chrome\/\d+/)?.[0].replace('Chrome/', 'Chromium ') ?? navigator.userAgent;
  return { host, model, dtype, skipped, agree, results };
}
