/*
 * loss.h - label-smoothed cross entropy over the vocabulary, with its gradient.
 *
 *     loss_t = (1 - e) (-log p[y_t]) + e / V sum_i (-log p[i])       p = softmax(logits_t)
 *     dlogits_i = scale (p_i - (1 - e) [i = y_t] - e / V)
 *
 * Depends on: vector.h.  Used by: pass.c.
 */
#ifndef HEED_TRAIN_LOSS_H
#define HEED_TRAIN_LOSS_H

/*
 * One row.  logits [V] becomes dlogits if scale is not 0, else its contents are lost.  Returns loss_t; the unsmoothed
 * -log p[y] is added to *likelihood.  0 <= label < V.  Cannot fail.
 */
double cross_entropy(float *logits, int label, int vocabulary, float smoothing, float scale, double *likelihood);

#endif /* HEED_TRAIN_LOSS_H */
