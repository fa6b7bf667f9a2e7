/* attention.c - see attention.h for the contract. */
#include "layers/attention.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

void attention_forward(float *out, float *probs, const float *q, const float *k, const float *v,
                       const heed_attention_shape *shape, float *scratch) {
    const int D = shape->d_model, S = shape->n_key, Dh = D / shape->n_heads;
    const float scale = 1.0f / sqrtf((float)Dh);

    for (int h = 0; h < shape->n_heads; h++) {
        const float *k_h = k + (size_t)h * Dh, *v_h = v + (size_t)h * Dh;
        const int disabled = shape->disabled && shape->disabled[h];
        for (int t = 0; t < shape->n_query; t++) {
            const size_t at = (size_t)t * D + (size_t)h * Dh;
            float *p = probs ? probs + h * shape->probs_head + t * shape->probs_row : scratch;
            k_scores(p, q + at, k_h, (size_t)D, shape->places, S, Dh, scale);
            k_softmax(p, S);
            if (disabled) memset(out + at, 0, (size_t)Dh * sizeof *out);
            else k_weighted_sum(out + at, p, v_h, (size_t)D, shape->places, S, Dh);
        }
    }
}
