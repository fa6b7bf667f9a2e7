/*
 * test_relaxed.c - test_int8.c over the kernels as they are compiled for relaxed SIMD, beside the others under names of
 * their own.  Natively the instruction is emulated, and its contract asserted.
 */
#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)

#include <stdio.h>

int main(void) {
    puts("int8, relaxed: skipped, this compiler was not asked for relaxed SIMD");
    return 0;
}

#else

#ifndef HEED_RELAXED
#define HEED_RELAXED
#endif
#define k_pack_row_i8      relaxed_pack_row_i8
#define k_unpack_row_i8    relaxed_unpack_row_i8
#define k_quantize_weights relaxed_quantize_weights
#define quantized_bytes    relaxed_quantized_bytes
#define k_quantize_rows    relaxed_quantize_rows
#define k_quantize_rows_8  relaxed_quantize_rows_8
#define k_gemm_i8          relaxed_gemm_i8
#define k_gemm_i8_8        relaxed_gemm_i8_8
#define k_gemm_fixed       relaxed_gemm_fixed
#define k_gemm_saturating  relaxed_gemm_saturating
#define k_saturates        relaxed_saturates
#define k_pack_row_sparse   relaxed_pack_row_sparse
#define k_unpack_row_sparse relaxed_unpack_row_sparse
#define sparse_bytes        relaxed_sparse_bytes
#define k_quantize_sparse   relaxed_quantize_sparse
#define k_gemm_sparse       relaxed_gemm_sparse
#define k_gemm_sparse_fixed relaxed_gemm_sparse_fixed

#include "kernels/gemm_i8.c"
#include "kernels/quantize.c"
#include "kernels/saturating.c"
#include "test_int8.c"

#endif
