/*
 * rows.h - the rows of a stack in a pass: how many there are, where they and their gradients are, their norm and the
 * key of their dropout.
 *
 * Depends on: layers/, pass.h, random.h.  Used by: attend.c, pass.c, sublayer.c.
 */
#ifndef HEED_TRAIN_ROWS_H
#define HEED_TRAIN_ROWS_H

#include "layers/norm.h"
#include "train/pass.h"
#include "train/random.h"

/* Array i of those at `first`, each [rows, cols]. */
static inline float *rows_of(float *first, int i, int rows, int cols) { return first + (size_t)i * rows * cols; }

/* Tokens of the source or the target of pair i. */
static inline int pair_length(const heed_pass *pass, int i, int is_target) {
    return is_target ? pass->pairs[i].n_target : pass->pairs[i].n_source;
}

/* Tokens of all pairs. */
static inline int stack_rows(const heed_pass *pass, const pass_stack *s) {
    return s->is_decoder ? pass->n_target : pass->n_source;
}

/* stream[i] and other[i] of pass.h. */
static inline float *stream_at(const heed_pass *pass, const pass_stack *s, int i) {
    return rows_of(s->stream, i, pass->max_rows, pass->parameters->arch.d_model);
}
static inline float *other_at(const heed_pass *pass, const pass_stack *s, int i) {
    return rows_of(s->other, i, pass->max_rows, pass->parameters->arch.d_model);
}

/* The input of sublayer i: the stream, or its norm. */
static inline const float *input_at(const heed_pass *pass, const pass_stack *s, int i) {
    return s->weights->sublayers[i].arch->normalize_before ? other_at(pass, s, i) : stream_at(pass, s, i);
}

/* A key for each sublayer's dropout; sublayer -1: the embedding. */
static inline uint64_t dropout_key(const heed_pass *pass, const pass_stack *s, int sublayer) {
    return random_key(pass->key, (uint64_t)s->is_decoder << 32 | (uint32_t)(sublayer + 1));
}

/* out [rows, D] = the norm of x [rows, D]. */
static inline void normalize(const heed_pass *pass, float *out, const float *x, const train_norm *w, int rows) {
    float *values = pass->context.weights;
    const heed_norm norm = {values + w->gain, w->is_rms ? NULL : values + w->bias, w->epsilon};
    norm_forward(out, x, NULL, &norm, rows, pass->parameters->arch.d_model);
}

/*
 * Where the gradient of sublayer i's input goes: to the stream's, or to that of its norm.
 *   *add   written: 1 if it must be added to what is there
 */
static inline float *input_gradient(heed_pass *pass, const pass_stack *s, int i, int *add) {
    *add = !s->weights->sublayers[i].arch->normalize_before;
    return *add ? pass->dx : pass->dn;
}

#endif /* HEED_TRAIN_ROWS_H */
