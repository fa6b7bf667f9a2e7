/* attention.c - see attention.h for the contract. */
#include "layers/attention.h"

#include <string.h>

#include "kernels/kernels.h"

/* How many queries' scores are kept at a time if probs is NULL. */
enum { QUERY_BLOCK = 16 };

const float *attention_bias(const heed_attention_shape *shape, int h, int t) {
    return shape->bias ? shape->bias + h * shape->bias_head - t : NULL;
}

static int is_blocked(int n_query) { return n_query > 1; }

size_t attention_scratch_floats(int n_query, int n_key, int d_head) {
    if (!is_blocked(n_query)) return (size_t)n_key;
    return (size_t)panel_rows(n_key) * d_head + (size_t)panel_rows(d_head) * n_key + (size_t)QUERY_BLOCK * n_key;
}

/* Packs x [n, cols] (row stride ld) transposed into panels, so that p x is a matrix product. */
static void pack_transposed(float *panels, const float *x, size_t ld, int n, int cols) {
    for (int c = 0; c < cols; c += PANEL, panels += (size_t)n * PANEL) {
        const int width = cols - c < PANEL ? cols - c : PANEL;
        for (int i = 0; i < n; i++) {
            memset(panels + (size_t)i * PANEL, 0, PANEL * sizeof *panels);
            memcpy(panels + (size_t)i * PANEL, x + (size_t)i * ld + c, (size_t)width * sizeof *panels);
        }
    }
}

/* Head h, all queries: scores = q k^T and out = p v, each a matrix product with packed keys or values. */
static void attend_blocked(float *out, float *probs, const float *q, const float *k, const float *v,
                           const heed_attention_shape *shape, int h, float *scratch) {
    const int A = shape->width, S = shape->n_key, Dh = A / shape->n_heads;
    float *keys = scratch, *values = keys + (size_t)panel_rows(S) * Dh, *block = values + (size_t)panel_rows(Dh) * S;

    memset(keys, 0, (size_t)panel_rows(S) * Dh * sizeof *keys);
    for (int s = 0; s < S; s++) k_pack_row_f32(keys, s, k + (size_t)s * A, Dh);
    pack_transposed(values, v, (size_t)A, S, Dh);

    for (int t = 0; t < shape->n_query; t += QUERY_BLOCK) {
        const int n = shape->n_query - t < QUERY_BLOCK ? shape->n_query - t : QUERY_BLOCK;
        float *p = probs ? probs + t * shape->probs_row : block;
        const int ldp = probs ? (int)shape->probs_row : S;
        k_gemm_f32(p, ldp, q + (size_t)t * A, A, keys, NULL, n, S, Dh);
        for (int i = 0; i < n; i++) {
            float *row = p + (size_t)i * ldp;
            k_scale(row, row, shape->scale, (size_t)S);
            if (shape->bias) k_add(row, row, attention_bias(shape, h, t + i), (size_t)S);
            k_softmax(row, S);
        }
        k_gemm_f32(out + (size_t)t * A, A, p, ldp, values, NULL, n, Dh, S);
    }
}

/* Head h, one query at a time, over keys in any rows. */
static void attend_rows(float *out, float *probs, const float *q, const float *k, const float *v,
                        const heed_attention_shape *shape, int h, float *scratch) {
    const int A = shape->width, S = shape->n_key, Dh = A / shape->n_heads;
    for (int t = 0; t < shape->n_query; t++) {
        float *p = probs ? probs + t * shape->probs_row : scratch;
        k_scores(p, q + (size_t)t * A, k, (size_t)A, shape->key_rows, S, Dh, shape->scale);
        if (shape->bias) k_add(p, p, attention_bias(shape, h, t), (size_t)S);
        k_softmax(p, S);
        k_weighted_sum(out + (size_t)t * A, p, v, (size_t)A, shape->key_rows, S, Dh);
    }
}

void attention_forward(float *out, float *probs, const float *q, const float *k, const float *v,
                       const heed_attention_shape *shape, float *scratch) {
    const int A = shape->width, Dh = A / shape->n_heads;
    const int blocked = is_blocked(shape->n_query) && shape->key_rows == NULL;

    for (int h = 0; h < shape->n_heads; h++) {
        const size_t at = (size_t)h * Dh;
        (blocked ? attend_blocked : attend_rows)(out + at, probs ? probs + h * shape->probs_head : NULL, q + at, k + at,
                                                 v + at, shape, h, scratch);
        for (int t = 0; shape->disabled && shape->disabled[h] && t < shape->n_query; t++)
            memset(out + (size_t)t * A + at, 0, (size_t)Dh * sizeof *out);
    }
}
