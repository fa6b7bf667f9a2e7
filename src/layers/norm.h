/*
 * norm.h - layer normalisation, with the residual connection before or after it.
 *
 *     post-norm (the paper, Marian)    x = LayerNorm(x + f(x))
 *     pre-norm                         x = x + f(LayerNorm(x))
 *
 * Depends on: kernels/.  Used by: model/, train/.
 */
#ifndef HEED_LAYERS_NORM_H
#define HEED_LAYERS_NORM_H

typedef struct {
    float *gain; /* [D] */
    float *bias; /* [D] */
    float epsilon;
} heed_norm;

/* out [m, D] = LayerNorm(x + residual); residual may be NULL; out may be x.  Cannot fail. */
void norm_forward(float *out, const float *x, const float *residual, const heed_norm *norm, int m, int d_model);

#endif /* HEED_LAYERS_NORM_H */
