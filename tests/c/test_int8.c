/*
 * test_int8.c - int8 products against their plain twins, bit for bit: the sums are integers and the scaling rounds the
 * same way everywhere, so there is no tolerance.  test_relaxed.c and test_pairs.c run this file over the relaxed routes.
 */
#include "check.h"
#include "guard.h"
#include "kernels/kernels.h"
#include "kernels/quantized.h"
#include "kernels/reference.h"

#ifdef HEED_RELAXED
#ifdef HEED_PAIRS
#define PROGRAM "int8, pairs"
#else
#define PROGRAM "int8, relaxed"
#endif
static int flip(int i) { return (void)i, 0; }
/* the number i of a row of 7 bits: q */
static int number(const quantized *row, int i) { return row[i]; }
static int form(int q, int32_t zero) { return (void)zero, q; }
/* q of a row of 8 bits that begins at row [K'], of two parts */
static int whole(const quantized *row, int i, int padded, int32_t zero) {
    CHECK(row[i] <= 127 && row[padded + i] <= 127);
    return (void)zero, row[i] + row[padded + i];
}
static void check_tail(const quantized *row, int padded) { (void)row, (void)padded; }
#else
#define PROGRAM "int8"
/* what panels add to a weight */
static int flip(int i) { return i % 2 ? 0 : 128; }
/* the number i of a row, of the factors of its quad: q - zero */
static int number(const quantized *row, int i) {
    const quantized *quad = row + i / 4 * 4;
    const int even = quad[i % 4 / 2];
    return i % 2 ? quad[2 + i % 4 / 2] + 256 * even : even;
}
static int form(int q, int32_t zero) { return q - zero; }
static int whole(const quantized *row, int i, int padded, int32_t zero) {
    return (void)padded, (void)zero, number(row, i) + 127;
}
/* a row ends with what its sums have too much: 128 times its numbers of even k, negative */
static void check_tail(const quantized *row, int padded) {
    int32_t start, sum = 0;
    memcpy(&start, row + padded, sizeof start);
    for (int i = 0; i < padded; i += 2) sum += number(row, i);
    CHECK_INT(start, -128 * sum);
}
#endif

static const int SIZES[] = {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 67};
enum { N_SIZES = sizeof SIZES / sizeof *SIZES, M = 13 };

static void test_pack(int n, int k) {
    const size_t count = (size_t)panel_rows(n) * (size_t)quantized_cols(k);
    guard gp, gt, gs, gu, gr, gb;
    int8_t *panels = guard_new(&gp, count), *twin = guard_new(&gt, count), *row = guard_new(&gr, (size_t)k);
    int8_t *back = guard_new(&gb, (size_t)k);
    int32_t *sums = guard_new(&gs, (size_t)panel_rows(n) * 4), *twin_sums = guard_new(&gu, (size_t)panel_rows(n) * 4);
    memset(panels, 77, count); /* the padding of a row is written, rows past n are not */
    memset(twin, 77, count);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) row[c] = (int8_t)(guard_random() * 127.9f);
        k_pack_row_i8(panels, sums, i, row, k);
        ref_pack_row_i8(twin, twin_sums, i, row, k);
        k_unpack_row_i8(back, panels, i, k);
        CHECK(memcmp(back, row, (size_t)k) == 0);
        ref_unpack_row_i8(back, twin, i, k);
        CHECK(memcmp(back, row, (size_t)k) == 0);
    }
    for (size_t i = 0; i < count; i++) {
        const int is_row = (int)(i / (size_t)(quantized_cols(k) * PANEL)) * PANEL + (int)(i % (4 * PANEL) / 4) < n;
        CHECK_INT(panels[i], (int8_t)(twin[i] + (is_row ? flip((int)(i % 4)) : 0)));
    }
    CHECK(memcmp(sums, twin_sums, (size_t)n * 4) == 0);
    guard *all[] = {&gp, &gt, &gs, &gu, &gr, &gb};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* The smallest row that is not taken as zero, and the one below it. */
static void test_smallest_weights(void) {
    const float least = 1e-30f, below = nextafterf(least, 0.0f);
    int8_t q[4], twin[4];
    CHECK(k_quantize_weights(q, (const float[]){least, -least, 0.0f, 0.0f}, 4) == least / 127.0f);
    CHECK(ref_quantize_weights(twin, (const float[]){least, -least, 0.0f, 0.0f}, 4) == least / 127.0f);
    CHECK(q[0] == 127 && q[1] == -127 && q[2] == 0 && memcmp(q, twin, 4) == 0);
    CHECK(k_quantize_weights(q, (const float[]){below, -below, 0.0f, 0.0f}, 4) == 0.0f);
    CHECK(ref_quantize_weights(twin, (const float[]){below, -below, 0.0f, 0.0f}, 4) == 0.0f);
    CHECK(q[0] == 0 && q[1] == 0 && memcmp(q, twin, 4) == 0);
}

/* Each weight is at most half a step from its integer times the scale; the rounding of that product is the rest. */
static void test_weights(int k, float size) {
    guard gx, gq, gt;
    float *x = guard_new(&gx, (size_t)k * 4);
    int8_t *q = guard_new(&gq, (size_t)k), *twin = guard_new(&gt, (size_t)k);
    guard_fill(x, (size_t)k, 1.0f);
    for (int i = 0; i < k; i++) x[i] *= size;
    const float scale = k_quantize_weights(q, x, k);
    CHECK(scale == ref_quantize_weights(twin, x, k));
    CHECK(memcmp(q, twin, (size_t)k) == 0);
    for (int i = 0; i < k; i++) {
        CHECK(q[i] >= -127);
        CHECK(fabs((double)x[i] - (double)q[i] * (double)scale) <= (double)scale * 0.50001 + 1e-30);
    }
    CHECK(guard_end(&gx));
    CHECK(guard_end(&gq));
    CHECK(guard_end(&gt));
}

/* Rows of different kinds: mixed, without negatives, without positives, zeros, too small, one number. */
static void fill_activations(float *x, int ldx, int m, int k) {
    guard_fill(x, (size_t)m * (size_t)ldx, 3.0f);
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < k; i++) {
            float *v = x + (size_t)r * (size_t)ldx + i;
            if (r % 6 == 1) *v = fabsf(*v);
            if (r % 6 == 2) *v = -fabsf(*v);
            if (r % 6 == 3) *v = i % 2 ? 0.0f : -0.0f;
            if (r % 6 == 4) *v *= 1e-33f;
            if (r % 6 == 5) *v = i == k / 2 ? -7.5f : 0.0f;
        }
    }
}

static void test_rows(int m, int k) {
    const int ldx = k + 3;
    guard gx, gq, gs, gz, gt, gu, gv;
    float *x = guard_new(&gx, (size_t)((m - 1) * ldx + k) * 4), *scales = guard_new(&gs, (size_t)m * 4);
    float *twin_scales = guard_new(&gu, (size_t)m * 4);
    int32_t *zeros = guard_new(&gz, (size_t)m * 4), *twin_zeros = guard_new(&gv, (size_t)m * 4);
    quantized *rows = guard_new(&gq, quantized_bytes(m, k));
    uint8_t *twin = guard_new(&gt, (size_t)m * (size_t)k);
    float all_rows[M * (67 + 3)];
    fill_activations(all_rows, ldx, m, k);
    memcpy(x, all_rows, (size_t)((m - 1) * ldx + k) * 4);
    CHECK_INT(quantized_bytes(m, k), (size_t)m * ((size_t)quantized_cols(k) + ROW_TAIL) * 2);
    k_quantize_rows(rows, scales, zeros, x, ldx, m, k);
    ref_quantize_rows(twin, twin_scales, twin_zeros, x, ldx, m, k);
    CHECK(memcmp(scales, twin_scales, (size_t)m * 4) == 0);
    CHECK(memcmp(zeros, twin_zeros, (size_t)m * 4) == 0);
    for (int r = 0; r < m; r++) {
        CHECK(zeros[r] >= 0 && zeros[r] <= 127);
        check_tail(rows + (size_t)r * quantized_row(k, 1), quantized_cols(k));
        for (int i = 0; i < quantized_cols(k); i++) {
            const int q = i < k ? twin[r * k + i] : zeros[r];
            CHECK_INT(number(rows + (size_t)r * quantized_row(k, 1), i), form(q, zeros[r]));
            if (i >= k) continue;
            const double back = (double)scales[r] * (q - zeros[r]), off = fabs(back - (double)x[r * ldx + i]);
            CHECK(off <= 1.001 * (double)scales[r] + 1e-30); /* half a step for it, half for the zero point */
            if (x[r * ldx + i] == 0.0f) CHECK(q == zeros[r]);
        }
    }
    guard *all[] = {&gx, &gq, &gs, &gz, &gt, &gu, &gv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/*
 * Rows of 8 bits, by their own scale (alpha 0) or by a fixed one.  Each number is at most half a step from what it
 * stands for, unless a fixed scale clamps it; each half-way number goes to its even neighbour.
 */
static void test_rows_8(int m, int k, float alpha) {
    const int ldx = k + 3, padded = quantized_cols(k);
    guard gx, gq, gs, gz, gt, gu, gv;
    float *x = guard_new(&gx, (size_t)((m - 1) * ldx + k) * 4), *scales = guard_new(&gs, (size_t)m * 4);
    float *twin_scales = guard_new(&gu, (size_t)m * 4);
    int32_t *zeros = guard_new(&gz, (size_t)m * 4), *twin_zeros = guard_new(&gv, (size_t)m * 4);
    quantized *rows = guard_new(&gq, quantized_bytes(m, k));
    uint8_t *twin = guard_new(&gt, (size_t)m * (size_t)k);
    float all_rows[M * (67 + 3)];
    fill_activations(all_rows, ldx, m, k);
    if (alpha > 0.0f) { /* halves, and what lies just inside and outside of the range */
        for (int i = 0; i < k; i++) all_rows[i] = (i % 2 ? -0.5f : 0.5f) * (float)(2 * (i % 129) + 1) / alpha;
    }
    memcpy(x, all_rows, (size_t)((m - 1) * ldx + k) * 4);
    k_quantize_rows_8(rows, scales, zeros, x, ldx, m, k, alpha);
    ref_quantize_rows_8(twin, twin_scales, twin_zeros, x, ldx, m, k, alpha);
    CHECK(memcmp(scales, twin_scales, (size_t)m * 4) == 0);
    CHECK(memcmp(zeros, twin_zeros, (size_t)m * 4) == 0);
    for (int r = 0; r < m; r++) {
        const quantized *row = rows + (size_t)r * quantized_row(k, 2);
        CHECK(alpha > 0.0f ? scales[r] == 1.0f && zeros[r] == 0 : zeros[r] == 127);
        check_tail(row, padded);
        for (int i = 0; i < padded; i++) {
            const int q = whole(row, i, padded, zeros[r]);
            CHECK_INT(q, i < k ? twin[r * k + i] : 127);
            if (i >= k) continue;
            const double v = (double)x[r * ldx + i], step = alpha > 0.0f ? 1.0 / (double)alpha : (double)scales[r];
            if (q == 0 || q == 254) CHECK(fabs(v) >= 126.499 * step);
            else CHECK(fabs((q - 127) * step - v) <= 0.5001 * step + 1e-30);
        }
    }
    guard *all[] = {&gx, &gq, &gs, &gz, &gt, &gu, &gv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) CHECK(guard_end(all[i]));
}

/* Ties go to the even neighbour; -128 does not occur. */
static void test_ties(void) {
    const float x[8] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, -127.5f};
    const int want[8] = {0, 2, 2, 0, -2, -2, 126, -127};
    quantized rows[2 * 16];
    float scale;
    int32_t zero;
    k_quantize_rows_8(rows, &scale, &zero, x, 8, 1, 8, 1.0f);
    for (int i = 0; i < 8; i++) CHECK_INT(whole(rows, i, 16, zero) - 127, want[i]);
}

/*
 * Numbers no model should have: what is no number, or overflows, is NaN in all that is made of the row.  Whatever comes
 * out, q stays in 0..127, which the relaxed dot relies on.
 */
static void test_hostile_rows(void) {
    const float hostile[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1e-45f, 0.0f, 1.0f};
    enum { K = 16 };
    int lost = 0;
    for (int trial = 0; trial < 400; trial++) {
        float x[K], scale, twin_scale, out[PANEL], twin_out[PANEL], w_scales[PANEL], least = 0.0f, greatest = 0.0f;
        int32_t zero, twin_zero, sums[PANEL] = {0};
        quantized rows[K + ROW_TAIL], wide[2 * K];
        uint8_t twin[K];
        int8_t panels[K * PANEL] = {0};
        const int n = 1 + trial % K; /* one such number among ordinary ones, or many */
        for (int i = 0; i < K; i++)
            x[i] = trial % 2 && i != n - 1 ? 0.25f * (float)i : hostile[(trial * 7 + i * i) % 8];
        k_quantize_rows(rows, &scale, &zero, x, K, 1, n);
        ref_quantize_rows(twin, &twin_scale, &twin_zero, x, K, 1, n);
        int is_number = 1;
        for (int i = 0; i < n; i++) {
            is_number = is_number && isfinite(x[i]);
            least = fminf(least, x[i]);
            greatest = fmaxf(greatest, x[i]);
        }
        is_number = is_number && isfinite(greatest - least);
        CHECK_INT(isfinite(scale), is_number);
        CHECK_INT(zero, twin_zero);
        CHECK(is_number ? scale == twin_scale : isnan(scale) && isnan(twin_scale));
        lost += !is_number;
        for (int i = 0; i < PANEL; i++) w_scales[i] = i % 2 ? 0.0f : 1.0f;
        k_gemm_i8(out, PANEL, rows, &scale, &zero, panels, w_scales, sums, NULL, 1, PANEL, n);
        ref_gemm_i8(twin_out, PANEL, twin, &twin_scale, &twin_zero, panels, w_scales, sums, NULL, 1, PANEL, n);
        for (int i = 0; i < PANEL; i++) CHECK(isnan(out[i]) == !is_number && isnan(twin_out[i]) == !is_number);
        if (n == K) {
#ifdef HEED_RELAXED
            for (int i = 0; i < K; i++) CHECK(rows[i] <= 127);
#else
            for (int i = 0; i < K; i++) CHECK(number(rows, i) >= -127 && number(rows, i) <= 127);
#endif
        }
        const float alpha = trial % 3 == 0 ? 0.0f : trial % 3 == 1 ? 20.0f : 1e38f;
        int is_row = 1; /* without a range that could overflow */
        for (int i = 0; i < n; i++) is_row = is_row && isfinite(x[i]);
        k_quantize_rows_8(wide, &scale, &zero, x, K, 1, n, alpha);
        ref_quantize_rows_8(twin, &twin_scale, &twin_zero, x, K, 1, n, alpha);
        CHECK(is_row ? scale == twin_scale : isnan(scale) && isnan(twin_scale));
        for (int i = 0; i < K; i++) {
            const int q = whole(wide, i, K, zero);
            CHECK(q >= 0 && q <= 254 && (!is_row || q == (i < n ? twin[i] : 127)));
        }
        if (alpha > 0.0f) k_gemm_fixed(out, PANEL, wide, &scale, &zero, panels, 0.5f, -2.0f, sums, NULL, 1, PANEL, n);
        else k_gemm_i8_8(out, PANEL, wide, &scale, &zero, panels, w_scales, sums, NULL, 1, PANEL, n);
        for (int i = 0; i < PANEL; i++) CHECK(isnan(out[i]) == !is_row);
        if (alpha == 0.0f) continue;
        float saturating, twin_saturating;
        k_gemm_saturating(&saturating, 1, x, K, &scale, alpha, panels, 3, 0.5f, -2.0f, 1, n);
        ref_gemm_saturating(&twin_saturating, 1, twin, &twin_scale, panels, 3, 0.5f, -2.0f, 1, n);
        CHECK(isnan(saturating) == !is_row && isnan(twin_saturating) == !is_row);
    }
    CHECK(lost > 100);
}

/*
 * Every m = 1..13: each row has the bits of the twin, hence the same for each m; nothing is written beside the rows.
 *   bits   of a row: 7, or 8 by its own scale (alpha 0) or by a fixed one
 */
static void test_gemm(int n, int k, int with_bias, int bits, float alpha) {
    const int ldx = k + 1, ldo = n + 2, columns = panel_rows(n);
    const float multiplier = 0.0123f, shift = -1.3f;
    guard g[11];
    int8_t *panels = guard_new(&g[0], (size_t)columns * (size_t)quantized_cols(k)), *w = guard_new(&g[1], (size_t)k);
    int32_t *sums = guard_new(&g[2], (size_t)columns * 4), *zeros = guard_new(&g[3], M * 4);
    float *w_scales = guard_new(&g[4], (size_t)columns * 4), *bias = guard_new(&g[5], (size_t)n * 4);
    float *scales = guard_new(&g[6], M * 4), *x = guard_new(&g[7], (size_t)(M * ldx) * 4);
    float *want = guard_new(&g[8], (size_t)(M * n) * 4);
    uint8_t *plain = guard_new(&g[9], (size_t)(M * k));
    int8_t *twin = guard_new(&g[10], (size_t)columns * (size_t)quantized_cols(k));
    const int8_t least = bits == 8 ? -128 : -127;
    memset(panels, 0, (size_t)columns * (size_t)quantized_cols(k));
    memset(sums, 0, (size_t)columns * 4);
    memset(w_scales, 0, (size_t)columns * 4);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++)
            w[c] = (int8_t)(i % 5 == 4 ? (c % 2 ? 127 : least) : (int)(guard_random() * 127.9f));
        ref_pack_row_i8(twin, sums, i, w, k);
        k_pack_row_i8(panels, sums, i, w, k);
        w_scales[i] = 0.01f + (guard_random() + 1.0f) * 0.01f;
    }
    guard_fill(bias, (size_t)n, 1.0f);
    fill_activations(x, ldx, M, k);
    const float *b = with_bias ? bias : NULL;
    if (bits == 8) ref_quantize_rows_8(plain, scales, zeros, x, ldx, M, k, alpha);
    else ref_quantize_rows(plain, scales, zeros, x, ldx, M, k);
    if (alpha > 0.0f) ref_gemm_fixed(want, n, plain, scales, zeros, twin, multiplier, shift, sums, b, M, n, k);
    else if (bits == 8) ref_gemm_i8_8(want, n, plain, scales, zeros, twin, w_scales, sums, b, M, n, k);
    else ref_gemm_i8(want, n, plain, scales, zeros, twin, w_scales, sums, b, M, n, k);
    for (int m = 1; m <= M; m++) {
        guard gr, go;
        void *rows = guard_new(&gr, quantized_bytes(m, k));
        float *out = guard_new(&go, (size_t)((m - 1) * ldo + n) * 4);
        if (bits == 8) k_quantize_rows_8(rows, scales, zeros, x, ldx, m, k, alpha);
        else k_quantize_rows(rows, scales, zeros, x, ldx, m, k);
        if (alpha > 0.0f) k_gemm_fixed(out, ldo, rows, scales, zeros, panels, multiplier, shift, sums, b, m, n, k);
        else if (bits == 8) k_gemm_i8_8(out, ldo, rows, scales, zeros, panels, w_scales, sums, b, m, n, k);
        else k_gemm_i8(out, ldo, rows, scales, zeros, panels, w_scales, sums, b, m, n, k);
        for (int i = 0; i < m; i++) CHECK(memcmp(out + i * ldo, want + i * n, (size_t)n * 4) == 0);
        for (int i = 0; i + 1 < m; i++) CHECK(isnan(out[i * ldo + n]) && isnan(out[i * ldo + n + 1]));
        CHECK(guard_end(&gr));
        CHECK(guard_end(&go));
    }
    for (int i = 0; i < 11; i++) CHECK(guard_end(&g[i]));
}

/*
 * Sums of pairs that saturate have the twin's bits; where none can, those of fixed scales.  A third of the weight rows
 * are so small that none can, and a third have one pair that just can or just cannot.
 *   *lost   added to: how many numbers saturation changed
 */
static void test_saturating(int n, int k, float alpha, int *lost) {
    const int ldx = k + 1, ldo = n + 2, columns = panel_rows(n);
    const float multiplier = 0.0123f, shift = -1.3f;
    guard g[11];
    int8_t *panels = guard_new(&g[0], (size_t)columns * (size_t)quantized_cols(k)), *w = guard_new(&g[1], (size_t)k);
    int8_t *twin = guard_new(&g[2], (size_t)columns * (size_t)quantized_cols(k));
    int32_t *sums = guard_new(&g[3], (size_t)columns * 4), *zeros = guard_new(&g[4], M * 4);
    float *scales = guard_new(&g[5], M * 4), *x = guard_new(&g[6], (size_t)((M - 1) * ldx + k) * 4);
    float *out = guard_new(&g[7], (size_t)((M - 1) * ldo + n) * 4);
    uint8_t *plain = guard_new(&g[8], (size_t)(M * k));
    void *rows = guard_new(&g[9], quantized_bytes(M, k));
    float *got = guard_new(&g[10], (2 * M - 1) * 4);
    float all_x[M * 300];
    CHECK(ldx <= 300);
    fill_activations(all_x, ldx, M, k);
    memcpy(x, all_x, (size_t)((M - 1) * ldx + k) * 4);
    memset(panels, 0, (size_t)columns * (size_t)quantized_cols(k));
    memset(sums, 0, (size_t)columns * 4);
    ref_quantize_rows_8(plain, scales, zeros, x, ldx, M, k, alpha);
    k_quantize_rows_8(rows, scales, zeros, x, ldx, M, k, alpha);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) w[c] = (int8_t)(guard_random() * (i % 3 ? 64.9f : 127.9f));
        if (i % 3 == 1 && k > 1) {
            const int at = (i * 7) % (k / 2) * 2, sign = i % 2 ? 1 : -1;
            w[at] = (int8_t)(sign * 70);
            w[at + 1] = (int8_t)(sign * (59 + i % 4 / 2));
            CHECK_INT(k_saturates(w, k), i % 4 / 2);
        }
        CHECK(i % 3 != 2 || !k_saturates(w, k));
        CHECK_INT(k_saturates(w, k), ref_saturates(w, k));
        ref_pack_row_i8(twin, sums, i, w, k);
        k_pack_row_i8(panels, sums, i, w, k);
    }
    k_gemm_fixed(out, ldo, rows, scales, zeros, panels, multiplier, shift, sums, NULL, M, n, k);
    for (int i = 0; i < n; i++) {
        const float prepared = (float)sums[i] * shift;
        float want[M];
        k_gemm_saturating(got, 2, x, ldx, scales, alpha, panels, i, multiplier, prepared, M, k);
        ref_gemm_saturating(want, 1, plain, scales, twin, i, multiplier, prepared, M, k);
        ref_unpack_row_i8(w, twin, i, k);
        for (int r = 0; r < M; r++) {
            CHECK(memcmp(&got[2 * r], &want[r], sizeof want[r]) == 0);
            CHECK(r + 1 == M || isnan(got[2 * r + 1]));
            *lost += got[2 * r] != out[r * ldo + i];
            CHECK(got[2 * r] == out[r * ldo + i] || k_saturates(w, k));
        }
    }
    for (int i = 0; i < 11; i++) CHECK(guard_end(&g[i]));
}

/*
 * The greatest sum there can be: 65536 products of 127 and 127, in both signs; of rows with a fixed scale, of 254 and
 * -128.
 */
static void test_greatest_sum(void) {
    enum { K = 65536 };
    static int8_t panels[8 * K], row[K];
    static float x[2 * K];
    static unsigned char rows[2 * (K + ROW_TAIL) * 2];
    int32_t sums[8], zeros[2];
    float w_scales[8], scales[2], out[16];
    for (int n = 0; n < 8; n++) {
        memset(row, n % 2 ? -127 : 127, K);
        k_pack_row_i8(panels, sums, n, row, K);
        w_scales[n] = 1.0f;
    }
    for (int i = 0; i < K; i++) {
        x[i] = 127.0f;
        x[K + i] = -127.0f;
    }
    CHECK(sizeof rows >= quantized_bytes(2, K));
    k_quantize_rows(rows, scales, zeros, x, K, 2, K);
    k_gemm_i8(out, 8, rows, scales, zeros, panels, w_scales, sums, NULL, 2, 8, K);
    for (int i = 0; i < 16; i++) CHECK(out[i] == (i / 8 == i % 2 ? 1057030144.0f : -1057030144.0f)); /* 127^2 * 2^16 */
    k_quantize_rows_8(rows, scales, zeros, x, K, 2, K, 0.0f);
    k_gemm_i8_8(out, 8, rows, scales, zeros, panels, w_scales, sums, NULL, 2, 8, K);
    for (int i = 0; i < 16; i++) CHECK(out[i] == (i / 8 == i % 2 ? 1057030144.0f : -1057030144.0f));
    memset(row, -128, K);
    k_pack_row_i8(panels, sums, 0, row, K);
    k_quantize_rows_8(rows, scales, zeros, x, K, 2, K, 1.0f);
    k_gemm_fixed(out, 8, rows, scales, zeros, panels, 1.0f, 0.0f, sums, NULL, 2, 8, K);
    CHECK(out[0] == -254.0f * 128.0f * K && out[8] == 0.0f && out[2] == 254.0f * 127.0f * K);
}

/*
 * As a whole: quantised weights and activations multiply like the floats they stand for.  Each weight is off by up to
 * half its step and each activation by up to one; the bound adds up what that can come to.
 */
static void test_meaning(void) {
    enum { ROWS = 5, N = 24, K = 100 };
    static float w[N * K], x[ROWS * K], scales[ROWS], w_scales[N], out[ROWS * N];
    static int8_t panels[N * 112], q[K];
    static unsigned char rows[ROWS * (112 + ROW_TAIL) * 2];
    int32_t sums[N], zeros[ROWS];
    guard_fill(w, N * K, 0.1f);
    guard_fill(x, ROWS * K, 1.0f);
    for (int n = 0; n < N; n++) {
        w_scales[n] = k_quantize_weights(q, w + n * K, K);
        k_pack_row_i8(panels, sums, n, q, K);
    }
    k_quantize_rows(rows, scales, zeros, x, K, ROWS, K);
    k_gemm_i8(out, N, rows, scales, zeros, panels, w_scales, sums, NULL, ROWS, N, K);
    for (int r = 0; r < ROWS; r++) {
        for (int n = 0; n < N; n++) {
            double sum = 0.0, bound = 1e-5;
            for (int i = 0; i < K; i++) {
                const double a = (double)x[r * K + i], b = (double)w[n * K + i];
                sum += a * b;
                bound +=
                    fabs(a) * 0.5 * (double)w_scales[n] + (fabs(b) + 0.5 * (double)w_scales[n]) * (double)scales[r];
            }
            CHECK(fabs((double)out[r * N + n] - sum) <= bound);
        }
    }
}

/* What a ReLU leaves: few numbers; none; all; too small; one that is no number, or the greatest. */
static void fill_sparse(float *x, int ldx, int m, int k) {
    static const float STRANGE[] = {NAN, INFINITY};
    guard_fill(x, (size_t)m * (size_t)ldx, 3.0f);
    for (int r = 0; r < m; r++) {
        for (int i = 0; i < k; i++) {
            float *v = x + (size_t)r * (size_t)ldx + i;
            if (r % 7 == 6) *v = fabsf(*v) + 0.1f;
            else if (*v < 1.5f || r % 7 == 1) *v = i % 2 ? 0.0f : -0.0f;
            if (r % 7 == 2) *v *= 1e-33f;
            if (r % 7 == 3 && i == k / 2) *v = STRANGE[r / 7 % 2];
            if (r % 7 == 4 && i == k / 2) *v = 3e38f;
        }
    }
}

/*
 * Rows that are mostly 0 have the bits of the twin, and of the products of whole rows.  Nothing is written beside the
 * rows.
 *   alpha   of a fixed scale, or 0
 */
static void test_sparse(int n, int k, int with_bias, float alpha) {
    const int ldx = k + 1, ldo = n + 2, columns = group_rows(n);
    const size_t size = (size_t)columns * (size_t)k, panels_size = (size_t)panel_rows(n) * (size_t)quantized_cols(k);
    const float multiplier = 0.0123f, shift = -1.3f;
    guard g[14];
    int8_t *groups = guard_new(&g[0], size), *twin = guard_new(&g[1], size), *w = guard_new(&g[2], (size_t)k);
    int8_t *panels = guard_new(&g[3], panels_size), *back = guard_new(&g[13], (size_t)k);
    int32_t *sums = guard_new(&g[4], (size_t)columns * 4), *twin_sums = guard_new(&g[5], (size_t)columns * 4);
    float *w_scales = guard_new(&g[6], (size_t)columns * 4), *bias = guard_new(&g[7], (size_t)n * 4);
    float *x = guard_new(&g[8], (size_t)(M * ldx) * 4), *want = guard_new(&g[9], (size_t)(M * n) * 4);
    float *whole_rows = guard_new(&g[10], (size_t)(M * n) * 4);
    uint8_t *plain = guard_new(&g[11], (size_t)(M * k)), *dense = guard_new(&g[12], quantized_bytes(M, k));
    float scales[M], twin_scales[M];
    int32_t zeros[M], twin_zeros[M];
    memset(groups, 0, size);
    memset(twin, 0, size);
    memset(panels, 0, panels_size);
    memset(sums, 0, (size_t)columns * 4);
    memset(w_scales, 0, (size_t)columns * 4);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) w[c] = (int8_t)(i % 5 == 4 ? (c % 2 ? 127 : -128) : (int)(guard_random() * 127.9f));
        k_pack_row_sparse(groups, sums, i, w, k);
        ref_pack_row_sparse(twin, twin_sums, i, w, k);
        k_pack_row_i8(panels, sums, i, w, k);
        CHECK_INT(sums[i], twin_sums[i]);
        k_unpack_row_sparse(back, groups, i, k);
        CHECK(memcmp(back, w, (size_t)k) == 0);
        ref_unpack_row_sparse(back, twin, i, k);
        CHECK(memcmp(back, w, (size_t)k) == 0);
        w_scales[i] = 0.01f + (guard_random() + 1.0f) * 0.01f;
    }
    CHECK(memcmp(groups, twin, size) == 0);
    guard_fill(bias, (size_t)n, 1.0f);
    fill_sparse(x, ldx, M, k);
    const float *b = with_bias ? bias : NULL;
    ref_quantize_sparse(plain, twin_scales, twin_zeros, x, ldx, M, k, alpha);
    if (alpha > 0.0f) {
        ref_gemm_sparse_fixed(want, n, plain, twin_scales, twin_zeros, twin, multiplier, shift, sums, b, M, n, k);
        k_quantize_rows_8(dense, scales, zeros, x, ldx, M, k, alpha);
        k_gemm_fixed(whole_rows, n, dense, scales, zeros, panels, multiplier, shift, sums, b, M, n, k);
    } else {
        ref_gemm_sparse(want, n, plain, twin_scales, twin_zeros, twin, w_scales, sums, b, M, n, k);
        k_quantize_rows(dense, scales, zeros, x, ldx, M, k);
        k_gemm_i8(whole_rows, n, dense, scales, zeros, panels, w_scales, sums, b, M, n, k);
    }
    for (int m = 1; m <= M; m++) {
        guard gr, go;
        void *rows = guard_new(&gr, sparse_bytes(m, k));
        float *out = guard_new(&go, (size_t)((m - 1) * ldo + n) * 4);
        k_quantize_sparse(rows, scales, zeros, x, ldx, m, k, alpha);
        CHECK(memcmp(scales, twin_scales, (size_t)m * 4) == 0 && memcmp(zeros, twin_zeros, (size_t)m * 4) == 0);
        if (alpha > 0.0f)
            k_gemm_sparse_fixed(out, ldo, rows, scales, zeros, groups, multiplier, shift, sums, b, m, n, k);
        else k_gemm_sparse(out, ldo, rows, scales, zeros, groups, w_scales, sums, b, m, n, k);
        for (int i = 0; i < m; i++) {
            const float *row = out + i * ldo;
            for (int c = 0; c < n; c++) {
                CHECK(isnan(scales[i]) ? isnan(row[c]) : memcmp(row + c, want + i * n + c, 4) == 0);
                CHECK(isnan(scales[i]) ? isnan(want[i * n + c]) : row[c] == whole_rows[i * n + c]);
            }
        }
        for (int i = 0; i + 1 < m; i++) CHECK(isnan(out[i * ldo + n]) && isnan(out[i * ldo + n + 1]));
        CHECK(guard_end(&gr));
        CHECK(guard_end(&go));
    }
    for (int i = 0; i < 14; i++) CHECK(guard_end(&g[i]));
}

/* Without negatives, 8 bits are the same as 7, so one form of sparse rows serves both. */
static void test_sparse_8(void) {
    enum { N = 24, K = 48 };
    float x[M * K], scales[M], w_scales[32], out[M * N], want[M * N];
    int32_t sums[32] = {0}, zeros[M];
    static int8_t panels[N * K], groups[32 * K], w[K];
    static unsigned char rows[M * 2 * K * 4];
    CHECK_INT(group_rows(N), 32);
    fill_sparse(x, K, M, K);
    for (int n = 0; n < 32; n++) w_scales[n] = 0.01f;
    for (int n = 0; n < N; n++) {
        for (int k = 0; k < K; k++) w[k] = (int8_t)(guard_random() * 127.9f);
        k_pack_row_i8(panels, sums, n, w, K);
        k_pack_row_sparse(groups, sums, n, w, K);
    }
    CHECK(sizeof rows >= quantized_bytes(M, K) && sizeof rows >= sparse_bytes(M, K));
    k_quantize_rows_8(rows, scales, zeros, x, K, M, K, 0.0f);
    k_gemm_i8_8(want, N, rows, scales, zeros, panels, w_scales, sums, NULL, M, N, K);
    k_quantize_sparse(rows, scales, zeros, x, K, M, K, 0.0f);
    k_gemm_sparse(out, N, rows, scales, zeros, groups, w_scales, sums, NULL, M, N, K);
    for (int i = 0; i < M * N; i++) CHECK(out[i] == want[i] || (isnan(out[i]) && isnan(want[i])));
}

/* The greatest sum of a row without a number that is 0; and places up to 65535, whose weights differ. */
static void test_sparse_greatest_sum(void) {
    enum { K = 65536 };
    static int8_t groups[GROUP * K], row[K];
    static float x[K];
    static unsigned char rows[K * 5];
    int32_t sums[GROUP] = {0}, zero;
    float w_scales[GROUP] = {1.0f}, scale, out;
    memset(row, -128, K);
    k_pack_row_sparse(groups, sums, 0, row, K);
    for (int i = 0; i < K; i++) x[i] = 127.0f;
    CHECK(sizeof rows >= sparse_bytes(1, K));
    k_quantize_sparse(rows, &scale, &zero, x, K, 1, K, 0.0f);
    k_gemm_sparse(&out, 1, rows, &scale, &zero, groups, w_scales, sums, NULL, 1, 1, K);
    CHECK(out == -127.0f * 128.0f * K);
    static const int AT[] = {255, 1024, 32767, 32768, 65535};
    int want = 0;
    for (int i = 0; i < K; i++) row[i] = (int8_t)(i * 31 % 251 - 125);
    k_pack_row_sparse(groups, sums, 0, row, K);
    memset(x, 0, sizeof x);
    for (int i = 0; i < 5; i++) {
        x[AT[i]] = (float)(127 - i);
        want += (127 - i) * row[AT[i]];
    }
    k_quantize_sparse(rows, &scale, &zero, x, K, 1, K, 0.0f);
    k_gemm_sparse(&out, 1, rows, &scale, &zero, groups, w_scales, sums, NULL, 1, 1, K);
    CHECK(out == (float)want);
}

int main(void) {
    for (int i = 0; i < N_SIZES; i++) {
        for (int j = 0; j < N_SIZES; j++) {
            test_gemm(SIZES[i], SIZES[j], j % 2, 7, 0.0f);
            test_gemm(SIZES[i], SIZES[j], j % 2, 8, i % 2 ? 7.3f : 0.0f);
            test_sparse(SIZES[i], SIZES[j], j % 2, i % 2 ? 7.3f : 0.0f);
            if (i % 3 == j % 3) test_pack(SIZES[i], SIZES[j]);
        }
        test_gemm(SIZES[i], 40, 0, 7, 0.0f);
        test_weights(SIZES[i], 1.0f);
        test_weights(SIZES[i], 1e-20f);
        test_weights(SIZES[i], 1e-33f);
        test_weights(SIZES[i], 1e30f);
        test_rows(1, SIZES[i]);
        test_rows(M, SIZES[i]);
        test_rows_8(1, SIZES[i], 0.0f);
        test_rows_8(M, SIZES[i], 0.0f);
        test_rows_8(1, SIZES[i], 42.0f);
        test_rows_8(M, SIZES[i], 3.8f);
    }
    test_gemm(520, 260, 1, 7, 0.0f);
    test_gemm(4100, 260, 1, 7, 0.0f); /* several turns of columns */
    test_gemm(20, 16400, 1, 7, 0.0f); /* turns of one panel */
    test_gemm(20, 0, 1, 7, 0.0f);
    test_gemm(4100, 260, 1, 8, 0.0f);
    test_gemm(520, 260, 1, 8, 11.1f);
    test_gemm(520, 260, 1, 8, 0.0f);
    int lost = 0;
    for (int i = 0; i < N_SIZES; i++) test_saturating(24, SIZES[i], i % 2 ? 7.3f : 60.0f, &lost);
    test_saturating(520, 260, 11.1f, &lost);
    CHECK(lost > 500);
    test_sparse(40, 260, 1, 0.0f);
    test_sparse(40, 260, 1, 11.1f);
    test_sparse_8();
    test_sparse_greatest_sum();
    test_ties();
    test_smallest_weights();
    test_hostile_rows();
    test_greatest_sum();
    test_meaning();
    return check_summary(PROGRAM);
}
