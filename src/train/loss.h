/*
 * loss.h - label-smoothed cross entropy over the vocabulary, and that of attention against known links.
 *
 *     loss_t = (1 - e) (-log p[y_t]) + e / V sum_i (-log p[i])       p = softmax(logits_t)
 *     dlogits_i = scale (p_i - (1 - e) [i = y_t] - e / V)
 *
 * Guided alignment (Chen, Matusov, Khadivi, Peter 2016; Garg, Peitz, Nallasamy, Paulik 2019): a linked target token t
 * should look at its source tokens s, each with a share a_ts = 1 / (links of t).  With p_ts a row of attention,
 *
 *     loss_t = -sum_s a_ts log p_ts        dscores_ts = scale (p_ts - a_ts)
 *
 * A token without links has no loss.
 *
 * Depends on: vector.h.  Used by: pass.c.
 */
#ifndef HEED_TRAIN_LOSS_H
#define HEED_TRAIN_LOSS_H

#include <stdint.h>

/* Target token `target` translates source token `source`. */
typedef struct {
    int32_t target, source;
} heed_link;

/*
 * One row.  logits [V] becomes dlogits if scale is not 0, else its contents are lost.  Returns loss_t; the unsmoothed
 * -log p[y] is added to *likelihood.  0 <= label < V.  Cannot fail.
 */
double cross_entropy(float *logits, int label, int vocabulary, float smoothing, float scale, double *likelihood);

/*
 * One sentence.  links [n] are in order of their target; probs [T, S], S = n_key.  Of dscores [T, S], unless NULL, the
 * linked rows are written.  Returns the sum of loss_t; *linked is added the number of linked tokens.
 */
double alignment_loss(float *dscores, const float *probs, int n_key, const heed_link *links, int n, float scale,
                      int *linked);

#endif /* HEED_TRAIN_LOSS_H */
