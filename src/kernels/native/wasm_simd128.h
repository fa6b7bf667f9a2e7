/*
 * wasm_simd128.h - the wasm SIMD intrinsics on other machines, through SIMDe; used by native builds (tests,
 * sanitizers), which have this directory on their include path.  A wasm compiler brings its own header.
 *
 * SIMDe is found as a system header (Debian: libsimde-dev).  Compile with -ffp-contract=off: a fused multiply-add
 * would round differently from wasm.
 */
#ifndef HEED_KERNELS_NATIVE_WASM_SIMD128_H
#define HEED_KERNELS_NATIVE_WASM_SIMD128_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/wasm/simd128.h>

#ifdef HEED_RELAXED
#include <assert.h>

/* SIMDe 0.7 predates the final instructions.  Their contract, b in 0..127, is asserted: past it, hosts differ. */
static inline v128_t wasm_i16x8_relaxed_dot_i8x16_i7x16(v128_t a, v128_t b) {
    assert(wasm_i8x16_bitmask(b) == 0);
    const v128_t low = wasm_i16x8_extmul_low_i8x16(a, b), high = wasm_i16x8_extmul_high_i8x16(a, b);
    return wasm_i16x8_add(wasm_i16x8_shuffle(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
                          wasm_i16x8_shuffle(low, high, 1, 3, 5, 7, 9, 11, 13, 15));
}

static inline v128_t wasm_i32x4_relaxed_dot_i8x16_i7x16_add(v128_t a, v128_t b, v128_t c) {
    assert(wasm_i8x16_bitmask(b) == 0);
    v128_t low = wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extmul_low_i8x16(a, b));
    v128_t high = wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extmul_high_i8x16(a, b));
    v128_t even = wasm_i32x4_shuffle(low, high, 0, 2, 4, 6), odd = wasm_i32x4_shuffle(low, high, 1, 3, 5, 7);
    return wasm_i32x4_add(c, wasm_i32x4_add(even, odd));
}
#endif

#endif /* HEED_KERNELS_NATIVE_WASM_SIMD128_H */
