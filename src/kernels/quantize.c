/* quantize.c - floats to int8 weights and to rows of activations of 7 or 8 bits, and the int8 panels; see kernels.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/quantized.h"
#include "kernels/simd.h"

/* A row with a smaller span counts as all zeros, because 127 / span would overflow. */
static const float LEAST_SPAN = 1e-30f;

INLINE int32_t round_scaled_1(float x, float s) {
    return wasm_i32x4_extract_lane(round_scaled(wasm_f32x4_splat(x), wasm_f32x4_splat(s)), 0);
}

void k_pack_row_i8(int8_t *panels, int32_t *sums, int n, const int8_t *row, int k) {
    int8_t *p = panels + place_i8(n, k), last[16] = {0};
    v128_t sum = wasm_i32x4_splat(0);
    if (k % 16 != 0) memcpy(last, row + k / 16 * 16, (size_t)(k % 16));
    for (int i = 0; i < k; i += 16, row += 16, p += (size_t)16 * PANEL) {
        v128_t v = wasm_v128_load(k - i < 16 ? last : row);
        sum = wasm_i32x4_add(sum, wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extadd_pairwise_i8x16(v)));
        v = wasm_v128_xor(v, wasm_i16x8_splat(EVEN_SIGN));
        wasm_v128_store32_lane(p, v, 0);
        wasm_v128_store32_lane(p + (size_t)4 * PANEL, v, 1);
        wasm_v128_store32_lane(p + (size_t)8 * PANEL, v, 2);
        wasm_v128_store32_lane(p + (size_t)12 * PANEL, v, 3);
    }
    int32_t lanes[4];
    wasm_v128_store(lanes, sum);
    sums[n] = lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

void k_unpack_row_i8(int8_t *row, const int8_t *panels, int n, int k) {
    const int8_t *p = panels + place_i8(n, k);
    for (int i = 0; i < k; i++)
        row[i] = (int8_t)(p[(size_t)(i / 4) * 4 * PANEL + (size_t)(i % 4)] ^ (i % 2 ? 0 : (int8_t)EVEN_SIGN));
}

/*
 * How far x [n] reaches above and below 0; *above is NaN if x has one.  The function is not inlined, and both results
 * are positive, because clang 14 does not terminate on negations here.
 */
NOINLINE void row_span(const float *x, int n, float *above, float *below) {
    v128_t high = wasm_f32x4_splat(0.0f), low = high, nan = high;
    for (int i = 0; i < n; i += 4) {
        v128_t v = load_part(x + i, n - i, 0.0f);
        nan = wasm_v128_or(nan, wasm_f32x4_ne(v, v)); /* pmax and pmin skip it */
        high = wasm_f32x4_pmax(high, v);
        low = wasm_f32x4_pmin(low, v);
    }
    *above = wasm_v128_any_true(nan) ? NAN : max_lanes(high);
    *below = max_lanes(wasm_f32x4_abs(low));
}

float k_quantize_weights(int8_t *row, const float *x, int k) {
    float above, below;
    row_span(x, k, &above, &below);
    const float span = above > below ? above : below;
    if (!(span >= LEAST_SPAN)) {
        memset(row, 0, (size_t)k);
        return 0.0f;
    }
    const v128_t inverse = wasm_f32x4_splat(127.0f / span);
    for (int i = 0; i < k; i += 4) {
        int32_t q[4];
        wasm_v128_store(q, round_scaled(load_part(x + i, k - i, 0.0f), inverse));
        for (int j = 0; j < 4 && i + j < k; j++) row[i + j] = (int8_t)q[j];
    }
    return span / 127.0f;
}

size_t quantized_bytes(int m, int k) { return (size_t)m * quantized_row(k, 2) * sizeof(quantized); }

#ifdef HEED_RELAXED
INLINE void store_tail(quantized *out, v128_t sum) { (void)out, (void)sum; }
#else
/*
 * Store 16 integers x of -127..127: of each quad x0, x2, x1 - 256 x0, x3 - 256 x2.  Returns `sum` plus 128 times those
 * of even k.
 */
INLINE v128_t store_pairs(quantized *out, v128_t low, v128_t high, v128_t sum) {
    const v128_t all[2] = {low, high}, even = wasm_i16x8_make(128, 128, 0, 0, 128, 128, 0, 0);
    for (int i = 0; i < 2; i++) {
        const v128_t x = wasm_i16x8_shuffle(all[i], all[i], 0, 2, 1, 3, 4, 6, 5, 7);
        wasm_v128_store(out + 8 * i, wasm_i16x8_sub(x, wasm_i16x8_shl(wasm_i64x2_shl(x, 32), 8)));
        sum = wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(x, even));
    }
    return sum;
}

/* The products add 128 times each x of even k too much, so their sums begin below 0. */
INLINE void store_tail(quantized *out, v128_t sum) {
    int32_t lanes[4];
    wasm_v128_store(lanes, sum);
    const int32_t start = -(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
    memcpy(out, &start, sizeof start);
}
#endif

/* Store 4 x 4 integers, q - zero, to out [16]; q is clamped to 0..127.  `sum` as store_pairs has it. */
INLINE v128_t store_7_bits(quantized *out, v128_t a, v128_t b, v128_t c, v128_t d, int zero, v128_t sum) {
    const v128_t least = wasm_i16x8_splat((int16_t)-zero), most = wasm_i16x8_splat((int16_t)(127 - zero));
    v128_t low = wasm_i16x8_min(wasm_i16x8_max(wasm_i16x8_narrow_i32x4(a, b), least), most);
    v128_t high = wasm_i16x8_min(wasm_i16x8_max(wasm_i16x8_narrow_i32x4(c, d), least), most);
#ifdef HEED_RELAXED
    wasm_v128_store(out, wasm_i8x16_add(wasm_i8x16_narrow_i16x8(low, high), wasm_i8x16_splat((int8_t)zero)));
    return sum;
#else
    return store_pairs(out, low, high, sum);
#endif
}

/*
 * Store 4 x 4 integers of -127..127.  Plain SIMD128: to out [16].  Relaxed: 127 + min(i, 0) to out [16] and max(i, 0)
 * to out [next..], whose sum is i + 127.
 */
INLINE v128_t store_8_bits(quantized *out, v128_t a, v128_t b, v128_t c, v128_t d, size_t next, v128_t sum) {
    const v128_t low = wasm_i16x8_narrow_i32x4(a, b), high = wasm_i16x8_narrow_i32x4(c, d);
#ifdef HEED_RELAXED
    const v128_t i = wasm_i8x16_narrow_i16x8(low, high), none = wasm_i8x16_splat(0);
    wasm_v128_store(out, wasm_i8x16_add(wasm_i8x16_min(i, none), wasm_i8x16_splat(127)));
    wasm_v128_store(out + next, wasm_i8x16_max(i, none));
    return sum;
#else
    (void)next;
    return store_pairs(out, low, high, sum);
#endif
}

/* out [quantized_cols(k)] from x [k]; the padding quantises to 0, and its weights are 0. */
NOINLINE void quantize_row(quantized *out, const float *x, int k, float scale, int zero) {
    const v128_t s = wasm_f32x4_splat(scale);
    v128_t sum = wasm_i32x4_splat(0);
    float last[16] = {0};
    if (k % 16 != 0) memcpy(last, x + k / 16 * 16, (size_t)(k % 16) * sizeof *x);
    for (int i = 0; i < k; i += 16, x += 16, out += 16) {
        if (k - i < 16) x = last;
        sum = store_7_bits(out, round_scaled(wasm_v128_load(x), s), round_scaled(wasm_v128_load(x + 4), s),
                           round_scaled(wasm_v128_load(x + 8), s), round_scaled(wasm_v128_load(x + 12), s), zero, sum);
    }
    store_tail(out, sum);
}

void k_quantize_rows(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k) {
    quantized *out = rows;
    for (int i = 0; i < m; i++, out += quantized_row(k, 1)) {
        const float *row = x + (size_t)i * (size_t)ldx;
        float above, below;
        row_span(row, k, &above, &below);
        const float reach = above + below;
        const int is_finite = reach < INFINITY; /* else the scale is NaN, and so are all products */
        const float span = reach >= LEAST_SPAN ? reach : 0.0f;
        const float inverse = is_finite && span > 0.0f ? 127.0f / span : 0.0f;
        scales[i] = is_finite ? span / 127.0f : NAN;
        zeros[i] = is_finite ? round_scaled_1(below, inverse) : 0;
        quantize_row(out, row, k, inverse, zeros[i]);
    }
}

NOINLINE void quantize_row_8(quantized *out, const float *x, int k, float scale) {
    const v128_t s = wasm_f32x4_splat(scale);
    const size_t next = (size_t)quantized_cols(k);
    v128_t sum = wasm_i32x4_splat(0);
    float last[16] = {0};
    if (k % 16 != 0) memcpy(last, x + k / 16 * 16, (size_t)(k % 16) * sizeof *x);
    for (int i = 0; i < k; i += 16, x += 16, out += 16) {
        if (k - i < 16) x = last;
        sum = store_8_bits(out, round_clamped(x, s), round_clamped(x + 4, s), round_clamped(x + 8, s),
                           round_clamped(x + 12, s), next, sum);
    }
    store_tail(out, sum);
}

void k_quantize_rows_8(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k, float alpha) {
    quantized *out = rows;
    const int zero = alpha > 0.0f ? 0 : 127;
    for (int i = 0; i < m; i++, out += quantized_row(k, 2)) {
        const float *row = x + (size_t)i * (size_t)ldx;
        float above, below;
        row_span(row, k, &above, &below);
        const float reach = above > below ? above : below;
        const int is_finite = above < INFINITY && below < INFINITY;
        const float own = is_finite && reach >= LEAST_SPAN ? 127.0f / reach : 0.0f;
        scales[i] = !is_finite ? NAN : zero == 0 ? 1.0f : own > 0.0f ? reach / 127.0f : 0.0f;
        zeros[i] = zero;
        quantize_row_8(out, row, k, zero == 0 ? alpha : own);
    }
}

/* ------------------------------------------------------------------ rows that are mostly 0 */

/* Where element (n, 0) lies in groups. */
static size_t place_sparse(int n, int k) { return (size_t)(n / GROUP) * (size_t)k * GROUP + (size_t)(n % GROUP); }

void k_pack_row_sparse(int8_t *groups, int32_t *sums, int n, const int8_t *row, int k) {
    int8_t *at = groups + place_sparse(n, k);
    int32_t sum = 0;
    KEEP_LOOP for (int i = 0; i < k; i++, at += GROUP) {
        *at = row[i];
        sum += row[i];
    }
    sums[n] = sum;
}

void k_unpack_row_sparse(int8_t *row, const int8_t *groups, int n, int k) {
    const int8_t *at = groups + place_sparse(n, k);
    KEEP_LOOP for (int i = 0; i < k; i++, at += GROUP) row[i] = *at;
}

size_t sparse_bytes(int m, int k) { return (size_t)m * sparse_row(k); }

/* [mask] which of four bits are set, the lowest first; then anything. */
static const uint8_t PLACES[16][4] = {{0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
                                      {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};

/*
 * Writes the numbers of x [k] that do not round to 0.  A product too large for round_scaled gives a larger integer,
 * because no number is negative, and narrowing clamps that to 127.
 */
NOINLINE void quantize_row_sparse(sparse_head *out, const float *x, int k, float scale) {
    const size_t room = sparse_room(k);
    uint16_t *at = (uint16_t *)(out + 1);
    /* x as bytes first.  Where they are widened they end where the row does, so each is read before it is written. */
    uint8_t *q = (uint8_t *)(at + room) + room * (sizeof(quantized) - 1);
    const v128_t s = wasm_f32x4_splat(scale), none = wasm_i8x16_splat(0);
    int n = 0;
    float last[16] = {0};
    if (k % 16 != 0) memcpy(last, x + k / 16 * 16, (size_t)(k % 16) * sizeof *x);
    KEEP_LOOP for (int i = 0; i < k; i += 16, x += 16) {
        if (k - i < 16) x = last;
        v128_t i32[4];
        UNROLL for (int j = 0; j < 4; j++) i32[j] = round_scaled(wasm_v128_load(x + 4 * j), s);
        v128_t all = wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(i32[0], i32[1]),
                                             wasm_i16x8_narrow_i32x4(i32[2], i32[3]));
        const uint32_t masks = wasm_i8x16_bitmask(wasm_i8x16_gt(all, none));
        UNROLL for (int four = 0; four < 16; four += 4) {
            const uint32_t mask = masks >> four & 15;
            const v128_t those = wasm_v128_load32_zero(PLACES[mask]);
            wasm_v128_store64_lane(at + n, wasm_i16x8_add(wasm_u16x8_extend_low_u8x16(those),
                                                          wasm_i16x8_splat((int16_t)(i + four))), 0);
            wasm_v128_store32_lane(q + n, wasm_i8x16_swizzle(all, those), 0);
            n += __builtin_popcount(mask);
            all = wasm_i32x4_shuffle(all, all, 1, 2, 3, 0);
        }
    }
    wasm_v128_store(at + n, none);
    wasm_v128_store(q + n, none);
    *out = (sparse_head){.n = (n + 3) / 4 * 4};
#ifndef HEED_RELAXED
    quantized *wide = (quantized *)(at + room);
    v128_t sum = none;
    KEEP_LOOP for (int i = 0; i < n; i += 16) {
        const v128_t v = wasm_v128_load(q + i);
        sum = store_pairs(wide + i, wasm_u16x8_extend_low_u8x16(v), wasm_u16x8_extend_high_u8x16(v), sum);
    }
    store_tail((quantized *)&out->start, sum);
#endif
}

void k_quantize_sparse(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k, float alpha) {
    char *out = rows;
    for (int i = 0; i < m; i++, out += sparse_row(k)) {
        const float *row = x + (size_t)i * (size_t)ldx;
        float above, below;
        row_span(row, k, &above, &below);
        const int is_finite = above < INFINITY;
        assert(below == 0.0f);
        const float own = is_finite && above >= LEAST_SPAN ? 127.0f / above : 0.0f;
        scales[i] = !is_finite ? NAN : alpha > 0.0f ? 1.0f : own > 0.0f ? above / 127.0f : 0.0f;
        /* a number of a fixed scale is 127 + i, and only i is kept */
        zeros[i] = alpha > 0.0f ? -127 : 0;
        quantize_row_sparse((sparse_head *)(void *)out, row, k, alpha > 0.0f ? alpha : own);
    }
}
