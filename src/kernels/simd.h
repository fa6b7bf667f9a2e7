/*
 * simd.h - what the SIMD kernels share: partial loads and stores, horizontal sums, loop pragmas.
 *
 * A tail is loaded into a vector and padded with a value that the caller chooses.  So the same instructions compute a
 * tail element and any other, and nothing is read or written past an array.
 *
 * Depends on: nothing.  Used by: the k_ kernels only.
 */
#ifndef HEED_KERNELS_SIMD_H
#define HEED_KERNELS_SIMD_H

#include <wasm_simd128.h>

#define INLINE static inline __attribute__((always_inline))
/* Micro-kernels are not inlined, because wasm engines allocate registers far better in small functions. */
#define NOINLINE static __attribute__((noinline))

/*
 * The accumulators of a tile are arrays, which become registers once the loops over them are unrolled.  A loop over k
 * is not unrolled, because its hoisted loads would spill, nor vectorised, because it has vectors or is short.  Only
 * wasm needs these pragmas; native builds are for tests.
 */
#if defined(__clang__) && defined(__wasm__)
#define UNROLL    _Pragma("clang loop unroll(full)")
#define KEEP_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define UNROLL
#define KEEP_LOOP
#endif

/* The compiler must have this vector here.  Else it adds up others first, which takes more registers than there are. */
#ifdef __wasm__
#define HOLD(vector) __asm__ volatile("" : "+r"(vector))
#else
#define HOLD(vector) (void)(vector)
#endif

/* x[0..n), then `fill`; n >= 1.  Reads at most 4 elements. */
INLINE v128_t load_part(const float *x, int n, float fill) {
    if (n >= 4) return wasm_v128_load(x);
    return wasm_f32x4_make(x[0], n > 1 ? x[1] : fill, n > 2 ? x[2] : fill, fill);
}

/* Stores the first n lanes, n >= 1; at most 4. */
INLINE void store_part(float *x, v128_t v, int n) {
    if (n >= 4) {
        wasm_v128_store(x, v);
        return;
    }
    x[0] = wasm_f32x4_extract_lane(v, 0);
    if (n > 1) x[1] = wasm_f32x4_extract_lane(v, 1);
    if (n > 2) x[2] = wasm_f32x4_extract_lane(v, 2);
}

/* c + a * b, rounded twice: the same on every host. */
INLINE v128_t mul_add(v128_t a, v128_t b, v128_t c) { return wasm_f32x4_add(wasm_f32x4_mul(a, b), c); }

INLINE float sum_lanes(v128_t v) {
    v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(v, 0);
}

INLINE float max_lanes(v128_t v) {
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    v = wasm_f32x4_pmax(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2));
    return wasm_f32x4_extract_lane(v, 0);
}

#endif /* HEED_KERNELS_SIMD_H */
