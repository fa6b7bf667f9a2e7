// kept.test.js - models from servers: `heed fetch opus:`, `heed fetch URL`, and `heed cache` with its API. The server
// has the layout and the headers of Hugging Face, and the shipped model.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { list, remove, update } from '../js/convert/stored.js';
import { opusAddress } from '../js/convert/repository.js';
import { Transformer, Translator } from '../js/index.js';
import { findFetched } from '../js/translate/installed.js';
import { readFiles, SHIPPED, unlisted } from './model-files.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const sha256 = (/** @type {Uint8Array} */ bytes) => createHash('sha256').update(bytes).digest('hex');
const REPOSITORY = 'Helsinki-NLP/opus-mt-en-de/resolve/main/';

/** The shipped model as a repository without heed.json. */
const WHOLE = readFiles(SHIPPED);
/** What a repository of Hugging Face has. */
const { 'heed.json': MANIFEST, 'lexicon.bin': _, 'ngrams.bin': __, ...FILES } = WHOLE;

/** @param {import('node:test').TestContext} t */
async function start(t) {
  const state = {
    /** By path. @type {Record<string, Uint8Array>} */
    files: Object.fromEntries(Object.entries(FILES).map(([name, bytes]) => [REPOSITORY + name, bytes])),
    /** @type {string[]} */
    asked: [],
    commit: 'c1',
    /** What the server says of a file, if it is not so. @type {Record<string, string>} */
    told: {},
    address: '',
    before: (/** @type {string} */ _path) => {},
    cache: mkdtempSync(join(tmpdir(), 'heed-kept-')),
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(String(request.url)).slice(1);
    const bytes = state.files[path];
    if (request.method === 'GET') state.before(path);
    if (request.method === 'GET') state.asked.push(path.split('/').at(-1) ?? '');
    if (!bytes) return void response.writeHead(404).end();
    const isLarge = /\.(safetensors|spm|bin)$/.test(path);
    response.writeHead(request.method === 'HEAD' && isLarge ? 302 : 200, {
      etag: `"${sha256(bytes).slice(0, 20)}"`,
      ...(path.startsWith('Helsinki') && { 'x-repo-commit': state.commit }),
      ...(isLarge && { 'x-linked-etag': `"${state.told[path] ?? sha256(bytes)}"`, 'x-linked-size': bytes.length }),
    }).end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.address = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(state.cache, { recursive: true });
  });
  return state;
}

/** @param {string[]} args @param {string} cache */
async function heed(args, cache) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, XDG_CACHE_HOME: cache } });
  child.stdin.end();
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0], stdout, stderr };
}

test('heed fetch opus:en-de: the files with their hashes, once; a new version replaces them', async (t) => {
  const server = await start(t);
  const fetch = (/** @type {string[]} */ ...more) =>
    heed(['fetch', 'opus:en-de', ...more, '--mirror', server.address], server.cache);
  const place = join(server.cache, 'heed/opus-en-de');
  assert.deepEqual(await fetch(), { code: 0, stderr: '',
    stdout: `${place}: opus:en-de, version c1: 7 of 7 files downloaded\n` });
  for (const [name, bytes] of Object.entries(FILES)) assert.ok(readFileSync(join(place, name)).equals(bytes), name);
  const { files, ...manifest } = JSON.parse(readFileSync(join(place, 'heed.json'), 'utf8'));
  assert.deepEqual(manifest, { format: 1, name: 'opus-mt-en-de', source: 'en', target: 'de', from: 'heed fetch',
    url: `${server.address}/${REPOSITORY}`, version: 'c1' });
  assert.equal(files['model.safetensors'].sha256, sha256(FILES['model.safetensors']));
  assert.equal((await heed(['verify', place], server.cache)).code, 0);

  assert.match((await fetch()).stdout, /: is there already\n$/);
  rmSync(join(place, 'vocab.json')); // what is damaged is downloaded again
  assert.match((await fetch()).stdout, /files downloaded\n$/);
  assert.equal((await heed(['verify', place], server.cache)).code, 0);
  server.commit = 'c2';
  delete server.files[`${REPOSITORY}tokenizer_config.json`];
  assert.match((await fetch()).stdout, /version c2: 6 of 6 files downloaded\n$/);
  assert.deepEqual(readdirSync(place).sort(), ['heed.json', ...Object.keys(FILES)].filter((name) =>
    name !== 'tokenizer_config.json').sort());
});

test('what is not as the server says never gets its name; missing files are told', async (t) => {
  const server = await start(t);
  const place = join(server.cache, 'model');
  const mirror = `${server.address}/Helsinki-NLP/opus-mt-{pair}/resolve/main`;
  const fetch = () => heed(['fetch', 'opus:en-de', place, '--mirror', mirror], server.cache);
  server.told[`${REPOSITORY}model.safetensors`] = '0'.repeat(64);
  const wrong = await fetch();
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /model\.safetensors: sha256: found [\da-f]{64}, expected 0{64} as the server says\n$/);
  assert.ok(!existsSync(join(place, 'config.json')), 'no file has its name before all are complete');
  server.told = {};
  delete server.files[`${REPOSITORY}source.spm`];
  assert.match((await fetch()).stderr, /source\.spm is missing\n$/);
  server.files[`${REPOSITORY}source.spm`] = FILES['source.spm'];
  assert.equal((await fetch()).code, 0);

  const foreign = join(server.cache, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'notes.txt'), 'mine');
  const refused = await heed(['fetch', 'opus:en-de', foreign, '--mirror', server.address], server.cache);
  assert.match(refused.stderr, /foreign: found "?notes\.txt"?, expected a new directory, or one of http/);
  assert.deepEqual(readdirSync(foreign), ['notes.txt']);
});

test('a fetch that ends between two files goes on in its directory', async (t) => {
  const server = await start(t);
  const place = join(server.cache, 'model');
  const fetch = () => heed(['fetch', 'opus:en-de', place, '--mirror', server.address], server.cache);
  // a folder where a file should go
  server.before = (path) =>
    void (path.endsWith('.safetensors') && mkdirSync(join(place, 'source.spm/in'), { recursive: true }));
  assert.equal((await fetch()).code, 1);
  assert.ok(existsSync(join(place, 'config.json')) && !existsSync(join(place, 'heed.json')), 'some have their names');
  server.before = () => {};
  rmSync(join(place, 'source.spm'), { recursive: true });
  assert.deepEqual(await fetch().then(({ code, stderr }) => [code, stderr]), [0, '']);
  assert.deepEqual(readdirSync(place).filter((name) => name.endsWith('.partial')), []);
});

test('models of groups of languages: the targets are those of the tokens, and no source is stated', async (t) => {
  const server = await start(t);
  const serveAs = (/** @type {string} */ pair, files = FILES) => Object.assign(server.files, Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [REPOSITORY.replace('en-de', pair) + name, bytes])));
  const vocab = Buffer.from(String(Buffer.from(FILES['vocab.json'])).replace('">>fr<<"', '">>fr_BE<<"'));
  serveAs('en-ROMANCE', { ...FILES, 'vocab.json': vocab });
  serveAs('gmq-en');
  serveAs('gmq-gmw');
  serveAs('tc-big-en-fi');
  serveAs('tc-bible-big-deu-cat_oci_spa');
  const told = async (/** @type {string} */ pair) => {
    const run = await heed(['fetch', `opus:${pair}`, '--mirror', server.address], server.cache);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    const { source, target, pairs } = JSON.parse(
      readFileSync(join(server.cache, 'heed', `opus-${pair}`, 'heed.json'), 'utf8'));
    return { source, target, pairs: pairs?.map((/** @type {string[]} */ each) => each.join('-')).sort().join(' ') };
  };
  assert.deepEqual(await told('gmq-en'), { source: undefined, target: 'en', pairs: undefined });
  assert.deepEqual(await told('gmq-gmw'), { source: undefined, target: undefined, pairs: undefined });
  assert.deepEqual(await told('en-ROMANCE'),
    { source: undefined, target: undefined, pairs: 'en-de en-es en-fr' });
  // names that begin with the kind of the training
  assert.deepEqual(await told('tc-big-en-fi'), { source: 'en', target: 'fi', pairs: undefined });
  assert.deepEqual(await told('tc-bible-big-deu-cat_oci_spa'),
    { source: undefined, target: undefined, pairs: 'deu-en deu-es deu-fr' });
  const { stdout, code } = await heed(['translate', '-m', join(server.cache, 'heed/opus-en-ROMANCE'), '--to', 'fr',
    'Where is the station?'], server.cache);
  assert.equal(code, 0);
  assert.match(stdout, /gare/);
});

test('heed fetch URL: files of heed.json, and no name that leads elsewhere', async (t) => {
  const server = await start(t);
  server.files = Object.fromEntries(Object.entries(WHOLE).map(([name, bytes]) => [`m/${name}`, bytes]));
  const place = join(server.cache, 'model');
  assert.match((await heed(['fetch', `${server.address}/m/`, place], server.cache)).stdout, /9 of 9 files/);
  const { pairs } = JSON.parse(readFileSync(join(place, 'heed.json'), 'utf8'));
  assert.deepEqual(pairs, JSON.parse(String(Buffer.from(MANIFEST))).pairs);
  assert.match((await heed(['fetch', `${server.address}/m`, place], server.cache)).stdout, /is there already/);
  for (const name of ['../evil', 'a/b', '.hidden', 'heed.json']) {
    const files = { [name]: { size: 1, sha256: '0'.repeat(64) } };
    server.files['m/heed.json'] = Buffer.from(JSON.stringify({ files }));
    const { stderr } = await heed(['fetch', `${server.address}/m/`, join(server.cache, 'evil')], server.cache);
    assert.match(stderr, /^heed: heed\.json: files: found .*, expected file names\n$/, name);
  }
  assert.equal(opusAddress('en-de'), `https://huggingface.co/${REPOSITORY}`);
  for (const [args, message] of /** @type {const} */ ([
    [['opus:en'], /opus: and a pair, such as opus:en-pt/], [['hugging:en-de'], /expected firefox: and a pair/],
    [[`${server.address}/m/`, '--mirror', server.address], /--mirror: has no effect with a URL/],
  ])) {
    const { code, stderr } = await heed(['fetch', ...args], server.cache);
    assert.match(stderr, message);
    assert.equal(code, 2);
  }
});

test('what was fetched is found by its pair; heed cache lists, updates and deletes it', async (t) => {
  const server = await start(t);
  server.files = Object.fromEntries(Object.entries(unlisted({ ...FILES })).map(([name, bytes]) =>
    [`Helsinki-NLP/opus-mt-en-fi/resolve/main/${name}`, bytes]));
  await heed(['fetch', 'opus:en-fi', '--mirror', server.address], server.cache);
  const run = (/** @type {string[]} */ ...args) => heed(args, server.cache);
  const { code, stderr } = await run('translate', '--to', 'fi', 'Hello');
  assert.ok(code === 0 || !stderr.includes('no model from en to fi'), stderr);

  // one that ended early is listed, and goes on or is deleted
  const mirror = server.address;
  const path = (/** @type {string} */ name) => `Helsinki-NLP/opus-mt-en-sv/resolve/main/${name}`;
  const all = Object.fromEntries(Object.entries(server.files).map(([name, bytes]) =>
    [name.replace('en-fi', 'en-sv'), bytes]));
  const { [path('model.safetensors')]: weights, [path('pytorch_model.bin')]: _, ...first } = all;
  Object.assign(server.files, first);
  assert.match((await run('fetch', 'opus:en-sv', '--mirror', mirror)).stderr, /pytorch_model\.bin is missing\n$/);
  assert.ok(!existsSync(join(server.cache, 'heed/opus-en-sv/heed.json')));
  assert.match((await run('cache')).stdout, /opus-en-fi {2}c1\n +[\d.]+ MB {2}opus-en-sv {2}incomplete\n$/);
  assert.deepEqual((await list({ cache: join(server.cache, 'heed') })).map(({ isPartial }) => isPartial),
    [undefined, true]);
  // what fails does not keep the others from their update
  delete server.files['Helsinki-NLP/opus-mt-en-fi/resolve/main/config.json'];
  rmSync(join(server.cache, 'heed/opus-en-fi/config.json'));
  server.files[path('model.safetensors')] = weights;
  const { stderr: failed, ...updated } = await run('cache', 'update');
  assert.deepEqual(updated, { code: 1, stdout: 'opus-en-sv: updated\n' });
  assert.match(failed, /^heed: opus-en-fi: http.*config\.json is missing\n$/);
  const { name, source, target, about } = JSON.parse(
    readFileSync(join(server.cache, 'heed/opus-en-sv/heed.json'), 'utf8'));
  assert.deepEqual([name, source, target, about], ['opus-mt-en-sv', 'en', 'sv', undefined]);
  assert.equal((await run('cache', 'delete', 'opus-en-sv')).stdout, 'opus-en-sv: deleted\n');
  Object.assign(server.files, { [`${path('config.json').replace('sv', 'fi')}`]: FILES['config.json'] });
  await heed(['fetch', 'opus:en-fi', '--mirror', mirror], server.cache);
  for (const [args, message] of /** @type {const} */ ([
    [['--mirror', mirror], /^heed: --mirror: has no effect on heed cache list/],
    [['delete', 'opus-en-fi', '--mirror', mirror], /^heed: --mirror: has no effect on heed cache delete/],
    [['update', 'opus-en-fi', '--mirror', mirror],
      /^heed: --mirror: has no effect, as none of these models is one of Firefox's/],
    [['update', '--mirror', mirror], /^heed: --mirror: has no effect, as none of the stored models is one of Firefox/],
    [['update', '--mirror', 'nonsense'], /^heed: --mirror: found 'nonsense', expected the address of a server/],
    [['--cache', join(server.cache, 'none')], /^heed: --cache: found '.*none', expected a directory/],
  ])) {
    const wrong = await run('cache', ...args);
    assert.match(wrong.stderr, message);
    assert.equal(wrong.code, 2);
  }
  assert.deepEqual(await list({ cache: join(server.cache, 'none') }), []);
  assert.ok(!existsSync(join(server.cache, 'none')), 'a list makes no directory');

  // in another cache, by the option alone: of the command, and of the API
  const other = join(server.cache, 'other');
  await heed(['fetch', 'opus:en-fi', '--mirror', server.address, '--cache', other], server.cache);
  const empty = mkdtempSync(join(server.cache, 'empty-'));
  const from = (/** @type {string} */ cache, to = 'fi') =>
    heed(['translate', '--cache', cache, '--to', to, 'Hello'], empty);
  assert.deepEqual(await from(other).then((found) => [found.code, found.stderr]), [code, stderr]);
  assert.match((await from(other, 'sv')).stderr, /no model from en to sv/);
  const none = await from(empty);
  assert.match(none.stderr, /^heed: --cache: found no model of heed fetch in .*, expected one, as there is no --model/);
  assert.equal(none.code, 2);
  const pair = { sourceLanguage: 'en', targetLanguage: 'fi' };
  assert.deepEqual((await Translator.pairs({ cache: other })).filter(({ targetLanguage }) => targetLanguage === 'fi'),
    [pair]);
  assert.equal(await Translator.availability({ ...pair, cache: other }), 'available');
  // what is not there is looked for in the default one
  const both = await heed(['translate', '--cache', empty, '--to', 'fi', 'Hello'], server.cache);
  assert.deepEqual([both.code, both.stderr], [code, stderr]);
  const found = async (/** @type {string} */ cache) =>
    (await findFetched(cache)).map(({ place }) => String(place).slice(server.cache.length + 1));
  const { XDG_CACHE_HOME } = process.env;
  process.env.XDG_CACHE_HOME = server.cache;
  try {
    assert.deepEqual(await found(other), ['other/opus-en-fi', 'heed/opus-en-fi'], 'the given one comes first');
    assert.deepEqual(await found(join(server.cache, 'heed')), ['heed/opus-en-fi'], 'each once');
  } finally {
    if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
  }

  assert.deepEqual(await run('cache'), { code: 0, stderr: '', stdout: `${' '.repeat(3)}12.1 MB  opus-en-fi  c1\n` });
  assert.deepEqual((await run('cache', 'update')).stdout, 'opus-en-fi: is the newest\n');
  server.commit = 'c2';
  assert.deepEqual((await run('cache', 'update', 'opus-en-fi')).stdout, 'opus-en-fi: updated\n');
  assert.match((await run('cache', 'list')).stdout, /opus-en-fi {2}c2\n$/);
  assert.match((await run('cache', 'delete', 'opus-en-sv')).stderr, /^heed: opus-en-sv: found no stored model/);
  assert.equal((await run('cache', 'delete', 'opus-en-fi')).stdout, 'opus-en-fi: deleted\n');
  assert.equal((await run('cache')).stdout, '');
  assert.match((await run('cache', 'empty')).stderr, /^heed: cache: found 'empty', expected list, delete or update\n/);
});

test('downloads of load() are listed, updated when the server has others, and deleted', async (t) => {
  const server = await start(t);
  server.files = Object.fromEntries(Object.entries(WHOLE).map(([name, bytes]) => [`m/${name}`, bytes]));
  const [name, cache] = [`${server.address}/m/`, server.cache];
  assert.deepEqual(await list({ cache }), []);
  (await Transformer.load(name, { cache })).dispose();
  const [kept, ...more] = await list({ cache });
  const unread = ['tokenizer_config.json', 'lexicon.bin', 'ngrams.bin'];
  const read = Object.entries(WHOLE).filter(([file]) => !unread.includes(file));
  assert.deepEqual([kept, more], [
    { name, size: read.reduce((sum, [, bytes]) => sum + bytes.length, 0),
      version: `"${sha256(MANIFEST).slice(0, 20)}"` }, [],
  ]);
  server.asked.length = 0;
  assert.equal(await update(name, { cache }), false);
  assert.deepEqual(server.asked, ['heed.json']);

  const json = JSON.parse(String(Buffer.from(MANIFEST)));
  const vocab = Buffer.concat([FILES['vocab.json'], Buffer.from(' ')]);
  json.files['vocab.json'] = { size: vocab.length, sha256: sha256(vocab) };
  server.files['m/heed.json'] = Buffer.from(JSON.stringify(json));
  await assert.rejects(update(name, { cache }), /vocab\.json/); // the server still has the old file
  server.files['m/vocab.json'] = vocab;
  assert.equal(await update(name, { cache }), true);
  server.asked.length = 0;
  (await Transformer.load(name, { cache })).dispose();
  assert.deepEqual(server.asked, ['heed.json']);

  // a new version has more files: two vocabularies
  json.files['target_vocab.json'] = json.files['vocab.json'];
  server.files['m/heed.json'] = Buffer.from(JSON.stringify(json));
  const before = await list({ cache });
  await assert.rejects(update(name, { cache }), /target_vocab\.json/); // the next one asks for it again
  assert.deepEqual(await list({ cache }), before, 'the old list is there still, so that the model loads');
  server.files['m/target_vocab.json'] = vocab;
  assert.equal(await update(name, { cache }), true);
  assert.ok(server.asked.includes('target_vocab.json') && !server.asked.includes('tokenizer_config.json'));
  server.asked.length = 0;
  await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: name, cache })
    .then((translator) => translator.destroy(), () => {}); // whether it suits the weights or not
  // a Transformer has no use for the latter
  assert.deepEqual(server.asked.sort(), ['heed.json', 'lexicon.bin', 'ngrams.bin']);

  // an index is no model
  server.files['index.json'] = Buffer.from('{ "models": [] }');
  await Translator.availability({ sourceLanguage: 'en', targetLanguage: 'de', cache,
    models: `${server.address}/index.json` });
  assert.deepEqual((await list({ cache })).map((model) => model.name), [name]);

  // what cannot be deleted is not said to be
  t.mock.method(fs, 'rm', async () => Promise.reject(new Error('a disk that is read-only')));
  syncBuiltinESMExports();
  try {
    await assert.rejects(remove(name, { cache }), /a disk that is read-only/);
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  assert.deepEqual((await list({ cache })).map((model) => model.name), [name]);

  await remove(name, { cache });
  assert.deepEqual(await list({ cache }), []);
  for (const f of [remove, update]) {
    await assert.rejects(f(name, { cache }), { name: 'RangeError', message: /no stored model/ });
  }
});
