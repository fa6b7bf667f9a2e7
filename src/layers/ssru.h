/*
 * ssru.h - the simpler simple recurrent unit (SSRU): what Marian's fast students have instead of decoder
 * self-attention.  A cell of D floats is all that a token knows of the tokens before it.
 *
 *     u_t = W x_t                              candidate
 *     f_t = sigmoid(Wf x_t + bf)               forget gate: how much of each dimension is kept
 *     c_t = f_t c_{t-1} + (1 - f_t) u_t        cell, c_{-1} = 0
 *     y_t = relu(c_t)
 *
 * Products of vectors are elementwise.  Source: Kim et al., From Research to Production and Back: Ludicrously Fast
 * Neural Machine Translation (2019); Marian's src/rnn/cells.h.
 *
 * Depends on: linear.h, kernels/.  Used by: model/stack.c.
 */
#ifndef HEED_LAYERS_SSRU_H
#define HEED_LAYERS_SSRU_H

#include "layers/linear.h"

/* candidate, forget [m, D] written for the rows of *input, which both projections read.  Cannot fail. */
void ssru_gates(float *candidate, float *forget, heed_input *input, const heed_linear *w, const heed_linear *wf);

/*
 * One token: out [D] and cell [D] written, candidate and forget [D] read.  before [D] is the cell of the token before
 * it, NULL for the first.  Cannot fail.
 */
void ssru_step(float *out, float *cell, const float *candidate, const float *forget, const float *before, int d_model);

#endif /* HEED_LAYERS_SSRU_H */
