/*
 * workers.h - a training step on several processors: each computes parts of the batch into its own gradients.
 *
 * The cuts of a batch, the worker of each part, and the order in which gradients are added depend only on the batch and
 * the number of workers.  So a run is repeatable to the last bit for a given number of threads.
 *
 * Depends on: train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_WORKERS_H
#define HEED_TRAIN_NATIVE_WORKERS_H

#include "train/trainer.h"

typedef struct workers workers;

/*
 * n threads for `trainer`, whose own pass is not used; a part has at most max_tokens on a side.
 *   sampled_softmax  as in heed_train_options
 */
workers *workers_create(heed_trainer *trainer, const heed_gemm *gemm, int n, int max_tokens, int sampled_softmax);
/* Loss and, if `learn`, the gradient (into the trainer's array) of pairs [n], each of at most max_tokens. */
pass_result workers_run(workers *w, const heed_pair *pairs, int n, const heed_train_options *options, int learn);
/* A step by the gradient of workers_run(), the same with any number of workers.  HEED_E_DIVERGED: there is no step. */
heed_status workers_update(workers *w, heed_train_result *result);
void workers_free(workers *w);

#endif /* HEED_TRAIN_NATIVE_WORKERS_H */
