/* activation.c - ReLU, GELU, swish and the sigmoid in place, and the gate of the SSRU; see kernels.h. */
#include "kernels/exp.h"
#include "kernels/kernels.h"
#include "kernels/simd.h"

INLINE v128_t relu(v128_t x) { return wasm_f32x4_pmax(x, wasm_f32x4_splat(0.0f)); }

/*
 * x/2 (1 + erf(x/sqrt 2)) = x - x h for x >= 0,  x h for x < 0,  where h is the upper tail of the normal distribution:
 *
 *     h = e^(-x^2/2) p(t),   t = 1 / (1 + 0.3 |x|)
 *
 * p has degree 8 and no constant term.  It is fitted for the smallest maximal relative error on |x| <= 13.3: 1.2e-7, or
 * 4e-7 with rounding.  Beyond 13.3, h is 0 in float.
 */
INLINE v128_t gelu(v128_t x) {
    const v128_t one = wasm_f32x4_splat(1.0f), zero = wasm_f32x4_splat(0.0f);
    v128_t t = wasm_f32x4_div(one, mul_add(wasm_f32x4_abs(x), wasm_f32x4_splat(0.3f), one));
    v128_t p = wasm_f32x4_splat(0.036036696285009384f);
    p = mul_add(p, t, wasm_f32x4_splat(-0.1587153673171997f));
    p = mul_add(p, t, wasm_f32x4_splat(0.20896780490875244f));
    p = mul_add(p, t, wasm_f32x4_splat(-0.05609897896647453f));
    p = mul_add(p, t, wasm_f32x4_splat(0.12984511256217957f));
    p = mul_add(p, t, wasm_f32x4_splat(0.09952253103256226f));
    p = mul_add(p, t, wasm_f32x4_splat(0.12081697583198547f));
    p = mul_add(p, t, wasm_f32x4_splat(0.11962515860795975f));
    p = wasm_f32x4_mul(p, t);
    v128_t h = wasm_f32x4_mul(exp_f32x4(wasm_f32x4_mul(wasm_f32x4_mul(x, x), wasm_f32x4_splat(-0.5f))), p);
    v128_t xh = wasm_f32x4_mul(x, h);
    return wasm_v128_bitselect(wasm_f32x4_sub(x, xh), xh, wasm_f32x4_ge(x, zero));
}

/* y / (1 + e^-x) */
INLINE v128_t logistic(v128_t y, v128_t x) {
    return wasm_f32x4_div(y, wasm_f32x4_add(wasm_f32x4_splat(1.0f), exp_f32x4(wasm_f32x4_neg(x))));
}
INLINE v128_t swish(v128_t x) { return logistic(x, x); }
INLINE v128_t sigmoid(v128_t x) { return logistic(wasm_f32x4_splat(1.0f), x); }

/* (1 + tanh(u)) / 2 is sigmoid(2 u) */
INLINE v128_t gelu_new(v128_t x) {
    const v128_t cubic = wasm_f32x4_mul(wasm_f32x4_mul(x, x), wasm_f32x4_splat(0.0713548162726f)); /* 2 u = x ( */
    return logistic(x, wasm_f32x4_mul(x, wasm_f32x4_add(cubic, wasm_f32x4_splat(1.5957691216057308f))));
}

#define IN_PLACE(name, f)                                                                    \
    void name(float *x, size_t n) {                                                          \
        size_t i = 0;                                                                        \
        for (; n - i >= 4; i += 4) wasm_v128_store(x + i, f(wasm_v128_load(x + i)));         \
        if (i < n) store_part(x + i, f(load_part(x + i, (int)(n - i), 0.0f)), (int)(n - i)); \
    }
IN_PLACE(k_relu, relu)
IN_PLACE(k_gelu, gelu)
IN_PLACE(k_gelu_new, gelu_new)
IN_PLACE(k_swish, swish)
IN_PLACE(k_sigmoid, sigmoid)

void k_ssru(float *out, float *cell, const float *candidate, const float *forget, const float *before, size_t n) {
    for (size_t i = 0; i < n; i += 4) {
        const int left = n - i < 4 ? (int)(n - i) : 4;
        const v128_t f = load_part(forget + i, left, 0.0f), u = load_part(candidate + i, left, 0.0f);
        v128_t c = wasm_f32x4_mul(wasm_f32x4_sub(wasm_f32x4_splat(1.0f), f), u);
        if (before) c = mul_add(f, load_part(before + i, left, 0.0f), c);
        store_part(cell + i, c, left);
        store_part(out + i, relu(c), left);
    }
}
