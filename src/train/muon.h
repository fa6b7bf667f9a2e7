/*
 * muon.h - Muon, the optimiser of matrices: momentum, made orthogonal.
 *
 *     m = b m + (1 - b) g                               b 0.95
 *     u = b m + (1 - b) g                               Nesterov's momentum
 *     w -= rate  0.2 sqrt(max(rows, cols))  orthogonal(u)
 *
 * orthogonal(u) has the singular vectors of u, and singular values near 1.  Five turns of Newton and Schulz's
 * iteration find it: x = u / |u|, and then x = a x + (b s + c s s) x with s = x x^T.  The factor before it makes a step
 * as long as Adam's, so that one rate serves both.  This is torch.optim.Muon with adjust_lr_fn 'match_rms_adamw' and
 * without weight decay (Jordan et al. 2024; Liu et al. 2025, "Muon is Scalable for LLM Training").
 *
 * Depends on: adam.h, gemm.h.  Used by: trainer.c.
 */
#ifndef HEED_TRAIN_MUON_H
#define HEED_TRAIN_MUON_H

#include "train/gemm.h"

/* Floats that muon_update() needs for a matrix of n, without those of the product. */
size_t muon_floats(size_t n);

/*
 * One step on w [rows, cols] with momentum m of the same shape.  The gradient is g times `factor`, which clips it.
 *   space    [muon_floats(rows * cols)]
 *   scratch  scratch_floats of the product
 */
void muon_update(float *w, float *m, const float *g, int rows, int cols, float factor, double rate,
                 const heed_gemm *gemm, float *space, float *scratch);

#endif /* HEED_TRAIN_MUON_H */
