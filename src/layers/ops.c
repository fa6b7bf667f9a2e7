/*
 * ops.c - the parts of the Transformer one by one, as they are taught: the heed_op_ functions of heed.h.
 *
 * They use the same kernels and layers as the model, on plain row-major matrices.  Scratch comes from an arena block
 * that lives for one call.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "heed.h"
#include "kernels/kernels.h"
#include "layers/attention.h"
#include "layers/ffn.h"
#include "layers/positions.h"

/* 1 if both sizes are positive and rows x cols floats fit in an object. */
static int is_matrix(int rows, int cols) {
    return rows > 0 && cols > 0 && (size_t)rows <= PTRDIFF_MAX / sizeof(float) / (size_t)cols;
}

/* Allocates what `arena` has measured; the caller then repeats the same pushes. */
static heed_status start(heed_arena *arena, void **block) {
    *block = arena_block(arena);
    return *block ? HEED_OK : HEED_E_MEMORY;
}

heed_status heed_op_softmax(float *out, const float *x, int rows, int cols) {
    if (!is_matrix(rows, cols)) return HEED_E_ARGUMENT;
    memcpy(out, x, (size_t)rows * (size_t)cols * sizeof *out);
    for (int r = 0; r < rows; r++) k_softmax(out + (size_t)r * (size_t)cols, cols);
    return HEED_OK;
}

heed_status heed_op_matmul(float *out, const float *a, const float *b, int m, int n, int k) {
    if (!is_matrix(m, k) || !is_matrix(k, n) || !is_matrix(m, n)) return HEED_E_ARGUMENT;
    k_matmul(out, a, b, m, n, k);
    return HEED_OK;
}

/* out [k] = x / |x|, or 0 where |x| is 0.  Computed in double, so that huge and tiny vectors keep their direction. */
static void unit_vector(float *out, const float *x, int k) {
    double square = 0.0;
    for (int i = 0; i < k; i++) square += (double)x[i] * x[i];
    const double inverse = square == 0.0 ? 0.0 : 1.0 / sqrt(square);
    for (int i = 0; i < k; i++) out[i] = (float)(x[i] * inverse);
}

heed_status heed_op_cosine_similarity(float *out, const float *a, const float *b, int m, int n, int k) {
    heed_arena arena = {0};
    float *unit_a = NULL, *unit_b = NULL;
    void *block = NULL;
    if (!is_matrix(m, k) || !is_matrix(n, k) || !is_matrix(m, n)) return HEED_E_ARGUMENT;
    for (int placing = 0; placing < 2; placing++) {
        if (placing && start(&arena, &block)) return HEED_E_MEMORY;
        unit_a = arena_floats(&arena, 1, 1, (size_t)k);
        unit_b = arena_floats(&arena, 1, (size_t)n, (size_t)k);
    }
    for (int j = 0; j < n; j++) unit_vector(unit_b + (size_t)j * (size_t)k, b + (size_t)j * (size_t)k, k);
    for (int i = 0; i < m; i++) {
        float *row = out + (size_t)i * (size_t)n;
        unit_vector(unit_a, a + (size_t)i * (size_t)k, k);
        k_scores(row, unit_a, unit_b, (size_t)k, NULL, n, k, 1.0f);
        for (int j = 0; j < n; j++) { /* rounding may exceed [-1, 1] a little, and acos() would fail */
            if (row[j] > 1.0f) row[j] = 1.0f;
            if (row[j] < -1.0f) row[j] = -1.0f;
        }
    }
    arena_free_block(block);
    return HEED_OK;
}

heed_status heed_op_positional_encoding(float *out, int positions, int d_model, int layout) {
    if (!is_matrix(positions, d_model)) return HEED_E_ARGUMENT;
    if (layout < POSITIONS_INTERLEAVED || layout > POSITIONS_MARIAN_HALVES) return HEED_E_ARGUMENT;
    positions_fill(out, 0, positions, d_model, layout);
    return HEED_OK;
}

heed_status heed_op_embedding(float *out, const int32_t *ids, int n, const float *table, int rows, int cols,
                              float scale) {
    if (!is_matrix(n, cols) || !is_matrix(rows, cols)) return HEED_E_ARGUMENT;
    for (int i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= rows) return HEED_E_ID;
    }
    for (int i = 0; i < n; i++) {
        k_scale(out + (size_t)i * (size_t)cols, table + (size_t)ids[i] * (size_t)cols, scale, (size_t)cols);
    }
    return HEED_OK;
}

/* Keys that query t sees. */
static int visible(int t, int m, int causal) { return causal && t < m - 1 ? t + 1 : m; }

heed_status heed_op_attention(float *scores, float *weights, float *out, const float *q, const float *k, const float *v,
                              int n, int m, int dk, int dv, float scale, int causal) {
    if (!is_matrix(n, dk) || !is_matrix(m, dk) || !is_matrix(m, dv) || !is_matrix(n, dv) || !is_matrix(n, m)) {
        return HEED_E_ARGUMENT;
    }
    for (int t = 0; t < n; t++) {
        const int seen = visible(t, m, causal);
        float *s = scores + (size_t)t * (size_t)m, *p = weights + (size_t)t * (size_t)m;
        k_scores(s, q + (size_t)t * (size_t)dk, k, (size_t)dk, NULL, seen, dk, scale);
        for (int i = seen; i < m; i++) s[i] = -INFINITY;
        memcpy(p, s, (size_t)m * sizeof *p);
        k_softmax(p, m); /* e^-infinity is exactly 0 */
        k_weighted_sum(out + (size_t)t * (size_t)dv, p, v, (size_t)dv, NULL, seen, dv);
    }
    return HEED_OK;
}

heed_status heed_op_multi_head_attention(float *weights, float *out, const float *query, const float *memory,
                                         const float *wq, const float *wk, const float *wv, const float *wo, int n,
                                         int m, int d, int heads, int causal) {
    heed_arena arena = {0};
    float *q = NULL, *k = NULL, *v = NULL, *side_by_side = NULL;
    void *block = NULL;
    if (!is_matrix(n, d) || !is_matrix(m, d) || !is_matrix(d, d) || !is_matrix(n, m)) return HEED_E_ARGUMENT;
    if (heads <= 0 || d % heads != 0 || (size_t)n * (size_t)m > PTRDIFF_MAX / sizeof(float) / (size_t)heads) {
        return HEED_E_ARGUMENT;
    }
    for (int placing = 0; placing < 2; placing++) {
        if (placing && start(&arena, &block)) return HEED_E_MEMORY;
        q = arena_floats(&arena, 1, (size_t)n, (size_t)d);
        k = arena_floats(&arena, 1, (size_t)m, (size_t)d);
        v = arena_floats(&arena, 1, (size_t)m, (size_t)d);
        side_by_side = arena_floats(&arena, 1, (size_t)n, (size_t)d);
    }
    k_matmul(q, query, wq, n, d, d);
    k_matmul(k, memory, wk, m, d, d);
    k_matmul(v, memory, wv, m, d, d);
    memset(weights, 0, (size_t)heads * (size_t)n * (size_t)m * sizeof *weights);
    heed_attention_shape shape = {0};
    shape.n_query = 1; /* row by row, because each may see a different number of keys */
    shape.n_heads = heads;
    shape.width = d;
    shape.scale = 1.0f / sqrtf((float)(d / heads));
    shape.probs_head = (size_t)n * (size_t)m;
    for (int t = 0; t < n; t++) {
        shape.n_key = visible(t, m, causal);
        attention_forward(side_by_side + (size_t)t * (size_t)d, weights + (size_t)t * (size_t)m,
                          q + (size_t)t * (size_t)d, k, v, &shape, NULL);
    }
    k_matmul(out, side_by_side, wo, n, d, d);
    arena_free_block(block);
    return HEED_OK;
}

heed_status heed_op_layer_norm(float *out, const float *x, const float *gain, const float *bias, int rows, int cols,
                               float epsilon) {
    if (!is_matrix(rows, cols) || !(epsilon >= 0.0f)) return HEED_E_ARGUMENT;
    for (int r = 0; r < rows; r++) {
        const size_t at = (size_t)r * (size_t)cols;
        k_layer_norm(out + at, x + at, NULL, gain, bias, cols, epsilon);
    }
    return HEED_OK;
}

/* out [m, n] = x [m, k] w [k, n] + bias [n] */
static void affine(float *out, const float *x, const float *w, const float *bias, int m, int n, int k) {
    k_matmul(out, x, w, m, n, k);
    for (int i = 0; i < m; i++) {
        float *row = out + (size_t)i * (size_t)n;
        k_add(row, row, bias, (size_t)n);
    }
}

heed_status heed_op_feed_forward(float *out, const float *x, const float *w1, const float *b1, const float *w2,
                                 const float *b2, int n, int d, int f, int activation) {
    heed_arena arena = {0};
    float *hidden = NULL;
    void *block = NULL;
    if (!is_matrix(n, d) || !is_matrix(d, f) || !is_matrix(n, f)) return HEED_E_ARGUMENT;
    if (!activation_exists(activation)) return HEED_E_ARGUMENT;
    for (int placing = 0; placing < 2; placing++) {
        if (placing && start(&arena, &block)) return HEED_E_MEMORY;
        hidden = arena_floats(&arena, 1, (size_t)n, (size_t)f);
    }
    affine(hidden, x, w1, b1, n, f, d);
    activation_forward(hidden, (size_t)n * (size_t)f, (heed_activation)activation);
    affine(out, hidden, w2, b2, n, d, f);
    arena_free_block(block);
    return HEED_OK;
}
