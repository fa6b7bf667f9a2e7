// examples.test.js - every program of web/examples does what it says.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Translator } from '../js/index.js';
import { needBrowser, reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { watchPage } from './browser/watched.js';
import { SHIPPED } from './model-files.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const examples = join(root, 'web/examples');

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
const SENTENCE = 'The house at the end of the street is very old.';
const expected = await translator.translate(SENTENCE);

const WORDS = ['house', 'dog', 'train', 'letter', 'question', 'summer', 'cat', 'book', 'car', 'tree', 'door', 'table',
  'street', 'water', 'friend', 'city', 'river', 'night', 'day', 'hand'];

/** What the page in a folder shows. @param {string} folder @param {import('./browser/hosts.js').Kind} [kind] */
async function show(folder, kind) {
  const server = await serve({ folders: { 'web/examples/page/': folder }, page: 'web/examples/page/index.html' });
  return reportOf(server, { kind });
}

/** A copy of a page that reports. @param {string} from @param {import('node:test').TestContext} t */
async function copy(from, t) {
  const folder = await mkdtemp(join(tmpdir(), 'heed-example-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(from, folder, { recursive: true });
  await watchPage(folder);
  return folder;
}

// docs.test.js opens them in Chromium, where the documentation links to them
for (const name of ['page', 'worker', 'attention']) {
  test(`${name}: shows the translation in Firefox`, async (t) => {
    if (!needBrowser('firefox', t)) return;
    assert.deepEqual(await show(await copy(join(examples, name), t), 'firefox'), { text: expected });
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

test('server.js: answers simultaneous requests, and a client that leaves does no harm', async (t) => {
  const server = spawn(process.execPath, [join(examples, 'server.js'), '0']);
  t.after(() => server.kill());
  const [line] = await once(server.stdout, 'data');
  const address = `${String(line).trim()}/translate`;
  const post = (/** @type {string} */ body, /** @type {RequestInit} */ more = {}) =>
    fetch(address, { method: 'POST', body, ...more });
  const controller = new AbortController();
  const { body: left } = await post(`${SENTENCE} `.repeat(200), { signal: controller.signal });
  const answers = [SENTENCE, '', SENTENCE].map(async (body) => (await post(body)).text());
  const reader = left?.getReader();
  await reader?.read(); // it has begun
  controller.abort();
  await assert.rejects(async () => { while (!(await reader?.read())?.done); }, { name: 'AbortError' });
  assert.deepEqual(await Promise.all(answers), [expected, '', expected]);
  assert.equal((await fetch(address)).status, 404);
});

test('fine-tune.js: learns a word, and the directory that it writes translates', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'heed-tuned-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { stdout } = await run(process.execPath, [join(examples, 'fine-tune.js'), '20', folder]);
  const losses = [...stdout.matchAll(/loss ([\d.]+)/g)].map(([, loss]) => Number(loss));
  assert.equal(losses.length, 20);
  // dropout moves the loss of a step by a tenth
  assert.ok(losses[19] < losses[0] - 1, losses.join(' '));
  const tuned = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: folder });
  assert.equal(await tuned.translate('My widget is very old.'), stdout.trim().split('\n').at(-1));
  tuned.destroy();
});

test('react: built, it shows the translation', async (t) => {
  let vite;
  try {
    const require = createRequire(join(root, 'tests/bundlers/package.json'));
    vite = require.resolve('vite');
    require.resolve('react-dom');
  } catch {
    return t.skip('Vite or React is not installed in tests/bundlers (.ci/setup bundlers)');
  }
  const folder = await copy(join(examples, 'react'), t);
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/heed'));
  for (const name of ['react', 'react-dom', 'scheduler']) {
    await symlink(join(root, 'tests/bundlers/node_modules', name), join(folder, 'node_modules', name));
  }
  await cp(SHIPPED, join(folder, 'public/de-en-es-fr'), { recursive: true });
  const { build } = await import(pathToFileURL(vite).href);
  await build({ root: folder, base: './', logLevel: 'error', build: { target: 'es2022' } });
  assert.deepEqual(await show(join(folder, 'dist')), { text: expected });
});

test('parallel.sh: lines in order', async (t) => {
  if (await run('parallel', ['--version']).then(() => false, () => true)) {
    return t.skip('GNU parallel is not installed');
  }
  // a tiny model, in which all these lines take as long as a few in the shipped one
  const model = fileURLToPath(new URL('golden/firefox/tiny-float', import.meta.url));
  const tiny = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
  t.after(() => tiny.destroy());
  const texts = ['', ...['The', 'A', 'My'].flatMap((first) => WORDS.map((word) => `${first} ${word}.`))];
  const answers = await tiny.translate(texts);
  assert.ok(new Set(answers).size > 20, answers.join('|'));
  // no chunk of 500 begins as one of the 60 after it
  const lines = Array.from({ length: Number(process.env.LINES ?? 1100) }, (_, i) => i % texts.length);
  const child = execFile(join(examples, 'parallel.sh'), ['--model', model, '--from', 'en', '--to', 'de'],
    { maxBuffer: 1 << 28 });
  child.stdin?.end(lines.map((i) => `${texts[i]}\n`).join(''));
  let stdout = '';
  for await (const chunk of /** @type {any} */ (child.stdout)) stdout += chunk;
  assert.equal(stdout, lines.map((i) => `${answers[i]}\n`).join(''));
});

test.after(() => translator.destroy());
