// Training in wasm: gradients and steps against PyTorch, a task learned, a model fine-tuned, errors. Needs
// js/heed-train.wasm.
import test from 'node:test';
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HeedError, Transformer } from '../js/index.js';
import { Trainer } from '../js/train.js';
import { parseHeader } from '../js/formats/safetensors.js';

const golden = (path) => new URL(`golden/${path}`, import.meta.url);

/** name -> Float32Array of a file of F32. */
function readTensors(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = 8 + length;
  return new Map(
    parseHeader(bytes.subarray(8, at), 'file').map(({ name, shape, bytes: n }) => {
      const data = new Float32Array(bytes.slice(at, at + n).buffer);
      at += n;
      return [name, { shape, data }];
    }),
  );
}

const norm = (x) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));

for (const name of [
  'postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'swish-odd', 'swish-odd-guided', 'ssru',
]) {
  test(`${name} learns as in PyTorch: gradients by name, ten steps of Adam`, async () => {
    const { options, batches, losses, gradientNorms, alignmentLosses } = JSON.parse(
      readFileSync(golden(`train/${name}.json`), 'utf8'),
    );
    const want = readTensors(new Uint8Array(readFileSync(golden(`train/${name}.safetensors`))));
    const model = await Transformer.load(golden(name.replace('-guided', '')));
    const trainer = await Trainer.create(model, { ...options, dropout: 0 });

    let worst = 0;
    for (const [step, loss] of losses.entries()) {
      const result = trainer.step(batches[step % batches.length]);
      // 64-bit floats there, 32-bit here: 1e-7 at first, and it grows with every step
      assert.ok(Math.abs(result.loss - loss) <= 1e-4 * loss, `step ${step}: loss ${result.loss}, expected ${loss}`);
      assert.ok(
        Math.abs(result.gradNorm - gradientNorms[step]) <= 1e-3 * gradientNorms[step],
        `step ${step}: gradient norm`,
      );
      const aligned = alignmentLosses?.[step];
      if (aligned === undefined) assert.ok(!('alignmentLoss' in result));
      else assert.ok(Math.abs(result.alignmentLoss - aligned) <= 1e-4 * aligned, `step ${step}: alignment`);
      if (step > 0) continue;
      for (const [tensor, { shape, data }] of want) {
        const got = trainer.gradient(tensor);
        assert.deepEqual(got.shape, shape, tensor);
        const off = norm(got.data.map((v, i) => v - data[i]));
        // k_proj.bias has no gradient but rounding: softmax does not see what is added to all scores
        if (tensor.endsWith('k_proj.bias')) assert.ok(norm(got.data) < 1e-6, `${tensor}: ${norm(got.data)}`);
        else {
          assert.ok(off <= 1e-3 * norm(data), `${tensor}: off by ${off} of ${norm(data)}`);
          worst = Math.max(worst, off / norm(data));
        }
      }
    }
    console.log(`# ${name}: gradients differ from PyTorch's by ${worst.toExponential(1)} or less`);
    trainer.dispose();
    model.dispose();
  });
}

for (const name of ['postnorm-relu-shared', 'ssru']) {
  test(`${name} learns with Muon as in PyTorch: ten steps`, async () => {
    const { options, batches, losses, gradientNorms, weights } = JSON.parse(
      readFileSync(golden(`train/${name}-muon.json`), 'utf8'),
    );
    const model = await Transformer.load(golden(name));
    const trainer = await Trainer.create(model, { ...options, dropout: 0 });
    for (const [step, loss] of losses.entries()) {
      const result = trainer.step(batches[step % batches.length]);
      // as above: 64-bit floats there, 32-bit here
      assert.ok(Math.abs(result.loss - loss) <= 1e-4 * loss, `step ${step}: loss ${result.loss}, expected ${loss}`);
      assert.ok(Math.abs(result.gradNorm - gradientNorms[step]) <= 1e-3 * gradientNorms[step], `step ${step}: norm`);
    }
    let worst = 0;
    for (const [tensor, row] of Object.entries(weights)) {
      const got = trainer.weight(tensor).data;
      row.forEach((value, i) => worst = Math.max(worst, Math.abs(got[i] - value)));
    }
    console.log(`# ${name}: weights differ from PyTorch's by ${worst.toExponential(1)} or less`);
    assert.ok(worst <= 1e-4, `weights off by ${worst}`);
    trainer.dispose();
    model.dispose();
  });
}

/** Repeatable numbers in [0, 1). */
function random(seed) {
  return () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

const FRESH = {
  model_type: 'marian',
  d_model: 64,
  encoder_layers: 2,
  decoder_layers: 2,
  encoder_attention_heads: 4,
  decoder_attention_heads: 4,
  encoder_ffn_dim: 128,
  decoder_ffn_dim: 128,
  activation_function: 'relu',
  vocab_size: 13,
  max_position_embeddings: 16,
  scale_embedding: true,
  pad_token_id: 0,
  eos_token_id: 2,
  decoder_start_token_id: 0,
};

/** A string of 3 to 10 digits, and its reverse; digit d is id 3 + d. */
function digits(next) {
  const ids = Array.from({ length: 3 + Math.floor(next() * 8) }, () => 3 + Math.floor(next() * 10));
  return { source: [...ids, 2], target: [...ids.toReversed(), 2] };
}

test('strings of digits are reversed, and cross attention runs backwards', async () => {
  const STEPS = 700;
  const next = random(12345);
  const trainer = await Trainer.create(
    { config: FRESH, seed: 1 },
    {
      learningRate: 0.004,
      warmupSteps: 200,
      schedule: 'cosine',
      totalSteps: STEPS,
      dropout: 0,
      labelSmoothing: 0,
    },
  );
  const start = performance.now();
  for (let step = 0; step < STEPS; step++) trainer.step(Array.from({ length: 64 }, () => digits(next)));
  const seconds = (performance.now() - start) / 1000;
  const model = await trainer.toModel();
  trainer.dispose();
  const trials = Array.from({ length: 500 }, () => digits(next));
  const found = model.generate(
    trials.map(({ source }) => source),
    { maxTokens: 15, batchSize: 50 },
  );
  const right = found.filter(([best], i) => best.ids.join() === trials[i].target.join()).length;
  console.log(`# ${right} of 500 strings reversed exactly after ${STEPS} steps, ${seconds.toFixed(1)} seconds`);
  assert.ok(right >= 495, `${right} of 500`);

  // of the layers, that one whose heads together look back most clearly
  const hits = [0, 0];
  let rows = 0;
  for (const { source, target } of trials.slice(0, 50)) {
    const {
      shape: [layers, heads, T, S],
      data,
    } = model.attention(source, target).cross;
    rows += T - 1;
    for (let layer = 0; layer < layers; layer++) {
      for (let t = 0; t < T - 1; t++) {
        const sums = Array.from({ length: S }, (_, s) => {
          let sum = 0;
          for (let h = 0; h < heads; h++) sum += data[((layer * heads + h) * T + t) * S + s];
          return sum;
        });
        if (sums.indexOf(Math.max(...sums)) === S - 2 - t) hits[layer]++;
      }
    }
  }
  const share = Math.max(...hits) / rows;
  console.log(`# of ${rows} target digits ${(100 * share).toFixed(1)} % look at their source digit most`);
  assert.ok(share >= 0.9, `the anti-diagonal has ${share} of the maxima`);
  model.dispose();
});

test('a trained model is read by Transformer, with the names and shapes of MarianMTModel', async () => {
  const trainer = await Trainer.create({ config: FRESH });
  const tensors = readTensors(trainer.save());
  const attention = (name) =>
    ['q_proj', 'k_proj', 'v_proj', 'out_proj']
      .flatMap((p) => [
        [`${name}.${p}.weight`, [64, 64]],
        [`${name}.${p}.bias`, [64]],
      ])
      .concat([
        [`${name}_layer_norm.weight`, [64]],
        [`${name}_layer_norm.bias`, [64]],
      ]);
  const layer = (name, is) => [
    ...attention(`${name}.self_attn`),
    ...(is === 'decoder' ? attention(`${name}.encoder_attn`) : []),
    [`${name}.fc1.weight`, [128, 64]],
    [`${name}.fc1.bias`, [128]],
    [`${name}.fc2.weight`, [64, 128]],
    [`${name}.fc2.bias`, [64]],
    [`${name}.final_layer_norm.weight`, [64]],
    [`${name}.final_layer_norm.bias`, [64]],
  ];
  const want = [
    ['model.shared.weight', [13, 64]],
    ['final_logits_bias', [1, 13]],
    ...['encoder', 'decoder'].flatMap((is) => [0, 1].flatMap((l) => layer(`model.${is}.layers.${l}`, is))),
  ];
  assert.deepEqual([...tensors].map(([name, { shape }]) => [name, shape]).sort(), want.sort());

  const model = await trainer.toModel();
  assert.equal(
    model.info.parameters,
    [...tensors.values()].reduce((n, { data }) => n + data.length, 0),
  );
  // the same -log p by the module that infers and by the one that learns
  const pair = { source: [4, 9, 2], target: [9, 4, 4, 2] };
  const { loss, tokens } = (await Trainer.create(model, { labelSmoothing: 0 })).evaluate([pair]);
  const { logProbs } = model.forward(pair.source, pair.target);
  assert.equal(tokens, 4);
  assert.ok(Math.abs(loss + logProbs.reduce((sum, x) => sum + x, 0) / 4) < 1e-5);
  model.dispose();
  trainer.dispose();
});

test('a loaded model learns pairs of its own, and is itself left as it is', async () => {
  const model = await Transformer.load(golden('swish-odd'));
  const pairs = [
    { source: [5, 9, 2], target: [17, 30, 44, 2] },
    { source: [8, 2], target: [6, 2] },
  ];
  const before = model.generate([pairs[0].source], { maxTokens: 6 })[0][0].ids;
  const trainer = await Trainer.create(model, { learningRate: 0.003, dropout: 0, labelSmoothing: 0 });
  const first = trainer.evaluate(pairs).loss;
  for (let i = 0; i < 150; i++) trainer.step(pairs);
  assert.ok(trainer.evaluate(pairs).loss < first / 20);
  const learned = await trainer.toModel();
  assert.deepEqual([...learned.generate([pairs[0].source], { maxTokens: 6 })[0][0].ids], pairs[0].target);
  assert.deepEqual(model.generate([pairs[0].source], { maxTokens: 6 })[0][0].ids, before);
  trainer.dispose();
  learned.dispose();
  model.dispose();
});

test('where the modules lie elsewhere, toModel() takes that of the model, or says what it needs', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const js = fileURLToPath(new URL('../js', import.meta.url));
  cpSync(js, folder, { recursive: true, filter: (path) => !path.endsWith('.wasm') });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const there = (name) => import(pathToFileURL(join(folder, name)).href);
  const [{ Transformer: Model }, { Trainer: Teacher }] = await Promise.all([there('index.js'), there('train.js')]);
  const wasm = readFileSync(join(js, 'heed.wasm'));
  const options = { wasm: readFileSync(join(js, 'heed-train.wasm')) };

  const model = await Model.load(golden('swish-odd'), { wasm });
  const trainer = await Teacher.create(model, options);
  const copy = await trainer.toModel();
  const logProbs = (of) => [...of.forward([5, 9, 2], [17, 2]).logProbs];
  assert.deepEqual(logProbs(copy), logProbs(model));

  const fresh = await Teacher.create({ config: FRESH }, options);
  const needs = { status: 'HEED_E_WASM', message: /^heed\.wasm: .*; toModel\(\{ wasm \}\) says/ };
  await assert.rejects(fresh.toModel(), needs);
  const given = await fresh.toModel({ wasm });
  assert.equal(given.forward([4, 2], [4, 2]).logProbs.length, 2);
  for (const made of [model, copy, given, trainer, fresh]) made.dispose();
});

test('the same seed gives the same run, another seed another; a batch in parts is the batch', async () => {
  const next = random(7);
  const batch = Array.from({ length: 40 }, () => digits(next));
  const run = async (options, steps = 3, pairs = batch) => {
    const trainer = await Trainer.create(
      { config: FRESH, seed: 5 },
      { learningRate: 0.001, warmupSteps: 0, ...options },
    );
    let result;
    for (let i = 0; i < steps; i++) result = trainer.step(pairs);
    trainer.dispose();
    return result;
  };
  const first = await run({ dropout: 0.3, seed: 1 });
  assert.deepEqual(await run({ dropout: 0.3, seed: 1 }), first);
  assert.notEqual((await run({ dropout: 0.3, seed: 2 })).loss, first.loss);
  // without dropout parts change no more than the order of sums
  const [whole, parts] = [await run({ dropout: 0 }, 1), await run({ dropout: 0, maxTokens: 16 }, 1)];
  assert.ok(
    Math.abs(whole.loss - parts.loss) < 1e-5 && Math.abs(whole.gradNorm - parts.gradNorm) < 1e-4 * whole.gradNorm,
  );
  assert.equal(parts.tokens, whole.tokens);
});

test('the schedules', async () => {
  const rates = async (options) => {
    const trainer = await Trainer.create({ config: FRESH }, options);
    const found = Array.from({ length: 8 }, () => trainer.step([{ source: [3, 2], target: [4, 2] }]).learningRate);
    trainer.dispose();
    return found;
  };
  const near = (got, want) =>
    got.forEach((x, i) => assert.ok(Math.abs(x - want[i]) < 1e-6 * want[i] + 1e-12, `${got}, expected ${want}`));
  const steps = [1, 2, 3, 4, 5, 6, 7, 8];
  near(
    await rates({ warmupSteps: 4 }),
    steps.map((s) => 64 ** -0.5 * Math.min(s ** -0.5, s * 4 ** -1.5)),
  );
  near(
    await rates({ schedule: 'constant', warmupSteps: 2, learningRate: 0.01 }),
    steps.map((s) => 0.01 * Math.min(1, s / 2)),
  );
  near(
    await rates({ schedule: 'cosine', warmupSteps: 2, totalSteps: 8, learningRate: 0.01 }),
    steps.map((s) => (s < 2 ? 0.005 : 0.005 * (1 + Math.cos((Math.PI * (s - 2)) / 6)))),
  );
});

test('errors name the cause', async () => {
  await assert.rejects(Trainer.create({ config: FRESH }, { schedule: 'linear' }), {
    name: 'TypeError',
    message: /schedule/,
  });
  await assert.rejects(Trainer.create({ config: FRESH }, { dropout: 1 }), { name: 'RangeError', message: /dropout/ });
  await assert.rejects(Trainer.create({ config: FRESH }, { totalSteps: 'x' }), /^TypeError: totalSteps: found 'x'/);
  await assert.rejects(Trainer.create({ config: FRESH }, { schedule: 'cosine', warmupSteps: 0, totalSteps: 0 }),
    /^RangeError: totalSteps: found 0/);
  // it has no effect on other schedules
  (await Trainer.create({ config: FRESH }, { schedule: 'constant', totalSteps: 0 })).dispose();
  await assert.rejects(Trainer.create({ config: FRESH }, { learningRate: 'fast' }), {
    name: 'TypeError',
    message: /learningRate/,
  });
  await assert.rejects(
    Trainer.create({ config: { ...FRESH, d_model: 63 } }),
    (error) => error instanceof HeedError && error.status === 'HEED_E_CONFIG',
  );
  await assert.rejects(Trainer.create(3), TypeError);
  assert.throws(() => new Trainer(), TypeError);

  const trainer = await Trainer.create({ config: FRESH }, { maxTokens: 8, learningRate: 1e-3, warmupSteps: 0 });
  const status = (code) => (error) => error instanceof HeedError && error.status === code;
  assert.throws(() => trainer.step([]), TypeError);
  assert.throws(() => trainer.step([{ source: [3, 2] }]), TypeError);
  // a hole: the core would read the lengths of more pairs than it gets
  assert.throws(() => trainer.step([{ source: [3, 2], target: [4, 2] }, , ]), /^TypeError: pairs\[1\]\.source: found/);
  assert.throws(() => trainer.step([{ source: [3, 13], target: [2] }]), status('HEED_E_ID'));
  assert.throws(() => trainer.step([{ source: [3, 2], target: [] }]), status('HEED_E_LENGTH'));
  assert.throws(() => trainer.step([{ source: [3, 2], target: [3, 3, 3, 3, 3, 3, 3, 3, 2] }]), status('HEED_E_LENGTH'));
  const links = (of) => [{ source: [3, 2], target: [4, 5, 2], links: of }];
  assert.throws(() => trainer.step(links(7)), { name: 'TypeError', message: /pairs\[0\]\.links/ });
  assert.throws(() => trainer.step(links([[0, 1], 3])), { name: 'TypeError', message: /pairs\[0\]\.links\[1\]/ });
  assert.throws(() => trainer.step(links([[2, 0]])), { name: 'RangeError', message: /links\[0\]\[0\]/ });
  assert.throws(() => trainer.step(links([[1, 3]])), { name: 'RangeError', message: /links\[0\]\[1\]/ });
  await assert.rejects(Trainer.create({ config: FRESH }, { guidedHead: 4 }), /guidedHead/);
  assert.throws(() => trainer.gradient('model.nothing'), status('HEED_E_TENSOR_UNKNOWN'));
  assert.ok(trainer.step([{ source: [3, 2], target: [4, 2] }]).loss > 0, 'still of use');
  trainer.dispose();
  assert.throws(() => trainer.step([{ source: [3, 2], target: [4, 2] }]), status('HEED_E_STATE'));
  assert.throws(() => trainer.memoryBytes, status('HEED_E_STATE'));
  trainer.dispose();

  // weights that are numbers, but whose logits are not
  const wild = await Trainer.create({ config: FRESH });
  const file = wild.save();
  wild.dispose();
  new Float32Array(file.buffer, file.length - (file.length % 4) - 4 * 64, 64).fill(3e38); // the last norm's bias
  const config = new TextEncoder().encode(JSON.stringify(FRESH));
  const model = await Transformer.load({ 'config.json': config, 'model.safetensors': file });
  const broken = await Trainer.create(model);
  const before = broken.save();
  assert.throws(() => broken.step([{ source: [3, 4, 5, 2], target: [4, 5, 2] }]), status('HEED_E_DIVERGED'));
  assert.deepEqual(broken.save(), before);
  broken.dispose();
  model.dispose();
});
