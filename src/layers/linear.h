/*
 * linear.h - a weight matrix in the kernels' layout, and y = x W^T + b with it.
 *
 * The one place that knows whether a matrix is computed in f32 or int8; everything above multiplies
 * without asking.  Rows are set one by one while a file streams in and can be read back (an embedding
 * is a matrix whose rows are looked up).
 *
 * Depends on: base/, kernels/.  Used by: the other layers, model/, train/.
 */
#ifndef HEED_LAYERS_LINEAR_H
#define HEED_LAYERS_LINEAR_H

#include <stdint.h>

#include "base/arena.h"

typedef struct {
    int rows;      /* N : outputs                                        */
    int cols;      /* K : inputs                                         */
    float *panels; /* [panel_rows(N) / 8][K][8], see kernels.h           */
} heed_matrix;

/* A projection: y = x W^T + bias. */
typedef struct {
    heed_matrix weight;
    float *bias; /* [N] */
} heed_linear;

/* Place the memory of a matrix [rows, cols]; contents zero. */
void matrix_layout(heed_matrix *w, heed_arena *arena, int rows, int cols);

/* Row n = row [K].  Cannot fail. */
void matrix_set_row(heed_matrix *w, int n, const float *row);
/* row [K] = row n, as the arithmetic sees it.  Cannot fail. */
void matrix_get_row(float *row, const heed_matrix *w, int n);

/*
 * out [m, N] (row stride ldo) = x [m, K] W^T + bias.  bias [N], NULL is zero.
 * A row of out depends on its row of x alone, whatever m is.  Cannot fail.
 */
void matrix_multiply(float *out, int ldo, const float *x, const heed_matrix *w, const float *bias, int m);
void linear_forward(float *out, const float *x, const heed_linear *linear, int m);

#endif /* HEED_LAYERS_LINEAR_H */
