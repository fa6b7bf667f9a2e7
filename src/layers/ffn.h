/*
 * ffn.h - the position-wise feed-forward network, activation(x W1^T + b1) W2^T + b2, and its gated form,
 * (activation(x W1^T + b1) * (x V^T + c)) W2^T + b2.
 *
 * Depends on: kernels/, linear.h.  Used by: model/, train/.
 */
#ifndef HEED_LAYERS_FFN_H
#define HEED_LAYERS_FFN_H

#include <stddef.h>

#include "base/kinds.h"
#include "layers/linear.h"

/* Is this number a heed_activation? */
int activation_exists(int activation);

/* x [n] in place.  Cannot fail. */
void activation_forward(float *x, size_t n, heed_activation activation);

/*
 * out [m, D] and hidden [m, F] (after the activation) are written.  *input must be set to the rows to read; afterwards
 * it is set to hidden.  Cannot fail.
 */
void ffn_forward(float *out, float *hidden, heed_input *input, const heed_linear *fc1, const heed_linear *fc2,
                 heed_activation activation);

/*
 * The two factors of the gated form: hidden = activation(x W1^T + b1) and linear = x V^T + c, [m, F] each, are written.
 * linear may be NULL: then there is only the first, and fc1_linear is not read.  Cannot fail.
 */
void ffn_factors(float *hidden, float *linear, heed_input *input, const heed_linear *fc1, const heed_linear *fc1_linear,
                 heed_activation activation);

#endif /* HEED_LAYERS_FFN_H */
