/* model.c - see model.h for the contract: the layout and the table of tensors. */
#include "model/model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "layers/positions.h"

/* Lays the model out; with arena.base NULL it only measures, counts tensors and finds the longest row. */
typedef struct {
    heed_arena arena;
    heed_tensor *tensors; /* NULL while measuring */
    int n_tensors;
    int longest_row;
    int dtype;                      /* of the matrices */
    char prefix[TENSOR_NAME_BYTES]; /* "model.encoder.layers.0." */
} builder;

/* The longest name there is, a decoder layer's, takes 57 of the bytes. */
static void append(char *name, const char *text) {
    const size_t n = strlen(name), more = strlen(text);
    assert(n + more < TENSOR_NAME_BYTES);
    memcpy(name + n, text, more + 1);
}

static heed_tensor *add_tensor(builder *b, const char *name, const char *suffix, int rows, int cols) {
    if (cols > b->longest_row) b->longest_row = cols;
    if (rows > b->longest_row) b->longest_row = rows; /* its scales arrive as one row */
    const int index = b->n_tensors++;
    if (b->tensors == NULL) return NULL;
    heed_tensor *t = &b->tensors[index];
    append(t->name, b->prefix);
    append(t->name, name);
    append(t->name, suffix);
    t->rows = rows;
    t->cols = cols;
    return t;
}

static void add_plain(builder *b, float **data, const char *name, const char *suffix, int rows, int cols) {
    *data = arena_floats(&b->arena, (size_t)rows, (size_t)cols, 1);
    heed_tensor *t = add_tensor(b, name, suffix, rows, cols);
    if (t) t->plain = *data;
}

static void add_matrix(builder *b, heed_matrix *w, const char *name, int rows, int cols) {
    matrix_layout(w, &b->arena, rows, cols, b->dtype);
    float *scales = b->dtype == LINEAR_I8 ? w->scales : arena_floats(&b->arena, (size_t)rows, 1, 1);
    heed_tensor *t = add_tensor(b, name, ".weight", rows, cols);
    if (t) {
        t->matrix = w;
        t->scales = scales;
    }
}

static void add_linear(builder *b, heed_linear *linear, const char *name, int rows, int cols) {
    add_matrix(b, &linear->weight, name, rows, cols);
    add_plain(b, &linear->bias, name, ".bias", 1, rows);
}

static void add_norm(builder *b, heed_norm *norm, const char *name, int d_model) {
    add_plain(b, &norm->gain, name, ".weight", 1, d_model);
    add_plain(b, &norm->bias, name, ".bias", 1, d_model);
}

static void add_attention(builder *b, heed_attention_weights *w, const char *name, int d_model) {
    char layer[TENSOR_NAME_BYTES];
    memcpy(layer, b->prefix, sizeof layer);
    append(b->prefix, name);
    append(b->prefix, ".");
    add_linear(b, &w->q_proj, "q_proj", d_model, d_model);
    add_linear(b, &w->k_proj, "k_proj", d_model, d_model);
    add_linear(b, &w->v_proj, "v_proj", d_model, d_model);
    add_linear(b, &w->out_proj, "out_proj", d_model, d_model);
    memcpy(b->prefix, layer, sizeof layer);
    append(layer, name);
    append(layer, "_layer_norm");
    b->prefix[0] = '\0';
    add_norm(b, &w->norm, layer, d_model);
}

static void set_prefix(builder *b, const char *stack, int layer) {
    char digits[12];
    int n = (int)sizeof digits - 1;
    digits[n] = '\0';
    do digits[--n] = (char)('0' + layer % 10);
    while ((layer /= 10) > 0);
    b->prefix[0] = '\0';
    append(b->prefix, stack);
    append(b->prefix, "layers.");
    append(b->prefix, digits + n);
    append(b->prefix, ".");
}

static void add_stack(builder *b, heed_stack *stack, const heed_config *c, int is_decoder) {
    const char *name = is_decoder ? "model.decoder." : "model.encoder.";
    const int D = c->d_model;
    stack->n_layers = is_decoder ? c->decoder_layers : c->encoder_layers;
    stack->n_heads = is_decoder ? c->decoder_attention_heads : c->encoder_attention_heads;
    stack->ffn_dim = is_decoder ? c->decoder_ffn_dim : c->encoder_ffn_dim;
    stack->layers = arena_push(&b->arena, (size_t)stack->n_layers, sizeof *stack->layers);

    for (int l = 0; l < stack->n_layers; l++) {
        heed_layer unplaced, *layer = stack->layers ? &stack->layers[l] : &unplaced;
        set_prefix(b, name, l);
        add_attention(b, &layer->self_attn, "self_attn", D);
        set_prefix(b, name, l);
        if (is_decoder) add_attention(b, &layer->encoder_attn, "encoder_attn", D);
        set_prefix(b, name, l);
        add_linear(b, &layer->fc1, "fc1", stack->ffn_dim, D);
        add_linear(b, &layer->fc2, "fc2", D, stack->ffn_dim);
        add_norm(b, &layer->final_layer_norm, "final_layer_norm", D);
    }

    b->prefix[0] = '\0';
    append(b->prefix, name);
    if (c->normalize_embedding) add_norm(b, &stack->layernorm_embedding, "layernorm_embedding", D);
    if (c->add_final_layer_norm) add_norm(b, &stack->layer_norm, "layer_norm", D);
    if (is_decoder ? c->decoder_positions_stored : c->encoder_positions_stored) {
        float *positions;
        add_plain(b, &positions, "embed_positions", ".weight", c->max_position_embeddings, D);
        stack->embed_positions = positions;
    }
}

static void lay_out(builder *b, struct heed_model *m) {
    const heed_config *c = &m->config;
    const int D = c->d_model;

    b->prefix[0] = '\0';
    if (c->share_encoder_decoder_embeddings) {
        add_matrix(b, &m->shared, "model.shared", c->vocab_size, D);
        m->encoder.embed_tokens = m->decoder.embed_tokens = &m->shared;
    } else {
        add_matrix(b, &m->source, "model.encoder.embed_tokens", c->vocab_size, D);
        add_matrix(b, &m->target, "model.decoder.embed_tokens", c->decoder_vocab_size, D);
        m->encoder.embed_tokens = &m->source;
        m->decoder.embed_tokens = &m->target;
    }
    m->output = m->decoder.embed_tokens;
    if (!c->tie_word_embeddings) {
        add_matrix(b, &m->lm_head, "lm_head", c->decoder_vocab_size, D);
        m->output = &m->lm_head;
    }
    add_plain(b, &m->final_logits_bias, "final_logits_bias", "", 1, c->decoder_vocab_size);
    if (b->tensors) b->tensors[b->n_tensors - 1].optional = 1;

    add_stack(b, &m->encoder, c, 0);
    add_stack(b, &m->decoder, c, 1);

    if (!c->encoder_positions_stored || !c->decoder_positions_stored) {
        float *positions = arena_floats(&b->arena, (size_t)c->max_position_embeddings, (size_t)D, 1);
        if (positions) positions_fill(positions, c->max_position_embeddings, D, 1);
        if (!c->encoder_positions_stored) m->encoder.embed_positions = positions;
        if (!c->decoder_positions_stored) m->decoder.embed_positions = positions;
    }
    m->embed_scale = c->scale_embedding ? sqrtf((float)D) : 1.0f;
    m->loader.bytes = arena_push(&b->arena, (size_t)b->longest_row, sizeof(float));
    m->loader.floats = arena_floats(&b->arena, (size_t)b->longest_row, 1, 1);
}

static builder measure(const heed_config *config) {
    struct heed_model measured = {.config = *config};
    builder b = {.dtype = config->dtype};
    arena_push(&b.arena, 1, sizeof(struct heed_model));
    lay_out(&b, &measured);
    arena_push(&b.arena, (size_t)b.n_tensors, sizeof(heed_tensor));
    return b;
}

heed_status model_measure(const heed_config *config, size_t *bytes) {
    const builder b = measure(config);
    *bytes = b.arena.overflow ? 0 : b.arena.used;
    return b.arena.overflow ? HEED_E_MEMORY : HEED_OK;
}

heed_status model_create(const heed_config *config, struct heed_model **out) {
    builder b = measure(config);
    const int n_tensors = b.n_tensors;

    *out = NULL;

    if (arena_block(&b.arena) == NULL) return HEED_E_MEMORY;
    struct heed_model *m = arena_push(&b.arena, 1, sizeof *m);
    m->config = *config;
    m->block_bytes = b.arena.size;
    m->tensors = b.tensors = arena_push(&b.arena, (size_t)n_tensors, sizeof(heed_tensor));
    m->n_tensors = n_tensors;
    b.n_tensors = b.longest_row = 0;
    lay_out(&b, m);
    *out = m;
    return HEED_OK;
}

/* Names under which checkpoints repeat a tensor that the configuration ties to another. */
static const char *tied_name(const heed_config *c, const char *name) {
    const char *embeddings =
        c->share_encoder_decoder_embeddings ? "model.shared.weight" : "model.decoder.embed_tokens.weight";
    if (c->share_encoder_decoder_embeddings && (strcmp(name, "model.encoder.embed_tokens.weight") == 0 ||
                                                strcmp(name, "model.decoder.embed_tokens.weight") == 0))
        return embeddings;
    if (c->tie_word_embeddings && strcmp(name, "lm_head.weight") == 0) return embeddings;
    return name;
}

int model_find_tensor(const struct heed_model *model, const char *name, int32_t *is_scale) {
    static const char SUFFIX[] = ".scale";
    char stem[TENSOR_NAME_BYTES];
    size_t n = strlen(name);

    *is_scale = 0;
    if (n >= sizeof stem + sizeof SUFFIX) return -1;
    if (n >= sizeof SUFFIX && strcmp(name + n - (sizeof SUFFIX - 1), SUFFIX) == 0) {
        *is_scale = 1;
        n -= sizeof SUFFIX - 1;
    }
    if (n >= sizeof stem) return -1;
    memcpy(stem, name, n);
    stem[n] = '\0';
    const char *canonical = tied_name(&model->config, stem);
    for (int i = 0; i < model->n_tensors; i++)
        if (strcmp(model->tensors[i].name, canonical) == 0) return *is_scale && !model->tensors[i].matrix ? -1 : i;
    return -1;
}
