/* products.c - see products.h for the contract. */
#include "train/native/products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(HEED_ONEDNN)
#include <dnnl_version.h>
#endif

#include "train/native/files.h"

typedef struct {
    const heed_gemm *gemm;
    int exact;            /* f32 throughout */
    int (*present)(void); /* whether this processor has it; NULL: wherever the build has it */
} product;

static const product ALL[] = {
    {&gemm_plain, 1, NULL},
#if defined(__AVX512BF16__)
    {&gemm_bf16, 0, NULL},
#endif
#if defined(HEED_ONEDNN)
    {&gemm_onednn, 1, NULL},
#if DNNL_VERSION_MAJOR == 2
    {&gemm_onednn_bf16, 0, onednn_has_bf16},
#endif

#endif
#if defined(HEED_OPENBLAS)
    {&gemm_openblas, 1, NULL},
#endif
};
enum { N_ALL = sizeof ALL / sizeof ALL[0] };

static int is_present(const product *p) { return p->present == NULL || p->present(); }

const heed_gemm *product_find(const char *name) {
    for (int i = 0; i < N_ALL; i++)
        if (strcmp(ALL[i].gemm->name, name) == 0) return is_present(&ALL[i]) ? ALL[i].gemm : NULL;
    return NULL;
}

enum { M = 1024, N = 1024, K = 256, TURNS = 6 };

/* Seconds of the three products of a common layer. */
static double measure(const heed_gemm *gemm, float *x, float *w, float *y, float *scratch) {
    for (int i = 0; i < M * K; i++) x[i] = (float)(i % 17) - 8.0f;
    for (int i = 0; i < N * K; i++) w[i] = ((float)(i % 13) - 6.0f) * 0.01f;
    const double start = now();
    gemm->multiply(y, N, x, K, 0, w, K, 1, M, N, K, 0, scratch);
    gemm->multiply(x, K, y, N, 0, w, K, 0, M, K, N, 0, scratch);
    gemm->multiply(w, K, y, N, 1, x, K, 0, N, K, M, 0, scratch);
    return now() - start;
}

/* The best speed of each in several rounds, in GFLOP/s; 0 without it.  Rounds spread a machine's load evenly. */
static void measure_all(double speeds[N_ALL]) {
    int present[N_ALL];
    float *x = allocate(sizeof(float) * M * K), *w = allocate(sizeof(float) * N * K),
          *y = allocate(sizeof(float) * M * N);
    for (int i = 0; i < N_ALL; i++) {
        speeds[i] = 0.0;
        present[i] = is_present(&ALL[i]);
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < N_ALL; i++) {
            if (!present[i]) continue;
            float *scratch = allocate(ALL[i].gemm->scratch_floats * sizeof(float));
            const double speed = 3 * 2e-9 * M * N * K / measure(ALL[i].gemm, x, w, y, scratch);
            speeds[i] = speed > speeds[i] ? speed : speeds[i];
            free(scratch);
        }
    free(x);
    free(w);
    free(y);
}

const heed_gemm *product_fastest(int exact) {
    double speeds[N_ALL];
    int fastest = 0;
    measure_all(speeds);
    for (int i = 1; i < N_ALL; i++)
        if (speeds[i] > speeds[fastest] && (ALL[i].exact || !exact)) fastest = i;
    return ALL[fastest].gemm;
}

void product_list(void) {
    double speeds[N_ALL];
    measure_all(speeds);
    for (int i = 0; i < N_ALL; i++) {
        if (speeds[i] == 0.0) continue;
        printf("%-12s %s  %6.0f GFLOP/s\n", ALL[i].gemm->name, ALL[i].exact ? "f32 " : "bf16", speeds[i]);
    }
}
