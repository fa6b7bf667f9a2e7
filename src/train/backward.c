/* backward.c - see backward.h for the contract. */
#include "train/backward.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "layers/ffn.h"
#include "layers/norm.h"
#include "layers/relative.h"
#include "train/random.h"
#include "train/vector.h"

void affine_forward(const train_context *c, float *y, const float *x, const train_linear *w, int m) {
    const int N = w->rows, K = w->cols;
    for (int t = 0; t < m && !w->has_no_bias; t++)
        memcpy(y + (size_t)t * N, c->weights + w->bias, (size_t)N * sizeof *y);
    c->gemm->multiply(y, N, x, K, 0, c->weights + w->weight, K, 1, m, N, K, !w->has_no_bias, c->scratch);
}

/* to [n] += the sum of the rows of x [m, n]. */
static void add_rows(float *to, const float *x, int m, int n) {
    for (int t = 0; t < m; t++) {
        const float *row = x + (size_t)t * n;
        for (int i = 0; i < n; i++) to[i] += row[i];
    }
}

void affine_backward(const train_context *c, float *dx, const float *dy, const float *x, const train_linear *w, int m,
                     int add) {
    const int N = w->rows, K = w->cols;
    c->gemm->multiply(c->gradients + w->weight, K, dy, N, 1, x, K, 0, N, K, m, 1, c->scratch);
    if (!w->has_no_bias) add_rows(c->gradients + w->bias, dy, m, N);
    if (dx) c->gemm->multiply(dx, K, dy, N, 0, c->weights + w->weight, K, 0, m, K, N, add, c->scratch);
}

/* ------------------------------------------------------------------------------------ norm */

/* Element i of a row, padded past the end with `fill`. */
static inline vec part(const float *x, int i, int n, float fill) {
    return n - i >= LANES ? vec_load(x + i) : vec_load_part(x + i, n - i, fill);
}

static inline void put(float *x, vec v, int i, int n) {
    if (n - i >= LANES) vec_store(x + i, v);
    else vec_store_part(x + i, v, n - i);
}

void norm_backward(const train_context *c, float *dx, const float *dy, const float *x, const train_norm *w, int m,
                   int d_model) {
    const int D = d_model;
    const float *gain = c->weights + w->gain;
    float *dgain = c->gradients + w->gain, *dbias = c->gradients + w->bias;

    for (int t = 0; t < m; t++, x += D, dy += D, dx += D) {
        vec sum = vec_all(0.0f), squares = sum, sum_g = sum, sum_gz = sum;
        for (int i = 0; i < D; i += LANES) sum += part(x, i, D, 0.0f);
        const float mean = w->is_rms ? 0.0f : vec_sum(sum) / (float)D;
        for (int i = 0; i < D; i += LANES) {
            const vec d = part(x, i, D, mean) - mean;
            squares += d * d;
        }
        const float rstd = 1.0f / sqrtf(vec_sum(squares) / (float)D + w->epsilon);

        /* y = z gain + bias,  z = (x - mean) rstd */
        for (int i = 0; i < D; i += LANES) {
            const vec y = part(dy, i, D, 0.0f), g = y * part(gain, i, D, 0.0f), z = (part(x, i, D, mean) - mean) * rstd;
            sum_g += g;
            sum_gz += g * z;
            put(dgain, part(dgain, i, D, 0.0f) + y * z, i, D);
            if (!w->is_rms) put(dbias, part(dbias, i, D, 0.0f) + y, i, D);
        }
        const float mean_g = w->is_rms ? 0.0f : vec_sum(sum_g) / (float)D, mean_gz = vec_sum(sum_gz) / (float)D;
        for (int i = 0; i < D; i += LANES) {
            const vec g = part(dy, i, D, 0.0f) * part(gain, i, D, 0.0f), z = (part(x, i, D, mean) - mean) * rstd;
            put(dx, (g - mean_g - z * mean_gz) * rstd, i, D);
        }
    }
}

/* ------------------------------------------------------------------------------ activation */

/* dy f'(x), for the first n lanes. */
static inline vec activation_gradient(vec dy, vec x, int n, heed_activation activation) {
    switch (activation) {
        case HEED_RELU: return vec_select(x > 0.0f, dy, vec_all(0.0f)); /* max(x, 0) */
        case HEED_GELU: { /* x C(x), C the normal distribution's; C(x) + x e^(-x^2/2) / sqrt(2 pi) */
            float lanes[LANES];
            vec_store(lanes, x);
            for (int j = 0; j < n; j++) lanes[j] = 0.5f * (1.0f + erff(lanes[j] * 0.70710678f));
            return dy * (part(lanes, 0, n, 0.0f) + x * vec_exp(x * x * -0.5f) * 0.39894228f);
        }
        case HEED_GELU_NEW: { /* x s(v),  v = x (a + b x^2);  s + x s (1 - s) (a + 3 b x^2) */
            const vec a = vec_all(1.5957691f), b = vec_all(0.071354816f), v = x * (a + b * x * x);
            const vec s = 1.0f / (1.0f + vec_exp(vec_select(v < -88.0f, vec_all(88.0f), -v)));
            return dy * (s + x * s * (1.0f - s) * (a + 3.0f * b * x * x));
        }
        case HEED_SWISH: { /* x s,  s = 1 / (1 + e^-x);  s + x s (1 - s) */
            /* e^88 is as good as infinite and stays a number */
            const vec minus = vec_select(x < -88.0f, vec_all(88.0f), -x), s = 1.0f / (1.0f + vec_exp(minus));
            return dy * (s + x * s * (1.0f - s));
        }
    }
    return dy;
}

void activation_backward(float *dx, const float *dy, const float *x, size_t n, heed_activation activation) {
    for (size_t i = 0; i < n; i += LANES) {
        const int left = n - i < LANES ? (int)(n - i) : LANES;
        const vec d = part(dy + i, 0, left, 0.0f), v = part(x + i, 0, left, 0.0f);
        put(dx + i, activation_gradient(d, v, left, activation), 0, left);
    }
}

/* ------------------------------------------------------------------------------- attention */

static int padded(int n) { return (n + LANES - 1) / LANES * LANES; }

size_t attention_train_floats(int n_query, int n_key, int head) {
    const size_t T = (size_t)n_query, S = (size_t)n_key, Sp = (size_t)padded(n_key), W = (size_t)padded(head);
    return W * (2 * T + S + 1) + ((size_t)head + 2 * T + 1) * Sp + T * S;
}

/* The factors of head h [T, S]. */
static void draw_factors(float *factors, const attention_sentence *a, int h) {
    const size_t n = (size_t)a->n_query * a->n_key;
    for (size_t i = 0; i < n; i++) factors[i] = 1.0f;
    dropout(factors, n, a->dropout, random_key(a->key, (uint64_t)h));
}

void attention_dropout(float *out, const float *probs, const float *v, const attention_sentence *a, float *scratch) {
    const int T = a->n_query, S = a->n_key, A = a->width, Dh = A / a->n_heads;
    float *factors = scratch, *row = factors + (size_t)T * S; /* [T, S]; [S] */
    for (int h = 0; h < a->n_heads; h++) {
        const size_t at = (size_t)h * Dh;
        draw_factors(factors, a, h);
        for (int t = 0; t < T; t++) {
            const float *p = probs + ((size_t)h * T + t) * S, *m = factors + (size_t)t * S;
            const int n = a->causal ? t + 1 : S;
            for (int s = 0; s < n; s++) row[s] = p[s] * m[s];
            k_weighted_sum(out + (size_t)t * A + at, row, v + at, (size_t)A, NULL, n, Dh);
        }
    }
}

/* to [n, W] = the head's columns of x [n, D], with zeros up to W. */
static void copy_head(float *to, const float *x, int n, int D, int head, int W) {
    for (int i = 0; i < n; i++) {
        memcpy(to + (size_t)i * W, x + (size_t)i * D, (size_t)head * sizeof *to);
        memset(to + (size_t)i * W + head, 0, (size_t)(W - head) * sizeof *to);
    }
}

/* to [head, Sp] = the transpose of the head's columns of x [S, D], with zeros up to Sp. */
static void transpose_head(float *to, const float *x, int S, int D, int head, int Sp) {
    for (int c = 0; c < head; c++) {
        float *row = to + (size_t)c * Sp;
        for (int s = 0; s < S; s++) row[s] = x[(size_t)s * D + c];
        memset(row + S, 0, (size_t)(Sp - S) * sizeof *to);
    }
}

/*
 * out [width] = sum over i of w[i step] x[i], of rows x [n, ld]; width is a multiple of LANES.  Four sums at a time
 * hide the time that one addition takes.
 */
static void weigh(float *out, const float *w, size_t step, const float *x, size_t ld, int n, int width) {
    for (int c = 0; c < width; c += 2 * LANES) {
        const int second = c + LANES < width ? c + LANES : c; /* the last block once more, if it has no neighbour */
        vec a = vec_all(0.0f), b = a, even = a, odd = a;
        int i = 0;
        for (; i + 1 < n; i += 2) {
            const vec w0 = vec_all(w[(size_t)i * step]), w1 = vec_all(w[(size_t)(i + 1) * step]);
            const float *x0 = x + (size_t)i * ld, *x1 = x0 + ld;
            a += w0 * vec_load(x0 + c);
            b += w0 * vec_load(x0 + second);
            even += w1 * vec_load(x1 + c);
            odd += w1 * vec_load(x1 + second);
        }
        if (i < n) {
            const vec w0 = vec_all(w[(size_t)i * step]);
            a += w0 * vec_load(x + (size_t)i * ld + c);
            b += w0 * vec_load(x + (size_t)i * ld + second);
        }
        vec_store(out + c, a + even);
        vec_store(out + second, b + odd);
    }
}

void attention_backward(float *dq, float *dk, float *dv, const float *dout, const float *probs, const float *q,
                        const float *k, const float *v, const attention_sentence *a, float *scratch) {
    const int T = a->n_query, S = a->n_key, A = a->width, Dh = A / a->n_heads, drops = a->dropout > 0.0f;
    const int W = padded(Dh), Sp = padded(S);
    const size_t bytes = (size_t)Dh * sizeof(float); /* of a head's row */
    float *own_q = scratch, *own_out = own_q + (size_t)T * W, *own_k = own_out + (size_t)T * W; /* [T, W] and [S, W] */
    float *row = own_k + (size_t)S * W;                                                         /* [W]               */
    float *across = row + W, *dp = across + (size_t)Dh * Sp;     /* v transposed, [Dh, Sp]; [Sp] */
    float *ds = dp + Sp, *dropped = ds + (size_t)T * Sp;         /* [T, Sp]                      */
    float *factors = dropped + (size_t)T * Sp;                   /* [T, S]                       */

    for (int h = 0; h < a->n_heads; h++) {
        const size_t at = (size_t)h * Dh;
        const float *guide = h == a->guided_head ? a->dscores : NULL;
        float *dbias = a->dbias ? a->dbias + h * a->bias_head : NULL;
        if (drops) draw_factors(factors, a, h);
        copy_head(own_q, q + at, T, A, Dh, W);
        copy_head(own_out, dout + at, T, A, Dh, W);
        copy_head(own_k, k + at, S, A, Dh, W);
        transpose_head(across, v + at, S, A, Dh, Sp);
        for (int t = 0; t < T; t++) {
            const float *p = probs + ((size_t)h * T + t) * S, *m = factors + (size_t)t * S;
            float *score = ds + (size_t)t * Sp, *weight = dropped + (size_t)t * Sp;
            const int n = a->causal ? t + 1 : S;
            weigh(dp, own_out + (size_t)t * W, 1, across, (size_t)Sp, Dh, padded(n));
            for (int s = 0; drops && s < n; s++) dp[s] *= m[s];
            const float mean = k_dot(dp, p, n);
            for (int s = 0; s < n; s++) score[s] = p[s] * (dp[s] - mean);
            for (int s = 0; dbias && s < n; s++) dbias[s - t] += score[s];
            for (int s = 0; guide && s < n; s++) score[s] += guide[(size_t)t * S + s];
            for (int s = 0; s < n; s++) score[s] *= a->scale;
            for (int s = 0; s < n; s++) weight[s] = drops ? p[s] * m[s] : p[s];
            weigh(row, score, 1, own_k, (size_t)W, n, W);
            memcpy(dq + (size_t)t * A + at, row, bytes);
        }
        for (int s = 0; s < S; s++) {
            const int first = a->causal ? s : 0; /* the first query that saw key s */
            const size_t cell = (size_t)first * Sp + s, from = (size_t)first * W;
            weigh(row, ds + cell, (size_t)Sp, own_q + from, (size_t)W, T - first, W);
            memcpy(dk + (size_t)s * A + at, row, bytes);
            weigh(row, dropped + cell, (size_t)Sp, own_out + from, (size_t)W, T - first, W);
            memcpy(dv + (size_t)s * A + at, row, bytes);
        }
    }
}

/* ------------------------------------------------------------------------------------ SSRU */

void ssru_backward(float *du, float *dz, const float *dy, const float *candidate, const float *forget,
                   const float *cells, float *carry, int n, int d_model) {
    const int D = d_model;
    memset(carry, 0, (size_t)D * sizeof *carry); /* f_{t+1} dc_{t+1} */
    for (int t = n - 1; t >= 0; t--) {
        const size_t at = (size_t)t * D;
        for (int i = 0; i < D; i += LANES) {
            const vec c = part(cells + at + i, 0, D - i, 0.0f), f = part(forget + at + i, 0, D - i, 0.0f);
            const vec u = part(candidate + at + i, 0, D - i, 0.0f), y = part(dy + at + i, 0, D - i, 0.0f);
            const vec before = t ? part(cells + at - D + i, 0, D - i, 0.0f) : vec_all(0.0f);
            const vec dc = vec_select(c > 0.0f, y, vec_all(0.0f)) + part(carry + i, 0, D - i, 0.0f);
            put(du + at + i, (1.0f - f) * dc, 0, D - i);
            put(dz + at + i, dc * (before - u) * f * (1.0f - f), 0, D - i);
            put(carry + i, f * dc, 0, D - i);
        }
    }
}

/* ------------------------------------------------------------------------------- the ends */

void relative_backward(float *dtable, const float *dbias, int n_heads, int reach, int n_buckets, int max_distance,
                       int is_causal) {
    const int row = 2 * reach - 1;
    for (int i = 0; i < row; i++) {
        const int bucket = relative_bucket(i - reach + 1, n_buckets, max_distance, is_causal);
        for (int h = 0; h < n_heads; h++) dtable[(size_t)bucket * n_heads + h] += dbias[(size_t)h * row + i];
    }
}

void embedding_backward(float *dtable, const float *dy, int id, float scale, int d_model) {
    float *row = dtable + (size_t)id * d_model;
    for (int i = 0; i < d_model; i++) row[i] += dy[i] * scale;
}

/*
 * 32 bits for element i: two rounds of multiply and shift over i and the key's halves, all lanes at once.  A full
 * splitmix per element would cost more than the layer it follows.
 */
static inline vec_bits hash(vec_bits i, uint32_t low, uint32_t high) {
    i = (i ^ low) * 0x85ebca6bu;
    i = (i ^ i >> 15 ^ high) * 0xc2b2ae35u;
    i = (i ^ i >> 13) * 0x27d4eb2fu;
    return i ^ i >> 16;
}

void dropout(float *x, size_t n, float probability, uint64_t key) {
    if (probability <= 0.0f) return;
    const uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    /* kept if the hash's upper 24 bits, a number every float can hold, reach the threshold */
    const int32_t threshold = (int32_t)(probability * 16777216.0f);
    const float scale = 1.0f / (1.0f - probability);
    vec_bits index;
    for (int j = 0; j < LANES; j++) index[j] = (uint32_t)j;
    for (size_t i = 0; i < n; i += LANES, index += LANES) {
        const int left = n - i < LANES ? (int)(n - i) : LANES;
        const vec_int kept = (vec_int)(hash(index, low, high) >> 8) >= threshold;
        put(x + i, vec_select(kept, part(x + i, 0, left, 0.0f) * scale, vec_all(0.0f)), 0, left);
    }
}
