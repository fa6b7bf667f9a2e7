/* parameters.c - see parameters.h for the contract. */
#include "train/parameters.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "layers/positions.h"
#include "train/random.h"

/* Walks the model's table in its order, giving each tensor its place. */
typedef struct {
    heed_parameters *p;
    const struct heed_model *model;
    int next;
    size_t trained, fixed; /* offsets of the next tensor of either kind */
    int counting;          /* the first walk only adds up what is trained */
} walker;

static int ends_with(const char *name, const char *suffix) {
    const size_t n = strlen(name), k = strlen(suffix);
    return n >= k && strcmp(name + n - k, suffix) == 0;
}

/* The next tensor, which must be called so; *rows and *cols may be NULL. */
static size_t take(walker *w, const char *suffix, int trained, int *rows, int *cols) {
    const heed_tensor *t = &w->model->tensors[w->next];
    assert(w->next < w->model->n_tensors && ends_with(t->name, suffix));
    (void)suffix;
    size_t *end = trained ? &w->trained : &w->fixed;
    const size_t offset = *end;
    *end += (size_t)t->rows * t->cols;
    if (rows) *rows = t->rows;
    if (cols) *cols = t->cols;
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

static void take_linear(walker *w, train_linear *linear, const char *weight, const char *bias) {
    linear->weight = take(w, weight, 1, &linear->rows, &linear->cols);
    linear->bias = take(w, bias, 1, NULL, NULL);
}

static void take_norm(walker *w, train_norm *norm, const char *gain, const char *bias) {
    norm->gain = take(w, gain, 1, NULL, NULL);
    norm->bias = take(w, bias, 1, NULL, NULL);
}

static void take_attention(walker *w, train_attention *a) {
    take_linear(w, &a->q_proj, ".q_proj.weight", ".q_proj.bias");
    take_linear(w, &a->k_proj, ".k_proj.weight", ".k_proj.bias");
    take_linear(w, &a->v_proj, ".v_proj.weight", ".v_proj.bias");
    take_linear(w, &a->out_proj, ".out_proj.weight", ".out_proj.bias");
    take_norm(w, &a->norm, "attn_layer_norm.weight", "attn_layer_norm.bias");
}

static void take_stack(walker *w, train_stack *stack, int is_decoder, int train_positions) {
    const heed_config *c = &w->model->config;
    for (int l = 0; l < stack->n_layers; l++) {
        train_layer unplaced, *layer = stack->layers ? &stack->layers[l] : &unplaced;
        take_attention(w, &layer->self_attn);
        if (is_decoder) take_attention(w, &layer->encoder_attn);
        take_linear(w, &layer->fc1, ".fc1.weight", ".fc1.bias");
        take_linear(w, &layer->fc2, ".fc2.weight", ".fc2.bias");
        take_norm(w, &layer->final_layer_norm, ".final_layer_norm.weight", ".final_layer_norm.bias");
    }
    if (c->normalize_embedding)
        take_norm(w, &stack->layernorm_embedding, ".layernorm_embedding.weight", ".layernorm_embedding.bias");
    if (c->add_final_layer_norm) take_norm(w, &stack->layer_norm, ".layer_norm.weight", ".layer_norm.bias");
    stack->has_positions = is_decoder ? c->decoder_positions_stored : c->encoder_positions_stored;
    if (stack->has_positions) stack->embed_positions = take(w, ".embed_positions.weight", train_positions, NULL, NULL);
}

static void walk(walker *w, int train_positions) {
    heed_parameters *p = w->p;
    const heed_config *c = &w->model->config;
    if (c->share_encoder_decoder_embeddings) {
        p->encoder.embed_tokens = p->decoder.embed_tokens = take(w, "model.shared.weight", 1, NULL, NULL);
    } else {
        p->encoder.embed_tokens = take(w, ".encoder.embed_tokens.weight", 1, NULL, NULL);
        p->decoder.embed_tokens = take(w, ".decoder.embed_tokens.weight", 1, NULL, NULL);
    }
    p->output = c->tie_word_embeddings ? p->decoder.embed_tokens : take(w, "lm_head.weight", 1, NULL, NULL);
    p->final_logits_bias = take(w, "final_logits_bias", 0, NULL, NULL);
    take_stack(w, &p->encoder, 0, train_positions);
    take_stack(w, &p->decoder, 1, train_positions);
}

void parameters_layout(heed_parameters *p, heed_arena *arena, const struct heed_model *model, int train_positions) {
    const heed_config *c = &model->config;
    *p = (heed_parameters){.config = *c, .n_tensors = model->n_tensors};
    p->tensors = arena_push(arena, (size_t)model->n_tensors, sizeof *p->tensors);
    p->encoder.layers = arena_push(arena, (size_t)c->encoder_layers, sizeof *p->encoder.layers);
    p->decoder.layers = arena_push(arena, (size_t)c->decoder_layers, sizeof *p->decoder.layers);
    p->encoder.n_layers = c->encoder_layers;
    p->decoder.n_layers = c->decoder_layers;
    p->encoder.n_heads = c->encoder_attention_heads;
    p->decoder.n_heads = c->decoder_attention_heads;
    p->encoder.ffn_dim = c->encoder_ffn_dim;
    p->decoder.ffn_dim = c->decoder_ffn_dim;

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
    const int D = p->config.d_model;
    memset(values, 0, p->n_floats * sizeof *values);
    for (int i = 0; i < p->n_tensors; i++) {
        const train_tensor *t = &p->tensors[i];
        const uint64_t key = random_key(seed, (uint64_t)i);
        const size_t n = (size_t)t->rows * t->cols;
        float *x = values + t->offset;
        if (ends_with(t->name, "embed_positions.weight")) {
            positions_fill(x, t->rows, t->cols, POSITIONS_HALVES);
        } else if (ends_with(t->name, "shared.weight") || ends_with(t->name, "embed_tokens.weight") ||
                   ends_with(t->name, "lm_head.weight")) {
            const float deviation = 1.0f / sqrtf((float)D);
            for (size_t j = 0; j < n; j++) x[j] = normal(key, j) * deviation;
        } else if (ends_with(t->name, "norm.weight") || ends_with(t->name, "layernorm_embedding.weight")) {
            for (size_t j = 0; j < n; j++) x[j] = 1.0f;
        } else if (ends_with(t->name, ".weight")) {
            const double bound = sqrt(6.0 / ((double)t->rows + t->cols));
            for (size_t j = 0; j < n; j++) x[j] = (float)((2.0 * random_uniform(key, j) - 1.0) * bound);
        }
    }
}
