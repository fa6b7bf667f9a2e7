/*
 * run.h - what a forward pass writes: activations, and the cache of keys and values.
 *
 * The cache is a pool of *places*.  A place holds, for every decoder layer, one key row and one
 * value row: of a source token (cross-attention) or of a target token (self-attention).  A sequence
 * is a list of places, so hypotheses share their past by naming the same places, and a sentence that
 * ends gives its places back at once.
 *
 * Depends on: base/, layers/, model.h, tap.h.  Used by: encoder.c, decoder.c, search/, heed.c.
 */
#ifndef HEED_MODEL_RUN_H
#define HEED_MODEL_RUN_H

#include "base/arena.h"
#include "layers/attention.h"
#include "model/model.h"
#include "model/tap.h"

typedef struct {
    const struct heed_model *model;
    int max_rows;           /* R : rows of a pass                                            */
    int max_keys;           /* rows that one query may see                                   */
    float *x, *y;           /* [R, D] the residual stream; what a sublayer reads or returns  */
    float *q, *k, *v, *mix; /* [R, D] projections; attention's output              */
    float *hidden;          /* [R, max F]                                          */
    heed_input input;       /* what the next projections read                      */
    float *scratch;         /* of attention                                        */

    uint8_t *encoder_disabled, *decoder_disabled, *cross_disabled; /* [layers, H] heads switched off */

    heed_taps taps; /* of the pass under way */

    int n_places, n_free;
    int32_t *free_places; /* [n_places] stack                                      */
    uint16_t *users;      /* [n_places] lists that name the place                  */
    float *keys, *values; /* [decoder layers, n_places, D]                         */
} heed_run;

/* Lay a run out in `arena` (which may only measure). */
void run_layout(heed_run *run, heed_arena *arena, const struct heed_model *model, int max_rows, int max_keys,
                int n_places);

/* Take a free place with one user.  There must be one: callers look at n_free first. */
int32_t run_take_place(heed_run *run);
void run_share_places(heed_run *run, const int32_t *places, int n); /* one user more  */
void run_drop_places(heed_run *run, const int32_t *places, int n);  /* one user fewer */

/*
 * Encoder over a ragged batch: sentence i is lengths[i] ids, one sentence after another, their sum
 * <= max_rows.  The output is run->x [sum, D].
 *   probs  [Le, H, S, S] written if not NULL; then n must be 1
 * Cannot fail: ids and lengths were checked at the door.
 */
void encoder_forward(heed_run *run, const int32_t *ids, const int *lengths, int n, float *probs);

/* Keys and values of run->x rows [first, first + n), the encoder's output, for every decoder layer, to `places` [n]. */
void decoder_read_source(heed_run *run, int first, int n, const int32_t *places);

/* One position of one target. */
typedef struct {
    int32_t id, position;
    const int32_t *past; /* [position + 1] places of positions 0..position: the last is this row's own, to be written */
    const int32_t *source; /* [n_source] */
    int n_source;
} heed_decoder_row;

/* Where attention of a pass over one target goes; NULL members are not wanted. */
typedef struct {
    float *decoder; /* [Ld, H, T, T] */
    float *cross;   /* [Ld, H, T, S] */
} heed_decoder_maps;

/*
 * One pass over n rows (n <= max_rows): the newest tokens of many hypotheses, or all positions of
 * one target (teacher forcing), in which case each row's past holds the rows before it.  The output
 * is run->x [n, D].
 *   maps  may be NULL; else rows are positions 0..n-1 of one target
 * Cannot fail.
 */
void decoder_forward(heed_run *run, const heed_decoder_row *rows, int n, const heed_decoder_maps *maps);

/* logits [n, V] of run->x rows [first, first + n), bias included. */
void output_forward(heed_run *run, float *logits, int first, int n);
/* Natural-log probability of `id` under one row of logits [V].  Cannot fail: 0 <= id < V. */
float output_log_prob(const heed_run *run, const float *logits, int id);

#endif /* HEED_MODEL_RUN_H */
