/*
 * gemm_i8.c - int8 matrix products over packed panels; see kernels.h.
 *
 * In the panels 4 consecutive k of 8 columns take 32 bytes.  The sums are exact integers, so tiles may add them in any
 * order; what overflows on the way does not matter, because the whole sum does not.
 */
#include <stdbool.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/quantized.h"
#include "kernels/simd.h"

#ifdef HEED_RELAXED
#include "kernels/relaxed.h"
#endif

/* Turns the int32 sums of a tile into floats.  All pointers are at the tile's first row and column. */
typedef struct {
    const float *scales;   /* [rows] of the activations    */
    const int32_t *zeros;  /* [rows]                       */
    const float *w_scales; /* [columns]                    */
    const int32_t *sums;   /* [columns]; plain SIMD128: what is added to the sums of every row */
    const float *bias;     /* [columns]                    */
    float *out;
    int ldo;
    int columns; /* a multiple of PANEL */
} epilogue;

/* Where nothing is added. */
static const float zeros_f32[GROUP];
#ifndef HEED_RELAXED
static const int32_t zeros_i32[GROUP];
#endif

/* Row i, columns 4j..4j+3.  Scaling and bias round once each, so every host gets the same bits. */
INLINE void finish(const epilogue *e, int i, int j, v128_t acc) {
#ifdef HEED_RELAXED
    acc = wasm_i32x4_sub(acc, wasm_i32x4_mul(wasm_v128_load32_splat(e->zeros + i), wasm_v128_load(e->sums + 4 * j)));
#else
    acc = wasm_i32x4_add(acc, wasm_v128_load(e->sums + 4 * j));
#endif
    v128_t scale = wasm_f32x4_mul(wasm_v128_load32_splat(e->scales + i), wasm_v128_load(e->w_scales + 4 * j));
    v128_t y = mul_add(wasm_f32x4_convert_i32x4(acc), scale, wasm_v128_load(e->bias + 4 * j));
    wasm_v128_store(e->out + (size_t)i * (size_t)e->ldo + 4 * j, y);
}

/* Moves on to the next panel of one row. */
INLINE void step(epilogue *e) {
    e->w_scales += PANEL;
#ifdef HEED_RELAXED
    e->sums += PANEL;
#endif
    e->bias += e->bias == zeros_f32 ? 0 : PANEL;
    e->out += PANEL;
}

#ifdef HEED_RELAXED

/*
 * rows x 8 columns.  Each turn of the loop takes `quads` times four k.  With few rows, quads are added to
 * several sums in turn, because at least eight sums hide the latency of the dot.
 *   parts    1 of 7-bit rows, 2 of 8-bit rows, which are stored as two rows of 7 bits
 */
INLINE void tile(const int rows, const int quads, const int parts, int k, const quantized *x, const int8_t *w,
                 const epilogue *e) {
    const int chains = rows > 2 ? 1 : 4 / rows;
    const quantized *row = x;
    v128_t acc[6][4][2];
    UNROLL for (int i = 0; i < rows; i++) {
        UNROLL for (int c = 0; c < chains; c++) {
            UNROLL for (int j = 0; j < 2; j++) acc[i][c][j] = wasm_i32x4_splat(0);
        }
    }
    KEEP_LOOP for (int t = k; t > 0; t -= 4 * quads, row += 4 * quads, w += 4 * quads * PANEL) {
        UNROLL for (int u = 0; u < quads; u++) {
            v128_t b[2];
            UNROLL for (int j = 0; j < 2; j++) b[j] = wasm_v128_load(w + 4 * PANEL * u + 16 * j);
            UNROLL for (int i = 0; i < rows; i++) {
                v128_t *sums = acc[i][u % chains];
                UNROLL for (int part = 0; part < parts; part++) {
                    const v128_t a = wasm_v128_load32_splat(row + 4 * u + (size_t)(i * parts + part) * (size_t)k);
                    UNROLL for (int j = 0; j < 2; j++) sums[j] = dot_i8_u7(b[j], a, sums[j]);
                }
            }
        }
    }
    UNROLL for (int i = 0; i < rows; i++) {
        UNROLL for (int j = 0; j < 2; j++) {
            UNROLL for (int c = 1; c < chains; c++) acc[i][0][j] = wasm_i32x4_add(acc[i][0][j], acc[i][c][j]);
            finish(e, i, j, acc[i][0][j]);
        }
    }
}

#define TILE(name, rows, quads, parts)                                                  \
    NOINLINE void name(int k, const quantized *x, const int8_t *w, const epilogue *e) { \
        tile(rows, quads, parts, k, x, w, e);                                           \
    }
TILE(tile_2, 2, 2, 1)
TILE(tile_3, 3, 1, 1)
TILE(tile_4, 4, 1, 1)
TILE(tile_6, 6, 1, 1)
TILE(tile_8_2, 2, 2, 2)
TILE(tile_8_4, 4, 1, 2)

/*
 * One row and its panels, one after the other.  Two at once have fewer sums to add at their ends: that is a tenth less
 * time where the weights are in the second cache, and half as long again where they are not, as in a large model.
 */
INLINE void row_tile(const int parts, int k, const quantized *x, const int8_t *w, const epilogue *e) {
    epilogue at = *e;
    KEEP_LOOP for (int left = e->columns; left > 0; left -= PANEL, w += (size_t)k * PANEL) {
        tile(1, 4, parts, k, x, w, &at);
        step(&at);
    }
}
NOINLINE void tile_1(int k, const quantized *x, const int8_t *w, const epilogue *e) { row_tile(1, k, x, w, e); }
NOINLINE void tile_8_1(int k, const quantized *x, const int8_t *w, const epilogue *e) { row_tile(2, k, x, w, e); }

/*
 * Rows of the next block of one panel.  6 if many are left, but never leaving 1, 2 or 5; 4 of pairs, which need more
 * registers; of 8-bit rows, which are rare, 1, 2 or 4, as every tile makes the download larger.
 */
static int block_rows(int m, int parts) {
    if (parts == 2) return m >= 4 ? 4 : m == 3 ? 2 : m;
#ifdef HEED_PAIRS
    return m <= 4 ? m : m <= 6 ? 3 : 4;
#else
    return m <= 4 ? m : m == 5 ? 3 : m == 7 || m == 8 || m == 11 ? 4 : 6;
#endif
}

typedef void tile_function(int k, const quantized *x, const int8_t *w, const epilogue *e);

/* By parts - 1 and rows - 1. */
static tile_function *const TILES[2][6] = {{tile_1, tile_2, tile_3, tile_4, NULL, tile_6},
                                           {tile_8_1, tile_8_2, NULL, tile_8_4}};

static tile_function *tile_of(int rows, int parts) { return TILES[parts - 1][rows - 1]; }

#else

INLINE v128_t dot(v128_t a, v128_t b, v128_t c) { return wasm_i32x4_add(wasm_i32x4_dot_i16x8(a, b), c); }

/*
 * rows x 8 columns.  A vector w of 16 weights is read as 8 numbers of 16 bits, 256 high + low, where low is not
 * negative (see kernels.h).  To widen them takes one shift, high = w >> 8, because
 *
 *     x0 low + x1 high = x0 w + (x1 - 256 x0) high
 *
 * A row of activations has both factors of each quad of k, and then the number at which its sums begin.
 *
 * The last row comes first, and sums are held where they are: V8 keeps the order of the code, and so runs out of
 * registers neither in Node 20 nor in Node 24.
 */
INLINE void tile(const int rows, int k, const quantized *x, const int8_t *w, const epilogue *e) {
    const size_t next = (size_t)k + ROW_TAIL;
    const int8_t *end = w + (size_t)k * PANEL;
    v128_t acc[4][2];
    UNROLL for (int i = 0; i < rows; i++) acc[i][0] = acc[i][1] = wasm_v128_load32_splat(x + (size_t)i * next + k);
    KEEP_LOOP for (; w != end; x += 4, w += 4 * PANEL) {
        const v128_t w0 = wasm_v128_load(w), w1 = wasm_v128_load(w + 16);
        const v128_t high0 = wasm_i16x8_shr(w0, 8), high1 = wasm_i16x8_shr(w1, 8);
        UNROLL for (int i = rows - 1; i >= 0; i--) {
            const v128_t x0 = wasm_v128_load32_splat(x + (size_t)i * next);
            acc[i][0] = dot(x0, w0, acc[i][0]);
            HOLD(acc[i][0]);
            acc[i][1] = dot(x0, w1, acc[i][1]);
            HOLD(acc[i][1]);
            const v128_t x1 = wasm_v128_load32_splat(x + (size_t)i * next + 2);
            acc[i][0] = dot(x1, high0, acc[i][0]);
            HOLD(acc[i][0]);
            acc[i][1] = dot(x1, high1, acc[i][1]);
            HOLD(acc[i][1]);
        }
    }
    UNROLL for (int i = 0; i < rows; i++) {
        finish(e, i, 0, acc[i][0]);
        finish(e, i, 1, acc[i][1]);
    }
}

#define TILE(name, rows)                                                                \
    NOINLINE void name(int k, const quantized *x, const int8_t *w, const epilogue *e) { \
        tile(rows, k, x, w, e);                                                         \
    }
TILE(tile_2, 2)
TILE(tile_3, 3)
TILE(tile_4, 4)

/*
 * One row and all panels, as what comes between two panels takes a fifth of the time of short rows: two quads of k at a
 * time, and a sum of its own for each of the two factors.
 */
NOINLINE void tile_1(int k, const quantized *x, const int8_t *w, const epilogue *e) {
    const v128_t start = wasm_v128_load32_splat(x + k);
    epilogue at = *e;
    KEEP_LOOP for (int left = e->columns; left > 0; left -= PANEL) {
        const int8_t *end = w + (size_t)k * PANEL;
        const quantized *quad = x;
        v128_t low[2], high[2];
        low[0] = low[1] = start;
        high[0] = high[1] = wasm_i32x4_splat(0);
        KEEP_LOOP for (; w != end; quad += 8, w += 8 * PANEL) {
            UNROLL for (int u = 1; u >= 0; u--) {
                const v128_t x0 = wasm_v128_load32_splat(quad + 4 * u), x1 = wasm_v128_load32_splat(quad + 4 * u + 2);
                UNROLL for (int j = 1; j >= 0; j--) {
                    const v128_t v = wasm_v128_load(w + 4 * PANEL * u + 16 * j);
                    low[j] = dot(x0, v, low[j]);
                    HOLD(low[j]);
                    high[j] = dot(x1, wasm_i16x8_shr(v, 8), high[j]);
                    HOLD(high[j]);
                }
            }
        }
        finish(&at, 0, 0, wasm_i32x4_add(low[0], high[0]));
        finish(&at, 0, 1, wasm_i32x4_add(low[1], high[1]));
        step(&at);
    }
}

typedef void tile_function(int k, const quantized *x, const int8_t *w, const epilogue *e);

/* By rows - 1.  Called through a table, because V8 would put all of them into one function. */
static tile_function *const TILES[4] = {tile_1, tile_2, tile_3, tile_4};

/* Rows of the next block of one panel: 4 if many are left, but 5 are 3 and 2, and 6 are 3 and 3. */
static int block_rows(int m, int parts) { return (void)parts, m <= 4 ? m : m <= 6 ? 3 : 4; }

/* 16 bits have room for all of an activation, so there are no parts. */
static tile_function *tile_of(int rows, int parts) { return (void)parts, TILES[rows - 1]; }

#endif

/* a0 b0 a1 b1 ... of the first or the last half of two vectors, of 8 or 16 bits each. */
INLINE v128_t low_bytes(v128_t a, v128_t b) {
    return wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
INLINE v128_t high_bytes(v128_t a, v128_t b) {
    return wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
INLINE v128_t low_words(v128_t a, v128_t b) { return wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
INLINE v128_t high_words(v128_t a, v128_t b) { return wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }

/* Adds to `sums` of 4 columns the products of 4 numbers of a row, of which w has the weights. */
#ifdef HEED_RELAXED
INLINE v128_t dot_4(v128_t w, const quantized *x, v128_t sums) {
    return dot_i8_u7(w, wasm_v128_load32_splat(x), sums);
}
#else
INLINE v128_t dot_4(v128_t w, const quantized *x, v128_t sums) {
    sums = dot(wasm_v128_load32_splat(x), w, sums);
    return dot(wasm_v128_load32_splat(x + 2), wasm_i16x8_shr(w, 8), sums);
}
#endif

/*
 * One row that is mostly 0, and the columns of a group.  Each row has other numbers, so the weights of each four are
 * brought side by side here.  Only here it is known which of two comes first, so groups keep the weights as they are.
 */
NOINLINE void tile_sparse(const sparse_head *row, size_t room, const int8_t *w, const epilogue *e) {
    const uint16_t *at = (const uint16_t *)(row + 1), *end = at + row->n;
    const quantized *x = (const quantized *)(at + room);
    const v128_t sign = wasm_i8x16_splat((int8_t)EVEN_SIGN);
    v128_t acc[GROUP / 4];
    UNROLL for (int j = 0; j < GROUP / 4; j++) acc[j] = wasm_i32x4_splat(row->start);
    KEEP_LOOP for (; at != end; at += 4, x += 4) {
        v128_t v[4];
        UNROLL for (int i = 0; i < 4; i++) v[i] = wasm_v128_load(w + (size_t)at[i] * GROUP);
        v[0] = wasm_v128_xor(v[0], sign);
        v[2] = wasm_v128_xor(v[2], sign);
        UNROLL for (int half = 0; half < 2; half++) {
            const v128_t front = half ? high_bytes(v[0], v[1]) : low_bytes(v[0], v[1]);
            const v128_t back = half ? high_bytes(v[2], v[3]) : low_bytes(v[2], v[3]);
            v128_t *sums = acc + 2 * half;
            sums[0] = dot_4(low_words(front, back), x, sums[0]);
            HOLD(sums[0]);
            sums[1] = dot_4(high_words(front, back), x, sums[1]);
            HOLD(sums[1]);
        }
    }
    UNROLL for (int j = 0; j < GROUP / 4; j++) finish(e, 0, j, acc[j]);
}

/* The numbers of k_gemm_fixed. */
typedef struct {
    float multiplier, shift;
} fixed_scale;

/* Copies for columns whose numbers the matrix or the bias does not have in this form. */
typedef struct {
    float bias[GROUP], scales[GROUP];
    int32_t sums[GROUP];
    float out[8 * PANEL];
} own_columns;

/*
 * The epilogue of columns j and following, of which n - j are left.  Those past n are padding, but bias has none.
 *   fixed   if not NULL, used instead of w_scales
 */
NOINLINE epilogue epilogue_at(own_columns *own, float *out, int ldo, const float *scales, const int32_t *zeros,
                              const float *w_scales, const int32_t *sums, const float *bias, const fixed_scale *fixed,
                              int j, int n, int columns) {
    epilogue e = {scales, zeros, fixed ? own->scales : w_scales + j, sums + j, bias ? bias + j : zeros_f32,
                  out + j, ldo, columns};
#ifndef HEED_RELAXED
    e.sums = fixed ? own->sums : zeros_i32;
#endif
    if (!fixed && n - j >= columns) return e;
    KEEP_LOOP for (int c = 0; c < columns; c += 4) {
        v128_t b = wasm_f32x4_splat(0.0f);
        if (bias && c < n - j) b = load_part(bias + j + c, n - j - c, 0.0f);
        if (fixed) {
            const v128_t sum = wasm_v128_load(sums + j + c);
#ifndef HEED_RELAXED
            wasm_v128_store(own->sums + c, wasm_i32x4_mul(sum, wasm_i32x4_splat(127)));
#endif
            b = mul_add(wasm_f32x4_convert_i32x4(sum), wasm_f32x4_splat(fixed->shift), b);
            wasm_v128_store(own->scales + c, wasm_f32x4_splat(fixed->multiplier));
        }
        wasm_v128_store(own->bias + c, b);
    }
    e.bias = own->bias;
    return e;
}

/* One row takes all whole panels at once; with a fixed scale not, as there is a copy of the numbers of one panel. */
static int next_columns(int m, int left, bool is_fixed) {
    return m == 1 && !is_fixed && left >= PANEL ? left / PANEL * PANEL : PANEL;
}

/* The columns from..to of m rows.  parts: 1 of 7-bit rows, 2 of 8-bit rows. */
static void multiply_part(float *out, int ldo, const quantized *x, const float *scales, const int32_t *zeros,
                          const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias,
                          const fixed_scale *fixed, int parts, int m, int n, int k, int from, int to) {
    const int padded = quantized_cols(k);
    const size_t row = quantized_row(k, parts);
    panels += (size_t)from * (size_t)padded;
    for (int j = from, columns; j < to; j += columns, panels += (size_t)columns * (size_t)padded) {
        own_columns own;
        columns = next_columns(m, to - j, fixed != NULL);
        const epilogue at_j = epilogue_at(&own, out, ldo, scales, zeros, w_scales, sums, bias, fixed, j, n, columns);
        const int given = n - j < columns ? n - j : columns;
        for (int i = 0, block; i < m; i += block) {
            epilogue e = at_j;
            block = block_rows(m - i, parts);
            e.scales += i;
            e.zeros += i;
            e.out += (size_t)i * (size_t)ldo;
            if (given < columns) {
                e.out = own.out;
                e.ldo = PANEL;
            }
            tile_of(block, parts)(padded, x + (size_t)i * row, panels, &e);
            for (int r = 0; r < block && given < columns; r++)
                memcpy(at_j.out + (size_t)(i + r) * (size_t)ldo, own.out + r * PANEL, (size_t)given * sizeof(float));
        }
    }
}

/*
 * Bytes of weights in one turn.  Two blocks of rows use them, then the next two, while they stay in the second cache.
 * If every panel met all rows before the next panel, that one would come from memory too late: with a large vocabulary
 * that costs a tenth of the time.
 */
enum { TURN_BYTES = 128 << 10 };

static void multiply(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                     const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias,
                     const fixed_scale *fixed, int parts, int m, int n, int k) {
    const quantized *x = rows;
    const size_t row = quantized_row(k, parts);
    const int padded = quantized_cols(k), fitting = padded > 0 ? TURN_BYTES / padded / PANEL * PANEL : n;
    const int turn = block_rows(m, parts) == m ? n : fitting > PANEL ? fitting : PANEL;
    for (int j = 0; j < n; j += turn) {
        for (int i = 0, turn_rows; i < m; i += turn_rows) {
            turn_rows = block_rows(m - i, parts);
            if (turn_rows < m - i) turn_rows += block_rows(m - i - turn_rows, parts);
            multiply_part(out + (size_t)i * (size_t)ldo, ldo, x + (size_t)i * row, scales + i, zeros + i, panels,
                          w_scales, sums, bias, fixed, parts, turn_rows, n, k, j, n - j < turn ? n : j + turn);
        }
    }
}

static void multiply_sparse(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                            const int8_t *groups, const float *w_scales, const int32_t *sums, const float *bias,
                            const fixed_scale *fixed, int m, int n, int k) {
    const size_t bytes = sparse_row(k), room = sparse_room(k);
    for (int j = 0; j < n; j += GROUP, groups += (size_t)GROUP * (size_t)k) {
        own_columns own;
        epilogue e = epilogue_at(&own, out, ldo, scales, zeros, w_scales, sums, bias, fixed, j, n, GROUP);
        const int is_whole = n - j >= GROUP;
        for (int i = 0; i < m; i++) {
            float *row_out = out + (size_t)i * (size_t)ldo + j;
            e.out = is_whole ? row_out : own.out;
            tile_sparse((const sparse_head *)(const void *)((const char *)rows + (size_t)i * bytes), room, groups, &e);
            if (!is_whole) memcpy(row_out, own.out, (size_t)(n - j) * sizeof *out);
            e.scales++;
            e.zeros++;
        }
    }
}

void k_gemm_i8(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros, const int8_t *panels,
               const float *w_scales, const int32_t *sums, const float *bias, int m, int n, int k) {
    multiply(out, ldo, rows, scales, zeros, panels, w_scales, sums, bias, NULL, 1, m, n, k);
}

void k_gemm_i8_8(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                 const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                 int k) {
    multiply(out, ldo, rows, scales, zeros, panels, w_scales, sums, bias, NULL, 2, m, n, k);
}

void k_gemm_fixed(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                  const int8_t *panels, float multiplier, float shift, const int32_t *sums, const float *bias, int m,
                  int n, int k) {
    const fixed_scale fixed = {multiplier, shift};
    multiply(out, ldo, rows, scales, zeros, panels, NULL, sums, bias, &fixed, 2, m, n, k);
}

void k_gemm_sparse(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                   const int8_t *groups, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                   int k) {
    multiply_sparse(out, ldo, rows, scales, zeros, groups, w_scales, sums, bias, NULL, m, n, k);
}

void k_gemm_sparse_fixed(float *out, int ldo, const void *rows, const float *scales, const int32_t *zeros,
                         const int8_t *groups, float multiplier, float shift, const int32_t *sums, const float *bias,
                         int m, int n, int k) {
    const fixed_scale fixed = {multiplier, shift};
    multiply_sparse(out, ldo, rows, scales, zeros, groups, NULL, sums, bias, &fixed, m, n, k);
}
