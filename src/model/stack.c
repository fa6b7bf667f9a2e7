/* stack.c - see stack.h for the contract. */
#include "model/stack.h"

#include "kernels/kernels.h"

void stack_begin(heed_run *run, const heed_stack *stack, int rows) {
    const heed_config *c = &run->model->config;
    if (c->normalize_embedding) norm_forward(run->x, run->x, NULL, &stack->layernorm_embedding, rows, c->d_model);
}

void stack_end(heed_run *run, const heed_stack *stack, int rows) {
    const heed_config *c = &run->model->config;
    if (c->add_final_layer_norm) norm_forward(run->x, run->x, NULL, &stack->layer_norm, rows, c->d_model);
}

void sublayer_input(heed_run *run, const heed_norm *norm, int rows, int point, int layer) {
    const heed_config *c = &run->model->config;
    if (c->normalize_before) {
        norm_forward(run->y, run->x, NULL, norm, rows, c->d_model);
        tap_note(run->model, &run->taps, point, layer, run->y, (size_t)rows * c->d_model);
    }
    input_set(&run->input, c->normalize_before ? run->y : run->x, rows, c->d_model);
}

void sublayer_output(heed_run *run, const heed_norm *norm, int rows, int point, int layer) {
    const heed_config *c = &run->model->config;
    if (c->normalize_before) {
        k_add(run->x, run->x, run->y, (size_t)rows * c->d_model);
        return;
    }
    norm_forward(run->x, run->x, run->y, norm, rows, c->d_model);
    tap_note(run->model, &run->taps, point, layer, run->x, (size_t)rows * c->d_model);
}
