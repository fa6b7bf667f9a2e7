/*
 * parameters.h - every weight of a model in one flat array of floats, by tensor name and by sublayer.
 *
 * A tensor has one offset for its values, its gradient and its two moments.  Trained tensors come first, so
 * clipping is a loop over the first n_trained floats.  Tensors that are not trained come last:
 * final_logits_bias, and position tables of a file unless train_positions is 1.
 *
 * Names and shapes are those of the table in model.c.
 *
 * Depends on: model/.  Used by: train/.
 */
#ifndef HEED_TRAIN_PARAMETERS_H
#define HEED_TRAIN_PARAMETERS_H

#include "base/arena.h"
#include "model/model.h"

/* Offsets into the flat arrays, in floats. */
typedef struct {
    size_t weight, bias; /* [rows, cols], [rows] */
    int rows, cols, has_no_bias;
} train_linear;

typedef struct {
    size_t gain, bias; /* [D] each; of an RMSNorm no bias */
    int is_rms;
    float epsilon;
} train_norm;

typedef struct {
    const architecture_sublayer *arch;
    train_linear linears[MAX_LINEARS]; /* in the order of architecture_parts() */
    train_norm norm;
} train_sublayer;

typedef struct {
    const architecture_stack *arch;
    int n_sublayers; /* of all layers */
    train_sublayer *sublayers;
    size_t embed_tokens;
    size_t embed_positions;                     /* if its positions are stored   */
    size_t position_bias;                       /* [n_buckets, H] if it has some */
    train_norm layernorm_embedding, layer_norm; /* if the stack has them          */
} train_stack;

typedef struct {
    char name[TENSOR_NAME_BYTES];
    int rows, cols; /* a vector is [1, n] */
    size_t offset;
    int trained;
    int projects; /* 1: the matrix of a projection */
} train_tensor;

typedef struct {
    heed_config config;
    heed_architecture arch;
    train_tensor *tensors;
    int n_tensors;
    size_t n_trained, n_floats; /* trained floats, all floats */
    size_t largest_projection;  /* floats of its matrix       */
    train_stack encoder, decoder;
    size_t output;            /* [V, D] the matrix that makes logits */
    size_t final_logits_bias; /* [V] */
} heed_parameters;

/*
 * Lay the table and the offsets out in `arena` (which may only measure) for the configuration of `model`, whose table
 * is read; the model need not be loaded and is not kept.
 *   train_positions  1: stored position tables are learned
 */
void parameters_layout(heed_parameters *p, heed_arena *arena, const struct heed_model *model, int train_positions);

/*
 * values [n_floats] = a fresh model, the same for the same seed: matrices uniform in +-sqrt(6 / (rows + cols)),
 * embeddings normal of deviation d_model^-0.5, gains 1, biases 0; stored positions sinusoidal.
 */
void parameters_initialize(float *values, const heed_parameters *p, uint32_t seed);

#endif /* HEED_TRAIN_PARAMETERS_H */
