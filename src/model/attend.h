/*
 * attend.h - attention as a sublayer: projections, cache rows, and points of inspection.
 *
 * Depends on: layers/, run.h.  Used by: stack.c.
 */
#ifndef HEED_MODEL_ATTEND_H
#define HEED_MODEL_ATTEND_H

#include "model/run.h"

/* The rows of a pass: sentences one after another (encoder), or tokens whose keys are in the cache (decoder). */
typedef struct {
    int n; /* rows */
    const int *lengths;
    int n_sentences;          /* lengths [n_sentences], or        */
    const heed_token *tokens; /* [n]; NULL: these are sentences  */
} heed_rows;

/* run->y [n, D] = the sublayer's output for run->input.  Keys and values of tokens are written to their cache rows. */
void attend_forward(heed_run *run, const heed_sublayer *s, const heed_rows *rows);

/* Writes keys and values of run->input, rows of the encoder's output, to cache_rows [run->input.m]. */
void attend_read_source(heed_run *run, const heed_sublayer *s, const int32_t *cache_rows);

#endif /* HEED_MODEL_ATTEND_H */
