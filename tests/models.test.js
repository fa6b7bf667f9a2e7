// models.test.js - the shipped models: each is complete, small enough, listed, correctly described, and a MarianMT or
// Pegasus model with the names of Hugging Face: tensors, shapes and the keys of config.json.
import test from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { verify } from '../js/convert/verify.js';
import { Translator } from '../js/index.js';
import { listDirections } from './score/directions.js';
import { makeReadme, shipped } from './score/readme.js';

const models = new URL('../models/', import.meta.url);
/** Bytes of all files of a model: what a page has to load for the first translation. */
const LIMIT = 16_000_000;

/** By model_type. */
const ARCHITECTURES = { marian: 'MarianMTModel', pegasus: 'PegasusForConditionalGeneration' };

/** Every key that MarianConfig has, of its own or of PretrainedConfig, and that our files use. */
const KEYS = [
  'architectures', 'model_type', 'd_model', 'encoder_layers', 'decoder_layers', 'encoder_attention_heads',
  'decoder_attention_heads', 'encoder_ffn_dim', 'decoder_ffn_dim', 'activation_function', 'static_position_embeddings',
  'normalize_before', 'normalize_embedding', 'add_final_layer_norm', 'scale_embedding',
  'share_encoder_decoder_embeddings', 'tie_word_embeddings', 'is_encoder_decoder', 'use_cache', 'vocab_size',
  'decoder_vocab_size', 'max_position_embeddings', 'pad_token_id', 'unk_token_id', 'eos_token_id', 'bos_token_id',
  'decoder_start_token_id', 'forced_eos_token_id', 'dropout', 'attention_dropout', 'activation_dropout',
  // of heed
  'alignment_heads',
];

/**
 * The tensors that state_dict() of MarianMTModel or of Pegasus has for a configuration with one vocabulary, without the
 * tied copies of model.shared.weight and without the positions, which are computed.
 *
 * @param {Record<string, any>} config
 */
function marianTensors(config) {
  const { d_model: D, vocab_size: V } = config;
  /** @type {[string, number[]][]} */
  const list = [['model.shared.weight', [V, D]], ['final_logits_bias', [1, V]]];
  const linear = (/** @type {string} */ name, /** @type {number} */ out, /** @type {number} */ into) =>
    list.push([`${name}.weight`, [out, into]], [`${name}.bias`, [out]]);
  const norm = (/** @type {string} */ name) => list.push([`${name}.weight`, [D]], [`${name}.bias`, [D]]);
  for (const stack of ['encoder', 'decoder']) {
    for (let i = 0; i < config[`${stack}_layers`]; i++) {
      const layer = `model.${stack}.layers.${i}`;
      for (const attention of stack === 'encoder' ? ['self_attn'] : ['self_attn', 'encoder_attn']) {
        for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj']) linear(`${layer}.${attention}.${part}`, D, D);
        norm(`${layer}.${attention}_layer_norm`);
      }
      const F = config[`${stack}_ffn_dim`];
      linear(`${layer}.fc1`, F, D);
      linear(`${layer}.fc2`, D, F);
      norm(`${layer}.final_layer_norm`);
    }
    if (config.add_final_layer_norm) norm(`model.${stack}.layer_norm`);
  }
  return list;
}

/** @param {URL} directory */
function header(directory) {
  const bytes = readFileSync(new URL('model.safetensors', directory));
  return JSON.parse(bytes.toString('utf8', 8, 8 + Number(bytes.readBigUInt64LE(0))));
}

test('the index lists every pair of every directory', () => {
  const listed = JSON.parse(readFileSync(new URL('index.json', models), 'utf8')).models;
  const directories = readdirSync(models, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const pairs = directories.flatMap(({ name }) => {
    const manifest = JSON.parse(readFileSync(new URL(`${name}/heed.json`, models), 'utf8'));
    // what is left at the path of an older model names the new one
    return manifest.moved ? [] : listDirections(manifest).map((direction) => `${direction} ${name}/`);
  });
  assert.equal(pairs.length, 12);
  assert.deepEqual(listed.map(({ source, target, path }) => `${source}-${target} ${path}`).sort(), pairs.sort());
});

test('the directories of older models lead to one that has a model', async () => {
  for (const name of ['en-de', 'en-fr', 'en-es', 'de-en', 'fr-en', 'es-en']) {
    const old = new URL(`${name}/`, models);
    const { moved } = JSON.parse(readFileSync(new URL('heed.json', old), 'utf8'));
    const { files, pairs } = JSON.parse(readFileSync(new URL('heed.json', new URL(moved, old)), 'utf8'));
    assert.ok(files['model.safetensors'] && pairs.some((pair) => pair.join('-') === name), name);
    await assert.rejects(verify(fileURLToPath(old)).next(), (error) => error.message.includes(moved), name);
  }
});

for (const { url, path, manifest } of shipped) {
  test(`${path}: its files are those of the manifest, and small`, () => {
    const names = readdirSync(url).filter((name) => name !== 'heed.json');
    assert.deepEqual(names.sort(), Object.keys(manifest.files).sort());
    for (const [name, { size, sha256 }] of Object.entries(manifest.files)) {
      const bytes = readFileSync(new URL(name, url));
      assert.equal(bytes.length, size, name);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, name);
    }
    const sizes = Object.values(manifest.files).map(({ size }) => size);
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= LIMIT);
    assert.equal(manifest.name, path);
  });

  test(`${path}: names, shapes and keys are those of its class in transformers`, () => {
    const config = JSON.parse(readFileSync(new URL('config.json', url), 'utf8'));
    assert.deepEqual(Object.keys(config).filter((key) => !KEYS.includes(key)), []);
    assert.deepEqual(config.architectures, [ARCHITECTURES[config.model_type]]);
    const { __metadata__: _, ...tensors } = header(url);
    const wanted = marianTensors(config);
    // int8 adds to each matrix one scale a row
    const scaled = wanted.filter(([name]) => tensors[name]?.dtype === 'I8');
    const all = [...wanted, ...scaled.map(([name, [rows]]) => [`${name}.scale`, [rows]])];
    const found = Object.entries(tensors).map(([name, { shape }]) => [name, shape]);
    assert.deepEqual(found.sort(), all.sort());
    assert.ok(scaled.length > 0 && scaled.every(([, shape]) => shape.length === 2));
  });
}

test('models/README.md is what the models say, translations and all', async () => {
  assert.equal(await makeReadme(), readFileSync(new URL('README.md', models), 'utf8'));
});

test("README.md has the calibration error of the model's manifest", () => {
  const [, percent] = /mean error of the\s+shipped model is ([\d.]+) %/.exec(
    readFileSync(new URL('../README.md', import.meta.url), 'utf8')) ?? [];
  assert.deepEqual(shipped.map(({ manifest }) => (100 * manifest.confidence.ece).toFixed(1)), [percent]);
});

test('numbers come through', async (t) => {
  for (const { url, path, manifest } of shipped) {
    for (const direction of listDirections(manifest)) {
      const [sourceLanguage, targetLanguage] = direction.split('-');
      const translator = await Translator.create({ sourceLanguage, targetLanguage, model: url });
      for (const text of ['12:45', '1789']) {
        await t.test(`${path}, ${direction}: ${text}`, async () => {
          // a time alone may be said to be one, as its language writes it: 12:45 Uhr, 12 h 45, 12:45 pm
          assert.deepEqual((await translator.translate(text)).match(/\d+/g), text.match(/\d+/g));
        });
      }
      translator.destroy();
    }
  }
});
