/*
 * mean.h - the exponential mean of the weights: the weights without the noise of the last batches.
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

/* Creates a mean [n_floats] equal to the trainer's weights; free() it. */
float *mean_create(heed_trainer *trainer);
/* Resets the mean to the trainer's weights. */
void mean_restart(float *mean, heed_trainer *trainer);
/* Updates the mean after a step of the trainer. */
void mean_update(float *mean, heed_trainer *trainer, double decay);
/* Swaps the mean and the weights; a second call swaps them back. */
void mean_swap(float *mean, heed_trainer *trainer);

#endif /* HEED_TRAIN_NATIVE_MEAN_H */
