// own-files.test.js - the page's view of files that somebody brings: which a model lacks, and whether they are one
// model.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { Translator } from '../js/index.js';
import { byName, filesOf as filesOfDrop, foldersOf, missingOf } from '../web/translate/own-files.js';

/** @param {string} folder @param {RegExp} [without] */
function filesOf(folder, without = /\.gz$|^golden|^tokenizer-5/) {
  const directory = new URL(`golden/hf/${folder}/`, import.meta.url);
  const names = readdirSync(directory).filter((name) => !without.test(name) && !/\.gz$/.test(name));
  return byName(names.map((name) => new File([readFileSync(new URL(name, directory))], name)));
}

test('a model of each family is whole as transformers saves it, also in shards or with tokenizer.json alone', async () => {
  for (const name of ['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5']) {
    assert.deepEqual(await missingOf(filesOf(`families/${name}`)), [], name);
  }
  assert.deepEqual(await missingOf(filesOf('families/nllb', /^sentencepiece/)), []);
  assert.deepEqual(await missingOf(filesOf('opus')), []);
});

test('what is missing has the names that the family gives its files', async () => {
  for (const [name, without, missing] of /** @type {const} */ ([
    ['families/m2m100', /^vocab/, ['vocab.json']],
    ['families/m2m100', /^(vocab|sentencepiece)/, ['vocab.json', 'sentencepiece.bpe.model']],
    ['families/m2m100', /^model-00002/, ['model-00002-of-00002.safetensors']],
    ['families/m2m100', /^model/, ['model.safetensors']],
    ['families/nllb', /^(sentencepiece|tokenizer\.json)/, ['sentencepiece.bpe.model']],
    ['families/mt5', /^spiece|^model/, ['spiece.model', 'model.safetensors']],
    ['families/byt5', /^config/, ['config.json']],
    ['opus', /^(vocab|source)/, ['vocab.json', 'source.spm']],
    ['../firefox/memory-split', /^trgvocab/, ['trgvocab.*.spm']],
  ])) assert.deepEqual(await missingOf(filesOf(name, without)), missing, `${name} without ${without}`);
});

test('files in folders: shards are one model, two indexes are two', () => {
  const file = (/** @type {string} */ path) => /** @type {File} */ (/** @type {unknown} */ (
    { name: path.split('/').at(-1), webkitRelativePath: path }));
  const shards = ['model.safetensors.index.json', 'model-00001-of-00002.safetensors', 'config.json'];
  assert.deepEqual(foldersOf(shards.map((name) => file(`a/${name}`))), []);
  assert.deepEqual(foldersOf(['a', 'b'].flatMap((folder) => shards.map((name) => file(`${folder}/${name}`)))),
    ['a/', 'b/']);
  // beside the model, folders have files of other models: those of the weights' folder count
  const files = ['README.md', 'a/heed.json', 'b/model.safetensors', 'b/heed.json', 'c/heed.json'].map((name) =>
    file(`all/${name}`));
  assert.deepEqual(foldersOf(files), []);
  assert.deepEqual(byName(files), { 'model.safetensors': files[2], 'heed.json': files[3] });
});

/**
 * A dropped folder as browsers have it, read in parts of two.
 *
 * @param {string} path @param {any} content  a folder's names, or null: a file
 */
function entryOf(path, content) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!content) {
    const file = (/** @type {(file: File) => void} */ take) => take(new File([], name));
    return { isFile: true, name, fullPath: path, file };
  }
  const entries = Object.entries(content).map(([inner, more]) => entryOf(`${path}/${inner}`, more));
  return { isFile: false, name, createReader: () => ({
    readEntries: (/** @type {(part: any[]) => void} */ take) => take(entries.splice(0, 2)),
  }) };
}

test('a dropped folder is one model or says which models it has; older states of a model are left alone', async () => {
  const model = { 'config.json': null, 'vocab.json': null, 'model.safetensors': null };
  const drop = async (/** @type {any} */ content) => filesOfDrop([entryOf('/dropped', content)]);
  const six = await drop(Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, model])));
  assert.deepEqual(foldersOf(six), ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `dropped/${name}/`));
  const inner = await drop({ 'README.md': null, model });
  assert.deepEqual([foldersOf(inner), inner.map(({ name }) => name).sort()],
    [[], ['README.md', 'config.json', 'model.safetensors', 'vocab.json']]);
  // as in the cache of Hugging Face; what is deeper is not read
  const deep = await drop({ snapshots: { hash: model }, a: { b: { c: model, x: null } } });
  assert.deepEqual([foldersOf(deep), deep.map(({ name }) => name).sort()],
    [[], ['config.json', 'model.safetensors', 'vocab.json', 'x']]);
  const trained = await drop({ ...model, 'checkpoint-500': model });
  assert.deepEqual([foldersOf(trained), trained.length], [[], 3]);
});

test('the files translate; M2M-100 without vocab.json is refused, since its ids would be others', async () => {
  const options = { sourceLanguage: 'en', targetLanguage: 'de' };
  const translator = await Translator.create({ ...options, model: filesOf('families/m2m100') });
  assert.ok((await translator.translate('Where is the station?')).length > 0);
  translator.destroy();
  await assert.rejects(Translator.create({ ...options, model: filesOf('families/m2m100', /^vocab/) }),
    { status: 'HEED_E_FILE', message: /^vocab\.json is missing: tokenizer_config\.json says M2M100Tokenizer/ });
});
