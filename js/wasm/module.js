// module.js - finds the build of the module that suits this host, compiles it once, and creates instances. Used by all
// code that needs a core.

import { E_MEMORY, E_WASM } from '../base/constants.js';
import { HeedError, words } from '../base/errors.js';
import { builtin, resolve } from '../base/host.js';
import { builds } from '../builds.js';
import { Core } from './core.js';
import { hasSimd, relaxedDot } from './simd.js';

/** Compiled modules by address, for the next instance. @type {Map<string, Promise<WebAssembly.Module>>} */
const compiled = new Map();

/** @param {Awaited<ReturnType<typeof resolve>>} place @returns {Promise<WebAssembly.Module>} */
async function compile({ url, path }) {
  if (!url) return WebAssembly.compile(await (await builtin('fs/promises')).readFile(path));
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  // streaming requires exactly this type; some servers add a charset or do not know the type
  const headers = { 'content-type': 'application/wasm' };
  const isTyped = response.headers.get('content-type') === headers['content-type'];
  return WebAssembly.compileStreaming(isTyped ? response : new Response(response.body, { headers }));
}

/** A module from bytes, an address, or a module. @param {any} source @returns {Promise<WebAssembly.Module>} */
async function moduleFrom(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source !== 'string' && !(source instanceof URL)) return WebAssembly.compile(source);
  const at = await resolve(source);
  const key = at.path ?? at.url.href;
  const compiling = compiled.get(key) ?? compile(at);
  compiled.set(key, compiling);
  return compiling.catch((error) => {
    compiled.delete(key);
    throw new Error(`${key}: ${error.message}`, { cause: error });
  });
}

/**
 * The module to use: the given one, or the build that suits the host.
 *
 * @param {any} wasm
 * @param {string} simd
 */
async function chooseModule(wasm, simd, from = moduleFrom) {
  if (wasm !== undefined) return from(wasm);
  const dot = simd === 'simd128' ? 'none' : relaxedDot();
  if (simd === 'relaxed' || dot === 'pairs' || dot === 'fast') {
    try {
      return await from(await builds[dot === 'pairs' ? 'pairs' : 'relaxed']());
    } catch (error) {
      if (simd === 'relaxed') throw error; // else the other build does the same, more slowly
    }
  }
  return from(await builds.simd128());
}

/** @typedef {(from?: typeof moduleFrom) => Promise<WebAssembly.Module>} Choose  from: what else to compile with */

/**
 * An instance with a memory of its own.
 *
 * @param {Choose} choose
 * @returns {Promise<{ module: WebAssembly.Module, c: any, share?: import('./shared.js').Share }>}
 */
export async function openOwn(choose) {
  const module = await choose();
  return { module, c: (await WebAssembly.instantiate(module, {})).exports };
}

/**
 * Compile (once for each address) and make an instance. HEED_E_WASM: the module is not to be had, is not ours, is not
 * the build asked for, or the host lacks the SIMD it needs. HEED_E_MEMORY: there is no memory for an instance.
 *
 * @param {{ wasm?: string | URL | BufferSource | WebAssembly.Module, simd?: 'auto' | 'simd128' | 'relaxed' }} [options]
 * @param {typeof openOwn} [open]  in another memory: see shared.js
 * @returns {Promise<Core>}
 */
export async function instantiate({ wasm, simd = 'auto' } = {}, open = openOwn) {
  if (!['auto', 'simd128', 'relaxed'].includes(simd)) {
    throw new TypeError(`simd: found '${simd}', expected 'auto', 'simd128' or 'relaxed'`);
  }
  try {
    // Lockdown Mode of iOS has no WebAssembly at all
    const lacks = !hasSimd() ? (globalThis.WebAssembly ? ' 128-bit SIMD' : '')
      : simd === 'relaxed' && relaxedDot() === 'none' ? ' relaxed SIMD' : undefined;
    if (lacks !== undefined) {
      throw new HeedError(E_WASM, `this host lacks WebAssembly${lacks}`, { name: 'NotSupportedError' });
    }
    const { module, c, share } = await open((from) => chooseModule(wasm, simd, from));
    if (typeof c.heed_relaxed !== 'function') throw new Error('not the module of heed');
    c._initialize?.();
    const build = c.heed_relaxed() ? 'relaxed' : 'simd128';
    if (simd !== 'auto' && simd !== build) throw new Error(`simd: asked for '${simd}', the given module is '${build}'`);
    return new Core(c, build, module, share);
  } catch (/** @type {any} */ error) {
    if (error instanceof HeedError) throw error;
    const message = error.message.replace('\n', ''); // WebKit's has two lines
    // The messages of V8; below, those of Chromium, Firefox and WebKit.
    const isMemory = /out of memory/i.test(message);
    const hint = /unsafe-eval|by CSP/.test(message) ? ": add 'wasm-unsafe-eval' to script-src" : '';
    throw new HeedError(isMemory ? E_MEMORY : E_WASM, `heed.wasm: ${isMemory ? words(E_MEMORY) : message + hint}`,
      { cause: error });
  }
}
