// build.js - puts the extension together in build/extension, from the files of the package and a model. Run by
// `make extension`; a folder as argument: put it there.
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const root = path('../../../');

/** @param {string} out  is emptied */
export async function buildExtension(out) {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'heed'), { recursive: true });
  for (const name of ['manifest.json', 'background.js', 'options.html', 'options.js']) {
    await cp(path(name), join(out, name));
  }
  await cp(join(root, 'build/js/inline.js'), join(out, 'heed/inline.js'));
  await cp(join(root, 'models/de-en-es-fr'), join(out, 'model'), { recursive: true });
  await cp(join(root, 'LICENSE'), join(out, 'LICENSE'));
  // a script in a page has no modules
  await build({
    entryPoints: [path('content.js')], outfile: join(out, 'content.js'), bundle: true, format: 'iife', target: 'es2022',
    charset: 'utf8', alias: { 'heed/dom': join(root, 'build/js/dom.js') },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildExtension(process.argv[2] ?? join(root, 'build/extension'));
}
