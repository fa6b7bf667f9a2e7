/*
 * gemm.h - the three matrix products of a projection y = x W^T in training, over plain row-major floats.
 *
 *     forward             y  [m, n]  = x  [m, k]   W^T         W [n, k]
 *     gradient of input   dx [m, k]  = dy [m, n]   W
 *     gradient of weight  dW [n, k] += dy^T        x
 *
 * All three are one function, C = A B or C += A B, which the caller of the trainer chooses: gemm_plain (below; works
 * everywhere, with the vectors of vector.h), or one that a native program makes from a library.
 *
 * Depends on: vector.h.  Used by: pass.c, muon.c, trainer.c, and the native trainer, which brings others.
 */
#ifndef HEED_TRAIN_GEMM_H
#define HEED_TRAIN_GEMM_H

#include <stddef.h>

/*
 * c [m, n] (row stride ldc) = a b + (add ? c : 0)
 *   a  [m, k], row stride lda; a_flipped: it is stored as [k, m]
 *   b  [k, n], row stride ldb; b_flipped: it is stored as [n, k]
 *   scratch  scratch_floats of the backend; contents undefined after
 * Cannot fail.  c overlaps neither input.
 */
typedef void gemm_function(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb,
                           int b_flipped, int m, int n, int k, int add, float *scratch);

typedef struct {
    const char *name;
    gemm_function *multiply;
    size_t scratch_floats; /* what one thread needs */
} heed_gemm;

extern const heed_gemm gemm_plain;

#endif /* HEED_TRAIN_GEMM_H */
