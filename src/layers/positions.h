/*
 * positions.h - the sinusoidal positional encoding.
 *
 *     angle(pos, j) = pos / 10000^(2j/D)
 *
 * Depends on: nothing.  Used by: model/, train/, layers/ops.c.
 */
#ifndef HEED_LAYERS_POSITIONS_H
#define HEED_LAYERS_POSITIONS_H

enum {
    POSITIONS_INTERLEAVED = 0, /* the paper: sin, cos, sin, cos, ... of angle 0, 0, 1, 1, ... */
    POSITIONS_HALVES = 1       /* Marian: all sines, then all cosines; if d is odd, one sine more */
};

/*
 * Writes out [n, d]: positions 0..n-1.  Computed in double and rounded once, like the tables in checkpoints.
 * Cannot fail.  Costs two libm calls per pair of elements.
 */
void positions_fill(float *out, int n, int d, int layout);

#endif /* HEED_LAYERS_POSITIONS_H */
