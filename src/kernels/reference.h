/*
 * reference.h - the plain twin of every kernel in kernels.h: same signature, same contract, one obvious loop.
 *
 * Sums are taken in double, so what a test measures is the error of the fast kernel.  The ref_ names differ in
 * nothing else, except that they make no promise of bits.
 *
 * Depends on: kernels.h for the panel layout.  Used by: tests, and whoever ports the kernels.
 */
#ifndef HEED_KERNELS_REFERENCE_H
#define HEED_KERNELS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

void ref_pack_row_f32(float *panels, int n, const float *row, int k);
void ref_unpack_row_f32(float *row, const float *panels, int n, int k);
void ref_gemm_f32(float *out, int ldo, const float *x, int ldx, const float *panels, const float *bias, int m, int n,
                  int k);
void ref_matmul(float *out, const float *a, const float *b, int m, int n, int k);
void ref_scores(float *scores, const float *q, const float *k, size_t ld, const int32_t *slots, int n, int dh,
                float scale);
void ref_weighted_sum(float *out, const float *p, const float *v, size_t ld, const int32_t *slots, int n, int dh);
void ref_softmax(float *x, int n);
float ref_log_sum_exp(const float *x, int n);
int ref_argmax(const float *x, int n);
void ref_layer_norm(float *out, const float *x, const float *residual, const float *gain, const float *bias, int n,
                    float epsilon);
void ref_relu(float *x, size_t n);
void ref_gelu(float *x, size_t n);
void ref_swish(float *x, size_t n);
void ref_add(float *out, const float *a, const float *b, size_t n);
void ref_scale(float *out, const float *a, float s, size_t n);
float ref_dot(const float *a, const float *b, int n);

#endif /* HEED_KERNELS_REFERENCE_H */
