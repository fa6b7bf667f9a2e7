/*
 * test_kernels.c - every float kernel against its plain twin at awkward sizes, and the promise that a row of a result
 * does not depend on how many rows are computed with it.
 *
 * A sum of k rounded products is off by at most (k + 1) * 2^-24 times the sum of their absolute values; that sum is
 * what the twin gives for absolute inputs, and so the tolerance of products is exact, element by element.
 */
#include "check.h"
#include "guard.h"
#include "kernels/exp.h"
#include "kernels/kernels.h"
#include "kernels/reference.h"

static const int SIZES[] = {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 67};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };
static const float ULP = 5.9604645e-8f; /* 2^-24, half a unit in the last place of 1 */

static float *floats(guard *g, size_t n) { return guard_new(g, n * sizeof(float)); }

static float *copy(guard *g, const float *x, size_t n) {
    float *y = floats(g, n);
    memcpy(y, x, n * sizeof *x);
    return y;
}

static float *absolute(guard *g, const float *x, size_t n) {
    float *y = floats(g, n);
    for (size_t i = 0; i < n; i++) y[i] = fabsf(x[i]);
    return y;
}

static int same_bits(const float *a, const float *b, size_t n) { return memcmp(a, b, n * sizeof *a) == 0; }

/* W [n, k] in panels, padding included. */
static float *pack(guard *g, const float *w, int n, int k) {
    const size_t count = (size_t)panel_rows(n) * (size_t)k;
    float *panels = floats(g, count);
    memset(panels, 0, count * sizeof *panels);
    for (int i = 0; i < n; i++) k_pack_row_f32(panels, i, w + (size_t)i * (size_t)k, k);
    return panels;
}

static void test_pack(int n, int k) {
    guard gw, gp, gr, gt;
    const size_t padded = (size_t)panel_rows(n) * (size_t)k;
    float *w = floats(&gw, (size_t)n * (size_t)k), *row = floats(&gr, (size_t)k), *twin = floats(&gt, padded);
    guard_fill(w, (size_t)n * (size_t)k, 1.0f);
    float *panels = pack(&gp, w, n, k);
    memset(twin, 0, padded * sizeof *twin);
    for (int i = 0; i < n; i++) ref_pack_row_f32(twin, i, w + (size_t)i * (size_t)k, k);
    CHECK(same_bits(panels, twin, padded));
    for (int i = 0; i < n; i++) {
        k_unpack_row_f32(row, panels, i, k);
        CHECK(same_bits(row, w + (size_t)i * (size_t)k, (size_t)k));
        ref_unpack_row_f32(row, panels, i, k);
        CHECK(same_bits(row, w + (size_t)i * (size_t)k, (size_t)k));
    }
    CHECK(guard_end(&gw));
    CHECK(guard_end(&gp));
    CHECK(guard_end(&gr));
    CHECK(guard_end(&gt));
}

/* Rows in any order, some of them twice, of both kinds of panels; the cells of other rows stay. */
static void test_copy_rows(int n, int k) {
    guard gw, gp, gc, gt;
    const size_t padded = (size_t)panel_rows(n) * (size_t)k;
    int32_t rows[128], sum[128 + PANEL];
    float *w = floats(&gw, (size_t)n * (size_t)k);
    guard_fill(w, (size_t)n * (size_t)k, 1.0f);
    float *panels = pack(&gp, w, n, k), *copy = floats(&gc, padded), *twin = floats(&gt, padded);
    for (int i = 0; i < n; i++) rows[i] = (i * 5 + 3) % n;
    const int some = n - n / 3;
    guard_fill(copy, padded, 1.0f);
    memcpy(twin, copy, padded * sizeof *copy);
    k_copy_rows(copy, panels, rows, some, k);
    ref_copy_rows(twin, panels, rows, some, k);
    CHECK(same_bits(copy, twin, padded));
    for (int i = 0; i < some; i++) {
        float row[128];
        k_unpack_row_f32(row, copy, i, k);
        CHECK(same_bits(row, w + (size_t)rows[i] * (size_t)k, (size_t)k));
    }
    CHECK(guard_end(&gw));
    CHECK(guard_end(&gp));
    CHECK(guard_end(&gc));
    CHECK(guard_end(&gt));

    static int8_t from[136 * 128], to[136 * 128];
    int8_t row[128];
    memset(from, 0, sizeof from);
    memset(to, 0, sizeof to);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < k; j++) row[j] = (int8_t)(i * 31 + j * 7);
        k_pack_row_i8(from, sum, i, row, k);
    }
    k_copy_rows(to, from, rows, some, quantized_cols(k) / 4);
    for (int i = 0; i < some; i++) {
        k_unpack_row_i8(row, to, i, k);
        for (int j = 0; j < k; j++) CHECK_INT(row[j], (int8_t)(rows[i] * 31 + j * 7));
    }
}

/* All m = 1..13 of one matrix: near the twin, each row the same bits for each m, nothing written beside the rows. */
static void test_gemm(int n, int k, int with_bias) {
    enum { M = 13 };
    const int ldx = k + 3, ldo = n + 2;
    guard gw, gx, gb, gp, go, gone, gwant, gbound, gax, gaw, gap, gab;
    float *w = floats(&gw, (size_t)n * (size_t)k), *x = floats(&gx, (size_t)(M * ldx)), *b = floats(&gb, (size_t)n);
    guard_fill(w, (size_t)n * (size_t)k, 0.5f);
    guard_fill(x, (size_t)(M * ldx), 2.0f);
    guard_fill(b, (size_t)n, 1.0f);
    float *panels = pack(&gp, w, n, k);
    float *aw = absolute(&gaw, w, (size_t)n * (size_t)k), *ax = absolute(&gax, x, (size_t)(M * ldx));
    float *ab = absolute(&gab, b, (size_t)n), *apanels = pack(&gap, aw, n, k);
    float *one = floats(&gone, (size_t)(M * ldo)), *want = floats(&gwant, (size_t)(M * n));
    float *bound = floats(&gbound, (size_t)(M * n));
    ref_gemm_f32(want, n, x, ldx, panels, with_bias ? b : NULL, M, n, k);
    ref_gemm_f32(bound, n, ax, ldx, apanels, with_bias ? ab : NULL, M, n, k);
    for (int i = 0; i < M * n; i++) bound[i] = bound[i] * (float)(k + 2) * ULP + 1e-44f;

    for (int i = 0; i < M; i++) k_gemm_f32(one + i * ldo, ldo, x + i * ldx, ldx, panels, with_bias ? b : NULL, 1, n, k);
    for (int i = 0; i < M; i++) CHECK(guard_within("gemm_f32", one + i * ldo, want + i * n, bound + i * n, (size_t)n));
    for (int m = 1; m <= M; m++) {
        const size_t used = (size_t)((m - 1) * ldo + n); /* the last row has no gap behind it */
        float *out = floats(&go, used);
        k_gemm_f32(out, ldo, x, ldx, panels, with_bias ? b : NULL, m, n, k);
        for (int i = 0; i < m; i++) CHECK(same_bits(out + i * ldo, one + i * ldo, (size_t)n));
        for (int i = 0; i + 1 < m; i++) CHECK(isnan(out[i * ldo + n]) && isnan(out[i * ldo + n + 1]));
        CHECK(guard_end(&go));
    }
    guard *all[] = {&gw, &gx, &gb, &gp, &gone, &gwant, &gbound, &gax, &gaw, &gap, &gab};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

static void test_matmul(int m, int n, int k) {
    guard ga, gb, go, gone, gwant, gbound, gaa, gab;
    float *a = floats(&ga, (size_t)(m * k)), *b = floats(&gb, (size_t)(k * n)), *out = floats(&go, (size_t)(m * n));
    float *one = floats(&gone, (size_t)n), *want = floats(&gwant, (size_t)(m * n));
    float *bound = floats(&gbound, (size_t)(m * n));
    guard_fill(a, (size_t)(m * k), 1.0f);
    guard_fill(b, (size_t)(k * n), 1.0f);
    float *aa = absolute(&gaa, a, (size_t)(m * k)), *ab = absolute(&gab, b, (size_t)(k * n));
    k_matmul(out, a, b, m, n, k);
    ref_matmul(want, a, b, m, n, k);
    ref_matmul(bound, aa, ab, m, n, k);
    for (int i = 0; i < m * n; i++) bound[i] = bound[i] * (float)(k + 2) * ULP + 1e-44f;
    CHECK(guard_within("matmul", out, want, bound, (size_t)(m * n)));
    for (int i = 0; i < m; i++) {
        k_matmul(one, a + i * k, b, 1, n, k);
        CHECK(same_bits(one, out + i * n, (size_t)n));
    }
    guard *all[] = {&ga, &gb, &go, &gone, &gwant, &gbound, &gaa, &gab};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* n rows of a cache of stride dh + 5, in order or by a list of rows. */
static void test_attention(int n, int dh, int with_list) {
    const size_t ld = (size_t)dh + 5, rows = with_list ? (size_t)n * 2 : (size_t)n;
    const size_t cache = (rows - 1) * ld + (size_t)dh;
    const float scale = 0.37f;
    guard gq, gk, gaq, gak, gs, gsl, gwant, gbound, gout, gwant2, gbound2, gap;
    float *q = floats(&gq, (size_t)dh), *k = floats(&gk, cache), *got = floats(&gs, (size_t)n);
    float *want = floats(&gwant, (size_t)n), *bound = floats(&gbound, (size_t)n);
    float *sum = floats(&gout, (size_t)dh), *want_sum = floats(&gwant2, (size_t)dh),
          *bound_sum = floats(&gbound2, (size_t)dh);
    int32_t *listed = guard_new(&gsl, (size_t)n * sizeof *listed);
    for (int i = 0; i < n; i++) listed[i] = 2 * ((i * 7 + 3) % n) + i % 2;
    guard_fill(q, (size_t)dh, 1.0f);
    guard_fill(k, cache, 1.0f);
    float *aq = absolute(&gaq, q, (size_t)dh), *ak = absolute(&gak, k, cache);
    const int32_t *list = with_list ? listed : NULL;

    k_scores(got, q, k, ld, list, n, dh, scale);
    ref_scores(want, q, k, ld, list, n, dh, scale);
    ref_scores(bound, aq, ak, ld, list, n, dh, scale);
    for (int i = 0; i < n; i++) bound[i] = bound[i] * (float)(dh + 3) * ULP + 1e-44f;
    CHECK(guard_within("scores", got, want, bound, (size_t)n));
    for (int i = 0; i < n; i++) {
        const int32_t row = with_list ? listed[i] : i;
        float alone;
        k_scores(&alone, q, k, ld, &row, 1, dh, scale);
        CHECK(same_bits(&alone, got + i, 1));
    }

    float *p = got; /* any weights will do */
    float *ap = absolute(&gap, p, (size_t)n);
    k_weighted_sum(sum, p, k, ld, list, n, dh);
    ref_weighted_sum(want_sum, p, k, ld, list, n, dh);
    ref_weighted_sum(bound_sum, ap, ak, ld, list, n, dh);
    for (int i = 0; i < dh; i++) bound_sum[i] = bound_sum[i] * (float)(n + 2) * ULP + 1e-44f;
    CHECK(guard_within("weighted_sum", sum, want_sum, bound_sum, (size_t)dh));
    guard *all[] = {&gq, &gk, &gaq, &gak, &gs, &gsl, &gwant, &gbound, &gout, &gwant2, &gbound2, &gap};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* 1.2e-7 relative as exp.h says, over the whole range and over many small arguments. */
static void test_exp(void) {
    double worst = 0.0;
    for (int i = -400000; i <= 400000; i++) {
        const float x = i % 2 ? (float)i * 2.18e-4f : (float)i * 1e-6f;
        const double want = exp((double)x), got = wasm_f32x4_extract_lane(exp_f32x4(wasm_f32x4_splat(x)), 2);
        if (fabs(got / want - 1.0) > worst) worst = fabs(got / want - 1.0);
    }
    printf("exp: greatest relative error %.3g\n", worst);
    CHECK(worst <= 1.2e-7);
    const float edge[] = {-INFINITY, -87.4f, -1e30f, 88.4f, 1e30f, INFINITY};
    for (int i = 0; i < 6; i++) {
        const float got = wasm_f32x4_extract_lane(exp_f32x4(wasm_f32x4_splat(edge[i])), 0);
        CHECK(i < 3 ? got == 0.0f : got > 2.3e38f && isfinite(got));
    }
    CHECK(wasm_f32x4_extract_lane(exp_f32x4(wasm_f32x4_splat(-0.0f)), 0) == 1.0f);
}

/*
 * Softmax and its relatives: rounding x - max costs |x - max| * 2^-24 in the exponent, so an element may be off by that
 * much, relatively, beside 8 units for exp, the sum and the division.  Elements below 1e-37 may be 0.
 */
static void test_softmax(int n, float scale, int masked) {
    guard gx, gg, gw, gb;
    float *x = floats(&gx, (size_t)n);
    guard_fill(x, (size_t)n, scale);
    for (int i = 0; i < n && masked; i++) {
        if (masked > 1 || i % 3 == 1) x[i] = -INFINITY;
    }
    float *got = copy(&gg, x, (size_t)n), *want = copy(&gw, x, (size_t)n), *bound = floats(&gb, (size_t)n);
    k_softmax(got, n);
    ref_softmax(want, n);
    const float max = x[ref_argmax(x, n)];
    double total = 0.0;
    for (int i = 0; i < n; i++) {
        const float shift = isfinite(x[i]) ? max - x[i] : 0.0f;
        bound[i] = want[i] * (8.0f + shift) * ULP + 1e-37f;
        total += got[i];
        if (x[i] == -INFINITY) CHECK(got[i] == 0.0f);
    }
    CHECK(guard_within("softmax", got, want, bound, (size_t)n));
    CHECK(masked > 1 ? total == 0.0 : fabs(total - 1.0) <= (n + 8) * (double)ULP);

    const float lse = k_log_sum_exp(x, n), want_lse = ref_log_sum_exp(x, n);
    CHECK(lse == want_lse || fabsf(lse - want_lse) <= (8.0f + fabsf(want_lse)) * ULP * 2);
    CHECK_INT(k_argmax(x, n), ref_argmax(x, n));
    CHECK(k_max(x, n) == ref_max(x, n));
    CHECK(guard_end(&gx));
    CHECK(guard_end(&gg));
    CHECK(guard_end(&gw));
    CHECK(guard_end(&gb));
}

/* A NaN is not hidden: it makes its whole row NaN, and an activation of it is NaN. */
static void test_nan(int n) {
    guard g;
    float *x = floats(&g, (size_t)n);
    for (int i = 0; i < n; i++) x[i] = i == n / 2 ? NAN : 1.0f;
    if (n > 1) CHECK(isnan(k_log_sum_exp(x, n)));
    CHECK(isnan(k_max(x, n)) && isnan(ref_max(x, n)));
    if (n > 1) k_softmax(x, n);
    for (int i = 0; i < n; i++) CHECK(isnan(x[i]) || n == 1);
    /* nor behind a mask, nor among its like */
    for (int kind = 0; kind < 2; kind++) {
        float twin[512];
        for (int i = 0; i < n; i++) twin[i] = x[i] = i == n / 2 || kind ? NAN : -INFINITY;
        CHECK(isnan(k_log_sum_exp(x, n)) && isnan(ref_log_sum_exp(x, n)));
        CHECK(isnan(k_max(x, n)) && isnan(ref_max(x, n)));
        k_softmax(x, n);
        ref_softmax(twin, n);
        for (int i = 0; i < n; i++) CHECK(isnan(x[i]) == isnan(twin[i]));
        CHECK(isnan(x[n / 2]));
    }
    for (int i = 0; i < n; i++) x[i] = NAN;
    k_relu(x, (size_t)n);
    k_gelu(x, (size_t)n);
    k_swish(x, (size_t)n);
    k_sigmoid(x, (size_t)n);
    for (int i = 0; i < n; i++) CHECK(isnan(x[i]));
    float out[67], cell[67];
    k_ssru(out, cell, x, x, NULL, (size_t)n);
    for (int i = 0; i < n; i++) CHECK(isnan(out[i]) && isnan(cell[i]));
    CHECK(guard_end(&g));
}

static void test_argmax(int n) {
    guard g;
    float *x = floats(&g, (size_t)n);
    for (int at = 0; at < n; at++) {
        for (int i = 0; i < n; i++) x[i] = i == at || i == n - 1 ? 3.0f : -1.0f - (float)i;
        CHECK_INT(k_argmax(x, n), at); /* of equals the first */
        CHECK_INT(ref_argmax(x, n), at);
        CHECK(k_max(x, n) == 3.0f);
    }
    for (int i = 0; i < n; i++) x[i] = i == 0 ? NAN : (float)-i;
    CHECK_INT(k_argmax(x, n), n > 1 ? 1 : 0);
    CHECK_INT(ref_argmax(x, n), n > 1 ? 1 : 0);
    for (int i = 0; i < n; i++) x[i] = NAN;
    CHECK_INT(k_argmax(x, n), 0);
    CHECK_INT(ref_argmax(x, n), 0);
    CHECK(guard_end(&g));
}

/*
 * The mean of n floats is off by at most n 2^-24 max|x|; every deviation inherits it and is scaled by 1/sigma.  The
 * bound is that, times 4 for the variance and the affine step.
 */
static void test_layer_norm(int n, int options, float offset) {
    const float epsilon = 1e-5f;
    guard gx, gr, gg, gb, go, gw, gbound;
    float *x = floats(&gx, (size_t)n), *r = floats(&gr, (size_t)n), *gain = floats(&gg, (size_t)n);
    float *bias = floats(&gb, (size_t)n), *got = floats(&go, (size_t)n), *want = floats(&gw, (size_t)n);
    float *bound = floats(&gbound, (size_t)n);
    guard_fill(x, (size_t)n, 1.0f);
    guard_fill(r, (size_t)n, 1.0f);
    guard_fill(gain, (size_t)n, 1.0f);
    guard_fill(bias, (size_t)n, 1.0f);
    for (int i = 0; i < n; i++) x[i] += offset;
    const float *residual = options & 1 ? r : NULL, *g = options & 2 ? gain : NULL, *b = options & 4 ? bias : NULL;
    k_layer_norm(got, x, residual, g, b, n, epsilon);
    ref_layer_norm(want, x, residual, g, b, n, epsilon);
    double mean = 0.0, variance = 0.0, max = 0.0;
    for (int i = 0; i < n; i++) {
        const double v = residual ? x[i] + r[i] : x[i];
        mean += v / n;
        if (fabs(v) > max) max = fabs(v);
    }
    for (int i = 0; i < n; i++) {
        const double v = (residual ? x[i] + r[i] : x[i]) - mean;
        variance += v * v / n;
    }
    const double step = 4.0 * (n + 4) * (double)ULP * max / sqrt(variance + (double)epsilon);
    for (int i = 0; i < n; i++) {
        const double y = fabs((double)want[i]) + fabs(b ? (double)b[i] : 0.0);
        bound[i] = (float)(step * fabs(g ? (double)g[i] : 1.0) + y * (n + 8) * (double)ULP + 1e-44);
    }
    CHECK(guard_within("layer_norm", got, want, bound, (size_t)n));

    /* in place over x, and over the residual */
    guard gi;
    float *place = copy(&gi, x, (size_t)n);
    k_layer_norm(place, place, residual, g, b, n, epsilon);
    CHECK(same_bits(place, got, (size_t)n));
    CHECK(guard_end(&gi));
    if (residual) {
        place = copy(&gi, r, (size_t)n);
        k_layer_norm(place, x, place, g, b, n, epsilon);
        CHECK(same_bits(place, got, (size_t)n));
        CHECK(guard_end(&gi));
    }
    guard *all[] = {&gx, &gr, &gg, &gb, &go, &gw, &gbound};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* The sum of squares is off by at most n + 2 units, its root by half of that; three products follow. */
static void test_rms_norm(int n, float scale) {
    const float epsilon = 1e-6f;
    guard gx, gg, go, gw, gb;
    float *x = floats(&gx, (size_t)n), *gain = floats(&gg, (size_t)n), *got = floats(&go, (size_t)n);
    float *want = floats(&gw, (size_t)n), *bound = floats(&gb, (size_t)n);
    guard_fill(x, (size_t)n, scale);
    guard_fill(gain, (size_t)n, 1.0f);
    k_rms_norm(got, x, gain, n, epsilon);
    ref_rms_norm(want, x, gain, n, epsilon);
    /* a product below the least normal number is off by a step of 1.4e-45, times its gain */
    for (int i = 0; i < n; i++) bound[i] = fabsf(want[i]) * (float)(n + 8) * ULP + 1.4e-45f * fabsf(gain[i]) + 1e-44f;
    CHECK(guard_within("rms_norm", got, want, bound, (size_t)n));
    k_rms_norm(x, x, gain, n, epsilon); /* in place */
    CHECK(same_bits(x, got, (size_t)n));
    guard *all[] = {&gx, &gg, &go, &gw, &gb};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/*
 * gelu: 8 units, and x^2/2 rounded in the exponent of its tail; where e^(-x^2/2) underflows the tail is 0.
 * gelu_new: 8 units, and the exponent's argument 2 u is rounded, which is at most 88 where it matters.
 * swish: 8 units; below -88 the exponential stands still, which leaves |x| * 5e-39; the sigmoid likewise.
 */
static void test_activations(int n, float scale) {
    guard gx, gg, gw, gb;
    float *x = floats(&gx, (size_t)n), *bound = floats(&gb, (size_t)n);
    guard_fill(x, (size_t)n, scale);
    float *got = copy(&gg, x, (size_t)n), *want = copy(&gw, x, (size_t)n);
    k_relu(got, (size_t)n);
    ref_relu(want, (size_t)n);
    CHECK(same_bits(got, want, (size_t)n));

    memcpy(got, x, (size_t)n * sizeof *x);
    memcpy(want, x, (size_t)n * sizeof *x);
    k_gelu(got, (size_t)n);
    ref_gelu(want, (size_t)n);
    for (int i = 0; i < n; i++) bound[i] = fabsf(want[i]) * (8.0f + x[i] * x[i]) * ULP + 1e-35f;
    CHECK(guard_within("gelu", got, want, bound, (size_t)n));

    memcpy(got, x, (size_t)n * sizeof *x);
    memcpy(want, x, (size_t)n * sizeof *x);
    k_gelu_new(got, (size_t)n);
    ref_gelu_new(want, (size_t)n);
    for (int i = 0; i < n; i++) {
        const float u = fminf(88.0f, fabsf(x[i]) * (1.6f + 0.0714f * x[i] * x[i]));
        bound[i] = fabsf(want[i]) * (8.0f + 4.0f * u) * ULP + fabsf(x[i]) * 5e-39f + 1e-44f;
    }
    CHECK(guard_within("gelu_new", got, want, bound, (size_t)n));

    memcpy(got, x, (size_t)n * sizeof *x);
    memcpy(want, x, (size_t)n * sizeof *x);
    k_swish(got, (size_t)n);
    ref_swish(want, (size_t)n);
    for (int i = 0; i < n; i++) bound[i] = fabsf(want[i]) * 8.0f * ULP + fabsf(x[i]) * 5e-39f + 1e-44f;
    CHECK(guard_within("swish", got, want, bound, (size_t)n));

    memcpy(got, x, (size_t)n * sizeof *x);
    memcpy(want, x, (size_t)n * sizeof *x);
    k_sigmoid(got, (size_t)n);
    ref_sigmoid(want, (size_t)n);
    for (int i = 0; i < n; i++) bound[i] = fabsf(want[i]) * 8.0f * ULP + 5e-39f;
    CHECK(guard_within("sigmoid", got, want, bound, (size_t)n));
    for (int i = 0; i < n; i++) CHECK(got[i] >= 0.0f && got[i] <= 1.0f);
    CHECK(guard_end(&gx));
    CHECK(guard_end(&gg));
    CHECK(guard_end(&gw));
    CHECK(guard_end(&gb));
}

static void test_elementwise(int n) {
    guard ga, gb, go, gw;
    float *a = floats(&ga, (size_t)n), *b = floats(&gb, (size_t)n), *got = floats(&go, (size_t)n);
    float *want = floats(&gw, (size_t)n);
    guard_fill(a, (size_t)n, 3.0f);
    guard_fill(b, (size_t)n, 3.0f);
    k_add(got, a, b, (size_t)n);
    ref_add(want, a, b, (size_t)n);
    CHECK(same_bits(got, want, (size_t)n));
    k_multiply(got, a, b, (size_t)n);
    ref_multiply(want, a, b, (size_t)n);
    CHECK(same_bits(got, want, (size_t)n));
    k_scale(got, a, -0.7f, (size_t)n);
    ref_scale(want, a, -0.7f, (size_t)n);
    CHECK(same_bits(got, want, (size_t)n));
    double magnitude = 0.0;
    for (int i = 0; i < n; i++) magnitude += fabs((double)a[i] * b[i]);
    CHECK(fabs((double)k_dot(a, b, n) - (double)ref_dot(a, b, n)) <= (n + 2) * (double)ULP * magnitude + 1e-44);

    k_add(a, a, b, (size_t)n); /* onto itself */
    ref_add(want, want, b, 0);
    k_scale(b, b, 2.0f, (size_t)n);
    CHECK(guard_end(&ga));
    CHECK(guard_end(&gb));
    CHECK(guard_end(&go));
    CHECK(guard_end(&gw));
}

/* Each product is rounded, so are 1 - f and the sum: of numbers that are no greater than u and the cell before. */
static void test_ssru(int n, int is_first) {
    guard gu, gf, gb, gc, go, gwc, gwo;
    float *u = floats(&gu, (size_t)n), *f = floats(&gf, (size_t)n), *before = floats(&gb, (size_t)n);
    float *cell = floats(&gc, (size_t)n), *out = floats(&go, (size_t)n);
    float *want_cell = floats(&gwc, (size_t)n), *want = floats(&gwo, (size_t)n);
    guard_fill(u, (size_t)n, 3.0f);
    guard_fill(f, (size_t)n, 3.0f);
    guard_fill(before, (size_t)n, 3.0f);
    ref_sigmoid(f, (size_t)n);
    k_ssru(out, cell, u, f, is_first ? NULL : before, (size_t)n);
    ref_ssru(want, want_cell, u, f, is_first ? NULL : before, (size_t)n);
    for (int i = 0; i < n; i++) {
        const float bound = (fabsf(u[i]) + fabsf(before[i])) * 4.0f * ULP + 1e-44f;
        CHECK(fabsf(cell[i] - want_cell[i]) <= bound && fabsf(out[i] - want[i]) <= bound);
        CHECK(out[i] == (cell[i] > 0.0f ? cell[i] : 0.0f));
    }
    guard *all[] = {&gu, &gf, &gb, &gc, &go, &gwc, &gwo};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* Sizes of zero write nothing and do not fail. */
static void test_empty(void) {
    float x = 7.0f, y = 2.0f;
    k_softmax(&x, 0);
    k_relu(&x, 0);
    k_gelu(&x, 0);
    k_swish(&x, 0);
    k_sigmoid(&x, 0);
    k_ssru(&x, &x, &y, &y, NULL, 0);
    k_add(&x, &y, &y, 0);
    k_scale(&x, &y, 3.0f, 0);
    k_scores(&x, &y, &y, 1, NULL, 0, 1, 1.0f);
    k_gemm_f32(&x, 1, &y, 1, &y, NULL, 0, 1, 1);
    k_matmul(&x, &y, &y, 0, 1, 1);
    CHECK(x == 7.0f && y == 2.0f);
    CHECK(k_dot(&x, &y, 0) == 0.0f);
    k_weighted_sum(&x, &y, &y, 1, NULL, 0, 1);
    CHECK(x == 0.0f);
    k_gemm_f32(&x, 1, &y, 1, &y, &y, 1, 1, 0); /* an empty sum is its bias */
    CHECK(x == 2.0f);
}

int main(void) {
    for (int i = 0; i < N_SIZES; i++) {
        const int a = SIZES[i];
        for (int j = 0; j < N_SIZES; j++) {
            const int b = SIZES[j];
            test_gemm(a, b, j % 2);
            test_matmul(1 + (i + j) % 9, a, b);
            test_attention(a, b, 0);
            test_attention(a, b, 1);
            if (i % 3 == j % 3) test_pack(a, b);
            test_copy_rows(a, b);
        }
        test_gemm(a, 40, 0);
        for (int masked = 0; masked < 3; masked++) {
            test_softmax(a, 1.0f, masked);
            test_softmax(a, 200.0f, masked);
        }
        test_nan(a);
        test_argmax(a);
        for (int options = 0; options < 8; options++) {
            test_layer_norm(a, options, 0.0f);
            test_layer_norm(a, options, 1000.0f);
        }
        test_rms_norm(a, 1.0f);
        test_rms_norm(a, 1000.0f);
        test_rms_norm(a, 1e-4f); /* epsilon counts */
        test_activations(a, 1.0f);
        test_activations(a, 12.0f);
        test_activations(a, 1000.0f);
        test_elementwise(a);
        test_ssru(a, 0);
        test_ssru(a, 1);
    }
    test_gemm(520, 260, 1);
    test_softmax(8000, 10.0f, 0);
    test_exp();
    test_empty();
    return check_summary("kernels");
}
