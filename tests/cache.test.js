// cache.test.js - downloads in Node: stored files are not downloaded again, broken downloads are resumed, wrong files
// are never stored, and SHA-256 equals Node's own. worker-page.test.js tests the Cache API of pages, downloads.test.js
// more failures.
import test from 'node:test';
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { openRemote } from '../js/files/source.js';
import { instantiate } from '../js/wasm/module.js';
import { FIXTURE } from './browser/fixture.js';
import { bytes, changeJson, readFiles } from './model-files.js';
import {
  CHUNK, cutAt, expected, expectedOther, FILES, listing, load, OTHER, other, padded, plain, serve, sha256, speak,
  WEIGHTS, whole,
} from './served-model.js';

/** @typedef {import('./served-model.js').State} State */

test('SHA-256 is that of node:crypto, for awkward lengths in awkward pieces', async () => {
  const core = await instantiate();
  const data = Uint8Array.from({ length: 600_000 }, (_, i) => (i * 2654435761) >>> 24);
  for (const length of [0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 262_143, 262_144, 262_145,
    600_000]) {
    for (const piece of [1 + length / 7, 64, 600_000]) {
      const hash = core.sha256();
      for (let at = 0; at < length; at += Math.floor(piece)) {
        hash.update(data.subarray(at, Math.min(at + Math.floor(piece), length)));
      }
      assert.equal(hash.end(), sha256(data.subarray(0, length)), `${length} bytes in pieces of ${piece}`);
      hash.free();
      hash.free();
    }
  }
  core.dispose();
});

test('the second load asks for heed.json only, and for nothing when there is no network', async (t) => {
  const state = await serve(t);
  assert.deepEqual(await load(state), expected);
  assert.ok(state.asked.includes(WEIGHTS));
  assert.deepEqual(await load(state), expected);
  assert.deepEqual(state.asked.filter((name) => name in FILES), ['heed.json']);
  state.down = true;
  assert.deepEqual(await load(state), expected);
  await assert.rejects(load(state, { cache: false }), { name: 'NetworkError' });
  await assert.rejects(Transformer.load(state.address), { name: 'NetworkError' }); // Node keeps nothing unasked
});

test('files that no heed.json lists are kept too, by their ETag', async (t) => {
  const state = await serve(t);
  state.files = padded(plain);
  let sent = 0;
  state.before = (name, _, response) => void (name === WEIGHTS
    && response.on('close', () => (sent += response.socket?.bytesWritten ?? 0)));
  assert.deepEqual(await load(state), expected);
  state.down = true;
  assert.deepEqual(await load(state), expected);
  state.down = false;
  assert.deepEqual(await load(state), expected);
  state.files = padded(other);
  assert.deepEqual(await load(state), expectedOther);
  state.down = true;
  assert.deepEqual(await load(state), expectedOther);
});

test('a new version is fetched when heed.json says so, and replaces the old', async (t) => {
  const state = await serve(t);
  await load(state);
  const count = (await readdir(state.cache)).length;
  state.files = OTHER;
  assert.deepEqual(await load(state), expectedOther);
  assert.deepEqual(state.asked.filter((name) => name in FILES).sort(), ['heed.json', WEIGHTS].sort());
  assert.equal((await readdir(state.cache)).length, count);
});

/** Change the kept copy of the weights. @param {State} state @param {(data: Buffer) => Uint8Array} change */
async function poison(state, change) {
  for (const name of await readdir(state.cache)) {
    const data = await readFile(join(state.cache, name));
    if (data.length > whole.length) await writeFile(join(state.cache, name), change(data));
  }
}

test('what was changed where it is kept is thrown away and fetched again', async (t) => {
  const state = await serve(t);
  const changes = {
    'its last byte': (/** @type {Buffer} */ data) => data.with(data.length - 1, data[data.length - 1] ^ 1),
    'its header': (/** @type {Buffer} */ data) => data.with(4096, data[4096] ^ 1),
    'cut short': (/** @type {Buffer} */ data) => data.subarray(0, 100_000),
    'longer': (/** @type {Buffer} */ data) => Buffer.concat([data, Buffer.from('x')]),
    'not ours': () => Buffer.from('hello'),
  };
  await load(state);
  for (const [what, change] of Object.entries(changes)) {
    await poison(state, change);
    /** @type {number[]} */
    const seen = [];
    assert.deepEqual(await load(state, { onProgress: (/** @type {any} */ p) => seen.push(p.loaded) }), expected, what);
    assert.ok(state.asked.includes(WEIGHTS), what);
    assert.deepEqual(seen, seen.toSorted((a, b) => a - b), 'progress never goes back');
    state.down = true;
    assert.deepEqual(await load(state), expected, `${what}: it is whole again`);
    state.down = false;
  }
});

test('a file with a wrong hash is never kept', async (t) => {
  const state = await serve(t);
  state.files = { ...FILES, [WEIGHTS]: OTHER[WEIGHTS] };
  await assert.rejects(load(state), { status: 'HEED_E_HASH', message: /^model\.safetensors: sha256: found / });
  for (const name of await readdir(state.cache)) {
    const { length } = await readFile(join(state.cache, name));
    assert.ok(length < 1_000_000, 'no weights are kept');
  }
  state.files = FILES;
  assert.deepEqual(await load(state), expected);
});

test('a broken download continues where it stopped, and little is sent twice', async (t) => {
  const state = await serve(t);
  // fixed, spread over the file: the first byte, inside the header, at the border of the tensors, the last byte
  for (const at of [1, 7, 8, 9, 4096, 65_536, 123_457, 500_001, 1_000_000, whole.length - 20_000, whole.length - 1]) {
    state.before = cutAt(at);
    assert.deepEqual(await load(state, { cache: false }), expected, `cut at ${at}`);
    const [, range] = state.asked.filter((asked) => asked.startsWith(WEIGHTS));
    const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    assert.ok(at - from <= CHUNK, `cut at ${at}, went on at ${from}`);
  }
});

test('a resumed file is stored; servers without range support work too', async (t) => {
  const state = await serve(t);
  state.before = cutAt(700_000);
  assert.deepEqual(await load(state), expected);
  state.down = true;
  assert.deepEqual(await load(state), expected);
  state.down = false;
  const cut = cutAt(700_000);
  state.before = (name, request, response) => {
    if (cut(name, request, response)) return true;
    delete request.headers.range;
    return false;
  };
  assert.deepEqual(await load(state, { cache: false }), expected);
});

test('a file that changes under way is loaded as it is then', async (t) => {
  const state = await serve(t);
  for (const isListed of [true, false]) {
    state.files = isListed ? FILES : padded(plain);
    const cut = cutAt(700_000);
    state.before = (name, request, response) => {
      if (!cut(name, request, response)) return false;
      state.files = isListed ? OTHER : padded(other);
      return true;
    };
    assert.deepEqual(await load(state, { cache: false }), expectedOther, isListed ? 'listed' : 'not listed');
  }
});

test('a connection that always breaks is tried three times; a refusal once', async (t) => {
  const state = await serve(t);
  state.before = (name, request, response) => (name === WEIGHTS ? cutAt(100_000)(name, request, response) : false);
  await assert.rejects(load(state), { status: 'HEED_E_FILE', name: 'NetworkError' });
  assert.equal(state.asked.filter((asked) => asked.startsWith(WEIGHTS)).length, 3);
  for (const status of [403, 404, 429]) {
    const cut = cutAt(100_000);
    state.before = (name, request, response) => {
      if (name !== WEIGHTS || cut(name, request, response)) return name === WEIGHTS;
      response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html>no');
      return true;
    };
    await assert.rejects(load(state), { status: 'HEED_E_FILE' });
    assert.equal(state.asked.filter((asked) => asked.startsWith(WEIGHTS)).length, 2, String(status));
  }
});

test('lengths that lie', async (t) => {
  const state = await serve(t);
  // too long: the connection ends before; too short: what is beyond it is asked for
  for (const wrong of [whole.length + 1000, whole.length - 1000]) {
    let isFirst = true;
    state.before = (name, _, response) => {
      if (name !== WEIGHTS || !isFirst) return false;
      isFirst = false;
      const etag = `"${sha256(whole).slice(0, 16)}"`;
      response.socket?.end(Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\netag: ${etag}\r\ncontent-length: ${wrong}\r\nconnection: close\r\n\r\n`),
        whole]));
      return true;
    };
    assert.deepEqual(await load(state, { cache: false }), expected, String(wrong));
  }
  // the file itself is shorter than heed.json says: the hash tells, nothing is asked for without end
  state.before = () => {};
  state.files = { ...FILES, [WEIGHTS]: whole.subarray(0, -1000) };
  await assert.rejects(load(state, { cache: false }),
    { status: 'HEED_E_HASH', message: /bytes: found \d+, expected \d+/ });
});

test('packed answers count unpacked, and resume from the start', async (t) => {
  const state = await serve(t);
  const packers = { gzip: gzipSync, br: (/** @type {Uint8Array} */ data) => brotliCompressSync(data) };
  for (const [encoding, pack] of Object.entries(packers)) {
    for (const isCut of [false, true]) {
      let isFirst = true;
      state.before = (name, _, response) => {
        const data = state.files[name];
        if (!data) return false;
        const packed = pack(data);
        response.writeHead(200, { 'content-encoding': encoding, 'content-length': packed.length, etag: `W/"${name}"` });
        if (name === WEIGHTS && isCut && isFirst) {
          isFirst = false;
          response.write(packed.subarray(0, packed.length - 500), () => response.socket?.end());
        } else response.end(packed);
        return true;
      };
      assert.deepEqual(await load(state), expected, `${encoding}, ${isCut ? 'cut' : 'whole'}`);
      assert.deepEqual(state.asked.filter((asked) => asked.includes('bytes=')), [], 'no ranges of packed files');
      await rm(state.cache, { recursive: true });
    }
  }
  await load(state);
});

test('a server that drips is waited for, and a signal ends the wait', async (t) => {
  const state = await serve(t);
  state.before = (name, _, response) => {
    if (name !== WEIGHTS) return false;
    response.writeHead(200, { 'content-length': whole.length });
    let at = 0;
    const drip = () => {
      if (at >= whole.length) return void response.end();
      response.write(whole.subarray(at, (at += 100_000)));
      setImmediate(drip);
    };
    drip();
    return true;
  };
  assert.deepEqual(await load(state), expected);
  state.before = cutAt(100_000);
  const reason = new Error('enough');
  const stop = new AbortController();
  // in the pause before the second try
  state.before = (name, request, response) => name === WEIGHTS
    && (response.on('close', () => stop.abort(reason)), cutAt(0)(name, request, response));
  await assert.rejects(load(state, { signal: stop.signal, cache: false }), reason);
});

test('where nothing can be kept, loading works', async (t) => {
  const state = await serve(t);
  const file = join(state.cache, 'a-file');
  await writeFile(file, '');
  assert.deepEqual(await load(state, { cache: file }), expected);
  await assert.rejects(load(state, { cache: 7 }), { name: 'TypeError', message: /^cache: / });
});

test('many loads at once into one directory', async (t) => {
  const state = await serve(t);
  const said = await Promise.all(Array.from({ length: 6 }, () => load(state)));
  for (const one of said) assert.deepEqual(one, expected);
  assert.deepEqual((await readdir(state.cache)).filter((name) => name.includes('.')), [], 'nothing is left half');
  state.down = true;
  assert.deepEqual(await load(state), expected);
});

test('if one file fails, the other downloads are cancelled', async (t) => {
  const state = await serve(t);
  state.files = changeJson(listing({ ...plain, 'source.spm': bytes('x') }), 'heed.json', () => {});
  const closed = new Promise((resolve) => {
    state.before = (name, _, response) => {
      if (name === 'vocab.json') response.writeHead(500).end();
      else if (name === 'source.spm') response.on('close', () => resolve(true)).write('x');
      else return false;
      return true;
    };
  });
  await assert.rejects(load(state), /vocab\.json: HTTP 500/);
  assert.ok(await closed);
});

test('hashes in capitals are the same hashes', async (t) => {
  const state = await serve(t);
  state.files = changeJson(FILES, 'heed.json', ({ files }) => {
    for (const entry of Object.values(files)) entry.sha256 = entry.sha256.toUpperCase();
  });
  assert.deepEqual(await load(state), expected);
  const store = await openRemote(state.cache);
  assert.equal(await store.isKept(new URL(state.address)), true);
  assert.deepEqual(await load(state), expected);
  assert.equal(state.asked.filter((name) => name === WEIGHTS).length, 0, 'what is kept was taken');
});

test('availability knows the stored files, and a Translator uses them', async (t) => {
  const state = await serve(t);
  const copy = await mkdtemp(join(tmpdir(), 'heed-model-'));
  t.after(() => rm(copy, { recursive: true }));
  await cp(FIXTURE, copy, { recursive: true });
  const files = readFiles(copy);
  const index = { models: [{ source: 'en', target: 'de', path: 'm/' }] };
  state.files = { 'index.json': bytes(JSON.stringify(index)),
    ...Object.fromEntries(Object.entries(files).map(([name, data]) => [`m/${name}`, data])) };
  const options = { sourceLanguage: 'en', targetLanguage: 'de', models: `${state.address}index.json`,
    cache: state.cache };
  assert.equal(await Translator.availability(options), 'downloadable');
  const first = await Translator.create(options);
  const text = await first.translate('Good morning.');
  assert.equal(await Translator.availability(options), 'available');
  assert.equal(await Translator.availability({ ...options, cache: false }), 'downloadable');
  // the stored files are not to blame for a wrong option
  state.asked.length = 0;
  await assert.rejects(Translator.create({ ...options, language: 'xx' }), /language: found 'xx', available/);
  assert.deepEqual(state.asked.filter((name) => name.endsWith(WEIGHTS)), []);
  state.down = true;
  assert.equal(await Translator.availability(options), 'available');
  const second = await Translator.create({ ...options, worker: true });
  assert.equal(await second.translate('Good morning.'), text);
  first.destroy();
  second.destroy();
  await assert.rejects(Translator.create({ ...options, cache: false }),
    (error) => error instanceof DOMException && error.name === 'NetworkError' && error.cause instanceof HeedError);
});

test('a stored heed.json without a list, or with a broken one, makes no model available', async (t) => {
  const state = await serve(t);
  const options = { sourceLanguage: 'en', targetLanguage: 'de', model: state.address, cache: state.cache };
  const store = async (/** @type {object} */ files) => {
    state.files = { 'heed.json': bytes(JSON.stringify({ source: 'en', target: 'de', files })) };
    await assert.rejects(load(state), { name: 'HeedError' });
  };
  await store({});
  assert.equal(await Translator.availability(options), 'downloadable');
  await store({ 'config.json': null });
  await assert.rejects(Translator.availability(options), { name: 'HeedError', message: /^heed\.json: files: 'config/ });
});

test('availability of a model whose files have addresses of their own is that of a model at an address', async (t) => {
  const state = await serve(t);
  const pair = { sourceLanguage: 'en', targetLanguage: 'de', cache: state.cache };
  state.files = readFiles(fileURLToPath(FIXTURE));
  const model = Object.fromEntries(Object.keys(state.files).map((name) => [name, state.address + name]));
  const { 'heed.json': _, ...unlisted } = model;
  for (const options of [{ ...pair, model }, { ...pair, model: unlisted }]) {
    assert.equal(await Translator.availability(options), 'downloadable');
    assert.ok(!state.asked.includes(WEIGHTS), 'to look downloads no weights');
  }
  assert.equal(await Translator.availability({ ...pair, model, targetLanguage: 'it' }), 'unavailable');
  const { [WEIGHTS]: __, ...partial } = model;
  assert.equal(await Translator.availability({ ...pair, model: partial }), 'unavailable');
  // some of the files are here
  const mixed = { ...model, 'config.json': state.files['config.json'] };
  assert.equal(await Translator.availability({ ...pair, model: mixed }), 'downloadable');

  (await Translator.create({ ...pair, model, worker: false })).destroy();
  for (const [options, expected] of /** @type {const} */ ([
    [{ ...pair, model }, 'available'], [{ ...pair, model: mixed }, 'available'],
    [{ ...pair, model, cache: false }, 'downloadable'], [{ ...pair, model: state.address }, 'available'],
  ])) {
    assert.equal(await Translator.availability(options), expected);
  }
  state.down = true;
  assert.equal(await Translator.availability({ ...pair, model }), 'available');
  await assert.rejects(Translator.availability({ ...pair, model, cache: false }), { name: 'NetworkError' });
  state.down = false;
  state.files = {};
  const other = await mkdtemp(join(tmpdir(), 'heed-cache-'));
  t.after(() => rm(other, { recursive: true }));
  assert.equal(await Translator.availability({ ...pair, model, cache: other }), 'unavailable');
});

test('addresses that hold their file, data:, are read without a request', async () => {
  const base64 = (/** @type {Uint8Array} */ bytes) =>
    `data:application/json;base64,${Buffer.from(bytes).toString('base64')}`;
  const escaped = (/** @type {Uint8Array} */ bytes) =>
    `data:,${[...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;
  const model = Object.fromEntries(Object.entries(plain).map(([name, bytes]) =>
    [name, name.endsWith('.json') ? base64(bytes) : escaped(bytes)]));
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new Error('a policy forbids it'));
  try {
    const loaded = await Transformer.load(model);
    assert.deepEqual(speak(loaded), expected);
    loaded.dispose();
  } finally {
    globalThis.fetch = fetch;
  }
  await assert.rejects(Transformer.load({ ...model, 'config.json': 'data:;base64,*' }),
    /^HeedError: data:;base64,\*…: found no base64$/);
});

test('availability() asks a server without heed.json for config.json once', async (t) => {
  const state = await serve(t);
  const { 'heed.json': _, ...files } = plain;
  state.files = files;
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  assert.equal(await Translator.availability({ ...pair, model: state.address }), 'downloadable');
  assert.equal(state.asked.filter((name) => name === 'config.json').length, 1);
});
