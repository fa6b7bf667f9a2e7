// The debug build of the module: it does what heed.wasm does. A fault traps where it is, and the error has the names of
// functions.
import test, { before } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transformer } from '../js/index.js';
import { E_WASM } from '../js/base/constants.js';
import { TINY } from './model-files.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** @type {WebAssembly.Module} */
let debug;
/** @type {WebAssembly.Module} */
let release;
before(() => {
  const { MAKEFLAGS, MFLAGS, MAKELEVEL, ...env } = process.env;
  execFileSync('make', ['debug'], { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
  debug = new WebAssembly.Module(readFileSync(`${root}build/heed-debug.wasm`));
  release = new WebAssembly.Module(readFileSync(`${root}js/heed.wasm`));
});

/** Names of functions in a module. @param {WebAssembly.Module} module */
const namesOf = (module) => WebAssembly.Module.customSections(module, 'name')
  .map((section) => new TextDecoder().decode(section)).join('');

test('it has the names of functions, and assertions', () => {
  assert.match(namesOf(debug), /heed_search_step/);
  assert.match(namesOf(debug), /__assert_fail/);
  assert.equal(namesOf(release), '');
});

test('it asks the host for no more than heed.wasm', () => {
  assert.deepEqual(WebAssembly.Module.imports(debug), WebAssembly.Module.imports(release));
  const exported = (/** @type {WebAssembly.Module} */ module) =>
    WebAssembly.Module.exports(module).map(({ name }) => name).sort();
  assert.deepEqual(exported(debug), exported(release));
});

test('it computes the same', async () => {
  const results = [];
  for (const wasm of [debug, release]) {
    const model = await Transformer.load(TINY, { wasm });
    results.push(model.generate([[5, 6, 7, 0], [8, 0]], { beams: 3, nBest: 3, maxTokens: 9 }));
    model.dispose();
  }
  assert.deepEqual(results[0], results[1]);
});

test('a null pointer traps where it is used', async () => {
  // in heed.wasm the address 0 is memory like any other
  const other = await Transformer.load(TINY, { wasm: release });
  other.internals().core.run('heed_tensor_count', 0);
  other.dispose();
  const model = await Transformer.load(TINY, { wasm: debug });
  assert.throws(() => model.internals().core.run('heed_tensor_count', 0), (/** @type {any} */ error) => {
    assert.equal(error.code, E_WASM);
    assert.match(error.cause.stack, /heed_tensor_count/);
    return true;
  });
});
