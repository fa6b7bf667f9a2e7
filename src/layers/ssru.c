/* ssru.c - see ssru.h for the contract. */
#include "layers/ssru.h"

#include "kernels/kernels.h"

void ssru_gates(float *candidate, float *forget, heed_input *input, const heed_linear *w, const heed_linear *wf) {
    linear_forward(candidate, input, w);
    linear_forward(forget, input, wf);
    k_sigmoid(forget, (size_t)input->m * wf->weight.rows);
}

void ssru_step(float *out, float *cell, const float *candidate, const float *forget, const float *before, int d_model) {
    k_ssru(out, cell, candidate, forget, before, (size_t)d_model);
}
