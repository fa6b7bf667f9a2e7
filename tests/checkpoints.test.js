// Checkpoints as PyTorch and Marian save them: every format gives the numbers of the safetensors file, from every kind
// of source, and errors are reported. golden/checkpoints.py wrote golden/checkpoints.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HeedError, Transformer } from '../js/index.js';
import { openContainer } from '../js/formats/open.js';
import { openSource } from '../js/files/source.js';
import { listen } from './listen.js';
import { changeJson } from './model-files.js';

const directory = fileURLToPath(new URL('golden/checkpoints/', import.meta.url));
const read = (/** @type {string} */ name) => new Uint8Array(readFileSync(join(directory, name)));

const TORCH = ['zip.bin', 'zip-f16.bin', 'zip-bf16.bin', 'protocol-4.bin', 'deflated.bin', 'legacy.bin', 'views.bin'];
const MARIAN = ['model.npz', 'compressed.npz'];
/** The name that a container has in a model directory. @param {string} name */
const called = (name) => (name.endsWith('.npz') ? 'model.npz' : 'pytorch_model.bin');

const config = read('config.json');
const generation = read('generation_config.json');
/** @param {string} name @param {Uint8Array} [bytes] */
const filesOf = (name, bytes = read(name)) => ({
  'config.json': config,
  'generation_config.json': generation,
  [called(name)]: bytes,
});

/** @type {{ cases: { source: number[], target: number[], logits: number[][] }[] }} */
const { cases } = JSON.parse(new TextDecoder().decode(read('cases.json')));

/** @param {Transformer} model */
function speak(model) {
  const logits = cases.map(({ source, target }) => model.forward(source, target).logits.data);
  model.dispose();
  return logits;
}

const expected = speak(
  await Transformer.load({ 'config.json': config, 'model.safetensors': read('model.safetensors') }),
);

test('the safetensors file says what PyTorch says', () => {
  // logits to 8.7, in 32 bits through three layers, against 64 bits rounded to 7 digits: 2.2e-6 is seen
  for (const [i, { logits }] of cases.entries()) {
    logits.flat().forEach((x, j) => assert.ok(Math.abs(x - expected[i][j]) < 1e-5, `case ${i}, number ${j}`));
  }
});

/**
 * A server of files. ranges: it sends parts of files.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, Uint8Array>} files
 * @param {boolean} ranges
 */
async function serve(t, files, ranges) {
  const sent = { bytes: 0, requests: 0 };
  const address = await listen(t, (request, response) => {
    const file = files[String(request.url).slice(1)];
    if (!file) return void response.writeHead(404).end();
    sent.requests++;
    const begin = ranges ? /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] : undefined;
    const part = file.subarray(Number(begin ?? 0));
    /** @type {Record<string, string | number>} */
    const headers = { 'content-length': part.length };
    if (begin) headers['content-range'] = `bytes ${begin}-${file.length - 1}/${file.length}`;
    response.writeHead(begin ? 206 : 200, headers).end(part, () => (sent.bytes += part.length));
  });
  return { address, sent };
}

for (const name of [...TORCH, ...MARIAN]) {
  test(`${name}: the same numbers to the bit, from every kind of source`, async (t) => {
    const files = filesOf(name);
    const folder = mkdtempSync(join(tmpdir(), 'heed-checkpoint-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const [file, b] of Object.entries(files)) writeFileSync(join(folder, file), b);
    const [ranged, whole] = [await serve(t, files, true), await serve(t, files, false)];
    const sources = {
      bytes: files,
      'bytes within others': Object.fromEntries(
        Object.entries(files).map(([file, b]) => [file, new Uint8Array([7, ...b, 7]).subarray(1, b.length + 1)]),
      ),
      Blobs: Object.fromEntries(Object.entries(files).map(([file, b]) => [file, new Blob([b])])),
      directory: folder,
      'a server that sends parts': ranged.address,
      'a server that does not': whole.address,
    };
    for (const [kind, source] of Object.entries(sources)) {
      /** @type {{ loaded: number, total: number }[]} */
      const calls = [];
      const onProgress = (/** @type {{ loaded: number, total: number }} */ p) => void calls.push(p);
      assert.deepEqual(speak(await Transformer.load(source, { onProgress })), expected, kind);
      // tensors that share their bytes are no more to load
      const total = Object.values(files).reduce((sum, file) => sum + file.length, 0);
      assert.ok(calls.every((p) => p.total === total), `${kind}: ${calls.map((p) => p.total)}, expected ${total}`);
      assert.ok(calls.every((p, i) => i === 0 || p.loaded >= calls[i - 1].loaded), kind);
      assert.deepEqual([calls[0].loaded, calls.findIndex((p) => p.loaded === total)], [0, calls.length - 1], kind);
    }
  });
}

test('a server that refuses to send parts sends the whole', async (t) => {
  const files = filesOf('zip.bin');
  let refused = 0;
  const address = await listen(t, (request, response) => {
    const file = files[/** @type {keyof typeof files} */ (String(request.url).slice(1))];
    if (request.headers.range) {
      refused++;
      response.writeHead(400).end();
    } else if (file) response.writeHead(200, { 'content-length': file.length }).end(file);
    else response.writeHead(404).end();
  });
  assert.deepEqual(speak(await Transformer.load(address)), expected);
  assert.ok(refused > 0);
});

test('an .npz of another name is found where names can be listed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-checkpoint-'));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(join(directory, 'config.json'), join(folder, 'config.json'));
  cpSync(join(directory, 'model.npz'), join(folder, 'opus.npz'));
  assert.deepEqual(speak(await Transformer.load(folder)), expected);
  assert.deepEqual(speak(await Transformer.load({ 'config.json': config, 'opus.npz': read('model.npz') })), expected);
});

test('tensors that share their numbers, and are not tied, are each filled', async () => {
  const untied = changeJson(filesOf('zip.bin'), 'config.json', (c) => {
    c.tie_word_embeddings = c.share_encoder_decoder_embeddings = false;
  });
  // one storage for source, target and output: it is read three times, model.shared.weight has no place
  await assert.rejects(Transformer.load(untied), { code: 15, message: /pytorch_model\.bin: model\.shared\.weight: / });
  const tied = changeJson(filesOf('zip.bin'), 'config.json', (c) => void (c.tie_word_embeddings = false));
  for (const name of ['zip.bin', 'deflated.bin', 'legacy.bin']) {
    assert.deepEqual(speak(await Transformer.load({ ...tied, 'pytorch_model.bin': read(name) })), expected, name);
  }
});

test('an abort stops loading', async (t) => {
  const reason = new Error('changed my mind');
  for (const ranges of [true, false]) {
    const { address } = await serve(t, filesOf('zip.bin'), ranges);
    const stop = new AbortController();
    const onProgress = (/** @type {{ loaded: number }} */ p) => void (p.loaded > 0 && stop.abort(reason));
    await assert.rejects(Transformer.load(address, { signal: stop.signal, onProgress }), reason);
  }
});

test('a file that changes between two requests is said to', async (t) => {
  const files = filesOf('zip.bin');
  let version = 0;
  const address = await listen(t, (request, response) => {
    const file = files[/** @type {keyof typeof files} */ (String(request.url).slice(1))];
    if (!file) return void response.writeHead(404).end();
    const begin = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const length = file.length - Number(begin ?? 0);
    response.writeHead(begin ? 206 : 200, { 'content-length': length, etag: `"${version++}"` });
    response.end(file.subarray(Number(begin ?? 0)));
  });
  await assert.rejects(Transformer.load(address), /pytorch_model\.bin: the file changed between/);
});

// ---------------------------------------------------------------- what is wrong

const parsed = JSON.parse(new TextDecoder().decode(config));

/** Read a container to its end, as the loader does. @param {string} name @param {Uint8Array} bytes */
async function drain(name, bytes) {
  const weights = await openContainer(await openSource({ [called(name)]: bytes }), parsed);
  assert.ok(weights);
  let sum = 0;
  try {
    for (const tensor of weights.tensors) {
      for (let left = tensor.bytes; left > 0; ) {
        const chunk = await weights.next(left);
        if (!chunk) throw new HeedError(13, `${weights.file}: cut short`);
        left -= chunk.length;
        sum += chunk.length;
      }
    }
    if (await weights.next(1)) throw new HeedError(13, `${weights.file}: too long`);
  } finally {
    await weights.close();
  }
  return sum;
}

/**
 * Rejects with a HeedError that begins with the file's name, and never with anything else.
 *
 * @param {string} name
 * @param {Uint8Array} bytes
 */
async function survives(name, bytes) {
  try {
    await drain(name, bytes);
    return true;
  } catch (error) {
    assert.ok(error instanceof HeedError, `${error instanceof Error ? error.stack : error}`);
    assert.ok(error.message.startsWith(`${called(name)}: `), error.message);
    return false;
  }
}

// the last takes five times as long as any other
for (const [name, step, changes] of /** @type {const} */ ([
  ['legacy.bin', 3, 500], ['zip.bin', 3, 500], ['deflated.bin', 7, 500], ['model.npz', 7, 500],
  ['compressed.npz', 7, 150],
])) {
  test(`${name}: cut off at every ${step}. byte it is refused`, async () => {
    const whole = read(name);
    assert.ok(await survives(name, whole));
    for (let length = 0; length < whole.length; length += step) {
      assert.ok(!(await survives(name, whole.subarray(0, length))), `${length} of ${whole.length} bytes`);
    }
  });

  test(`${name}: with bytes changed it loads or is refused`, async () => {
    const whole = read(name);
    let state = 1;
    const below = (/** @type {number} */ n) => ((state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 8) % n;
    for (let i = 0; i < changes; i++) {
      const copy = whole.slice();
      // numbers are most of the bytes: what describes them is at the ends
      const span = i % 2 ? copy.length : 4096;
      for (let n = 1 + below(4); n > 0; n--) copy[i % 4 < 2 ? below(span) : copy.length - 1 - below(span)] = below(256);
      await survives(name, copy);
    }
  });
}

// ---------------------------------------------------------------- real shapes

const big = fileURLToPath(new URL('../build/checkpoints/', import.meta.url));
const isThere = existsSync(join(big, 'tc-big/expected.json'));
const skip = !isThere && 'build/checkpoints is missing: golden/checkpoints.py --big makes it';

/**
 * What a script prints as JSON, in a process of its own, and the most memory it took, in bytes.
 *
 * @param {string} script
 */
function measure(script) {
  const rss = `process.on('exit', () => console.log(process.resourceUsage().maxRSS * 1024));`;
  const args = ['--input-type=module', '--eval', `${rss}\n${script}`];
  const cwd = new URL('../', import.meta.url);
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8', cwd }).trim().split('\n');
  return { lines, rss: Number(lines.at(-1)) };
}

for (const name of ['opus-mt', 'tc-big']) {
  test(`${name}: PyTorch's logits, in the memory of its weights`, { skip }, (t) => {
    const idle = measure("import { instantiate } from './js/wasm/core.js'; await instantiate();").rss;
    for (const dtype of ['f32', 'int8']) {
      const { lines, rss } = measure(`
        import { Transformer } from './js/index.js';
        const model = await Transformer.load('build/checkpoints/${name}', { dtype: '${dtype}' });
        console.log(model.info.weightBytes);`);
      const taken = rss - idle;
      t.diagnostic(`${dtype}: ${Math.round(taken / 1e6)} MB for ${Math.round(Number(lines[0]) / 1e6)} MB of weights`);
      assert.ok(taken <= 1.3 * Number(lines[0]) + (16 << 20), `${taken} bytes for ${lines[0]} of weights`);
    }
    const { lines } = measure(`
      import { readFileSync } from 'node:fs';
      import { Transformer } from './js/index.js';
      const from = 'build/checkpoints/${name}/';
      const { source, target } = JSON.parse(readFileSync(from + 'expected.json', 'utf8'));
      const file = readFileSync(from + 'expected.safetensors');
      const want = new Float32Array(new Uint8Array(file.subarray(8 + Number(file.readBigUInt64LE(0)))).buffer);
      const got = (await Transformer.load(from, { dtype: 'f32' })).forward(source, target).logits.data;
      const most = got.reduce((most, x, i) => Math.max(most, Math.abs(x - want[i])), 0);
      console.log(want.length === got.length ? most : NaN);`);
    t.diagnostic(`logits differ by ${lines[0]} at most`);
    // logits to 15 in 32 bits through 12 layers: 2.1e-5 and 2.9e-5 are seen
    assert.ok(Number(lines[0]) < 2e-4, `logits differ by ${lines[0]}`);
  });

  test(`${name}: converts within 1 GB`, { skip }, (t) => {
    const to = mkdtempSync(join(tmpdir(), 'heed-checkpoint-'));
    t.after(() => rmSync(to, { recursive: true }));
    const start = performance.now();
    const { rss } = measure(`
      import { convert } from './js/convert/convert.js';
      await convert('build/checkpoints/${name}', '${to}', { dtype: 'f32' });`);
    t.diagnostic(`${((performance.now() - start) / 1000).toFixed(1)} s, ${Math.round(rss / 1e6)} MB`);
    assert.ok(rss <= 1e9, `${rss} bytes`);
  });
}
