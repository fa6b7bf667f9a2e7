/* parameters.c - see parameters.h for the contract. */
#include "train/parameters.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "layers/positions.h"
#include "train/random.h"

/* Walks the model's table in its order, and gives each tensor its offset. */
typedef struct {
    heed_parameters *p;
    const struct heed_model *model;
    int next;
    size_t trained, fixed; /* offsets of the next tensor of either kind */
    int counting;          /* 1: the first walk, which only counts floats */
} walker;

static int ends_with(const char *name, const char *suffix) {
    const size_t n = strlen(name), k = strlen(suffix);
    return n >= k && strcmp(name + n - k, suffix) == 0;
}

/* The offset of the next tensor, whose name ends with `suffix`. */
static size_t take(walker *w, const char *suffix, int trained) {
    const heed_tensor *t = &w->model->tensors[w->next];
    assert(w->next < w->model->n_tensors && ends_with(t->name, suffix));
    (void)suffix;
    size_t *end = trained ? &w->trained : &w->fixed;
    const size_t offset = *end;
    *end += (size_t)t->rows * t->cols;
    if (!w->counting && w->p->tensors) {
        train_tensor *mine = &w->p->tensors[w->next];
        memcpy(mine->name, t->name, sizeof mine->name);
        mine->rows = t->rows;
        mine->cols = t->cols;
        mine->offset = offset;
        mine->trained = trained;
    }
    w->next++;
    return offset;
}

static train_linear take_linear(walker *w, int has_no_bias) {
    const heed_tensor *t = &w->model->tensors[w->next];
    train_linear linear = {.rows = t->rows, .cols = t->cols, .has_no_bias = has_no_bias};
    const size_t n = (size_t)t->rows * t->cols;
    if (n > w->p->largest_projection) w->p->largest_projection = n;
    if (!w->counting && w->p->tensors) w->p->tensors[w->next].projects = 1;
    linear.weight = take(w, ".weight", 1);
    if (!has_no_bias) linear.bias = take(w, ".bias", 1);
    return linear;
}

static train_norm take_norm(walker *w) {
    train_norm norm = {.is_rms = w->p->arch.has_rms_norms, .epsilon = w->p->arch.norm_epsilon};
    norm.gain = take(w, ".weight", 1);
    if (!norm.is_rms) norm.bias = take(w, ".bias", 1);
    return norm;
}

static void take_stack(walker *w, train_stack *stack, int train_positions) {
    for (int i = 0; i < stack->n_sublayers; i++) {
        train_sublayer unplaced, *s = stack->sublayers ? &stack->sublayers[i] : &unplaced;
        s->arch = &stack->arch->sublayers[i % stack->arch->n_sublayers];
        const sublayer_parts *parts = architecture_parts(s->arch->kind);
        for (int j = 0; j < parts->n_linears; j++)
            s->linears[j] = take_linear(w, parts->has_no_bias[j] || !s->arch->has_biases);
        s->norm = take_norm(w);
    }
    if (stack->arch->has_embedding_norm) stack->layernorm_embedding = take_norm(w);
    if (stack->arch->has_final_norm) stack->layer_norm = take_norm(w);
    if (stack->arch->positions == POSITIONS_STORED)
        stack->embed_positions = take(w, ".embed_positions.weight", train_positions);
    if (stack->arch->n_buckets > 0) stack->position_bias = take(w, ".relative_attention_bias.weight", 1);
}

static void walk(walker *w, int train_positions) {
    heed_parameters *p = w->p;
    p->encoder.embed_tokens = p->decoder.embed_tokens = take(w, ".weight", 1);
    if (!p->arch.has_shared_embeddings) p->decoder.embed_tokens = take(w, ".embed_tokens.weight", 1);
    p->output = p->arch.has_tied_output ? p->decoder.embed_tokens : take(w, "lm_head.weight", 1);
    p->final_logits_bias = take(w, "final_logits_bias", 0);
    take_stack(w, &p->encoder, train_positions);
    take_stack(w, &p->decoder, train_positions);
}

static void layout_stack(train_stack *stack, heed_arena *arena, const architecture_stack *arch) {
    stack->arch = arch;
    stack->n_sublayers = arch->n_layers * arch->n_sublayers;
    stack->sublayers = arena_push(arena, (size_t)stack->n_sublayers, sizeof *stack->sublayers);
}

void parameters_layout(heed_parameters *p, heed_arena *arena, const struct heed_model *model, int train_positions) {
    *p = (heed_parameters){.config = model->config, .arch = model->arch, .n_tensors = model->n_tensors};
    p->tensors = arena_push(arena, (size_t)model->n_tensors, sizeof *p->tensors);
    layout_stack(&p->encoder, arena, &p->arch.encoder);
    layout_stack(&p->decoder, arena, &p->arch.decoder);

    walker w = {.p = p, .model = model, .counting = 1};
    walk(&w, train_positions);
    assert(w.next == model->n_tensors);
    p->n_trained = w.trained;
    p->n_floats = w.trained + w.fixed;
    w = (walker){.p = p, .model = model, .fixed = p->n_trained};
    walk(&w, train_positions);
}

/* ------------------------------------------------------------------------------ a fresh model */

/* Box and Muller's cosine; 1 - u keeps the logarithm finite. */
static float normal(uint64_t key, uint64_t index) {
    const double u = random_uniform(key, 2 * index), v = random_uniform(key, 2 * index + 1);
    return (float)(sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307179586 * v));
}

void parameters_initialize(float *values, const heed_parameters *p, uint32_t seed) {
    const int D = p->arch.d_model;
    const architecture_sublayer *attention = &p->arch.encoder.sublayers[0];
    memset(values, 0, p->n_floats * sizeof *values);
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *t = &p->tensors[i];
        const uint64_t key = random_key(seed, (uint64_t)i);
        const size_t n = (size_t)t->rows * t->cols;
        float *x = values + t->offset;
        if (ends_with(t->name, "embed_positions.weight")) {
            positions_fill(x, 0, t->rows, t->cols, p->arch.position_layout);
        } else if (ends_with(t->name, "shared.weight") || ends_with(t->name, "embed_tokens.weight") ||
                   ends_with(t->name, "lm_head.weight")) {
            const float deviation = 1.0f / sqrtf((float)D);
            for (size_t j = 0; j < n; j++) x[j] = normal(key, j) * deviation;
        } else if (ends_with(t->name, "norm.weight") || ends_with(t->name, "layernorm_embedding.weight")) {
            for (size_t j = 0; j < n; j++) x[j] = 1.0f;
        } else if (ends_with(t->name, ".weight")) {
            double bound = sqrt(6.0 / ((double)t->rows + t->cols));
            /* what attention does not divide by, as in T5 */
            if (!attention->is_scaled && ends_with(t->name, "q_proj.weight"))
                bound /= sqrt((double)attention->inner_dim / attention->n_heads);
            for (size_t j = 0; j < n; j++) x[j] = (float)((2.0 * random_uniform(key, j) - 1.0) * bound);
        }
    }
}
