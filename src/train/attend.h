/*
 * attend.h - attention as a sublayer of a pass: projections, the sentences one by one, and guided alignment.
 *
 * Depends on: backward.h, loss.h, pass.h, random.h, rows.h.  Used by: pass.c, sublayer.c.
 */
#ifndef HEED_TRAIN_ATTEND_H
#define HEED_TRAIN_ATTEND_H

#include "train/pass.h"

/*
 * pass->dy [R, D] = attention of the rows of `s` over themselves or over the encoder's output, in sublayer i.  What the
 * backward half reads is kept.  Cannot fail.
 */
void attend_pairs(heed_pass *pass, const pass_stack *s, int i);
/*
 * Twin of attend_pairs, from pass->dy: the gradient of the sublayer's input goes where input_gradient() says, that of
 * the encoder's output is added to pass->dmemory.  Those of the weights are added.  Cannot fail.
 */
void attend_pairs_backward(heed_pass *pass, const pass_stack *s, int i);

/*
 * Adds the alignment loss of the guided head to `result`, after the decoder's forward half.  pass->guided is above 0.
 * Cannot fail.
 */
void attend_guided_loss(const heed_pass *pass, pass_result *result);

#endif /* HEED_TRAIN_ATTEND_H */
