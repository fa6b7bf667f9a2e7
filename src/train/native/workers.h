/*
 * workers.h - a step of training over several processors: each computes parts of the batch into gradients of its own.
 *
 * How a batch is cut, which worker gets which part, and the order in which gradients are added depend on the batch and
 * the number of workers only: a run is repeatable to the last bit for a given number of threads.
 *
 * Depends on: train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_WORKERS_H
#define HEED_TRAIN_NATIVE_WORKERS_H

#include "train/trainer.h"

typedef struct workers workers;

/* n threads for `trainer`, whose own pass is not used; max_tokens of a side in one part. */
workers *workers_create(heed_trainer *trainer, const heed_gemm *gemm, int n, int max_tokens);
/* Loss and, if `learn`, the gradient (into the trainer's array) of pairs [n] that are all of max_tokens or less. */
pass_result workers_run(workers *w, const heed_pair *pairs, int n, const heed_train_options *options, int learn);
void workers_free(workers *w);

#endif /* HEED_TRAIN_NATIVE_WORKERS_H */
