// learn-model.test.js - the chapters of Learn that use a model: its rows as vectors, a row on its way to the first
// layer, the table of a sentence with masks, learned positions, and the model of small sentences, which loads like any
// other.
import test from 'node:test';
import assert from 'node:assert/strict';
import { loadOps, Transformer, Translator } from '../js/index.js';
import { Trainer } from '../js/train.js';
import { FIXTURE } from './browser/fixture.js';

const ops = await loadOps();
const model = await Transformer.load(FIXTURE);
const { name: table } = model.parameters.find(({ shape }) => shape[0] === model.config.vocab_size);
const dot = (a, b) => Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);

const frame = new Set(model.tokenizer.encode('').ids);
const idsOf = (word) => [...model.tokenizer.encode(word).ids].filter((id) => !frame.has(id));

/** The row of E of a word; of several tokens, the mean of theirs. */
function rowOf(word) {
  const rows = idsOf(word).map((id) => model.parameter(table, [id, id + 1]).data);
  return rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
}

test('arrows: their lengths and angle in the plane are those in all dimensions', async () => {
  const { compute, verdictOf } = await import('../web/learn/arrows.js');
  // a relation that is a direction: turned by nothing, and by a right angle
  const square = compute([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]]);
  assert.ok(Math.abs(square.cosine - 1) < 1e-12);
  assert.ok(Math.abs(compute([[1, 0, 0], [0, 1, 0], [0, 1, 0], [1, 0, 0]]).cosine + 1) < 1e-12);
  assert.deepEqual([1, 0.9, 0.89, 0.3, 0.29, -0.2].map(verdictOf),
    ['parallel', 'parallel', 'alike', 'alike', 'not', 'not']);
  // rounding leads beyond 1 for some of these, and no angle has such a cosine
  for (let i = 1; i <= 300; i++) {
    const [from, to] = [0, 1].map((at) => Array.from({ length: 5 }, (_, j) => Math.sin(i * (7 * j + 3 * at + 1))));
    for (const rows of [[from, to, from, to], [from, to, to, from]]) {
      assert.ok(Math.abs(compute(rows).cosine) <= 1, `${i}: ${compute(rows).cosine}`);
    }
  }
  const still = compute([[1, 0], [1, 0], [1, 0], [0, 1]]);
  assert.deepEqual([still.arrows[0], still.cosine], [[0, 0], 0], 'an arrow without a length');
  const words = ['man', 'woman', 'king', 'queen'];
  const rows = words.map(rowOf).map((row) => row.map((x) => x / Math.sqrt(dot(row, row))));
  const [first, second] = [[0, 1], [2, 3]].map(([a, b]) => rows[b].map((x, i) => x - rows[a][i]));
  const { arrows, cosine, cosines, reached } = compute(words.map(rowOf));
  const length = (x) => Math.sqrt(dot(x, x));
  // rows of 32 bits here, of 64 there
  const near = (got, want) => assert.ok(Math.abs(got - want) < 1e-5, `${got}, expected ${want}`);
  near(cosine, dot(first, second) / length(first) / length(second));
  near(length(arrows[0]), length(first));
  near(length(arrows[1]), length(second));
  near(dot(...arrows), dot(first, second));
  const [one, two] = rows.map((data) => ({ rows: 1, cols: data.length, data }));
  near(cosines[0], ops.cosineSimilarity(one, two).data[0]);
  near(reached[5], rows[2][5] + first[5]);
});

test('the sample words of arrows: the relation leads to the fourth word', async () => {
  const { compute, QUADRUPLES, verdictOf } = await import('../web/learn/arrows.js');
  const { nearest } = await import('../web/learn/embeddings.js');
  const rows = async (from, to) => model.parameter(table, [from, to]).data;
  // the first is the article's own example, and the page says how it ends
  assert.equal(QUADRUPLES[0], 'man woman king queen');
  for (const words of QUADRUPLES.slice(1).map((line) => line.split(' '))) {
    const { cosine, reached } = compute(words.map(rowOf));
    assert.notEqual(verdictOf(cosine), 'not', `${words}: ${cosine}`);
    const ids = words.map((word) => idsOf(word)[0]);
    const vector = { rows: 1, cols: reached.length, data: Float32Array.from(reached) };
    const [best] = await nearest(ops, vector, rows, model.config.vocab_size, new Set(ids.slice(0, 3)));
    assert.equal(best.id, ids[3], words.join(' '));
  }
});

test('a row of E, scaled, with its position, is what the first layer gets', async () => {
  const { compute } = await import('../web/learn/lookup.js');
  const ids = [...model.tokenizer.encode('My brother bought a red car yesterday.').ids];
  const names = ['encoder.positions', 'encoder.input'];
  const found = model.inspect(ids, [model.config.eos_token_id], { names });
  const [positions, input] = names.map((name) => found[name]);
  const width = model.config.d_model;
  ids.forEach((id, at) => {
    const part = ({ data }) => data.subarray(at * width, (at + 1) * width);
    const { sum } = compute(ops, {
      table: { rows: 1, cols: width, data: model.parameter(table, [id, id + 1]).data }, id: 0,
      position: part(positions), scale: Math.sqrt(width),
    });
    sum.forEach((x, i) => assert.ok(Math.abs(x - part(input)[i]) < 1e-5, `${at}, ${i}: ${x}, ${part(input)[i]}`));
  });
});

test('The cat sat on the mat: each head is the model\u2019s own, and the masks do what they say', async () => {
  const { compute, meanOf } = await import('../web/learn/attention-table.js');
  const ids = [...model.tokenizer.encode('The cat sat on the mat').ids];
  const { encoder } = model.attention(ids, [model.config.eos_token_id]);
  const [layers, heads, n] = encoder.shape;
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layers.${layer}.self_attn.scores`;
    const { [name]: { data } } = model.inspect(ids, [model.config.eos_token_id], { names: [name] });
    const maps = Array.from({ length: heads }, (_, head) => {
      const scores = { rows: n, cols: n, data: data.subarray(head * n * n, (head + 1) * n * n) };
      const map = compute(ops, scores, { isAhead: false, from: n });
      map.data.forEach((x, i) =>
        assert.ok(Math.abs(x - encoder.data[(layer * heads + head) * n * n + i]) < 1e-6, `${layer} ${head} ${i}`));
      const masked = compute(ops, scores, { isAhead: true, from: n - 1 });
      masked.data.forEach((x, i) => {
        const [row, col] = [Math.floor(i / n), i % n];
        if (col > row || col === n - 1) assert.equal(x, 0);
      });
      for (let row = 0; row < n - 1; row++) {
        const own = Array.from(scores.data.subarray(row * n, row * n + row + 1), Math.exp);
        const total = own.reduce((a, b) => a + b);
        own.forEach((p, col) => assert.ok(Math.abs(masked.data[row * n + col] - p / total) < 1e-5));
      }
      return map;
    });
    const mean = meanOf(maps);
    assert.ok(Math.abs(mean.data[3] - maps.reduce((sum, { data: all }) => sum + all[3], 0) / heads) < 1e-6);
  }
});

test('small sentences: the grammar of the task, worked out by hand', async () => {
  const { TASKS: { words } } = await import('../web/learn/tasks.js');
  const { isHeldOut } = await import('../web/learn/words-task.js');
  const right = {
    'the dog sees the cat': 'der Hund sieht die Katze',
    'the cat sees the dog': 'die Katze sieht den Hund',
    'today the small dog sees an old cat': 'heute sieht der kleine Hund eine alte Katze',
    'a young child looks for a new house': 'ein junges Kind sucht ein neues Haus',
    'an old man needs a big bird': 'ein alter Mann braucht einen gro\u00dfen Vogel',
    'the old woman likes the new book': 'die alte Frau mag das neue Buch',
  };
  for (const [text, want] of Object.entries(right)) assert.equal(words.solve(text), want);
  for (const text of ['', 'the dog', 'a old cat sees a dog', 'the dog the cat sees', 'this dog sees the cat',
    'the dog sees the cat today', 'the constructor sees the cat']) assert.equal(words.solve(text), undefined, text);
  const [texts, trials] = [words.texts(3), words.trials(3)];
  for (let i = 0; i < 300; i++) {
    const [seen, unseen] = [texts.next().value, trials.next().value];
    assert.equal(isHeldOut(seen) || !isHeldOut(unseen), false, `${seen}, ${unseen}`);
    for (const text of [seen, unseen, words.solve(seen), words.solve(unseen)]) {
      assert.equal(words.toText(words.toIds(text).slice(0, -1)), text);
    }
  }
});

test('the model of small sentences is a directory that Translator loads, with its own tokens', async () => {
  const { pairOf, TASKS: { words } } = await import('../web/learn/tasks.js');
  const trainer = await Trainer.create({ config: words.config, seed: 3 }, words.options);
  const texts = words.texts(3);
  const [before] = trainer.weight('model.encoder.layers.0.fc1.weight').data;
  trainer.step(Array.from({ length: 4 }, () => pairOf(words, texts.next().value)));
  const { shape, data: [after] } = trainer.weight('model.encoder.layers.0.fc1.weight');
  assert.deepEqual(shape, [128, 64]);
  assert.notEqual(after, before, 'a step moves it');
  assert.throws(() => trainer.weight('nothing'), /nothing/);
  const files = {
    ...(await words.files()), 'model.safetensors': trainer.save(),
    'config.json': new TextEncoder().encode(JSON.stringify({ model_type: 'marian', ...trainer.config })),
  };
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: files });
  const other = await trainer.toModel();
  try {
    for (const text of [words.probe, 'the cat sees the dog', 'a young child looks for a new house']) {
      const { ids } = await translator.tokenize(text);
      assert.deepEqual([...ids], words.toIds(text), text);
      const [{ targetTokens, attention }] = await translator.translateDetailed(text, { attention: true, maxTokens: 9 });
      const [[own]] = other.generate([words.toIds(text)], { maxTokens: 9 });
      assert.deepEqual(targetTokens.map(({ id }) => id), [...own.ids]);
      assert.deepEqual(attention.cross.shape, [2, 4, own.ids.length, ids.length]);
    }
  } finally {
    translator.destroy();
    other.dispose();
    trainer.dispose();
  }
});

test('a training that is stopped at once takes no step, and keeps nothing in place of what was kept', async () => {
  const posted = [];
  let tell;
  // what a worker has and Node lacks; it stays, as the worker may say more after the test
  Object.assign(globalThis, {
    addEventListener: (_, f) => (tell = (data) => f({ data })), postMessage: (message) => posted.push(message),
  });
  const until = async (type) => {
    while (!posted.some((message) => message.type === type)) await new Promise(setImmediate);
  };
  await import('../web/learn/train-worker.js');
  tell({ type: 'start', task: 'positions', seed: 3 });
  tell({ type: 'stop' });
  await until('probe');
  tell({ type: 'use', text: 'no digits' });
  tell({ type: 'use', text: '123' });
  await until('answer');
  assert.deepEqual(posted.map(({ type }) => type).sort(), ['answer', 'probe', 'refused']);
  // a call that fails does not end the training
  tell({ type: 'go' });
  await until('steps');
  tell({ type: 'use', text: 'no digits' });
  tell({ type: 'stop' });
  await until('kept');
  assert.ok(posted.find(({ type }) => type === 'kept').step > 0);
  // the weight that is drawn, its gradient and the loss are those of a trainer with the same weights and texts
  const [{ TASKS: { positions }, pairOf }, { begin }] =
    await Promise.all([import('../web/learn/tasks.js'), import('../web/learn/trainer.js')]);
  const trainer = await begin(positions, 3);
  const texts = positions.texts(3);
  const name = `model.decoder.layers.${positions.config.decoder_layers - 1}.encoder_attn.q_proj.weight`;
  const { weights, losses, gradients } = posted.find(({ type }) => type === 'steps');
  for (const i of weights.keys()) {
    assert.equal(weights[i], trainer.weight(name).data[0]);
    const pairs = Array.from({ length: positions.batch }, () => pairOf(positions, texts.next().value));
    assert.equal(losses[i], trainer.step(pairs).loss);
    assert.equal(gradients[i], trainer.gradient(name).data[0]);
  }
  trainer.dispose();
  assert.equal(posted.some(({ type }) => type === 'failed'), false);
});

test('learned positions: a table of their own, beside sinusoids', async () => {
  const { compute } = await import('../web/learn/learned-positions.js');
  const { TASKS: { positions } } = await import('../web/learn/tasks.js');
  const trainer = await Trainer.create({ config: positions.config, seed: 3 }, positions.options);
  const weight = trainer.weight('model.encoder.embed_positions.weight');
  assert.deepEqual(weight.shape, [16, 32]);
  const { learned, waves, alike } = compute(ops, weight);
  assert.deepEqual([...learned.data], [...weight.data.slice(0, 11 * 32)]);
  assert.deepEqual([...waves.data.slice(32, 34)], [...ops.positionalEncoding(2, 32, 'halves').data.slice(32, 34)]);
  // random at first: only these tensors change, and the file stays a model
  const { scatter } = await import('../web/learn/tasks.js');
  const before = trainer.weight('model.shared.weight').data;
  const other = await Transformer.load({
    'config.json': new TextEncoder().encode(JSON.stringify(positions.config)),
    'model.safetensors': scatter(trainer.save(), positions.random, 3),
  }, { dtype: 'f32' });
  const { data: drawn } = other.parameter('model.encoder.embed_positions.weight');
  assert.notDeepEqual([...drawn], [...weight.data]);
  assert.ok(drawn.every((x) => Math.abs(x) <= 1) && Math.abs(drawn.reduce((sum, x) => sum + x, 0)) < 40);
  assert.deepEqual([...other.parameter('model.shared.weight').data], [...before]);
  other.dispose();
  const [a, b] = [2, 7].map((at) => weight.data.slice(at * 32, (at + 1) * 32));
  assert.ok(Math.abs(alike[0].data[2 * 11 + 7] - dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) < 1e-5);
  trainer.dispose();
});

test('a token that is a byte of no character has its number for a name', async () => {
  const { tokenName } = await import('../web/lib/token.js');
  const translator = { detokenize: async (ids) => model.tokenizer.decode(ids) };
  const all = Array.from({ length: model.config.vocab_size }, (_, id) => id);
  const byte = all.find((id) => model.tokenizer.decode([id]).includes('\ufffd'));
  assert.ok(byte > 0, 'the model has pieces for bytes');
  assert.equal(await tokenName(translator, byte), `#${byte}`);
  assert.equal(await tokenName(translator, model.config.eos_token_id), `#${model.config.eos_token_id}`);
  const house = model.tokenizer.encode('house').ids.find((id) => /house/.test(model.tokenizer.decode([id])));
  assert.equal(await tokenName(translator, house), 'house');
});
