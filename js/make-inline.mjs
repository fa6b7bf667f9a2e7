// make-inline.mjs - writes js/inline.js, which is all of heed in one file, the module too: for hosts without assets.
// Run by the Makefile.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

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
      worker: () => { throw new Error('heed/inline has no worker'); },
      workerAddress: () => { throw new Error('heed/inline has no worker'); },
    };`;
}

await build({
  entryPoints: [here('index.js')],
  outfile: here('inline.js'),
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
    },
  }],
});
