/*
 * embedding.h - ids to vectors: the row of the table, scaled, plus the row of the position.
 *
 *     out[t] = E[id_t] * scale + P[position of t]
 *
 * Depends on: kernels/, linear.h (the table is a matrix, because an output projection may share it).
 * Used by: model/, train/.
 */
#ifndef HEED_LAYERS_EMBEDDING_H
#define HEED_LAYERS_EMBEDDING_H

#include "layers/linear.h"

/*
 * out [D] written.  position [D] is added unless it is NULL.  0 <= id < table->rows.  Cannot fail: the public functions
 * check ids.
 */
void embedding_forward(float *out, int id, const heed_matrix *table, float scale, const float *position);

#endif /* HEED_LAYERS_EMBEDDING_H */
