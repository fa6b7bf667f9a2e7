// served-model.js - a small model on a server that breaks, lies and changes as it is told. Used by cache.test.js and
// downloads.test.js.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transformer } from '../js/index.js';
import { bytes, changeWeights, readFiles, TINY } from './model-files.js';

/** Most that fetch hands over at a time, with what a socket holds besides. */
export const CHUNK = 1 << 17;
const SOURCE = [5, 9, 12, 0];
/** @param {Transformer} model */
export const speak = (model) => [...model.encode(SOURCE).data];
export const sha256 = (/** @type {Uint8Array} */ data) => createHash('sha256').update(data).digest('hex');

/** With a heed.json that lists every file. @param {import('./model-files.js').Files} files */
export function listing({ 'heed.json': _, ...files }) {
  const list = Object.entries(files).map(([name, data]) => [name, { size: data.length, sha256: sha256(data) }]);
  return { ...files, 'heed.json': bytes(JSON.stringify({ files: Object.fromEntries(list) })) };
}

// Big enough that a connection can break in the middle: more padding than a socket holds.
export const plain = readFiles(TINY);
export const other = changeWeights(plain, (_, data) => data.fill(0, 0, 4));
export const padded = (/** @type {import('./model-files.js').Files} */ files) =>
  changeWeights(files, (header) => void (header.__metadata__ = { padding: 'x'.repeat(1_500_000) }));
export const FILES = listing(padded(plain));
export const OTHER = listing(padded(other));
export const WEIGHTS = 'model.safetensors';
export const whole = FILES[WEIGHTS];

export const expected = await Transformer.load(TINY).then(speak);
export const expectedOther = await Transformer.load(other).then(speak);
assert.notDeepEqual(expected, expectedOther);

/**
 * A server of files with ETags and ranges, that does what is set: `files`; `down`; `before`, which may answer a request
 * itself, by giving true.
 *
 * @param {import('node:test').TestContext} t
 */
export async function serve(t) {
  const state = {
    files: FILES,
    down: false,
    /**
     * @type {(name: string, request: import('node:http').IncomingMessage,
     *   response: import('node:http').ServerResponse) => boolean | void}
     */
    before: () => {},
    /** @type {string[]} names asked for, with their range */
    asked: [],
    address: '',
    cache: await mkdtemp(join(tmpdir(), 'heed-cache-')),
  };
  const server = createServer((request, response) => {
    const name = String(request.url).slice(1);
    state.asked.push(request.headers.range ? `${name} ${request.headers.range}` : name);
    if (state.down) return void request.socket.destroy();
    if (state.before(name, request, response)) return;
    const data = state.files[name];
    if (!data) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html>not here');
    const etag = `"${sha256(data).slice(0, 16)}"`;
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const isPart = from > 0 && [undefined, etag].includes(/** @type {any} */ (request.headers['if-range']));
    if (isPart && from >= data.length) return void response.writeHead(416).end();
    response.writeHead(isPart ? 206 : 200, {
      etag,
      'content-length': data.length - (isPart ? from : 0),
      ...(isPart && { 'content-range': `bytes ${from}-${data.length - 1}/${data.length}` }),
    });
    response.end(isPart ? data.subarray(from) : data);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    // a download that was given up may still be putting its file away
    await rm(state.cache, { recursive: true, maxRetries: 20, retryDelay: 50 });
  });
  state.address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
  return state;
}
/** @typedef {Awaited<ReturnType<typeof serve>>} State */

/** @param {State} state @param {object} [options] */
export async function load(state, options = {}) {
  state.asked = [];
  const model = await Transformer.load(state.address, { cache: state.cache, ...options });
  const said = speak(model);
  model.dispose();
  return said;
}

/**
 * Answer once with headers and the first bytes of the weights, and break.
 *
 * @param {number} at
 * @param {object} [headers]
 */
export const cutAt = (at, headers = {}) => {
  let isDone = false;
  return (/** @type {string} */ name, /** @type {any} */ request,
    /** @type {import('node:http').ServerResponse} */ response) => {
    if (name !== WEIGHTS || isDone) return false;
    isDone = true;
    const etag = `"${sha256(whole).slice(0, 16)}"`;
    response.writeHead(200, { etag, 'content-length': whole.length, ...headers });
    response.write(whole.subarray(0, at), () => response.socket?.end());
    return true;
  };
};
