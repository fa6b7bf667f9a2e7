/* quantize.c - floats to int8 weights and to 7-bit rows of activations, and the int8 panels; see kernels.h. */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/simd.h"

/* A row with a smaller span counts as all zeros, because 127 / span would overflow. */
static const float LEAST_SPAN = 1e-30f;

/* x * s to the nearest integer, ties to even; |x * s| < 2^22.  Adding 1.5 * 2^23 leaves the integer in the low bits. */
INLINE v128_t round_scaled(v128_t x, v128_t s) {
    v128_t shifted = wasm_f32x4_add(wasm_f32x4_mul(x, s), wasm_f32x4_splat(12582912.0f));
    return wasm_i32x4_sub(shifted, wasm_i32x4_splat(0x4b400000));
}

INLINE int32_t round_scaled_1(float x, float s) {
    return wasm_i32x4_extract_lane(round_scaled(wasm_f32x4_splat(x), wasm_f32x4_splat(s)), 0);
}

/* Where element (n, 0) lies in int8 panels. */
static size_t place_i8(int n, int k) {
    return (size_t)(n / PANEL) * (size_t)quantized_cols(k) * PANEL + (size_t)(n % PANEL) * 4;
}

void k_pack_row_i8(int8_t *panels, int32_t *sums, int n, const int8_t *row, int k) {
    int8_t *p = panels + place_i8(n, k);
    int32_t sum = 0;
    for (int i = 0; i < k; i++) {
        p[(size_t)(i / 4) * 4 * PANEL + (size_t)(i % 4)] = row[i];
        sum += row[i];
    }
    for (int i = k; i < quantized_cols(k); i++) p[(size_t)(i / 4) * 4 * PANEL + (size_t)(i % 4)] = 0;
    sums[n] = sum;
}

void k_unpack_row_i8(int8_t *row, const int8_t *panels, int n, int k) {
    const int8_t *p = panels + place_i8(n, k);
    for (int i = 0; i < k; i++) row[i] = p[(size_t)(i / 4) * 4 * PANEL + (size_t)(i % 4)];
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

/* What k_gemm_i8 multiplies: q itself for the relaxed dot, else q - zero in 16 bits. */
#ifdef HEED_RELAXED
typedef uint8_t quantized;
#else
typedef int16_t quantized;
#endif

size_t quantized_bytes(int m, int k) { return (size_t)m * (size_t)quantized_cols(k) * sizeof(quantized); }

/* Store 4 x 4 integers, q - zero, to out [16]; q is clamped to 0..127. */
INLINE void store_quantized(quantized *out, v128_t a, v128_t b, v128_t c, v128_t d, int zero) {
    const v128_t least = wasm_i16x8_splat((int16_t)-zero), most = wasm_i16x8_splat((int16_t)(127 - zero));
    v128_t low = wasm_i16x8_min(wasm_i16x8_max(wasm_i16x8_narrow_i32x4(a, b), least), most);
    v128_t high = wasm_i16x8_min(wasm_i16x8_max(wasm_i16x8_narrow_i32x4(c, d), least), most);
#ifdef HEED_RELAXED
    wasm_v128_store(out, wasm_i8x16_add(wasm_i8x16_narrow_i16x8(low, high), wasm_i8x16_splat((int8_t)zero)));
#else
    wasm_v128_store(out, low);
    wasm_v128_store(out + 8, high);
#endif
}

/* out [quantized_cols(k)] from x [k]; the padding quantises to 0, and its weights are 0. */
NOINLINE void quantize_row(quantized *out, const float *x, int k, float scale, int zero) {
    const v128_t s = wasm_f32x4_splat(scale);
    float last[16] = {0};
    if (k % 16 != 0) memcpy(last, x + k / 16 * 16, (size_t)(k % 16) * sizeof *x);
    for (int i = 0; i < k; i += 16, x += 16, out += 16) {
        if (k - i < 16) x = last;
        store_quantized(out, round_scaled(wasm_v128_load(x), s), round_scaled(wasm_v128_load(x + 4), s),
                        round_scaled(wasm_v128_load(x + 8), s), round_scaled(wasm_v128_load(x + 12), s), zero);
    }
}

void k_quantize_rows(void *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k) {
    quantized *out = rows;
    for (int i = 0; i < m; i++, out += quantized_cols(k)) {
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
