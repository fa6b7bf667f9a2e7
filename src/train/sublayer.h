/*
 * sublayer.h - one sublayer of a pass by its kind: what it keeps, and its forward and backward halves.
 *
 * Depends on: kernels/, layers/, attend.h, backward.h, pass.h, rows.h.  Used by: pass.c.
 */
#ifndef HEED_TRAIN_SUBLAYER_H
#define HEED_TRAIN_SUBLAYER_H

#include "train/pass.h"

/* Lay out in `arena` (which may only measure) what a sublayer of this description keeps, for pass->max_rows rows. */
void sublayer_layout(pass_sublayer *kept, heed_arena *arena, const heed_pass *pass, const architecture_sublayer *arch);

/* Write stream[i+1] of stack `s` from stream[i].  Cannot fail. */
void sublayer_forward(heed_pass *pass, const pass_stack *s, int i);
/*
 * Twin of sublayer_forward: pass->dx, the gradient of stream[i+1], becomes that of stream[i].  The gradients of weights
 * are added, and in cross-attention that of the encoder's output to pass->dmemory.  Cannot fail.
 */
void sublayer_backward(heed_pass *pass, const pass_stack *s, int i);

#endif /* HEED_TRAIN_SUBLAYER_H */
