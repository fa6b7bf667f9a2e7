// examples.test.js - every program of web/examples does what it says.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Translator } from '../js/index.js';
import { reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { SHIPPED } from './model-files.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const examples = join(root, 'web/examples');

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
const SENTENCE = 'The house at the end of the street is very old.';
const expected = await translator.translate(SENTENCE);

/** Added to a page: tells the server what the page shows in the end. */
const WATCH = `
  const target = document.querySelector('#target');
  const report = (body) => fetch('report', { method: 'POST', body: JSON.stringify(body) });
  addEventListener('error', (event) => report({ error: event.message }));
  addEventListener('unhandledrejection', (event) => report({ error: String(event.reason) }));
  new MutationObserver(() => report({ text: target.textContent })).observe(target, { childList: true });
`;

/** What the page in a folder shows. @param {string} folder */
async function show(folder) {
  return reportOf(await serve({ folders: { 'web/examples/page/': folder }, page: 'web/examples/page/index.html' }));
}

/** A copy of a page that reports. @param {string} from @param {import('node:test').TestContext} t */
async function copy(from, t) {
  const folder = await mkdtemp(join(tmpdir(), 'heed-example-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(from, folder, { recursive: true });
  await writeFile(join(folder, 'watch.js'), WATCH);
  const page = join(folder, 'index.html');
  const html = await readFile(page, 'utf8');
  await writeFile(page, html.replace('<script', '<script type="module" src="./watch.js"></script>\n<script'));
  return folder;
}

for (const name of ['page', 'worker']) {
  test(`${name}: shows the translation`, async (t) => {
    assert.deepEqual(await show(await copy(join(examples, name), t)), { text: expected });
  });
}

test('vite: built, it shows the translation', async (t) => {
  let vite;
  try {
    vite = createRequire(join(root, 'tests/bundlers/package.json')).resolve('vite');
  } catch {
    return t.skip('Vite is not installed in tests/bundlers (.ci/setup bundlers)');
  }
  const folder = await copy(join(examples, 'vite'), t);
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/heed'));
  await cp(SHIPPED, join(folder, 'public/de-en-es-fr'), { recursive: true });
  const { build } = await import(pathToFileURL(vite).href);
  await build({ root: folder, base: './', logLevel: 'error', build: { target: 'es2022' } });
  assert.deepEqual(await show(join(folder, 'dist')), { text: expected });
});

test('translate.js: translates its sentences', async () => {
  const { stdout } = await run(process.execPath, [join(examples, 'translate.js'), SENTENCE]);
  assert.match(stdout, /tokens per second/);
  assert.ok(stdout.includes(`en  ${SENTENCE}\nde  ${expected}\n`));
});

test('parallel.sh: lines in order', async (t) => {
  if (await run('parallel', ['--version']).then(() => false, () => true)) {
    return t.skip('GNU parallel is not installed');
  }
  const lines = Array.from({ length: 1100 }, (_, i) => (i % 100 === 0 ? SENTENCE : ''));
  const child = execFile(join(examples, 'parallel.sh'), ['--model', SHIPPED, '--from', 'en', '--to', 'de']);
  child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  let stdout = '';
  for await (const chunk of /** @type {any} */ (child.stdout)) stdout += chunk;
  assert.equal(stdout, lines.map((line) => `${line && expected}\n`).join(''));
});

test.after(() => translator.destroy());
