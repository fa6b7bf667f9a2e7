/* products.c - see products.h for the contract. */
#include "train/native/products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "train/native/files.h"

typedef struct {
    const heed_gemm *gemm;
    int exact; /* f32 throughout */
} product;

static const product ALL[] = {
    {&gemm_plain, 1},
#if defined(__AVX512BF16__)
    {&gemm_bf16, 0},
#endif
#if defined(HEED_ONEDNN)
    {&gemm_onednn, 1},

#endif
#if defined(HEED_OPENBLAS)
    {&gemm_openblas, 1},
#endif
};
enum { N_ALL = sizeof ALL / sizeof ALL[0] };

const heed_gemm *product_find(const char *name) {
    for (int i = 0; i < N_ALL; i++)
        if (strcmp(ALL[i].gemm->name, name) == 0) return ALL[i].gemm;
    return NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* GFLOP/s of the three products of a common layer, the best of a few tries. */
static double measure(const heed_gemm *gemm) {
    enum { M = 1024, N = 1024, K = 256, TRIES = 4 };
    float *x = allocate(sizeof(float) * M * K), *w = allocate(sizeof(float) * N * K), *y = allocate(sizeof(float) * M * N);
    float *scratch = allocate(gemm->scratch_floats * sizeof(float) + 64);
    for (int i = 0; i < M * K; i++) x[i] = (float)(i % 17) - 8.0f;
    for (int i = 0; i < N * K; i++) w[i] = ((float)(i % 13) - 6.0f) * 0.01f;
    double best = 1e9;
    for (int i = 0; i < TRIES; i++) {
        const double start = now();
        gemm->multiply(y, N, x, K, 0, w, K, 1, M, N, K, 0, scratch);
        gemm->multiply(x, K, y, N, 0, w, K, 0, M, K, N, 0, scratch);
        gemm->multiply(w, K, y, N, 1, x, K, 0, N, K, M, 0, scratch);
        const double seconds = now() - start;
        best = seconds < best ? seconds : best;
        for (int j = 0; j < M * K; j++) x[j] = (float)(j % 17) - 8.0f;
        for (int j = 0; j < N * K; j++) w[j] = ((float)(j % 13) - 6.0f) * 0.01f;
    }
    free(x);
    free(w);
    free(y);
    free(scratch);
    return 3 * 2e-9 * M * N * K / best;
}

const heed_gemm *product_fastest(int exact) {
    const heed_gemm *fastest = &gemm_plain;
    double best = 0.0;
    for (int i = 0; i < N_ALL; i++) {
        if (exact && !ALL[i].exact) continue;
        const double speed = measure(ALL[i].gemm);
        if (speed > best) {
            best = speed;
            fastest = ALL[i].gemm;
        }
    }
    return fastest;
}

void product_list(void) {
    for (int i = 0; i < N_ALL; i++)
        printf("%-12s %s  %6.0f GFLOP/s\n", ALL[i].gemm->name, ALL[i].exact ? "f32 " : "bf16", measure(ALL[i].gemm));
}
