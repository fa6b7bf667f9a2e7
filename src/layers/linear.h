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

enum { LINEAR_F32 = 0, LINEAR_I8 = 3 }; /* heed.h's HEED_F32 and HEED_I8 */

typedef struct {
    int rows;     /* N : outputs                                                              */
    int cols;     /* K : inputs                                                               */
    float *f32;   /* panels of kernels.h, or NULL and                                         */
    int8_t *i8;   /* int8 panels,                                                             */
    float *scales; /* [panel_rows(N)] the number that one step of a row's int8 stands for,    */
    int32_t *sums; /* [panel_rows(N)] of each row's int8                                      */
} heed_matrix;

/* A projection: y = x W^T + bias. */
typedef struct {
    heed_matrix weight;
    float *bias; /* [N] */
} heed_linear;

/* Place the memory of a matrix [rows, cols] of LINEAR_F32 or LINEAR_I8; contents zero. */
void matrix_layout(heed_matrix *w, heed_arena *arena, int rows, int cols, int dtype);

/* Row n = row [K], quantised if the matrix is int8; scratch [K] bytes then.  Cannot fail. */
void matrix_set_row(heed_matrix *w, int n, const float *row, int8_t *scratch);
/* Row n of an int8 matrix as a file holds it; the caller sets scales[n].  Cannot fail. */
void matrix_set_row_i8(heed_matrix *w, int n, const int8_t *row);
/* row [K] = row n, as the arithmetic sees it.  Cannot fail. */
void matrix_get_row(float *row, const heed_matrix *w, int n);

/*
 * Rows that projections read.  For int8 they are quantised once, here, for all matrices that read them.
 */
typedef struct {
    const float *x; /* [m, K] */
    int m, k;
    void *rows;     /* k_quantize_rows' results; NULL in an f32 model */
    float *scales;
    int32_t *zeros;
} heed_input;

/* Place what inputs of up to max_rows x max_cols need. */
void input_layout(heed_input *input, heed_arena *arena, int max_rows, int max_cols, int dtype);
/* The input is x [m, k], which stays unchanged while it is in use.  Cannot fail. */
void input_set(heed_input *input, const float *x, int m, int k);

/*
 * out [m, N] = x W^T + bias; bias [N], NULL is zero.  A row of out depends on its row of x alone,
 * whatever m is.  Cannot fail.
 */
void matrix_multiply(float *out, const heed_input *input, const heed_matrix *w, const float *bias);
void linear_forward(float *out, const heed_input *input, const heed_linear *linear);

#endif /* HEED_LAYERS_LINEAR_H */
