// page.js - compares the engines on one model in a page; loaded by chromium.js.
import { Transformer } from '../../js/index.js';
import { heed, isLack, onnxruntime } from './engines.js';
import { agreement, compare } from './measure.js';
import * as ort from './node_modules/onnxruntime-web/dist/ort.wasm.min.mjs';
import { MODELS } from './shapes.js';

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

/** The same as node.js prints. */
export async function run(model, dtype, rounds) {
  const folder = new URL(`../../build/bench/${model}/`, import.meta.url).href;
  const { vocabulary } = MODELS[model];
  const engines = [];
  const skipped = {};
  for (const simd of ['simd128', 'relaxed']) {
    try {
      engines.push(await heed(Transformer, `${folder}${dtype}/`, { dtype, simd }));
    } catch (error) {
      if (!isLack(error)) throw error;
      skipped[`heed ${simd}`] = error.message;
    }
  }
  ort.env.wasm.numThreads = 1;
  const files = {
    encoder: await bytes(`${folder}onnx-${dtype}/encoder_model.onnx`),
    decoder: await bytes(`${folder}onnx-${dtype}/decoder_model_merged.onnx`),
  };
  const web = await onnxruntime(ort, 'onnxruntime-web', files, MODELS[model], { executionProviders: ['wasm'] });
  engines.push(web);
  const agree = engines[0].model ? await agreement(engines[0].model, web, vocabulary) : null;
  const results = await compare(engines, vocabulary, { rounds });
  const host = navigator.userAgent.match(/Chrome\/\d+/)?.[0].replace('Chrome/', 'Chromium ') ?? navigator.userAgent;
  return { host, model, dtype, skipped, agree, results };
}
