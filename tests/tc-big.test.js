// tc-big.test.js - the configuration of opus-mt-tc-big-fr-en with random weights, against what transformers computes: a
// narrow model, golden/hf/tc-big, and one of its real shape with its tokenizer, which golden/hf/make/tc_big.py --big
// makes in build/tc-big.
//
// Tolerances: sums of 32-bit floats in another order; in a row of the real shape they have 4,096 products.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { Transformer } from '../js/index.js';
import { readTensors } from './golden/golden.js';
import { optionsOf } from './golden/hf/read.js';

const NARROW = new URL('golden/hf/tc-big/', import.meta.url);
const REAL = new URL('../build/tc-big/', import.meta.url);
const [NEAR, LOGITS] = [1e-5, 1e-4];

/** @typedef {{ data: Float32Array, shape: readonly number[] }} Tensor */
/** @typedef {{ source: number[], text?: string, settings: Record<string, any>,
 *   outputs: { ids: number[], score?: number, text?: string }[] }} Case */

/** @param {string} what @param {Tensor} got @param {Tensor} want @param {number} tolerance */
function assertNear(what, got, want, tolerance) {
  assert.deepEqual([...got.shape], [...want.shape], what);
  const worst = got.data.reduce((most, x, i) => Math.max(most, Math.abs(x - want.data[i])), 0);
  assert.ok(worst < tolerance, `${what}: off by ${worst}`); // NaN is not near either
}

/** @param {URL} directory @param {number} [near]  tolerance of the encoder's output and of attention */
async function compare(directory, near = NEAR) {
  const model = await Transformer.load(directory, { dtype: 'f32' });
  const start = model.config.decoder_start_token_id;
  const tensors = readTensors(new URL('golden.safetensors', directory));
  for (const line of ['line0', 'line1', 'line2']) {
    const of = (/** @type {string} */ key) => tensors[`${line}.${key}`];
    const [source, target] = ['source', 'target'].map((side) => new Int32Array(of(side).data.buffer));
    assertNear(`${line}: encoder`, model.encode(source), of('encoder_last_hidden_state'), near);
    assertNear(`${line}: logits`, model.forward(source, target).logits, of('logits'), LOGITS);
    const maps = model.attention(source, target);
    for (const stack of /** @type {const} */ (['encoder', 'decoder', 'cross'])) {
      assertNear(`${line}: ${stack}`, maps[stack], of(`${stack}_attentions`), near);
    }
  }
  /** @type {Case[]} */
  const cases = JSON.parse(readFileSync(new URL('expected.json', directory), 'utf8'));
  assert.equal(cases.length, 9);
  for (const { source, text, settings, outputs } of cases) {
    if (text !== undefined) assert.deepEqual([...model.tokenizer.encode(text).ids], source, text);
    const [found] = model.generate([source], { maxLength: 12, ...optionsOf(settings, start) });
    assert.deepEqual(found.map(({ ids }) => [start, ...ids]), outputs.map(({ ids }) => ids));
    outputs.forEach(({ score = found[0].score, text: said }, i) => {
      assert.ok(Math.abs(found[i].score - score) < LOGITS, `${found[i].score}, expected ${score}`);
      if (said !== undefined) assert.equal(model.tokenizer.decode(found[i].ids), said.trim());
    });
  }
  model.dispose();
}

test('tc-big, narrow: encoder, logits, attention and searches are those of transformers', () => compare(NARROW));

const isMissing = !existsSync(REAL) && 'build/tc-big is missing: golden/hf/make/tc_big.py --big makes it';
test('tc-big, of its real shape: the same, and its texts', { skip: isMissing }, () => compare(REAL, 3 * NEAR));

test('tc-big, int8: near', async () => {
  const model = await Transformer.load(NARROW, { dtype: 'int8' });
  const tensors = readTensors(new URL('golden.safetensors', NARROW));
  const [source, target] = ['source', 'target'].map((side) => new Int32Array(tensors[`line2.${side}`].data.buffer));
  const { data } = model.forward(source, target).logits;
  const want = tensors['line2.logits'].data;
  const error = Math.hypot(...data.map((x, i) => x - want[i])) / Math.hypot(...want);
  assert.ok(error > 0 && error < 0.1, `off by ${error} of the logits' length`);
  model.dispose();
});
