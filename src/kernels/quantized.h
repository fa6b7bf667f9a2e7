/*
 * quantized.h - the rows of quantised activations, whose form differs between the variants of the int8 products.
 *
 *     plain SIMD128   of each 4 numbers x = q - zero of a row (of 8 bits, and with a fixed scale, x = q - 127):
 *                     x0, x2, x1 - 256 x0, x3 - 256 x2; and at the end the number at which its sums begin, an int32
 *     relaxed         q; of 8 bits two rows, whose sum is q
 *
 * Of rows that are mostly 0 only the other numbers are kept: sparse_head.  Also where a row of int8 panels is, and how
 * numbers are rounded.
 *
 * Depends on: kernels.h, simd.h.  Used by: quantize.c, which writes them, gemm_i8.c and saturating.c.
 */
#ifndef HEED_KERNELS_QUANTIZED_H
#define HEED_KERNELS_QUANTIZED_H

#include "kernels/kernels.h"
#include "kernels/simd.h"

#ifdef HEED_RELAXED
typedef uint8_t quantized;
enum { ROW_TAIL = 0 };
#else
typedef int16_t quantized;
enum { ROW_TAIL = sizeof(int32_t) / sizeof(quantized) };
#endif

/* Bits of a pair of weights that are flipped in the panels: plain SIMD128 adds 128 to the first, see kernels.h. */
#ifdef HEED_RELAXED
enum { EVEN_SIGN = 0 };
#else
enum { EVEN_SIGN = 0x80 };
#endif

/* From one row to the next.  parts: 1 of 7-bit rows, 2 of 8-bit rows, which only relaxed products keep in two parts. */
static inline size_t quantized_row(int k, int parts) {
    return (size_t)quantized_cols(k) * (size_t)(sizeof(quantized) == 1 ? parts : 1) + ROW_TAIL;
}

/*
 * A row that is mostly 0.  Only the other numbers are kept: first their k [room], then x [room] in the form of other
 * rows.  x = 0 fills up the last four.
 */
typedef struct {
    int32_t n;     /* a multiple of 4 */
    int32_t start; /* plain SIMD128: the number at which its sums begin */
} sparse_head;

/* Numbers that a row has room for: 16 more than there can be, as they are written up to 16 at a time. */
static inline size_t sparse_room(int k) { return (size_t)quantized_cols(k) + 16; }
static inline size_t sparse_row(int k) {
    return sizeof(sparse_head) + sparse_room(k) * (sizeof(uint16_t) + sizeof(quantized));
}

/* Where element (n, 0) lies in int8 panels. */
static inline size_t place_i8(int n, int k) {
    return (size_t)(n / PANEL) * (size_t)quantized_cols(k) * PANEL + (size_t)(n % PANEL) * 4;
}

/* x * s to the nearest integer, ties to even; |x * s| < 2^22.  Adding 1.5 * 2^23 leaves the integer in the low bits. */
INLINE v128_t round_scaled(v128_t x, v128_t s) {
    v128_t shifted = wasm_f32x4_add(wasm_f32x4_mul(x, s), wasm_f32x4_splat(12582912.0f));
    return wasm_i32x4_sub(shifted, wasm_i32x4_splat(0x4b400000));
}

/* x [4] * s to the nearest integers in -127..127, ties to even.  A NaN becomes -127. */
INLINE v128_t round_clamped(const float *x, v128_t s) {
    const v128_t y = wasm_f32x4_mul(wasm_v128_load(x), s), least = wasm_f32x4_splat(-127.0f);
    return round_scaled(wasm_f32x4_pmin(wasm_f32x4_splat(127.0f), wasm_f32x4_pmax(least, y)), wasm_f32x4_splat(1.0f));
}

#endif /* HEED_KERNELS_QUANTIZED_H */
