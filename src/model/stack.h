/*
 * stack.h - what encoder and decoder do alike around their sublayers: residuals and norms.
 *
 *     post-norm   y = f(x);             x = LayerNorm(x + y)
 *     pre-norm    y = f(LayerNorm(x));  x = x + y;            and a norm after the last layer
 *
 * Depends on: layers/, run.h.  Used by: encoder.c, decoder.c.
 */
#ifndef HEED_MODEL_STACK_H
#define HEED_MODEL_STACK_H

#include "model/run.h"

/* After the embedding: layernorm_embedding, if the model has one.  In place on run->x [rows, D]. */
void stack_begin(heed_run *run, const heed_stack *stack, int rows);
/* After the last layer: the final norm, if the model has one. */
void stack_end(heed_run *run, const heed_stack *stack, int rows);

/* Sets run->input to what the sublayer reads: run->x itself, or its norm (in run->y).  The norm is noted at `point`. */
void sublayer_input(heed_run *run, const heed_norm *norm, int rows, int point, int layer);
/* run->x takes in the sublayer's result, run->y.  The norm is noted at `point`. */
void sublayer_output(heed_run *run, const heed_norm *norm, int rows, int point, int layer);

#endif /* HEED_MODEL_STACK_H */
