/*
 * attention.h - multi-head scaled dot-product attention.
 *
 *     out[t] = sum_s  p[h,t,s] * v[s]      p[h,t,:] = softmax(q[t].k[:] / sqrt(Dh))
 *
 * The one layer that moves information between positions.  It is used three times: encoder
 * self-attention, decoder self-attention (keys: the row's own past) and cross-attention (keys and
 * values from the encoder).  Projections are linear.h's business.  Keys may be scattered: a list says
 * in which row of a cache each one lies, so beams share their past without copying it.
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
 *   probs    p[h,t,s] at h*probs_head + t*probs_row + s, written if not NULL: what the page draws
 *   q        [T, D]     k, v  rows of D floats
 *   scratch  attention_scratch_floats(T, S, Dh) floats, contents undefined after
 *
 * One query is computed row by row; several over keys that lie in order, as two matrix products.
 * Cannot fail: every size was checked when the session was created.  A disabled head's p is still
 * its softmax.
 */
void attention_forward(float *out, float *probs, const float *q, const float *k, const float *v,
                       const heed_attention_shape *shape, float *scratch);

#endif /* HEED_LAYERS_ATTENTION_H */
