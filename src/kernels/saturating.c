/* saturating.c - int8 products whose pair sums are clamped to 16 bits; see kernels.h. */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/quantized.h"
#include "kernels/simd.h"

/* The largest q.  Weights of different signs fit: 254 * 128 < 32768. */
enum { MOST = 254 };

int k_saturates(const int8_t *row, int k) {
    KEEP_LOOP for (int i = 0; i + 1 < k; i += 2) {
        if (abs(row[i] + row[i + 1]) * MOST > INT16_MAX) return 1;
    }
    return 0;
}

/* Eight integers q of x. */
INLINE v128_t rounded(const float *x, v128_t alpha) {
    const v128_t i = wasm_i16x8_narrow_i32x4(round_clamped(x, alpha), round_clamped(x + 4, alpha));
    return wasm_i16x8_add(i, wasm_i16x8_splat(127));
}

/* `sums` plus four clamped pair sums. */
INLINE v128_t add_pairs(v128_t q, v128_t w, v128_t sums) {
    const v128_t pairs = wasm_i32x4_max(wasm_i32x4_dot_i16x8(q, w), wasm_i32x4_splat(INT16_MIN));
    return wasm_i32x4_add(sums, wasm_i32x4_min(pairs, wasm_i32x4_splat(INT16_MAX)));
}

void k_gemm_saturating(float *out, int ldo, const float *x, int ldx, const float *scales, float alpha,
                       const int8_t *panels, int at, float multiplier, float prepared_bias, int m, int k) {
    const v128_t a = wasm_f32x4_splat(alpha), sign = wasm_i16x8_splat(EVEN_SIGN);
    for (int r = 0; r < m; r++) {
        const float *row = x + (size_t)r * (size_t)ldx;
        const int8_t *w = panels + place_i8(at, k);
        v128_t sums = wasm_i32x4_splat(0);
        float last[16] = {0};
        if (k % 16 != 0) memcpy(last, row + k / 16 * 16, (size_t)(k % 16) * sizeof *row);
        KEEP_LOOP for (int i = 0; i < k; i += 16, row += 16, w += 16 * PANEL) {
            if (k - i < 16) row = last;
            v128_t v = wasm_v128_load32_zero(w);
            v = wasm_v128_load32_lane(w + 4 * PANEL, v, 1);
            v = wasm_v128_load32_lane(w + 8 * PANEL, v, 2);
            v = wasm_v128_xor(wasm_v128_load32_lane(w + 12 * PANEL, v, 3), sign);
            sums = add_pairs(rounded(row, a), wasm_i16x8_extend_low_i8x16(v), sums);
            sums = add_pairs(rounded(row + 8, a), wasm_i16x8_extend_high_i8x16(v), sums);
        }
        int32_t lanes[4];
        wasm_v128_store(lanes, sums);
        const int32_t sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
        out[(size_t)r * (size_t)ldo] = (float)sum * (scales[r] * multiplier) + prepared_bias;
    }
}
