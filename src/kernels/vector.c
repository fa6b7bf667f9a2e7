/* vector.c - kernels over one row: softmax, arg-max, LayerNorm, add, scale, dot; see kernels.h. */
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

#include "kernels/exp.h"
#include "kernels/simd.h"

/* The greatest element, skipping NaNs; -infinity if there is none. */
static float row_max(const float *x, int n) {
    v128_t m0 = wasm_f32x4_splat(-INFINITY), m1 = m0;
    int i = 0;
    for (; n - i >= 8; i += 8) {
        m0 = wasm_f32x4_pmax(m0, wasm_v128_load(x + i));
        m1 = wasm_f32x4_pmax(m1, wasm_v128_load(x + i + 4));
    }
    m0 = wasm_f32x4_pmax(m0, m1);
    for (; i < n; i += 4) m0 = wasm_f32x4_pmax(m0, load_part(x + i, n - i, -INFINITY));
    return max_lanes(m0);
}

void k_softmax(float *x, int n) {
    const float max = row_max(x, n);
    if (max == -INFINITY) { /* all masked: weights 0 instead of 0/0; a NaN stays */
        for (int i = 0; i < n; i++) x[i] = x[i] == -INFINITY ? 0.0f : NAN;
        return;
    }
    const v128_t shift = wasm_f32x4_splat(max);
    v128_t s0 = wasm_f32x4_splat(0.0f), s1 = s0;
    int i = 0;
    for (; n - i >= 8; i += 8) {
        v128_t a = exp_f32x4(wasm_f32x4_sub(wasm_v128_load(x + i), shift));
        v128_t b = exp_f32x4(wasm_f32x4_sub(wasm_v128_load(x + i + 4), shift));
        wasm_v128_store(x + i, a);
        wasm_v128_store(x + i + 4, b);
        s0 = wasm_f32x4_add(s0, a);
        s1 = wasm_f32x4_add(s1, b);
    }
    for (; i < n; i += 4) {
        const int part = n - i;
        v128_t a = exp_f32x4(wasm_f32x4_sub(load_part(x + i, part, -INFINITY), shift));
        store_part(x + i, a, part);
        s0 = wasm_f32x4_add(s0, a);
    }
    k_scale(x, x, 1.0f / sum_lanes(wasm_f32x4_add(s0, s1)), (size_t)n);
}

float k_log_sum_exp(const float *x, int n) {
    const float max = row_max(x, n);
    for (int i = 0; i < n && max == -INFINITY; i++)
        if (x[i] != max) return NAN;
    if (max == -INFINITY) return max;
    const v128_t shift = wasm_f32x4_splat(max);
    v128_t s0 = wasm_f32x4_splat(0.0f), s1 = s0;
    int i = 0;
    for (; n - i >= 8; i += 8) {
        s0 = wasm_f32x4_add(s0, exp_f32x4(wasm_f32x4_sub(wasm_v128_load(x + i), shift)));
        s1 = wasm_f32x4_add(s1, exp_f32x4(wasm_f32x4_sub(wasm_v128_load(x + i + 4), shift)));
    }
    for (; i < n; i += 4) {
        v128_t v = load_part(x + i, n - i, -INFINITY);
        s0 = wasm_f32x4_add(s0, exp_f32x4(wasm_f32x4_sub(v, shift)));
    }
    /* in double, so that the result is the same float with every libm */
    return (float)((double)max + log((double)sum_lanes(wasm_f32x4_add(s0, s1))));
}

float k_max(const float *x, int n) {
    v128_t nan = wasm_f32x4_splat(0.0f);
    for (int i = 0; i < n; i += 4) {
        const v128_t v = load_part(x + i, n - i, 0.0f);
        nan = wasm_v128_or(nan, wasm_f32x4_ne(v, v));
    }
    return wasm_v128_any_true(nan) ? NAN : row_max(x, n);
}

int k_argmax(const float *x, int n) {
    const float max = row_max(x, n);
    const v128_t m = wasm_f32x4_splat(max);
    int i = 0;
    while (n - i >= 4 && !wasm_v128_any_true(wasm_f32x4_eq(wasm_v128_load(x + i), m))) i += 4;
    for (; i < n; i++) {
        if (x[i] == max) return i;
    }
    return 0;
}

void k_layer_norm(float *out, const float *x, const float *residual, const float *gain, const float *bias, int n,
                  float epsilon) {
    const v128_t zero = wasm_f32x4_splat(0.0f);
    if (residual) {
        k_add(out, x, residual, (size_t)n);
        x = out;
    }
    v128_t s0 = zero, s1 = zero;
    int i = 0;
    for (; n - i >= 8; i += 8) {
        s0 = wasm_f32x4_add(s0, wasm_v128_load(x + i));
        s1 = wasm_f32x4_add(s1, wasm_v128_load(x + i + 4));
    }
    for (; i < n; i += 4) s0 = wasm_f32x4_add(s0, load_part(x + i, n - i, 0.0f));
    const float mean = sum_lanes(wasm_f32x4_add(s0, s1)) / (float)n;
    const v128_t mean4 = wasm_f32x4_splat(mean);

    s0 = s1 = zero;
    for (i = 0; n - i >= 8; i += 8) {
        v128_t a = wasm_f32x4_sub(wasm_v128_load(x + i), mean4);
        v128_t b = wasm_f32x4_sub(wasm_v128_load(x + i + 4), mean4);
        s0 = mul_add(a, a, s0);
        s1 = mul_add(b, b, s1);
    }
    for (; i < n; i += 4) {
        /* padded with the mean, which deviates by 0 */
        v128_t a = wasm_f32x4_sub(load_part(x + i, n - i, mean), mean4);
        s0 = mul_add(a, a, s0);
    }
    const float variance = sum_lanes(wasm_f32x4_add(s0, s1)) / (float)n;
    const v128_t rstd = wasm_f32x4_splat(1.0f / sqrtf(variance + epsilon));

    for (i = 0; n - i >= 4; i += 4) {
        v128_t y = wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(x + i), mean4), rstd);
        if (gain) y = wasm_f32x4_mul(y, wasm_v128_load(gain + i));
        if (bias) y = wasm_f32x4_add(y, wasm_v128_load(bias + i));
        wasm_v128_store(out + i, y);
    }
    if (i < n) {
        const int part = n - i;
        v128_t y = wasm_f32x4_mul(wasm_f32x4_sub(load_part(x + i, part, 0.0f), mean4), rstd);
        if (gain) y = wasm_f32x4_mul(y, load_part(gain + i, part, 0.0f));
        if (bias) y = wasm_f32x4_add(y, load_part(bias + i, part, 0.0f));
        store_part(out + i, y, part);
    }
}

void k_rms_norm(float *out, const float *x, const float *gain, int n, float epsilon) {
    const float rms = 1.0f / sqrtf(k_dot(x, x, n) / (float)n + epsilon);
    k_scale(out, x, rms, (size_t)n);
    k_multiply(out, out, gain, (size_t)n);
}

void k_add(float *out, const float *a, const float *b, size_t n) {
    size_t i = 0;
    for (; n - i >= 4; i += 4) wasm_v128_store(out + i, wasm_f32x4_add(wasm_v128_load(a + i), wasm_v128_load(b + i)));
    for (; i < n; i++) out[i] = a[i] + b[i];
}

void k_multiply(float *out, const float *a, const float *b, size_t n) {
    size_t i = 0;
    for (; n - i >= 4; i += 4) wasm_v128_store(out + i, wasm_f32x4_mul(wasm_v128_load(a + i), wasm_v128_load(b + i)));
    for (; i < n; i++) out[i] = a[i] * b[i];
}

void k_scale(float *out, const float *a, float s, size_t n) {
    const v128_t s4 = wasm_f32x4_splat(s);
    size_t i = 0;
    for (; n - i >= 4; i += 4) wasm_v128_store(out + i, wasm_f32x4_mul(wasm_v128_load(a + i), s4));
    for (; i < n; i++) out[i] = a[i] * s;
}

float k_dot(const float *a, const float *b, int n) {
    v128_t s0 = wasm_f32x4_splat(0.0f), s1 = s0;
    int i = 0;
    for (; n - i >= 8; i += 8) {
        s0 = mul_add(wasm_v128_load(a + i), wasm_v128_load(b + i), s0);
        s1 = mul_add(wasm_v128_load(a + i + 4), wasm_v128_load(b + i + 4), s1);
    }
    for (; i < n; i += 4) {
        const int part = n - i;
        s0 = mul_add(load_part(a + i, part, 0.0f), load_part(b + i, part, 0.0f), s0);
    }
    return sum_lanes(wasm_f32x4_add(s0, s1));
}
