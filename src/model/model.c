/* model.c - see model.h and heed.h for the contract: the layout and the table of tensors. */
#include "model/model.h"

#include <string.h>

#include "heed.h"
#include "layers/positions.h"

/* Lays the model out; with arena.base NULL it only measures, counts tensors and finds the longest row. */
typedef struct {
    heed_arena arena;
    heed_tensor *tensors; /* NULL while measuring */
    int n_tensors, n_heads, n_points;
    int longest_row;
    int dtype, activations; /* of the matrices */
    int has_rms_norms;
    float norm_epsilon;
    char name[TENSOR_NAME_BYTES]; /* of the next tensors, without their suffix */
} builder;

static void name_tensor(builder *b, const char *name) {
    b->name[0] = '\0';
    name_append(b->name, name);
}

/* layer: -1 for tensors of the stack itself. */
static void name_part(builder *b, const architecture_stack *stack, int layer, const char *sublayer, const char *part) {
    name_tensor(b, "model.");
    name_append_part(b->name, stack->name, layer, sublayer, part);
}

static heed_tensor *add_tensor(builder *b, const char *suffix, int rows, int cols) {
    if (cols > b->longest_row) b->longest_row = cols;
    if (rows > b->longest_row) b->longest_row = rows; /* its scales arrive as one row */
    const int index = b->n_tensors++;
    if (b->tensors == NULL) return NULL;
    heed_tensor *t = &b->tensors[index];
    name_append(t->name, b->name);
    name_append(t->name, suffix);
    t->rows = rows;
    t->cols = cols;
    return t;
}

static float *add_plain(builder *b, const char *suffix, int rows, int cols) {
    float *data = arena_floats(&b->arena, (size_t)rows, (size_t)cols, 1);
    heed_tensor *t = add_tensor(b, suffix, rows, cols);
    if (t) t->plain = data;
    return data;
}

static void add_matrix(builder *b, heed_matrix *w, int rows, int cols, int after_relu) {
    matrix_layout(w, &b->arena, rows, cols, b->dtype, b->activations, after_relu);
    float *scales = b->dtype == HEED_I8 ? w->scales : arena_floats(&b->arena, (size_t)rows, 1, 1);
    heed_tensor *t = add_tensor(b, ".weight", rows, cols);
    if (t) {
        t->matrix = w;
        t->scales = scales;
    }
}

static void add_norm(builder *b, heed_norm *norm, int d_model) {
    norm->gain = add_plain(b, ".weight", 1, d_model);
    norm->bias = b->has_rms_norms ? NULL : add_plain(b, ".bias", 1, d_model);
    norm->epsilon = b->norm_epsilon;
}

static void add_sublayer(builder *b, heed_sublayer *s, const heed_architecture *a, const architecture_stack *stack,
                         const architecture_sublayer *arch, int layer) {
    const sublayer_parts *parts = architecture_parts(arch->kind);
    s->arch = arch;
    s->layer = layer;
    for (int i = 0; i < parts->n_linears; i++) {
        const char *shape = parts->linears[i].shape;
        const int rows = architecture_size(a, arch, shape[0], 0, 0), cols = architecture_size(a, arch, shape[1], 0, 0);
        name_part(b, stack, layer, arch->name, parts->linears[i].name);
        add_matrix(b, &s->linears[i].weight, rows, cols, i == FC2 && sublayer_has_relu(arch));
        const int has_bias = arch->has_biases && !parts->has_no_bias[i];
        s->linears[i].bias = has_bias ? add_plain(b, ".bias", 1, rows) : NULL;
    }
    name_part(b, stack, layer, "", arch->norm);
    add_norm(b, &s->norm, a->d_model);
    s->first_head = b->n_heads;
    b->n_heads += arch->n_heads;
    s->first_point = b->n_points;
    s->norm_point = s->first_point + parts->n_points;
    b->n_points = s->norm_point + 1;
}

/* A table of positions, or NULL, without the rows before the first position. */
static const float *first_of(const float *table, const heed_architecture *a) {
    return table ? table + (size_t)a->position_offset * a->d_model : NULL;
}

static void add_stack(builder *b, heed_stack *stack, const heed_architecture *a, const architecture_stack *arch) {
    stack->arch = arch;
    stack->n_sublayers = arch->n_layers * arch->n_sublayers;
    stack->sublayers = arena_push(&b->arena, (size_t)stack->n_sublayers, sizeof *stack->sublayers);
    stack->first_point = b->n_points;
    b->n_points += N_STACK_POINTS;
    for (int i = 0; i < stack->n_sublayers; i++) {
        heed_sublayer unplaced, *s = stack->sublayers ? &stack->sublayers[i] : &unplaced;
        add_sublayer(b, s, a, arch, &arch->sublayers[i % arch->n_sublayers], i / arch->n_sublayers);
    }
    stack->output_point = b->n_points++;

    name_part(b, arch, -1, "", "layernorm_embedding");
    if (arch->has_embedding_norm) add_norm(b, &stack->layernorm_embedding, a->d_model);
    name_part(b, arch, -1, "", "layer_norm");
    if (arch->has_final_norm) add_norm(b, &stack->layer_norm, a->d_model);
    name_part(b, arch, -1, "", "embed_positions");
    if (arch->positions == POSITIONS_STORED)
        stack->embed_positions = first_of(add_plain(b, ".weight", a->position_offset + a->n_positions, a->d_model), a);
    name_part(b, arch, -1, "", "relative_attention_bias");
    if (arch->n_buckets > 0)
        stack->position_bias = add_plain(b, ".weight", arch->n_buckets, arch->sublayers[0].n_heads);
}

static void lay_out(builder *b, struct heed_model *m) {
    const heed_architecture *a = &m->arch;
    const int D = a->d_model, V = a->decoder.vocabulary;

    b->has_rms_norms = a->has_rms_norms;
    b->norm_epsilon = a->norm_epsilon;
    b->longest_row = 2; /* an .alpha has two numbers */
    if (a->has_shared_embeddings) {
        name_tensor(b, "model.shared");
        add_matrix(b, &m->shared, V, D, 0);
        m->encoder.embed_tokens = m->decoder.embed_tokens = &m->shared;
    } else {
        name_part(b, &a->encoder, -1, "", "embed_tokens");
        add_matrix(b, &m->source, a->encoder.vocabulary, D, 0);
        name_part(b, &a->decoder, -1, "", "embed_tokens");
        add_matrix(b, &m->target, V, D, 0);
        m->encoder.embed_tokens = &m->source;
        m->decoder.embed_tokens = &m->target;
    }
    m->output = m->decoder.embed_tokens;
    if (!a->has_tied_output) {
        name_tensor(b, "lm_head");
        add_matrix(b, &m->lm_head, V, D, 0);
        m->output = &m->lm_head;
    }
    name_tensor(b, "final_logits_bias");
    m->final_logits_bias = add_plain(b, "", 1, V);
    if (b->tensors) b->tensors[b->n_tensors - 1].optional = 1;

    add_stack(b, &m->encoder, a, &a->encoder);
    add_stack(b, &m->decoder, a, &a->decoder);
    m->n_heads = b->n_heads;
    m->n_points = b->n_points;

    const int is_encoders = a->encoder.positions == POSITIONS_TABLE;
    const int is_decoders = a->decoder.positions == POSITIONS_TABLE;
    if (is_encoders || is_decoders) {
        float *positions = arena_floats(&b->arena, (size_t)a->n_positions, (size_t)D, 1);
        if (positions) positions_fill(positions, a->position_offset, a->n_positions, D, a->position_layout);
        if (is_encoders) m->encoder.embed_positions = positions;
        if (is_decoders) m->decoder.embed_positions = positions;
    }
    m->loader.bytes = arena_push(&b->arena, (size_t)b->longest_row, sizeof(float));
    m->loader.floats = arena_floats(&b->arena, (size_t)b->longest_row, 1, 1);
}

static builder measure(const heed_config *config) {
    struct heed_model measured = {.config = *config, .arch = architecture_of(config)};
    builder b = {.dtype = config->dtype, .activations = config->activations};
    arena_push(&b.arena, 1, sizeof(struct heed_model));
    lay_out(&b, &measured);
    arena_push(&b.arena, (size_t)b.n_tensors, sizeof(heed_tensor));
    return b;
}

heed_status heed_config_measure(const int32_t *config, int n, double *bytes, heed_report *report) {
    heed_config c;
    *bytes = 0.0;
    const heed_status status = config_read(&c, config, n, report);
    if (status != HEED_OK) return status;
    const builder b = measure(&c);
    if (b.arena.overflow) return HEED_E_MEMORY;
    *bytes = (double)b.arena.used;
    return HEED_OK;
}

heed_status model_create(const heed_config *config, struct heed_model **out) {
    builder b = measure(config);
    const int n_tensors = b.n_tensors;
    *out = NULL;
    if (arena_block(&b.arena) == NULL) return HEED_E_MEMORY;
    struct heed_model *m = arena_push(&b.arena, 1, sizeof *m);
    m->config = *config;
    m->arch = architecture_of(config);
    m->block_bytes = b.arena.size;
    m->tensors = b.tensors = arena_push(&b.arena, (size_t)n_tensors, sizeof(heed_tensor));
    m->n_tensors = n_tensors;
    b.n_tensors = b.n_heads = b.n_points = b.longest_row = 0;
    lay_out(&b, m);
    *out = m;
    return HEED_OK;
}

heed_status heed_model_create(const int32_t *config, int n, heed_model **out, heed_report *report) {
    heed_config c;
    *out = NULL;
    const heed_status status = config_read(&c, config, n, report);
    return status == HEED_OK ? model_create(&c, out) : status;
}

void heed_model_free(heed_model *model) {
    if (model) arena_free_block(model->shortlist);
    if (model) arena_free_block(model->ngrams);
    arena_free_block(model);
}

size_t heed_model_bytes(const heed_model *model) { return model->block_bytes; }

double heed_model_parameters(const heed_model *model) {
    double n = 0;
    for (int i = 0; i < model->n_tensors; i++)
        if (model->tensors[i].loaded) n += (double)model->tensors[i].rows * model->tensors[i].cols;
    return n;
}

/* -------------------------------------------------------------------------------- the table */

int heed_tensor_count(const heed_model *model) { return model->n_tensors; }

const char *heed_tensor_name(const heed_model *model, int index) {
    return index >= 0 && index < model->n_tensors ? model->tensors[index].name : NULL;
}

void heed_tensor_shape(const heed_model *model, int index, int32_t *rows, int32_t *cols) {
    const int known = index >= 0 && index < model->n_tensors;
    *rows = known ? model->tensors[index].rows : 0;
    *cols = known ? model->tensors[index].cols : 0;
}

heed_status heed_tensor_row(const heed_model *model, int index, int row, float *out) {
    if (index < 0 || index >= model->n_tensors || row < 0 || row >= model->tensors[index].rows) return HEED_E_ARGUMENT;
    const heed_tensor *t = &model->tensors[index];
    if (t->matrix) matrix_get_row(out, t->matrix, row);
    else memcpy(out, t->plain + (size_t)row * t->cols, (size_t)t->cols * sizeof *out);
    return HEED_OK;
}

/* The name of the tensor to which the architecture ties this one, or `name` itself.  Checkpoints have both. */
static const char *tied_name(const heed_architecture *a, const char *name) {
    static const char SOURCE[] = "model.encoder.embed_tokens.weight", TARGET[] = "model.decoder.embed_tokens.weight";
    const char *embeddings = a->has_shared_embeddings ? "model.shared.weight" : TARGET;
    if (a->has_shared_embeddings && (strcmp(name, SOURCE) == 0 || strcmp(name, TARGET) == 0)) return embeddings;
    if (a->has_tied_output && strcmp(name, "lm_head.weight") == 0) return embeddings;
    return name;
}

int heed_tensor_find(const heed_model *model, const char *name, int32_t *part) {
    static const char *const SUFFIXES[] = {"", ".scale", ".alpha"};
    char stem[TENSOR_NAME_BYTES];
    size_t n = strlen(name);

    *part = HEED_WEIGHT;
    for (int i = HEED_SCALE; i <= HEED_ALPHA; i++) {
        const size_t length = strlen(SUFFIXES[i]);
        if (n > length && strcmp(name + n - length, SUFFIXES[i]) == 0) {
            *part = i;
            n -= length;
            break;
        }
    }
    if (n >= sizeof stem) return -1;
    memcpy(stem, name, n);
    stem[n] = '\0';
    const char *canonical = tied_name(&model->arch, stem);
    for (int i = 0; i < model->n_tensors; i++)
        if (strcmp(model->tensors[i].name, canonical) == 0) return *part && !model->tensors[i].matrix ? -1 : i;
    return -1;
}
