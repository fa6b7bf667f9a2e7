// own-files.test.js - the page's view of files that somebody brings: which a model lacks, and whether they are one
// model.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { Translator } from '../js/index.js';
import { byName, foldersOf, missingOf } from '../web/translate/own-files.js';

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
  ])) assert.deepEqual(await missingOf(filesOf(name, without)), missing, `${name} without ${without}`);
});

test('files in folders: shards are one model, two indexes are two', () => {
  const file = (/** @type {string} */ path) => /** @type {File} */ (/** @type {unknown} */ (
    { name: path.split('/').at(-1), webkitRelativePath: path }));
  const shards = ['model.safetensors.index.json', 'model-00001-of-00002.safetensors', 'config.json'];
  assert.deepEqual(foldersOf(shards.map((name) => file(`a/${name}`))), []);
  assert.deepEqual(foldersOf(['a', 'b'].flatMap((folder) => shards.map((name) => file(`${folder}/${name}`)))),
    ['a/', 'b/']);
});

test('the files translate; M2M-100 without vocab.json is refused, since its ids would be others', async () => {
  const options = { sourceLanguage: 'en', targetLanguage: 'de' };
  const translator = await Translator.create({ ...options, model: filesOf('families/m2m100') });
  assert.ok((await translator.translate('Where is the station?')).length > 0);
  translator.destroy();
  await assert.rejects(Translator.create({ ...options, model: filesOf('families/m2m100', /^vocab/) }),
    { status: 'HEED_E_FILE', message: /^vocab\.json is missing: tokenizer_config\.json says M2M100Tokenizer/ });
});
