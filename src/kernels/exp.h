/*
 * exp.h - e^x of four floats at once.
 *
 *     e^x = 2^n * e^r,   n = round(x / ln 2),   r = x - n ln 2,   |r| <= ln 2 / 2
 *
 * The relative error is below 1.2e-7.  Below -87.33 the result is 0; above 88.37 it stays at e^88.37.  It is therefore
 * never infinite or denormal.  -infinity gives exactly 0; a NaN stays NaN.
 *
 * Depends on: nothing.  Used by: softmax, log-sum-exp, gelu, swish, sigmoid.
 */
#ifndef HEED_KERNELS_EXP_H
#define HEED_KERNELS_EXP_H

#include "kernels/simd.h"

INLINE v128_t exp_f32x4(v128_t x) {
    const v128_t least = wasm_f32x4_splat(-87.33f);     /* ln of the smallest normal float is -87.336 */
    const v128_t magic = wasm_f32x4_splat(12582912.0f); /* 1.5 * 2^23: adding it leaves the integer in the low bits */
    v128_t underflow = wasm_f32x4_lt(x, least);
    /* pmax and pmin return their first argument when the comparison fails, so they keep a NaN */
    x = wasm_f32x4_pmin(wasm_f32x4_pmax(x, least), wasm_f32x4_splat(88.37f));

    v128_t shifted = wasm_f32x4_add(wasm_f32x4_mul(x, wasm_f32x4_splat(1.44269504f)), magic);
    v128_t n = wasm_f32x4_sub(shifted, magic);
    /* ln 2 is split in two.  The first part has so few bits that its product with n is exact. */
    v128_t r = wasm_f32x4_sub(x, wasm_f32x4_mul(n, wasm_f32x4_splat(0.693359375f)));
    r = wasm_f32x4_sub(r, wasm_f32x4_mul(n, wasm_f32x4_splat(-2.12194440e-4f)));

    /* e^r = 1 + r + r^2 q(r); q has the smallest maximal relative error on |r| <= 0.3466: 3e-9 */
    v128_t q = wasm_f32x4_splat(0.0013814599951729178f);
    q = mul_add(q, r, wasm_f32x4_splat(0.008368715643882751f));
    q = mul_add(q, r, wasm_f32x4_splat(0.04166838899254799f));
    q = mul_add(q, r, wasm_f32x4_splat(0.1666652113199234f));
    q = mul_add(q, r, wasm_f32x4_splat(0.4999999403953552f));
    v128_t e = wasm_f32x4_add(mul_add(wasm_f32x4_mul(r, r), q, r), wasm_f32x4_splat(1.0f));

    /* times 2^n: add n, the low bits of `shifted`, to the exponent */
    e = wasm_i32x4_add(e, wasm_i32x4_shl(shifted, 23));
    return wasm_v128_andnot(e, underflow);
}

#endif /* HEED_KERNELS_EXP_H */
