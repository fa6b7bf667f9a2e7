/*
 * mean.h - the exponential mean of the weights: what a model has come to, without the noise of the last batches.
 *
 *     mean += (1 - d) (weights - mean),   d = min(decay, (1 + step) / (10 + step))
 *
 * The second bound lets the mean follow at the beginning, when the weights change fast.
 *
 * Depends on: files.h, train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_MEAN_H
#define HEED_TRAIN_NATIVE_MEAN_H

#include "train/trainer.h"

/* A mean that begins as the trainer's weights, [n_floats]; free() it. */
float *mean_create(heed_trainer *trainer);
/* Begin again as the trainer's weights. */
void mean_restart(float *mean, heed_trainer *trainer);
/* After a step of the trainer. */
void mean_update(float *mean, heed_trainer *trainer, double decay);
/* Put the mean where the weights are, and the weights where it was; again: back. */
void mean_swap(float *mean, heed_trainer *trainer);

#endif /* HEED_TRAIN_NATIVE_MEAN_H */
