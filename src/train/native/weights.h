/*
 * weights.h - reads and writes a trainer's weights as model.safetensors.
 *
 * Depends on: files.h, train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_WEIGHTS_H
#define HEED_TRAIN_NATIVE_WEIGHTS_H

#include "train/parameters.h"

/* Write `values` [n_floats] to `path` completely or not at all.  Ends the program on failure. */
void weights_save(const char *path, const heed_parameters *p, const float *values);

/*
 * Read values [n_floats] from a safetensors file of any origin: f32 tensors of these names and shapes in any order.
 * Ends the program and names the tensor if one is missing, unknown, of another shape or type, or has a number that is
 * not finite.
 */
void weights_load(const char *path, const heed_parameters *p, float *values);

#endif /* HEED_TRAIN_NATIVE_WEIGHTS_H */
