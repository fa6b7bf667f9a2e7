/* linear.c - see linear.h for the contract. */
#include "layers/linear.h"

#include <assert.h>

#include "kernels/kernels.h"

void matrix_layout(heed_matrix *w, heed_arena *arena, int rows, int cols, int dtype, int activations, int after_relu) {
    const int saturates = activations == HEED_QUANTIZE_SATURATING;
    /* where sums saturate, zeros count: their q is 127 */
    const int is_sparse = after_relu && dtype == HEED_I8 && !saturates;
    const size_t n = (size_t)(is_sparse ? group_rows(rows) : panel_rows(rows));
    *w = (heed_matrix){.rows = rows, .cols = cols, .is_sparse = is_sparse};
    if (dtype == HEED_F32) {
        w->f32 = arena_floats(arena, n, (size_t)cols, 1);
    } else {
        w->i8 = arena_push(arena, n, (size_t)(is_sparse ? cols : quantized_cols(cols)));
        w->scales = arena_floats(arena, n, 1, 1);
        w->sums = arena_ints(arena, n, 1);
        if (saturates) w->saturates = arena_push(arena, n, 1);
    }
}

void matrix_set_row(heed_matrix *w, int n, const float *row, int8_t *scratch) {
    if (w->f32) {
        k_pack_row_f32(w->f32, n, row, w->cols);
    } else {
        w->scales[n] = k_quantize_weights(scratch, row, w->cols);
        matrix_set_row_i8(w, n, scratch);
    }
}

void matrix_set_row_i8(heed_matrix *w, int n, const int8_t *row) {
    (w->is_sparse ? k_pack_row_sparse : k_pack_row_i8)(w->i8, w->sums, n, row, w->cols);
    if (w->saturates) w->saturates[n] = (int8_t)k_saturates(row, w->cols);
}

void matrix_get_row(float *row, const heed_matrix *w, int n) {
    if (w->f32) {
        k_unpack_row_f32(row, w->f32, n, w->cols);
        return;
    }
    /* the bytes are unpacked into the last quarter of `row` and widened from the front, so that each is read before
     * it is overwritten */
    const int8_t *bytes = (const int8_t *)row + 3 * (size_t)w->cols;
    (w->is_sparse ? k_unpack_row_sparse : k_unpack_row_i8)((int8_t *)row + 3 * (size_t)w->cols, w->i8, n, w->cols);
    for (int k = 0; k < w->cols; k++) row[k] = (float)bytes[k] * w->scales[n];
}

heed_linear linear_part(const heed_linear *linear, int first, int n) {
    const heed_matrix *w = &linear->weight;
    assert(!w->is_sparse);
    heed_linear part = {{.rows = n, .cols = w->cols, .alpha = w->alpha, .q = w->q},
                        linear->bias ? linear->bias + first : NULL};
    if (w->f32) {
        part.weight.f32 = w->f32 + (size_t)first * w->cols;
    } else {
        part.weight.i8 = w->i8 + (size_t)first * quantized_cols(w->cols);
        part.weight.scales = w->scales + first;
        part.weight.sums = w->sums + first;
        if (w->saturates) part.weight.saturates = w->saturates + first;
    }
    return part;
}

void linear_copy_rows(heed_linear *to, int first, const heed_matrix *from, const float *bias, const int32_t *rows,
                      int n) {
    assert(!from->is_sparse);
    to->weight.alpha = from->alpha;
    to->weight.q = from->q;
    const heed_linear part = linear_part(to, first, n);
    const heed_matrix *w = &part.weight;
    if (w->f32) k_copy_rows(w->f32, from->f32, rows, n, w->cols);
    else k_copy_rows(w->i8, from->i8, rows, n, quantized_cols(w->cols) / 4);
    for (int i = 0; i < n; i++) {
        part.bias[i] = bias[rows[i]];
        if (w->f32) continue;
        w->scales[i] = from->scales[rows[i]];
        w->sums[i] = from->sums[rows[i]];
        if (w->saturates) w->saturates[i] = from->saturates[rows[i]];
    }
}

void input_layout(heed_input *input, heed_arena *arena, int max_rows, size_t bytes, int dtype, int activations) {
    *input = (heed_input){.activations = activations};
    if (dtype == HEED_F32) return;
    input->rows = arena_push(arena, 1, bytes);
    input->scales = arena_floats(arena, (size_t)max_rows, 1, 1);
    input->zeros = arena_ints(arena, (size_t)max_rows, 1);
}

void input_set(heed_input *input, const float *x, int m, int k) {
    input->x = x;
    input->m = m;
    input->k = k;
    input->is_quantized = 0;
}

/* Quantises the rows as a matrix of this alpha needs them, unless they are so already. */
static void quantize(heed_input *input, float alpha, int is_sparse) {
    if (input->is_quantized && input->alpha == alpha && input->is_sparse == is_sparse) return;
    if (is_sparse)
        k_quantize_sparse(input->rows, input->scales, input->zeros, input->x, input->k, input->m, input->k, alpha);
    else if (input->activations == HEED_QUANTIZE_ROWS)
        k_quantize_rows(input->rows, input->scales, input->zeros, input->x, input->k, input->m, input->k);
    else
        k_quantize_rows_8(input->rows, input->scales, input->zeros, input->x, input->k, input->m, input->k, alpha);
    input->is_quantized = 1;
    input->is_sparse = is_sparse;
    input->alpha = alpha;
}

/* Computes the outputs of the rows whose sums saturate once more.  multiplier, shift: of k_gemm_fixed */
static void saturate_rows(float *out, const heed_input *input, const heed_matrix *w, const float *bias,
                          float multiplier, float shift) {
    for (int j = 0; j < w->rows; j++) {
        if (!w->saturates[j]) continue;
        const float prepared_bias = (float)w->sums[j] * shift + (bias ? bias[j] : 0.0f);
        k_gemm_saturating(out + j, w->rows, input->x, w->cols, input->scales, w->alpha, w->i8, j, multiplier,
                          prepared_bias, input->m, w->cols);
    }
}

void matrix_multiply(float *out, heed_input *input, const heed_matrix *w, const float *bias) {
    const int m = input->m, n = w->rows, k = w->cols;
    if (w->f32) {
        k_gemm_f32(out, n, input->x, k, w->f32, bias, m, n, k);
        return;
    }
    const float alpha = input->activations >= HEED_QUANTIZE_FIXED ? w->alpha : 0.0f;
    quantize(input, alpha, w->is_sparse);
    if (alpha > 0.0f) {
        /* each of these rounds, as in the engine whose formula this is: see k_gemm_fixed */
        const float multiplier = 1.0f / (alpha * w->q), shift = -(127.0f / alpha * (127.0f / w->q)) / 127.0f;
        (w->is_sparse ? k_gemm_sparse_fixed : k_gemm_fixed)(out, n, input->rows, input->scales, input->zeros, w->i8,
                                                            multiplier, shift, w->sums, bias, m, n, k);
        if (w->saturates) saturate_rows(out, input, w, bias, multiplier, shift);
    } else if (w->is_sparse) {
        k_gemm_sparse(out, n, input->rows, input->scales, input->zeros, w->i8, w->scales, w->sums, bias, m, n, k);
    } else {
        (input->activations == HEED_QUANTIZE_ROWS ? k_gemm_i8 : k_gemm_i8_8)(
            out, n, input->rows, input->scales, input->zeros, w->i8, w->scales, w->sums, bias, m, n, k);
    }
}

void linear_forward(float *out, heed_input *input, const heed_linear *linear) {
    matrix_multiply(out, input, &linear->weight, linear->bias);
}
