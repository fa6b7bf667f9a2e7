/* norm.c - see norm.h for the contract. */
#include "layers/norm.h"

#include "kernels/kernels.h"

void norm_forward(float *out, const float *x, const float *residual, const heed_norm *norm, int m, int d_model) {
    if (norm->bias == NULL) {
        if (residual) k_add(out, x, residual, (size_t)m * d_model);
        if (residual) x = out;
        for (size_t at = 0; at < (size_t)m * d_model; at += (size_t)d_model)
            k_rms_norm(out + at, x + at, norm->gain, d_model, norm->epsilon);
        return;
    }
    for (int t = 0; t < m; t++) {
        const size_t at = (size_t)t * d_model;
        k_layer_norm(out + at, x + at, residual ? residual + at : NULL, norm->gain, norm->bias, d_model, norm->epsilon);
    }
}
