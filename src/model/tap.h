/*
 * tap.h - what a pass writes down on its way, when it is asked to: any intermediate tensor, as it was computed.
 *
 * A tap is a *point* of a pass and a layer.  What is wanted is a list of them; their tensors go into one buffer, in
 * the order of the list.  Without a list the pass is the same, and costs nothing more.
 *
 * Depends on: heed.h, layers/, model.h.  Used by: run.h, encoder.c, decoder.c, heed.c.
 */
#ifndef HEED_MODEL_TAP_H
#define HEED_MODEL_TAP_H

#include "heed.h"
#include "layers/attention.h"
#include "model/model.h"

/* Of heed_inspect(); n is 0 when nothing is wanted. */
typedef struct {
    const int32_t *wanted; /* [n, 2] point, layer */
    int n;
    float *out;
    int n_source, n_target;
} heed_taps;

/* Floats of the tensor at `point`, a HEED_AT_...; 0 if there is no such point in this layer of this model. */
uint64_t tap_floats(const struct heed_model *model, int point, int layer, int n_source, int n_target);

/* Where the tensor at `point` goes, or NULL: not wanted.  layer is 0 for points that no layer has. */
float *tap_room(const struct heed_model *model, const heed_taps *taps, int point, int layer);

/* Copy n floats there, if they are wanted. */
void tap_note(const struct heed_model *model, const heed_taps *taps, int point, int layer, const float *values,
              size_t n);

/*
 * Query `row`'s scores q . k / sqrt(Dh), -infinity past its keys, if they are wanted: attention itself does not keep
 * them.  They are computed anew, in the order in which one query is: up to rounding what the softmax read.
 *   q [D]     k, shape: what attention_forward() gets for this query     row of rows; keys: columns of the tensor
 */
void tap_scores(const struct heed_model *model, const heed_taps *taps, int point, int layer, const float *q,
                const float *k, const heed_attention_shape *shape, int row, int rows, int keys);

#endif /* HEED_MODEL_TAP_H */
