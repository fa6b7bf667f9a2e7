/*
 * positions.h - the sinusoidal positional encoding.
 *
 *     angle(pos, j) = pos / 10000^(2j/D)                 the paper, and Hugging Face's MarianMT
 *     angle(pos, j) = pos * exp(-j * ln 10000 / (n - 1))   Marian, fairseq: the last of n sines has 10000 2 pi
 *
 * Source: Marian's sinusoidalPositionEmbeddings() in src/graph/node_initializers.cpp.
 *
 * Depends on: nothing.  Used by: model/, train/, layers/ops.c.
 */
#ifndef HEED_LAYERS_POSITIONS_H
#define HEED_LAYERS_POSITIONS_H

enum {
    POSITIONS_INTERLEAVED = 0,  /* the paper: sin, cos, sin, cos, ... of angle 0, 0, 1, 1, ... */
    POSITIONS_HALVES = 1,       /* MarianMT: all sines, then all cosines; if d is odd, one sine more */
    POSITIONS_MARIAN_HALVES = 2 /* the same layout, Marian's angles */
};

/*
 * Writes out [n, d]: positions first..first+n-1.  Computed in double and rounded once, like the tables in checkpoints;
 * Marian's angles are floats at each step, as there.
 * Cannot fail.  Costs two libm calls per pair of elements.
 */
void positions_fill(float *out, int first, int n, int d, int layout);

#endif /* HEED_LAYERS_POSITIONS_H */
