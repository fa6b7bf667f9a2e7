/*
 * gemm_bf16.c - the product of two matrices rounded to bfloat16, with f32 sums, by AVX512-BF16; see products.h.
 *
 * One instruction takes pairs of neighbouring k, so both sides are packed in pairs: b into panels [k/2][COLS][2], a
 * into [k/2][ROWS][2].  Packing rounds to nearest, ties to even; numbers below 2^-126 become 0, as in the product
 * itself.
 */
#include "train/native/products.h"

#if defined(__AVX512BF16__)

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* 24 sums, two vectors of b and one of a: 27 of the 32 registers. */
enum { ROWS = 12, COLS = 32, BLOCK_K = 512, BLOCK_N = 1024, BLOCK_M = 8 * ROWS };

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

/* 32 numbers, rounded to nearest, as pairs of neighbours. */
static inline __m512i pairs_along(const float *x) {
    return (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(x + 16), _mm512_loadu_ps(x));
}

/* Pairs of x[i] and y[i]. */
static inline __m512i pairs_of(__m512 x, __m512 y) {
    const __m512i low = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(x));
    return _mm512_or_si512(low, _mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(y)), 16));
}

/* 16 rows become 16 columns. */
static inline void transpose(__m512i r[16]) {
    __m512i t[16];
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    /* quarter k of r[i + j] is column 4 k + j of rows i to i + 3 */
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        t[j] = _mm512_shuffle_i32x4(r[j], r[j + 4], 0x88);
        t[j + 4] = _mm512_shuffle_i32x4(r[j], r[j + 4], 0xdd);
        t[j + 8] = _mm512_shuffle_i32x4(r[j + 8], r[j + 12], 0x88);
        t[j + 12] = _mm512_shuffle_i32x4(r[j + 8], r[j + 12], 0xdd);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
        r[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
        r[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
        r[j + 4] = _mm512_shuffle_i32x4(t[j + 4], t[j + 12], 0x88);
        r[j + 12] = _mm512_shuffle_i32x4(t[j + 4], t[j + 12], 0xdd);
    }
}

static __mmask16 first(int n) { return n >= 16 ? 0xffff : n <= 0 ? 0 : (__mmask16)((1u << n) - 1); }

/* Packs 16 or fewer rows of k numbers, of which `some` exist, into columns of a panel. */
static void pack_rows(uint32_t *to, const float *from, size_t ld, int k, int some, int lanes, int width) {
    const __mmask16 mask = first(lanes);
    for (int p = 0; p < k; p += 32, to += 16 * width) {
        const int pairs = k - p < 32 ? (k - p + 1) / 2 : 16;
        __m512i r[16];
        for (int i = 0; i < 16; i++) {
            const float *x = from + (size_t)i * ld + p;
            if (i >= some) {
                r[i] = _mm512_setzero_si512();
            } else if (k - p >= 32) {
                r[i] = pairs_along(x);
            } else {
                float rest[32] = {0};
                memcpy(rest, x, (size_t)(k - p) * sizeof *rest);
                r[i] = pairs_along(rest);
            }
        }
        transpose(r);
        for (int i = 0; i < pairs; i++) _mm512_mask_storeu_epi32(to + (size_t)i * width, mask, r[i]);
    }
}

/* Packs n columns (rows if `along`) of k numbers into panels of `width`, in pairs of k, padded with zeros. */
static void pack(uint32_t *to, const float *from, size_t ld, int along, int k, int n, int width) {
    for (int j = 0; j < n; j += width, to += (size_t)(k + 1) / 2 * width) {
        for (int c = 0; c < width; c += 16) {
            const int some = n - j - c < width - c ? n - j - c : width - c, lanes = width - c < 16 ? width - c : 16;
            if (along) { /* k lies along a row */
                pack_rows(to + c, from + (size_t)(j + c) * ld, ld, k, some, lanes, width);
                continue;
            }
            const __mmask16 there = first(some), all = first(lanes);
            for (int p = 0; p < k; p += 2) {
                const float *x = from + (size_t)p * ld + j + c;
                const __m512 y = p + 1 < k ? _mm512_maskz_loadu_ps(there, x + ld) : _mm512_setzero_ps();
                _mm512_mask_storeu_epi32(to + (size_t)(p / 2) * width + c, all,
                                         pairs_of(_mm512_maskz_loadu_ps(there, x), y));
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
