// builds.js - what is loaded by its own address, beside this file: the two builds of the module, and the worker. Used
// by wasm/module.js and engine/remote.js. It stands beside the doors because a bundle and the files that are copied beside
// it find each other by these very forms. heed/inline has a file of its own in place of this one.

export const builds = {
  /** @type {() => URL | Promise<WebAssembly.Module>} */
  simd128: () => new URL('./heed.wasm', import.meta.url),
  /** @type {() => URL | Promise<WebAssembly.Module>} */
  relaxed: () => new URL('./heed-relaxed.wasm', import.meta.url),
  /** Of a page. @type {() => Worker} */
  worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  /** Of Node, whose worker_threads take the address. */
  workerAddress: () => import.meta.url.replace(/[^/]*$/, 'worker.js'),
};
