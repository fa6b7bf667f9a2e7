/*
 * norm.h - layer normalisation or RMSNorm, with the residual connection before or after it.
 *
 *     post-norm (the paper, Marian)    x = LayerNorm(x + f(x))
 *     pre-norm                         x = x + f(LayerNorm(x))
 *     T5                               x = x + f(RMSNorm(x)),   RMSNorm(x) = x / sqrt(mean(x^2) + epsilon) * gain
 *
 * Depends on: kernels/.  Used by: model/, train/.
 */
#ifndef HEED_LAYERS_NORM_H
#define HEED_LAYERS_NORM_H

typedef struct {
    float *gain; /* [D] */
    float *bias; /* [D]; NULL: it is RMSNorm */
    float epsilon;
} heed_norm;

/* out [m, D] = norm of x + residual; residual may be NULL; out may be x.  Cannot fail. */
void norm_forward(float *out, const float *x, const float *residual, const heed_norm *norm, int m, int d_model);

#endif /* HEED_LAYERS_NORM_H */
