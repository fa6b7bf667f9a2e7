/* embedding.c - see embedding.h for the contract. */
#include "layers/embedding.h"

#include "kernels/kernels.h"

void embedding_forward(float *out, int id, const heed_matrix *table, float scale, const float *position) {
    const size_t d = (size_t)table->cols;
    matrix_get_row(out, table, id);
    k_scale(out, out, scale, d);
    if (position) k_add(out, out, position, d);
}
