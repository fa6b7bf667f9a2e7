// pegasus.test.js - a Pegasus model as transformers saves it, against what transformers computes (golden/hf/pegasus).
//
// Pegasus is MarianMT with norms before the sublayers. Tolerances: sums of 32-bit floats in another order.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convert } from '../js/convert/convert.js';
import { Transformer } from '../js/index.js';
import { readTensors } from './golden/golden.js';
import { optionsOf } from './golden/hf/read.js';

const directory = new URL('golden/hf/pegasus/', import.meta.url);
const read = (/** @type {string} */ name) => new Uint8Array(readFileSync(new URL(name, directory)));
const json = (/** @type {string} */ name) => JSON.parse(new TextDecoder().decode(read(name)));
/** @type {{ source: number[], settings: Record<string, any>, outputs: { ids: number[], score?: number }[] }[]} */
const cases = json('expected.json');
const tensors = readTensors(new URL('golden.safetensors', directory));
const NEAR = 1e-5;

/** @param {Transformer} model */
function assertCases(model) {
  for (const { source, settings, outputs } of cases) {
    const [found] = model.generate([source], optionsOf(settings, 0));
    assert.deepEqual(found.map(({ ids }) => [0, ...ids]), outputs.map(({ ids }) => ids));
    outputs.forEach(({ score = found[0].score }, i) => {
      assert.ok(Math.abs(found[i].score - score) < NEAR, `${found[i].score}, expected ${score}`);
    });
  }
}

/** @param {string} what @param {{ data: Float32Array }} got @param {{ data: Float32Array }} want */
function assertTensor(what, got, want) {
  assert.equal(got.data.length, want.data.length, what);
  const worst = got.data.reduce((most, x, i) => Math.max(most, Math.abs(x - want.data[i])), 0);
  assert.ok(worst < NEAR, `${what}: off by ${worst}`);
}

test('pegasus: encoder, logits, attention and searches are those of transformers', async () => {
  const model = await Transformer.load(directory, { dtype: 'f32' });
  const sources = [...new Map(cases.map(({ source }) => [String(source), source])).values()];
  assert.equal(sources.length, 3);
  for (const [i, source] of sources.entries()) {
    const of = (/** @type {string} */ key) => tensors[`line${i}.${key}`];
    const target = new Int32Array(of('target').data.buffer);
    assertTensor('encoder', model.encode(source), of('encoder'));
    assertTensor('logits', model.forward(source, target).logits, of('logits'));
    assertTensor('cross', model.attention(source, target).cross, of('cross'));
  }
  assertCases(model);
  model.dispose();
});

test('pegasus: a converted model says the same', async (t) => {
  const to = mkdtempSync(join(tmpdir(), 'heed-pegasus-'));
  t.after(() => rmSync(to, { recursive: true }));
  await convert(fileURLToPath(directory), to, { dtype: 'f32' });
  const model = await Transformer.load(to);
  assert.equal(model.config.model_type, 'pegasus');
  assertCases(model);
  model.dispose();
});

test("pegasus: a key that is missing has PegasusConfig's value, and none may contradict the family", async () => {
  const files = Object.fromEntries(['config.json', 'generation_config.json', 'model.safetensors'].map((name) =>
    [name, read(name)]));
  /** @param {Record<string, unknown>} change */
  const load = (change) => Transformer.load({ ...files, 'config.json': new TextEncoder().encode(
    JSON.stringify({ ...json('config.json'), ...change })) }, { dtype: 'f32' });
  const model = await load({ pad_token_id: undefined, eos_token_id: undefined, decoder_start_token_id: undefined });
  assertCases(model);
  model.dispose();
  await assert.rejects(load({ normalize_before: false }),
    /config\.json: normalize_before: found false, expected true, as in every pegasus model/);
  await assert.rejects(load({ model_type: 'bert' }), /model_type: found 'bert', expected 'marian', 'pegasus'/);
});
