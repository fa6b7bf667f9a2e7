/* output.c - see output.h for the contract. */
#include "model/output.h"

#include <math.h>

#include "kernels/kernels.h"

/* Rows [first, first + n) of run->x, scaled, are what the next product reads. */
static void read_rows(heed_run *run, int first, int n) {
    const heed_architecture *a = &run->model->arch;
    const float *x = run->x + (size_t)first * a->d_model;
    if (a->logit_scale != 1.0f) {
        k_scale(run->y, x, a->logit_scale, (size_t)n * a->d_model);
        x = run->y;
    }
    input_set(&run->input, x, n, a->d_model);
}

void output_forward(heed_run *run, float *logits, int first, int n) {
    read_rows(run, first, n);
    matrix_multiply(logits, &run->input, run->model->output, run->model->final_logits_bias);
}

float output_log_prob(const heed_run *run, const float *logits, int id) {
    return logits[id] - k_log_sum_exp(logits, run->model->output->rows);
}

float output_restrict(const heed_run *run, float *logits, const int32_t *ids, int n, float *scratch) {
    for (int i = 0; i < n; i++) scratch[i] = logits[ids[i]];
    for (int i = 0; i < run->model->output->rows; i++) logits[i] = -INFINITY;
    for (int i = 0; i < n; i++) logits[ids[i]] = scratch[i];
    return k_log_sum_exp(scratch, n);
}

void output_layout(heed_linear *copies, heed_arena *arena, const struct heed_model *model, int max_rows) {
    const heed_config *config = &model->config;
    matrix_layout(&copies->weight, arena, max_rows, model->output->cols, config->dtype, config->activations, 0);
    copies->bias = arena_floats(arena, (size_t)max_rows, 1, 1);
}

void output_copy(heed_linear *copies, int at, const struct heed_model *model, const int32_t *ids, int n) {
    linear_copy_rows(copies, at, model->output, model->final_logits_bias, ids, n);
}

void output_forward_copies(heed_run *run, float *logits, int first, int m, const heed_linear *copies, int at, int n) {
    const heed_linear part = linear_part(copies, at, n);
    read_rows(run, first, m);
    linear_forward(logits, &run->input, &part);
}
