// simd.test.js - the options `simd` and `dtype`: the build and the arithmetic that a host gets, and the errors if
// it cannot have them. engines.test.js tests that builds give the same results on other hosts.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Transformer } from '../js/index.js';
import { relaxedDot } from '../js/wasm/simd.js';
import { SENTENCES } from './browser/sentences.js';
import { SHIPPED, TINY } from './model-files.js';

const run = promisify(execFile);
const JS = fileURLToPath(new URL('../js', import.meta.url));
const dot = relaxedDot();
const lacksRelaxed = dot === 'none' && 'this host lacks WebAssembly relaxed SIMD';
const SOURCE = [5, 9, 12, 30, 0];
const TARGET = [7, 7, 20, 0];
const scratch = mkdtempSync(join(tmpdir(), 'heed-simd-'));
test.after(() => rmSync(scratch, { recursive: true }));

/** Load the small model, look at it, let it go. @param {object} [options] @param {typeof Transformer} [from] */
async function infoOf(options, from = Transformer) {
  const model = await from.load(TINY, options);
  const { info } = model;
  model.dispose();
  return info;
}

/** @param {Promise<unknown>} promise @param {RegExp} message @param {string} [name] */
const refused = (promise, message, name = 'HeedError') =>
  assert.rejects(promise, (error) => {
    assert.deepEqual([error.constructor.name, error.status, error.name], ['HeedError', 'HEED_E_WASM', name]);
    assert.match(error.message, message);
    return true;
  });

/** A library of its own, that finds these modules beside it. @param {string} name @param {string[]} modules */
async function libraryWith(name, modules) {
  const folder = join(scratch, name);
  cpSync(JS, folder, { recursive: true, filter: (path) => !path.endsWith('.wasm') });
  for (const module of modules) cpSync(join(JS, module), join(folder, module));
  return (await import(pathToFileURL(join(folder, 'index.js')).href)).Transformer;
}

/** The answers of relaxed dot products to the questions of simd.js, of the whole and of pairs, by what the host is. */
const DOTS = {
  fast: [[-65024, 50800, 129540]],
  pairs: [[-65024, 50800, 65534], [-32512, 32258]],
  'pairs that are wrong': [[-65024, 50800, 65534], [-32512, 32767]],
  slow: [[-65024, 50800, 0]],
  'wrong below zero': [[-130048, 50800, 0]],
  'wrong above zero': [[-65024, 101600, 0]],
};

/**
 * A host with this dot product, until the test ends.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} kind  of DOTS
 */
function pretend(t, kind) {
  const [whole, pairs] = DOTS[kind];
  t.mock.method(WebAssembly, 'validate', () => true);
  t.mock.method(WebAssembly, 'Module', function Module(/** @type {Uint8Array} */ bytes) {
    // the operation before the lane is read: i16x8.relaxed_dot_i8x16_i7x16_s
    this.answers = bytes.at(-6) === 146 ? pairs : whole;
  });
  t.mock.method(WebAssembly, 'Instance', function Instance({ answers: [minus, plus, outside] }) {
    const d = (/** @type {number} */ a, /** @type {number} */ b) => (a === -128 ? minus : b === -1 ? outside : plus);
    return { exports: { d } };
  });
}

test('simd: only the values of the contract', async () => {
  for (const simd of ['', 'SIMD128', 'relaxed-simd', null, 1, {}]) {
    await assert.rejects(Transformer.load(TINY, /** @type {any} */ ({ simd })), {
      name: 'TypeError',
      message: /^simd: found '.*', expected 'auto', 'simd128' or 'relaxed'$/,
    });
  }
});

test("simd: 'relaxed' on a host without it", async (t) => {
  if (lacksRelaxed) {
    await refused(infoOf({ simd: 'relaxed' }), /^this host lacks WebAssembly relaxed SIMD$/, 'NotSupportedError');
  }
  // newer hosts, with the instruction hidden
  const { validate } = WebAssembly;
  t.mock.method(WebAssembly, 'validate', (/** @type {Uint8Array} */ b) => !b.includes(147) && validate(b));
  await refused(infoOf({ simd: 'relaxed' }), /^this host lacks WebAssembly relaxed SIMD$/, 'NotSupportedError');
  assert.equal((await infoOf({ simd: 'auto' })).simd, 'simd128');
});

test('a host without any SIMD', async (t) => {
  t.mock.method(WebAssembly, 'validate', () => false);
  for (const simd of ['auto', 'simd128', 'relaxed']) {
    await refused(infoOf({ simd }), /^this host lacks WebAssembly 128-bit SIMD$/, 'NotSupportedError');
  }
});

test('a relaxed dot product that computes wrongly is as none', async (t) => {
  for (const kind of Object.keys(DOTS).filter((name) => name.startsWith('wrong'))) {
    await t.test(kind, async (u) => {
      pretend(u, kind);
      assert.equal(relaxedDot(), 'none');
      await refused(infoOf({ simd: 'relaxed' }), /lacks WebAssembly relaxed SIMD/, 'NotSupportedError');
    });
  }
  await t.test("Node 20's own, behind its flag", async (u) => {
    if (!process.version.startsWith('v20.')) return u.skip(`this is Node ${process.version}`);
    const program = `import { relaxedDot } from ${JSON.stringify(pathToFileURL(join(JS, 'wasm/simd.js')))};
      console.log(WebAssembly.validate(await import('node:fs').then((fs) =>
        fs.readFileSync(${JSON.stringify(join(JS, 'heed-relaxed.wasm'))}))), relaxedDot());`;
    const args = ['--experimental-wasm-relaxed-simd', '--input-type=module', '--eval', program];
    assert.equal((await run(process.execPath, args)).stdout, 'true none\n');
  });
});

test('a given module of another build', async (t) => {
  const [simd128, relaxed, pairs] = ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm']
    .map((name) => readFileSync(join(JS, name)));
  assert.equal((await infoOf({ wasm: simd128 })).simd, 'simd128');
  assert.equal((await infoOf({ wasm: simd128, simd: 'simd128' })).simd, 'simd128');
  if (lacksRelaxed) {
    await refused(infoOf({ wasm: relaxed }), /^heed\.wasm: .*(relaxed|invalid|opcode)/i);
    return t.skip(`the other way round: ${lacksRelaxed}`);
  }
  await refused(
    infoOf({ wasm: simd128, simd: 'relaxed' }),
    /^heed\.wasm: simd: asked for 'relaxed', the given module is 'simd128'$/,
  );
  await refused(
    infoOf({ wasm: relaxed, simd: 'simd128' }),
    /^heed\.wasm: simd: asked for 'simd128', the given module is 'relaxed'$/,
  );
  assert.equal((await infoOf({ wasm: relaxed })).simd, 'relaxed');
  assert.equal((await infoOf({ wasm: pairs })).simd, 'relaxed');
});

test('all builds give the same bits', async (t) => {
  if (lacksRelaxed) return t.skip(lacksRelaxed);
  const logits = [];
  for (const name of ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm']) {
    const model = await Transformer.load(SHIPPED, { wasm: readFileSync(join(JS, name)) });
    const ids = SENTENCES.slice(0, 7).map((text) => model.tokenizer.encode(text, { language: 'de' }).ids);
    logits.push(ids.map((source) => model.forward(source, source).logits.data));
    model.dispose();
  }
  assert.deepEqual(logits[1], logits[0]);
  assert.deepEqual(logits[2], logits[0]);
});

test("simd: 'auto' takes the relaxed build where its dot product is fast", async (t) => {
  const isUsed = dot === 'fast' || dot === 'pairs';
  assert.equal((await infoOf()).simd, isUsed ? 'relaxed' : 'simd128', `dot product: ${dot}`);
  if (lacksRelaxed) return t.skip(lacksRelaxed);
  const hosts = { fast: 'relaxed', pairs: 'relaxed', 'pairs that are wrong': 'simd128', slow: 'simd128' };
  for (const [kind, expected] of Object.entries(hosts)) {
    await t.test(kind, async (u) => {
      pretend(u, kind);
      assert.equal((await infoOf()).simd, expected);
    });
  }
});

test("simd: 'auto' does with the other build where that of relaxed SIMD is missing or does not compile", async (t) => {
  const without = await libraryWith('without', ['heed.wasm']);
  for (const [kind, name] of /** @type {const} */ ([['fast', 'heed-relaxed'], ['pairs', 'heed-pairs']])) {
    await t.test(kind, async (u) => {
      pretend(u, kind);
      assert.equal((await infoOf({}, without)).simd, 'simd128');
      await refused(infoOf({ simd: 'relaxed' }, without), new RegExp(`^heed\\.wasm: .*${name}\\.wasm: ENOENT`));
      if (!lacksRelaxed) {
        const only = await libraryWith(`only-${kind}`, ['heed.wasm', `${name}.wasm`]);
        assert.equal((await infoOf({}, only)).simd, 'relaxed', `${name}.wasm is taken`);
      }
      if (lacksRelaxed) assert.equal((await infoOf()).simd, 'simd128');
    });
  }
  const neither = await libraryWith('neither', []);
  await refused(infoOf({}, neither), /^heed\.wasm: .*[/\\]heed\.wasm: ENOENT/);
});

// int8 against floats. Rounding activations to 127 steps of their row's range moves a product by 1 % of its size,
// rounding weights by half as much; some 30 products follow one another in the small model and 50 in the other, whose
// rows are eight times as long and average more. Seen: 0.072, and 0.027 to 0.059 with thirteen sentences and five sets
// of weights of the other; the limits are twice that.
const FAR_SMALL = 0.15;
const FAR = 0.12;

/** How far b is from a, of a's size: root of the mean square. @param {Float32Array} a @param {Float32Array} b */
function distance(a, b) {
  assert.equal(a.length, b.length);
  const [wrong, size] = a.reduce(([w, s], x, i) => [w + (x - b[i]) ** 2, s + x ** 2], [0, 0]);
  return Math.sqrt(wrong / size);
}

test("dtype: 'int8' quantises a float model while it loads", async (t) => {
  const [f32, int8] = [await Transformer.load(TINY), await Transformer.load(TINY, { dtype: 'int8' })];
  assert.deepEqual([f32.info.dtype, int8.info.dtype], ['f32', 'int8']);
  assert.equal(int8.info.parameters, f32.info.parameters);
  assert.ok(int8.info.weightBytes < f32.info.weightBytes, `${int8.info.weightBytes} bytes`);
  const [want, got] = [f32, int8].map((model) => model.forward(SOURCE, TARGET).logits.data);
  const far = distance(want, got);
  t.diagnostic(`relative distance of the logits: ${far.toFixed(4)}`);
  assert.ok(far > 0 && far < FAR_SMALL, String(far));
  for (const model of [f32, int8]) model.dispose();
});

test("dtype: 'f32' computes with floats what the file has in int8", async (t) => {
  const [int8, f32] = [await Transformer.load(SHIPPED), await Transformer.load(SHIPPED, { dtype: 'f32' })];
  assert.deepEqual([int8.info.dtype, f32.info.dtype], ['int8', 'f32']);
  assert.equal(int8.info.parameters, f32.info.parameters);
  assert.ok(f32.info.weightBytes > 3.5 * int8.info.weightBytes, `${f32.info.weightBytes} bytes`);
  const ids = f32.tokenizer.encode('The house is small, but the garden is big.').ids;
  const [[best]] = f32.generate([ids]);
  const [want, got] = [f32, int8].map((model) => model.forward(ids, best.ids).logits.data);
  const far = distance(want, got);
  t.diagnostic(`relative distance of the logits: ${far.toFixed(4)}`);
  assert.ok(far > 0 && far < FAR, String(far));
  for (const model of [f32, int8]) model.dispose();
});

test('int8: a sentence says the same in every batch', async () => {
  const model = await Transformer.load(SHIPPED);
  assert.equal(model.info.dtype, 'int8');
  const sources = SENTENCES.slice(0, 24).map((text) => model.tokenizer.encode(text).ids);
  for (const options of [{ beams: 1 }, { beams: 3, nBest: 3, lengthPenalty: 0.6 }]) {
    const alone = sources.map((ids) => model.generate([ids], { ...options, maxTokens: 40 })[0]);
    for (const batchSize of [1, 2, 5, 24]) {
      const together = model.generate(sources, { ...options, maxTokens: 40, batchSize });
      assert.deepEqual(together, alone, `${JSON.stringify(options)}, batches of ${batchSize}`);
    }
  }
  model.dispose();
});

test('the same in a newer Node, where this one lacks relaxed SIMD', async (t) => {
  if (!lacksRelaxed) return t.skip('this one has it');
  const program = fileURLToPath(new URL('browser/node_modules/node24/bin/node', import.meta.url));
  if (!existsSync(program)) return t.skip('node24 is not installed in tests/browser (.ci/setup browsers)');
  const { NODE_TEST_CONTEXT, ...env } = process.env; // else it reports to a runner that is not its own
  const { stdout } = await run(program, ['--test-reporter=tap', fileURLToPath(import.meta.url)], { env });
  assert.match(stdout, /^# fail 0$/m);
  assert.match(stdout, /ok \d+ - slow$/m, 'what needs relaxed SIMD ran');
});
