// The parts of the Transformer through 'heed/ops': examples worked by hand, the mask, refusals that name the argument.
// Tolerances: chains of a few float operations on numbers near 1, each within 6e-8; 1e-6 is sixteen of them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { loadOps } from 'heed/ops';

const ops = await loadOps();
const matrix = (rows, cols, data) => ({ rows, cols, data: Float32Array.from(data) });
const identity = (n) => matrix(n, n, Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0)));
const row = (m, r) => m.data.subarray(r * m.cols, (r + 1) * m.cols);

let seed = 1;
const random = () => {
  seed = (seed * 48271) % 0x7fffffff;
  return (seed / 0x7fffffff) * 2 - 1;
};
const randomMatrix = (rows, cols) => matrix(rows, cols, Array.from({ length: rows * cols }, random));

function near(got, want, tolerance = 1e-6) {
  assert.equal(got.length, want.length, 'length');
  for (let i = 0; i < want.length; i++) {
    assert.ok(Math.abs(got[i] - want[i]) <= tolerance, `[${i}]: got ${got[i]}, want ${want[i]} within ${tolerance}`);
  }
}

/** a b in double. */
function product(a, b) {
  const out = new Float64Array(a.rows * b.cols);
  for (let r = 0; r < a.rows; r++) {
    for (let c = 0; c < b.cols; c++) {
      for (let i = 0; i < a.cols; i++) out[r * b.cols + c] += a.data[r * a.cols + i] * b.data[i * b.cols + c];
    }
  }
  return { rows: a.rows, cols: b.cols, data: out };
}

// Four words of six dimensions and d_k = 3. Each row of Q, K, V is the sum of the rows of W that the word selects.
const words = matrix(4, 6, [1, 0, 1, 0, 1, 0, 0, 2, 0, 2, 0, 2, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0]);
const wq = matrix(6, 3, [1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0]);
const wk = matrix(6, 3, [0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1]);
const wv = matrix(6, 3, [0, 2, 0, 0, 3, 0, 1, 0, 3, 1, 1, 0, 0, 0, 1, 2, 0, 0]);

test('softmax(x xT) x of three words in three dimensions', () => {
  const x = matrix(3, 3, [1, 0, 1, 0, 1, 0, 1, 1, 1]); // x xT = (2 0 2; 0 1 1; 2 1 3)
  const { weights, output, ...rest } = ops.selfAttention(x);
  assert.deepEqual(rest, {});
  const e = Math.E;
  const sums = [2 * e ** 2 + 1, 1 + 2 * e, e ** 2 + e + e ** 3];
  near(weights.data, [e ** 2, 1, e ** 2, 1, e, e, e ** 2, e, e ** 3].map((p, i) => p / sums[Math.floor(i / 3)]));
  const [a, b] = [e ** 2 + e ** 3, e + e ** 3];
  near(output.data, [2 * e ** 2, 1 + e ** 2, 2 * e ** 2, 1 + e, 2 * e, 1 + e, a, b, a].map(
    (y, i) => y / sums[Math.floor(i / 3)]));
  assert.deepEqual([weights.rows, weights.cols, output.rows, output.cols], [3, 3, 3, 3]);
});

test('Q, K, V and scaled dot-product attention of four words, d_k = 3', () => {
  const [q, k, v] = [wq, wk, wv].map((w) => ops.matmul(words, w));
  assert.deepEqual([...q.data], [1, 1, 2, 4, 2, 2, 3, 2, 3, 0, 3, 2]);
  assert.deepEqual([...k.data], [1, 1, 2, 4, 4, 2, 3, 3, 3, 3, 2, 2]);
  assert.deepEqual([...v.data], [1, 2, 4, 6, 8, 0, 4, 6, 4, 2, 1, 5]);
  const dots = [6, 12, 12, 9, 10, 28, 24, 20, 11, 26, 24, 19, 7, 16, 15, 10]; // Q KT, by hand
  const { scores, weights, output } = ops.attention(q, k, v);
  near(scores.data, dots.map((d) => d / Math.sqrt(3)), 2e-6); // scores reach 16
  const exps = dots.map((d) => Math.exp(d / Math.sqrt(3)));
  const p = exps.map((x, i) => x / exps.slice(i - (i % 4), i - (i % 4) + 4).reduce((a, b) => a + b));
  near(weights.data, p);
  near(output.data, product({ rows: 4, cols: 4, data: p }, v).data, 8e-6); // values reach 8
  near(ops.attention(q, k, v, { scale: 1 }).scores.data, dots, 0);
});

test('causal: above the diagonal scores are -Infinity and weights exactly 0', () => {
  for (const [n, m] of [[1, 1], [4, 4], [7, 7], [3, 6], [6, 3]]) {
    const [q, k, v] = [randomMatrix(n, 5), randomMatrix(m, 5), randomMatrix(m, 2)];
    const { scores, weights, output } = ops.attention(q, k, v, { causal: true });
    for (let t = 0; t < n; t++) {
      for (let i = 0; i < m; i++) {
        assert.equal(scores.data[t * m + i] === -Infinity, i > t);
        if (i > t) assert.ok(Object.is(weights.data[t * m + i], 0), `weight [${t}, ${i}]`);
      }
      near([row(weights, t).reduce((a, b) => a + b)], [1]);
    }
    near(output.data, product(weights, v).data);
  }
});

test('multi-head: attention in each head, the heads side by side, then W_O', () => {
  const [d, heads, dh] = [6, 2, 3]; // the words of six dimensions again: two heads of d_k = 3
  const columns = (m, h) => matrix(m.rows, dh, Array.from({ length: m.rows * dh },
    (_, i) => m.data[Math.floor(i / dh) * m.cols + h * dh + (i % dh)]));
  const weights = Object.fromEntries(['wq', 'wk', 'wv', 'wo'].map((name) => [name, randomMatrix(d, d)]));
  for (const [memory, causal] of [[words, false], [words, true], [randomMatrix(5, d), false]]) {
    const got = ops.multiHeadAttention(words, memory, weights, heads, { causal });
    assert.equal(got.weights.length, heads);
    const together = matrix(4, d, new Float32Array(4 * d));
    for (let h = 0; h < heads; h++) {
      const [q, k, v] = [[words, weights.wq], [memory, weights.wk], [memory, weights.wv]].map(
        ([x, w]) => columns(ops.matmul(x, w), h));
      const head = ops.attention(q, k, v, { causal });
      assert.deepEqual([got.weights[h].rows, got.weights[h].cols], [4, memory.rows]);
      near(got.weights[h].data, head.weights.data);
      for (let t = 0; t < 4; t++) together.data.set(row(head.output, t), t * d + h * dh);
      for (let t = 0; causal && t < 4; t++) {
        for (let i = t + 1; i < 4; i++) assert.equal(got.weights[h].data[t * 4 + i], 0);
      }
    }
    near(got.output.data, product(together, weights.wo).data, 4e-6); // sums of six, up to 4
  }
});

test('one head with identity weights is scaled dot-product attention', () => {
  const x = randomMatrix(5, 4);
  const eye = identity(4);
  const got = ops.multiHeadAttention(x, x, { wq: eye, wk: eye, wv: eye, wo: eye }, 1);
  const want = ops.attention(x, x, x);
  near(got.weights[0].data, want.weights.data);
  near(got.output.data, want.output.data);
});

test('positional encoding, all layouts', () => {
  const { sin, cos } = Math;
  const paper = ops.positionalEncoding(3, 4);
  near(paper.data, [0, 1, 0, 1, sin(1), cos(1), sin(0.01), cos(0.01), sin(2), cos(2), sin(0.02), cos(0.02)], 3e-8);
  near(row(paper, 1), [0.84147098, 0.54030231, 0.00999983, 0.99995], 5e-8);
  const marian = ops.positionalEncoding(3, 4, 'halves');
  for (let t = 0; t < 3; t++) {
    const [s0, c0, s1, c1] = row(paper, t);
    assert.deepEqual([...row(marian, t)], [s0, s1, c0, c1]);
  }
  // sines one more than cosines where the width is odd
  near(row(ops.positionalEncoding(2, 3, 'halves'), 1), [sin(1), sin(10000 ** (-2 / 3)), cos(1)]);
  // Marian's last wavelength is exactly 2 pi 10000
  near(row(ops.positionalEncoding(2, 6, 'marian-halves'), 1),
    [sin(1), sin(0.01), sin(0.0001), cos(1), cos(0.01), cos(0.0001)]);
});

test('cosine similarity', () => {
  const a = matrix(3, 2, [1, 0, 3, 4, 0, 0]);
  const b = matrix(2, 2, [1, 1, -5, 0]);
  const { rows, cols, data } = ops.cosineSimilarity(a, b);
  assert.deepEqual([rows, cols], [3, 2]);
  near(data, [Math.SQRT1_2, -1, 7 / (5 * Math.SQRT2), -0.6, 0, 0]);
  assert.deepEqual([...data.subarray(4)], [0, 0], 'a zero row has no direction');
});

test('softmax, embedding, layerNorm, feedForward by hand', () => {
  const x = matrix(2, 3, [0, Math.log(2), Math.log(5), -Infinity, -Infinity, -Infinity]);
  near(ops.softmax(x).data, [0.125, 0.25, 0.625, 0, 0, 0]);

  const table = matrix(3, 2, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(ops.embedding([2, 0, 2], table, 0.5), matrix(3, 2, [2.5, 3, 0.5, 1, 2.5, 3]));
  assert.deepEqual(ops.embedding(Int32Array.of(1), table), matrix(1, 2, [3, 4]));

  const u = 1 / Math.sqrt(1.25 + 1e-5); // of 1, 2, 3, 4: mean 2.5, variance 1.25
  near(ops.layerNorm(matrix(1, 4, [1, 2, 3, 4])).data, [-1.5 * u, -0.5 * u, 0.5 * u, 1.5 * u]);
  near(ops.layerNorm(matrix(1, 2, [1, 3]), Float32Array.of(2, 3), Float32Array.of(10, 20), 0).data, [8, 23], 2e-6);
  near(ops.layerNorm(matrix(1, 2, [1, 3]), undefined, [1, 2], 3).data, [0.5, 2.5]);

  const w1 = matrix(2, 3, [1, -1, 0, 0, 1, -2]);
  const w2 = matrix(3, 2, [1, 2, 3, 4, 5, 6]);
  const run = (activation) => ops.feedForward(matrix(1, 2, [1, 2]), w1, [0, 1, 1], w2, [0.5, -0.5], activation).data;
  assert.deepEqual([...run()], [7.5, 9.5]); // hidden 1, 2, -3; ReLU leaves 1, 2
  const hidden = (f) => {
    const [y0, y1] = product({ rows: 1, cols: 3, data: [1, 2, -3].map(f) }, w2).data;
    return [y0 + 0.5, y1 - 0.5];
  };
  const tanh = (/** @type {number} */ h) => Math.tanh(Math.sqrt(2 / Math.PI) * (h + 0.044715 * h ** 3));
  near(run('gelu_new'), hidden((h) => h / 2 * (1 + tanh(h))), 4e-6);
  near(run('swish'), hidden((h) => h / (1 + Math.exp(-h))), 4e-6); // sums reach 10
  const normal = { 1: 0.8413447460685429, 2: 0.9772498680518208, '-3': 0.0013498980316300933 };
  near(run('gelu'), hidden((h) => h * normal[h]), 4e-6);
});

test('results are fresh, arguments stay as they are, functions work on their own', async () => {
  const x = matrix(1, 3, [1, 2, 3]);
  const { softmax } = await loadOps();
  const a = softmax(x);
  const copy = [...a.data];
  softmax(matrix(1, 3, [9, 9, 9]));
  assert.deepEqual([...a.data], copy);
  assert.deepEqual([...x.data], [1, 2, 3]);
  assert.deepEqual(softmax({ rows: 1, cols: 3, data: [1, 2, 3] }), a, 'a plain array will do');
  assert.deepEqual(softmax(matrix(1, 3, x.data)), a);
});

test('wrong arguments are refused by name', () => {
  const m = (rows, cols) => matrix(rows, cols, new Float32Array(rows * cols));
  const z = (n) => new Float32Array(n);
  const w = (d) => ({ wq: m(d, d), wk: m(d, d), wv: m(d, d), wo: m(d, d) });
  const cases = [
    [TypeError, /^x: found undefined/, () => ops.softmax()],
    [TypeError, /^x\.rows: found '2'/, () => ops.softmax({ rows: '2', cols: 1, data: new Float32Array(2) })],
    [TypeError, /^x\.data: expected a Float32Array/, () => ops.softmax({ rows: 1, cols: 1, data: 'a' })],
    [TypeError, /^x\.data\[1\]: found 'b'/, () => ops.softmax({ rows: 1, cols: 2, data: [1, 'b'] })],
    [RangeError, /^x\.data: found 3 numbers, expected 4/, () => ops.softmax({ rows: 2, cols: 2, data: z(3) })],
    [RangeError, /^x\.data: found 5 numbers, expected 4/, () => ops.softmax({ rows: 2, cols: 2, data: z(5) })],
    [RangeError, /^x\.rows: found 0/, () => ops.softmax(m(0, 2))],
    [RangeError, /^x\.cols: found 1\.5/, () => ops.softmax({ rows: 1, cols: 1.5, data: new Float32Array(1) })],
    [RangeError, /^b\.rows: found 2, expected 3/, () => ops.matmul(m(2, 3), m(2, 3))],
    [RangeError, /^b\.cols: found 3, expected 2/, () => ops.cosineSimilarity(m(1, 2), m(1, 3))],
    [RangeError, /^positions: found -1/, () => ops.positionalEncoding(-1, 4)],
    [TypeError, /^dModel: found undefined/, () => ops.positionalEncoding(1)],
    [RangeError, /^layout: found 'spiral'/, () => ops.positionalEncoding(1, 4, 'spiral')],
    [TypeError, /^ids: found 7/, () => ops.embedding(7, m(2, 2))],
    [RangeError, /^ids\.length: found 0/, () => ops.embedding([], m(2, 2))],
    [RangeError, /^ids\[1\]: found 2, expected a row of table, 0 to 1/, () => ops.embedding([0, 2], m(2, 2))],
    [RangeError, /^ids\[0\]: found -1/, () => ops.embedding([-1], m(2, 2))],
    [TypeError, /^ids\[0\]: found '0'/, () => ops.embedding(['0'], m(2, 2))],
    [RangeError, /^scale: found NaN/, () => ops.embedding([0], m(2, 2), NaN)],
    [RangeError, /^k\.cols: found 4, expected 3/, () => ops.attention(m(2, 3), m(2, 4), m(2, 3))],
    [RangeError, /^v\.rows: found 3, expected 2/, () => ops.attention(m(2, 3), m(2, 3), m(3, 3))],
    [TypeError, /^scale: found '1'/, () => ops.attention(m(1, 1), m(1, 1), m(1, 1), { scale: '1' })],
    [TypeError, /^causal: found 'true'/, () => ops.attention(m(1, 1), m(1, 1), m(1, 1), { causal: 'true' })],
    [TypeError, /^causal: found 1/, () => ops.multiHeadAttention(m(1, 4), m(1, 4), w(4), 2, { causal: 1 })],
    [RangeError, /^memory\.cols: found 3, expected 4/, () => ops.multiHeadAttention(m(1, 4), m(1, 3), w(4), 2)],
    [RangeError, /^weights\.wv\.rows: found 3, expected 4/,
      () => ops.multiHeadAttention(m(1, 4), m(1, 4), { ...w(4), wv: m(3, 4) }, 2)],
    [TypeError, /^weights: found undefined/, () => ops.multiHeadAttention(m(1, 4), m(1, 4))],
    [RangeError, /^heads: found 3, expected a divisor of 4/, () => ops.multiHeadAttention(m(1, 4), m(1, 4), w(4), 3)],
    [RangeError, /^gain: found 2 numbers, expected 3/, () => ops.layerNorm(m(1, 3), new Float32Array(2))],
    [RangeError, /^epsilon: found -1/, () => ops.layerNorm(m(1, 3), undefined, undefined, -1)],
    [RangeError, /^w1\.rows: found 2, expected 3/, () => ops.feedForward(m(1, 3), m(2, 4), [], m(4, 3), [])],
    [RangeError, /^w2\.cols: found 2, expected 3/, () => ops.feedForward(m(1, 3), m(3, 4), z(4), m(4, 2), z(3))],
    [RangeError, /^b1: found 3 numbers, expected 4/, () => ops.feedForward(m(1, 3), m(3, 4), z(3), m(4, 3), z(3))],
    [TypeError, /^b2: expected a Float32Array/, () => ops.feedForward(m(1, 3), m(3, 4), z(4), m(4, 3))],
    [RangeError, /^activation: found 'tanh', expected one of 'relu', 'gelu', 'swish', 'gelu_new'/,
      () => ops.feedForward(m(1, 1), m(1, 1), [0], m(1, 1), [0], 'tanh')],
  ];
  for (const [type, message, f] of cases) {
    assert.throws(f, (error) => error instanceof type && message.test(error.message), String(message));
  }
  near(ops.softmax(m(1, 2)).data, [0.5, 0.5]); // and works afterwards
});
