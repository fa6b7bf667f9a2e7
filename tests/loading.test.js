// How models are loaded: every kind of source, progress, cancelling, the safetensors rules to the letter, tied copies.
import test from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Transformer } from '../js/index.js';
import { CHUNK } from '../js/base/limits.js';
import { openSource } from '../js/files/source.js';
import { headerLength, parseHeader } from '../js/formats/safetensors.js';
import { parseJson } from '../js/base/json.js';
import { listen } from './listen.js';
import { bytes, changeWeights, SHIPPED, readFiles, safetensors, takeApart, TINY } from './model-files.js';

const SOURCE = [5, 9, 12, 0];

/** What a model says, to compare loads with one another. @param {Transformer} model */
const speak = (model) => [...model.encode(SOURCE).data];

const expected = await Transformer.load(TINY).then(speak);

/**
 * A server of one directory. `write` sends the body.
 *
 * @param {import('node:test').TestContext} t
 * @param {(name: string, response: import('node:http').ServerResponse) => void} write
 */
async function serve(t, write) {
  return listen(t, (request, response) => write(String(request.url).split('?')[0].slice(1), response));
}

/** @param {import('./model-files.js').Files} files @returns {Parameters<typeof serve>[1]} */
const sendFiles = (files) => (name, response) => {
  if (!files[name]) response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html>not here');
  else response.end(files[name]);
};

test('every kind of source gives the same model', async (t) => {
  const files = readFiles(TINY);
  const address = await serve(t, sendFiles(files));
  const sources = {
    path: TINY,
    'path with a slash': `${TINY}/`,
    'relative path': relative(process.cwd(), TINY),
    'file URL': pathToFileURL(TINY),
    'file URL as text': pathToFileURL(`${TINY}/`).href,
    'http URL': address,
    'http URL with a query': `${address}?key=1`,
    bytes: files,
    ArrayBuffers: Object.fromEntries(Object.entries(files).map(([name, b]) => [name, b.slice().buffer])),
    Buffers: Object.fromEntries(Object.entries(files).map(([name, b]) => [name, Buffer.from(b)])),
    Blobs: Object.fromEntries(Object.entries(files).map(([name, b]) => [name, new Blob([b])])),
  };
  for (const [kind, source] of Object.entries(sources)) {
    const model = await Transformer.load(/** @type {any} */ (source));
    assert.deepEqual(speak(model), expected, kind);
    model.dispose();
  }
});

test('weights that arrive in odd pieces are the same weights', async (t) => {
  const files = readFiles(TINY);
  const address = await serve(t, async (name, response) => {
    if (name !== 'model.safetensors') return sendFiles(files)(name, response);
    for (let i = 0, n = 1; i < files[name].length; i += n, n = (n * 7 + 3) % 1009 || 1) {
      if (!response.write(files[name].subarray(i, i + n))) await once(response, 'drain');
    }
    response.end();
  });
  const model = await Transformer.load(address);
  assert.deepEqual(speak(model), expected);
});

test('local files are read in order and after jumps; a chunk stays as it is until the next', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-read-'));
  t.after(() => rmSync(directory, { recursive: true }));
  // each number tells its own place
  const numbers = Uint32Array.from({ length: (3.5 * CHUNK) / 4 }, (_, i) => i);
  const size = numbers.byteLength;
  writeFileSync(join(directory, 'numbers'), numbers);
  const { io } = await openSource(directory);
  const file = await io.fileChunks(join(directory, 'numbers'));
  assert.ok(file);
  t.after(file.close);
  /** @param {number} at */
  const readAt = async (at) => {
    const chunk = await file.next();
    // the next chunk is being read by now
    await new Promise((done) => fs.stat(directory, done));
    assert.deepEqual(chunk && Buffer.from(chunk), at < size ? Buffer.from(numbers.buffer, at).subarray(0, CHUNK) : null);
    return at + (chunk?.length ?? 0);
  };
  for (let at = 0; at < size;) at = await readAt(at);
  assert.equal(await readAt(size), size);
  for (const at of [4, size - 4, CHUNK, 0, 2 * CHUNK + 8, size]) {
    file.seek(CHUNK / 2);
    file.seek(at);
    const next = await readAt(at);
    file.seek(next);
    if (at < size) assert.equal(await readAt(next), Math.min(size, next + CHUNK));
  }
  // what reads ahead may fail after the end: an unhandled rejection would end this process
  file.seek(0);
  await file.next();
  file.seek(4);
  await file.close();
  await new Promise((done) => fs.stat(directory, done));
});

test('a source of another kind is a TypeError', async () => {
  for (const source of [undefined, null, 7, new Uint8Array(4)]) {
    await assert.rejects(Transformer.load(/** @type {any} */ (source)), { name: 'TypeError', message: /^source: / });
  }
  await assert.rejects(Transformer.load(/** @type {any} */ ({ 'config.json': '{}' })), {
    name: 'TypeError',
    message: /config\.json is neither Blob/,
  });
});

test('the wasm module comes from where one says', async () => {
  const url = new URL('../js/heed.wasm', import.meta.url);
  const code = readFileSync(url);
  for (const wasm of [url, url.href, code, new Uint8Array(code).buffer, new WebAssembly.Module(code)]) {
    assert.deepEqual(speak(await Transformer.load(TINY, { wasm })), expected);
  }
});

test('progress begins with 0, never goes back, and ends with the sizes of all files', async (t) => {
  // what only transformers or a Translator reads is not loaded
  const { 'tokenizer_config.json': _, 'lexicon.bin': __, 'ngrams.bin': ___, ...files } = readFiles(SHIPPED);
  const address = await serve(t, sendFiles(files));
  const total = Object.values(files).reduce((sum, b) => sum + b.length, 0);
  for (const source of [SHIPPED, address]) {
    /** @type {{ file: string, loaded: number, total: number }[]} */
    const calls = [];
    await Transformer.load(source, { onProgress: (p) => calls.push(p) });
    assert.equal(calls[0].loaded, 0);
    assert.deepEqual({ ...calls.at(-1) }, { file: 'model.safetensors', loaded: total, total });
    assert.ok(calls.every((p, i) => p.total === total && (i === 0 || p.loaded >= calls[i - 1].loaded)));
    assert.deepEqual([...new Set(calls.map((p) => p.file))].sort(), Object.keys(files).sort());
  }
});

test('an abort stops loading', async (t) => {
  const files = readFiles(SHIPPED);
  const address = await serve(t, sendFiles(files));
  await assert.rejects(Transformer.load(SHIPPED, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  for (const source of [SHIPPED, address, files]) {
    const reason = new Error('changed my mind');
    const stop = new AbortController();
    const onProgress = (/** @type {{ loaded: number }} */ p) => void (p.loaded > 3e6 && stop.abort(reason));
    await assert.rejects(Transformer.load(source, { signal: stop.signal, onProgress }), reason);
  }
  // one that falls silent in the middle of a body
  const stalling = await serve(t, (name, response) => {
    if (name === 'model.safetensors') response.write(files[name].subarray(0, 1e6));
    else sendFiles(files)(name, response);
  });
  await assert.rejects(Transformer.load(stalling, { signal: AbortSignal.timeout(300) }), { name: 'TimeoutError' });
  // a server that never answers
  const silent = await serve(t, () => {});
  const wasm = `${silent}heed.wasm`;
  await assert.rejects(Transformer.load(SHIPPED, { wasm, signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  const loading = Transformer.load(silent, { signal: AbortSignal.timeout(50) });
  await assert.rejects(loading, { name: 'TimeoutError' });
});

test('an optional file that a server refuses is an error; a missing one is not', async (t) => {
  const files = readFiles(TINY);
  const answers = { 404: true, 410: true, 403: true, 401: false, 429: false, 500: false };
  for (const [status, loads] of Object.entries(answers)) {
    const address = await serve(t, (name, response) => {
      if (name === 'generation_config.json') response.writeHead(Number(status)).end();
      else sendFiles(files)(name, response);
    });
    const loading = Transformer.load(address);
    if (loads) (await loading).dispose();
    else await assert.rejects(loading, new RegExp(`generation_config\\.json: HTTP ${status}`));
  }
});

test('what onProgress throws ends the load', async () => {
  const error = new Error('mine');
  await assert.rejects(
    Transformer.load(TINY, {
      onProgress: () => {
        throw error;
      },
    }),
    error,
  );
});

test('tied copies in a file are left aside, and the own name wins', async () => {
  const files = readFiles(TINY);
  const rows = takeApart(files['model.safetensors']).header['model.shared.weight'];
  const size = rows.data_offsets[1] - rows.data_offsets[0];
  for (const name of ['lm_head.weight', 'model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight']) {
    // zeros under the other name, once before and once after the tensors that count
    const after = changeWeights(files, () => {});
    const { header, data } = takeApart(after['model.safetensors']);
    header[name] = { ...rows, data_offsets: [data.length, data.length + size] };
    const copyLast = {
      ...files,
      'model.safetensors': safetensors(header, new Uint8Array([...data, ...new Uint8Array(size)])),
    };
    assert.deepEqual(speak(await Transformer.load(copyLast)), expected, `${name} last`);

    for (const entry of Object.values(header))
      if (entry.data_offsets) entry.data_offsets = entry.data_offsets.map((n) => n + size);
    header[name].data_offsets = [0, size];
    const copyFirst = {
      ...files,
      'model.safetensors': safetensors(header, new Uint8Array([...new Uint8Array(size), ...data])),
    };
    assert.deepEqual(speak(await Transformer.load(copyFirst)), expected, `${name} first`);

    // alone it serves
    const alone = changeWeights(files, (h) => {
      h[name] = h['model.shared.weight'];
      delete h['model.shared.weight'];
    });
    assert.deepEqual(speak(await Transformer.load(alone)), expected, `${name} alone`);
  }
});

// ---------------------------------------------------------------- safetensors

const f32 = (/** @type {number[]} */ shape, /** @type {number} */ begin, /** @type {number} */ end) => ({
  dtype: 'F32',
  shape,
  data_offsets: [begin, end],
});

test('a header gives its tensors in the order of their bytes', () => {
  const header = bytes(
    JSON.stringify({
      __metadata__: { format: 'pt' },
      b: f32([2], 4, 12),
      a: f32([1, 1], 0, 4),
      e: f32([0, 3], 12, 12),
      h: { dtype: 'I8', shape: [3], data_offsets: [12, 15] },
    }) + '   ',
  );
  assert.deepEqual(
    parseHeader(header, 'f').map(({ name, bytes: n }) => [name, n]),
    [
      ['a', 4],
      ['b', 8],
      ['e', 0],
      ['h', 3],
    ],
  );
});

test('a header that breaks a rule is refused', () => {
  const own = (/** @type {string} */ text) => `{"a":${text}}`;
  const entry = (/** @type {object} */ change) => ({ a: { ...f32([2], 0, 8), ...change } });
  const cases = {
    'a space first': ' {}',
    'an array': '[]',
    'not JSON': '{',
    'not UTF-8': new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'a name twice':
      '{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}',
    'a name twice, once escaped':
      '{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"\\u0061":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}',
    'a key twice in an entry': own('{"dtype":"F32","dtype":"F32","shape":[],"data_offsets":[0,4]}'),
    'an entry that is null': own('null'),
    'an entry that is an array': own('[]'),
    'an entry that is a number': own('4'),
    'no shape': entry({ shape: undefined }),
    'a negative dimension': entry({ shape: [-2] }),
    'a fraction': entry({ shape: [1.5] }),
    'a dimension as text': entry({ shape: ['2'] }),
    'a dimension past 2^53': own('{"dtype":"F32","shape":[9007199254740993],"data_offsets":[0,8]}'),
    'a product past 2^53': entry({ shape: [2 ** 31, 2 ** 31] }),
    'a product past 2^64': entry({ shape: [2 ** 40, 2 ** 40, 2 ** 40] }),
    'a product that is 2^32 times too large': entry({ shape: [2 ** 32, 2] }),
    'no offsets': entry({ data_offsets: undefined }),
    'three offsets': entry({ data_offsets: [0, 8, 8] }),
    'offsets swapped': entry({ data_offsets: [8, 0] }),
    'an offset below 0': entry({ data_offsets: [-8, 0] }),
    'too few bytes': entry({ data_offsets: [0, 4] }),
    'a hole at the beginning': entry({ data_offsets: [4, 12] }),
    'a hole between': { a: f32([1], 0, 4), b: f32([1], 8, 12) },
    'an overlap': { a: f32([2], 0, 8), b: f32([2], 4, 12) },
    'the same bytes twice': { a: f32([2], 0, 8), b: f32([2], 0, 8) },
    'metadata that is no text': { __metadata__: { a: 1 } },
    'metadata that is null': '{"__metadata__":null}',
  };
  for (const [what, header] of Object.entries(cases)) {
    const text =
      header instanceof Uint8Array ? header : bytes(typeof header === 'string' ? header : JSON.stringify(header));
    assert.throws(() => parseHeader(text, 'f'), { name: 'HeedError', code: 13, message: /^f: / }, what);
  }
});

test('element types that the core cannot read are refused by name', () => {
  for (const dtype of ['F64', 'I64', 'BOOL', 'U8', 'F8_E4M3', 'f32', '__proto__', 3, null]) {
    const header = bytes(JSON.stringify({ a: { dtype, shape: [1], data_offsets: [0, 4] } }));
    assert.throws(
      () => parseHeader(header, 'f'),
      { name: 'HeedError', code: 17, message: /^f: a: dtype: found/ },
      String(dtype),
    );
  }
});

test('a name like __proto__ is a name like others', () => {
  const [tensor] = parseHeader(bytes('{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'), 'f');
  assert.equal(tensor.name, '__proto__');
});

test('the length before the header is not believed', () => {
  const length = (/** @type {bigint} */ n) => {
    const b = new Uint8Array(8);
    new DataView(b.buffer).setBigUint64(0, n, true);
    return b;
  };
  for (const n of [0n, 1n, 100_000_001n, 2n ** 32n + 2n, 2n ** 53n, 2n ** 64n - 1n]) {
    assert.throws(() => headerLength(length(n), 'f'), { code: 13 }, String(n));
  }
  assert.throws(() => headerLength(new Uint8Array(7), 'f'), { code: 13, message: /found 7 bytes/ });
  assert.equal(headerLength(length(100_000_000n), 'f'), 100_000_000);
});

test('JSON is held to the letter', () => {
  assert.deepEqual(parseJson(bytes('\ufeff{"a":{"b":1},"c":[{"b":2},{"b":3}],"d":"{\\"a\\":1,\\"a\\":2}"}'), 'f').a, {
    b: 1,
  });
  const twice = /the key 'x' occurs twice/;
  assert.throws(() => parseJson(bytes('{"x":1,"x":2}'), 'f'), { code: 11, message: twice });
  assert.throws(() => parseJson(bytes('{"y":[{"x":1 , "z":{} , "\\u0078" : 2}]}'), 'f'), { code: 11, message: twice });
  assert.throws(() => parseJson(bytes('<!doctype html><p>no'), 'f'), { code: 11, message: /HTML/ });
  for (const text of ['', 'null', '[]', '7', '"x"', '{]', '{"a":1}x'])
    assert.throws(() => parseJson(bytes(text), 'f'), { code: 11 }, text);
});

test('the module is compiled while it streams, with any MIME type', async (t) => {
  const module = readFileSync(new URL('../js/heed.wasm', import.meta.url));
  const types = ['application/wasm', 'application/wasm; charset=utf-8', 'application/octet-stream', undefined];
  const address = await serve(t, (name, response) => {
    const type = types[Number(name)];
    response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(module);
  });
  const streaming = t.mock.method(WebAssembly, 'compileStreaming');
  for (const i of types.keys()) {
    const model = await Transformer.load(TINY, { wasm: `${address}${i}` });
    assert.deepEqual(speak(model), expected, String(types[i]));
    assert.equal(streaming.mock.callCount(), i + 1, String(types[i]));
    model.dispose();
  }
});
