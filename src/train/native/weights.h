/*
 * weights.h - model.safetensors of the weights that a trainer has.
 *
 * Depends on: files.h, train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_WEIGHTS_H
#define HEED_TRAIN_NATIVE_WEIGHTS_H

#include "train/parameters.h"

/* Write `values` [n_floats] to `path`, whole or not at all.  Ends the program if it cannot. */
void weights_save(const char *path, const heed_parameters *p, const float *values);

/*
 * values [n_floats] from such a file, whoever wrote it: f32 tensors of these names and shapes, in any order.  Ends the
 * program, naming the tensor, if one is missing, of no use here, or of another shape or type, or if a number in it is
 * not finite.
 */
void weights_load(const char *path, const heed_parameters *p, float *values);

#endif /* HEED_TRAIN_NATIVE_WEIGHTS_H */
