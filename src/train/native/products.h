/*
 * products.h - the matrix products that the native trainer can use.
 *
 *     plain      gemm.h's own, with the vectors of the compiler's target processor
 *     bf16       the same with inputs rounded to bfloat16 and sums in f32, if the processor has AVX512-BF16
 *     onednn     oneDNN, f32;  onednn-bf16: its bfloat16, which uses AMX where there is one   (if the build has it)
 *     openblas   OpenBLAS, f32                                                                (if the build has it)
 *
 * Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_PRODUCTS_H
#define HEED_TRAIN_NATIVE_PRODUCTS_H

#include "train/gemm.h"

#if defined(__AVX512BF16__)
extern const heed_gemm gemm_bf16;
#endif
#if defined(HEED_ONEDNN)
extern const heed_gemm gemm_onednn, gemm_onednn_bf16; /* the latter with oneDNN 2 */
/* Whether oneDNN multiplies bfloat16 on this processor: not without AVX-512. */
int onednn_has_bf16(void);
#endif
#if defined(HEED_OPENBLAS)
extern const heed_gemm gemm_openblas;
#endif

/* Find by name; NULL if this build or this processor has none. */
const heed_gemm *product_find(const char *name);
/* The fastest, measured in a few milliseconds; exact: only those that compute in f32. */
const heed_gemm *product_fastest(int exact);
/* Print all names with their speed (GFLOP/s, one thread) to stdout. */
void product_list(void);

#endif /* HEED_TRAIN_NATIVE_PRODUCTS_H */
