// builds.js - files that are loaded by their own address, next to this file: the builds of the module, and the
// worker. Used by wasm/module.js and engine/engine.js. It must be in js/, because bundlers find these files by exactly
// these expressions. heed/inline replaces this file by another one.

export const builds = {
  /** @type {() => URL | Promise<WebAssembly.Module>} */
  simd128: () => new URL('./heed.wasm', import.meta.url),
  /** @type {() => URL | Promise<WebAssembly.Module>} */
  relaxed: () => new URL('./heed-relaxed.wasm', import.meta.url),
  /** As relaxed, where its dot product is several instructions. @type {() => URL | Promise<WebAssembly.Module>} */
  pairs: () => new URL('./heed-pairs.wasm', import.meta.url),
  /** The worker of a page. @type {() => Worker} */
  worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  /** The worker of Node: worker_threads take its address. */
  workerAddress: () => import.meta.url.replace(/[^/]*$/, 'worker.js'),
};
