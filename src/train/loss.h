/*
 * loss.h - cross entropy with label smoothing over the vocabulary, and that of attention with known links.
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
 * Depends on: vector.h.  Used by: attend.c, output.c, pass.h, sampled.h.
 */
#ifndef HEED_TRAIN_LOSS_H
#define HEED_TRAIN_LOSS_H

#include <stdint.h>

/* Target token `target` translates source token `source`. */
typedef struct {
    int32_t target, source;
} heed_link;

/*
 * The words of a row of logits: n of the vocabulary.  The first `certain` stand for themselves.  Each of the others
 * stands for `weight` words: log(weight) was added to its logit.
 */
typedef struct {
    int n, certain, vocabulary;
    float weight;
} loss_columns;

/*
 * One row.  logits [n] becomes dlogits if scale is not 0; otherwise its contents are undefined.  Returns loss_t, and
 * adds the unsmoothed -log p[y] to *likelihood.  0 <= label < certain is a column.  Cannot fail.
 */
double cross_entropy(float *logits, int label, const loss_columns *columns, float smoothing, float scale,
                     double *likelihood);

/*
 * One sentence.  links [n] are in order of their target; probs [T, S], S = n_key.  Writes the linked rows of dscores
 * [T, S], unless it is NULL.  Returns the sum of loss_t, and adds the number of linked tokens to *linked.
 */
double alignment_loss(float *dscores, const float *probs, int n_key, const heed_link *links, int n, float scale,
                      int *linked);

#endif /* HEED_TRAIN_LOSS_H */
