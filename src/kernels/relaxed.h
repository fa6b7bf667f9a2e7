/*
 * relaxed.h - the one relaxed SIMD instruction in use, under one name for all compilers.
 *
 * Depends on: nothing.  Used by: gemm_i8.c when compiled with HEED_RELAXED (wasm: -mrelaxed-simd, clang 16 or later).
 */
#ifndef HEED_KERNELS_RELAXED_H
#define HEED_KERNELS_RELAXED_H

#include <wasm_simd128.h>

/* Lane i: c + the sum of w * q over bytes 4i..4i+3.  w is in -128..127; only for q in 0..127 do all hosts agree. */
static inline v128_t dot_i8_u7(v128_t w, v128_t q, v128_t c) {
#if defined(__wasm__) && defined(__clang_major__) && __clang_major__ < 19
    /* clang has the final instruction as a builtin since 16, but names it in the header only since 19 */
    typedef signed char bytes __attribute__((__vector_size__(16)));
    typedef int words __attribute__((__vector_size__(16)));
    return (v128_t)__builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4((bytes)w, (bytes)q, (words)c);
#else
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, q, c);
#endif
}

#endif /* HEED_KERNELS_RELAXED_H */
