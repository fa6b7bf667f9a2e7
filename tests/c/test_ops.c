/*
 * test_ops.c - the heed_op_ functions: examples worked by hand, plain loops for the rest, and wrong sizes.
 *
 * Everything here is a short chain of float operations on numbers near 1, each within 2^-24; 1e-6 leaves room for
 * sixteen of them, and examples with exact results are compared exactly.
 */
#include "check.h"
#include "guard.h"
#include "heed.h"

#define CLOSE(got, want) CHECK(fabs((double)(got) - (double)(want)) <= 1e-6)
static const double MAX_NMSE = 1e-12; /* 1e-6, squared */

#if GUARD_TAIL == 0
/* A request that cannot be met is to give NULL under the sanitizer as it does elsewhere. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

/* softmax(x x^T) x of three words in three dimensions: x x^T = (2 0 2; 0 1 1; 2 1 3). */
static void test_self_attention(void) {
    const float x[9] = {1, 0, 1, 0, 1, 0, 1, 1, 1};
    float scores[9], weights[9], out[9];
    const double e = exp(1.0), e2 = e * e, e3 = e2 * e;
    const double sum[3] = {2 * e2 + 1, 1 + 2 * e, e2 + e + e3};
    CHECK_INT(heed_op_attention(scores, weights, out, x, x, x, 3, 3, 3, 3, 1.0f, 0), HEED_OK);
    const float dots[9] = {2, 0, 2, 0, 1, 1, 2, 1, 3};
    CHECK_NEAR("x xT", scores, dots, 9, 0.0);
    const double p[9] = {e2, 1, e2, 1, e, e, e2, e, e3};
    for (int i = 0; i < 9; i++) CLOSE(weights[i], p[i] / sum[i / 3]);
    const double y[9] = {2 * e2, 1 + e2, 2 * e2, 1 + e, 2 * e, 1 + e, e2 + e3, e + e3, e2 + e3};
    for (int i = 0; i < 9; i++) CLOSE(out[i], y[i] / sum[i / 3]);
}

/* Four words of six dimensions, d_k = 3: Q = x W_Q, K = x W_K, V = x W_V, then softmax(Q K^T / sqrt 3) V. */
static void test_scaled_dot_product(void) {
    const float x[24] = {1, 0, 1, 0, 1, 0, 0, 2, 0, 2, 0, 2, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 2, 0};
    const float wq[18] = {1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0};
    const float wk[18] = {0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1};
    const float wv[18] = {0, 2, 0, 0, 3, 0, 1, 0, 3, 1, 1, 0, 0, 0, 1, 2, 0, 0};
    /* by hand, row by row: the sum of the rows of W that the word's coordinates select */
    const float want_q[12] = {1, 1, 2, 4, 2, 2, 3, 2, 3, 0, 3, 2};
    const float want_k[12] = {1, 1, 2, 4, 4, 2, 3, 3, 3, 3, 2, 2};
    const float want_v[12] = {1, 2, 4, 6, 8, 0, 4, 6, 4, 2, 1, 5};
    float q[12], k[12], v[12], scores[16], weights[16], out[12];
    CHECK_INT(heed_op_matmul(q, x, wq, 4, 3, 6), HEED_OK);
    CHECK_INT(heed_op_matmul(k, x, wk, 4, 3, 6), HEED_OK);
    CHECK_INT(heed_op_matmul(v, x, wv, 4, 3, 6), HEED_OK);
    CHECK_NEAR("Q", q, want_q, 12, 0.0);
    CHECK_NEAR("K", k, want_k, 12, 0.0);
    CHECK_NEAR("V", v, want_v, 12, 0.0);
    CHECK_INT(heed_op_attention(scores, weights, out, q, k, v, 4, 4, 3, 3, 1.0f / sqrtf(3.0f), 0), HEED_OK);
    const double dots[16] = {6, 12, 12, 9, 10, 28, 24, 20, 11, 26, 24, 19, 7, 16, 15, 10};
    for (int t = 0; t < 4; t++) {
        double sum = 0.0, y[3] = {0, 0, 0};
        for (int i = 0; i < 4; i++) sum += exp(dots[t * 4 + i] / sqrt(3.0));
        for (int i = 0; i < 4; i++) {
            const double p = exp(dots[t * 4 + i] / sqrt(3.0)) / sum;
            CHECK(fabs((double)scores[t * 4 + i] - dots[t * 4 + i] / sqrt(3.0)) <= 2e-6); /* scores reach 16 */
            CLOSE(weights[t * 4 + i], p);
            for (int c = 0; c < 3; c++) y[c] += p * (double)v[i * 3 + c];
        }
        for (int c = 0; c < 3; c++) CHECK(fabs((double)out[t * 3 + c] - y[c]) <= 8e-6); /* values reach 8 */
    }
}

/* Above the diagonal: scores -infinity, weights exactly 0, and nothing of the masked values in the output. */
static void test_causal(int n, int m) {
    enum { DK = 5, DV = 7 };
    guard gq, gk, gv, gs, gw, go, go2, gs2, gw2;
    float *q = guard_new(&gq, (size_t)(n * DK) * sizeof *q), *k = guard_new(&gk, (size_t)(m * DK) * sizeof *k);
    float *v = guard_new(&gv, (size_t)(m * DV) * sizeof *v), *s = guard_new(&gs, (size_t)(n * m) * sizeof *s);
    float *w = guard_new(&gw, (size_t)(n * m) * sizeof *w), *out = guard_new(&go, (size_t)(n * DV) * sizeof *out);
    float *s2 = guard_new(&gs2, (size_t)(n * m) * sizeof *s), *w2 = guard_new(&gw2, (size_t)(n * m) * sizeof *w);
    float *out2 = guard_new(&go2, (size_t)(n * DV) * sizeof *out);
    for (int i = 0; i < n * DK; i++) q[i] = guard_random();
    for (int i = 0; i < m * DK; i++) k[i] = guard_random();
    for (int i = 0; i < m * DV; i++) v[i] = guard_random();
    CHECK_INT(heed_op_attention(s, w, out, q, k, v, n, m, DK, DV, 0.5f, 1), HEED_OK);
    for (int t = 0; t < n; t++) {
        const int seen = t + 1 < m ? t + 1 : m;
        double sum = 0.0;
        for (int i = 0; i < m; i++) {
            if (i >= seen) CHECK(w[t * m + i] == 0.0f && s[t * m + i] == -INFINITY);
            else CHECK(w[t * m + i] > 0.0f);
            sum += (double)w[t * m + i];
        }
        CLOSE(sum, 1.0);
        /* the row alone, over the keys that it sees, is the same */
        heed_op_attention(s2, w2, out2, q + t * DK, k, v, 1, seen, DK, DV, 0.5f, 0);
        CHECK(memcmp(s2, s + t * m, (size_t)seen * sizeof *s) == 0);
        CHECK_NEAR("weights", w2, w + t * m, (size_t)seen, MAX_NMSE);
        CHECK_NEAR("output", out2, out + t * DV, DV, MAX_NMSE);
    }
    guard *all[] = {&gq, &gk, &gv, &gs, &gw, &go, &go2, &gs2, &gw2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* Multi-head attention is heed_op_attention on each head's columns, the outputs side by side, times W_O. */
static void test_multi_head(int n, int m, int heads, int dh, int causal) {
    const int d = heads * dh;
    guard g[14];
    float *query = guard_new(&g[0], (size_t)(n * d) * 4), *memory = guard_new(&g[1], (size_t)(m * d) * 4);
    float *w[4]; /* W_Q, W_K, W_V, W_O */
    for (int i = 0; i < n * d; i++) query[i] = guard_random();
    for (int i = 0; i < m * d; i++) memory[i] = guard_random();
    for (int j = 0; j < 4; j++) {
        w[j] = guard_new(&g[2 + j], (size_t)(d * d) * 4);
        for (int i = 0; i < d * d; i++) w[j][i] = guard_random();
    }
    float *weights = guard_new(&g[6], (size_t)(heads * n * m) * 4), *out = guard_new(&g[7], (size_t)(n * d) * 4);
    CHECK_INT(heed_op_multi_head_attention(weights, out, query, memory, w[0], w[1], w[2], w[3], n, m, d, heads, causal),
              HEED_OK);

    float *q = guard_new(&g[8], (size_t)(n * dh) * 4), *k = guard_new(&g[9], (size_t)(m * dh) * 4);
    float *v = guard_new(&g[10], (size_t)(m * dh) * 4), *scratch = guard_new(&g[11], (size_t)(n * m * 2) * 4);
    float *head_out = guard_new(&g[12], (size_t)(n * dh) * 4), *side_by_side = guard_new(&g[13], (size_t)(n * d) * 4);
    for (int h = 0; h < heads; h++) {
        float *parts[3] = {q, k, v};
        for (int j = 0; j < 3; j++) {
            const float *from = j == 0 ? query : memory;
            for (int r = 0; r < (j == 0 ? n : m); r++) {
                for (int c = 0; c < dh; c++) {
                    double sum = 0.0;
                    for (int i = 0; i < d; i++) sum += (double)from[r * d + i] * (double)w[j][i * d + h * dh + c];
                    parts[j][r * dh + c] = (float)sum;
                }
            }
        }
        heed_op_attention(scratch, scratch + n * m, head_out, q, k, v, n, m, dh, dh, 1.0f / sqrtf((float)dh), causal);
        CHECK_NEAR("weights of a head", weights + h * n * m, scratch + n * m, (size_t)(n * m), MAX_NMSE);
        for (int r = 0; r < n; r++) memcpy(side_by_side + r * d + h * dh, head_out + r * dh, (size_t)dh * 4);
        for (int t = 0; t < n && causal; t++) {
            for (int i = t + 1; i < m; i++) CHECK(weights[(h * n + t) * m + i] == 0.0f);
        }
    }
    heed_op_matmul(query, side_by_side, w[3], n, d, d);
    CHECK_NEAR("multi-head output", out, query, (size_t)(n * d), MAX_NMSE);
    for (int i = 0; i < 14; i++) CHECK(guard_end(&g[i]));
}

static void test_positions(void) {
    float pe[3 * 5];
    CHECK_INT(heed_op_positional_encoding(pe, 3, 4, 0), HEED_OK);
    const double interleaved[12] = {0,        1,         0,        1,        sin(1.0),  cos(1.0),
                                    sin(.01), cos(0.01), sin(2.0), cos(2.0), sin(0.02), cos(0.02)};
    for (int i = 0; i < 12; i++) CHECK(pe[i] == (float)interleaved[i]);
    CHECK_INT(heed_op_positional_encoding(pe, 3, 4, 1), HEED_OK);
    for (int i = 0; i < 12; i++) CHECK(pe[i] == (float)interleaved[i / 4 * 4 + (i % 4 % 2 * 2 + i % 4 / 2)]);
    /* an odd width: one sine more than cosines */
    const double f1 = pow(10000.0, -0.4), f2 = pow(10000.0, -0.8);
    CHECK_INT(heed_op_positional_encoding(pe, 2, 5, 1), HEED_OK);
    const double halves[5] = {sin(1.0), sin(f1), sin(f2), cos(1.0), cos(f1)};
    for (int i = 0; i < 5; i++) CLOSE(pe[5 + i], halves[i]);
    CHECK_INT(heed_op_positional_encoding(pe, 2, 5, 0), HEED_OK);
    const double mixed[5] = {sin(1.0), cos(1.0), sin(f1), cos(f1), sin(f2)};
    for (int i = 0; i < 5; i++) CLOSE(pe[5 + i], mixed[i]);
    /* far out and wide, where angles computed in float would be off by more than the float they give */
    static float table[600 * 64];
    CHECK_INT(heed_op_positional_encoding(table, 600, 64, 1), HEED_OK);
    for (int j = 0; j < 32; j++) CHECK(table[599 * 64 + j] == (float)sin(599 / pow(10000.0, 2.0 * j / 64)));
    CHECK_INT(heed_op_positional_encoding(pe, 3, 1, 1), HEED_OK);
    CHECK(pe[0] == 0.0f && pe[1] == (float)sin(1.0) && pe[2] == (float)sin(2.0));
}

/*
 * Marian's angles: the last of n wavelengths is 2 pi 10000 exactly.  Angles are floats, so a position p may be off by
 * 2 p 2^-24 (a rounding of the exponent, up to 9.2, and of the product).
 */
static void test_marian_positions(void) {
    static float table[600 * 64];
    CHECK_INT(heed_op_positional_encoding(table, 600, 64, 2), HEED_OK);
    for (int pos = 0; pos < 600; pos++)
        for (int j = 0; j < 32; j++) {
            const double angle = pos * pow(10000.0, -j / 31.0), most = 1e-7 + 4e-7 * angle;
            CHECK(fabs(table[pos * 64 + j] - sin(angle)) <= most);
            CHECK(fabs(table[pos * 64 + 32 + j] - cos(angle)) <= most);
        }
    /* a single frequency is 1; an odd width has one sine more */
    float pe[3 * 5];
    CHECK_INT(heed_op_positional_encoding(pe, 3, 2, 2), HEED_OK);
    for (int pos = 0; pos < 3; pos++)
        CHECK(pe[2 * pos] == (float)sin((double)pos) && pe[2 * pos + 1] == (float)cos((double)pos));
    CHECK_INT(heed_op_positional_encoding(pe, 3, 1, 2), HEED_OK);
    for (int pos = 0; pos < 3; pos++) CHECK(pe[pos] == (float)sin((double)pos));
    CHECK_INT(heed_op_positional_encoding(pe, 3, 5, 2), HEED_OK);
    const double third[5] = {sin(2.0), sin(0.02), sin(0.0002), cos(2.0), cos(0.02)};
    for (int i = 0; i < 5; i++) CLOSE(pe[10 + i], third[i]);
    CHECK_INT(heed_op_positional_encoding(pe, 3, 4, 3), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_positional_encoding(pe, 3, 4, -1), HEED_E_ARGUMENT);
}

static void test_cosine(void) {
    const float a[8] = {1, 0, 3, 4, 0, 0, -2e30f, 0}, b[8] = {1, 1, 2e-30f, 0, 0, 5, 3, 4};
    float out[16];
    CHECK_INT(heed_op_cosine_similarity(out, a, b, 4, 4, 2), HEED_OK);
    const double r = sqrt(0.5);
    const double want[16] = {r, 1, 0, 0.6, 1.4 * r, 0.6, 0.8, 1, 0, 0, 0, 0, -r, -1, 0, -0.6};
    for (int i = 0; i < 16; i++) CLOSE(out[i], want[i]);
    for (int i = 8; i < 12; i++) CHECK(out[i] == 0.0f); /* no direction, no similarity */
    /* many directions and their opposites, so that some products round past 1 and -1 */
    enum { N = 64, K = 7 };
    static float x[2 * N * K], self[4 * N * N];
    for (int i = 0; i < N * K; i++) {
        x[i] = guard_random();
        x[i + N * K] = -x[i];
    }
    CHECK_INT(heed_op_cosine_similarity(self, x, x, 2 * N, 2 * N, K), HEED_OK);
    for (int i = 0; i < 2 * N; i++) {
        for (int j = 0; j < 2 * N; j++) {
            CHECK(self[i * 2 * N + j] >= -1.0f && self[i * 2 * N + j] <= 1.0f);
            CHECK(self[i * 2 * N + j] == self[j * 2 * N + i]);
        }
        CLOSE(self[i * 2 * N + i], 1.0);
        CLOSE(self[i * 2 * N + (i + N) % (2 * N)], -1.0);
    }
}

static void test_layer_norm(void) {
    const float x[8] = {1, 2, 3, 4, 10, 10, 10, 10}, gain[4] = {1, 2, 3, 4}, bias[4] = {0.5f, 0, -1, 1};
    float out[8];
    const double u = 1.0 / sqrt(1.25 + 1e-5); /* mean 2.5, variance 1.25 */
    CHECK_INT(heed_op_layer_norm(out, x, NULL, NULL, 2, 4, 1e-5f), HEED_OK);
    for (int i = 0; i < 4; i++) CLOSE(out[i], (i - 1.5) * u);
    for (int i = 4; i < 8; i++) CHECK(out[i] == 0.0f);
    CHECK_INT(heed_op_layer_norm(out, x, gain, bias, 2, 4, 1e-5f), HEED_OK);
    for (int i = 0; i < 4; i++)
        CHECK(fabs((double)out[i] - ((i - 1.5) * u * gain[i] + bias[i])) <= 4e-6); /* gains to 4 */
    for (int i = 4; i < 8; i++) CHECK(out[i] == bias[i - 4]);
}

/* One word of two dimensions through three hidden units. */
static void test_feed_forward(void) {
    const float x[2] = {1, 2}, w1[6] = {1, -1, 0, 0, 1, -2}, b1[3] = {0, 1, 1}, w2[6] = {1, 2, 3, 4, 5, 6};
    const float b2[2] = {0.5f, -0.5f};
    const double h[3] = {1, 2, -3}; /* x W1 + b1 */
    float out[2];
    CHECK_INT(heed_op_feed_forward(out, x, w1, b1, w2, b2, 1, 2, 3, HEED_RELU), HEED_OK);
    CHECK(out[0] == 7.5f && out[1] == 9.5f); /* 1*(1,2) + 2*(3,4) + (0.5,-0.5) */
    for (int activation = HEED_GELU; activation <= HEED_SWISH; activation++) {
        double y[2] = {0.5, -0.5};
        for (int i = 0; i < 3; i++) {
            const double a = activation == HEED_GELU ? h[i] / 2 * (1 + erf(h[i] / sqrt(2.0))) : h[i] / (1 + exp(-h[i]));
            y[0] += a * (double)w2[2 * i];
            y[1] += a * (double)w2[2 * i + 1];
        }
        CHECK_INT(heed_op_feed_forward(out, x, w1, b1, w2, b2, 1, 2, 3, activation), HEED_OK);
        for (int i = 0; i < 2; i++) CHECK(fabs((double)out[i] - y[i]) <= 4e-6); /* sums reach 10 */
    }
}

static void test_softmax_and_embedding(void) {
    const float x[6] = {0, (float)log(2.0), (float)log(5.0), -INFINITY, -INFINITY, -INFINITY};
    float out[6];
    CHECK_INT(heed_op_softmax(out, x, 2, 3), HEED_OK);
    CLOSE(out[0], 0.125);
    CLOSE(out[1], 0.25);
    CLOSE(out[2], 0.625);
    for (int i = 3; i < 6; i++) CHECK(out[i] == 0.0f);
    const float table[6] = {1, 2, 3, 4, 5, 6};
    const int32_t ids[3] = {2, 0, 2}, below[1] = {-1}, above[2] = {0, 3};
    CHECK_INT(heed_op_embedding(out, ids, 3, table, 3, 2, 0.5f), HEED_OK);
    const float want[6] = {2.5f, 3, 0.5f, 1, 2.5f, 3};
    CHECK_NEAR("embedding", out, want, 6, 0.0);
    CHECK_INT(heed_op_embedding(out, below, 1, table, 3, 2, 1.0f), HEED_E_ID);
    CHECK_INT(heed_op_embedding(out, above, 2, table, 3, 2, 1.0f), HEED_E_ID);
}

/* Refused before anything is read or written: NULL for every array. */
static void test_wrong_sizes(void) {
    CHECK_INT(heed_op_softmax(NULL, NULL, 0, 3), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_softmax(NULL, NULL, 3, -1), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_matmul(NULL, NULL, NULL, 1, 0, 1), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_cosine_similarity(NULL, NULL, NULL, 1, 1, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_positional_encoding(NULL, -1, 4, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_positional_encoding(NULL, 1, 4, 3), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_embedding(NULL, NULL, 0, NULL, 1, 1, 1.0f), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_attention(NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 1, 0, 1.0f, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_multi_head_attention(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 6, 4, 0),
              HEED_E_ARGUMENT);
    CHECK_INT(heed_op_multi_head_attention(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 6, 0, 0),
              HEED_E_ARGUMENT);
    CHECK_INT(heed_op_layer_norm(NULL, NULL, NULL, NULL, 1, 1, -1.0f), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_layer_norm(NULL, NULL, NULL, NULL, 1, 1, NAN), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_feed_forward(NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 0, 0), HEED_E_ARGUMENT);
    CHECK_INT(heed_op_feed_forward(NULL, NULL, NULL, NULL, NULL, NULL, 1, 1, 1, 4), HEED_E_ARGUMENT);
    /* sizes that no memory holds: products past what an object may have, or more than malloc has */
    CHECK_INT(heed_op_softmax(NULL, NULL, 0x7fffffff, 0x7fffffff), HEED_E_ARGUMENT);
    const heed_status none = sizeof(size_t) > 4 ? HEED_E_MEMORY : HEED_E_ARGUMENT;
    CHECK_INT(heed_op_cosine_similarity(NULL, NULL, NULL, 1, 1 << 28, 1 << 28), none);
    CHECK_INT(heed_op_feed_forward(NULL, NULL, NULL, NULL, NULL, NULL, 1 << 28, 1, 1 << 28, 0), none);
    CHECK_INT(heed_op_multi_head_attention(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 1 << 28, 1 << 28, 1, 0),
              none);
}

int main(void) {
    test_self_attention();
    test_scaled_dot_product();
    for (int n = 1; n <= 9; n++) {
        test_causal(n, n);
        test_causal(n, 4);
    }
    test_causal(17, 33);
    for (int causal = 0; causal < 2; causal++) {
        test_multi_head(4, 4, 2, 3, causal); /* the six dimensions and d_k = 3 again, as two heads */
        test_multi_head(5, 7, 1, 8, causal);
        test_multi_head(1, 3, 8, 1, causal);
        test_multi_head(9, 4, 4, 16, causal);
    }
    test_positions();
    test_marian_positions();
    test_cosine();
    test_layer_norm();
    test_feed_forward();
    test_softmax_and_embedding();
    test_wrong_sizes();
    return check_summary("ops");
}
