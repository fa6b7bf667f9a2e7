/* norm.c - see norm.h for the contract. */
#include "layers/norm.h"

#include "kernels/kernels.h"

void norm_forward(float *out, const float *x, const float *residual, const heed_norm *norm, int m, int d_model) {
    for (int t = 0; t < m; t++) {
        const size_t at = (size_t)t * d_model;
        k_layer_norm(out + at, x + at, residual ? residual + at : NULL, norm->gain, norm->bias, d_model, norm->epsilon);
    }
}
