// The border between C and JavaScript: heed.h, exports.txt and the module agree, and the module asks the host for nothing.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const module = new WebAssembly.Module(readFileSync(new URL('../js/heed.wasm', import.meta.url)));

/** Names of the functions that a header declares. */
function declared(header) {
  const code = header.replace(/\/\*[^]*?\*\//g, '').replace(/^#.*$/gm, '');
  return [...code.matchAll(/\b(heed_\w+)\s*\([^;{]*\)\s*;/g)].map(([, name]) => name);
}

const functions = [...declared(read('../src/heed.h')), ...declared(read('../src/base/status.h'))].sort();
const listed = read('../src/exports.txt').split('\n').filter(Boolean).map((line) => line.replace(/^_/, ''));

test('declarations are found in a header', () => {
  assert.deepEqual(declared('/* heed_no(int); */\nint heed_a(void);\nconst char *heed_b(int x,\n    int y); enum { HEED_C };'), [
    'heed_a', 'heed_b',
  ]);
});

test('exports.txt lists what heed.h declares, with malloc and free', () => {
  assert.deepEqual(listed.toSorted(), [...functions, 'free', 'malloc'].sort());
  assert.equal(new Set(listed).size, listed.length, 'no name twice');
});

test('the module exports those, its memory and its start, and nothing of ours besides', () => {
  const names = WebAssembly.Module.exports(module).map(({ name }) => name);
  // What Emscripten adds to a module without glue of its own accord.
  const emscripten = ['memory', '_initialize', '__indirect_function_table', '__errno_location', 'emscripten_stack_init',
    'emscripten_stack_get_free', 'emscripten_stack_get_base', 'emscripten_stack_get_end', 'stackSave', 'stackRestore',
    'stackAlloc'];
  assert.deepEqual(listed.filter((name) => !names.includes(name)), [], 'missing');
  assert.deepEqual(names.filter((name) => !listed.includes(name) && !emscripten.includes(name)), [], 'too many');
  assert.ok(names.includes('memory') && names.includes('_initialize'));
});

test('the module imports at most the notice of memory growth', () => {
  const imports = WebAssembly.Module.imports(module).map(({ module: from, name }) => `${from}.${name}`);
  assert.deepEqual(imports.filter((name) => name !== 'env.emscripten_notify_memory_growth'), []);
});
