/* ffn.c - see ffn.h for the contract. */
#include "layers/ffn.h"

#include "kernels/kernels.h"

void activation_forward(float *x, size_t n, int activation) {
    switch (activation) {
        case HEED_RELU: k_relu(x, n); break;
        case HEED_GELU: k_gelu(x, n); break;
        default: k_swish(x, n); break;
    }
}

void ffn_forward(float *out, float *hidden, heed_input *input, const heed_linear *fc1, const heed_linear *fc2,
                 int activation) {
    const int F = fc1->weight.rows;
    linear_forward(hidden, input, fc1);
    activation_forward(hidden, (size_t)input->m * F, activation);
    input_set(input, hidden, input->m, F);
    linear_forward(out, input, fc2);
}
