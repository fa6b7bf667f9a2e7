// builds.js - where the two builds of the module are: beside this file; used by wasm.js. heed/inline has a file of its own
// in place of this one.

/** @type {Record<'simd128' | 'relaxed', () => URL | Promise<WebAssembly.Module>>} */
export const builds = {
  simd128: () => new URL('./heed.wasm', import.meta.url),
  relaxed: () => new URL('./heed-relaxed.wasm', import.meta.url),
};
