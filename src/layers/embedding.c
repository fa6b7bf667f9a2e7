/* embedding.c - see embedding.h for the contract. */
#include "layers/embedding.h"

#include "kernels/kernels.h"

void embedding_forward(float *out, int id, int position, const heed_matrix *table, float scale,
                       const float *positions) {
    const size_t d = (size_t)table->cols;
    matrix_get_row(out, table, id);
    k_scale(out, out, scale, d);
    k_add(out, out, positions + (size_t)position * d, d);
}
