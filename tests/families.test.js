// families.test.js - model families beside MarianMT, as transformers saves them, against what transformers computes
// (golden/hf/families).
//
// Tolerances: sums of 32-bit floats in another order.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { convert } from '../js/convert/convert.js';
import { Transformer } from '../js/index.js';
import { Trainer } from '../js/train.js';
import { relaxedDot } from '../js/wasm/simd.js';
import { readTensors } from './golden/golden.js';
import { optionsOf } from './golden/hf/read.js';
import { filesOf, readSafetensors, writeSafetensors } from './golden/hf/families/read.js';

const lacksRelaxed = relaxedDot() === 'none' && 'this host lacks WebAssembly relaxed SIMD';
const [NEAR, LOGITS] = [1e-5, 1e-4];
const NAMES = ['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5'];

/** @typedef {{ data: Float32Array, shape: readonly number[] }} Tensor */
/**
 * @typedef {object} Case
 * @property {string} case
 * @property {number} line
 * @property {number[]} source
 * @property {Record<string, any>} settings
 * @property {{ ids: number[], score?: number }[]} outputs
 * @property {boolean} [fragile]
 */

/** @param {string} name */
const directoryOf = (name) => new URL(`golden/hf/families/${name}/`, import.meta.url);

/** @param {string} name @param {string} file @returns {any[]} */
const linesOf = (name, file) =>
  gunzipSync(readFileSync(new URL(file, directoryOf(name)))).toString().trim().split('\n').map((l) => JSON.parse(l));

/** @param {Tensor} tensor  of int32, read as floats */
const idsOf = ({ data }) => new Int32Array(data.buffer);

/** @param {string} what @param {Tensor} got @param {Tensor} want @param {number} tolerance */
function assertNear(what, got, want, tolerance) {
  assert.deepEqual([...got.shape], [...want.shape], what);
  const worst = got.data.reduce((most, x, i) => Math.max(most, Math.abs(x - want.data[i])), 0);
  assert.ok(worst < tolerance, `${what}: off by ${worst}`); // NaN is not near either
}

/** The lines with a teacher-forced pass. @param {Record<string, Tensor>} tensors */
const passes = (tensors) => Object.keys(tensors).flatMap((key) => /^(line\d+)\.source$/.exec(key)?.slice(1) ?? [])
  .map((line) => ({
    line,
    source: idsOf(tensors[`${line}.source`]),
    target: idsOf(tensors[`${line}.target`]),
    of: (/** @type {string} */ key) => tensors[`${line}.${key}`],
  }));

for (const name of NAMES) {
  test(`${name}: encoder, logits, attention and searches are those of transformers`, async (t) => {
    const model = await Transformer.load(filesOf(name), { dtype: 'f32' });
    t.after(() => model.dispose());
    const tensors = readTensors(new URL('golden.safetensors', directoryOf(name)));
    const start = model.config.decoder_start_token_id;

    assert.ok(passes(tensors).length > 0);
    for (const { line, source, target, of } of passes(tensors)) {
      assertNear(`${line}: encoder`, model.encode(source), of('encoder_last_hidden_state'), NEAR);
      assertNear(`${line}: logits`, model.forward(source, target).logits, of('logits'), LOGITS);
      const maps = model.attention(source, target);
      for (const stack of /** @type {const} */ (['encoder', 'decoder', 'cross'])) {
        assertNear(`${line}: ${stack}`, maps[stack], of(`${stack}_attentions`), NEAR);
      }
    }
    // past max_position_embeddings, and past the last distance with a bucket of its own
    if (tensors['long.source']) {
      const source = idsOf(tensors['long.source']);
      assert.equal(source.length, 150);
      assertNear('long', model.encode(source), tensors['long.encoder_last_hidden_state'], NEAR);
    }

    const cases = linesOf(name, 'cases.jsonl.gz').filter(({ fragile }) => !fragile);
    assert.ok(cases.length >= 50);
    for (const { case: title, line, source, settings, outputs } of /** @type {Case[]} */ (cases)) {
      const [found] = model.generate([source], optionsOf(settings, start));
      // what made the files counted new ids from the start token on, and so cut off as many as a prefix has
      const cut = (settings.decoder_input_ids?.length ?? 1) - 1;
      const ids = found.map((each) => [start, ...each.ids.subarray(0, each.ids.length - cut)]);
      assert.deepEqual(ids, outputs.map((output) => output.ids), `${title} of line ${line}`);
      outputs.forEach(({ score = found[0].score }, i) => {
        const distance = Math.abs(found[i].score - score) / Math.max(1, Math.abs(score));
        assert.ok(distance < LOGITS, `${title} of line ${line}: ${found[i].score}, expected ${score}`);
      });
    }
  });

  test(`${name}: int8 is near, and the same in both builds`, { skip: lacksRelaxed }, async () => {
    const tensors = readTensors(new URL('golden.safetensors', directoryOf(name)));
    const [{ source, target, of }] = passes(tensors);
    const results = [];
    for (const simd of /** @type {const} */ (['simd128', 'relaxed'])) {
      const model = await Transformer.load(filesOf(name), { dtype: 'int8', simd });
      const { logits } = model.forward(source, target);
      results.push([logits, model.encode(source), model.generate([source], { beams: 3, nBest: 3, maxTokens: 12 })]);
      model.dispose();
    }
    assert.deepEqual(results[1], results[0]);
    const [{ data }] = /** @type {[Tensor]} */ (results[0]);
    const want = of('logits').data;
    const error = Math.hypot(...data.map((x, i) => x - want[i])) / Math.hypot(...want);
    assert.ok(error > 0 && error < 0.1, `off by ${error} of the logits' length`);
  });
}

/** @param {string} name @returns {Record<string, any>} */
const configOf = (name) => JSON.parse(readFileSync(new URL('config.json', directoryOf(name)), 'utf8'));
const bytesOf = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json));

/**
 * A model with changes of config.json, and of the tensors in its safetensors file: by name, another name or none.
 *
 * @param {string} name
 * @param {Record<string, unknown>} [change]
 * @param {Record<string, string | null>} [renamed]
 */
function changed(name, change = {}, renamed = {}) {
  const files = filesOf(name);
  files['config.json'] = bytesOf({ ...configOf(name), ...change });
  if (Object.keys(renamed).length > 0) {
    const { 'model.safetensors': file } = files;
    const tensors = readSafetensors(file);
    for (const [from, to] of Object.entries(renamed)) {
      const tensor = tensors[from];
      assert.ok(tensor, from);
      delete tensors[from];
      if (to !== null) tensors[to] = tensor;
    }
    files['model.safetensors'] = writeSafetensors(tensors);
  }
  return files;
}

/** @param {Record<string, Uint8Array>} files @param {RegExp} message @param {string} [status] */
const refused = (files, message, status = 'HEED_E_CONFIG') =>
  assert.rejects(Transformer.load(files, { dtype: 'f32' }), (/** @type {any} */ error) => {
    assert.equal(error.status, status, error.message);
    assert.match(error.message, message);
    return true;
  });

test('configurations that heed does not run name the key, what was found and what was expected', async () => {
  for (const [name, change, message] of /** @type {const} */ ([
    ['nllb', { normalize_before: false }, /normalize_before: found false, expected true, as in every m2m_100 model/],
    ['nllb', { is_encoder_decoder: false }, /is_encoder_decoder: found false, expected true/],
    ['nllb', { quantization_config: { bits: 4 } }, /quantization_config: found .*, expected none: weights that ano/],
    ['nllb', { activation_function: 'tanh' }, /activation_function: found 'tanh', expected one of relu/],
    ['nllb', { d_model: 33 }, /d_model: found 33, expected an even number/],
    ['nllb', { pad_token_id: -5 }, /pad_token_id: found -5/],
    ['mbart50', { max_position_embeddings: 64 }, /embed_positions\.weight: found shape \[130,32\], expected \[66,32\]/],
    ['t5', { feed_forward_proj: 'gated-tanh' }, /feed_forward_proj: found 'gated-tanh', expected one of relu/],
    ['t5', { feed_forward_proj: 3 }, /feed_forward_proj: found 3/],
    ['t5', { d_kv: 0 }, /d_kv: found 0, expected an integer from 1 to 65536/],
    ['t5', { d_kv: 60000 }, /d_kv: found 60000, expected 16384 at most with num_heads 4/],
    ['t5', { tie_word_embeddings: 'no' }, /tie_word_embeddings: found 'no', expected true or false/],
    ['t5', { relative_attention_num_buckets: 3 }, /relative_attention_num_buckets: found 3, expected/],
    ['t5', { relative_attention_max_distance: 16 }, /relative_attention_max_distance: found 16, expected/],
    ['t5', { layer_norm_epsilon: 1 }, /layer_norm_epsilon: found 1, expected a number from 1e-12 to 0\.002/],
    ['t5', { num_layers: 300 }, /num_layers: found 300, expected an integer from 1 to 256/],
    ...['umt5', 'bart', 'blenderbot', 'nllb-moe', 'switch_transformers', 'longt5', 'seamless_m4t_v2', 'fsmt',
      'prophetnet', 'whisper', 'gpt2'].map((type) => /** @type {const} */ (['t5', { model_type: type },
      new RegExp(`found '${type}', expected 'marian', 'pegasus', 'm2m_100', 'mbart', 't5' or 'mt5'`)])),
  ])) {
    const status = /found shape/.test(message.source) ? 'HEED_E_TENSOR_SHAPE' : 'HEED_E_CONFIG';
    await refused(changed(name, change), message, status);
  }
});

test('T5: tensors have the names of the file in errors, and what no layer reads is left out', async () => {
  const wi = 'encoder.block.1.layer.1.DenseReluDense.wi_0.weight';
  await refused(changed('t5-v1.1', {}, { [wi]: null }),
    /^model\.safetensors: encoder\.block\.1\.layer\.1\.DenseReluDense\.wi_0\.weight: is missing$/,
    'HEED_E_TENSOR_MISSING');
  await refused(changed('t5-v1.1', {}, { [wi]: wi.replace('wi_0', 'wi') }),
    /^model\.safetensors: encoder\.block\.1\.layer\.1\.DenseReluDense\.wi\.weight: this configuration has no such/,
    'HEED_E_TENSOR_UNKNOWN');
  // the core's name for a tensor is none of the file's
  await refused(changed('t5-v1.1', {}, { [wi]: 'model.encoder.layers.1.fc1.weight' }),
    /^model\.safetensors: model\.encoder\.layers\.1\.fc1\.weight: this conf/, 'HEED_E_TENSOR_UNKNOWN');
  await refused(changed('t5-v1.1', {}, { 'lm_head.weight': null }), /lm_head\.weight: is missing/,
    'HEED_E_TENSOR_MISSING');
  await refused(changed('t5-v1.1', { d_kv: 4 }),
    /decoder\.block\.0\.layer\.0\.SelfAttention\.k\.weight: found shape \[32,32\], expected \[16,32\]/,
    'HEED_E_TENSOR_SHAPE');

  // a table for cross attention, as old files have it; transformers 5 says that an output matrix of its own is tied
  const files = changed('t5-v1.1', { tie_word_embeddings: true, scale_decoder_outputs: false });
  const tensors = readSafetensors(files['model.safetensors']);
  const table = tensors['decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight'];
  tensors['decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight'] = table;
  files['model.safetensors'] = writeSafetensors(tensors);
  const results = [];
  for (const source of [files, filesOf('t5-v1.1')]) {
    const model = await Transformer.load(source, { dtype: 'f32' });
    results.push(model.forward([5, 6, 7, 1], [8, 9, 1]).logits.data);
    model.dispose();
  }
  assert.deepEqual(results[0], results[1]);
});

test('M2M-100: sinusoids of old files, and a copy of the embeddings in place of them, are read', async () => {
  const shared = 'model.shared.weight';
  const files = changed('nllb', {}, { [shared]: 'model.decoder.embed_tokens.weight' });
  const tensors = readSafetensors(files['model.safetensors']);
  tensors['model.encoder.embed_positions.weights'] = { dtype: 'F32', shape: [1, 1], data: new Uint8Array(4) };
  files['model.safetensors'] = writeSafetensors(tensors);
  const [changedModel, model] = [await Transformer.load(files), await Transformer.load(filesOf('nllb'))];
  assert.deepEqual(changedModel.forward([5, 6, 2], [8, 2]), model.forward([5, 6, 2], [8, 2]));
  model.dispose();
  changedModel.dispose();
});

for (const name of ['t5', 't5-v1.1', 'mt5']) {
  test(`${name}: inspect() shows the position bias, and scores that contain it`, async (t) => {
    const model = await Transformer.load(filesOf(name), { dtype: 'f32' });
    t.after(() => model.dispose());
    const { num_heads: heads, d_kv: width, feed_forward_proj: kind } = configOf(name);
    const isGated = kind.startsWith('gated');
    const ids = Array.from({ length: 24 }, (_, i) => 3 + i);
    const pass = model.inspect(ids, ids);
    const golden = readTensors(new URL('golden.safetensors', directoryOf(name)));
    for (const stack of ['encoder', 'decoder']) {
      assertNear(`${stack}'s bias`, pass[`${stack}.position_bias`], golden[`position_bias.${stack}`], 1e-7);
      assert.equal(pass[`${stack}.positions`], undefined);
    }
    for (const [attention, bias] of [['encoder.layers.1.self_attn', 'encoder'],
      ['decoder.layers.1.self_attn', 'decoder'], ['decoder.layers.1.encoder_attn', '']]) {
      const [q, k, scores, weights] = ['q', 'k', 'scores', 'weights'].map((part) => pass[`${attention}.${part}`]);
      assert.deepEqual([q.shape, scores.shape], [[24, heads * width], [heads, 24, 24]]);
      for (const [h, row, col] of [[0, 0, 0], [1, 5, 2], [2, 23, 0], [3, 20, 20], [1, 3, 9]]) {
        const at = (h * 24 + row) * 24;
        let score = bias ? pass[`${bias}.position_bias`].data[at + col] : 0;
        for (let i = h * width; i < (h + 1) * width; i++) {
          score += q.data[row * heads * width + i] * k.data[col * heads * width + i];
        }
        const isMasked = bias === 'decoder' && col > row;
        const got = scores.data[at + col];
        const isRight = isMasked ? got === -Infinity : Math.abs(got - score) < 1e-4;
        assert.ok(isRight, `${attention} ${h} ${row} ${col}: ${got}`);
        const powers = scores.data.subarray(at, at + 24).map(Math.exp);
        const share = powers[col] / powers.reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(weights.data[at + col] - share) < 1e-5);
      }
    }
    // what the page computes of a cell
    const { compute } = await import('../web/learn/sum.js');
    for (const stack of /** @type {const} */ (['encoder', 'decoder', 'cross'])) {
      const side = stack === 'cross' ? 'decoder.layers.1.encoder_attn' : `${stack}.layers.1.self_attn`;
      const [q, k, v, weights] = ['q', 'k', 'v', 'weights'].map((part) => pass[`${side}.${part}`]);
      const bias = pass[`${stack}.position_bias`];
      const sum = compute({ q, k, v, weights, bias }, { stack, layer: 1, head: 1, row: 9, col: 4 }, false);
      assert.ok(Math.abs(sum.shares[4] - sum.cell) < 1e-5, `${stack}: ${sum.shares[4]}, in the map ${sum.cell}`);
      assert.equal(sum.bias === undefined, stack === 'cross');
    }
    const [fc1, linear, gated] = ['fc1', 'fc1_linear', 'gated'].map((part) => pass[`encoder.layers.0.${part}`]);
    assert.deepEqual([linear, gated].map(Boolean), [isGated, isGated]);
    if (isGated) assert.deepEqual(gated.data, fc1.data.map((x, i) => x * linear.data[i]));
  });
}

test('T5: each distance is in the bucket that transformers says', async () => {
  const [wanted] = linesOf('t5', 'buckets.json.gz');
  const ids = new Array(601).fill(5);
  for (const [buckets, distance] of [[32, 128], [32, 64], [16, 128], [64, 256], [32, 20]]) {
    const files = changed('t5-v1.1', {
      relative_attention_num_buckets: buckets, relative_attention_max_distance: distance,
    });
    const tensors = readSafetensors(files['model.safetensors']);
    const table = Float32Array.from({ length: buckets * 4 }, (_, i) => Math.floor(i / 4));
    for (const stack of ['encoder', 'decoder']) {
      tensors[`${stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`] =
        { dtype: 'F32', shape: [buckets, 4], data: new Uint8Array(table.buffer) };
    }
    files['model.safetensors'] = writeSafetensors(tensors);
    const model = await Transformer.load(files, { dtype: 'f32' });
    const names = ['encoder', 'decoder'].map((stack) => `${stack}.position_bias`);
    const pass = model.inspect(ids, ids, { names });
    for (const stack of ['encoder', 'decoder']) {
      const { data } = pass[`${stack}.position_bias`];
      // the last query's row has the keys before it, the first one's those ahead
      const found = [...data.subarray(600 * 601, 601 * 601), ...data.subarray(1, 601)];
      assert.deepEqual(found, wanted[`${buckets},${distance},${stack}`], `${stack} ${buckets} ${distance}`);
    }
    model.dispose();
  }
});

test('a converted model says the same', async (t) => {
  const to = mkdtempSync(join(tmpdir(), 'heed-families-'));
  t.after(() => rmSync(to, { recursive: true }));
  for (const name of ['nllb', 'mbart50', 't5', 'mt5']) {
    const from = join(to, `${name}-from`);
    mkdirSync(from);
    for (const [file, bytes] of Object.entries(filesOf(name))) writeFileSync(join(from, file), bytes);
    for (const dtype of /** @type {const} */ (['f32', 'int8'])) {
      await convert(from, join(to, name, dtype), { dtype });
      const [model, converted] = await Promise.all([from, join(to, name, dtype)].map((files) =>
        Transformer.load(files, { dtype })));
      const [found, wanted] = [converted, model].map((each) => each.forward([5, 6, 7, 2], [8, 9, 1]));
      assert.deepEqual(found, wanted, `${name} ${dtype}`);
      assert.equal(converted.config.model_type, configOf(name).model_type);
      model.dispose();
      converted.dispose();
    }
  }
});

for (const name of ['m2m100', 'mbart50', 't5', 't5-v1.1', 'mt5']) {
  test(`${name}: every weight learns, and what was learned is the model's`, async () => {
    const loaded = await Transformer.load(filesOf(directoryOf(name)));
    const trainer = await Trainer.create(loaded, { learningRate: 0.01, warmupSteps: 1, dropout: 0 });
    const before = readSafetensors(trainer.save());
    const pairs = [{ source: [7, 8, 9, 10, 2], target: [10, 9, 8, 7, 2] }];
    const losses = Array.from({ length: 4 }, () => trainer.step(pairs).loss);
    assert.ok(losses[3] < losses[0], losses.join(' '));
    const after = readSafetensors(trainer.save());
    const same = Object.keys(before).filter((key) => before[key].data.every((x, i) => x === after[key].data[i]));
    // sinusoids and this bias are constants
    const constant = name === 'm2m100' ? /^final_logits_bias$|embed_positions/ : /^final_logits_bias$/;
    assert.deepEqual(same.filter((key) => !constant.test(key)), []);
    const model = await trainer.toModel();
    const { logProbs } = model.forward(pairs[0].source, pairs[0].target);
    assert.ok(logProbs.every(Number.isFinite));
    trainer.dispose();
    model.dispose();
    loaded.dispose();
  });
}

test('a new mBART learns its positions', async () => {
  const { vocab_size: _, ...config } = JSON.parse(readFileSync(new URL('config.json', directoryOf('mbart50')), 'utf8'));
  const trainer = await Trainer.create({ config: { ...config, vocab_size: 50 } });
  trainer.step([{ source: [7, 8, 2], target: [8, 7, 2] }]);
  (await trainer.toModel()).dispose();
  trainer.dispose();
});
