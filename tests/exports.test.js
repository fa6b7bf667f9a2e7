// The border between C and JavaScript: heed.h, exports.txt and the modules agree; they ask the host for nothing.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import v8 from 'node:v8';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Names of the functions that a header declares. */
function declared(header) {
  const code = header.replace(/\/\*[^]*?\*\//g, '').replace(/^#.*$/gm, '');
  return [...code.matchAll(/\b(heed_\w+)\s*\([^;{]*\)\s*;/g)].map(([, name]) => name);
}

const functions = ['heed.h', 'base/status.h'].flatMap((name) => declared(read(`../src/${name}`))).sort();
/** What only instances that share a memory need. */
const shared = declared(read('../src/base/heap.h'));
const listed = read('../src/exports.txt').split('\n').filter(Boolean).map((line) => line.replace(/^_/, ''));

const learns = read('../src/train/exports.txt').split('\n').filter(Boolean).map((line) => line.replace(/^_/, ''));

test('declarations are found in a header', () => {
  const header = '/* heed_no(int); */\nint heed_a(void);\nconst char *heed_b(int x,\n    int y); enum { HEED_C };';
  assert.deepEqual(declared(header), ['heed_a', 'heed_b']);
});

test('exports.txt lists what heed.h declares, with malloc and free', () => {
  assert.deepEqual(listed.toSorted(), [...functions, ...shared, 'free', 'malloc'].sort());
  assert.equal(shared.length, 3);
  assert.equal(new Set(listed).size, listed.length, 'no name twice');
});

/** What js/wasm/ and js/train.js need of any module. */
const COMMON = ['free', 'malloc', 'heed_config_field', 'heed_relaxed', 'heed_status_name'];

test("training's exports.txt lists what trainer.h declares, and what every module has", () => {
  assert.deepEqual(learns.toSorted(), [...declared(read('../src/train/trainer.h')), ...COMMON].sort());
});

/** A module to look at, not to run: Node 20 knows relaxed SIMD behind a flag only. */
function moduleOf(name) {
  const bytes = readFileSync(new URL(`../js/${name}`, import.meta.url));
  if (!WebAssembly.validate(bytes)) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  return new WebAssembly.Module(bytes);
}

// What Emscripten adds to a module without glue of its own accord.
const EMSCRIPTEN = ['memory', '_initialize', '__indirect_function_table', '__errno_location', 'stackSave',
  'stackRestore', 'stackAlloc'];

for (const name of ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm', 'heed-train.wasm']) {
  const wanted = name === 'heed-train.wasm' ? learns : listed;

  test(`${name} exports those, its memory and its start, and nothing of ours besides`, () => {
    const names = WebAssembly.Module.exports(moduleOf(name)).map((e) => e.name);
    assert.deepEqual([...wanted, 'memory', '_initialize'].filter((e) => !names.includes(e)), [], 'missing');
    assert.deepEqual(names.filter((e) => !wanted.includes(e) && !EMSCRIPTEN.includes(e)), [], 'too many');
  });

  test(`${name} imports nothing`, () => {
    assert.deepEqual(WebAssembly.Module.imports(moduleOf(name)), []);
  });
}

test('each build has its own dot product, and no other', () => {
  // prefix 0xfd, then the number in LEB128: i32x4.relaxed_dot_i8x16_i7x16_add_s, i16x8.relaxed_dot_i8x16_i7x16_s
  const latin = (/** @type {Uint8Array} */ code) => Buffer.from(code).toString('latin1');
  const count = (/** @type {string} */ name, /** @type {number[]} */ code) =>
    latin(readFileSync(new URL(`../js/${name}`, import.meta.url))).split(latin(Uint8Array.from(code))).length - 1;
  const [whole, pairs] = [[0xfd, 0x93, 2], [0xfd, 0x92, 2]];
  const counts = Object.fromEntries(['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm']
    .map((name) => [name, [count(name, whole) > 50, count(name, pairs) > 50]]));
  assert.deepEqual(counts,
    { 'heed.wasm': [false, false], 'heed-relaxed.wasm': [true, false], 'heed-pairs.wasm': [false, true] });
  assert.deepEqual([count('heed-relaxed.wasm', pairs), count('heed-pairs.wasm', whole)], [0, 0]);
});
