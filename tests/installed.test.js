// installed.test.js - models by name: packages of heed and of a model, installed from their tarballs into an empty
// folder, are found by the command, by Translator.create(), and by a page that has them from another origin.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { reportOf } from './browser/hosts.js';
import { SHIPPED } from './model-files.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const MODEL = 'heed-model-de-en-es-fr';
const TEXT = 'Where is the nearest station?';

let scratch;
let app;
let expected;
/** Programs see no models but those of the test. @type {NodeJS.ProcessEnv} */
let env;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'heed-installed-'));
  env = { ...process.env, XDG_CACHE_HOME: join(scratch, 'cache') };
  app = join(scratch, 'app');
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{}'); // without it, npm installs into any node_modules above
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch],
    { cwd: root });
  const answer = JSON.parse(stdout);
  const { filename } = (Array.isArray(answer) ? answer : Object.values(answer))[0];
  const tarballs = [join(scratch, filename), join(root, `build/models/${MODEL}.tgz`)];
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: app });
  expected = (await run(process.execPath, [join(root, 'js/cli.js'), 'translate', '--model', SHIPPED, '--from', 'en',
    '--to', 'de', TEXT])).stdout;
});
after(() => rm(scratch, { recursive: true, force: true }));

/** @param {string} program @param {string} cwd */
async function runProgram(program, cwd) {
  await writeFile(join(cwd, 'program.mjs'), program);
  return (await run(process.execPath, ['program.mjs'], { cwd, env })).stdout;
}

test('npx heed translate, in a folder with the two packages and nothing else', async () => {
  const npx = (/** @type {string[]} */ ...args) => run('npx', ['--offline', 'heed', ...args], { cwd: app, env });
  assert.equal((await npx('translate', '--to', 'de', TEXT)).stdout, expected);
  const refused = await npx('translate', '--to', 'fi', TEXT).catch((error) => error);
  assert.equal(refused.code, 1);
  // npm may have something to say too
  assert.match(refused.stderr, /^heed: what is installed has no model from en to fi; --model names a model directory$/m);
});

test('Translator.create() finds an installed model from any folder below; without one, it says so', async () => {
  const program = `
    import { Translator } from 'heed';
    const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
    console.log(await Translator.availability(pair));
    const translator = await Translator.create(pair).catch((error) => error);
    console.log(translator.message ?? await translator.translate(${JSON.stringify(TEXT)}));
  `;
  const below = join(app, 'a/b');
  await mkdir(below, { recursive: true });
  assert.equal(await runProgram(program, below), `available\n${expected}`);

  // heed alone; then the model under a scope, with damaged packages beside it
  const alone = join(scratch, 'alone');
  await cp(join(app, 'node_modules/heed'), join(alone, 'node_modules/heed'), { recursive: true });
  assert.equal(await runProgram(program, alone), 'unavailable\nwhat is installed has no model from en to de\n');
  for (const [i, damaged] of ['no json', '[]', '{"models":5}', '{"models":[5,{"source":"en"}]}'].entries()) {
    const folder = join(alone, `node_modules/heed-model-${i}`);
    await mkdir(folder);
    await writeFile(join(folder, 'index.json'), damaged);
  }
  await cp(join(app, 'node_modules', MODEL), join(alone, 'node_modules/@scope', MODEL), { recursive: true });
  assert.equal(await runProgram(program, alone), `available\n${expected}`);
});

test('a model that is imported is found, wherever it is', async () => {
  const elsewhere = join(scratch, 'elsewhere');
  await mkdir(elsewhere);
  const of = (/** @type {string} */ path) => JSON.stringify(join(app, 'node_modules', path));
  const heed = join(scratch, 'heed-alone');
  await cp(join(app, 'node_modules/heed'), heed, { recursive: true });
  const program = (/** @type {string} */ more) => `
    import { Translator } from ${JSON.stringify(join(heed, 'build/js/index.js'))};
    ${more}
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' }).catch((e) => e);
    console.log(translator.message ?? await translator.translate(${JSON.stringify(TEXT)}));
  `;
  assert.match(await runProgram(program(''), elsewhere), /^what is installed has no model/);
  assert.equal(await runProgram(program(`import ${of(`${MODEL}/index.js`)};`), elsewhere), expected);
  // and its addresses are files for the option `model`
  assert.equal(await runProgram(`
    import { Translator } from ${JSON.stringify(join(heed, 'build/js/index.js'))};
    import { files as model } from ${of(`${MODEL}/index.js`)};
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
    console.log(await translator.translate(${JSON.stringify(TEXT)}));
  `, elsewhere), expected);
});

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json',
  '.wasm': 'application/wasm' };

test('a page with one script has both packages from another origin, its own worker, and the polyfill', async () => {
  /** What a CDN of npm's packages serves, for any page. @type {string[]} */
  const asked = [];
  const cdn = createServer(async (request, response) => {
    const path = String(request.url).replace(/^\/npm\//, '').split('?')[0];
    asked.push(path);
    const bytes = await readFile(join(app, 'node_modules', path)).catch(() => null);
    response.writeHead(bytes ? 200 : 404, {
      'access-control-allow-origin': '*', 'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    }).end(bytes);
  }).listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  const base = `http://127.0.0.1:${/** @type {any} */ (cdn.address()).port}/npm`;
  const page = `<!doctype html><title>heed</title><script type="module">
    const warned = [];
    console.warn = (...words) => warned.push(words.join(' '));
    const report = {};
    /** What a page for the browsers' API does. */
    async function unmodified() {
      const [{ detectedLanguage: sourceLanguage }] = await (await LanguageDetector.create()).detect('${TEXT}');
      const translator = await Translator.create({ sourceLanguage, targetLanguage: 'de' });
      return [sourceLanguage, await translator.translate('${TEXT}')];
    }
    try {
      const { Translator } = await import('${base}/heed/build/js/index.js');
      const { files } = await import('${base}/${MODEL}/index.js');
      const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
      report.before = await Translator.availability(pair);
      const translator = await Translator.create(pair);
      report.text = await translator.translate('${TEXT}');
      report.worker = translator.info.worker;
      report.after = await Translator.availability(pair);
      const named = await Translator.create({ ...pair, model: files });
      report.named = await named.translate('${TEXT}');

      // a browser that has the globals, then one that has not
      class Own {}
      const globals = ['Translator', 'LanguageDetector'];
      for (const name of globals) globalThis[name] = Own;
      await import('${base}/heed/build/js/polyfill.js?1');
      report.stay = globals.filter((name) => globalThis[name] === Own);
      for (const name of globals) delete globalThis[name];
      await import('${base}/heed/build/js/polyfill.js?2');
      report.unmodified = await unmodified();
    } catch (error) {
      report.error = String(error);
    }
    await fetch('/report', { method: 'POST', body: JSON.stringify({ ...report, warned }) });
  </script>`;
  /** @type {(report: any) => void} */
  let settle;
  const report = new Promise((resolve) => (settle = resolve));
  const own = createServer(async (request, response) => {
    if (request.url === '/report') settle(JSON.parse(await text(request)));
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  }).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const close = () => [own, cdn].forEach((server) => (server.closeAllConnections(), server.close()));
  const url = `http://127.0.0.1:${/** @type {any} */ (own.address()).port}/`;
  assert.deepEqual(await reportOf({ url, report, close }), {
    before: 'downloadable', text: expected.trim(), worker: true, after: 'available', named: expected.trim(), warned: [],
    stay: ['Translator', 'LanguageDetector'], unmodified: ['en', expected.trim()],
  });
  assert.equal(asked.filter((path) => path.endsWith('model.safetensors')).length, 1, 'kept for the second');
});
