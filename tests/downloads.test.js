// downloads.test.js - downloads in Node that break at any byte, wrong answers, full disks, and checkpoints against
// heed.json. cache.test.js tests stored files, downloads-page.test.js pages.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Transformer } from '../js/index.js';
import { FIXTURE } from './browser/fixture.js';
import { bytes, readFiles } from './model-files.js';
import {
  CHUNK, cutAt, expected, FILES, listing, load, padded, plain, serve, sha256, WEIGHTS, whole,
} from './served-model.js';

/** @typedef {import('./served-model.js').State} State */

/** xorshift32: a function that gives the next number below n. @param {number} state */
const sequence = (state) => (/** @type {number} */ n) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
};

/** Where the answer to each request for the weights began. @param {State} state @param {string} [name] */
const begins = (state, name = WEIGHTS) =>
  state.asked.filter((asked) => asked.startsWith(name)).map((asked) => Number(/bytes=(\d+)-/.exec(asked)?.[1] ?? 0));

/** Bytes of the largest file that is kept. @param {State} state */
async function largestKept(state) {
  const kept = await Promise.all((await readdir(state.cache)).map((name) => stat(join(state.cache, name))));
  return Math.max(0, ...kept.map(({ size }) => size));
}

test('broken at 25 places, it continues there, sends at most a chunk twice, and stores the whole file', async (t) => {
  const below = sequence(20170612);
  const cuts = Array.from({ length: 25 }, () => 1 + below(whole.length - 1));
  // a few at a time: most of the time is pauses
  await Promise.all(Array.from({ length: 5 }, async (_, lane) => {
    const state = await serve(t);
    for (let i = lane; i < cuts.length; i += 5) {
      const what = `cut ${i}, at ${cuts[i]}`;
      state.files = i % 2 ? FILES : padded(plain); // an ETag, and no heed.json, does as well
      state.before = cutAt(cuts[i]);
      assert.deepEqual(await load(state), expected, what);
      const asked = begins(state);
      assert.equal(asked.length, 2, what);
      const received = cuts[i] + whole.length - asked[1];
      assert.ok(received <= whole.length + CHUNK, `${what}: ${received} bytes of ${whole.length}`);
      state.down = true;
      assert.deepEqual(await load(state), expected, `${what}: as it is kept`);
      state.down = false;
      await rm(state.cache, { recursive: true });
    }
    await load(state); // the directory is there again
  }));
});

test('broken twice, it continues twice', async (t) => {
  const state = await serve(t);
  const below = sequence(42);
  const etag = `"${sha256(whole).slice(0, 16)}"`;
  for (let round = 0; round < 5; round++) {
    const places = [below(whole.length), below(whole.length)].sort((a, b) => a - b);
    state.before = (name, request, response) => {
      if (name !== WEIGHTS || places.length === 0) return false;
      const end = Number(places.shift());
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from > 0 ? 206 : 200, {
        etag,
        'content-length': whole.length - from,
        ...(from > 0 && { 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}` }),
      });
      response.write(whole.subarray(from, Math.max(from, end)), () => response.socket?.end());
      return true;
    };
    assert.deepEqual(await load(state, { cache: false }), expected, `round ${round}`);
    assert.equal(begins(state).length, 3);
  }
});

test('a part that begins elsewhere is fitted in, or the file is begun again', async (t) => {
  const state = await serve(t);
  const at = 600_000;
  const etag = `"${sha256(whole).slice(0, 16)}"`;
  /**
   * Where the part begins, what its range says, and requests for the file.
   *
   * @type {Record<string, [number, string, number]>}
   */
  const answers = {
    earlier: [at / 2, `bytes ${at / 2}-${whole.length - 1}/${whole.length}`, 2],
    later: [at * 2, `bytes ${at * 2}-${whole.length - 1}/${whole.length}`, 3],
    'from the start': [0, `bytes 0-${whole.length - 1}/${whole.length}`, 2],
  };
  for (const isListed of [true, false]) {
    state.files = isListed ? FILES : padded(plain);
    for (const [what, [from, range, requests]] of Object.entries(answers)) {
      const cut = cutAt(at);
      let isFirst = true;
      state.before = (name, request, response) => {
        if (cut(name, request, response)) return true;
        if (name !== WEIGHTS || !isFirst) return false;
        isFirst = false;
        response.writeHead(206, { etag, 'content-range': range, 'content-length': whole.length - from });
        response.end(whole.subarray(from));
        return true;
      };
      assert.deepEqual(await load(state, { cache: false }), expected, what);
      assert.equal(begins(state).length, requests, what);
    }
  }
});

test('a range that says one place and sends another is found by the hash, and the file begun again', async (t) => {
  const state = await serve(t);
  const cut = cutAt(600_000);
  let isFirst = true;
  state.before = (name, request, response) => {
    if (cut(name, request, response)) return true;
    if (name !== WEIGHTS || !isFirst) return false;
    isFirst = false;
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1]);
    const length = whole.length - from;
    response.writeHead(206, { 'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}`,
      'content-length': length });
    response.end(whole.subarray(0, length));
    return true;
  };
  assert.deepEqual(await load(state), expected);
  state.down = true;
  assert.deepEqual(await load(state), expected);
});

test('an ETag that changes with the server, and not the file, is no other file where heed.json lists it', async (t) => {
  const state = await serve(t);
  for (const isListed of [true, false]) {
    state.files = isListed ? FILES : padded(plain);
    state.before = cutAt(600_000, { etag: '"of another server"' });
    assert.deepEqual(await load(state, { cache: false }), expected, isListed ? 'listed' : 'not listed');
  }
});

test('an HTML page instead of a file: the error names the file, and the page is not stored', async (t) => {
  const state = await serve(t);
  const html = bytes('<!doctype html><title>Not here</title>');
  for (const name of ['config.json', WEIGHTS]) {
    for (const status of [200, 403, 404, 500]) {
      state.before = (asked, _, response) => {
        if (asked !== name) return false;
        response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html);
        return true;
      };
      await assert.rejects(load(state), (/** @type {any} */ error) => {
        assert.equal(error.constructor.name, 'HeedError', `${name}, ${status}: ${error.stack}`);
        return error.message.includes(name);
      });
      state.before = () => {};
      assert.deepEqual(await load(state), expected, `${name}, ${status}: afterwards`);
      await rm(state.cache, { recursive: true });
    }
  }
  await load(state);
});

test('a network that answers everything with its own page spoils no model that is kept', async (t) => {
  const state = await serve(t);
  for (const isListed of [true, false]) {
    state.files = isListed ? FILES : padded(plain);
    assert.deepEqual(await load(state), expected);
    state.before = (_, __, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>Please log in');
      return true;
    };
    await load(state).catch(() => {}); // whether it says so or goes on with what is kept
    state.before = () => {};
    assert.deepEqual(await load(state), expected, 'when it is gone');
    state.down = true;
    assert.deepEqual(await load(state), expected, 'and without the network');
    state.down = false;
    await rm(state.cache, { recursive: true });
  }
  await load(state);
});

test('a disk that is full: the model loads, and nothing half is left behind', async (t) => {
  const state = await serve(t);
  const program = `
    import { Transformer } from ${JSON.stringify(new URL('../js/index.js', import.meta.url).href)};
    const model = await Transformer.load(process.argv[1], { cache: process.argv[2] });
    console.log(JSON.stringify([...model.encode([5, 9, 12, 0]).data]));`;
  // files may have 200 blocks of 1024 bytes: those of the model but the weights fit
  const { stdout } = await promisify(execFile)('bash', ['-c',
    'ulimit -f 200; exec "$0" --input-type=module -e "$1" "$2" "$3"', process.execPath, program, state.address,
    state.cache]);
  assert.deepEqual(JSON.parse(stdout), expected);
  const names = await readdir(state.cache);
  assert.ok(names.length > 0, 'what fits is kept');
  assert.deepEqual(names.filter((name) => name.includes('.')), []);
  assert.ok(await largestKept(state) < whole.length, 'the weights are not');
  assert.deepEqual(await load(state), expected);
  assert.ok(await largestKept(state) > whole.length, 'where there is room they are');
});

// ---------------------------------------------------------------- checkpoints, which are read in parts

const CHECKPOINTS = fileURLToPath(new URL('golden/checkpoints/', import.meta.url));
const read = (/** @type {string} */ name) => new Uint8Array(readFileSync(join(CHECKPOINTS, name)));
/** @param {Transformer} model */
function sayOf(model) {
  const said = [...model.forward([3, 5, 2, 0], [4, 6, 0]).logits.data];
  model.dispose();
  return said;
}

for (const [file, name] of [['zip.bin', 'pytorch_model.bin'], ['legacy.bin', 'pytorch_model.bin'],
  ['model.npz', 'model.npz']]) {
  test(`${file}: compared with heed.json, from a server and a directory`, async (t) => {
    const state = await serve(t);
    const good = listing({ 'config.json': read('config.json'), 'generation_config.json': read('generation_config.json'),
      [name]: read(file) });
    const said = sayOf(await Transformer.load({ ...good }));
    const weights = good[name];
    // the last byte of a tensor: no container minds
    const bad = { ...good, [name]: weights.with(weights.length >> 1, weights[weights.length >> 1] ^ 1) };
    const wrong = { status: 'HEED_E_HASH',
      message: new RegExp(`^${name.replace('.', '\\.')}: sha256: found .*, expected `) };
    const open = () => Transformer.load(state.address, { cache: state.cache });

    state.files = bad;
    await assert.rejects(open(), wrong);
    assert.ok(await largestKept(state) < weights.length, 'what is wrong is not kept');
    await assert.rejects(Transformer.load({ ...bad }), wrong);
    await assert.rejects(Transformer.load({ ...bad, [name]: new Blob([bad[name]]) }), wrong);

    state.files = good;
    /** @type {{ file: string, loaded: number, total: number }[]} */
    const told = [];
    const onProgress = (/** @type {{ file: string, loaded: number, total: number }} */ p) => told.push(p);
    assert.deepEqual(sayOf(await Transformer.load(state.address, { cache: state.cache, onProgress })), said);
    assert.deepEqual([told[0].file, told[0].loaded], [name, 0], 'there is progress while the whole comes');
    assert.ok(told.every((p, i) => p.total === told[0].total && (i === 0 || p.loaded >= told[i - 1].loaded)));
    assert.equal(told.at(-1)?.loaded, told[0].total);
    state.down = true;
    assert.deepEqual(sayOf(await open()), said, 'it is kept as other files are');
    state.down = false;
    for (const kept of await readdir(state.cache)) {
      const data = await readFile(join(state.cache, kept));
      if (data.length > weights.length) {
        writeFileSync(join(state.cache, kept), data.with(data.length - 1, data.at(-1) ^ 1));
      }
    }
    assert.deepEqual(sayOf(await open()), said, 'a kept one that was changed is fetched again');

    const folder = mkdtempSync(join(tmpdir(), 'heed-listed-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const [each, data] of Object.entries(good)) writeFileSync(join(folder, each), data);
    assert.deepEqual(sayOf(await Transformer.load(folder)), said);
    writeFileSync(join(folder, name), bad[name]);
    await assert.rejects(Transformer.load(folder), wrong);
  });
}

test('a directory of Node is compared too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-listed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const shipped = fileURLToPath(FIXTURE);
  cpSync(shipped, folder, { recursive: true });
  for (const [name, data] of Object.entries(readFiles(shipped))) {
    // the list itself, what only transformers reads, and what only Translator does
    if (['heed.json', 'tokenizer_config.json', 'lexicon.bin', 'ngrams.bin'].includes(name)) continue;
    writeFileSync(join(folder, name), data.with(data.length - 1, data[data.length - 1] ^ 1));
    await assert.rejects(Transformer.load(folder),
      { status: 'HEED_E_HASH', message: new RegExp(`^${name.replace('.', '\\.')}: sha256`) });
    writeFileSync(join(folder, name), data);
  }
  (await Transformer.load(folder)).dispose();
});
