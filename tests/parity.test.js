// parity.test.js - the model against PyTorch and the search against plain Python, on the random models of golden/.
//
// Tolerances: the expected figures are of 64-bit arithmetic; PyTorch's own 32-bit arithmetic is up to 8e-6 off them in
// logits and 2e-6 in attention weights (models.py prints it), as any other order of summation would be. 1e-4 and 1e-5
// are the least powers of ten with room for that; a wrong epsilon, scale or position is off by far more.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Transformer } from '../js/index.js';
import { filesWithBadWords, goldenModels, readGolden } from './golden/golden.js';

const LOGITS = 1e-4;
const ATTENTION = 1e-5;

/**
 * @param {string} what
 * @param {{ shape: readonly number[], data: Float32Array }} got
 * @param {{ shape: readonly number[], data: Float32Array }} want
 * @param {number} tolerance
 */
function assertNear(what, got, want, tolerance) {
  assert.deepEqual([...got.shape], [...want.shape], `${what}: shape`);
  assert.equal(got.data.length, want.data.length, `${what}: length`);
  const worst = want.data.reduce((at, w, i) => {
    const distance = Math.abs(got.data[i] - w);
    return distance <= at.distance ? at : { i, distance }; // NaN is worst
  }, { i: 0, distance: 0 });
  assert.ok(worst.distance <= tolerance,
    `${what}: ${got.data[worst.i]} at ${worst.i} should be ${want.data[worst.i]}, within ${tolerance}`);
}

/** @param {string} what @param {{ shape: readonly number[], data: Float32Array }} maps */
function assertRowsSumToOne(what, maps) {
  const width = maps.shape[maps.shape.length - 1];
  for (let row = 0; row < maps.data.length; row += width) {
    const total = maps.data.subarray(row, row + width).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(total - 1) <= ATTENTION, `${what}: row at ${row} sums to ${total}`);
  }
}

/** @param {Float32Array} numbers */
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

test('all golden models are there', () => {
  assert.deepEqual(goldenModels, ['bf16', 'int8', 'postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'silu-f16',
    'ssru', 'ssru-prenorm', 'swish-odd']);
});

for (const name of goldenModels) {
  const { directory, cases, searches } = readGolden(name);
  const withAllHeads = cases.filter(({ disabledHeads }) => disabledHeads.length === 0);

  test(`${name}: as PyTorch computes it`, async (t) => {
    const model = await Transformer.load(directory, { dtype: 'f32' });
    t.after(() => model.dispose());

    await t.test('encoder output, logits, log-probabilities', () => {
      for (const { source, target, tensors } of withAllHeads) {
        const { logits, logProbs } = model.forward(source, target);
        assertNear('encoder output', model.encode(source), tensors.output, LOGITS);
        assertNear('logits', logits, tensors.logits, LOGITS);
        assertNear('log-probabilities', { shape: [target.length], data: logProbs }, tensors.log_probs, LOGITS);
      }
    });

    await t.test('attention maps, with heads switched off too', () => {
      for (const { source, target, disabledHeads, tensors } of cases) {
        const maps = model.attention(source, target, { disabledHeads });
        for (const stack of /** @type {const} */ (['encoder', 'decoder', 'cross'])) {
          assertNear(`${stack} attention`, maps[stack], tensors[stack], ATTENTION);
          assertRowsSumToOne(`${stack} attention`, maps[stack]);
        }
      }
    });

    await t.test('the decoder sees nothing ahead', () => {
      const { source, target } = withAllHeads[withAllHeads.length - 1];
      const { decoder } = model.attention(source, target);
      const n = target.length;
      decoder.data.forEach((weight, i) => {
        if (i % n > Math.floor(i / n) % n) assert.equal(weight, 0, `decoder attention at ${i}`);
      });
      // so a shorter target gives the same rows, bit for bit
      const whole = model.forward(source, target).logits;
      for (let t = 1; t < n; t++) {
        const { data } = model.forward(source, target.slice(0, t)).logits;
        assert.deepEqual(data, whole.data.subarray(0, data.length));
      }
    });

    await t.test('switched-off heads are on again afterwards', () => {
      const { source, target, disabledHeads } = cases[cases.length - 1];
      assert.ok(disabledHeads.length > 0);
      const before = model.attention(source, target);
      const without = model.attention(source, target, { disabledHeads });
      assert.notDeepEqual(without.cross.data, before.cross.data);
      assert.deepEqual(model.attention(source, target), before);
    });
  });

  test(`${name}: searches as plain Python does them`, async (t) => {
    const standard = await Transformer.load(directory, { dtype: 'f32' });
    t.after(() => standard.dispose());
    const usual = JSON.stringify([[standard.config.pad_token_id]]);

    for (const { name: title, source, options, badWords, disabledHeads, hypotheses } of searches) {
      await t.test(title, async () => {
        const isUsual = JSON.stringify(badWords) === usual;
        const model = isUsual ? standard
          : await Transformer.load(filesWithBadWords(directory, badWords), { dtype: 'f32' });
        const all = disabledHeads.length === 0 ? options : { ...options, disabledHeads };
        const [found] = model.generate([source], all);
        assert.deepEqual(found.map(({ ids, finished }) => ({ ids: [...ids], finished })),
          hypotheses.map(({ ids, finished }) => ({ ids, finished })));
        found.forEach(({ ids, logProb }, rank) => {
          assert.ok(Math.abs(logProb - hypotheses[rank].logProb) <= LOGITS,
            `logProb ${logProb} of rank ${rank} should be ${hypotheses[rank].logProb}`);
          // what was decoded step by step, beams and all, is what the teacher-forced pass says of the same ids; greedy
          // search has the probabilities among what its rules allow
          if (disabledHeads.length > 0 || !(Number(options.beams) > 1)) return;
          const forced = sum(model.forward(source, ids).logProbs.slice(options.prefix?.length ?? 0));
          assert.ok(Math.abs(logProb - forced) <= LOGITS, `logProb ${logProb}, teacher-forced ${forced}`);
        });
        if (!isUsual) model.dispose();
      });
    }
  });

  test(`${name}: the same in batches of 1, 3 and 32`, async (t) => {
    const model = await Transformer.load(directory, { dtype: 'f32' });
    t.after(() => model.dispose());
    const sources = [...cases, ...searches].map(({ source }) => source);
    assert.ok(sources.length > 32);
    for (const options of [{ beams: 1, maxTokens: 16 }, { beams: 4, nBest: 4, lengthPenalty: 0.8, maxTokens: 16 }]) {
      const alone = model.generate(sources, { ...options, batchSize: 1 });
      for (const batchSize of [3, 32]) {
        assert.deepEqual(model.generate(sources, { ...options, batchSize }), alone, `batches of ${batchSize}`);
      }
    }
  });
}
