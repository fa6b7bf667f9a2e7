// make-package.mjs - writes build/js, the scripts and modules that the package ships: those of js/ without comments, as
// they are in the declarations, and inline.js, which is all in one file for hosts without assets. Run by the Makefile.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const out = here('../build/js');

rmSync(out, { recursive: true, force: true });
// names stay: they are in the stack of an error
const smaller = { format: /** @type {const} */ ('esm'), target: 'es2022', minifyWhitespace: true };
for (const name of /** @type {string[]} */ (readdirSync(here('.'), { recursive: true }))) {
  const to = join(out, name);
  mkdirSync(dirname(to), { recursive: true });
  if (name.endsWith('.wasm')) copyFileSync(here(name), to);
  if (!name.endsWith('.js')) continue;
  const text = readFileSync(here(name), 'utf8');
  // comments that bundlers read are code
  writeFileSync(to, text.includes('webpackIgnore') ? text : (await transform(text, smaller)).code);
}

/** What stands in for builds.js. Zipped, as base64 takes a third more. @returns {string} */
function inlinedBuilds() {
  const packed = gzipSync(readFileSync(here('heed.wasm')), { level: 9 }).toString('base64');
  return `
    let module;
    async function unpack() {
      const zipped = Uint8Array.from(atob('${packed}'), (c) => c.charCodeAt(0));
      const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream('gzip'));
      return WebAssembly.compile(await new Response(stream).arrayBuffer());
    }
    export const builds = {
      simd128: () => (module ??= unpack()),
      relaxed: () => { throw new Error('heed/inline has the plain SIMD128 build only'); },
    };`;
}

/** What stands in for formats/open.js: code for files that few have, and that can be converted. */
const WITHOUT_FORMATS = `
  import { E_FILE } from './base/constants.js';
  import { HeedError } from './base/errors.js';
  export async function openContainer() {
    throw new HeedError(E_FILE, 'model.safetensors is missing: heed/inline reads no other weights; '
      + '"heed convert" makes it of them');
  }`;

/** What stands in for engine/remote.js: there is no file to make a worker of. */
const WITHOUT_WORKER = `
  export async function createRemote(_, { worker }) {
    if (worker !== undefined) throw new TypeError('worker: heed/inline has no worker');
  }`;

await build({
  entryPoints: [here('index.js')],
  outfile: join(out, 'inline.js'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'none',
  banner: { js: '/* heed, with its WebAssembly module: SPDX-License-Identifier: MIT */' },
  plugins: [{
    name: 'inlined builds',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]js[\\/]builds\.js$/ }, () => ({ contents: inlinedBuilds() }));
      onLoad({ filter: /[\\/]js[\\/]formats[\\/]open\.js$/ },
        () => ({ contents: WITHOUT_FORMATS, resolveDir: here('.') }));
      onLoad({ filter: /[\\/]js[\\/]engine[\\/]remote\.js$/ }, () => ({ contents: WITHOUT_WORKER }));
    },
  }],
});
