/*
 * attention.h - multi-head scaled dot-product attention.
 *
 *     out[t] = sum_s  p[h,t,s] * v[s]      p[h,t,:] = softmax(q[t].k[:] * scale + bias[h,:-t])
 *
 * The scale is 1 / sqrt(Dh), or 1 in T5.  Only T5 has a bias, of the distance from the query to the key.
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
    int n_heads;             /* H : A % H == 0                                               */
    int width;               /* A : row length of q, k, v, out; H Dh                         */
    float scale;             /* of q.k                                                       */
    const float *bias;       /* [H] bias[h*bias_head + s - t] is added to the score of query t and key s; NULL: none */
    size_t bias_head;        /* floats from one head's bias to the next one's                */
    const int32_t *key_rows; /* [S] row of k and v of each key; NULL: 0, 1, ..., S-1         */
    const uint8_t *disabled; /* [H] heads whose output is zero; NULL: none                   */
    size_t probs_row;        /* floats from p[h,t,0] to p[h,t+1,0]; ignored if probs is NULL */
    size_t probs_head;       /* floats from p[h,0,0] to p[h+1,0,0]                           */
} heed_attention_shape;

/* Where the bias of head h for query t lies, by key; NULL if there is none. */
const float *attention_bias(const heed_attention_shape *shape, int h, int t);

/* Floats of scratch that attention_forward() needs at most for up to n_query rows over up to n_key keys. */
size_t attention_scratch_floats(int n_query, int n_key, int d_head);

/*
 *   out      [T, A]  written
 *   probs    p[h,t,s] at h*probs_head + t*probs_row + s, written if not NULL
 *   q        [T, A]     k, v  rows of A floats
 *   scratch  attention_scratch_floats(T, S, Dh) floats, contents undefined after
 *
 * Several queries over keys in order are two matrix products; otherwise each query is computed by itself.  The probs of
 * a disabled head are still its softmax.  Cannot fail: every size was checked when the session was created.
 */
void attention_forward(float *out, float *probs, const float *q, const float *k, const float *v,
                       const heed_attention_shape *shape, float *scratch);

#endif /* HEED_LAYERS_ATTENTION_H */
