/*
 * embedding.h - ids to vectors: the row of the table, scaled, plus the row of the position.
 *
 *     out[t] = E[id_t] * scale + P[position_t]
 *
 * Depends on: kernels/, linear.h (the table is a matrix: output projections share it).
 * Used by: model/, train/.
 */
#ifndef HEED_LAYERS_EMBEDDING_H
#define HEED_LAYERS_EMBEDDING_H

#include "layers/linear.h"

/* out [D].  positions [P, D], id < table->rows, position < P.  Cannot fail: ids are checked at the door. */
void embedding_forward(float *out, int id, int position, const heed_matrix *table, float scale, const float *positions);

#endif /* HEED_LAYERS_EMBEDDING_H */
