// scores.js - one row of an attention map, number by number, from a model's own q and k, in 64 bits; used by the view
// Query and keys of See, and by "show the sum".

/** @typedef {import('../../js/model/transformer.js').Tensor} Tensor */

/**
 * A head's part of a row, as a view.
 *
 * @param {Tensor} x @param {number} row @param {number} head @param {number} size
 */
export const partOf = ({ shape: [, cols], data }, row, head, size) =>
  data.subarray(row * cols + head * size, row * cols + (head + 1) * size);

/**
 * The numbers of one row of a map. No score is masked.
 *
 * @param {{ q: Tensor, k: Tensor, weights: Tensor, bias?: Tensor }} tensors  [n, D], [m, D], [H, n, m]; bias [H, n, n]:
 *   what a model with relative positions adds to the scores of self-attention
 * @param {number} head @param {number} row
 * @param {boolean} [isScaled]  false: the model does not divide by √d_k
 */
export function mapRowOf({ q, k, weights: { shape: [heads, rows, cols], data }, bias }, head, row, isScaled = true) {
  const size = q.shape[1] / heads;
  const divisor = isScaled ? Math.sqrt(size) : 1;
  const at = (head * rows + row) * cols;
  const query = partOf(q, row, head, size);
  const keys = Array.from({ length: cols }, (_, col) => partOf(k, col, head, size));
  const products = keys.map((key) => Array.from(key, (x, i) => x * query[i]));
  const biases = keys.map((_, col) => bias?.data[at + col] ?? 0);
  return {
    size, divisor, query, keys, products, biases,
    scores: products.map((list, col) => list.reduce((sum, x) => sum + x, 0) / divisor + biases[col]),
    shares: data.subarray(at, at + cols),
  };
}
