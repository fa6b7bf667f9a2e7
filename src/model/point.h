/*
 * point.h - inspection: any tensor within a pass, copied as it was computed.
 *
 * Points are numbered in the order of the description: those of a stack's input, then those of each sublayer as
 * architecture_parts() lists them and its norm, then the stack's output.  A run has an address for each point, or NULL
 * if the tensor is not wanted.  A pass computes the same with and without them.
 *
 * Depends on: layers/, model.h.  Used by: stack.c, attend.c, heed.c.
 */
#ifndef HEED_MODEL_POINT_H
#define HEED_MODEL_POINT_H

#include "layers/attention.h"
#include "model/model.h"

/*
 * The name and shape of the tensor at a point, in a pass over n_source and n_target tokens.
 *   name   [TENSOR_NAME_BYTES] written, "encoder.layers.0.self_attn.q"; may be NULL
 *   shape  [3] written; dimensions that it does not have are 1
 * Returns how many dimensions it has; 0: there is no such point.
 */
int point_describe(const struct heed_model *model, int point, int n_source, int n_target, char *name, int32_t shape[3]);

/* The number of floats at a point, or 0 if there is none.  A double, because the product may overflow size_t. */
double point_floats(const struct heed_model *model, int point, int n_source, int n_target);

/* Copy n floats to `out`, unless it is NULL. */
void point_note(float *out, const float *values, size_t n);

/*
 * The scores q . k * scale + bias of query `row`, and -infinity past its keys.  Attention does not keep its scores, so
 * they are computed again, as for a single query; they may differ by rounding from those that the softmax read.
 *   out    [H, rows, keys] row `row` written, unless it is NULL
 *   q [A]      k, shape: what attention_forward() gets for this query
 *   query  its number there, which the bias counts from
 */
void point_scores(float *out, const float *q, const float *k, const heed_attention_shape *shape, int query, int row,
                  int rows, int keys);

/*
 * The position bias of n queries and keys, of keys ahead too, where a causal stack does not look.
 *   out   [H, n, n] written, unless it is NULL
 *   bias  [H, 2 reach - 1] as relative_fill() writes it
 */
void point_bias(float *out, const float *bias, int reach, int n_heads, int n);

#endif /* HEED_MODEL_POINT_H */
