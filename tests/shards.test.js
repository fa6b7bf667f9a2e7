// Weights in several files, as save_pretrained() writes large models: the same model, whatever is split; errors name
// the shard and the tensor; servers, caches and conversion.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transformer, Translator } from '../js/index.js';
import { convert } from '../js/convert/convert.js';
import { readIndex } from '../js/formats/shards.js';
import { zip } from './hostile/containers.js';
import { listen } from './listen.js';
import { concat } from './model-files.js';
import { headerEntries, modelFiles, weightParts, writeObject, writeWeights } from './mutate/model.js';
import { legacyPickles, legacyStorages, stateTensors, torchEntries, writeState } from './mutate/torch.js';

const INDEX = 'model.safetensors.index.json';
const TORCH_INDEX = 'pytorch_model.bin.index.json';
const { 'model.safetensors': WHOLE, ...OTHERS } = modelFiles();

/** @param {unknown} value */
const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** @template T @param {T[]} items @param {number} n @returns {T[][]}  n lists of about the same length */
const cut = (items, n) => Array.from({ length: n }, (_, i) =>
  items.slice(Math.floor((i * items.length) / n), Math.floor(((i + 1) * items.length) / n)));

/**
 * The tiny model in n shards.
 *
 * @param {number} n
 * @param {'safetensors' | 'torch' | 'legacy'} container
 * @returns {Record<string, Uint8Array>}
 */
function sharded(n, container = 'safetensors') {
  const isTorch = container !== 'safetensors';
  /** @type {Record<string, Uint8Array>} */
  const files = { ...OTHERS };
  /** @type {Record<string, string>} */
  const map = {};
  const write = {
    safetensors: (/** @type {any[]} */ parts) =>
      writeWeights(writeObject(headerEntries(parts)), concat(...parts.map(({ data }) => data))),
    torch: (/** @type {any[]} */ parts) => zip(torchEntries(parts, writeState(parts))),
    legacy: (/** @type {any[]} */ parts) => concat(legacyPickles(parts), legacyStorages(parts)),
  }[container];
  // in turns: neighbours in the model are in other files
  const all = isTorch ? stateTensors() : weightParts();
  cut([...all.filter((_, i) => i % 2), ...all.filter((_, i) => i % 2 === 0)], n).forEach((parts, i) => {
    const stem = isTorch ? 'pytorch_model' : 'model';
    const name = `${stem}-0000${i + 1}-of-0000${n}.${isTorch ? 'bin' : 'safetensors'}`;
    files[name] = write(parts);
    for (const part of parts) map[part.name] = name;
  });
  files[isTorch ? TORCH_INDEX : INDEX] = json({ metadata: { total_size: 1 }, weight_map: map });
  return files;
}

/** @param {Transformer} model */
const logits = (model) => [...model.forward([3, 4, 5, 0], [6, 7, 0]).logits.data];

/** @param {any} source @param {object} [options] */
async function say(source, options) {
  const model = await Transformer.load(source, options);
  const found = logits(model);
  model.dispose();
  return found;
}

const expected = await say({ ...OTHERS, 'model.safetensors': WHOLE });

for (const container of /** @type {const} */ (['safetensors', 'torch', 'legacy'])) {
  test(`${container} in any number of shards is the same model`, async () => {
    for (const n of [1, 2, 3, 9]) assert.deepEqual(await say(sharded(n, container)), expected, `${n}`);
    const files = Object.entries(sharded(3, container))
      .map(([name, bytes]) => [name, new Blob([/** @type {any} */ (bytes)])]);
    assert.deepEqual(await say(Object.fromEntries(files)), expected, 'as Blobs');
  });
}

test('progress counts the bytes of all shards, by their names', async () => {
  const files = sharded(3);
  const calls = [];
  await say(files, { onProgress: (/** @type {any} */ p) => calls.push(p) });
  const last = calls.at(-1);
  assert.equal(last.loaded, last.total);
  assert.equal(last.total, Object.values(files).reduce((sum, { length }) => sum + length, 0));
  assert.deepEqual([...new Set(calls.map(({ file }) => file))].filter((name) => /of-/.test(name)),
    [1, 2, 3].map((i) => `model-0000${i}-of-00003.safetensors`));
  assert.ok(calls.every(({ loaded }, i) => i === 0 || loaded >= calls[i - 1].loaded));
});

const SECOND = 'model-00002-of-00003.safetensors';
const FIRST_TENSOR = Object.entries(JSON.parse(new TextDecoder().decode(sharded(3)[INDEX])).weight_map)
  .find(([, file]) => file === SECOND)?.[0] ?? '';

/** @type {[name: string, change: (files: Record<string, any>, index: any) => void, expected: RegExp][]} */
const WRONG = [
  ['a shard is missing', (files) => delete files[SECOND], /model-00002-of-00003.safetensors is missing/],
  ['a tensor is not in its shard', (_, { weight_map: map }) => (map['model.other.weight'] = SECOND),
    /^model-00002-of-00003.safetensors: model.other.weight: is not there, expected it as model.*index.json says/],
  ['a tensor is in another shard', (_, { weight_map: map }) => (map[FIRST_TENSOR] = 'model-00001-of-00003.safetensors'),
    /^model-00001-of-00003.safetensors: .*: is not there/],
  ['a tensor that the index has not', (_, { weight_map: map }) => delete map[FIRST_TENSOR],
    /^model-00002-of-00003.safetensors: .*: model.safetensors.index.json does not have it there/],
  ['a shard is cut short', (files) => (files[SECOND] = files[SECOND].slice(0, -1)),
    /^model-00002-of-00003.safetensors: model\..*: cut short: 1 bytes are missing/],
  ['a shard is too long', (files) => (files[SECOND] = concat(files[SECOND], new Uint8Array(1))),
    /^model-00002-of-00003.safetensors: bytes after the last tensor/],
  ['a shard is something else', (files) => (files[SECOND] = new Uint8Array(100)),
    /^model-00002-of-00003.safetensors: found a header of 0 bytes/],
  ['a number is none', (files) => {
    files[SECOND] = files[SECOND].slice();
    files[SECOND].fill(0xff, -4);
  }, /^model-00002-of-00003.safetensors: model\..*HEED_E_TENSOR_VALUE|^model-00002-of-00003.safetensors: model\./],
  ['no list', (_, index) => delete index.weight_map,
    /^model.safetensors.index.json: weight_map: found undefined, expected/],
  ['an empty list', (_, index) => (index.weight_map = {}),
    /^model.safetensors.index.json: weight_map: found .*expected/],
  ['a file with a long name', (_, { weight_map: map }) => (map[FIRST_TENSOR] = 'x'.repeat(2000)),
    /^model.safetensors.index.json: weight_map: '.{1,60}': found '?x{1,99}[^x]{0,9}, expected the name of a file be/],
  ['a file elsewhere', (_, { weight_map: map }) => (map[FIRST_TENSOR] = '../x.safetensors'),
    /^model.safetensors.index.json: weight_map: '.*': found '\.\.\/x.*', expected the name of a file beside it/],
  ['a file that is no name', (_, { weight_map: map }) => (map[FIRST_TENSOR] = 3),
    /^model.safetensors.index.json: weight_map: '.*': found 3, expected/],
  ['an index that is no JSON', (files) => (files[INDEX] = new Uint8Array([60])),
    /^model.safetensors.index.json: found an HTML/],
];
for (const [name, change, message] of WRONG) {
  test(`refused: ${name}`, async () => {
    const files = sharded(3);
    const index = JSON.parse(new TextDecoder().decode(files[INDEX]));
    const before = files[INDEX];
    change(files, index);
    if (files[INDEX] === before) files[INDEX] = json(index);
    await assert.rejects(say(files), (/** @type {Error} */ error) => {
      assert.equal(error.name, 'HeedError');
      assert.match(error.message.replace(/^the given files: /, ''), message);
      return true;
    });
  });
}

test('a thousand files, and no more', () => {
  const index = (/** @type {number} */ n) =>
    json({ weight_map: Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, `f${i}`])) });
  assert.equal(readIndex(index(1000), INDEX).size, 1000);
  assert.throws(() => readIndex(index(1001), INDEX), /found 1001 files, expected 1000 at most/);
});

test('from a server: each shard asked for twice, read once, stored, and used without the server', async (t) => {
  const files = sharded(3);
  const cache = await mkdtemp(join(tmpdir(), 'heed-shards-'));
  t.after(() => rm(cache, { recursive: true }));
  let isDown = false;
  /** @type {string[]} */
  const asked = [];
  const place = await listen(t, ({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    asked.push(name);
    if (isDown) response.destroy();
    else if (files[name]) response.setHeader('etag', `"${name}"`).end(files[name]);
    else response.writeHead(404).end();
  });
  assert.deepEqual(await say(place, { cache }), expected);
  assert.equal(asked.filter((name) => /of-00003/.test(name)).length, 6);
  const options = { sourceLanguage: 'en', targetLanguage: 'fr', model: place, cache };
  assert.equal(await Translator.availability(options), 'available');
  isDown = true;
  assert.deepEqual(await say(place, { cache }), expected);
});

test('availability is that of all shards', async () => {
  const ask = (/** @type {Record<string, Uint8Array>} */ model) =>
    Translator.availability({ sourceLanguage: 'en', targetLanguage: 'fr', model });
  for (const container of /** @type {const} */ (['safetensors', 'torch'])) {
    const files = sharded(3, container);
    assert.equal(await ask(files), 'available');
    const [last] = Object.keys(files).filter((name) => /00003-of/.test(name));
    const { [last]: _, ...fewer } = files;
    assert.equal(await ask(fewer), 'unavailable');
  }
});

test('shards become one file of int8', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'heed-shards-'));
  t.after(() => rm(place, { recursive: true }));
  const write = async (/** @type {Record<string, Uint8Array>} */ files) => {
    const { 'heed.json': _, ...others } = files;
    for (const [name, bytes] of Object.entries(others)) await writeFile(join(place, name), bytes);
  };
  await write(sharded(3));
  const { before } = await convert(place, join(place, 'out'), { dtype: 'int8' });
  assert.ok(before > WHOLE.length);
  const [found, wanted] = [await readFile(join(place, 'out/model.safetensors')), join(place, 'whole')];
  for (const name of Object.keys(sharded(3))) if (/of-|index/.test(name)) await rm(join(place, name));
  await writeFile(join(place, 'model.safetensors'), WHOLE);
  await convert(place, wanted, { dtype: 'int8' });
  assert.deepEqual(await say(join(place, 'out')), await say(wanted));
  assert.ok(found.length < WHOLE.length && existsSync(join(wanted, 'model.safetensors')));
  assert.ok(readFileSync(join(place, 'out/heed.json')).length > 0);
});
