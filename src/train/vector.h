/*
 * vector.h - as many floats at once as the target has lanes, for the loops that only training runs.
 *
 * Written with the compilers' vector types, so one source serves wasm SIMD128, SSE, AVX2 and AVX-512.  Unlike the
 * kernels, these loops may round differently on different hosts: training promises the same bits on one build only.
 *
 * Depends on: nothing.  Used by: train/.
 */
#ifndef HEED_TRAIN_VECTOR_H
#define HEED_TRAIN_VECTOR_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

typedef float vec __attribute__((vector_size(LANES * 4)));
typedef int32_t vec_int __attribute__((vector_size(LANES * 4)));
typedef uint32_t vec_bits __attribute__((vector_size(LANES * 4)));

static inline vec vec_load(const float *x) {
    vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void vec_store(float *x, vec v) { memcpy(x, &v, sizeof v); }

/* x[0..n), n <= LANES, then `fill`. */
static inline vec vec_load_part(const float *x, int n, float fill) {
    float lanes[LANES];
    for (int i = 0; i < LANES; i++) lanes[i] = fill;
    for (int i = 0; i < n; i++) lanes[i] = x[i];
    return vec_load(lanes);
}

static inline void vec_store_part(float *x, vec v, int n) {
    float lanes[LANES];
    vec_store(lanes, v);
    for (int i = 0; i < n; i++) x[i] = lanes[i];
}

static inline vec vec_all(float x) { return x - (vec){0}; }

static inline float vec_sum(vec v) {
    float lanes[LANES], sum = 0.0f;
    vec_store(lanes, v);
    for (int i = 0; i < LANES; i++) sum += lanes[i];
    return sum;
}

static inline float vec_greatest(vec v) {
    float lanes[LANES];
    vec_store(lanes, v);
    float max = lanes[0];
    for (int i = 1; i < LANES; i++) max = lanes[i] > max ? lanes[i] : max;
    return max;
}

/* a where mask is all ones, b where it is 0. */
static inline vec vec_select(vec_int mask, vec a, vec b) { return (vec)((mask & (vec_int)a) | (~mask & (vec_int)b)); }

static inline vec vec_max(vec a, vec b) { return vec_select(a > b, a, b); }

/*
 * e^x for x <= 88, 0 below -87: kernels/exp.h's method and coefficients,
 *     e^x = 2^n e^r,  n = round(x / ln 2),  r = x - n ln 2,  relative error 1.2e-7.
 */
static inline vec vec_exp(vec x) {
    const vec least = vec_all(-87.33f), magic = vec_all(12582912.0f); /* 1.5 * 2^23 leaves n in the low bits */
    const vec_int underflow = x < least;
    x = vec_select(underflow, least, x);
    const vec shifted = x * 1.44269504f + magic, n = shifted - magic;
    const vec r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    vec q = vec_all(0.0013814599951729178f);
    q = q * r + 0.008368715643882751f;
    q = q * r + 0.04166838899254799f;
    q = q * r + 0.1666652113199234f;
    q = q * r + 0.4999999403953552f;
    const vec e = (r * r) * q + r + 1.0f;
    return (vec)(((vec_int)e + ((vec_int)shifted << 23)) & ~underflow);
}

#endif /* HEED_TRAIN_VECTOR_H */
