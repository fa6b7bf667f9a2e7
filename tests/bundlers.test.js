// bundlers.test.js - the packed package as people use it: installed into a fresh project, bundled by each bundler and
// run in Chromium below a path under a strict policy, run by each Node, compiled against in TypeScript.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FIXTURE_PATH } from './browser/fixture.js';
import { NODES, otherNode, reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const tools = join(root, 'tests/bundlers');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const model = join(root, FIXTURE_PATH);
const require = createRequire(join(tools, 'package.json'));
/** A tool of tests/bundlers. @param {string} name */
const tool = (name) => import(pathToFileURL(require.resolve(name)).href);

const missing = await access(join(tools, 'node_modules')).then(() => false, () => true);
const skip = missing && 'the bundlers are not installed in tests/bundlers (.ci/setup bundlers)';

let scratch;
let app;
let tarball;
let expected;
before(async () => {
  if (skip) return;
  scratch = await mkdtemp(join(tmpdir(), 'heed-bundlers-'));
  // --ignore-scripts: the wasm modules and the types are built already, by `make test`
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch],
    { cwd: root });
  const answer = JSON.parse(stdout);
  const [packed] = Array.isArray(answer) ? answer : Object.values(answer);
  tarball = join(scratch, packed.filename);
  app = join(scratch, 'app');
  await mkdir(app);
  await cp(join(tools, 'app'), app, { recursive: true });
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  const models = join(root, 'build/models/heed-model-de-en-es-fr.tgz');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball, models], { cwd: app });
  await writeFile(join(app, 'node.js'), `
    import { Translator } from 'heed';
    const model = ${JSON.stringify(model)};
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
    console.log(await translator.translate('The house is small.'));
    translator.destroy();
  `);
  expected = (await run(process.execPath, ['node.js'], { cwd: app })).stdout.trim();
});
after(() => scratch && rm(scratch, { recursive: true, force: true }));

/** What the page in a folder reports. @param {string} folder */
async function openFolder(folder) {
  return reportOf(await serve({ folders: { 'app/': folder }, page: 'app/index.html' }));
}

/** @param {any} report @param {boolean} [inWorker] */
function check({ error, text, worker, violations }, inWorker = true) {
  assert.equal(error, undefined);
  assert.deepEqual(violations, []);
  assert.equal(text, expected);
  assert.equal(worker, inWorker, 'worker');
}

/** index.html beside what was bundled. @param {string} out @param {string} from */
const addPage = (out, from) => cp(join(from, 'index.html'), join(out, 'index.html'));

/** A program with a worker of its own, which does no more for heed than `import 'heed/worker'`. */
const own = () => join(app, 'own');

/** What esbuild and Rollup leave to the user: the files that are loaded by their own address. @param {string} out */
async function addModules(out) {
  for (const name of ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm']) {
    await cp(join(app, 'node_modules/heed/build/js', name), join(out, name));
  }
}

/** How each bundles the folder `from`. @type {Record<string, (out: string, from: string) => Promise<void>>} */
const BUNDLERS = {
  async 'Vite, production'(out, from) {
    const { build } = await tool('vite');
    await build({ root: from, base: './', logLevel: 'error',
      build: { outDir: out, emptyOutDir: true, target: 'es2022' } });
  },
  async 'webpack 5, production'(out, from) {
    await webpack(out, from, 'production');
  },
  async 'webpack 5, development'(out, from) {
    await webpack(out, from, 'development');
  },
  async esbuild(out, from) {
    const { build } = await import('esbuild');
    const { warnings } = await build({
      absWorkingDir: from, bundle: true, minify: true, splitting: true, format: 'esm', target: 'es2022', outdir: out,
      entryPoints: { main: './main.js', ...(from === own() ? { own: './own.js' } : { worker: 'heed/worker' }) },
      logLevel: 'silent',
    });
    assert.deepEqual(warnings, []);
    await addModules(out);
    await addPage(out, from);
  },
  // for hosts that know neither modules nor other files: nothing is beside the script
  async 'esbuild, one classic script of heed/inline'(out) {
    const { build } = await import('esbuild');
    const { warnings } = await build({
      absWorkingDir: app, entryPoints: ['main.js'], bundle: true, format: 'iife', target: 'es2022', outdir: out,
      alias: { heed: 'heed/inline' }, logLevel: 'error',
    });
    assert.deepEqual(warnings, []);
    await addPage(out, app);
  },
  async Rollup(out, from) {
    const { rollup } = await tool('rollup');
    const { default: resolve } = await tool('@rollup/plugin-node-resolve');
    const bundle = await rollup({
      input: {
        main: join(from, 'main.js'),
        ...(from === own()
          ? { own: join(from, 'own.js') }
          : { worker: join(app, 'node_modules/heed/build/js/worker.js') }),
      },
      plugins: [resolve({ browser: true })],
      onwarn: (warning) => assert.fail(warning.message),
    });
    await bundle.write({ dir: out, format: 'es' });
    await bundle.close();
    await addModules(out);
    await addPage(out, from);
  },
};

/** @param {string} out @param {string} from @param {'production' | 'development'} mode */
async function webpack(out, from, mode) {
  const { default: pack } = await tool('webpack');
  const compiler = pack({
    // once is enough: minifying is most of the time, and what is left of a program is decided before
    optimization: { minimize: mode === 'production' && from === app },
    mode, context: from, entry: { main: './main.js' }, devtool: mode === 'development' && 'source-map',
    output: { path: out, module: true, filename: '[name].js', publicPath: 'auto' },
    experiments: { outputModule: true },
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  await promisify(compiler.close.bind(compiler))();
  assert.deepEqual(stats.toJson({ errors: true, warnings: true }).errors.map(({ message }) => message), []);
  await addPage(out, from);
}

for (const [name, bundle] of Object.entries(BUNDLERS)) {
  test(`${name}: bundled, it translates in Chromium`, { skip }, async () => {
    const out = join(scratch, name.replace(/\W+/g, '-'));
    await bundle(out, app);
    check(await openFolder(out), !name.includes('inline'));
  });
  if (name.includes('inline')) continue;
  test(`${name}: a bare import of 'heed/worker' stays, and serves a Translator in Chromium`, { skip }, async () => {
    const out = join(scratch, `own-${name.replace(/\W+/g, '-')}`);
    await bundle(out, own());
    const report = await openFolder(out);
    check(report);
    assert.equal(report.answer, 'own: hello');
  });
}

for (const name of ['Vite, production', 'webpack 5, production', 'esbuild', 'Rollup']) {
  test(`${name}: an installed model is taken along or copied, and found in Chromium`, { skip }, async () => {
    const out = join(scratch, `installed-${name.replace(/\W+/g, '-')}`);
    await BUNDLERS[name](out, join(app, 'installed'));
    if (!/^Vite|^webpack/.test(name)) {
      const folder = join(app, 'node_modules/heed-model-de-en-es-fr');
      const files = (await readdir(folder)).filter((file) => /\.(json|safetensors|spm|bin)$/.test(file));
      for (const file of files) await cp(join(folder, file), join(out, file));
    }
    check(await openFolder(out));
  });
}

test('Vite, development: served, it translates in Chromium', { skip }, async () => {
  const { createServer } = await tool('vite');
  const server = await serve();
  const { origin, pathname } = new URL('../../', server.url);
  // the page's requests for the model and its report go to our server, as they would to one's own in development
  const vite = await createServer({
    root: app, logLevel: 'error', cacheDir: join(scratch, 'vite'), server: {
      port: 0, proxy: Object.fromEntries(['/report', '/models'].map((path) => [path, {
        target: origin, rewrite: (/** @type {string} */ rest) => pathname.replace(/\/$/, '') + rest,
      }])),
    },
  });
  try {
    await vite.listen();
    check(await reportOf(server, { url: String(vite.resolvedUrls?.local[0]) }));
  } finally {
    await vite.close();
  }
});

/** What an extension reports. @param {(manifest: any) => void} [change]  to its manifest */
async function openExtension(change) {
  const extension = await mkdtemp(join(scratch, 'extension-'));
  await cp(join(tools, 'extension'), extension, { recursive: true });
  await cp(join(app, 'node_modules/heed'), join(extension, 'heed'), { recursive: true });
  await cp(model, join(extension, 'de-en-es-fr'), { recursive: true });
  const server = await serve();
  await writeFile(join(extension, 'server.js'), `export const server = '${new URL('report', server.url)}';\n`);
  const path = join(extension, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  change?.(manifest);
  await writeFile(path, JSON.stringify(manifest));
  const flags = [`--load-extension=${extension}`, `--disable-extensions-except=${extension}`];
  return reportOf(server, { url: 'about:blank', flags });
}

test('the service worker of an extension (Manifest V3): heed/inline', { skip }, async () => {
  check(await openExtension(), false);
});

test('under the default policy of extensions, which forbids WebAssembly, the error says so', { skip }, async () => {
  const { error } = await openExtension((manifest) => delete manifest.content_security_policy);
  assert.match(error, /^HeedError: heed\.wasm: .*Content Security Policy/);
});

for (const name of NODES) {
  test(`Node, ${name}: installed, it translates`, { skip }, async (t) => {
    const node = await otherNode(t, name);
    if (node) assert.equal(await node(['node.js'], { cwd: app }), expected);
  });
}

for (const [moduleResolution, module] of [['bundler', 'es2022'], ['nodenext', 'nodenext']]) {
  test(`TypeScript, strict, moduleResolution ${moduleResolution}`, { skip }, async () => {
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({
      compilerOptions: {
        strict: true, noEmit: true, module, moduleResolution, target: 'es2022', types: [], skipLibCheck: false,
        lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
      },
      files: ['program.ts'],
    }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', app])
      .catch(({ stdout }) => assert.fail(stdout));
  });
}

test('attw finds nothing wrong with the types', { skip }, async () => {
  const attw = join(tools, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  await run(process.execPath, [attw, '--profile', 'esm-only', '--no-color', tarball,
    // files, not modules
    '--exclude-entrypoints', ...Object.keys(manifest.exports).filter((name) => name.endsWith('.wasm'))])
    .catch(({ stdout }) => assert.fail(stdout));
});
