/* ffn.c - see ffn.h for the contract. */
#include "layers/ffn.h"

#include "kernels/kernels.h"

int activation_exists(int activation) {
    switch ((heed_activation)activation) {
        case HEED_RELU:
        case HEED_GELU:
        case HEED_SWISH:
        case HEED_GELU_NEW: return 1;
    }
    return 0;
}

void activation_forward(float *x, size_t n, heed_activation activation) {
    switch (activation) {
        case HEED_RELU: k_relu(x, n); break;
        case HEED_GELU: k_gelu(x, n); break;
        case HEED_SWISH: k_swish(x, n); break;
        case HEED_GELU_NEW: k_gelu_new(x, n); break;
    }
}

void ffn_forward(float *out, float *hidden, heed_input *input, const heed_linear *fc1, const heed_linear *fc2,
                 heed_activation activation) {
    ffn_factors(hidden, NULL, input, fc1, NULL, activation);
    input_set(input, hidden, input->m, fc1->weight.rows);
    linear_forward(out, input, fc2);
}

void ffn_factors(float *hidden, float *linear, heed_input *input, const heed_linear *fc1, const heed_linear *fc1_linear,
                 heed_activation activation) {
    linear_forward(hidden, input, fc1);
    if (linear) linear_forward(linear, input, fc1_linear);
    activation_forward(hidden, (size_t)input->m * fc1->weight.rows, activation);
}
