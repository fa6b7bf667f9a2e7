/* reference.c - see reference.h and kernels.h for the contracts. */
#include "kernels/reference.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

/* Where element (n, i) of W [N, k] lies in f32 panels. */
static size_t at_f32(int n, int i, int k) {
    return (size_t)(n / PANEL) * (size_t)k * PANEL + (size_t)i * PANEL + (size_t)(n % PANEL);
}

void ref_pack_row_f32(float *panels, int n, const float *row, int k) {
    for (int i = 0; i < k; i++) panels[at_f32(n, i, k)] = row[i];
}

void ref_unpack_row_f32(float *row, const float *panels, int n, int k) {
    for (int i = 0; i < k; i++) row[i] = panels[at_f32(n, i, k)];
}

void ref_copy_rows(void *to, const void *from, const int32_t *rows, int n, int cells) {
    uint32_t *out = to;
    const uint32_t *in = from;
    for (int r = 0; r < n; r++)
        for (int cell = 0; cell < cells; cell++) out[at_f32(r, cell, cells)] = in[at_f32(rows[r], cell, cells)];
}

void ref_gemm_f32(float *out, int ldo, const float *x, int ldx, const float *panels, const float *bias, int m, int n,
                  int k) {
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < n; c++) {
            double sum = bias ? (double)bias[c] : 0.0;
            for (int i = 0; i < k; i++) sum += (double)x[(size_t)r * (size_t)ldx + i] * panels[at_f32(c, i, k)];
            out[(size_t)r * (size_t)ldo + c] = (float)sum;
        }
    }
}

/* Where element (n, i) of W [N, k] lies in int8 panels. */
static size_t at_i8(int n, int i, int k) {
    return (size_t)(n / PANEL) * (size_t)quantized_cols(k) * PANEL + (size_t)(i / 4) * 4 * PANEL +
           (size_t)(n % PANEL) * 4 + (size_t)(i % 4);
}

void ref_pack_row_i8(int8_t *panels, int32_t *sums, int n, const int8_t *row, int k) {
    sums[n] = 0;
    for (int i = 0; i < quantized_cols(k); i++) {
        panels[at_i8(n, i, k)] = i < k ? row[i] : 0;
        sums[n] += panels[at_i8(n, i, k)];
    }
}

void ref_unpack_row_i8(int8_t *row, const int8_t *panels, int n, int k) {
    for (int i = 0; i < k; i++) row[i] = panels[at_i8(n, i, k)];
}

float ref_quantize_weights(int8_t *row, const float *x, int k) {
    float max = 0.0f;
    for (int i = 0; i < k; i++) {
        if (fabsf(x[i]) > max) max = fabsf(x[i]);
    }
    const float inverse = max >= 1e-30f ? 127.0f / max : 0.0f;
    for (int i = 0; i < k; i++) row[i] = (int8_t)nearbyintf(x[i] * inverse);
    return max >= 1e-30f ? max / 127.0f : 0.0f;
}

void ref_quantize_rows(uint8_t *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k) {
    for (int r = 0; r < m; r++) {
        const float *row = x + (size_t)r * (size_t)ldx;
        float least = 0.0f, greatest = 0.0f;
        int is_finite = 1;
        for (int i = 0; i < k; i++) {
            if (row[i] < least) least = row[i];
            if (row[i] > greatest) greatest = row[i];
            is_finite = is_finite && isfinite(row[i]);
        }
        if (!is_finite || !isfinite(greatest - least)) {
            scales[r] = NAN;
            zeros[r] = 0;
            memset(rows + (size_t)r * (size_t)k, 0, (size_t)k);
            continue;
        }
        const float span = greatest - least >= 1e-30f ? greatest - least : 0.0f;
        const float inverse = span > 0.0f ? 127.0f / span : 0.0f;
        scales[r] = span / 127.0f;
        zeros[r] = (int32_t)nearbyintf(-least * inverse);
        for (int i = 0; i < k; i++) {
            const int q = (int)nearbyintf(row[i] * inverse) + zeros[r];
            rows[(size_t)r * (size_t)k + i] = (uint8_t)(q < 0 ? 0 : q > 127 ? 127 : q);
        }
    }
}

void ref_gemm_i8(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                 const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                 int k) {
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < n; c++) {
            int32_t sum = -zeros[r] * sums[c];
            for (int i = 0; i < k; i++) sum += rows[(size_t)r * (size_t)k + i] * panels[at_i8(c, i, k)];
            const float scaled = (float)sum * (scales[r] * w_scales[c]);
            out[(size_t)r * (size_t)ldo + c] = scaled + (bias ? bias[c] : 0.0f);
        }
    }
}

void ref_quantize_rows_8(uint8_t *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k,
                         float alpha) {
    for (int r = 0; r < m; r++) {
        const float *row = x + (size_t)r * (size_t)ldx;
        float most = 0.0f, step = alpha;
        int is_finite = 1;
        for (int i = 0; i < k; i++) {
            if (fabsf(row[i]) > most) most = fabsf(row[i]);
            is_finite = is_finite && isfinite(row[i]);
        }
        if (alpha == 0.0f) step = most >= 1e-30f ? 127.0f / most : 0.0f;
        scales[r] = !is_finite ? NAN : alpha > 0.0f ? 1.0f : step > 0.0f ? most / 127.0f : 0.0f;
        zeros[r] = alpha > 0.0f ? 0 : 127;
        for (int i = 0; i < k; i++) {
            const float y = is_finite ? nearbyintf(row[i] * step) : 0.0f;
            rows[(size_t)r * (size_t)k + i] = (uint8_t)(127 + (y < -127.0f ? -127 : y > 127.0f ? 127 : (int)y));
        }
    }
}

void ref_gemm_i8_8(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                   const int8_t *panels, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                   int k) {
    ref_gemm_i8(out, ldo, rows, scales, zeros, panels, w_scales, sums, bias, m, n, k);
}

void ref_gemm_fixed(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                    const int8_t *panels, float multiplier, float shift, const int32_t *sums, const float *bias, int m,
                    int n, int k) {
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < n; c++) {
            int32_t sum = -zeros[r] * sums[c];
            for (int i = 0; i < k; i++) sum += rows[(size_t)r * (size_t)k + i] * panels[at_i8(c, i, k)];
            const float prepared = (float)sums[c] * shift + (bias ? bias[c] : 0.0f);
            out[(size_t)r * (size_t)ldo + c] = (float)sum * (scales[r] * multiplier) + prepared;
        }
    }
}

int ref_saturates(const int8_t *row, int k) {
    for (int i = 0; i + 1 < k; i += 2) {
        /* for every pair of q, one of the four corners is the farthest from 0 */
        for (int corner = 0; corner < 4; corner++) {
            const int pair = (corner & 1 ? 254 : 0) * row[i] + (corner & 2 ? 254 : 0) * row[i + 1];
            if (pair < INT16_MIN || pair > INT16_MAX) return 1;
        }
    }
    return 0;
}

void ref_gemm_saturating(float *out, int ldo, const uint8_t *rows, const float *scales, const int8_t *panels, int at,
                         float multiplier, float prepared_bias, int m, int k) {
    for (int r = 0; r < m; r++) {
        const uint8_t *q = rows + (size_t)r * (size_t)k;
        int32_t sum = 0;
        for (int i = 0; i < k; i += 2) {
            int pair = q[i] * panels[at_i8(at, i, k)];
            if (i + 1 < k) pair += q[i + 1] * panels[at_i8(at, i + 1, k)];
            sum += pair < INT16_MIN ? INT16_MIN : pair > INT16_MAX ? INT16_MAX : pair;
        }
        out[(size_t)r * (size_t)ldo] = (float)sum * (scales[r] * multiplier) + prepared_bias;
    }
}

/* Where element (n, i) of W [N, k] lies in groups. */
static size_t at_sparse(int n, int i, int k) {
    return (size_t)(n / GROUP) * (size_t)k * GROUP + (size_t)i * GROUP + (size_t)(n % GROUP);
}

void ref_pack_row_sparse(int8_t *groups, int32_t *sums, int n, const int8_t *row, int k) {
    sums[n] = 0;
    for (int i = 0; i < k; i++) {
        groups[at_sparse(n, i, k)] = row[i];
        sums[n] += row[i];
    }
}

void ref_unpack_row_sparse(int8_t *row, const int8_t *groups, int n, int k) {
    for (int i = 0; i < k; i++) row[i] = groups[at_sparse(n, i, k)];
}

void ref_quantize_sparse(uint8_t *rows, float *scales, int32_t *zeros, const float *x, int ldx, int m, int k,
                         float alpha) {
    if (alpha == 0.0f) {
        ref_quantize_rows(rows, scales, zeros, x, ldx, m, k);
        return;
    }
    ref_quantize_rows_8(rows, scales, zeros, x, ldx, m, k, alpha);
    for (int r = 0; r < m; r++) {
        zeros[r] = -127;
        for (int i = 0; i < k; i++) rows[(size_t)r * (size_t)k + i] -= 127;
    }
}

void ref_gemm_sparse(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                     const int8_t *groups, const float *w_scales, const int32_t *sums, const float *bias, int m, int n,
                     int k) {
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < n; c++) {
            int32_t sum = -zeros[r] * sums[c];
            for (int i = 0; i < k; i++) sum += rows[(size_t)r * (size_t)k + i] * groups[at_sparse(c, i, k)];
            const float scaled = (float)sum * (scales[r] * w_scales[c]);
            out[(size_t)r * (size_t)ldo + c] = scaled + (bias ? bias[c] : 0.0f);
        }
    }
}

void ref_gemm_sparse_fixed(float *out, int ldo, const uint8_t *rows, const float *scales, const int32_t *zeros,
                           const int8_t *groups, float multiplier, float shift, const int32_t *sums,
                           const float *bias, int m, int n, int k) {
    for (int c = 0; c < n; c++) {
        const float prepared = (float)sums[c] * shift + (bias ? bias[c] : 0.0f);
        ref_gemm_sparse(out + c, ldo, rows, scales, zeros, groups + at_sparse(c, 0, k), &multiplier, sums + c,
                        &prepared, m, 1, k);
    }
}

void ref_matmul(float *out, const float *a, const float *b, int m, int n, int k) {
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < n; c++) {
            double sum = 0.0;
            for (int i = 0; i < k; i++) sum += (double)a[(size_t)r * (size_t)k + i] * b[(size_t)i * (size_t)n + c];
            out[(size_t)r * (size_t)n + c] = (float)sum;
        }
    }
}

void ref_scores(float *scores, const float *q, const float *k, size_t ld, const int32_t *rows, int n, int dh,
                float scale) {
    for (int i = 0; i < n; i++) {
        const float *row = k + (size_t)(rows ? rows[i] : i) * ld;
        double sum = 0.0;
        for (int c = 0; c < dh; c++) sum += (double)q[c] * row[c];
        scores[i] = (float)(sum * scale);
    }
}

void ref_weighted_sum(float *out, const float *p, const float *v, size_t ld, const int32_t *rows, int n, int dh) {
    for (int c = 0; c < dh; c++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += (double)p[i] * v[(size_t)(rows ? rows[i] : i) * ld + (size_t)c];
        out[c] = (float)sum;
    }
}

static double greatest(const float *x, int n) {
    double max = -INFINITY;
    for (int i = 0; i < n; i++) {
        if (x[i] > max) max = x[i];
    }
    return max;
}

void ref_softmax(float *x, int n) {
    const double max = greatest(x, n);
    double sum = 0.0;
    if (max == -INFINITY) {
        for (int i = 0; i < n; i++) x[i] = isnan(x[i]) ? NAN : 0.0f;
        return;
    }
    for (int i = 0; i < n; i++) sum += exp(x[i] - max);
    for (int i = 0; i < n; i++) x[i] = (float)(exp(x[i] - max) / sum);
}

float ref_log_sum_exp(const float *x, int n) {
    const double max = greatest(x, n);
    double sum = 0.0;
    for (int i = 0; i < n && max == -INFINITY; i++) sum += isnan(x[i]) ? NAN : 0.0;
    if (max == -INFINITY) return (float)(sum + max);
    for (int i = 0; i < n; i++) sum += exp(x[i] - max);
    return (float)(max + log(sum));
}

float ref_max(const float *x, int n) {
    for (int i = 0; i < n; i++)
        if (isnan(x[i])) return NAN;
    return (float)greatest(x, n);
}

int ref_argmax(const float *x, int n) {
    const double max = greatest(x, n);
    for (int i = 0; i < n; i++) {
        if (x[i] == max) return i;
    }
    return 0;
}

void ref_layer_norm(float *out, const float *x, const float *residual, const float *gain, const float *bias, int n,
                    float epsilon) {
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < n; i++) {
        out[i] = residual ? x[i] + residual[i] : x[i];
        mean += out[i];
    }
    mean /= n;
    for (int i = 0; i < n; i++) variance += (out[i] - mean) * (out[i] - mean);
    variance /= n;
    for (int i = 0; i < n; i++) {
        double y = (out[i] - mean) / sqrt(variance + epsilon);
        out[i] = (float)(y * (gain ? gain[i] : 1.0f) + (bias ? bias[i] : 0.0f));
    }
}

void ref_rms_norm(float *out, const float *x, const float *gain, int n, float epsilon) {
    double squares = 0.0;
    for (int i = 0; i < n; i++) squares += (double)x[i] * x[i];
    const double rms = sqrt(squares / n + epsilon);
    for (int i = 0; i < n; i++) out[i] = (float)(x[i] / rms * gain[i]);
}

void ref_relu(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] < 0.0f) x[i] = 0.0f;
    }
}

void ref_gelu(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = (float)(0.5 * x[i] * erfc(-x[i] * sqrt(0.5)));
}

void ref_gelu_new(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double v = x[i], u = sqrt(2.0 / 3.14159265358979323846) * (v + 0.044715 * v * v * v);
        x[i] = (float)(v / (1.0 + exp(-2.0 * u))); /* (1 + tanh(u)) / 2 = 1 / (1 + e^(-2 u)) */
    }
}

void ref_swish(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = (float)(x[i] / (1.0 + exp(-(double)x[i])));
}

void ref_sigmoid(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = (float)(1.0 / (1.0 + exp(-(double)x[i])));
}

void ref_ssru(float *out, float *cell, const float *candidate, const float *forget, const float *before, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double f = forget[i], old = before ? before[i] : 0.0;
        cell[i] = (float)(f * old + (1.0 - f) * candidate[i]);
        out[i] = cell[i] < 0.0f ? 0.0f : cell[i];
    }
}

void ref_add(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = a[i] + b[i];
}

void ref_multiply(float *out, const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = a[i] * b[i];
}

void ref_scale(float *out, const float *a, float s, size_t n) {
    for (size_t i = 0; i < n; i++) out[i] = a[i] * s;
}

float ref_dot(const float *a, const float *b, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (double)a[i] * b[i];
    return (float)sum;
}
