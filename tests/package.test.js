// What a user downloads: the content of the npm package, its sizes, and that it works once installed.
import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { FIXTURE_PATH } from './browser/fixture.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const wasmLimit = 60_000; // bytes of each module after brotli
/** Bytes of the library's JavaScript, minified, after gzip: with the engine, and in a page that has it in a worker. */
const scriptLimits = { translating: 22_350, 'beside a worker': 9750 };
/** Of what is loaded when it is asked for, by a file of each chunk; some bytes vary, as chunks are named by hashes. */
const chunkLimits = {
  'model/ops': 2000, 'engine/remote': 2430, 'engine/growing': 560, 'engine/grow': 1100,
  'engine/several': 900, 'engine/pool': 2150, 'translate/detail': 1950, 'model/inspect': 1300,
  'files/download': 2200,
  'translate/progress': 600, 'files/local': 650, 'text/cut': 900, 'text/abbreviations': 2300, 'text/last-marks': 900,
  'text/stand-in': 750,
  'formats/open': 4500,
  'translate/glossary': 5500,
  'translate/lookup': 1700, 'translate/pivot': 3410, 'formats/zip': 2500, 'formats/marian': 6000,
  'formats/directory': 2000, 'files/zstd': 5000, 'translate/html': 44_250, 'translate/passing': 600,
};
/** Bytes of the tarball: 450,000 are the library of languages, 200,000 the modules, 130,000 the parsers; no models. */
const packageLimit = 1_252_000;

let scratch;
let packed;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'heed-package-'));
  // --ignore-scripts: the wasm module and the types are built already, by `make test`
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
  const { stdout } = await run('npm', pack, { cwd: root });
  const answer = JSON.parse(stdout);
  [packed] = Array.isArray(answer) ? answer : Object.values(answer);
});
after(() => rm(scratch, { recursive: true, force: true }));

/** The library as a bundler ships it. */
async function bundle(options = {}) {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [join(root, 'js/index.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    outdir: scratch,
    logLevel: 'silent',
    ...options,
  });
  return { ...result, code: result.outputFiles[0].contents };
}

test('there are no runtime dependencies', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies']) {
    assert.equal(manifest[kind], undefined, kind);
  }
});

test('package-lock.json names no registry', async () => {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  assert.equal(lock.version, manifest.version);
  assert.deepEqual(Object.entries(lock.packages).filter(([, p]) => p.resolved).map(([name]) => name), []);
});

test('every exported path exists, and types come first', async () => {
  for (const [name, target] of Object.entries(manifest.exports)) {
    const paths = typeof target === 'string' ? [target] : Object.values(target);
    if (typeof target !== 'string') assert.equal(Object.keys(target)[0], 'types', name);
    for (const path of paths) assert.ok((await stat(join(root, path))).isFile(), `${name}: ${path}`);
  }
  assert.match(await readFile(join(root, manifest.bin.heed), 'utf8'), /^#!\/usr\/bin\/env node\n/);
});

test('the tarball holds the library and nothing else', () => {
  const allowed = new RegExp([
    /build\/js\/([\w-]+\/)?[\w-]+\.(js|wasm)/, /build\/types\/[\w/-]+\.d\.ts/, /package\.json/,
    /(README|CHANGELOG)\.md/, /LICENSE/,
    /build\/js\/(detect\/LICENSE-eld|documents\/LICENSE-(lezer|messageformat|saxes)|text\/LICENSE-parse5)\.txt/,
  ].map(({ source }) => `^${source}$`).join('|'));
  const paths = packed.files.map(({ path }) => path);
  assert.deepEqual(paths.filter((path) => !allowed.test(path)), []);
  for (const path of ['build/js/index.js', 'build/js/ops.js', 'build/js/cli.js', 'build/js/heed.wasm',
    'build/js/heed-relaxed.wasm', 'build/js/heed-pairs.wasm', 'build/types/index.d.ts', 'README.md', 'LICENSE',
    'CHANGELOG.md']) {
    assert.ok(paths.includes(path), `${path} is in the tarball`);
  }
});

test('sizes stay within their limits', async (t) => {
  for (const name of ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm']) {
    const wasm = await readFile(join(root, 'js', name));
    const compressed = brotliCompressSync(wasm, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length } }).length;
    t.diagnostic(`${name}: ${wasm.length} bytes, ${compressed} after brotli`);
    assert.ok(compressed <= wasmLimit, `${name}: ${compressed} bytes after brotli, limit ${wasmLimit}`);
  }

  // what `import { Translator } from 'heed'` brings into a page, in one file, and what it loads when it is asked for
  const later = {
    name: 'loaded later',
    setup: ({ onResolve }) => onResolve({ filter: /.*/ }, ({ kind }) =>
      (kind === 'dynamic-import' ? { external: true } : undefined)),
  };
  const zip = (/** @type {Uint8Array} */ bytes) => gzipSync(bytes, { level: 9 }).length;
  /** With one engine, which is loaded always. @param {string} engine */
  const sizeWith = async (engine) => {
    const contents = `export { Translator } from './js/index.js'; export * from './js/engine/${engine}.js'`;
    const stdin = { contents, resolveDir: root };
    return zip((await bundle({ entryPoints: undefined, stdin, plugins: [later] })).code);
  };
  const sizes = { translating: await sizeWith('here'), 'beside a worker': await sizeWith('remote') };
  const { outputFiles, metafile } = await bundle({ splitting: true, metafile: true });
  for (const [i, { inputs }] of Object.values(metafile.outputs).entries()) {
    const has = (/** @type {string} */ name) => Object.keys(inputs).some((path) => path.endsWith(`js/${name}.js`));
    const chunk = Object.keys(chunkLimits).find(has);
    if (chunk) sizes[chunk] = zip(outputFiles[i].contents);
  }
  for (const [name, limit] of Object.entries({ ...scriptLimits, ...chunkLimits })) {
    t.diagnostic(`JavaScript, ${name}: ${sizes[name]} bytes after minifying and gzip`);
    assert.ok(sizes[name] > 0 && sizes[name] <= limit, `${name}: ${sizes[name]} bytes after gzip, limit ${limit}`);
  }

  t.diagnostic(`tarball: ${packed.size} bytes`);
  assert.ok(packed.size <= packageLimit, `tarball: ${packed.size} bytes, limit ${packageLimit}`);
});

test('a bundler takes it for a page without a word', async () => {
  const { code, warnings } = await bundle();
  assert.deepEqual(warnings.map(({ text }) => text), []);
  // the literals that bundlers look for must survive
  const text = new TextDecoder().decode(code);
  for (const name of ['heed', 'heed-relaxed', 'heed-pairs']) {
    assert.match(text, new RegExp(`new URL\\(["'\`]\\./${name}\\.wasm["'\`],\\s*import\\.meta\\.url\\)`));
  }
});

test('publint finds nothing', async () => {
  const { publint } = await import('publint');
  const { messages } = await publint({ pkgDir: root, level: 'suggestion', strict: true, pack: false });
  assert.deepEqual(messages.map(({ code, path }) => `${code} at ${path.join('.')}`), []);
});

test('the tarball installs, and what it installs translates', async () => {
  const app = join(scratch, 'app');
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(scratch, packed.filename)], { cwd: app });

  await writeFile(join(app, 'main.js'), `
    import { Translator, Transformer, Tokenizer, HeedError, loadOps } from 'heed';
    import * as ops from 'heed/ops';
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    for (const f of [Translator, Transformer, Tokenizer, HeedError, loadOps]) {
      if (typeof f !== 'function') throw new Error('exports');
    }
    if (Object.keys(ops).join() !== 'loadOps') throw new Error('heed/ops exports ' + Object.keys(ops));
    if (!require.resolve('heed/heed.wasm').endsWith('heed.wasm')) throw new Error('heed/heed.wasm');
    if (require('heed/package.json').name !== 'heed') throw new Error('heed/package.json');
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: process.argv[2] });
    console.log(await translator.translate('The house is small.'));
    translator.destroy();
  `);
  const model = join(root, FIXTURE_PATH);
  const { stdout } = await run(process.execPath, ['main.js', model], { cwd: app });
  assert.match(stdout, /Haus/);

  // all in one file: the same translation, and a word about what it leaves out
  await writeFile(join(app, 'one.js'), `
    import { Translator } from 'heed/inline';
    const options = { sourceLanguage: 'en', targetLanguage: 'de', model: process.argv[2] };
    console.log(await (await Translator.create(options)).translate('The house is small.'));
    for (const more of [{ worker: true }, { model: process.argv[3] }]) {
      await Translator.create({ ...options, ...more }).catch((error) => console.log(error.message));
    }
  `);
  const [torch, golden] = [join(app, 'torch'), join(root, 'tests/golden/checkpoints')];
  await mkdir(torch);
  await cp(join(golden, 'config.json'), join(torch, 'config.json'));
  await cp(join(golden, 'zip.bin'), join(torch, 'pytorch_model.bin'));
  assert.equal((await run(process.execPath, ['one.js', model, torch], { cwd: app })).stdout,
    `${stdout}worker: heed/inline has no worker
model.safetensors is missing: heed/inline reads no other weights; "heed convert" makes it of them
`);

  const heed = join(app, 'node_modules/.bin/heed');
  assert.equal((await run(heed, ['--version'])).stdout.trim(), manifest.version);
  assert.equal((await run(heed, ['translate', '--model', model, '--from', 'en', '--to', 'de', 'The house is small.'])).stdout, stdout);
  await run(heed, ['quantize', join(root, 'tests/golden/bf16'), join(app, 'small')]);
  assert.match((await run(heed, ['info', join(app, 'small')])).stdout, /stored as +model\.safetensors, I8 and F32/);
});
