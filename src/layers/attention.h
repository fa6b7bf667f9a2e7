/*
 * attention.h - multi-head scaled dot-product attention.
 *
 *     out[t] = sum_s  p[h,t,s] * v[s]      p[h,t,:] = softmax(q[t].k[:] / sqrt(Dh))
 *
 * Only this layer moves information between positions.  It is used three times: encoder self-attention, decoder
 * self-attention (over the past of the row) and cross-attention (over the encoder's output).  linear.h computes the
 * projections.  Keys may be scattered: a list has the cache row of each, so beams share their past without a copy.
 *
 * Depends on: kernels/.  Used by: model/, train/.
 */
#ifndef HEED_LAYERS_ATTENTION_H
#define HEED_LAYERS_ATTENTION_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int n_query;             /* T : rows of q and out                                        */
    int n_key;               /* S : keys that every query sees                               */
    int n_heads;             /* H : D % H == 0                                               */
    int d_model;             /* D : row length of q, k, v, out                               */
    const int32_t *key_rows; /* [S] row of k and v of each key; NULL: 0, 1, ..., S-1         */
    const uint8_t *disabled; /* [H] heads whose output is zero; NULL: none                   */
    size_t probs_row;        /* floats from p[h,t,0] to p[h,t+1,0]; ignored if probs is NULL */
    size_t probs_head;       /* floats from p[h,0,0] to p[h+1,0,0]                           */
} heed_attention_shape;

/* Floats of scratch that attention_forward() needs at most for up to n_query rows over up to n_key keys. */
size_t attention_scratch_floats(int n_query, int n_key, int d_head);

/*
 *   out      [T, D]  written
 *   probs    p[h,t,s] at h*probs_head + t*probs_row + s, written if not NULL
 *   q        [T, D]     k, v  rows of D floats
 *   scratch  attention_scratch_floats(T, S, Dh) floats, contents undefined after
 *
 * Several queries over keys in order are two matrix products; otherwise each query is computed by itself.  The probs of
 * a disabled head are still its softmax.  Cannot fail: every size was checked when the session was created.
 */
void attention_forward(float *out, float *probs, const float *q, const float *k, const float *v,
                       const heed_attention_shape *shape, float *scratch);

#endif /* HEED_LAYERS_ATTENTION_H */
