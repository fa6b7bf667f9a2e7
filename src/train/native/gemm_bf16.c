/*
 * gemm_bf16.c - a product of two matrices rounded to bfloat16, with sums in f32, by AVX512-BF16; see products.h.
 *
 * One instruction takes pairs of neighbouring steps k, so both sides are packed in pairs: b into panels
 * [k/2][COLS][2], a into [k/2][ROWS][2].  Rounding happens while packing, to nearest.
 */
#include "train/native/products.h"

#if defined(__AVX512BF16__)

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* 24 sums, two vectors of b and one of a: 27 of the 32 registers. */
enum { ROWS = 12, COLS = 32, BLOCK_K = 512, BLOCK_N = 1024, BLOCK_M = 8 * ROWS };

/* Nearest, ties to even, as the processor's own conversion; finite numbers only. */
static inline uint32_t round_up(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static inline uint32_t pair_of(float first, float second) { return round_up(first) | round_up(second) << 16; }

static __attribute__((noinline)) void tile(float *c, size_t ldc, const uint32_t *a, const uint32_t *b, int pairs,
                                           int add) {
    __m512 sum[ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) {
        sum[i][0] = add ? _mm512_loadu_ps(c + (size_t)i * ldc) : _mm512_setzero_ps();
        sum[i][1] = add ? _mm512_loadu_ps(c + (size_t)i * ldc + 16) : _mm512_setzero_ps();
    }
    for (int p = 0; p < pairs; p++, a += ROWS, b += COLS) {
        const __m512bh w0 = (__m512bh)_mm512_loadu_si512(b), w1 = (__m512bh)_mm512_loadu_si512(b + 16);
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++) {
            const __m512bh x = (__m512bh)_mm512_set1_epi32((int)a[i]);
            sum[i][0] = _mm512_dpbf16_ps(sum[i][0], x, w0);
            sum[i][1] = _mm512_dpbf16_ps(sum[i][1], x, w1);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) {
        _mm512_storeu_ps(c + (size_t)i * ldc, sum[i][0]);
        _mm512_storeu_ps(c + (size_t)i * ldc + 16, sum[i][1]);
    }
}

/* n columns (or, `along`, rows) of k numbers into panels of `width`, in pairs of k; padded with zeros. */
static void pack(uint32_t *to, const float *from, size_t ld, int along, int k, int n, int width) {
    for (int j = 0; j < n; j += width) {
        const int some = n - j < width ? n - j : width;
        for (int p = 0; p < k; p += 2, to += width) {
            const int both = p + 1 < k;
            if (some < width) memset(to, 0, (size_t)width * sizeof *to);
            if (along) { /* k lies along a row */
                const float *x = from + (size_t)j * ld + p;
                for (int c = 0; c < some; c++) to[c] = pair_of(x[(size_t)c * ld], both ? x[(size_t)c * ld + 1] : 0.0f);
            } else {
                const float *x = from + (size_t)p * ld + j;
                if (both)
                    for (int c = 0; c < some; c++) to[c] = pair_of(x[c], x[ld + (size_t)c]);
                else
                    for (int c = 0; c < some; c++) to[c] = pair_of(x[c], 0.0f);
            }
        }
    }
}

static void multiply(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb, int b_flipped,
                     int m, int n, int k, int add, float *scratch) {
    uint32_t *packed_b = (uint32_t *)scratch, *packed_a = packed_b + BLOCK_K / 2 * BLOCK_N;
    for (int j = 0; j < n; j += BLOCK_N) {
        const int nb = n - j < BLOCK_N ? n - j : BLOCK_N;
        for (int p = 0; p < k; p += BLOCK_K) {
            const int kb = k - p < BLOCK_K ? k - p : BLOCK_K, pairs = (kb + 1) / 2, sum = add || p > 0;
            pack(packed_b, b + (b_flipped ? (size_t)j * ldb + p : (size_t)p * ldb + j), (size_t)ldb, b_flipped, kb, nb,
                 COLS);
            for (int i = 0; i < m; i += BLOCK_M) {
                const int mb = m - i < BLOCK_M ? m - i : BLOCK_M;
                pack(packed_a, a + (a_flipped ? (size_t)p * lda + i : (size_t)i * lda + p), (size_t)lda, !a_flipped, kb,
                     mb, ROWS);
                for (int jj = 0; jj < nb; jj += COLS) {
                    const int width = nb - jj < COLS ? nb - jj : COLS;
                    for (int ii = 0; ii < mb; ii += ROWS) {
                        const int height = mb - ii < ROWS ? mb - ii : ROWS;
                        const uint32_t *x = packed_a + (size_t)ii * pairs, *w = packed_b + (size_t)jj * pairs;
                        float *to = c + (size_t)(i + ii) * ldc + j + jj;
                        if (height == ROWS && width == COLS) {
                            tile(to, (size_t)ldc, x, w, pairs, sum);
                        } else {
                            float edge[ROWS * COLS];
                            tile(edge, COLS, x, w, pairs, 0);
                            for (int r = 0; r < height; r++)
                                for (int q = 0; q < width; q++) {
                                    float *one = to + (size_t)r * ldc + q;
                                    *one = (sum ? *one : 0.0f) + edge[r * COLS + q];
                                }
                        }
                    }
                }
            }
        }
    }
}

const heed_gemm gemm_bf16 = {"bf16", multiply, BLOCK_K / 2 * BLOCK_N + BLOCK_K / 2 * BLOCK_M};

#endif
