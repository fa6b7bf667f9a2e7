/*
 * kernels.h - the computations on plain arrays that use SIMD.
 *
 * Each k_name() here uses 128-bit wasm SIMD, natively through kernels/native.  It has a twin ref_name() in reference.h:
 * plain C with the same signature.  Tests compare the two at awkward sizes.
 *
 * Rules that the layers above rely on:
 *   - A result row depends on its own inputs only, not on the number of rows computed together.
 *     Batches of every size give bit-identical numbers.
 *   - No rounding differs between hosts: no fused multiply-add, no libm in vector code.
 *   - Pointers need only the alignment of their type.  Outputs overlap inputs only where stated.
 *   - Sizes are >= 0.  The caller has checked them, so kernels cannot fail.
 *
 * Weights are packed in panels of PANEL rows of W [N, K] (a row is one output):
 *
 *     f32   panel p:  [K][8] floats,  element (n, k) at  p*K*8 + k*8 + n%8        p = n/8
 *
 *     int8  panel p:  [K'/4][8][4] int8, element (n, k) at  p*K'*8 + k/4*32 + n%8*4 + k%4    K' = quantized_cols(K)
 *
 * N is padded with zeros to a multiple of 8, K' with weights of 0 to a multiple of 16.  Plain SIMD128 keeps the weights
 * of even k plus 128, from 0 to 255: read as 16 bits, two weights are then 256 times the second plus the first, and one
 * shift tells them apart.
 *
 * Depends on: nothing.  Used by: layers/, model/, search/, train/.
 */
#ifndef HEED_KERNELS_KERNELS_H
#define HEED_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { PANEL = 8 };

/* Rows of a panelled matrix, padding included. */
static inline int panel_rows(int n) { return (n + PANEL - 1) / PANEL * PANEL; }
/* Numbers of a row of int8 panels, padding included. */
static inline int quantized_cols(int k) { return (k + 15) / 16 * 16; }

/* Store row n (k floats) of W into `panels`. */
void k_pack_row_f32(float *panels, int n, const float *row, int k);
/* Unpack row n into row [k]. */
void k_unpack_row_f32(float *row, const float *panels, int n, int k);

/*
 * Rows 0..n-1 of `to` become rows [n] of `from`: panels of one kind with the same K.  Both kinds are [panels][cells][8]
 * cells of 4 bytes: a float, or 4 int8.  cells  K, or quantized_cols(K) / 4
 */
void k_copy_rows(void *to, const void *from, const int32_t *rows, int n, int cells);

/*
 * out [m, n] (row stride ldo) = x [m, k] (row stride ldx) W^T + bias
 *   panels  W [n, k] in f32 panels
 *   bias    [n], NULL is zero
 * Each sum starts from the bias and adds its products in the order of k.
 */
void k_gemm_f32(float *out, int ldo, const float *x, int ldx, const float *panels, const float *bias, int m, int n,
                int k);

/*
 * int8.  A weight row is symmetric: w = scale_n * i, i in -127..127.  A row of activations has integers q, a scale and
 * a zero point, x = scale * (q - zero), of one of these kinds:
 *
 *     7 bits   q in 0..127.  scale = (max(x, 0) - min(x, 0)) / 127 and zero = round(-min(x, 0) / scale).  So 0 is
 *              exact, and a row without negatives (after a ReLU) uses all 7 bits.
 *     8 bits   q in 0..254, zero = 127, scale = max|x| / 127.
 *     fixed    q = 127 + x * alpha, rounded with ties to even and clamped to 0..254.
 *
 * The scale is NaN if the row has a NaN or an infinity, or if its range of 7 bits overflows a float.  Then
 *
 *     out[n] = (sum_k q_k i_nk  -  zero * sum_k i_nk) * (scale * scale_n) + bias[n]           7 and 8 bits
 *     out[n] = (sum_k q_k i_nk) * multiplier + (shift * sum_k i_nk + bias[n])                 fixed
 *
 * where the first bracket is an exact int32, and each float operation rounds once, so every variant gives the same
 * bits.  Sums cannot overflow for k <= 65536.
 *
 * Plain SIMD128 multiplies int16 values (quantized.h), so 8 bits cost as much as 7.  With HEED_RELAXED, relaxed dot
 * products multiply i and q; their results are defined only for q < 128.  So 8 bits are two rows of 7 bits,
 * q = min(q, 127) + max(q - 127, 0), and take two dots.  relaxed.h has two kinds of dots: one for hosts on which it is
 * one instruction, and with HEED_PAIRS one for other x64 hosts.  Measured in V8 13.6 on an EPYC without AVX-VNNI, with
 * 4 rows or more, in GOP/s: SIMD128 83 with 7 bits; the whole dot 50; pairs 98, and 50 with 8 bits.
 *
 * 8 bits are nearer to floats, and free without relaxed SIMD.  Yet models take 7 bits unless they are told otherwise: a
 * translation must not depend on the host, and with relaxed SIMD, 8 bits would cost it half its speed.
 */

/* Store row n (k values) of W and its sum; panels [panel_rows(N) * quantized_cols(k)], sums [panel_rows(N)]. */
void k_pack_row_i8(int8_t *panels, int32_t *sums, int n, const int8_t *row, int k);
void k_unpack_row_i8(int8_t *row, const int8_t *panels, int n, int k);
/* Symmetric quantisation of a weight row: row [k] written, returns its scale, max|x| / 127 (0 for a zero row). */
float k_quantize_weights(int8_t *row, const float *x, int k);

/* Bytes of m rows of k activations of any kind, in the form that the products read; it differs between the variants. */
size_t quantized_bytes(int m, int k);
/* 7 bits.  rows [quantized_bytes(m, k)], scales [m], zeros [m] written; x [m, k] (row stride ldx). */
void k_quantize_rows(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k);
/* Likewise 8 bits if alpha is 0; fixed if alpha is above 0. */
void k_quantize_rows_8(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k, float alpha);
/*
 * out [m, n] (row stride ldo) as above, from the results of k_quantize_rows and k_pack_row_i8's panels and sums.
 *   w_scales [panel_rows(n)]   bias [n], NULL is zero
 */
void k_gemm_i8(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros, const int8_t *panels,
               const float *w_scales, const int32_t *sums, const float *bias, int m, int n, int k);
/* Likewise from k_quantize_rows_8's: of 8 bits, and fixed. */
void k_gemm_i8_8(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                 const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                 int k);
void k_gemm_fixed(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                  const int8_t *panels, float multiplier, float shift, const int32_t *sums, const float *bias, int m,
                  int n, int k);

/*
 * Fixed scales as Marian computes them without VNNI (pmaddubsw): the products of k = 2p and k = 2p + 1 are added, and
 * this sum is clamped to 16 bits before it is added to the others.  In Mozilla's models two of a hundred rows of W have
 * a pair that this can change, so only those rows are computed in this way.
 *
 *     out[n] = (sum_p clamp(q_2p i_n,2p + q_2p+1 i_n,2p+1)) * multiplier + (shift * sum_k i_nk + bias[n])
 */

/* 1 if a pair of this weight row [k] leaves 16 bits for some q in 0..254, else 0. */
int k_saturates(const int8_t *row, int k);
/*
 * One row of W, `at`: out [m] (stride ldo) from x [m, k] (row stride ldx) and k_pack_row_i8's panels.
 *   scales [m]      of k_quantize_rows_8 with this alpha, which is above 0
 *   multiplier      as for k_gemm_fixed
 *   prepared_bias   the second bracket
 */
void k_gemm_saturating(float *out, int ldo, const float *x, int ldx, const float *scales, float alpha,
                       const int8_t *panels, int at, float multiplier, float prepared_bias, int m, int k);

/*
 * int8, rows that are mostly 0.  After a ReLU, 10 to 30 of 100 numbers are not 0.  Only these are multiplied, so the
 * weights of one k stand together.  The results have the bits of the functions above.
 *
 *     group g:  [K][16] int8,  element (n, k) at  g*K*16 + k*16 + n%16        g = n/16
 *
 * N is padded with zeros to a multiple of 16; K <= 65536.
 */
enum { GROUP = 16 };

/* Rows of a matrix in groups, padding included. */
static inline int group_rows(int n) { return (n + GROUP - 1) / GROUP * GROUP; }

/* As k_pack_row_i8 and k_unpack_row_i8; groups [group_rows(N) * k], sums [group_rows(N)]. */
void k_pack_row_sparse(int8_t *groups, int32_t *sums, int n, const int8_t *row, int k);
void k_unpack_row_sparse(int8_t *row, const int8_t *groups, int n, int k);
/* Bytes of m rows of k numbers that k_quantize_sparse writes. */
size_t sparse_bytes(int m, int k);
/*
 * rows [sparse_bytes(m, k)], scales [m], zeros [m] written; x [m, k] (row stride ldx) has no negative number.  If alpha
 * is 0, numbers are 0..127: without negatives, 7 and 8 bits are the same.  If alpha is above 0, the scale is fixed.
 */
void k_quantize_sparse(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k, float alpha);
/* As k_gemm_i8 and k_gemm_fixed, from these rows.   w_scales [group_rows(n)] */
void k_gemm_sparse(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                   const int8_t *groups, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                   int k);
void k_gemm_sparse_fixed(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                         const int8_t *groups, float multiplier, float shift, const int32_t *sums, const float *bias,
                         int m, int n, int k);

/* out [m, n] = a [m, k] b [k, n], all row-major and unpacked, for small matrices. */
void k_matmul(float *out, const float *a, const float *b, int m, int n, int k);

/*
 * One query row of one head against a list of key rows.
 *   scores [n]  written: scale * q.k_i      q [dh]
 *   k       row i is at k + (rows ? rows[i] : i) * ld
 */
void k_scores(float *scores, const float *q, const float *k, size_t ld, const int32_t *rows, int n, int dh,
              float scale);
/* out [dh] written: sum_i p[i] * v_i, with rows as above. */
void k_weighted_sum(float *out, const float *p, const float *v, size_t ld, const int32_t *rows, int n, int dh);

/*
 * x [n] becomes softmax(x), computed stably.  All -infinity becomes all 0.  n may be 0.  A NaN stays; others may become
 * NaN.
 */
void k_softmax(float *x, int n);
/* max x_i + log sum exp(x_i - max); n > 0.  NaN if any x is NaN. */
float k_log_sum_exp(const float *x, int n);
/* Index of the first greatest element; n > 0.  Skips NaNs; 0 if all are NaN. */
int k_argmax(const float *x, int n);
/* The greatest x_i; n > 0.  NaN if any x is NaN. */
float k_max(const float *x, int n);

/*
 * out [n] = LayerNorm(x + residual) * gain + bias;  residual, gain, bias may be NULL.
 * Biased variance, two passes.  out may be x or residual.
 */
void k_layer_norm(float *out, const float *x, const float *residual, const float *gain, const float *bias, int n,
                  float epsilon);

/* out [n] = x / sqrt(mean(x^2) + epsilon) * gain; out may be x. */
void k_rms_norm(float *out, const float *x, const float *gain, int n, float epsilon);

/*
 * In place.  gelu is exact, x/2 (1 + erf(x/sqrt 2)); gelu_new is x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)));
 * swish is x sigmoid(x).
 */
void k_relu(float *x, size_t n);
void k_gelu(float *x, size_t n);
void k_gelu_new(float *x, size_t n);
void k_swish(float *x, size_t n);
void k_sigmoid(float *x, size_t n);

/*
 * One step of the SSRU: cell = forget * before + (1 - forget) * candidate, out = max(cell, 0), all [n].  before NULL
 * is zero.  out and cell overlap no other array.  A NaN stays.
 */
void k_ssru(float *out, float *cell, const float *candidate, const float *forget, const float *before, size_t n);

/* out = a + b; out may be a or b. */
void k_add(float *out, const float *a, const float *b, size_t n);
/* out = a * b, element by element; out may be a or b. */
void k_multiply(float *out, const float *a, const float *b, size_t n);
/* out = a * s; out may be a. */
void k_scale(float *out, const float *a, float s, size_t n);
float k_dot(const float *a, const float *b, int n);

#endif /* HEED_KERNELS_KERNELS_H */
