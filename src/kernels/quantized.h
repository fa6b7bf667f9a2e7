/*
 * quantized.h - the rows of quantised activations, whose form differs between the variants of the int8 products.
 *
 *     plain SIMD128   of each 4 numbers x = q - zero of a row (of 8 bits, and with a fixed scale, x = q - 127):
 *                     x0, x2, x1 - 256 x0, x3 - 256 x2; and at the end the number at which its sums begin, an int32
 *     relaxed         q; of 8 bits two rows, whose sum is q
 *
 * Depends on: kernels.h.  Used by: quantize.c, which writes them, and gemm_i8.c.
 */
#ifndef HEED_KERNELS_QUANTIZED_H
#define HEED_KERNELS_QUANTIZED_H

#include "kernels/kernels.h"

#ifdef HEED_RELAXED
typedef uint8_t quantized;
enum { ROW_TAIL = 0 };
#else
typedef int16_t quantized;
enum { ROW_TAIL = sizeof(int32_t) / sizeof(quantized) };
#endif

/* From one row to the next.  parts: 1 of 7-bit rows, 2 of 8-bit rows, which only relaxed products keep in two parts. */
static inline size_t quantized_row(int k, int parts) {
    return (size_t)quantized_cols(k) * (size_t)(sizeof(quantized) == 1 ? parts : 1) + ROW_TAIL;
}

#endif /* HEED_KERNELS_QUANTIZED_H */
