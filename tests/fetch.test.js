// `heed fetch`: models of Firefox from a server with the list and the files of Mozilla's, as its Remote Settings serve
// them. The models are the golden ones. What the list says of a file is compared, and a wrong file never gets its name.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { list, update } from '../js/convert/stored.js';
import { stored } from './golden/zstd.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const golden = fileURLToPath(new URL('golden/firefox/', import.meta.url));
const sha256 = (/** @type {Uint8Array} */ bytes) => createHash('sha256').update(bytes).digest('hex');

const KINDS = { model: /^model/, lex: /^lex/, vocab: /^vocab/, srcvocab: /^srcvocab/, trgvocab: /^trgvocab/ };

/**
 * The records of a model, as the list has them, and its attachments by their location.
 *
 * @param {string} folder  in golden/firefox
 * @param {[string, string]} pair
 * @param {{ version?: string, filter?: string, pack?: (bytes: Uint8Array) => Uint8Array, ending?: string }} [options]
 */
function modelOf(folder, pair, { version = '3.0', filter = '', pack = stored, ending = '.zst' } = {}) {
  /** @type {Record<string, Uint8Array>} */
  const attachments = {};
  const records = readdirSync(join(golden, folder)).filter((name) => /\.(bin|spm)$/.test(name)).map((name) => {
    const content = readFileSync(join(golden, folder, name));
    const bytes = pack(content);
    const id = sha256(Buffer.from(version + name)).slice(0, 12);
    const location = `main-workspace/translations-models-v2/${id}${ending}`;
    attachments[location] = bytes;
    return {
      name, fileType: Object.entries(KINDS).find(([, pattern]) => pattern.test(name))?.[0],
      sourceLanguage: pair[0], targetLanguage: pair[1], architecture: 'tiny', version, filter_expression: filter,
      decompressedSize: content.length, decompressedHash: sha256(content),
      attachment: {
        filename: name + ending, location, size: bytes.length, hash: sha256(bytes), mimetype: 'application/zstd',
      },
      id: sha256(Buffer.from(location)).slice(0, 8), schema: 1, last_modified: 1,
    };
  });
  return { records, attachments };
}

/**
 * A server of the list and the attachments, a scratch directory, and the command.
 *
 * @param {import('node:test').TestContext} t
 * @param {ReturnType<typeof modelOf>[]} models
 */
async function start(t, ...models) {
  const state = {
    records: models.flatMap(({ records }) => records),
    attachments: Object.assign({}, ...models.map(({ attachments }) => attachments)),
    /** @type {string[]} paths of attachments asked for, with their range */
    asked: [],
    /** @type {(path: string, response: import('node:http').ServerResponse) => boolean} */
    before: () => false,
    mirror: '',
    scratch: mkdtempSync(join(tmpdir(), 'heed-fetch-')),
    /** @param {string[]} args @param {Record<string, string>} [env] */
    async heed(args, env = {}) {
      const program = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });
      const output = [program.stdout, program.stderr].map(async (stream) => Buffer.concat(await stream.toArray()));
      const [[status], ...texts] = await Promise.all([once(program, 'close'), ...output]);
      const [stdout, stderr] = texts.map(String);
      return { status, stdout, stderr };
    },
    /** @param {string[]} args */
    fetch: (...args) => state.heed(['fetch', '--mirror', state.mirror, ...args]),
    /** @param {string} name */
    place: (name) => join(state.scratch, name),
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(String(request.url)).slice('/v1/'.length);
    if (state.before(path, response)) return;
    if (path === 'buckets/main/collections/translations-models-v2/records') {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: state.records }));
      return;
    }
    const bytes = state.attachments[path];
    const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    state.asked.push(path + (from ? ` from ${from}` : ''));
    if (!bytes) return void response.writeHead(404).end();
    response.setHeader('etag', `"${sha256(bytes).slice(0, 8)}"`);
    if (from) response.writeHead(206, { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
    response.end(bytes.subarray(Number(from ?? 0)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.mirror = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/v1`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(state.scratch, { recursive: true });
  });
  return state;
}

/** @typedef {Parameters<typeof modelOf>[2]} Options */
const german = (/** @type {Options} */ options) => modelOf('tiny-seven', ['en', 'de'], options);
const english = (/** @type {Options} */ options) => modelOf('memory-split', ['de', 'en'], options);

/** @param {string} folder  in golden/firefox @param {string} place */
function assertSame(folder, place) {
  const names = readdirSync(join(golden, folder)).filter((name) => /\.(bin|spm)$/.test(name));
  assert.deepEqual(readdirSync(place).sort(), ['heed.json', ...names].sort());
  for (const name of names) {
    assert.ok(readFileSync(join(place, name)).equals(readFileSync(join(golden, folder, name))), name);
  }
}

test('a model is downloaded, unpacked and listed; it translates; the second time it is there', async (t) => {
  const server = await start(t, german(), english());
  const place = server.place('en-de');
  assert.deepEqual(await server.fetch('firefox:en-de', place),
    { status: 0, stdout: `${place}: en-de, version 3.0: 3 of 3 files downloaded\n`, stderr: '' });
  assertSame('tiny-seven', place);
  const manifest = JSON.parse(readFileSync(join(place, 'heed.json'), 'utf8'));
  assert.deepEqual([manifest.name, manifest.source, manifest.target], ['Firefox en-de 3.0', 'en', 'de']);

  assert.equal((await server.heed(['verify', place])).status, 0);
  const [own, direct] = await Promise.all([place, join(golden, 'tiny-seven')].map((model) =>
    server.heed(['translate', '--model', model, 'The house is small.'])));
  assert.deepEqual(own, direct);
  assert.equal(own.status, 0);

  server.asked.length = 0;
  const again = await server.fetch('firefox:en-de', place);
  assert.equal(again.stdout, `${place}: en-de, version 3.0: is there already\n`);
  assert.deepEqual(server.asked, []);
  // a file that was changed comes again, and no other
  writeFileSync(join(place, 'vocab.ende.spm'), 'changed');
  assert.match((await server.fetch('firefox:EN-DE', place)).stdout, /1 of 3 files downloaded/);
  assertSame('tiny-seven', place);
});

test('two vocabularies, files in gzip, and files that are not packed', async (t) => {
  const server = await start(t, english({ pack: (bytes) => gzipSync(bytes), ending: '.gz' }),
    german({ pack: (bytes) => bytes, ending: '' }));
  assert.equal((await server.fetch('firefox:de-en', server.place('de-en'))).status, 0);
  assertSame('memory-split', server.place('de-en'));
  assert.equal((await server.fetch('firefox:en-de', server.place('en-de'))).status, 0);
  assertSame('tiny-seven', server.place('en-de'));
});

test('the highest released version that heed reads is taken, and replaces an earlier one', async (t) => {
  const server = await start(t, german({ version: '3.2' }), german({ version: '3.10' }), german({ version: '3.10a1' }),
    german({ version: '3.11', filter: "env.channel == 'nightly'" }), german({ version: '4.0' }), english());
  server.records.push({ ...server.records[0], fileType: 'qualityModel', version: '3.10' });
  const { stdout } = await server.fetch('--list');
  assert.match(stdout, /^de-en +3\.0 +tiny +1\.2 MB\nen-de +3\.10 +tiny +0\.7 MB\n$/);

  const place = server.place('model');
  server.records = server.records.filter(({ version }) => version === '3.2');
  assert.match((await server.fetch('firefox:en-de', place)).stdout, /version 3\.2: 3 of 3/);
  // the next version has one file less and another
  const next = german({ version: '3.3' });
  const [lex, model, vocab] = next.records;
  assert.deepEqual([lex.fileType, model.fileType, vocab.fileType], ['lex', 'model', 'vocab']);
  server.records = [{ ...model, name: 'model.ende.intgemm8.bin' }, vocab];
  Object.assign(server.attachments, next.attachments);
  assert.match((await server.fetch('firefox:en-de', place)).stdout, /version 3\.3: 1 of 2 files downloaded/);
  assert.deepEqual(readdirSync(place).sort(), ['heed.json', 'model.ende.intgemm8.bin', 'vocab.ende.spm']);
});

test('without a directory the model is in the cache', async (t) => {
  const server = await start(t, german());
  const args = ['fetch', '--mirror', server.mirror, 'firefox:en-de'];
  const place = server.place('heed/firefox-en-de');
  assert.match((await server.heed(args, { XDG_CACHE_HOME: server.scratch })).stdout, RegExp(`^${place}: en-de`));
  assertSame('tiny-seven', place);
  await server.heed([...args, '--cache', server.place('other')]);
  assertSame('tiny-seven', server.place('other/firefox-en-de'));
});

test('a broken connection is resumed; an interrupted download keeps its whole files', async (t) => {
  const server = await start(t, german());
  const model = server.records.find(({ fileType }) => fileType === 'model').attachment.location;
  let breaks = 1;
  server.before = (path, response) => {
    if (path !== model || breaks === 0) return false;
    breaks--;
    const bytes = server.attachments[path];
    response.writeHead(200, { 'content-length': bytes.length, etag: `"${sha256(bytes).slice(0, 8)}"` });
    response.write(bytes.subarray(0, 200_000), () => response.destroy());
    return true;
  };
  const place = server.place('resumed');
  assert.equal((await server.fetch('firefox:en-de', place)).status, 0);
  assertSame('tiny-seven', place);
  assert.match(server.asked.join('\n'), RegExp(`^${model} from \\d+$`, 'm'));

  server.before = (path, response) => path === model && Boolean(response.destroy());
  const other = server.place('interrupted');
  const { status, stderr } = await server.fetch('firefox:en-de', other);
  assert.equal(status, 1);
  assert.match(stderr, /^heed: http:\/\/127.*cannot be reached/);
  assert.deepEqual(readdirSync(other), ['heed.json.partial', 'lex.50.50.ende.s2t.bin.partial']);
  server.before = () => false;
  assert.match((await server.fetch('firefox:en-de', other)).stdout, /2 of 3 files downloaded/);
  assertSame('tiny-seven', other);
});

test('a file that is not as the list says is refused, and nothing of it stays', async (t) => {
  const change = (/** @type {Uint8Array} */ bytes, /** @type {number} */ at) => {
    const changed = Buffer.from(bytes);
    changed[at] ^= 1;
    return changed;
  };
  const server = await start(t, german());
  const record = server.records.find(({ fileType }) => fileType === 'model');
  const { attachment } = record;
  const whole = server.attachments[attachment.location];
  /** @type {[string, Uint8Array, object, object, RegExp][]} what is served, what the record and its attachment say */
  const cases = [
    ['another byte', change(whole, 300_000), {}, {}, /model.*\.zst: sha256: found [\da-f]{64}, expected [\da-f]{64}/],
    // the header: it cannot be unpacked, and the hash says why
    ['another header', change(whole, 0), {}, {}, /model.*\.zst: sha256: found/],
    ['a byte more', Buffer.concat([whole, Buffer.of(0)]), {}, {}, /model.*\.zst: bytes: found more than \d+/],
    ['other content', whole, { decompressedHash: sha256(Buffer.of(1)) }, {}, /intgemm\.alphas\.bin: sha256: found/],
    ['less content', whole, { decompressedSize: record.decompressedSize + 1 }, {}, /\.bin: bytes: found 439095/],
    ['more content', whole, { decompressedSize: 1000 }, {}, /\.bin: bytes: found more than 1000, expected 1000 as/],
    ['damaged, as listed', change(whole, 0), {}, { hash: sha256(change(whole, 0)) }, /\.zst: found no frame/],
  ];
  for (const [what, bytes, own, its, message] of cases) {
    server.attachments[attachment.location] = bytes;
    const changed = { ...record, ...own, attachment: { ...attachment, ...its } };
    server.records = [changed, ...server.records.filter(({ fileType }) => fileType !== 'model')];
    const place = server.place(what);
    const { status, stdout, stderr } = await server.fetch('firefox:en-de', place);
    assert.deepEqual([status, stdout], [1, ''], what);
    assert.match(stderr, message, what);
    assert.deepEqual(readdirSync(place), [], what);
  }
});

test('errors say what is missing', async (t) => {
  const server = await start(t, german(), english(), modelOf('tiny-seven', ['en', 'zh-Hans']));
  /** @param {string[]} args @param {RegExp} message @param {number} [status] */
  const fails = async (args, message, status = 1) => {
    const found = await server.fetch(...args);
    assert.match(found.stderr, message);
    assert.deepEqual([found.status, found.stdout], [status, ''], found.stderr);
  };
  const place = server.place('new');
  await fails(['firefox:en-xx', place], /^heed: firefox:en-xx: found no released model for this pair; "heed fetch/);
  const fetches = ['de-en', 'en-zh-Hans'].map((pair) => `heed fetch firefox:${pair} --mirror ${server.mirror}`);
  const commands = [...fetches, 'heed translate --from de --to zh-Hans'];
  const { status, stderr } = await server.fetch('firefox:de-zh-hans', place);
  assert.deepEqual([status, stderr], [1, 'heed: firefox:de-zh-hans: found no released model for this pair, but two that'
    + ` translate it by way of English: ${commands.join(' && ')}\n`]);
  for (const command of commands) { // they do what the message promises
    const [, name, ...args] = command.split(' ');
    const more = name === 'fetch' ? [] : ['--', 'Die Katze schl\u00e4ft.'];
    const done = await server.heed([name, ...args, ...more], { XDG_CACHE_HOME: server.place('cache') });
    assert.equal(done.status, 0, done.stderr);
    if (name === 'translate') assert.equal(done.stderr, 'heed: no model has the pair: de to en, then en to zh-Hans\n');
  }
  await fails(['firefox:en'], /found 'firefox:en', expected firefox: and a pair, such as firefox:en-pt/, 2);
  await fails(['en-de'], /found 'en-de', expected firefox: and a pair/, 2);
  await fails([], /expected firefox:SOURCE-TARGET, opus:SOURCE-TARGET or a URL, or --list/, 2);
  await fails(['--list', 'firefox:en-de'], /expected firefox:SOURCE-TARGET, opus:SOURCE-TARGET or a URL, or --list/, 2);
  await fails(['--list', '--cache', place], /--cache: has no effect with --list/, 2);
  await fails(['--cache', place, 'firefox:en-de', place], /--cache: has no effect with a directory/, 2);
  const wrong = await server.heed(['fetch', '--mirror', 'here', '--list']);
  assert.deepEqual([wrong.status, wrong.stderr.split('\n')[0]],
    [2, "heed: --mirror: found 'here', expected the address of a server"]);
  const nobody = await server.heed(['fetch', '--mirror', 'http://127.0.0.1:1/v1', '--list']);
  assert.deepEqual([nobody.status, nobody.stderr], [1, 'heed: http://127.0.0.1:1/v1/buckets/main/collections/'
    + 'translations-models-v2/records: cannot be reached\n']);
  const empty = await server.heed(['fetch', '--mirror', `${server.mirror}/x`, '--list']);
  assert.match(empty.stderr, /records: is missing: expected Mozilla's list/);
  assert.ok(!existsSync(place));

  server.attachments = {};
  await fails(['firefox:en-de', place], /: is missing, though Mozilla's list has it/);
  writeFileSync(join(place, 'letter.txt'), 'Dear');
  await fails(['firefox:en-de', place], /: found letter\.txt, expected a new directory, or one of en-de/);
  writeFileSync(server.place('file'), '');
  await fails(['firefox:en-de', server.place('file')], /EEXIST|ENOTDIR/);
  const broken = await server.heed(['fetch', '--mirror', 'http://[', '--list']);
  assert.match(broken.stderr, /--mirror: found 'http:\/\/\[', expected the address/);
});

test('only what was fetched before is replaced, and nothing outside the directory', async (t) => {
  const server = await start(t, german({ version: '3.1' }));
  const place = server.place('model');
  await server.fetch('firefox:en-de', place);
  const path = join(place, 'heed.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(join(place, '../victim.bin'), 'x');
  const files = { ...manifest.files, '../victim.bin': { size: 1 } };
  writeFileSync(path, JSON.stringify({ ...manifest, files }));
  assert.match((await server.fetch('firefox:en-de', place)).stdout, /is there already/);
  assert.ok(existsSync(join(place, '../victim.bin')));
  // somebody's own model of the same languages
  const own = server.place('own');
  mkdirSync(own);
  writeFileSync(join(own, 'model.safetensors'), 'x');
  writeFileSync(join(own, 'heed.json'),
    JSON.stringify({ source: 'en', target: 'de', files: { 'model.safetensors': { size: 1 } } }));
  assert.match((await server.fetch('firefox:en-de', own)).stderr, /found model\.safetensors, expected a new directory/);
  assert.ok(existsSync(join(own, 'model.safetensors')));
});

test('a malformed list is refused; a malformed record concerns its pair alone', async (t) => {
  const server = await start(t, german(), english());
  const [first] = server.records;
  const whole = server.records;
  for (const [change, message] of /** @type {[object, RegExp][]} */ ([
    [{ name: '../../evil.bin' }, /records: name: found '\.\.\/\.\.\/evil\.bin', expected the name of a \.bin or \.spm/],
    [{ name: '.bin' }, /records: name: found '\.bin'/],
    [{ name: { toString: 1, valueOf: 1 } }, /records: name: found/],
    [{ attachment: { ...first.attachment, location: 'http://[' } }, /location: found 'http:\/\/\[', expected a path/],
    [{ name: whole[1].name.toUpperCase().replace(/\w+$/, (end) => end.toLowerCase()) }, /found several files called/],
    [{ attachment: undefined }, /found no attachment with location, size and hash/],
    [{ attachment: { ...first.attachment, size: -1 } }, /found no attachment with location, size and hash/],
    [{ attachment: { ...first.attachment, hash: 'abc' } }, /found no attachment with location, size and hash/],
    [{ decompressedSize: 2 ** 40 }, /found no decompressedSize and decompressedHash/],
    [{ decompressedHash: null }, /found no decompressedSize and decompressedHash/],
    [{ fileType: 'model' }, /en-de, version 3\.0: found several files of type model, expected one/],
    [{ fileType: 'srcvocab' }, /found 'srcvocab, model, vocab', expected model, and vocab or srcvocab and trgvocab/],
    [{ attachment: { ...first.attachment, location: 'http://127.0.0.1:1/x' } }, /location: found 'http.*a path below/],
    [{ attachment: { ...first.attachment, location: '../x' } }, /location: found '\.\.\/x', expected a path below/],
  ])) {
    server.records = [{ ...first, ...change }, ...whole.slice(1)];
    const place = server.place('de');
    const { status, stderr } = await server.fetch('firefox:en-de', place);
    assert.match(stderr, message);
    assert.equal(status, 1);
    if (existsSync(place)) assert.deepEqual(readdirSync(place), []);
  }
  server.records = [{ ...first, name: 7 }, null, 5, {}, ...whole.slice(1)];
  assert.equal((await server.fetch('firefox:de-en', server.place('en'))).status, 0);
  assert.match((await server.fetch('--list')).stdout, /^de-en .* MB\nen-de .* records: name: found 7, expected/);

  for (const [answer, message] of /** @type {const} */ ([
    ['{}', /records: data: found undefined, expected an array/], ['<html>', /records: .*found an HTML page/],
    ['{', /records: not JSON/],
  ])) {
    server.before = (path, response) => path.endsWith('records') && Boolean(response.end(answer));
    const { status, stderr } = await server.fetch('--list');
    assert.match(stderr, message);
    assert.equal(status, 1);
  }
});

test('a signal ends an update while the list or a file arrives; the model stays as it was', async (t) => {
  const server = await start(t, german());
  const cache = server.place('cache');
  const env = { XDG_CACHE_HOME: cache };
  assert.equal((await server.heed(['fetch', '--mirror', server.mirror, 'firefox:en-de'], env)).status, 0);
  const own = join(cache, 'heed');
  const place = join(own, 'firefox-en-de');
  Object.assign(server, modelOf('tiny-joint', ['en', 'de'], { version: '3.1' }));
  for (const held of [/records$/, /^main-workspace/]) {
    const stop = new AbortController();
    const reason = new Error('enough');
    server.before = (path, response) => {
      if (!held.test(path)) return false;
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      response.write('\0', () => stop.abort(reason)); // and no more
      return true;
    };
    const updating = update('firefox-en-de', { cache: own, mirror: server.mirror, signal: stop.signal });
    await assert.rejects(updating, (error) => error === reason);
    assert.equal((await list({ cache: own }))[0].version, '3.0');
    assertSame('tiny-seven', place);
  }
  const aborted = update('firefox-en-de', { cache: own, mirror: server.mirror, signal: AbortSignal.abort() });
  await assert.rejects(aborted, { name: 'AbortError' });
  server.before = () => false;
  // the mirror is remembered
  assert.equal(await update('firefox-en-de', { cache: own }), true);
  assert.equal((await list({ cache: own }))[0].version, '3.1');
  assertSame('tiny-joint', place);
});
