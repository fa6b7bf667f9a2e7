/*
 * backward.h - the backward twins of layers/: from the gradient of a layer's output to that of its inputs.
 *
 * dx is the gradient of the loss with respect to x.  Gradients of activations are written.  Gradients of weights are
 * added to, because every row, every part of a batch and, if tied, several layers use a weight.  The forward halves are
 * those of layers/, so training and inference compute the same numbers.
 *
 * Depends on: layers/, kernels/, gemm.h, parameters.h.  Used by: attend.c, output.c, pass.c, sublayer.c.
 */
#ifndef HEED_TRAIN_BACKWARD_H
#define HEED_TRAIN_BACKWARD_H

#include <stdint.h>

#include "layers/attention.h"
#include "train/gemm.h"
#include "train/parameters.h"

/* What the functions of one thread share. */
typedef struct {
    float *weights;   /* parameters' flat array, read                 */
    float *gradients; /* of the same length, added to; NULL: forward only */
    const heed_gemm *gemm;
    float *scratch; /* gemm->scratch_floats                         */
} train_context;

/* y [m, N] = x [m, K] W^T + b.  b is 0, and has no gradient, if w->has_no_bias. */
void affine_forward(const train_context *c, float *y, const float *x, const train_linear *w, int m);
/* dW += dy^T x, db += sum of dy's rows, and dx = (add ? dx : 0) + dy W, unless dx is NULL. */
void affine_backward(const train_context *c, float *dx, const float *dy, const float *x, const train_linear *w, int m,
                     int add);

/*
 * Twin of norm_forward:  y = (x - mean) rstd gain + bias.  With g = dy gain and z = (x - mean) rstd,
 *     dx = rstd (g - mean(g) - z mean(g z))     dgain += dy z     dbias += dy
 * RMSNorm is the same with means of x and g that are 0, and without a bias.
 * x [m, D] is what was normalised; mean and rstd are computed again.  dx may be dy.
 */
void norm_backward(const train_context *c, float *dx, const float *dy, const float *x, const train_norm *w, int m,
                   int d_model);

/* Twin of activation_forward: dx [n] = dy f'(x), where x [n] was its input.  dx may be dy. */
void activation_backward(float *dx, const float *dy, const float *x, size_t n, heed_activation activation);

/* The attention of one sentence in training. */
typedef struct {
    int n_query, n_key, n_heads, width;   /* T, S, H, A                                                      */
    float scale;                          /* of q k, as in the forward pass                                  */
    float *dbias;                         /* [H] by distance, as heed_attention_shape has bias: added to; NULL */
    size_t bias_head;
    int causal;                           /* row t sees keys 0..t only (and T == S); the rest is not read    */
    float dropout;                        /* probability with which a weight of a key is dropped             */
    uint64_t key;                         /* of dropout                                                      */
    const float *dscores;                 /* [T, S] a gradient of the scores of `guided_head` to add, or NULL */
    int guided_head;
} attention_sentence;

/* Floats of scratch that the next two functions need; head: A / H. */
size_t attention_train_floats(int n_query, int n_key, int head);

/*
 * The output of attention_forward with dropout of its probabilities: out [T, A] = (M P) v is written again.
 * M is 0 or 1 / (1 - dropout), and depends on the key, the head and the cell of [T, S].  probs stay as they are.
 */
void attention_dropout(float *out, const float *probs, const float *v, const attention_sentence *a, float *scratch);

/*
 * Twin of attention_forward and of attention_dropout, if a->dropout > 0.  With P the rows of softmax, M the factors of
 * dropout (1 without it), dP = M (dout v^T) and G the gradient that is added,
 *     dS = P (dP - sum_s P dP) + G     dq = dS k scale     dk = dS^T q scale     dv = (M P)^T dout     dbias += dS
 *   dq [T, A], dk, dv [S, A]  written
 *   probs  [H, T, S] as the forward pass wrote them
 */
void attention_backward(float *dq, float *dk, float *dv, const float *dout, const float *probs, const float *q,
                        const float *k, const float *v, const attention_sentence *a, float *scratch);

/*
 * Twin of k_ssru over one sentence, from its last token to its first:
 *     c_t = f_t c_{t-1} + (1 - f_t) u_t     y_t = max(c_t, 0)     f_t = sigmoid(z_t)
 *     dc_t = dy_t (c_t > 0) + f_{t+1} dc_{t+1}     du_t = (1 - f_t) dc_t     dz_t = dc_t (c_{t-1} - u_t) f_t (1 - f_t)
 *   du, dz [T, D]  written      carry [D]  scratch
 *   dy, candidate, forget, cells [T, D]
 */
void ssru_backward(float *du, float *dz, const float *dy, const float *candidate, const float *forget,
                   const float *cells, float *carry, int n, int d_model);

/*
 * Twin of relative_fill: dtable [n_buckets, n_heads] += the gradients by distance, dbias [n_heads, 2 reach - 1].
 */
void relative_backward(float *dtable, const float *dbias, int n_heads, int reach, int n_buckets, int max_distance,
                       int is_causal);

/* Twin of embedding_forward: gradient row `id` += dy scale. */
void embedding_backward(float *dtable, const float *dy, int id, float scale, int d_model);

/*
 * x [n] in place: each element is 0 with `probability`, else divided by 1 - probability.  The same key gives the same
 * choice, so this is its own twin.  n < 2^32.
 */
void dropout(float *x, size_t n, float probability, uint64_t key);

#endif /* HEED_TRAIN_BACKWARD_H */
