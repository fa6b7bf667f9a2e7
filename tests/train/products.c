/*
 * products.c - every matrix product of this build against three loops, in all its forms, at awkward sizes.
 *
 * Exit code 1 if one is off. Run by tests/train-native.test.js.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/native/products.h"
#include "train/random.h"

enum { LARGEST = 1100 * 600 };

static float a[LARGEST], b[LARGEST], c[LARGEST], want[LARGEST], bound[LARGEST];

static float draw(void) {
    static uint64_t drawn;
    return (float)(2.0 * random_uniform(3, drawn++) - 1.0);
}

/* C = A B + (add ? C : 0), and how far off it may be for each unit of rounding: sum |a b|. */
static void reference(int m, int n, int k, int a_flipped, int b_flipped, int add) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = add ? want[i * n + j] : 0.0, size = fabs(sum);
            for (int p = 0; p < k; p++) {
                const double x = (double)a[a_flipped ? p * m + i : i * k + p] * b[b_flipped ? j * k + p : p * n + j];
                sum += x;
                size += fabs(x);
            }
            want[i * n + j] = (float)sum;
            bound[i * n + j] = (float)size;
        }
}

static int check(const heed_gemm *gemm, int m, int n, int k, int form) {
    const int a_flipped = form & 1, b_flipped = form >> 1 & 1, add = form >> 2 & 1;
    float *scratch = malloc(gemm->scratch_floats * sizeof *scratch + 1);
    if (scratch == NULL) exit(1);
    for (int i = 0; i < m * k; i++) a[i] = draw();
    for (int i = 0; i < n * k; i++) b[i] = draw();
    for (int i = 0; i < m * n; i++) want[i] = c[i] = draw();
    reference(m, n, k, a_flipped, b_flipped, add);
    gemm->multiply(c, n, a, a_flipped ? m : k, a_flipped, b, b_flipped ? k : n, b_flipped, m, n, k, add, scratch);
    free(scratch);

    /* bfloat16 has 8 bits: each of two inputs is off by 2^-8 at most; floats have 24, and are rounded at every sum */
    const double unit = strstr(gemm->name, "bf16") ? 0x1p-7 + 0x1p-16 : 0.0, sums = 0x1p-24 * (k + 2);
    for (int i = 0; i < m * n; i++)
        if (!(fabs((double)c[i] - want[i]) <= bound[i] * (unit + sums) + 1e-30)) {
            printf("%s: %d x %d x %d, form %d: element %d is %g, expected %g\n", gemm->name, m, n, k, form, i,
                   (double)c[i], (double)want[i]);
            return 0;
        }
    return 1;
}

int main(void) {
    static const char *const NAMES[] = {"plain", "bf16", "onednn", "onednn-bf16", "openblas"};
    static const int SIZES[][3] = {{1, 1, 1},      {1, 17, 3},    {2, 8, 1},     {3, 31, 33},    {5, 64, 64},
                                   {12, 32, 2},    {13, 33, 7},   {63, 67, 15},  {64, 65, 66},   {97, 100, 130},
                                   {67, 1030, 11}, {11, 67, 530}, {1030, 5, 40}, {200, 130, 257}};
    int failed = 0, found = 0;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        const heed_gemm *gemm = product_find(NAMES[i]);
        if (gemm == NULL) continue;
        found++;
        for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++)
            for (int form = 0; form < 8; form++) failed += !check(gemm, SIZES[s][0], SIZES[s][1], SIZES[s][2], form);
    }
    printf("%d products, %d wrong results\n", found, failed);
    return failed > 0 || found == 0;
}
