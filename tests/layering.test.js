// The rules of the house as tests: includes go downstairs, every header compiles alone, the core stays silent, and
// wasm.js is the only JavaScript file that knows addresses.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const list = (dir, pattern) =>
  readdirSync(join(root, dir), { recursive: true }).filter((f) => pattern.test(f)).sort();

/** The rooms that a room may include, itself aside. The files directly in src/ are the room 'heed'. */
const downstairs = {
  base: [],
  text: ['base'],
  kernels: ['base'],
  layers: ['base', 'kernels'],
  model: ['base', 'kernels', 'layers'],
  search: ['base', 'kernels', 'model'],
  train: ['base', 'kernels', 'layers', 'model'],
  heed: ['base', 'text', 'layers', 'model', 'search'],
};
/** heed.h is the contract that these fulfil: it may be included from below. */
const fulfilsHeed = (file) =>
  /^(model|search|train)\//.test(file) || file === 'text/tokenizer.c' || file === 'layers/ops.c';

/** Of the programs above the core, the trainer samples from SentencePiece's own tables. */
const mayAlso = (file, other) => file.startsWith('train/native/') && other === 'text';

const room = (file) => (file.includes('/') ? file.split('/')[0] : 'heed');
const sources = list('src', /\.[ch]$/);

/** What of `#include`s in `text` (of `file`) breaks the rules. */
function wrongIncludes(file, text) {
  const wrong = [];
  for (const [, name] of text.matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)) {
    if (name === 'heed.h' && fulfilsHeed(file)) continue;
    if (name.includes('..')) wrong.push(`${file} includes ${name}: paths start at src/`);
    else if (room(name) !== room(file) && !downstairs[room(file)]?.includes(room(name)) && !mayAlso(file, room(name))) {
      wrong.push(`${file} includes ${name}: ${room(file)} may not see ${room(name)}`);
    }
  }
  return wrong;
}

/** C without its comments, line breaks kept. */
const withoutComments = (c) => c.replace(/\/\*[^]*?\*\//g, (s) => s.replace(/[^\n]/g, ' '));

test('the include rule sees a wrong include', () => {
  assert.equal(wrongIncludes('kernels/gemm.c', '#include "model/config.h"\n').length, 1);
  assert.equal(wrongIncludes('heed.c', '#include "train/adam.h"\n').length, 1);
  assert.equal(wrongIncludes('layers/norm.c', '#include "heed.h"\n').length, 1);
  assert.equal(wrongIncludes('layers/norm.c', '#include "../base/arena.h"\n').length, 1);
  assert.equal(wrongIncludes('train/adam.c', '#include "text/vocab.h"\n').length, 1);
  assert.equal(wrongIncludes('train/native/sampling.c', '#include "text/vocab.h"\n').length, 0);
  assert.equal(wrongIncludes('search/beam.c', '#include "model/config.h"\n#include "heed.h"\n').length, 0);
});

test('every #include goes downstairs', () => {
  assert.ok(sources.length > 0, 'src/ has files');
  assert.deepEqual(sources.flatMap((file) => wrongIncludes(file, read(`src/${file}`))), []);
});

test('every room is in the table', () => {
  assert.deepEqual(sources.filter((file) => !(room(file) in downstairs)), []);
});

test('every header compiles alone, once and twice', (t) => {
  const compiler = process.env.HOST_CC || 'gcc';
  if (spawnSync(compiler, ['--version']).error) return t.skip(`${compiler} is missing`);
  for (const header of sources.filter((f) => f.endsWith('.h') && !f.startsWith('kernels/native/'))) {
    const flags = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wno-unused-function', '-fsyntax-only',
      '-DHEED_RELAXED'];
    const machine = process.arch === 'x64' ? ['-msse4.1'] : [];
    const r = spawnSync(compiler, [...flags, ...machine, '-Isrc', '-Isrc/kernels/native', '-x', 'c', '-'], {
      cwd: root,
      input: `#include "${header}"\n#include "${header}"\nextern int nothing;\n`,
      encoding: 'utf8',
    });
    assert.equal(r.status, 0, `${header} does not compile alone:\n${r.stderr}`);
  }
});

test('every C file says in its first comment what it is', () => {
  const silent = sources.filter((file) => {
    const name = file.split('/').pop();
    return !new RegExp(`^/\\*\\s*\\*?\\s*${name.replace('.', '\\.')}\\b`).test(read(`src/${file}`));
  });
  assert.deepEqual(silent, []);
});

test('the core prints nothing, ends nothing, and allocates in the arena only', () => {
  const forbidden = /\b(printf|fprintf|puts|putchar|perror|exit|_Exit|abort|malloc|calloc|realloc|free)\s*\(/;
  const found = sources
    // train/native is a program, not the core
    .filter((file) => file.endsWith('.c') && file !== 'base/arena.c' && !file.startsWith('train/native/'))
    .flatMap((file) =>
      withoutComments(read(`src/${file}`))
        .split('\n')
        .flatMap((line, i) => (forbidden.test(line) ? [`src/${file}:${i + 1}: ${line.trim()}`] : [])));
  assert.deepEqual(found, []);
});

test('only wasm.js knows addresses', () => {
  const scripts = list('js', /\.js$/);
  assert.ok(scripts.includes('wasm.js'), 'js/wasm.js exists');
  const address = /\bmemory\.buffer\b|\bmalloc\b|\bHEAP[UF]?\d|new WebAssembly\.Memory\b|WebAssembly\.instantiate/;
  const found = scripts
    // simd.js asks the host about an instruction, by a module that has no memory
    .filter((file) => !['wasm.js', 'simd.js'].includes(file))
    .flatMap((file) =>
      read(`js/${file}`)
        .split('\n')
        .flatMap((line, i) => (address.test(line) ? [`js/${file}:${i + 1}: ${line.trim()}`] : [])));
  assert.deepEqual(found, []);
});
