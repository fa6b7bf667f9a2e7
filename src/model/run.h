/*
 * run.h - what a forward pass writes (activations, cache, points of inspection), and the passes themselves.
 *
 * Encoder and decoder are one loop over the sublayers of a description (stack.c).  They differ in what a row attends
 * to: the rows of its sentence, or cache rows.
 *
 * Depends on: base/, layers/, cache.h, model.h.  Used by: stack.c, attend.c, output.h, search/, heed.c.
 */
#ifndef HEED_MODEL_RUN_H
#define HEED_MODEL_RUN_H

#include "base/arena.h"
#include "model/cache.h"
#include "model/model.h"

/* Rows of a feed-forward network computed together: its hidden rows are the widest, and a pass may have hundreds. */
enum { FFN_ROWS = 64 };
/*
 * Of these, rows that are quantised without their zeros at a time.  Such a row takes up to twice the memory of others.
 * Rows share no work, so fewer of them cost no time.
 */
enum { SPARSE_ROWS = 32 };

typedef struct {
    const struct heed_model *model;
    int max_rows;           /* R : rows of a pass                                   */
    float *x, *y;           /* [R, D] the residual stream; a sublayer's output      */
    float *q, *k, *v, *mix; /* [R, A or D] projections; attention's output          */
    float *hidden;          /* [FFN_ROWS or R, max F]                               */
    float *linear;          /* the same, of gated feed-forward networks, or NULL    */
    int reach;              /* the most keys that one query sees                    */
    float *position_bias[2]; /* [H, 2 reach - 1] of the encoder and of the decoder by distance, or NULL */
    heed_input input;       /* the rows that the next projections read              */
    float *scratch;         /* of attention                                         */
    uint8_t *disabled;      /* [n_heads] 1: disabled; a sublayer's begin at first_head */
    float **points;         /* [n_points] where to copy the tensor at each; NULL: not wanted */
    heed_cache cache;
} heed_run;

/* Lay a run out in `arena` (which may only measure).  max_keys: the most keys that one query sees. */
void run_layout(heed_run *run, heed_arena *arena, const struct heed_model *model, int max_rows, int max_keys,
                int n_cache_rows);

/*
 * Encoder over a ragged batch of n sentences, one after another: sentence i has lengths[i] ids, and their sum is at
 * most max_rows.  The output is run->x [sum, D].  If a point is wanted, n must be 1.
 * Cannot fail: ids and lengths were checked at the door.
 */
void encoder_forward(heed_run *run, const int32_t *ids, const int *lengths, int n);

/*
 * Write keys and values of run->x rows [first, first + n), the encoder's output, for every layer to cache_rows [n].
 * Cannot fail.
 */
void decoder_read_source(heed_run *run, int first, int n, const int32_t *cache_rows);

/* A token of a target, which the decoder reads. */
typedef struct {
    int32_t id, position;
    const int32_t *past;   /* [n_past] cache rows; the last is its own, and is written                          */
    int n_past;            /* if the decoder reads_all_past, position + 1: all; else up to 2: the one before it */
    const int32_t *source; /* [n_source] cache rows */
    int n_source;
} heed_token;

/* The most rows of the source that one of the tokens reads: how wide a point of cross-attention is.  Cannot fail. */
int decoder_keys(const heed_token *tokens, int n);

/*
 * One pass over n tokens (n <= max_rows): the newest of many hypotheses, or all positions of one target in order
 * (teacher forcing).  The output is run->x [n, D].  If a point is wanted that has scores or weights over the past,
 * tokens must be positions 0..n-1 of one target.  Without reads_all_past, tokens t and t + 2 may have the same cache
 * row.
 * Cannot fail.
 */
void decoder_forward(heed_run *run, const heed_token *tokens, int n);

#endif /* HEED_MODEL_RUN_H */
