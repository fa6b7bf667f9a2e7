/*
 * point.h - what a pass writes down on its way, when it is asked to: any tensor in between, as it was computed.
 *
 * Points are numbered through the description of the model: those of a stack's input, those of each sublayer as
 * architecture_parts() lists them, each followed by the sublayer's norm, and the stack's output.  A run has an address
 * for each, or NULL where the tensor is not wanted; without one a pass is the same, and costs nothing more.
 *
 * Depends on: layers/, model.h.  Used by: stack.c, attend.c, heed.c.
 */
#ifndef HEED_MODEL_POINT_H
#define HEED_MODEL_POINT_H

#include "layers/attention.h"
#include "model/model.h"

/*
 * What a point shows in a pass over n_source and n_target tokens.
 *   name   [TENSOR_NAME_BYTES] written, "encoder.layers.0.self_attn.q"; may be NULL
 *   shape  [3] written; dimensions it does not have are 1
 * Returns how many dimensions it has; 0: there is no such point.
 */
int point_describe(const struct heed_model *model, int point, int n_source, int n_target, char *name, int32_t shape[3]);

/* Its floats, 0 if there is no such point.  A double: more than there can be is not 0. */
double point_floats(const struct heed_model *model, int point, int n_source, int n_target);

/* Copy n floats to `room`, unless it is NULL. */
void point_note(float *room, const float *values, size_t n);

/*
 * Query `row`'s scores q . k / sqrt(Dh), -infinity past its keys: attention itself does not keep them.  They are
 * computed anew, in the order in which one query is: up to rounding what the softmax read.
 *   room  [H, rows, keys] row `row` written, unless it is NULL
 *   q [D]     k, shape: what attention_forward() gets for this query
 */
void point_scores(float *room, const float *q, const float *k, const heed_attention_shape *shape, int row, int rows,
                  int keys);

#endif /* HEED_MODEL_POINT_H */
