/*
 * adam.h - an optimiser: gradient clipping, Adam, and the learning rate by step.
 *
 *     m = b1 m + (1 - b1) g     v = b2 v + (1 - b2) g^2
 *     w -= rate  (m / (1 - b1^step)) / (sqrt(v / (1 - b2^step)) + epsilon)      b1 0.9, b2 0.98, epsilon 1e-9
 *
 * Depends on: nothing.  Used by: muon.c, trainer.c.
 */
#ifndef HEED_TRAIN_ADAM_H
#define HEED_TRAIN_ADAM_H

#include <stddef.h>

/* sqrt(sum g_i^2) of g [n]. */
double gradient_norm(const float *g, size_t n);

/*
 * One step on w [n] with moments m, v [n].  The gradient is g [n] times `factor`, which clips it.  step counts from 1.
 */
void adam_update(float *w, float *m, float *v, const float *g, size_t n, float factor, double rate, double step);

enum { SCHEDULE_INVERSE_SQRT = 0, SCHEDULE_CONSTANT = 1, SCHEDULE_COSINE = 2 };

/*
 * The rate of step 1, 2, ...  All schedules rise linearly to `peak` over `warmup` steps (0: at once).  Then
 *     inverse-sqrt   peak sqrt(warmup / step): the paper's d^-0.5 min(step^-0.5, step warmup^-1.5) if peak is
 *                    (d warmup)^-0.5
 *     constant       peak
 *     cosine         half a cosine from peak down to 0 at `total`
 */
double learning_rate(int schedule, double peak, double warmup, double total, double step);

#endif /* HEED_TRAIN_ADAM_H */
