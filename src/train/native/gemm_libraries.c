/* gemm_libraries.c - oneDNN and OpenBLAS as the trainer's matrix product, each if built with it; see products.h. */
#include "train/native/products.h"

#if defined(HEED_OPENBLAS)
#include <cblas.h>

static void multiply_openblas(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb,
                              int b_flipped, int m, int n, int k, int add, float *scratch) {
    (void)scratch;
    cblas_sgemm(CblasRowMajor, a_flipped ? CblasTrans : CblasNoTrans, b_flipped ? CblasTrans : CblasNoTrans, m, n, k,
                1.0f, a, lda, b, ldb, add ? 1.0f : 0.0f, c, ldc);
}

const heed_gemm gemm_openblas = {"openblas", multiply_openblas, 0};
#endif

#if defined(HEED_ONEDNN)
#include <dnnl.h>

static void multiply_onednn(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb,
                            int b_flipped, int m, int n, int k, int add, float *scratch) {
    (void)scratch;
    dnnl_sgemm(a_flipped ? 'T' : 'N', b_flipped ? 'T' : 'N', m, n, k, 1.0f, a, lda, b, ldb, add ? 1.0f : 0.0f, c, ldc);
}

const heed_gemm gemm_onednn = {"onednn", multiply_onednn, 0};
#endif
