/*
 * gemm_i8.c - int8 matrix products over packed panels; see kernels.h.
 *
 * Both variants read the same panels, in which 4 consecutive k of 8 columns take 32 bytes.  The sums are exact
 * integers, so tiles may add them in any order.
 */
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/simd.h"

#ifdef HEED_RELAXED
#include "kernels/relaxed.h"
#endif

/* Turns the int32 sums of a tile into floats.  All pointers are at the tile's first row and column. */
typedef struct {
    const float *scales;   /* [rows] of the activations    */
    const int32_t *zeros;  /* [rows]                       */
    const float *w_scales; /* [columns]                    */
    const int32_t *sums;   /* [columns]                    */
    const float *bias;     /* [columns]                    */
    float *out;
    int ldo;
} epilogue;

/* Row i, columns 4j..4j+3.  Scaling and bias round once each, so every host gets the same bits. */
INLINE void finish(const epilogue *e, int i, int j, v128_t acc) {
#ifdef HEED_RELAXED
    acc = wasm_i32x4_sub(acc, wasm_i32x4_mul(wasm_v128_load32_splat(e->zeros + i), wasm_v128_load(e->sums + 4 * j)));
#endif
    v128_t scale = wasm_f32x4_mul(wasm_v128_load32_splat(e->scales + i), wasm_v128_load(e->w_scales + 4 * j));
    v128_t y = mul_add(wasm_f32x4_convert_i32x4(acc), scale, wasm_v128_load(e->bias + 4 * j));
    wasm_v128_store(e->out + (size_t)i * (size_t)e->ldo + 4 * j, y);
}

#ifdef HEED_RELAXED

typedef uint8_t quantized;

/* rows x (8 * panels) columns; k in quads.  At least eight sums hide the latency of the dot. */
INLINE void tile(const int rows, const int panels, int k, const quantized *x, const int8_t *w, const epilogue *e) {
    const size_t next = (size_t)k * PANEL;
    const quantized *row = x;
    v128_t acc[8][8];
    UNROLL for (int i = 0; i < rows; i++) {
        UNROLL for (int j = 0; j < 2 * panels; j++) acc[i][j] = wasm_i32x4_splat(0);
    }
    KEEP_LOOP for (int t = k; t > 0; t -= 4, row += 4, w += 4 * PANEL) {
        v128_t b[8];
        UNROLL for (int p = 0; p < panels; p++) {
            b[2 * p] = wasm_v128_load(w + (size_t)p * next);
            b[2 * p + 1] = wasm_v128_load(w + (size_t)p * next + 16);
        }
        UNROLL for (int i = 0; i < rows; i++) {
            v128_t a = wasm_v128_load32_splat(row + (size_t)i * (size_t)k);
            UNROLL for (int j = 0; j < 2 * panels; j++) acc[i][j] = dot_i8_u7(b[j], a, acc[i][j]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) { UNROLL for (int j = 0; j < 2 * panels; j++) finish(e, i, j, acc[i][j]); }
}

#define TILE(name, rows, panels)                                                        \
    NOINLINE void name(int k, const quantized *x, const int8_t *w, const epilogue *e) { \
        tile(rows, panels, k, x, w, e);                                                 \
    }
TILE(tile_1x1, 1, 1)
TILE(tile_1x4, 1, 4)
TILE(tile_2x1, 2, 1)
TILE(tile_2x2, 2, 2)
TILE(tile_3x1, 3, 1)
TILE(tile_4x1, 4, 1)
TILE(tile_5x1, 5, 1)
TILE(tile_6x1, 6, 1)

/* Rows of the next block of one panel: 6 if many are left, but never leaving fewer than 3. */
static int block_rows(int m) { return m <= 6 ? m : m == 7 || m == 8 ? 4 : m == 9 ? 5 : 6; }

static void columns_8(int rows, int k, const quantized *x, const int8_t *w, const epilogue *e) {
    switch (rows) {
        case 6: tile_6x1(k, x, w, e); break;
        case 5: tile_5x1(k, x, w, e); break;
        case 4: tile_4x1(k, x, w, e); break;
        case 3: tile_3x1(k, x, w, e); break;
        case 2: tile_2x1(k, x, w, e); break;
        default: tile_1x1(k, x, w, e); break;
    }
}

#else

typedef int16_t quantized;

INLINE v128_t dot(v128_t a, v128_t b, v128_t c) { return wasm_i32x4_add(wasm_i32x4_dot_i16x8(a, b), c); }

/* Sums of neighbours: (a0+a1, a2+a3, b0+b1, b2+b3). */
INLINE v128_t add_pairs(v128_t a, v128_t b) {
    return wasm_i32x4_add(wasm_i32x4_shuffle(a, b, 0, 2, 4, 6), wasm_i32x4_shuffle(a, b, 1, 3, 5, 7));
}

/* rows x 4 columns, at w and at epilogue column 4 * half.  A vector holds two columns with two partial sums each. */
INLINE void tile(const int rows, int k, const quantized *x, const int8_t *w, const epilogue *e, int half) {
    const quantized *row = x;
    v128_t acc[5][2];
    w += 16 * half;
    UNROLL for (int i = 0; i < rows; i++) acc[i][0] = acc[i][1] = wasm_i32x4_splat(0);
    KEEP_LOOP for (int t = k; t > 0; t -= 4, row += 4, w += 4 * PANEL) {
        v128_t b0 = wasm_i16x8_load8x8(w), b1 = wasm_i16x8_load8x8(w + 8);
        UNROLL for (int i = 0; i < rows; i++) {
            v128_t a = wasm_v128_load64_splat(row + (size_t)i * (size_t)k);
            acc[i][0] = dot(a, b0, acc[i][0]);
            acc[i][1] = dot(a, b1, acc[i][1]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) finish(e, i, half, add_pairs(acc[i][0], acc[i][1]));
}

#define TILE(name, rows)                                                                \
    NOINLINE void name(int k, const quantized *x, const int8_t *w, const epilogue *e) { \
        tile(rows, k, x, w, e, 0);                                                      \
        tile(rows, k, x, w, e, 1);                                                      \
    }
TILE(tile_2, 2)
TILE(tile_3, 3)
TILE(tile_4, 4)
TILE(tile_5, 5)

/* One row: all 8 columns in one pass, two quads of k at a time. */
NOINLINE void tile_1(int k, const quantized *x, const int8_t *w, const epilogue *e) {
    v128_t acc[8];
    UNROLL for (int j = 0; j < 8; j++) acc[j] = wasm_i32x4_splat(0);
    KEEP_LOOP for (; k > 0; k -= 8, x += 8, w += 8 * PANEL) {
        v128_t a0 = wasm_v128_load64_splat(x), a1 = wasm_v128_load64_splat(x + 4);
        UNROLL for (int j = 0; j < 4; j++) {
            acc[j] = dot(a0, wasm_i16x8_load8x8(w + 8 * j), acc[j]);
            acc[4 + j] = dot(a1, wasm_i16x8_load8x8(w + 4 * PANEL + 8 * j), acc[4 + j]);
        }
    }
    UNROLL for (int j = 0; j < 4; j++) acc[j] = wasm_i32x4_add(acc[j], acc[4 + j]);
    finish(e, 0, 0, add_pairs(acc[0], acc[1]));
    finish(e, 0, 1, add_pairs(acc[2], acc[3]));
}

/* Rows of the next block of one panel: 4 if many are left; 5 are one block, 6 are two. */
static int block_rows(int m) { return m <= 5 ? m : m == 6 ? 3 : 4; }

static void columns_8(int rows, int k, const quantized *x, const int8_t *w, const epilogue *e) {
    switch (rows) {
        case 5: tile_5(k, x, w, e); break;
        case 4: tile_4(k, x, w, e); break;
        case 3: tile_3(k, x, w, e); break;
        case 2: tile_2(k, x, w, e); break;
        default: tile_1(k, x, w, e); break;
    }
}

#endif

static const float zeros_f32[4 * PANEL];

void k_gemm_i8(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros, const int8_t *panels,
               const float *w_scales, const int32_t *sums, const float *bias, int m, int n, int k) {
    const quantized *x = rows;
    const int padded = quantized_cols(k);
    const size_t panel = (size_t)padded * PANEL;
    int j = 0;
#ifdef HEED_RELAXED
    /* few rows: take several panels at once, to have enough independent sums */
    const int wide = m == 1 ? 4 * PANEL : m == 2 ? 2 * PANEL : 0;
    for (; wide > 0 && n - j >= wide; j += wide, panels += (size_t)(wide / PANEL) * panel) {
        const epilogue e = {scales, zeros, w_scales + j, sums + j, bias ? bias + j : zeros_f32, out + j, ldo};
        if (m == 1) tile_1x4(padded, x, panels, &e);
        else tile_2x2(padded, x, panels, &e);
    }
#endif
    for (; j < n; j += PANEL, panels += panel) {
        /* the last panel is padded, but bias and out are not */
        const int whole = n - j >= PANEL;
        const size_t bytes = (size_t)(n - j) * sizeof(float);
        float last_bias[PANEL] = {0}, last_out[8 * PANEL];
        if (!whole && bias) memcpy(last_bias, bias + j, bytes);
        for (int i = 0, block; i < m; i += block) {
            block = block_rows(m - i);
            float *corner = out + (size_t)i * (size_t)ldo + j;
            epilogue e = {scales + i, zeros + i, w_scales + j, sums + j, bias ? bias + j : zeros_f32, corner, ldo};
            if (!whole) {
                e.bias = last_bias;
                e.out = last_out;
                e.ldo = PANEL;
            }
            columns_8(block, padded, x + (size_t)i * (size_t)padded, panels, &e);
            for (int r = 0; r < block && !whole; r++)
                memcpy(corner + (size_t)r * (size_t)ldo, last_out + r * PANEL, bytes);
        }
    }
}
