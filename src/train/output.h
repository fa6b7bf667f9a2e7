/*
 * output.h - the output matrix of a pass: logits, loss and gradients, over all words or over sampled ones.
 *
 * Logits exist for a slice of rows at a time, which the loss turns into their gradients in place.
 *
 * Depends on: backward.h, loss.h, pass.h, random.h, sampled.h.  Used by: pass.c.
 */
#ifndef HEED_TRAIN_OUTPUT_H
#define HEED_TRAIN_OUTPUT_H

#include "train/pass.h"

/*
 * After both stacks of a pass.  With gradients (pass->context), pass->dx becomes that of the decoder's output, and
 * those of the output matrix are added.  result: added to.  Cannot fail.
 */
void output_run(heed_pass *pass, const pass_options *options, pass_result *result);

#endif /* HEED_TRAIN_OUTPUT_H */
