/*
 * output.h - from the decoder's rows to logits: of the whole target vocabulary, or of copied rows of the output matrix.
 *
 *     logits = x E^T + final_logits_bias        x scaled by logit_scale
 *
 * Depends on: base/, kernels/, layers/, run.h.  Used by: search/, heed.c.
 */
#ifndef HEED_MODEL_OUTPUT_H
#define HEED_MODEL_OUTPUT_H

#include "model/run.h"

/* Logits [n, V] of run->x rows [first, first + n).  Cannot fail. */
void output_forward(heed_run *run, float *logits, int first, int n);
/* Natural-log probability of `id` under one row of logits [V].  Cannot fail: 0 <= id < V. */
float output_log_prob(const heed_run *run, const float *logits, int id);
/*
 * Sets the logits [V] of all ids but ids [n] to -infinity.  Returns the log-sum-exp over ids, bit-identical to that of
 * copied rows.  scratch [n] is overwritten.  Cannot fail: n > 0.
 */
float output_restrict(const heed_run *run, float *logits, const int32_t *ids, int n, float *scratch);

/*
 * Copies of rows of the output matrix, each with its bias.  A logit has the same bits from a copy.
 * output_layout: room for max_rows.  output_copy: rows [at, at + n) of the copies become the rows of ids [n].
 * output_forward_copies: logits [m, n] of run->x rows [first, first + m), from copies [at, at + n).
 * `at` is a multiple of PANEL.  Cannot fail.
 */
void output_layout(heed_linear *copies, heed_arena *arena, const struct heed_model *model, int max_rows);
void output_copy(heed_linear *copies, int at, const struct heed_model *model, const int32_t *ids, int n);
void output_forward_copies(heed_run *run, float *logits, int first, int m, const heed_linear *copies, int at, int n);

#endif /* HEED_MODEL_OUTPUT_H */
