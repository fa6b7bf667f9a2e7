// install.js - what heed costs to install and a page to download, beside @huggingface/transformers: both packages are
// installed by npm into empty projects. Run by itself; needs the npm registry, and 500 MB for a moment.
//
//     node tests/bench/install.js
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { heedScript, sizes } from './download.js';
import { machine, megabytes, table } from './table.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** An empty project with one package. @param {string} folder @param {string} what  for npm install */
async function install(folder, what) {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', what], { cwd: folder });
  const entries = await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const bytes = await Promise.all(files.map(async ({ parentPath, path, name }) =>
    (await stat(join(parentPath ?? path, name))).size));
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  return { bytes: bytes.reduce((sum, n) => sum + n, 0), packages: Object.keys(lock.packages).length - 1 };
}

const scratch = await mkdtemp(join(tmpdir(), 'heed-install-'));
try {
  const project = async (/** @type {string} */ name) => mkdtemp(join(scratch, name));
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
  const answer = JSON.parse((await run('npm', pack, { cwd: root })).stdout);
  const [{ filename }] = Array.isArray(answer) ? answer : Object.values(answer);
  const [ours, theirs] = [await project('heed'), await project('transformers')];
  const rows = [
    ['heed', await install(ours, join(scratch, filename)), await sizes([
      await heedScript(), await readFile(join(ours, 'node_modules/heed/build/js/heed.wasm')),
    ])],
    ['@huggingface/transformers', await install(theirs, '@huggingface/transformers'), await sizes(await Promise.all([
      '@huggingface/transformers/dist/transformers.web.min.js',
      'onnxruntime-web/dist/ort-wasm-simd-threaded.jsep.mjs', // what that file names
      'onnxruntime-web/dist/ort-wasm-simd-threaded.jsep.wasm',
    ].map((file) => readFile(join(theirs, 'node_modules', file)))))],
  ];
  console.log(machine());
  console.log(table(['package', 'packages', 'installed, MB', 'page, MB', 'page, brotli, MB'],
    rows.map(([name, { bytes, packages }, page]) =>
      [name, packages, megabytes(bytes), megabytes(page.raw), megabytes(page.brotli)])));
} finally {
  await rm(scratch, { recursive: true, force: true });
}
