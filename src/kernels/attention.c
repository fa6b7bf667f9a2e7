/* attention.c - one query row against cached key and value rows; see kernels.h. */
#include "kernels/kernels.h"
#include "kernels/simd.h"

INLINE const float *row_of(const float *base, size_t ld, const int32_t *rows, int i) {
    return base + (size_t)(rows ? rows[i] : i) * ld;
}

/* q . k0, q . k1, q . k2, q . k3 */
NOINLINE v128_t dot_4(const float *q, const float *k0, const float *k1, const float *k2, const float *k3, int dh) {
    v128_t s0 = wasm_f32x4_splat(0.0f), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    int c = 0;
    KEEP_LOOP for (; dh - c >= 8; c += 8) {
        v128_t a = wasm_v128_load(q + c), b = wasm_v128_load(q + c + 4);
        s0 = mul_add(a, wasm_v128_load(k0 + c), s0);
        s1 = mul_add(a, wasm_v128_load(k1 + c), s1);
        s2 = mul_add(a, wasm_v128_load(k2 + c), s2);
        s3 = mul_add(a, wasm_v128_load(k3 + c), s3);
        t0 = mul_add(b, wasm_v128_load(k0 + c + 4), t0);
        t1 = mul_add(b, wasm_v128_load(k1 + c + 4), t1);
        t2 = mul_add(b, wasm_v128_load(k2 + c + 4), t2);
        t3 = mul_add(b, wasm_v128_load(k3 + c + 4), t3);
    }
    KEEP_LOOP for (; c < dh; c += 4) {
        const int part = dh - c;
        v128_t a = load_part(q + c, part, 0.0f);
        s0 = mul_add(a, load_part(k0 + c, part, 0.0f), s0);
        s1 = mul_add(a, load_part(k1 + c, part, 0.0f), s1);
        s2 = mul_add(a, load_part(k2 + c, part, 0.0f), s2);
        s3 = mul_add(a, load_part(k3 + c, part, 0.0f), s3);
    }
    s0 = wasm_f32x4_add(s0, t0);
    s1 = wasm_f32x4_add(s1, t1);
    s2 = wasm_f32x4_add(s2, t2);
    s3 = wasm_f32x4_add(s3, t3);
    /* transpose and add: lane i of the result is the sum of the lanes of s_i */
    v128_t low01 = wasm_i32x4_shuffle(s0, s1, 0, 4, 1, 5), high01 = wasm_i32x4_shuffle(s0, s1, 2, 6, 3, 7);
    v128_t low23 = wasm_i32x4_shuffle(s2, s3, 0, 4, 1, 5), high23 = wasm_i32x4_shuffle(s2, s3, 2, 6, 3, 7);
    v128_t sum01 = wasm_f32x4_add(low01, high01), sum23 = wasm_f32x4_add(low23, high23);
    return wasm_f32x4_add(wasm_i64x2_shuffle(sum01, sum23, 0, 2), wasm_i64x2_shuffle(sum01, sum23, 1, 3));
}

void k_scores(float *scores, const float *q, const float *k, size_t ld, const int32_t *rows, int n, int dh,
              float scale) {
    const v128_t s = wasm_f32x4_splat(scale);
    int i = 0;
    for (; n - i >= 4; i += 4) {
        v128_t dots = dot_4(q, row_of(k, ld, rows, i), row_of(k, ld, rows, i + 1), row_of(k, ld, rows, i + 2),
                            row_of(k, ld, rows, i + 3), dh);
        wasm_v128_store(scores + i, wasm_f32x4_mul(dots, s));
    }
    if (i == n) return;
    /* The same function computes the last keys; missing ones repeat the last.  So no score depends on n. */
    const float *last = row_of(k, ld, rows, n - 1);
    v128_t dots = dot_4(q, row_of(k, ld, rows, i), n - i > 1 ? row_of(k, ld, rows, i + 1) : last,
                        n - i > 2 ? row_of(k, ld, rows, i + 2) : last, last, dh);
    store_part(scores + i, wasm_f32x4_mul(dots, s), n - i);
}

/* 4 * vectors columns of sum_i p[i] v_i. */
INLINE void sum_columns(const int vectors, float *out, const float *p, const float *v, size_t ld, const int32_t *rows,
                        int n) {
    v128_t acc[6];
    UNROLL for (int j = 0; j < vectors; j++) acc[j] = wasm_f32x4_splat(0.0f);
    KEEP_LOOP for (int i = 0; i < n; i++) {
        const float *row = row_of(v, ld, rows, i);
        v128_t w = wasm_v128_load32_splat(p + i);
        UNROLL for (int j = 0; j < vectors; j++) acc[j] = mul_add(w, wasm_v128_load(row + 4 * j), acc[j]);
    }
    UNROLL for (int j = 0; j < vectors; j++) wasm_v128_store(out + 4 * j, acc[j]);
}

#define SUM_COLUMNS(name, vectors)                                                                          \
    NOINLINE void name(float *out, const float *p, const float *v, size_t ld, const int32_t *rows, int n) { \
        sum_columns(vectors, out, p, v, ld, rows, n);                                                       \
    }
SUM_COLUMNS(sum_columns_24, 6)
SUM_COLUMNS(sum_columns_16, 4)
SUM_COLUMNS(sum_columns_4, 1)

void k_weighted_sum(float *out, const float *p, const float *v, size_t ld, const int32_t *rows, int n, int dh) {
    int c = 0;
    /* Six sums fit the registers of every engine, eight do not.  32 columns are faster as 16 + 16 than as 24 + 8. */
    for (; dh - c >= 24 && dh - c != 32; c += 24) sum_columns_24(out + c, p, v + c, ld, rows, n);
    for (; dh - c >= 16; c += 16) sum_columns_16(out + c, p, v + c, ld, rows, n);
    for (; dh - c >= 4; c += 4) sum_columns_4(out + c, p, v + c, ld, rows, n);
    for (; c < dh; c++) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) sum += p[i] * row_of(v, ld, rows, i)[c];
        out[c] = sum;
    }
}
