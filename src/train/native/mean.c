/* mean.c - see mean.h for the contract. */
#include "train/native/mean.h"

#include <string.h>

#include "train/native/files.h"

float *mean_create(heed_trainer *trainer) {
    const size_t n = trainer_parameters(trainer)->n_floats;
    float *mean = allocate(n * sizeof *mean);
    mean_restart(mean, trainer);
    return mean;
}

void mean_restart(float *mean, heed_trainer *trainer) {
    const size_t n = trainer_parameters(trainer)->n_floats;
    memcpy(mean, trainer_array(trainer, HEED_TRAIN_WEIGHTS), n * sizeof *mean);
}

void mean_update(float *mean, heed_trainer *trainer, double decay) {
    const size_t n = trainer_parameters(trainer)->n_floats;
    const float *weights = trainer_array(trainer, HEED_TRAIN_WEIGHTS);
    const double step = heed_trainer_steps(trainer), bound = (1.0 + step) / (10.0 + step);
    const float rest = (float)(1.0 - (decay < bound ? decay : bound));
    for (size_t i = 0; i < n; i++) mean[i] += rest * (weights[i] - mean[i]);
}

void mean_swap(float *mean, heed_trainer *trainer) {
    const size_t n = trainer_parameters(trainer)->n_floats;
    float *weights = trainer_array(trainer, HEED_TRAIN_WEIGHTS);
    for (size_t i = 0; i < n; i++) {
        const float other = weights[i];
        weights[i] = mean[i];
        mean[i] = other;
    }
}
