// inspect.test.js - every tensor of a pass against PyTorch, and against the others: what follows from what; the weights
// by name; in both arithmetics, in the calling thread and in a worker.
//
// Tolerances as in parity.test.js: PyTorch's own 32-bit arithmetic is up to 8e-6 off the 64-bit figures in the largest
// of these tensors.
import test from 'node:test';
import assert from 'node:assert/strict';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { goldenModels, readGolden, readTensors } from './golden/golden.js';
import { SHIPPED } from './model-files.js';

const NEAR = 1e-4;
/** What one sum of D products of numbers around 1 is off by, in another order, in 32 bits. */
const ROUNDING = 2e-5;

/** @param {string} what @param {ArrayLike<number>} got @param {ArrayLike<number>} want @param {number} tolerance */
function assertNear(what, got, want, tolerance) {
  assert.equal(got.length, want.length, `${what}: length`);
  for (let i = 0; i < want.length; i++) {
    const isNear = got[i] === want[i] || Math.abs(got[i] - want[i]) <= tolerance; // two infinities are one
    assert.ok(isNear, `${what}: ${got[i]} at ${i} should be ${want[i]}, within ${tolerance}`);
  }
}

for (const name of ['prenorm-gelu-separate-stored', 'ssru', 'swish-odd']) {
  test(`${name}: every tensor as PyTorch computes it`, async () => {
    const { directory, cases } = readGolden(name);
    const model = await Transformer.load(directory, { dtype: 'f32' });
    const expected = readTensors(new URL('inspect.safetensors', directory));
    const { log_probs: _, ...tensors } = model.inspect(cases[1].source, cases[1].target);
    assert.deepEqual(Object.keys(tensors).sort(), Object.keys(expected).sort());
    for (const [key, { shape, data }] of Object.entries(tensors)) {
      assert.deepEqual(shape, expected[key].shape, key);
      assertNear(key, data, expected[key].data, NEAR);
    }
    model.dispose();
  });
}

/** @param {{ shape: readonly number[], data: Float32Array }} scores */
function softmax({ shape, data }) {
  const width = shape[shape.length - 1];
  const out = new Float32Array(data.length);
  for (let row = 0; row < data.length; row += width) {
    const x = data.subarray(row, row + width);
    const most = Math.max(...x);
    const exps = Array.from(x, (value) => Math.exp(value - most));
    const sum = exps.reduce((a, b) => a + b);
    out.set(exps.map((e) => e / sum), row);
  }
  return out;
}

/**
 * The cells of an SSRU from its candidates and gates. Candidates are of about 1: a few roundings of them.
 *
 * @param {Record<string, { data: Float32Array }>} all @param {number} layer @param {number} D
 */
function assertCells(all, layer, D) {
  const at = (/** @type {string} */ part) => all[`decoder.layers.${layer}.ssru.${part}`].data;
  const [forget, candidate, cell] = [at('forget'), at('candidate'), at('cell')];
  assert.ok(forget.every((f) => f > 0 && f < 1));
  const cells = new Float32Array(cell.length);
  for (const [i, f] of forget.entries()) cells[i] = f * (i < D ? 0 : cells[i - D]) + (1 - f) * candidate[i];
  assertNear(`cell ${layer}`, cell, cells, 1e-6);
  assert.deepEqual(at('output'), cell.map((c) => Math.max(c, 0)));
}

for (const name of goldenModels) {
  for (const dtype of /** @type {const} */ (['f32', 'int8'])) {
    test(`${name}, ${dtype}: each tensor follows from those before`, async () => {
      const { directory, cases } = readGolden(name);
      const model = await Transformer.load(directory, { dtype });
      const config = /** @type {any} */ (model.config);
      const D = config.d_model;
      for (const { source, target, disabledHeads } of cases) {
        const all = model.inspect(source, target, { disabledHeads });
        const maps = model.attention(source, target, { disabledHeads });
        for (const stack of ['encoder', 'decoder']) {
          const sum = all[`${stack}.embedding`].data.map((e, i) => e + all[`${stack}.positions`].data[i]);
          assert.deepEqual(all[`${stack}.input`].data, sum, `${stack}.input`);
          for (let layer = 0; layer < config[`${stack}_layers`]; layer++) {
            const recurs = stack === 'decoder' && config.decoder_cell === 'ssru';
            if (recurs) assertCells(all, layer, D);
            const attentions = [...(recurs ? [] : ['self_attn']), ...(stack === 'decoder' ? ['encoder_attn'] : [])];
            for (const attention of attentions) {
              const at = (/** @type {string} */ part) => all[`${stack}.layers.${layer}.${attention}.${part}`];
              const kind = attention === 'encoder_attn' ? 'cross' : stack;
              const { shape: [H, n, m], data: weights } = at('weights');
              assert.deepEqual(weights, maps[kind].data.slice(layer * H * n * m, (layer + 1) * H * n * m),
                `${kind} ${layer}`);
              assertNear(`${kind} ${layer} weights`, weights, softmax(at('scores')), ROUNDING);
              const Dh = D / H;
              const isOff = (/** @type {number} */ h) =>
                disabledHeads.some((d) => d.stack === kind && d.layer === layer && d.head === h);
              const scores = new Float32Array(H * n * m);
              const context = new Float32Array(n * D);
              for (let h = 0; h < H; h++) {
                for (let t = 0; t < n; t++) {
                  for (let s = 0; s < m; s++) {
                    let dot = 0;
                    for (let d = h * Dh; d < (h + 1) * Dh; d++) {
                      dot += at('q').data[t * D + d] * at('k').data[s * D + d];
                      if (!isOff(h)) context[t * D + d] += weights[(h * n + t) * m + s] * at('v').data[s * D + d];
                    }
                    scores[(h * n + t) * m + s] = kind === 'decoder' && s > t ? -Infinity : dot / Math.sqrt(Dh);
                  }
                }
              }
              assertNear(`${kind} ${layer} scores`, at('scores').data, scores, ROUNDING * 10);
              assertNear(`${kind} ${layer} context`, at('context').data, context, ROUNDING);
            }
          }
        }
        if (disabledHeads.length > 0) continue;
        assert.deepEqual(all['encoder.output'].data, model.encode(source).data);
        const { logits, logProbs } = model.forward(source, target);
        assert.deepEqual(all.log_probs.data, logProbs);
        assert.deepEqual(model.inspect(source, target, { names: ['logits'] }), { logits });
      }
      model.dispose();
    });
  }
}

test('a decoder without self-attention has no maps of it, and no heads to switch off', async () => {
  const { directory } = readGolden('ssru');
  const model = await Transformer.load(directory);
  const [source, target] = [[5, 6, 0], [7, 8, 9, 0]];
  const { encoder, decoder, cross } = model.attention(source, target);
  assert.deepEqual([encoder.shape, decoder.shape, cross.shape], [[2, 4, 3, 3], [0, 0, 4, 4], [2, 4, 4, 3]]);
  assert.equal(decoder.data.length, 0);
  const disabledHeads = [{ stack: /** @type {const} */ ('decoder'), layer: 0, head: 0 }];
  for (const call of [() => model.attention(source, target, { disabledHeads }),
    () => model.inspect(source, target, { disabledHeads }), () => model.generate([source], { disabledHeads })]) {
    assert.throws(call, (error) => error instanceof RangeError
      && error.message === "disabledHeads[0].stack: found 'decoder', expected 'encoder' or 'cross': "
        + 'the decoder has no self-attention');
  }
  assert.throws(() => model.inspect(source, target, { names: ['decoder.layers.0.self_attn.'] }), RangeError);
  assert.deepEqual(Object.keys(model.inspect(source, target, { names: ['decoder.layers.1.ssru.'] })),
    ['candidate', 'forget', 'cell', 'output'].map((part) => `decoder.layers.1.ssru.${part}`));
  model.dispose();
});

test('names select tensors; errors name the option', async () => {
  const { directory } = readGolden('swish-odd');
  const model = await Transformer.load(directory);
  const [source, target] = [[5, 6, 2], [7, 2]];
  const keys = (/** @type {string[]} */ ...names) => Object.keys(model.inspect(source, target, { names }));
  assert.deepEqual(keys('decoder.layers.0.encoder_attn.k', 'encoder.input'),
    ['encoder.input', 'decoder.layers.0.encoder_attn.k']);
  assert.deepEqual(keys('encoder.layers.1.self_attn.').length, 7);
  assert.deepEqual(keys('log_probs'), ['log_probs']);
  assert.deepEqual(keys(), []);
  for (const name of ['encoder', 'encoder.layers.3.fc1', 'encoder.layers.0.encoder_attn.q', 'decoder.layers.0.',
    'x.']) {
    if (name === 'decoder.layers.0.') assert.equal(keys(name).length, 19);
    else assert.throws(() => keys(name), (error) => error instanceof RangeError && error.message.includes(`'${name}'`));
  }
  // @ts-expect-error: a string is not an array
  assert.throws(() => model.inspect(source, target, { names: 'fc1' }), TypeError);
  assert.throws(() => model.inspect([999], target), HeedError);
  assert.equal(model.inspect(source, target).log_probs.data.length, 2);
  model.dispose();
  assert.throws(() => model.inspect(source, target), HeedError);
});

test('weights by name, whole or some rows, tied copies too', async () => {
  const { directory } = readGolden('silu-f16');
  const model = await Transformer.load(directory);
  const stored = new Map(model.parameters.map(({ name, shape }) => [name, shape]));
  assert.deepEqual(stored.get('model.shared.weight'), [41, 16]);
  assert.deepEqual(stored.get('final_logits_bias'), [1, 41]);
  assert.deepEqual(stored.get('model.encoder.layers.0.fc1.weight'), [24, 16]);
  assert.deepEqual(stored.get('model.encoder.layers.0.fc1.bias'), [24]);
  for (const [name, shape] of stored) assert.deepEqual(model.parameter(name).shape, shape, name);
  const whole = model.parameter('model.shared.weight');
  assert.deepEqual(model.parameter('lm_head.weight'), whole);
  assert.deepEqual(model.parameter('model.shared.weight', [3, 5]), { shape: [2, 16], data: whole.data.slice(48, 80) });
  // embedding rows are those of the table, scaled by √16
  const { 'encoder.embedding': rows } = model.inspect([3, 4], [2], { names: ['encoder.embedding'] });
  assert.deepEqual(rows.data, whole.data.slice(48, 80).map((x) => x * 4));
  assert.throws(() => model.parameter('lm_head'), RangeError);
  assert.throws(() => model.parameter('lm_head.weight', [0, 42]), RangeError);
  assert.throws(() => model.parameter('lm_head.weight', [5, 5]), RangeError);
  model.dispose();
});

test('a Translator gives the same, here and in a worker', async () => {
  const model = await Transformer.load(SHIPPED);
  const { ids } = model.tokenizer.encode('Good morning.');
  const names = ['encoder.layers.0.', 'logits'];
  const rows = /** @type {[number, number]} */ ([5, 9]);
  const expected = [model.inspect(ids, ids, { names }), model.parameters, model.parameter('model.shared.weight', rows)];
  for (const worker of [false, true]) {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, worker });
    assert.deepEqual([
      await translator.inspect(ids, ids, { names }), await translator.parameters(),
      await translator.parameter('model.shared.weight', rows),
    ], expected);
    await assert.rejects(translator.parameter('nothing'), RangeError);
    translator.destroy();
  }
  model.dispose();
});
