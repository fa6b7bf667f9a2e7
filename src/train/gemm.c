/*
 * gemm.c - the matrix product of training without any library; see gemm.h.
 *
 * b is packed in blocks that stay in the second cache, into panels [k][COLS]; a is read where it lies if its rows are
 * contiguous and packed into panels [k][ROWS] if it lies flipped.  A tile of ROWS x COLS sums stays in registers.
 */
#include "train/gemm.h"

#include <string.h>

#include "train/vector.h"

/* ROWS * VECTORS sums, VECTORS of b and one of a fill the registers: 32 of them, or 16. */
#if defined(__AVX512F__)
enum { ROWS = 12, VECTORS = 2 };
#elif defined(__AVX__)
enum { ROWS = 6, VECTORS = 2 };
#else
enum { ROWS = 4, VECTORS = 2 };
#endif

enum { COLS = VECTORS * LANES, BLOCK_K = 256, BLOCK_N = 512, BLOCK_M = 8 * ROWS };

#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/*
 * c [ROWS, COLS] = (add ? c : 0) + a b over k steps; a's element (i, p) is at a[i * row + p * step].  Out of line:
 * wasm engines and compilers allocate registers far better in small functions.
 */
#define TILE(name, ROW, STEP)                                                                                    \
    static __attribute__((noinline)) void name(float *c, size_t ldc, const float *a, size_t row, const float *b, \
                                               int k, int add) {                                                 \
        (void)row;                                                                                               \
        vec sum[ROWS][VECTORS];                                                                                  \
        UNROLLED for (int i = 0; i < ROWS; i++) UNROLLED for (int j = 0; j < VECTORS; j++) sum[i][j] =           \
            add ? vec_load(c + (size_t)i * ldc + j * LANES) : vec_all(0.0f);                                     \
        for (int p = 0; p < k; p++, a += STEP, b += COLS) {                                                      \
            vec w[VECTORS];                                                                                      \
            UNROLLED for (int j = 0; j < VECTORS; j++) w[j] = vec_load(b + j * LANES);                           \
            UNROLLED for (int i = 0; i < ROWS; i++) {                                                            \
                const vec x = vec_all(a[(size_t)i * (ROW)]);                                                     \
                UNROLLED for (int j = 0; j < VECTORS; j++) sum[i][j] += x * w[j];                                \
            }                                                                                                    \
        }                                                                                                        \
        UNROLLED for (int i = 0; i < ROWS; i++) UNROLLED for (int j = 0; j < VECTORS; j++)                       \
            vec_store(c + (size_t)i * ldc + j * LANES, sum[i][j]);                                               \
    }
TILE(tile_rows, row, 1)
TILE(tile_packed, 1, ROWS)

/* k x n of b into panels [k][COLS], padded with zeros. */
static void pack_b(float *to, const float *b, size_t ldb, int flipped, int k, int n) {
    for (int j = 0; j < n; j += COLS, to += (size_t)k * COLS) {
        const int width = n - j < COLS ? n - j : COLS;
        if (width < COLS) memset(to, 0, (size_t)k * COLS * sizeof *to);
        if (!flipped) {
            for (int p = 0; p < k; p++)
                for (int c = 0; c < width; c++) to[(size_t)p * COLS + c] = b[(size_t)p * ldb + j + c];
        } else {
            /* a block of LANES steps at a time, so that what is written stays in the first cache */
            for (int from = 0; from < k; from += LANES) {
                const int end = k - from < LANES ? k : from + LANES;
                for (int c = 0; c < width; c++)
                    for (int p = from; p < end; p++) to[(size_t)p * COLS + c] = b[(size_t)(j + c) * ldb + p];
            }
        }
    }
}

/* m x k of a flipped a into panels [k][ROWS], padded with zeros. */
static void pack_a(float *to, const float *a, size_t lda, int m, int k) {
    for (int i = 0; i < m; i += ROWS) {
        const int height = m - i < ROWS ? m - i : ROWS;
        for (int p = 0; p < k; p++, to += ROWS) {
            if (height < ROWS) memset(to, 0, ROWS * sizeof *to);
            for (int r = 0; r < height; r++) to[r] = a[(size_t)p * lda + i + r];
        }
    }
}

/* A tile at an edge: computed whole, in a copy. */
static void edge(float *c, size_t ldc, const float *a, size_t row, int a_packed, const float *b, int k, int add,
                 int height, int width) {
    float rows[ROWS * BLOCK_K], tile[ROWS * COLS];
    if (!a_packed && height < ROWS) { /* rows past the last are not there to be read */
        for (int i = 0; i < ROWS; i++)
            for (int p = 0; p < k; p++) rows[i * BLOCK_K + p] = i < height ? a[(size_t)i * row + p] : 0.0f;
        a = rows;
        row = BLOCK_K;
    }
    (a_packed ? tile_packed : tile_rows)(tile, COLS, a, row, b, k, 0);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            float *to = c + (size_t)i * ldc + j;
            *to = (add ? *to : 0.0f) + tile[i * COLS + j];
        }
}

static void multiply(float *c, int ldc, const float *a, int lda, int a_flipped, const float *b, int ldb, int b_flipped,
                     int m, int n, int k, int add, float *scratch) {
    float *packed_b = scratch, *packed_a = scratch + BLOCK_K * BLOCK_N;
    for (int j = 0; j < n; j += BLOCK_N) {
        const int nb = n - j < BLOCK_N ? n - j : BLOCK_N;
        for (int p = 0; p < k; p += BLOCK_K) {
            const int kb = k - p < BLOCK_K ? k - p : BLOCK_K;
            pack_b(packed_b, b + (b_flipped ? (size_t)j * ldb + p : (size_t)p * ldb + j), (size_t)ldb, b_flipped, kb,
                   nb);
            for (int i = 0; i < m; i += BLOCK_M) {
                const int mb = m - i < BLOCK_M ? m - i : BLOCK_M;
                if (a_flipped) pack_a(packed_a, a + (size_t)p * lda + i, (size_t)lda, mb, kb);
                for (int jj = 0; jj < nb; jj += COLS) {
                    const float *panel = packed_b + (size_t)jj * kb;
                    const int width = nb - jj < COLS ? nb - jj : COLS;
                    for (int ii = 0; ii < mb; ii += ROWS) {
                        const int height = mb - ii < ROWS ? mb - ii : ROWS;
                        const float *from = a_flipped ? packed_a + (size_t)ii * kb : a + (size_t)(i + ii) * lda + p;
                        float *to = c + (size_t)(i + ii) * ldc + j + jj;
                        const int sum = add || p > 0;
                        if (height < ROWS || width < COLS)
                            edge(to, (size_t)ldc, from, (size_t)lda, a_flipped, panel, kb, sum, height, width);
                        else if (a_flipped) tile_packed(to, (size_t)ldc, from, 0, panel, kb, sum);
                        else tile_rows(to, (size_t)ldc, from, (size_t)lda, panel, kb, sum);
                    }
                }
            }
        }
    }
}

const heed_gemm gemm_plain = {"plain", multiply, BLOCK_K *BLOCK_N + BLOCK_M *BLOCK_K};
