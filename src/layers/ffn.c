/* ffn.c - see ffn.h for the contract. */
#include "layers/ffn.h"

#include "kernels/kernels.h"

void activation_forward(float *x, size_t n, int activation) {
    switch (activation) {
        case FFN_RELU: k_relu(x, n); break;
        case FFN_GELU: k_gelu(x, n); break;
        default: k_swish(x, n); break;
    }
}

void ffn_forward(float *out, float *hidden, const float *x, const heed_linear *fc1, const heed_linear *fc2,
                 int activation, int m) {
    linear_forward(hidden, x, fc1, m);
    activation_forward(hidden, (size_t)m * fc1->weight.rows, activation);
    linear_forward(out, hidden, fc2, m);
}
