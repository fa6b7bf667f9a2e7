// The room Learn of the page: chapters load without a document, their numbers are those worked out by hand, and the sum
// behind a cell of an attention map is the model's own.
import test from 'node:test';
import assert from 'node:assert/strict';
import { loadOps, Transformer } from '../js/index.js';
import { CHAPTERS } from '../web/learn/learn.js';
import { learn } from '../web/learn/strings.js';
import { FIXTURE } from './browser/fixture.js';

const ops = await loadOps();

/** 32-bit floats and our exp: 1e-6 of numbers of size 1 to 20. */
function near(got, want, what) {
  assert.equal(got.length, want.length, `${what}: length`);
  want.forEach((x, i) =>
    assert.ok(Math.abs(got[i] - x) <= 1e-6 * Math.max(1, Math.abs(x)), `${what}[${i}]: ${got[i]}, expected ${x}`),
  );
}

test('there are fifteen chapters, in the order they are taught; each loads without a document', async () => {
  const ids = [
    'embeddings',
    'positions',
    'self-attention',
    'qkv',
    'scaled',
    'softmax',
    'by-hand',
    'masking',
    'multi-head',
    'cross',
    'ffn',
    'model',
    'objective',
    'decoding',
    'train',
  ];
  assert.equal(typeof document, 'undefined');
  assert.deepEqual(Object.keys(CHAPTERS), ids);
  for (const id of ids) assert.equal(typeof (await CHAPTERS[id]()).mount, 'function', id);
});

test('each chapter has a title, prose and one line to notice', () => {
  for (const id of Object.keys(CHAPTERS)) {
    const { title, text, notice } = learn[id];
    assert.ok(title.length > 3 && title.length < 40, `${id}: title`);
    assert.ok(text.length >= 1 && text.every((part) => part.length > 40), `${id}: text`);
    assert.ok(notice.length > 20 && notice.length < 200, `${id}: notice has ${notice.length} characters`);
  }
});

/** The numbers of a matrix as rows, and plain loops over them: an oracle in 64 bits. */
const rowsOf = ({ rows, cols, data }) =>
  Array.from({ length: rows }, (_, r) => [...data.slice(r * cols, (r + 1) * cols)]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const times = (a, b) => a.map((line) => b[0].map((_, c) => dot(line, b.map((other) => other[c]))));
const shared = (lines) => lines.map((line) => {
  const powers = line.map((x) => Math.exp(x - Math.max(...line)));
  const total = powers.reduce((a, b) => a + b);
  return powers.map((p) => p / total);
});

test('self-attention: x xT is symmetric, and softmax(x xT) x is that of plain loops and of a row worked out by hand',
  async () => {
    const { between, compute, start } = await import('../web/learn/self-attention.js');
    assert.deepEqual([start.x.rows, start.x.cols], [4, 3], 'a sentence of words with three numbers');
    const { scores, weights, output } = compute(ops, start.x);
    // cat (0 2 1) and dog (0 1 2): 2 + 2
    assert.deepEqual(rowsOf(scores), [[1, 0, 0, 1], [0, 5, 4, 2], [0, 4, 5, 1], [1, 2, 1, 2]]);
    rowsOf(scores).forEach((line, r) => line.forEach((x, c) => assert.equal(x, scores.data[4 * c + r], 'symmetric')));
    const { E: e } = Math;
    const first = [e / (2 * e + 2), 1 / (2 * e + 2), 1 / (2 * e + 2), e / (2 * e + 2)];
    near(weights.data.slice(0, 4), first, 'the first row');
    const x = rowsOf(start.x);
    const want = shared(rowsOf(scores));
    near(weights.data, want.flat(), 'weights');
    near(output.data, times(want, x).flat(), 'output');

    const other = between(ops, start);
    const asked = rowsOf(start.y).map((line) => x.map((row) => dot(line, row)));
    assert.deepEqual([other.scores.rows, other.scores.cols], [2, 4]);
    near(other.scores.data, asked.flat(), 'Y xT');
    near(other.weights.data, shared(asked).flat(), 'its shares');
    near(other.output.data, times(shared(asked), x).flat(), 'its output');
  });

test('a cell of a grid is written out as it was computed', async () => {
  const { columnOf, product, productText, share, shareText } = await import('../web/learn/trace.js');
  const matrix = (rows, cols, ...data) => ({ value: { rows, cols, data: Float32Array.from(data) } });
  const [left, right] = [matrix(2, 2, 1, 2, 0, 1), matrix(2, 3, 1, 0, 2, 3, -1, 0.5)];
  assert.deepEqual([...columnOf(right.value, 1)], [0, -1]);
  assert.equal(productText([1, 2], [2, 0.5]), '1 \u00d7 2 + 2 \u00d7 0.50 = 3');
  assert.deepEqual(product(left, right)(0, 1),
    { text: '1 \u00d7 0 + 2 \u00d7 (\u22121) = \u22122', lit: [{ grid: left, row: 0 }, { grid: right, col: 1 }] });
  assert.deepEqual(product(left, left, true)(0, 1).lit, [{ grid: left, row: 0 }, { grid: left, row: 1 }]);
  assert.equal(shareText([0, Math.log(3)], 1), 'e^1.10 / (e^0 + e^1.10) = 3.00 / 4.00 = 0.75');
  assert.deepEqual(share(left)(1, 0).lit, [{ grid: left, row: 1 }]);
  // e^1000 is beyond every number, and e^-1000 is 0: the shares are those of the differences
  assert.equal(shareText([1000, 1000], 0),
    'e^(1000 \u2212 1000) / (e^(1000 \u2212 1000) + e^(1000 \u2212 1000)) = 1.00 / 2.00 = 0.50');
  assert.match(shareText([-1000, -1000], 1), /^e\^\(\u22121000 \u2212 \(\u22121000\)\) .* = 0\.50$/);
  assert.match(shareText([90, -Infinity], 1), / = 0\.00 \/ 1\.00 = 0\.00$/);
  assert.match(shareText([1, -Infinity], 0), /^e\^1 /);
});

test('Q, K, V: the figure shows what was worked out by hand', async () => {
  const { compute, start } = await import('../web/learn/qkv.js');
  const { q, k, v, weights, output } = compute(ops, start);
  // x is the unit matrix: the products are the matrices themselves
  near(q.data, [0, 0, 0, 1, 2, 0], 'Q');
  near(k.data, [0, 1, 2, 0, 0, 0], 'K');
  near(v.data, [1, 0, 0, 1, 1, 1], 'V');
  // 'sleeps' asks (2 0): 'cat' answers with 4, the others with 0; divided by the square root of 2
  const [none, one, all] = [1, Math.exp(1 / Math.SQRT2), Math.exp(4 / Math.SQRT2)];
  const [row1, row2] = [one + 2 * none, all + 2 * none];
  near(
    weights.data,
    [1 / 3, 1 / 3, 1 / 3, one / row1, none / row1, none / row1, none / row2, all / row2, none / row2],
    'weights',
  );
  near(output.data, [2 / 3, 2 / 3, (one + none) / row1, 2 / row1, 2 / row2, (all + none) / row2], 'output');
});

test('numbers of axes have three digits, and a power of ten from ten million on', async () => {
  const { short } = await import('../web/learn/chart.js');
  assert.deepEqual([0.00098765, -0.5, 1250, 1.25e18].map(short), ['0.000988', '\u22120.5', '1250', '1.25e+18']);
});

test('softmax: shares follow the temperature, and only differences count', async () => {
  const { compute } = await import('../web/learn/softmax.js');
  const row = (...data) => ({ rows: 1, cols: data.length, data: Float32Array.from(data) });
  const ln2 = Math.log(2);
  near(compute(ops, { x: row(ln2, 0), temperature: 1 }).shares.data, [2 / 3, 1 / 3], 'ln 2 apart');
  near(compute(ops, { x: row(10 + ln2, 10), temperature: 1 }).shares.data, [2 / 3, 1 / 3], 'plus 10');
  near(compute(ops, { x: row(2 * ln2, 0), temperature: 2 }).shares.data, [2 / 3, 1 / 3], 'temperature 2');
});

test('by hand: every step is that of plain loops, exact and rounded', async () => {
  const { compute, start } = await import('../web/learn/by-hand.js');
  const [x, wq, wk, wv] = ['x', 'wq', 'wk', 'wv'].map((name) => rowsOf(start[name]));
  const [q, k, v] = [times(x, wq), times(x, wk), times(x, wv)];
  const scores = q.map((a) => k.map((b) => a.reduce((sum, number, i) => sum + number * b[i], 0)));
  // worked out by hand: the first word's query and its scores
  assert.deepEqual([q[0], scores[0]], [[2, 0, 1], [1, 7, 3, 5]]);
  for (const isRound of [false, true]) {
    const found = compute(ops, start, isRound);
    const divided = scores.map((line) => line.map((s) => (isRound ? Math.floor(s / 2) : s / Math.sqrt(3))));
    const powers = divided.map((line) => line.map((s) => (isRound ? 3 ** s : Math.exp(s))));
    const weights = powers.map((line) => line.map((p) => p / line.reduce((a, b) => a + b)));
    const wanted = { q, k, v, scores, divided, powers, weights, output: times(weights, v) };
    for (const [name, want] of Object.entries(wanted)) near(found[name].data, want.flat(), `${name}, ${isRound}`);
  }
});

test('objective: the loss is that of smoothed labels, and the gradient that of differences', async () => {
  const { compute, rateOf, start } = await import('../web/learn/objective.js');
  const row = (data) => ({ rows: 1, cols: data.length, data: Float32Array.from(data) });
  const ln2 = Math.log(2);
  // p = 2/3, 1/3; wanted 0.9 + 0.05 and 0.05
  const { p, wanted, loss } = compute(ops, { logits: row([ln2, 0]), right: 0, smoothing: 0.1 });
  near(p.data, [2 / 3, 1 / 3], 'p');
  near(wanted.data, [0.95, 0.05], 'wanted');
  near([loss], [-(0.95 * Math.log(2 / 3) + 0.05 * Math.log(1 / 3))], 'loss');
  const { gradient } = compute(ops, start);
  const step = 1 / 64;
  for (let i = 0; i < 4; i++) {
    const [up, down] = [step, -step].map((by) =>
      compute(ops, { ...start, logits: row(start.logits.data.map((x, j) => x + (i === j ? by : 0))) }).loss);
    // a difference over 1/64 is off by a sixth of its square
    assert.ok(Math.abs((up - down) / (2 * step) - gradient.data[i]) < 1e-4, `gradient[${i}]`);
  }
  // the paper's base model: 4,000 steps of warm-up, d_model 512
  near([rateOf(4000, 512, 4000) * 1e4, rateOf(1000, 512, 4000) * 1e4], [6.98771243, 1.74692811], 'rate');
  assert.ok(rateOf(4001, 512, 4000) < rateOf(4000, 512, 4000));
});

test('decoding: greedy search misses what two beams find, and the penalty weighs lengths', async () => {
  const { scoreOf, search, shares, start } = await import('../web/learn/decoding.js');
  const found = (given) => search({ ...start, ...given }).finished[0];
  assert.deepEqual(found({ beams: 1 }).words, [0, 0], 'A dog');
  assert.deepEqual(found({ beams: 2 }).words, [1, 1], 'The cat');
  near([Math.exp(found({ beams: 1 }).logProb), Math.exp(found({ beams: 2 }).logProb)], [0.22, 0.405], 'p');
  const [short, long] = [{ words: [0], logProb: -1 }, { words: [0, 1], logProb: -1.6 }];
  assert.ok(scoreOf(short, 0) > scoreOf(long, 0) && scoreOf(short, 1) < scoreOf(long, 1));
  const { steps } = search({ ...start, beams: 2 });
  assert.deepEqual(steps.map((list) => list.filter(({ isKept }) => isKept).length), [2, 2]);
  const { tree } = await import('../web/learn/decoding.js');
  for (const [beams, kept, best] of [[1, [[true, false, false], []], '0,0'], [2, [[], [false, true, false]], '1,1']]) {
    const branches = tree({ ...start, beams });
    const leaves = branches.flatMap(({ next }) => next);
    near([leaves.reduce((sum, { hypothesis }) => sum + Math.exp(hypothesis.logProb), 0)], [1], 'all leaves');
    assert.equal(leaves.filter(({ isBest }) => isBest)[0].hypothesis.words.join(), best);
    branches.forEach(({ next }, i) => kept[i].length && assert.deepEqual(next.map(({ isKept }) => isKept), kept[i]));
  }
  near(shares({ rows: 2, cols: 2, data: Float32Array.of(1, 3, 0, -1) }).data, [0.25, 0.75, 0.5, 0.5], 'shares');
});

test('masking: cells above the diagonal have no share and no effect', async () => {
  const { compute, start } = await import('../web/learn/masking.js');
  const { weights } = compute(ops, start);
  for (let r = 0; r < 4; r++) for (let c = r + 1; c < 4; c++) assert.equal(weights.data[4 * r + c], 0);
  assert.equal(weights.data[0], 1);
  const edited = { ...start.scores, data: start.scores.data.slice() };
  edited.data[3] = 99;
  assert.deepEqual(compute(ops, { ...start, scores: edited }).weights.data, weights.data);
  assert.ok(compute(ops, { scores: edited, causal: false }).weights.data[3] > 0.99);
});

test('scaled: the spread of dot products is the root of their length, within what 2000 may be off', async () => {
  const { compute } = await import('../web/learn/scaled.js');
  const { SEED } = await import('../web/learn/scaled.js');
  const drawn = compute(ops, { dk: 64, seed: SEED });
  assert.ok(Math.max(...drawn.raw) > 0.95 && Math.max(...drawn.divided) < 0.5, 'what is drawn first shows it');
  for (const dk of [1, 16, 256]) {
    const { spread, divided, raw } = compute(ops, { dk, seed: 3 });
    // 50 and 40 vectors, not 2000 pairs that know nothing of each other: at d_k = 1 it is off by 0.15 as a rule
    assert.ok(Math.abs(spread / Math.sqrt(dk) - 1) < 0.5, `d_k ${dk}: ${spread}`);
    assert.ok(Math.max(...raw) >= Math.max(...divided) - 1e-6);
  }
});

test('multi-head: each head alone, side by side and after W_O, is what the core gives as a whole', async () => {
  const { compute, start } = await import('../web/learn/multi-head.js');
  const x = rowsOf(start.x);
  for (const heads of [1, 2, 4]) {
    const { each, concat, weights, output } = compute(ops, { ...start, heads });
    const width = 4 / heads;
    assert.equal(each.length, heads);
    /** What each head adds to the output. */
    const added = [];
    const outputs = each.map((head, i) => {
      const [from, to] = [i * width, (i + 1) * width];
      const w = ['wq', 'wk', 'wv'].map((name) => rowsOf(start.weights[name]).map((line) => line.slice(from, to)));
      const [q, k, v] = w.map((own) => times(x, own));
      const products = q.map((a) => k.map((b) => dot(a, b)));
      const scores = products.map((line) => line.map((score) => score / Math.sqrt(width)));
      const wo = rowsOf(start.weights.wo).slice(from, to);
      const own = times(shared(scores), v);
      added.push(times(own, wo));
      const wanted = { wq: w[0], wk: w[1], wv: w[2], q, k, v, products, scores, weights: shared(scores), output: own, wo,
        part: added[i] };
      assert.deepEqual(Object.keys(head).sort(), Object.keys(wanted).sort(), 'all that is shown');
      for (const [name, want] of Object.entries(wanted)) near(head[name].data, want.flat(), `${heads} heads: ${name}`);
      near(weights[i].data, shared(scores).flat(), 'shares of the core');
      return own;
    });
    const together = x.map((_, r) => outputs.flatMap((lines) => lines[r]));
    near(concat.data, together.flat(), 'side by side');
    near(output.data, times(together, rowsOf(start.weights.wo)).flat(), 'output');
    near(output.data, x.flatMap((line, r) => line.map((_, c) => added.reduce((sum, part) => sum + part[r][c], 0))),
      'the sum of what each head adds');
  }
});

test('feed-forward: both orders of the norm', async () => {
  const { compute, start } = await import('../web/learn/ffn.js');
  // row (1 2 0 -1): x W1 + b1 = (2 1 2 1 -3 -1) + (0 1 0 -1 1 0), ReLU, W2: (2 2 2 -2) + b2 (1 0 0 1)
  const post = compute(ops, start);
  near(post.wide.data.slice(0, 6), [2, 2, 2, 0, -2, -1], 'x W1 + b1');
  near(post.ffn.data.slice(0, 4), [3, 2, 2, -1], 'FFN(x)');
  near(post.added.data.slice(0, 4), [4, 4, 2, -2], 'x + FFN(x)');
  // mean 2, variance (4 + 4 + 0 + 16) / 4
  const deviation = Math.sqrt(6 + 1e-5);
  near(post.result.data.slice(0, 4), [2 / deviation, 2 / deviation, 0, -4 / deviation], 'post-norm');
  // every step in plain loops, with gain and bias
  const norm = (line, gain, bias) => {
    const mean = line.reduce((a, b) => a + b) / line.length;
    const variance = line.reduce((sum, x) => sum + (x - mean) ** 2, 0) / line.length;
    return { moments: [mean, variance], to: line.map((x, i) => ((x - mean) / Math.sqrt(variance + 1e-5)) * gain[i]
      + bias[i]) };
  };
  const row = (...data) => ({ rows: 1, cols: data.length, data: Float32Array.from(data) });
  const [gain, bias] = [row(1, 2, 0.5, -1), row(0, 1, -1, 0.25)];
  const [b1, b2] = [row(0.5, -1, 2, 0, 1, -0.25), row(-1, 0.5, 3, 0)];
  const [x, w1, w2] = [start.x, start.w1, start.w2].map(rowsOf);
  const plus = (lines, { data }) => lines.map((line) => line.map((v, c) => v + data[c]));
  for (const [name, act] of [['relu', (v) => Math.max(v, 0)], ['swish', (v) => v / (1 + Math.exp(-v))]]) {
    for (const order of ['post', 'pre']) {
      const found = compute(ops, { ...start, b1, b2, gain, bias, order, activation: name });
      const normed = x.map((line) => norm(line, gain.data, bias.data));
      const input = order === 'pre' ? normed.map(({ to }) => to) : x;
      const wide = plus(times(input, w1), b1);
      const hidden = wide.map((line) => line.map(act));
      const ffn = plus(times(hidden, w2), b2);
      const added = ffn.map((line, r) => line.map((v, c) => v + x[r][c]));
      const after = added.map((line) => norm(line, gain.data, bias.data));
      const wanted = {
        wide, hidden, ffn, added, moments: (order === 'pre' ? normed : after).map((n) => n.moments),
        result: order === 'pre' ? added : after.map(({ to }) => to),
      };
      for (const [part, want] of Object.entries(wanted)) {
        near(found[part].data, want.flat(), `${name} ${order} ${part}`);
      }
    }
  }
  const pre = compute(ops, { ...start, order: 'pre' });
  near(
    pre.result.data,
    pre.ffn.data.map((x, i) => x + start.x.data[i]),
    'pre-norm',
  );
});

test('nearest: the best rows of a table, without excluded ones', async () => {
  const { nearest } = await import('../web/learn/embeddings.js');
  const table = Float32Array.from([1, 0, 0, 1, 1, 1, -1, 0, 2, 1]);
  const rows = async (from, to) => table.subarray(2 * from, 2 * to);
  const found = await nearest(ops, { rows: 1, cols: 2, data: Float32Array.of(1, 0) }, rows, 5, new Set([0]));
  assert.deepEqual(
    found.map(({ id }) => id),
    [4, 2, 1, 3],
  );
  near(
    found.map(({ cosine }) => cosine),
    [2 / Math.sqrt(5), Math.SQRT1_2, 0, -1],
    'cosines',
  );
});

test('the diagram has a box for each part, and each names tensors', async () => {
  const { boxes } = await import('../web/learn/diagram.js');
  const { tensorsOf } = await import('../web/learn/model.js');
  const names = (stack, isPre) => boxes(stack, isPre).map(({ id }) => id.replace(/^.*\./, ''));
  assert.deepEqual(names('encoder', false), [
    'source',
    'embedding',
    'positions',
    'self',
    'norm1',
    'ffn',
    'norm2',
    'output',
  ]);
  assert.deepEqual(names('decoder', true).slice(3, 9), ['norm1', 'self', 'norm2', 'cross', 'norm3', 'ffn']);
  for (const stack of ['encoder', 'decoder']) {
    for (const box of boxes(stack, false)) {
      assert.ok(box.id in learn.model.boxes, box.id);
      if (box.id !== 'source' && box.id !== 'target') assert.ok(tensorsOf(box, 0).length > 0, box.id);
    }
  }
  assert.deepEqual(names('decoder', false).length, boxes('decoder', false, true).length);
  const [box] = boxes('decoder', false, true).filter(({ id }) => id === 'decoder.ssru');
  assert.deepEqual(tensorsOf(box, 1, true), ['forget', 'candidate', 'cell', 'output']
    .map((part) => `decoder.layers.1.ssru.${part}`));
  assert.ok(box.id in learn.model.boxes);
  assert.deepEqual(tensorsOf({ ...box, id: 'decoder.norm1' }, 1, true), ['decoder.layers.1.ssru_layer_norm']);
  const parts = (id, config) => tensorsOf({ id, stack: 'encoder', inLayer: true }, 1, false, config);
  assert.deepEqual(parts('encoder.positions', {}), ['encoder.positions', 'encoder.input']);
  assert.deepEqual(parts('encoder.positions', { relative_buckets: 32 }), ['encoder.position_bias', 'encoder.input']);
  assert.deepEqual(parts('encoder.ffn', { gated_feed_forward: true }), ['fc1', 'fc1_linear', 'gated', 'fc2']
    .map((name) => `encoder.layers.1.${name}`));
  const norm = (id) => tensorsOf({ id, stack: id.split('.')[0], inLayer: true }, 1)[0];
  assert.equal(norm('encoder.norm2'), 'encoder.layers.1.final_layer_norm');
  assert.equal(norm('decoder.norm2'), 'decoder.layers.1.encoder_attn_layer_norm');
  assert.equal(norm('decoder.norm3'), 'decoder.layers.1.final_layer_norm');
});

test('likeliest: softmax of a row of logits, the largest first', async () => {
  const { likeliest, summary } = await import('../web/learn/model.js');
  const found = likeliest(Float32Array.of(0, Math.log(2), Math.log(5)), 2);
  assert.deepEqual(
    found.map(({ id }) => id),
    [2, 1],
  );
  near(
    found.map(({ share }) => share),
    [5 / 8, 2 / 8],
    'shares',
  );
  assert.deepEqual(summary(Float32Array.of(1, -Infinity, 3)), { low: 1, high: 3, mean: 2 });
});

test('the sum behind a cell, worked out by hand', async () => {
  const { compute } = await import('../web/learn/sum.js');
  const tensor = (shape, ...data) => ({ shape, data: Float32Array.from(data) });
  // two heads of two numbers; of head 1 the query (1 2), the keys (1 0) and (0 1)
  const tensors = {
    q: tensor([1, 4], 9, 9, 1, 2),
    k: tensor([2, 4], 9, 9, 1, 0, 9, 9, 0, 1),
    v: tensor([2, 4], 9, 9, 10, 0, 9, 9, 0, 10),
    weights: tensor([2, 1, 2], 0.5, 0.5, 0.25, 0.75),
  };
  const sum = compute(tensors, { stack: 'cross', layer: 0, head: 1, row: 0, col: 1 });
  const [a, b] = [Math.exp(1 / Math.SQRT2), Math.exp(2 / Math.SQRT2)];
  assert.deepEqual([sum.query, sum.key, sum.products, sum.dot], [[1, 2], [0, 1], [0, 2], 2]);
  near(
    [sum.scaled, ...sum.shares, ...sum.mixed],
    [Math.SQRT2, a / (a + b), b / (a + b), (10 * a) / (a + b), (10 * b) / (a + b)],
    'sum',
  );
  assert.equal(sum.cell, 0.75);
  const masked = compute(tensors, { stack: 'decoder', layer: 0, head: 1, row: 0, col: 1 });
  assert.equal(masked.masked, true);
  assert.deepEqual([masked.shares[0], masked.shares[1]], [1, 0]);
});

for (const dtype of ['f32', 'int8']) {
  test(`the sum behind a cell is the model's own, ${dtype}`, async (t) => {
    const { compute } = await import('../web/learn/sum.js');
    const { attentionName } = await import('../web/learn/kit.js');
    const model = await Transformer.load(FIXTURE, { dtype });
    if (!model.inspect) return t.skip('this model cannot be looked into');
    const source = model.tokenizer.encode('The cat sleeps on the sofa.').ids;
    const [[{ ids: target }]] = model.generate([source]);
    const maps = model.attention(source, target);
    const { encoder_layers: deep, decoder_layers: shallow } = model.config;
    let cells = 0;
    for (const stack of ['encoder', 'decoder', 'cross']) {
      for (let layer = 0; layer < (stack === 'encoder' ? deep : shallow); layer++) {
        const names = ['q', 'k', 'v', 'weights', 'scores', 'context'].map(
          (name) => `${attentionName(stack, layer)}.${name}`,
        );
        const found = model.inspect(source, target, { names });
        const [q, k, v, weights, scores, context] = names.map((name) => found[name]);
        const [heads, rows, cols] = weights.shape;
        for (let head = 0; head < heads; head++) {
          for (let row = 0; row < rows; row++) {
            const sum = compute({ q, k, v, weights }, { stack, layer, head, row, col: row % cols });
            const at = (head * rows + row) * cols;
            // 64 products of size 1 to 10, summed in 32 bits, are off by 1e-5 at most; shares by less than half a
            // printed digit
            for (let col = 0; col < cols; col++) {
              const cell = maps[stack].data[layer * heads * rows * cols + at + col];
              assert.ok(
                Math.abs(sum.shares[col] - cell) < 2e-5,
                `${stack} ${layer} ${head} ${row} ${col}: ${sum.shares[col]}, map ${cell}`,
              );
              const score = scores.data[at + col];
              assert.ok(
                sum.scores[col] === score || Math.abs(sum.scores[col] - score) < 1e-4,
                `score ${sum.scores[col]}, ${score}`,
              );
              cells++;
            }
            const dk = q.shape[1] / heads;
            sum.mixed.forEach((x, i) => {
              const want = context.data[row * heads * dk + head * dk + i];
              assert.ok(Math.abs(x - want) < 1e-4, `context ${x}, ${want}`);
            });
          }
        }
      }
    }
    assert.ok(cells > 1000);
    model.dispose();
  });
}

test('reversing digits: ids and back', async () => {
  const { pairOf, TASKS: { reverse }, untilEnd } = await import('../web/learn/tasks.js');
  const { source, target } = pairOf(reverse, '305');
  assert.deepEqual(
    [source, target],
    [
      [6, 3, 8, 2],
      [8, 3, 6, 2],
    ],
  );
  assert.equal(reverse.toText(untilEnd(target, 2)), '503');
  assert.equal(reverse.toText([3, 0, 4]), '0\u00b71');
  assert.deepEqual(['12', '12345678901', 'x12'].map(reverse.solve), [undefined, undefined, undefined]);
  const next = reverse.texts(5);
  for (let i = 0; i < 200; i++) assert.match(next.next().value, /^\d{3,10}$/);
  const { meanOfHeads } = await import('../web/learn/train.js');
  const cross = { shape: [1, 2, 1, 2], data: Float32Array.of(0, 1, 1, 0) };
  assert.deepEqual([...meanOfHeads(cross, 0).data], [0.5, 0.5]);
});
