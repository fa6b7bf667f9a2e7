// convert.test.js - `heed convert`, `heed quantize` and `heed verify`: the new directory has the numbers that the core
// computes from the weights, for every format; failures leave nothing behind; changed files are found.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Transformer } from '../js/index.js';
import { findNonFinite, fromFloats, toFloats } from '../js/convert/numbers.js';
import { FIXTURE_PATH } from './browser/fixture.js';
import { takeApart } from './model-files.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const cli = join(root, 'js/cli.js');
const scratch = mkdtempSync(join(tmpdir(), 'heed-quantize-'));
test.after(() => rmSync(scratch, { recursive: true }));

const SOURCE = [5, 17, 3, 33, 9, 0];
const TARGET = [9, 8, 30, 0];

for (const name of ['postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'swish-odd', 'silu-f16', 'bf16', 'int8']) {
  test(`${name}: quantised in a file equals quantised while loading, bit for bit`, async () => {
    const [from, to] = [join(root, 'tests/golden', name), join(scratch, name)];
    execFileSync(process.execPath, [cli, 'quantize', from, to]);
    const [loading, file] = [await Transformer.load(from, { dtype: 'int8' }), await Transformer.load(to)];
    assert.equal(file.info.dtype, 'int8');
    assert.equal(file.info.parameters, loading.info.parameters);
    const [want, got] = [loading, file].map((model) => model.forward(SOURCE, TARGET).logits.data);
    assert.deepEqual(got, want);
    loading.dispose();
    file.dispose();

    const { dtype, files } = JSON.parse(readFileSync(join(to, 'heed.json'), 'utf8'));
    assert.equal(dtype, 'int8');
    for (const [path, { size, sha256 }] of Object.entries(files)) {
      const bytes = readFileSync(join(to, path));
      assert.equal(bytes.length, size, path);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, path);
    }
    assert.ok('config.json' in files && 'model.safetensors' in files);
  });
}

test('an int8 model stays the same', async () => {
  const [from, to] = [join(root, FIXTURE_PATH), join(scratch, 'again')];
  const out = execFileSync(process.execPath, [cli, 'quantize', from, to], { encoding: 'utf8' });
  const { size } = statSync(join(from, 'model.safetensors'));
  assert.ok(out.endsWith(`: ${size} bytes of weights in int8, from model.safetensors of ${size}\n`), out);
  const [want, got] = [await Transformer.load(from), await Transformer.load(to)];
  const ids = want.tokenizer.encode('Have you had breakfast yet?').ids;
  assert.deepEqual(got.generate([ids], { beams: 2 }), want.generate([ids], { beams: 2 }));
  want.dispose();
  got.dispose();
});

test('what cannot be done is said, and nothing is overwritten', () => {
  const quantize = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [cli, 'quantize', ...args], { encoding: 'utf8' });
  const usage = quantize('only-one');
  assert.equal(usage.status, 2);
  assert.match(usage.stderr, /expected a model directory and a new one/);
  const { size } = statSync(join(root, FIXTURE_PATH, 'model.safetensors'));
  const full = quantize(join(root, FIXTURE_PATH), join(root, FIXTURE_PATH));
  assert.equal(full.status, 1);
  assert.ok(full.stderr.includes(`${FIXTURE_PATH}: is not empty`), full.stderr);
  assert.equal(statSync(join(root, FIXTURE_PATH, 'model.safetensors')).size, size);
  const missing = quantize(join(scratch, 'nowhere'), join(scratch, 'a'));
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /nowhere: config\.json is missing/);

  const cut = join(scratch, 'cut');
  cpSync(join(root, 'tests/golden/bf16'), cut, { recursive: true });
  truncateSync(join(cut, 'model.safetensors'), statSync(join(cut, 'model.safetensors')).size - 1);
  const short = quantize(cut, join(scratch, 'b'));
  assert.equal(short.status, 1);
  assert.match(short.stderr, /the file is cut short/);
});

// ---------------------------------------------------------------- every container, every type

const checkpoints = join(root, 'tests/golden/checkpoints');
/** @param {...string} args */
const heed = (...args) => spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });

/**
 * A directory with one container of golden/checkpoints in it.
 *
 * @param {string} container
 * @param {string[]} [others]
 */
function directoryOf(container, others = ['config.json', 'generation_config.json']) {
  const to = mkdtempSync(join(scratch, 'from-'));
  const name = container.endsWith('.npz') ? 'opus.npz' : container.endsWith('.bin') ? 'pytorch_model.bin' : container;
  cpSync(join(checkpoints, container), join(to, name));
  for (const other of others) cpSync(join(checkpoints, other), join(to, other));
  return to;
}

const { cases } = JSON.parse(readFileSync(join(checkpoints, 'cases.json'), 'utf8'));
/** @param {string | URL} from @param {'f32' | 'int8'} [dtype] */
async function speak(from, dtype) {
  const model = await Transformer.load(from, { dtype });
  const logits = cases.map((/** @type {any} */ { source, target }) => model.forward(source, target).logits.data);
  model.dispose();
  return logits;
}

const float = directoryOf('model.safetensors');
const [exact, rounded] = [await speak(float), await speak(float, 'int8')];
let made = 0;
const fresh = () => join(scratch, `made-${made++}`);
/** @param {string} directory */
const headerOf = (directory) => takeApart(new Uint8Array(readFileSync(join(directory, 'model.safetensors')))).header;
/** @param {string} directory */
const manifestOf = (directory) => JSON.parse(readFileSync(join(directory, 'heed.json'), 'utf8'));

for (const container of ['zip.bin', 'zip-bf16.bin', 'deflated.bin', 'legacy.bin', 'views.bin', 'model.npz']) {
  test(`${container} becomes a standard directory with the same numbers`, async () => {
    const from = directoryOf(container);
    const to = fresh();
    const { status, stdout, stderr } = heed('convert', from, to);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /bytes of weights in f32, from (pytorch_model\.bin|opus\.npz) of \d+\n$/);
    assert.deepEqual(await speak(to), exact);
    const header = headerOf(to);
    assert.ok('model.shared.weight' in header && !('lm_head.weight' in header), 'tied copies are left out');
    assert.equal(heed('verify', to).status, 0);
  });
}

test('each type holds what it can', async () => {
  const half = fresh();
  assert.equal(heed('convert', '--dtype', 'f16', float, half).status, 0);
  // the numbers of golden/checkpoints fit into halves
  assert.deepEqual(await speak(half), exact);
  assert.deepEqual([...new Set(Object.values(headerOf(half)).map(({ dtype }) => dtype))], [undefined, 'F16']);
  assert.equal(manifestOf(half).dtype, 'float16');
  // F16 stays what it is
  const again = fresh();
  heed('convert', directoryOf('zip-f16.bin'), again);
  assert.equal(manifestOf(again).dtype, 'float16');

  const bytes = fresh();
  assert.equal(heed('convert', '--dtype', 'int8', directoryOf('zip.bin'), bytes).status, 0);
  assert.deepEqual(await speak(bytes), rounded);
  // int8 becomes floats again: those that its rows stand for
  const wide = fresh();
  assert.equal(heed('convert', '--dtype', 'f32', bytes, wide).status, 0);
  assert.deepEqual(await speak(wide), await speak(bytes, 'f32'));
  assert.deepEqual([...new Set(Object.values(headerOf(wide)).map(({ dtype }) => dtype))], [undefined, 'F32']);
});

test('halves are rounded to the nearest, ties to even', () => {
  const every = new Uint16Array(65536).map((_, i) => i);
  const floats = toFloats(new Uint8Array(every.buffer), 1);
  const finite = every.filter((half) => (half & 0x7c00) !== 0x7c00);
  const back = new Uint16Array(fromFloats(Float32Array.from(finite, (half) => floats[half]), 1).buffer);
  assert.deepEqual(back, finite);
  for (let half = 0; half < 0x7bff; half++) {
    const [low, high] = [floats[half], floats[half + 1]];
    const middle = (low + high) / 2; // 12 bits: a float holds it
    const nudge = (high - low) / 8;
    const [down, tie, up] = new Uint16Array(fromFloats(Float32Array.of(middle - nudge, -middle, middle + nudge),
      1).buffer);
    assert.deepEqual([down, tie, up], [half, 0x8000 | (half + (half & 1)), half + 1], `${middle}`);
  }
  assert.equal(findNonFinite(Float32Array.of(1, 65519.99, 65520), 1), 2);
  assert.equal(findNonFinite(Float32Array.of(1, NaN), 0), 1);
});

test("Marian's own directory: config.json of its settings, vocab.json of its vocab.yml", async () => {
  const from = directoryOf('model.npz', []);
  const pieces = ['</s>', '<unk>', '\u2581a', '"', '\\', "'", ': ', '#', '~'];
  const lines = pieces.map((piece, id) => `${JSON.stringify(piece)}: ${id}`);
  lines[2] = 'plain\u2581a: 2';
  lines[5] = "'''': 5";
  lines.push('"\\xe9": 9');
  writeFileSync(join(from, 'opus.spm32k-spm32k.vocab.yml'), `${lines.join('\n')}\n`);
  const to = fresh();
  const { status, stderr } = heed('convert', from, to);
  assert.deepEqual([status, stderr], [0, '']);
  const [want, got] = [checkpoints, to].map((d) => JSON.parse(readFileSync(join(d, 'config.json'), 'utf8')));
  // without config.json the positions and norms are those of Marian itself, which firefox.test.js compares with it
  const own = { ...want, positions: 'marian', layer_norm_eps: 1e-6 };
  const wavelengths = directoryOf('model.safetensors', []);
  writeFileSync(join(wavelengths, 'config.json'), JSON.stringify(own));
  // nor has Marian a padding, here piece 23 of 24
  const real = (/** @type {Float32Array[]} */ logits) => logits.map((row) => row.filter((_, i) => i % 24 < 23));
  const spoken = real(await speak(wavelengths));
  assert.notDeepEqual(spoken, real(exact));
  for (const directory of [to, from]) {
    const logits = await speak(directory);
    assert.deepEqual(real(logits), spoken);
    assert.ok(logits.flatMap((row) => [...row]).every((x, i) => i % 24 < 23 || x < -9000));
  }
  // Marian never writes <unk>
  assert.deepEqual(got.bad_words_ids, [[23], [1]]);
  const { max_position_embeddings: _, bad_words_ids: __, ...stated } = got;
  for (const [key, value] of Object.entries(stated)) if (key in want) assert.deepEqual(value, want[key], key);
  assert.deepEqual(JSON.parse(readFileSync(join(to, 'vocab.json'), 'utf8')), {
    '</s>': 0, '<unk>': 1, 'plain\u2581a': 2, '"': 3, '\\': 4, "'": 5, ': ': 6, '#': 7, '~': 8, '\u00e9': 9,
    '<pad>': 23,
  });
  writeFileSync(join(from, 'opus.spm32k-spm32k.vocab.yml'), '- a\n');
  assert.match(heed('convert', from, fresh()).stderr, /vocab\.yml: line 1: found '- a', expected "piece": id/);
  writeFileSync(join(from, 'opus.spm32k-spm32k.vocab.yml'), Uint8Array.of(0xff));
  assert.match(heed('convert', from, fresh()).stderr, /^heed: .*vocab\.yml: not UTF-8$/m);
});

test('scores belong to the type they were measured in', () => {
  const from = directoryOf('zip.bin');
  const scores = { dev: { bleu: 30.1, chrf2: 49.9 } };
  writeFileSync(join(from, 'heed.json'),
    JSON.stringify({ format: 1, name: 'x', dtype: 'float32', scores, files: { a: 1 } }));
  const [same, other] = [fresh(), fresh()];
  heed('convert', from, same);
  heed('quantize', from, other);
  assert.deepEqual([manifestOf(same).scores, manifestOf(same).name], [scores, 'x']);
  assert.deepEqual([manifestOf(other).scores, manifestOf(other).name, manifestOf(other).dtype],
    [undefined, 'x', 'int8']);
  assert.ok(!('a' in manifestOf(same).files));
});

/**
 * Where a tensor of golden/checkpoints begins in a file that has its bytes.
 *
 * @param {Uint8Array} file
 * @param {string} name
 */
function find(file, name) {
  const { header, data } = takeApart(new Uint8Array(readFileSync(join(checkpoints, 'model.safetensors'))));
  const [begin, end] = header[name].data_offsets;
  const at = Buffer.from(file).indexOf(data.subarray(begin, end));
  assert.ok(at > 0, name);
  return at;
}

test('what fails names file and tensor, and leaves nothing', () => {
  for (const [container, name] of [['zip.bin', 'pytorch_model.bin'], ['model.safetensors', 'model.safetensors']]) {
    for (const [value, dtype, message] of /** @type {const} */ ([
      [NaN, 'f32', 'found NaN, expected a finite number'],
      [-Infinity, 'int8', 'found -Infinity, expected a finite number'],
      [65520, 'f16', 'found 65520, beyond F16'],
    ])) {
      const from = directoryOf(container);
      const bytes = new Uint8Array(readFileSync(join(from, name)));
      const tensor = 'model.encoder.layers.1.fc1.weight';
      // row 2, column 3 of [12, 8]
      new DataView(bytes.buffer).setFloat32(find(bytes, tensor) + 4 * (2 * 8 + 3), value, true);
      writeFileSync(join(from, name), bytes);
      const to = fresh();
      const { status, stderr } = heed('convert', '--dtype', dtype, from, to);
      assert.equal(status, 1);
      assert.equal(stderr, `heed: ${name}: ${tensor}[2, 3]: ${message}\n`);
      assert.ok(!existsSync(to), 'no directory');
    }
  }
  // a model that lacks a tensor is not written either, and an empty directory stays
  const config = JSON.parse(readFileSync(join(checkpoints, 'config.json'), 'utf8'));
  const from = directoryOf('zip.bin', []);
  writeFileSync(join(from, 'config.json'), JSON.stringify({ ...config, decoder_layers: 2 }));
  const to = fresh();
  mkdirSync(to);
  const { status, stderr } = heed('convert', from, to);
  assert.equal(status, 1);
  assert.match(stderr, /model\.decoder\.layers\.1\.[\w.]+: HEED_E_TENSOR_MISSING/);
  assert.deepEqual(readdirSync(to), []);
  assert.deepEqual(readdirSync(scratch).filter((name) => name.includes('.partial')), []);
});

test('wrong usage is said', () => {
  for (const [args, message] of /** @type {[string[], RegExp][]} */ ([
    [['convert', 'a'], /convert: expected a model directory and a new one/],
    [['convert', '--dtype', 'int4', 'a', 'b'], /--dtype: found 'int4', expected int8, f16 or f32/],
    [['verify'], /verify: expected one model directory/],
  ])) {
    const { status, stderr } = heed(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, message);
  }
});

// ---------------------------------------------------------------- verify

test('verify finds every change, in a directory and on a server', async (t) => {
  const to = fresh();
  heed('convert', directoryOf('zip.bin'), to);
  const server = createServer((request, response) => {
    const path = join(to, String(request.url));
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const { verify } = await import('../js/convert/verify.js');
  const problems = async (/** @type {string} */ source) => {
    /** @type {Record<string, string>} */
    const found = {};
    for await (const { name, problem } of verify(source)) if (problem) found[name] = problem;
    return found;
  };
  const both = async () => {
    const found = await problems(to);
    assert.deepEqual(await problems(`http://127.0.0.1:${port}/`), found);
    return found;
  };
  assert.deepEqual(await both(), {});
  const whole = heed('verify', to);
  assert.equal(whole.status, 0);
  assert.match(whole.stdout, /^ok {2}model\.safetensors: \d+ bytes$/m);

  const manifest = readFileSync(join(to, 'heed.json'), 'utf8');
  writeFileSync(join(to, 'heed.json'), manifest.replace(/"[\da-f]{64}"/g, (hash) => hash.toUpperCase()));
  assert.equal(heed('verify', to).status, 0, 'hashes in capitals');
  writeFileSync(join(to, 'heed.json'), manifest);

  const weights = join(to, 'model.safetensors');
  const bytes = readFileSync(weights);
  bytes[bytes.length - 1] ^= 1;
  writeFileSync(weights, bytes);
  assert.match((await both())['model.safetensors'], /^found sha256 [\da-f]{64}, expected [\da-f]{64}$/);
  writeFileSync(weights, bytes.subarray(1));
  assert.match((await both())['model.safetensors'], /^found \d+ bytes, expected \d+$/);
  rmSync(weights);
  assert.deepEqual(await both(), { 'model.safetensors': 'is missing' });
  const missing = heed('verify', to);
  assert.equal(missing.status, 1);
  assert.match(missing.stdout, /^BAD model\.safetensors: is missing$/m);
  assert.match(missing.stderr, /not as heed\.json says: model\.safetensors/);

  const entry = { size: 1, sha256: '0'.repeat(64) };
  for (const files of [undefined, [], {}, { a: null }, { a: { ...entry, size: -1 } }, { a: { ...entry, sha256: 'x' } },
    { '../a': entry }, { '..': entry }, { 'a/b': entry }]) {
    writeFileSync(join(to, 'heed.json'), JSON.stringify({ files }));
    const { status, stderr } = heed('verify', to);
    assert.equal(status, 1);
    assert.match(stderr, /^heed: heed\.json: files/, JSON.stringify(files));
  }
  assert.match(heed('verify', '/nowhere').stderr, /nowhere: heed\.json is missing/);
});
