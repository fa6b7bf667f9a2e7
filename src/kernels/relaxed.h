/*
 * relaxed.h - the relaxed SIMD instructions in use, under one name for all compilers.
 *
 * i32x4.relaxed_dot_i8x16_i7x16_add_s is one instruction of x64 with AVX-VNNI and of Arm with DotProd.  Elsewhere V8
 * needs five.  With HEED_PAIRS the same sums take three: i16x8.relaxed_dot_i8x16_i7x16_s adds pairs of products, a dot
 * with ones adds those, and an addition follows.  No sum is lost: two products of -128..127 and 0..127 fit 16 bits.
 *
 * Depends on: nothing.  Used by: gemm_i8.c when compiled with HEED_RELAXED (wasm: -mrelaxed-simd, clang 16 or later).
 */
#ifndef HEED_KERNELS_RELAXED_H
#define HEED_KERNELS_RELAXED_H

#include <wasm_simd128.h>

/* Lane i: c + the sum of w * q over bytes 4i..4i+3.  w is in -128..127; only for q in 0..127 do all hosts agree. */
static inline v128_t dot_i8_u7(v128_t w, v128_t q, v128_t c) {
#if defined(__wasm__) && defined(__clang_major__) && __clang_major__ < 19
    /* clang has the final instructions as builtins since 16, but names them in the header only since 19 */
    typedef signed char bytes __attribute__((__vector_size__(16)));
#ifdef HEED_PAIRS
    const v128_t pairs = (v128_t)__builtin_wasm_relaxed_dot_i8x16_i7x16_s_i16x8((bytes)w, (bytes)q);
#else
    typedef int words __attribute__((__vector_size__(16)));
    return (v128_t)__builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4((bytes)w, (bytes)q, (words)c);
#endif
#elif defined(HEED_PAIRS)
    const v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(w, q);
#else
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, q, c);
#endif
#ifdef HEED_PAIRS
    return wasm_i32x4_add(c, wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_splat(1)));
#endif
}

#endif /* HEED_KERNELS_RELAXED_H */
