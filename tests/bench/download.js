// download.js - what a page downloads for each engine: scripts and wasm as a static host sends them, and the model;
// used by index.js and install.js.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { FOLDER } from './models.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ORT = ['ort.wasm.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'];

/** js/index.js and all it needs, minified as a bundler does it: onnxruntime-web comes minified too. */
export async function heedScript() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [here('../../js/index.js')],
    bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'error',
  });
  return outputFiles[0].contents;
}

/** Bytes of parts that are sent one by one: as they are, gzip -9, brotli -q 11. @param {Uint8Array[]} parts */
export async function sizes(parts) {
  let [raw, zipped, brotli] = [0, 0, 0];
  for (const part of parts) {
    raw += part.length;
    zipped += (await promisify(gzip)(part, { level: 9 })).length;
    brotli += (await promisify(brotliCompress)(part)).length;
  }
  return { raw, gzip: zipped, brotli };
}

/** Bytes of each engine: raw, gzip -9, brotli -q 11. */
export async function engineSizes() {
  const script = await heedScript();
  const heed = async (build) => sizes([script, await readFile(here(`../../js/${build}.wasm`))]);
  return {
    'heed simd128': await heed('heed'),
    'heed relaxed': await heed('heed-relaxed'),
    'onnxruntime-web': await sizes(await Promise.all(
      ORT.map((file) => readFile(here(`node_modules/onnxruntime-web/dist/${file}`))))),
  };
}

/** Bytes of a model's weights; random ones do not compress. */
export async function modelSizes(model, dtype) {
  const size = async (...path) => (await stat(join(FOLDER, model, ...path))).size;
  const onnx = `onnx-${dtype}`;
  return {
    heed: await size(dtype, 'model.safetensors'),
    'onnxruntime-web': await size(onnx, 'encoder_model.onnx') + await size(onnx, 'decoder_model_merged.onnx'),
  };
}
