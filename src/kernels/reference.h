/*
 * reference.h - the plain twin of every kernel in kernels.h: same signature, same contract, one obvious loop.
 *
 * Float sums are computed in double, so a test measures the error of the fast kernel.  Unlike the kernels, the ref_
 * functions do not promise the same bits everywhere.
 *
 * Depends on: kernels.h for the panel layout.  Used by: tests, and whoever ports the kernels.
 */
#ifndef HEED_KERNELS_REFERENCE_H
#define HEED_KERNELS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

void ref_pack_row_f32(float *panels, int n, const float *row, int k);
void ref_unpack_row_f32(float *row, const float *panels, int n, int k);
void ref_copy_rows(void *to, const void *from, const int32_t *rows, int n, int cells);
void ref_gemm_f32(float *out, int ldo, const float *x, int ldx, const float *panels, const float *bias, int m, int n,
                  int k);
void ref_pack_row_i8(int8_t *panels, int32_t *sums, int n, const int8_t *row, int k);
void ref_unpack_row_i8(int8_t *row, const int8_t *panels, int n, int k);
float ref_quantize_weights(int8_t *row, const float *x, int k);

/*
 * The int8 twins are exact: their integers and bits equal the kernels'.  Only the forms differ: activations are plain
 * rows [m, k] of q, in 0..127 or in 0..254, and panels have the weights themselves.
 */
void ref_quantize_rows(uint8_t *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k);
void ref_gemm_i8(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                 const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                 int k);
void ref_quantize_rows_8(uint8_t *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k,
                         float alpha);
void ref_gemm_i8_8(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                   const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                   int k);
void ref_gemm_fixed(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                    const int8_t *panels, float multiplier, float shift, const int32_t *sums, const float *bias, int m,
                    int n, int k);
/* From the rows of ref_quantize_rows_8 instead of x. */
int ref_saturates(const int8_t *row, int k);
void ref_gemm_saturating(float *out, int ldo, const uint8_t *rows, const float *scales, const int8_t *panels, int at,
                         float multiplier, float prepared_bias, int m, int k);
/* Rows that are mostly 0: plain rows [m, k] of all numbers, in 0..127. */
void ref_pack_row_sparse(int8_t *groups, int32_t *sums, int n, const int8_t *row, int k);
void ref_unpack_row_sparse(int8_t *row, const int8_t *groups, int n, int k);
void ref_quantize_sparse(uint8_t *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k,
                         float alpha);
void ref_gemm_sparse(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                     const int8_t *groups, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                     int k);
void ref_gemm_sparse_fixed(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                           const int8_t *groups, float multiplier, float shift, const int32_t *sums,
                           const float *bias, int m, int n, int k);
void ref_matmul(float *out, const float *a, const float *b, int m, int n, int k);
void ref_scores(float *scores, const float *q, const float *k, size_t ld, const int32_t *rows, int n, int dh,
                float scale);
void ref_weighted_sum(float *out, const float *p, const float *v, size_t ld, const int32_t *rows, int n, int dh);
void ref_softmax(float *x, int n);
float ref_log_sum_exp(const float *x, int n);
int ref_argmax(const float *x, int n);
float ref_max(const float *x, int n);
void ref_layer_norm(float *out, const float *x, const float *residual, const float *gain, const float *bias, int n,
                    float epsilon);
void ref_rms_norm(float *out, const float *x, const float *gain, int n, float epsilon);
void ref_relu(float *x, size_t n);
void ref_gelu(float *x, size_t n);
void ref_gelu_new(float *x, size_t n);
void ref_swish(float *x, size_t n);
void ref_sigmoid(float *x, size_t n);
void ref_ssru(float *out, float *cell, const float *candidate, const float *forget, const float *before, size_t n);
void ref_add(float *out, const float *a, const float *b, size_t n);
void ref_multiply(float *out, const float *a, const float *b, size_t n);
void ref_scale(float *out, const float *a, float s, size_t n);
float ref_dot(const float *a, const float *b, int n);

#endif /* HEED_KERNELS_REFERENCE_H */
