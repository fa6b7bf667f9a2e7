/*
 * products.h - the matrix products a native trainer can choose from.
 *
 *     plain      gemm.h's own, vectors of whatever the compiler was told the processor has
 *     bf16       the same with inputs rounded to bfloat16 and sums in f32, where the processor has AVX512-BF16
 *     onednn     oneDNN, f32;  onednn-bf16: its bfloat16, which uses AMX where there is one   (if built with it)
 *     openblas   OpenBLAS, f32                                                                (if built with it)
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
#endif
#if defined(HEED_OPENBLAS)
extern const heed_gemm gemm_openblas;
#endif

/* By name; NULL if this build or this processor has none of the name. */
const heed_gemm *product_find(const char *name);
/* The fastest, by a few milliseconds' measuring; exact: of those that compute in f32. */
const heed_gemm *product_fastest(int exact);
/* Names of all, with what they reach (GFLOP/s, one thread), to stdout. */
void product_list(void);

#endif /* HEED_TRAIN_NATIVE_PRODUCTS_H */
