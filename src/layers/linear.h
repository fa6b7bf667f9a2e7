/*
 * linear.h - a weight matrix in the layout of the kernels, and the product y = x W^T + b.
 *
 * Only this file knows whether a matrix is computed in f32 or int8.  Rows are set one by one while a file streams in.
 * They can also be read, because an embedding is a matrix whose rows are looked up.
 *
 * Depends on: base/, kernels/.  Used by: the other layers, model/, train/.
 */
#ifndef HEED_LAYERS_LINEAR_H
#define HEED_LAYERS_LINEAR_H

#include <stdint.h>

#include "base/arena.h"
#include "base/kinds.h"

typedef struct {
    int rows;      /* N : outputs */
    int cols;      /* K : inputs */
    int is_sparse; /* int8, inputs come from a ReLU, no sum saturates: groups of kernels.h instead of panels */
    float *f32;    /* panels of kernels.h, or NULL and */
    int8_t *i8;    /* int8 panels or groups, */
    float *scales; /* [panel_rows(N) or group_rows(N)] value of one int8 step in each row, */
    int32_t *sums; /* [likewise] sum of each row's int8 */
    float alpha;   /* the fixed scale of its inputs, or 0; all rows have one scale then, */
    float q;       /* whose inverse is this */
    int8_t *saturates; /* HEED_QUANTIZE_SATURATING, else NULL: [panel_rows(N)] k_saturates() of each row */
} heed_matrix;

/* A projection: y = x W^T + bias. */
typedef struct {
    heed_matrix weight;
    float *bias; /* [N], or NULL */
} heed_linear;

/*
 * Lay out a matrix [rows, cols] of HEED_F32 or HEED_I8 numbers, filled with zeros.  activations: HEED_QUANTIZE_, of
 * HEED_I8.  after_relu: its inputs are not negative, and mostly 0; it is in groups, unless sums saturate.
 */
void matrix_layout(heed_matrix *w, heed_arena *arena, int rows, int cols, int dtype, int activations, int after_relu);

/* Sets row n to row [K].  An int8 matrix quantises it and needs scratch [K].  Cannot fail. */
void matrix_set_row(heed_matrix *w, int n, const float *row, int8_t *scratch);
/* Sets row n of an int8 matrix to int8 values from a file; the caller sets scales[n].  Cannot fail. */
void matrix_set_row_i8(heed_matrix *w, int n, const int8_t *row);
/* row [K] = row n, as products use it: after quantisation.  Cannot fail. */
void matrix_get_row(float *row, const heed_matrix *w, int n);

/*
 * Rows [first, first + n) of `to` become rows [n] of `from`, with their biases.  Both have the same K and the same
 * arithmetic, and none is in groups; `first` is a multiple of PANEL.  bias [from->rows]  Cannot fail.
 */
void linear_copy_rows(heed_linear *to, int first, const heed_matrix *from, const float *bias, const int32_t *rows,
                      int n);
/* Rows [first, first + n) of a projection, as one that shares its numbers.  `first` is a multiple of PANEL. */
heed_linear linear_part(const heed_linear *linear, int first, int n);

/*
 * The rows that projections read.  For int8 they are quantised once for all matrices that read them, except that each
 * fixed scale has rows of its own, and so have matrices in groups: a matrix that needs others than the one before
 * quantises them again.  A row of weights whose sums saturate reads x itself.
 */
typedef struct {
    const float *x; /* [m, K] */
    int m, k;
    int activations; /* HEED_QUANTIZE_ */
    void *rows;      /* the results of a k_quantize_ function; NULL in an f32 model */
    float *scales;
    int32_t *zeros;
    int is_quantized, is_sparse; /* done? without what is 0? */
    float alpha; /* of rows, if they are quantised: 0 unless they have a fixed scale */
} heed_input;

/*
 * Lay out the memory for inputs of up to max_rows rows and quantized_bytes() or sparse_bytes() bytes.  activations:
 * HEED_QUANTIZE_, of HEED_I8; an f32 model needs none of the bytes.
 */
void input_layout(heed_input *input, heed_arena *arena, int max_rows, size_t bytes, int dtype, int activations);
/* Sets the input to x [m, k], which must not change while the input is in use.  Cannot fail. */
void input_set(heed_input *input, const float *x, int m, int k);

/*
 * out [m, N] = x W^T + bias; bias [N], NULL is zero.  A row of out depends only on its row of x, not on m.  Cannot
 * fail.
 */
void matrix_multiply(float *out, heed_input *input, const heed_matrix *w, const float *bias);
void linear_forward(float *out, heed_input *input, const heed_linear *linear);

#endif /* HEED_LAYERS_LINEAR_H */
