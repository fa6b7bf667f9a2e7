/* linear.c - see linear.h for the contract. */
#include "layers/linear.h"

#include "kernels/kernels.h"

void matrix_layout(heed_matrix *w, heed_arena *arena, int rows, int cols) {
    w->rows = rows;
    w->cols = cols;
    w->panels = arena_floats(arena, (size_t)panel_rows(rows), (size_t)cols, 1);
}

void matrix_set_row(heed_matrix *w, int n, const float *row) { k_pack_row_f32(w->panels, n, row, w->cols); }

void matrix_get_row(float *row, const heed_matrix *w, int n) { k_unpack_row_f32(row, w->panels, n, w->cols); }

void matrix_multiply(float *out, int ldo, const float *x, const heed_matrix *w, const float *bias, int m) {
    k_gemm_f32(out, ldo, x, w->cols, w->panels, bias, m, w->rows, w->cols);
}

void linear_forward(float *out, const float *x, const heed_linear *linear, int m) {
    matrix_multiply(out, linear->weight.rows, x, &linear->weight, linear->bias, m);
}
