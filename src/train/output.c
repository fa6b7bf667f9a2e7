/* output.c - see output.h for the contract. */
#include "train/output.h"

#include "kernels/kernels.h"
#include "train/random.h"

/* The words of the part's loss. */
static void draw_words(heed_pass *pass) {
    heed_sampled *s = &pass->sampled;
    sampled_begin(s, pass->parameters);
    for (int i = 0; i < pass->n_pairs; i++)
        for (int t = 0; t < pass->pairs[i].n_target; t++) sampled_take(s, pass->pairs[i].target[t]);
    sampled_draw(s, pass->parameters, pass->context.weights, random_key(pass->key, (uint64_t)2 << 32));
}

void output_run(heed_pass *pass, const pass_options *o, pass_result *result) {
    const heed_parameters *p = pass->parameters;
    const int D = p->arch.d_model, V = p->arch.decoder.vocabulary;
    const int is_sampled = pass->context.gradients && pass->sampled.words > 0;
    train_context c = pass->context;
    train_linear w = {.weight = p->output, .bias = p->final_logits_bias, .rows = V, .cols = D};
    loss_columns columns = {.n = V, .certain = V, .vocabulary = V, .weight = 1.0f};
    if (is_sampled) {
        draw_words(pass);
        columns = pass->sampled.columns;
        c.weights = pass->sampled.weights;
        c.gradients = pass->sampled.gradients;
        w = (train_linear){.weight = 0, .bias = (size_t)columns.n * D, .rows = columns.n, .cols = D};
    }
    const int N = columns.n, slice = is_sampled ? pass->slice * (V / N) : pass->slice;
    const size_t size = (size_t)pass->n_target * D;
    if (p->arch.logit_scale != 1.0f) k_scale(pass->decoder.out, pass->decoder.out, p->arch.logit_scale, size);
    int pair = 0, t = 0;
    for (int first = 0; first < pass->n_target; first += slice) {
        const int left = pass->n_target - first, n = slice < left ? slice : left;
        const float *x = pass->decoder.out + (size_t)first * D;
        affine_forward(&c, pass->logits, x, &w, n);
        for (int r = 0; r < n; r++, t++) {
            if (t == pass->pairs[pair].n_target) {
                t = 0;
                pair++;
            }
            const int32_t target = pass->pairs[pair].target[t];
            const int label = is_sampled ? pass->sampled.place[target] : target;
            result->loss += cross_entropy(pass->logits + (size_t)r * N, label, &columns, o->smoothing,
                                          c.gradients ? o->scale : 0.0f, &result->likelihood);
        }
        if (c.gradients) {
            c.gemm->multiply(c.gradients + w.weight, D, pass->logits, N, 1, x, D, 0, N, D, n, 1, c.scratch);
            c.gemm->multiply(pass->dx + (size_t)first * D, D, pass->logits, N, 0, c.weights + w.weight, D, 0, n, D, N,
                             0, c.scratch);
        }
    }
    if (c.gradients && p->arch.logit_scale != 1.0f) k_scale(pass->dx, pass->dx, p->arch.logit_scale, size);
    if (is_sampled) sampled_add(&pass->sampled, p, pass->context.gradients);
    result->tokens += pass->n_target;
}
