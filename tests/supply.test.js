// supply.test.js - the abilities and origins of the published code: no code from data, no network but the given
// addresses, only Node's own modules, locked development tools, and a bill of materials that lists everything linked.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFile(join(root, path), 'utf8');
const MODULES = ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm', 'heed-train.wasm'];

/** All JavaScript that ships, by its path below js/. */
const shipped = await Promise.all((await readdir(join(root, 'js'), { recursive: true }))
  .filter((path) => path.endsWith('.js')).sort().map(async (path) => ({ path, code: await read(`js/${path}`) })));

/** Code without what stands in comments; esbuild does it, which knows what a comment is. */
async function withoutComments(code) {
  const { transform } = await import('esbuild');
  return (await transform(code, { legalComments: 'none', minifyWhitespace: false, format: 'esm' })).code;
}
const bare = await Promise.all(shipped.map(async ({ path, code }) => ({ path, code: await withoutComments(code) })));

/** `path: what` for everything that the pattern finds. @param {typeof bare} files @param {RegExp} pattern */
const findAll = (files, pattern) =>
  files.flatMap(({ path, code }) => [...code.matchAll(pattern)].map((match) => `${path}: ${match[0].trim()}`));

const DYNAMIC = new RegExp([
  /(?<!unsafe-)\beval\b/, /\bFunction\s*\(/, /\.constructor\s*\(/, /\bimportScripts\b/, /\bset(?:Timeout|Interval)\s*\(\s*["'`]/,
  /\bcreateElement\s*\(\s*["'`]script/, /\bdocument\.write/, /["'`]data:[^"'`]*javascript/, /\bcreateObjectURL\b/,
  /["'`](?:node:)?(?:vm|child_process)["'`]/,
].map(({ source }) => source).join('|'), 'g');
const NETWORK = new RegExp([
  /\b(?:fetch|XMLHttpRequest|WebSocket|WebTransport|EventSource|sendBeacon|RTCPeerConnection)\b(?=\s*\()/,
  /["'`](?:node:)?(?:https?|http2|net|tls|dgram|dns)["'`]/,
].map(({ source }) => source).join('|'), 'g');
const ADDRESS = /\b(?:https?|wss?|ftp):\/\/[\w.-]+/g;

test('the patterns find what they are to find', () => {
  const finds = (pattern, code) => findAll([{ path: 'x', code }], pattern).length > 0;
  const dynamic = ['eval("1")', 'new Function("1")', 'f.constructor("1")', 'import("node:vm")', "setTimeout('f()')"];
  for (const code of dynamic) assert.ok(finds(DYNAMIC, code), code);
  const asking = ['fetch(url)', 'new WebSocket(url)', 'navigator.sendBeacon(u)', "from 'node:http'", "builtin('net')"];
  for (const code of asking) assert.ok(finds(NETWORK, code), code);
  assert.ok(finds(ADDRESS, "'https://stats.example.org/x'"));
  assert.ok(!finds(DYNAMIC, 'heed_trainer_evaluate(checkFunction(f))'));
});

test('no input becomes code', () => {
  // a worker that imports the address of heed's own script, and nothing else
  assert.deepEqual(findAll(bare, DYNAMIC), ['engine/elsewhere.js: createObjectURL']);
});

test('four functions ask the network, for the addresses they are given, and one answers: heed serve', () => {
  assert.deepEqual(findAll(bare, NETWORK), ['convert/repository.js: fetch', 'files/source.js: fetch',
    'serve/server.js: "node:http"', 'wasm/module.js: fetch', 'wasm/shared.js: fetch']);
});

test('the code has no address except one in an error message, and those of heed fetch', () => {
  assert.deepEqual(findAll(bare, ADDRESS), [
    'convert/firefox.js: https://firefox.settings.services.mozilla.com',
    'convert/firefox.js: https://firefox-settings-attachments.cdn.mozilla.net',
    'convert/repository.js: https://huggingface.co',
    'files/missing.js: https://huggingface.co',
  ]);
});

test('imports are files of the package and modules of Node', () => {
  const builtins = new Set(builtinModules);
  const fits = (name) => /^\.\.?\//.test(name) || (name.startsWith('node:') && builtins.has(name.slice(5)));
  const wrong = bare.flatMap(({ path, code }) => [
    ...[...code.matchAll(/(?:^import|\}\s*from|\bimport\()\s*["']([^"']+)["']/gm)].filter(([, name]) => !fits(name)),
    ...[...code.matchAll(/\bbuiltin\(\s*["']([^"']+)["']/g)].filter(([, name]) => !builtins.has(name)),
  ].map(([match]) => `${path}: ${match}`));
  // the package has it bundled
  assert.deepEqual(wrong, ['detect/eld.js: } from "eld/small"', 'documents/lezer.js: } from "@lezer/markdown"',
    'documents/messageformat.js: } from "@messageformat/parser"', 'documents/saxes.js: } from "saxes"',
    'text/parse5.js: } from "parse5"']);
  // an import of anything computed is host.js's alone, and that is of node:
  const computed = findAll(bare, /\bimport\((?!\s*["'])/g);
  assert.deepEqual(computed.map((found) => found.split(':')[0]), ['base/host.js']);
  const host = bare.find(({ path }) => path === 'base/host.js');
  assert.match(String(host?.code), /const specifier = `node:\$\{name\}`/);
});

/**
 * What a module wants of its host, read by hand: this Node may lack the instructions of the module.
 *
 * @param {Uint8Array} bytes  of a module that imports functions alone
 */
function importsOf(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const name = () => {
    const length = number();
    return new TextDecoder().decode(bytes.subarray(at, (at += length)));
  };
  while (at < bytes.length) {
    const section = bytes[at++];
    const size = number();
    if (section !== 2) {
      at += size;
      continue;
    }
    return Array.from({ length: number() }, () => {
      const found = `${name()}.${name()}`;
      assert.equal(bytes[at++], 0, `${found} is a function`);
      number();
      return found;
    });
  }
  return [];
}

test('the modules ask nothing of their host', async () => {
  for (const name of MODULES) assert.deepEqual(importsOf(await readFile(join(root, 'js', name))), [], name);
  // one function, env.f, is found
  const one = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 9, 1, 3, 101, 110, 118, 1, 102, 0, 0);
  const seen = WebAssembly.Module.imports(await WebAssembly.compile(one)).map((i) => `${i.module}.${i.name}`);
  assert.deepEqual([importsOf(one), seen], [['env.f'], ['env.f']]);
});

test('development tools are locked by hash, and no lock names a registry', async () => {
  const folders = ['', 'tests/bench/', 'tests/browser/', 'tests/bundlers/'];
  const locks = folders.map((folder) => `${folder}package-lock.json`);
  for (const name of locks) {
    const packages = Object.entries(JSON.parse(await read(name)).packages).filter(([path]) => path);
    assert.ok(packages.length > 0, name);
    for (const [path, { resolved, integrity, link }] of packages) {
      assert.equal(resolved, undefined, `${name}: ${path}`);
      assert.match(integrity ?? '', /^sha512-/, `${name}: ${path}${link ? ', a link' : ''}`);
    }
  }
  // and the scripts that install them run no scripts of theirs
  for (const path of ['.ci/setup', '.ci/run', 'Makefile']) {
    const lines = (await read(path)).split('\n').filter((line) => !/^\s*(#|echo|fail|\|\|)/.test(line));
    for (const line of lines.filter((each) => /\bnpm (ci|install|i)\b/.test(each))) {
      assert.match(line, /npm ci --ignore-scripts/, path);
    }
    assert.deepEqual(lines.filter((line) => /\b(curl|wget|npx)\b/.test(line)), [], path);
  }
  const { scripts } = JSON.parse(await read('package.json'));
  assert.deepEqual(Object.keys(scripts).filter((name) => /install|prepare/.test(name)), []);
});

test('the bill of materials says what is in the package, linked, and locked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'heed-sbom-'));
  try {
    const say = (name, lines) => writeFile(join(folder, `${name}.txt`), lines.join('\n'));
    const common = ['heed.o', 'lib/libheed.a(heed.o)', 'lib/crt1_reactor.o'];
    await say('heed.wasm', [...common, 'lib/libc.a(pow.o)', 'lib/libc.a(log.o)', 'lib/libcompiler_rt.a(stack_ops.o)']);
    await say('heed-relaxed.wasm', [...common, 'lib/libc.a(log.o)']);
    await say('heed-pairs.wasm', [...common, 'build/wasm-pairs/kernels/gemm_i8.o', 'lib/libc.a(log.o)']);
    await say('heed-train.wasm', [...common, 'lib/libc.a(erff.o)']);
    const sbom = join(root, '.ci/sbom.js');
    const env = { ...process.env, EMCC: process.env.EMCC || 'emcc' };
    const { stdout } = await run(process.execPath, [sbom, folder], { env });
    const bom = JSON.parse(stdout);
    assert.deepEqual([bom.bomFormat, bom.specVersion], ['CycloneDX', '1.5']);
    const named = (scope) => bom.components.filter((c) => c.scope === scope).map(({ name }) => name).sort();
    assert.deepEqual(named('required'), ['@lezer/common', '@lezer/highlight', '@lezer/markdown',
      '@messageformat/parser', 'compiler-rt', 'eld', 'emscripten', 'entities', 'moo', 'musl', 'parse5',
      'saxes', 'xmlchars']);
    const lock = JSON.parse(await read('package-lock.json'));
    assert.equal(named('excluded').length, Object.keys(lock.packages).length - 11);
    const files = bom.components.filter(({ type }) => type === 'file').map(({ name }) => name);
    assert.deepEqual(files, MODULES.map((name) => `js/${name}`));
    const refs = [bom.metadata.component, ...bom.components].map((c) => c['bom-ref']);
    assert.equal(new Set(refs).size, refs.length, 'every reference is there once');
    for (const { ref, dependsOn } of bom.dependencies) {
      assert.deepEqual([ref, ...dependsOn].filter((name) => !refs.includes(name)), []);
    }
    for (const c of bom.components.filter(({ type }) => type === 'library')) assert.ok(c.version, c.name);
    const parts = (name) => Object.fromEntries(bom.components.find((c) => c.name === name).properties
      .map((property) => [property.name.replace('heed:linked:', ''), property.value]));
    assert.deepEqual(parts('musl'), { 'heed.wasm': 'log.o pow.o', 'heed-relaxed.wasm': 'log.o',
      'heed-pairs.wasm': 'log.o', 'heed-train.wasm': 'erff.o' });
    assert.deepEqual(new Set(Object.values(parts('emscripten'))), new Set(['crt1_reactor.o heed.o']));
    assert.deepEqual(parts('compiler-rt'), { 'heed.wasm': 'stack_ops.o' });
    const has = (name) => bom.dependencies.find(({ ref }) => ref === `module:${name}`).dependsOn;
    const all = ['runtime:emscripten', 'runtime:musl'];
    assert.deepEqual(MODULES.map((name) => has(name).sort()), [['runtime:compiler-rt', ...all], all, all, all]);
    await say('heed-relaxed.wasm', common);
    await assert.rejects(run(process.execPath, [sbom, folder], { env }),
      /heed-relaxed\.wasm: no C library among what was linked/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
