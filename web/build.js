// build.js - builds the page as a folder for any static server and any path: `make web`.
//
//   node web/build.js [FOLDER]     default: build/site
//
// All scripts are in one folder, because they import each other, the modules and the style sheets by './name'.

import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { writeChunks } from './chunks.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = (/** @type {string} */ path) => join(root, path);
const COPIED = [
  'web/icon.svg', 'web/manifest.webmanifest', 'js/heed.wasm', 'js/heed-relaxed.wasm', 'js/heed-pairs.wasm',
  'js/heed-train.wasm',
];
const SHEETS = ['web/style.css', 'web/see/see.css', 'web/learn/learn.css'];
/** The file of each meta element in the built folder. */
const PLACES = { 'heed-models': 'models/index.json', 'heed-offline': 'sw.js' };

/** Build the page into a folder, which is emptied first. @param {string} folder */
export async function buildSite(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const common = /** @type {import('esbuild').BuildOptions} */ ({
    bundle: true, minify: true, outdir: folder, target: 'es2022', logLevel: 'warning',
  });
  const modules = /** @type {import('esbuild').BuildOptions} */ ({ ...common, format: 'esm', absWorkingDir: root });
  const chunks = await build({
    ...modules,
    // chunks.js minifies the names, once it has put chunks together
    minify: false, minifySyntax: true, minifyWhitespace: true,
    entryPoints: ['web/app.js', 'js/worker.js', 'web/learn/train-worker.js', 'web/translate/guess-worker.js'].map(from),
    entryNames: '[name]',
    splitting: true,
    metafile: true,
    write: false,
  });
  const written = await writeChunks(chunks, modules);
  await build({ ...common, entryPoints: SHEETS.map(from), entryNames: '[name]' });
  for (const path of COPIED) await cp(from(path), join(folder, path.replace(/^\w+\//, '')));

  let page = await readFile(from('web/index.html'), 'utf8');
  for (const [name, place] of Object.entries(PLACES)) {
    const element = new RegExp(`(<meta name="${name}" content=")[^"]*`);
    if (!element.test(page)) throw new Error(`web/index.html has no <meta name="${name}">`);
    page = page.replace(element, `$1${place}`);
  }
  await writeFile(join(folder, 'index.html'), page);

  const { models } = JSON.parse(await readFile(from('models/index.json'), 'utf8'));
  await mkdir(join(folder, 'models'));
  await cp(from('models/index.json'), join(folder, 'models/index.json'));
  const files = (await readdir(folder)).filter((name) => name !== 'models');
  files.push('models/index.json');
  for (const path of new Set(models.map((/** @type {{ path: string }} */ entry) => entry.path))) {
    await cp(from(join('models', path)), join(folder, 'models', path), { recursive: true });
    files.push(posix.join('models', path, 'heed.json'));
  }
  files.sort();
  const version = createHash('sha256');
  for (const name of files) version.update(name).update(await readFile(join(folder, name)));
  await build({
    ...common,
    entryPoints: [from('web/sw.js')],
    define: {
      VERSION: JSON.stringify(version.digest('hex').slice(0, 16)),
      FILES: JSON.stringify(['', ...files.filter((name) => name !== 'index.html')]),
    },
  });
  const scripts = written.map((path) => resolve(root, path));
  return { scripts: [...scripts, join(folder, 'sw.js')] };
}

/** Bytes of scripts as a server sends them. @param {string[]} scripts */
export async function gzipSizes(scripts) {
  const sizes = await Promise.all(scripts.map(async (path) => gzipSync(await readFile(path), { level: 9 }).length));
  return Object.fromEntries(scripts.map((path, i) => [path.slice(dirname(path).length + 1), sizes[i]]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? from('build/site'));
  const { scripts } = await buildSite(folder);
  const sizes = await gzipSizes(scripts);
  const total = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  console.log(`${folder}: scripts ${total} bytes after gzip`);
}
