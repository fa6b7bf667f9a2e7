/*
 * gemm_f32.c - float matrix products: out = x W^T + bias over packed panels, and plain a b; see kernels.h.  k_copy_rows
 * copies rows of int8 panels too.
 */
#include "kernels/kernels.h"

#include <string.h>

#include "kernels/simd.h"

void k_pack_row_f32(float *panels, int n, const float *row, int k) {
    float *p = panels + (size_t)(n / PANEL) * (size_t)k * PANEL + n % PANEL;
    for (int i = 0; i < k; i++) p[(size_t)i * PANEL] = row[i];
}

void k_copy_rows(void *to, const void *from, const int32_t *rows, int n, int cells) {
    enum { CELL = 4 };
    const size_t panel = (size_t)cells * PANEL * CELL;
    for (int i = 0; i < n; i++) {
        const char *x = (const char *)from + (size_t)(rows[i] / PANEL) * panel + rows[i] % PANEL * CELL;
        char *y = (char *)to + (size_t)(i / PANEL) * panel + i % PANEL * CELL;
        for (int cell = 0; cell < cells; cell++, x += PANEL * CELL, y += PANEL * CELL) memcpy(y, x, CELL);
    }
}

void k_unpack_row_f32(float *row, const float *panels, int n, int k) {
    const float *p = panels + (size_t)(n / PANEL) * (size_t)k * PANEL + n % PANEL;
    for (int i = 0; i < k; i++) row[i] = p[(size_t)i * PANEL];
}

/*
 * rows x (8 * panels) outputs.  Step k of the sum reads 8 floats of each panel at b + k * step; panels are `next`
 * floats apart.  Each output has its own accumulator, which adds its products in the order of k for every size of tile.
 * This makes a row independent of m, bit for bit.
 */
INLINE void tile(const int rows, const int panels, int k, const float *x, int ldx, const float *b, size_t step,
                 size_t next, const float *bias, float *out, int ldo) {
    v128_t acc[8][8];
    UNROLL for (int i = 0; i < rows; i++) {
        UNROLL for (int j = 0; j < 2 * panels; j++) acc[i][j] = wasm_v128_load(bias + 4 * j);
    }
    KEEP_LOOP for (; k > 0; k--, x++, b += step) {
        v128_t w[8];
        UNROLL for (int p = 0; p < panels; p++) {
            w[2 * p] = wasm_v128_load(b + (size_t)p * next);
            w[2 * p + 1] = wasm_v128_load(b + (size_t)p * next + 4);
        }
        UNROLL for (int i = 0; i < rows; i++) {
            v128_t a = wasm_v128_load32_splat(x + (size_t)i * (size_t)ldx);
            UNROLL for (int j = 0; j < 2 * panels; j++) acc[i][j] = mul_add(a, w[j], acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) {
        UNROLL for (int j = 0; j < 2 * panels; j++) {
            wasm_v128_store(out + (size_t)i * (size_t)ldo + 4 * j, acc[i][j]);
        }
    }
}

/* One function per tile size: at least eight accumulators keep both adders busy, and twelve fit in registers. */
#define TILE(name, rows, panels)                                                                                    \
    NOINLINE void name(int k, const float *x, int ldx, const float *b, size_t step, size_t next, const float *bias, \
                       float *out, int ldo) {                                                                       \
        tile(rows, panels, k, x, ldx, b, step, next, bias, out, ldo);                                               \
    }
TILE(tile_1x1, 1, 1)
TILE(tile_1x4, 1, 4)
TILE(tile_2x1, 2, 1)
TILE(tile_2x2, 2, 2)
TILE(tile_3x1, 3, 1)
TILE(tile_4x1, 4, 1)
TILE(tile_5x1, 5, 1)

/* All m rows of one group of 8 columns. */
static void columns_8(float *out, int ldo, const float *x, int ldx, const float *b, size_t step, const float *bias,
                      int m, int k) {
    while (m > 0) {
        /* blocks of 4; a remainder of 1 makes the last block 5 */
        const int rows = m == 5 || m < 4 ? m : 4;
        switch (rows) {
            case 5: tile_5x1(k, x, ldx, b, step, 0, bias, out, ldo); break;
            case 4: tile_4x1(k, x, ldx, b, step, 0, bias, out, ldo); break;
            case 3: tile_3x1(k, x, ldx, b, step, 0, bias, out, ldo); break;
            case 2: tile_2x1(k, x, ldx, b, step, 0, bias, out, ldo); break;
            default: tile_1x1(k, x, ldx, b, step, 0, bias, out, ldo); break;
        }
        m -= rows;
        x += (size_t)rows * (size_t)ldx;
        out += (size_t)rows * (size_t)ldo;
    }
}

static const float zeros[4 * PANEL];

void k_gemm_f32(float *out, int ldo, const float *x, int ldx, const float *panels, const float *bias, int m, int n,
                int k) {
    const size_t panel = (size_t)k * PANEL;
    int j = 0;
    if (m == 1) {
        for (; n - j >= 4 * PANEL; j += 4 * PANEL, panels += 4 * panel)
            tile_1x4(k, x, ldx, panels, PANEL, panel, bias ? bias + j : zeros, out + j, ldo);
    } else if (m == 2) {
        for (; n - j >= 2 * PANEL; j += 2 * PANEL, panels += 2 * panel)
            tile_2x2(k, x, ldx, panels, PANEL, panel, bias ? bias + j : zeros, out + j, ldo);
    }
    for (; n - j >= PANEL; j += PANEL, panels += panel)
        columns_8(out + j, ldo, x, ldx, panels, PANEL, bias ? bias + j : zeros, m, k);
    if (j == n) return;

    /* the last columns: the panel is padded, but bias and out are not */
    float b[PANEL] = {0}, o[4 * PANEL];
    const size_t bytes = (size_t)(n - j) * sizeof(float);
    if (bias) memcpy(b, bias + j, bytes);
    for (int i = 0; i < m; i += 4) {
        const int rows = m - i < 4 ? m - i : 4;
        columns_8(o, PANEL, x + (size_t)i * (size_t)ldx, ldx, panels, PANEL, b, rows, k);
        for (int r = 0; r < rows; r++) memcpy(out + (size_t)(i + r) * (size_t)ldo + j, o + r * PANEL, bytes);
    }
}

void k_matmul(float *out, const float *a, const float *b, int m, int n, int k) {
    int j = 0;
    if (m == 1) {
        for (; n - j >= 4 * PANEL; j += 4 * PANEL) tile_1x4(k, a, k, b + j, (size_t)n, PANEL, zeros, out + j, n);
    } else if (m == 2) {
        for (; n - j >= 2 * PANEL; j += 2 * PANEL) tile_2x2(k, a, k, b + j, (size_t)n, PANEL, zeros, out + j, n);
    }
    for (; n - j >= PANEL; j += PANEL) columns_8(out + j, n, a, k, b + j, (size_t)n, zeros, m, k);

    for (int i = 0; i < m; i++) {
        for (int c = j; c < n; c++) {
            float sum = 0.0f;
            for (int t = 0; t < k; t++) sum += a[(size_t)i * (size_t)k + t] * b[(size_t)t * (size_t)n + c];
            out[(size_t)i * (size_t)n + c] = sum;
        }
    }
}
