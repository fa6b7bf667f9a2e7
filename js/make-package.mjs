// make-package.mjs - writes build/js, the scripts and modules that the package ships: those of js/ without comments, as
// they are in the declarations, and inline.js, which is all in one file for hosts without assets. Run by the Makefile.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const out = here('../build/js');

/** Scripts that import a library, with the packages whose code they then have. @type {Record<string, string[]>} */
const LIBRARIES = {
  'detect/eld.js': ['eld'],
  'documents/lezer.js': ['@lezer/markdown', '@lezer/common', '@lezer/highlight'],
  'documents/messageformat.js': ['@messageformat/parser', 'moo'],
  'documents/saxes.js': ['saxes', 'xmlchars'],
  'text/parse5.js': ['parse5', 'entities'],
};

rmSync(out, { recursive: true, force: true });
// names stay: they are in the stack of an error
const smaller = {
  format: /** @type {const} */ ('esm'), target: 'es2022', minifyWhitespace: true, minifySyntax: true,
};
for (const name of /** @type {string[]} */ (readdirSync(here('.'), { recursive: true }))) {
  const to = join(out, name);
  mkdirSync(dirname(to), { recursive: true });
  if (name.endsWith('.wasm')) copyFileSync(here(name), to);
  if (!name.endsWith('.js')) continue;
  const text = readFileSync(here(name), 'utf8');
  // comments that bundlers read are code
  writeFileSync(to, text.includes('webpackIgnore') ? text : (await transform(text, smaller)).code);
}
// the package has no dependencies: libraries are in the files that import them
for (const [name, packages] of Object.entries(LIBRARIES)) {
  const [, dir, library] = /** @type {RegExpExecArray} */ (/^(.*)\/(.*)\.js$/.exec(name));
  await build({
    entryPoints: [here(name)], outfile: join(out, name), allowOverwrite: true, bundle: true, minify: true,
    format: 'esm', target: 'es2022', charset: 'utf8',
    banner: { js: `/* See LICENSE-${library}.txt beside this file. */` },
    plugins: [{
      name: 'no downloads',
      // eld makes a file for a page to save, which heed has no use for
      setup: ({ onLoad }) => onLoad({ filter: /saveLanguageSubset/ }, () => ({
        contents: 'export const saveLanguageSubset = {}',
      })),
    }],
  });
  const licenses = packages.map((each) => {
    // a package without the text of its licence has it beside our file
    const own = here(`${dir}/LICENSE-${each}.txt`);
    return readFileSync(existsSync(own) ? own : here(`../node_modules/${each}/LICENSE`), 'utf8');
  });
  writeFileSync(join(out, dir, `LICENSE-${library}.txt`), licenses.join('\n'));
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
      pairs: () => builds.relaxed(),
    };`;
}

/** What stands in for formats/open.js: code for files that few have, and that can be converted. */
const WITHOUT_FORMATS = `
  import { E_FILE } from './base/constants.js';
  import { HeedError } from './base/errors.js';
  export async function openContainer() {
    throw new HeedError(E_FILE, 'model.safetensors is missing: heed/inline reads no other weights; '
      + '"heed convert" makes it of them');
  }
  export async function adaptDirectory(files) {
    await files.read('config.json'); // says that it is missing
    return files;
  }`;

/** What stands in for detect/probabilities.js: its library is ten times the rest. */
const WITHOUT_LANGUAGES = `
  throw new DOMException('heed/inline has no LanguageDetector', 'NotSupportedError');`;

/** What stands in for engine/remote.js: there is no file to make a worker of. */
const WITHOUT_WORKER = `
  export async function createRemote(_, { worker, workers }) {
    if ((worker ?? workers) !== undefined) throw new TypeError('worker: heed/inline has no worker');
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
      onLoad({ filter: /[\\/]js[\\/]detect[\\/]probabilities\.js$/ }, () => ({ contents: WITHOUT_LANGUAGES }));
      onLoad({ filter: /[\\/]js[\\/]engine[\\/]remote\.js$/ }, () => ({ contents: WITHOUT_WORKER }));
    },
  }],
});
