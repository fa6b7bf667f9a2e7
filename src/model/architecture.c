/* architecture.c - see architecture.h for the contract: from configurations to descriptions; kinds of sublayers. */
#include "model/architecture.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "layers/positions.h"

/* torch.nn.LayerNorm's default, in units of 1e-12; MarianConfig has no key for it. */
enum { DEFAULT_EPSILON = 10000000 };

static position_source sinusoids_of(const heed_config *c) {
    if (c->positions == HEED_POSITIONS_NONE) return POSITIONS_ABSENT;
    return c->positions == HEED_POSITIONS_FAIRSEQ ? POSITIONS_COMPUTED : POSITIONS_TABLE;
}

static architecture_stack stack_of(const heed_config *c, int is_decoder) {
    const int n_heads = is_decoder ? c->decoder_attention_heads : c->encoder_attention_heads;
    const int has_ssru = is_decoder && c->decoder_cell == HEED_SSRU;
    const int is_stored = is_decoder ? c->decoder_positions_stored : c->encoder_positions_stored;
    const architecture_sublayer attention = {.kind = SUBLAYER_SELF_ATTENTION,
                                             .name = "self_attn",
                                             .norm = "self_attn_layer_norm",
                                             .normalize_before = c->normalize_before,
                                             .has_biases = !c->no_biases,
                                             .n_heads = n_heads,
                                             .inner_dim = c->head_dim ? c->head_dim * n_heads : c->d_model,
                                             .is_scaled = !c->unscaled_attention,
                                             .has_position_bias = c->relative_buckets > 0};
    architecture_stack s = {.name = is_decoder ? "decoder" : "encoder",
                            .vocabulary = is_decoder ? c->decoder_vocab_size : c->vocab_size,
                            .embed_scale = c->scale_embedding ? sqrtf((float)c->d_model) : 1.0f,
                            .positions = is_stored ? POSITIONS_STORED : sinusoids_of(c),
                            .n_buckets = has_ssru ? 0 : c->relative_buckets,
                            .max_distance = c->relative_distance,
                            .has_embedding_norm = c->normalize_embedding,
                            .has_final_norm = c->add_final_layer_norm,
                            .is_causal = is_decoder,
                            .reads_all_past = is_decoder && !has_ssru,
                            .n_layers = is_decoder ? c->decoder_layers : c->encoder_layers};
    s.sublayers[s.n_sublayers++] = attention;
    if (has_ssru)
        s.sublayers[0] = (architecture_sublayer){.kind = SUBLAYER_SSRU,
                                                 .name = "ssru",
                                                 .norm = "ssru_layer_norm",
                                                 .normalize_before = c->normalize_before,
                                                 .has_biases = !c->no_biases};
    if (is_decoder) {
        architecture_sublayer *cross = &s.sublayers[s.n_sublayers++];
        *cross = attention;
        cross->kind = SUBLAYER_CROSS_ATTENTION;
        cross->name = "encoder_attn";
        cross->norm = "encoder_attn_layer_norm";
        cross->has_position_bias = 0;
    }
    s.sublayers[s.n_sublayers++] =
        (architecture_sublayer){.kind = c->gated_feed_forward ? SUBLAYER_GATED_FEED_FORWARD : SUBLAYER_FEED_FORWARD,
                                .name = "",
                                .norm = "final_layer_norm",
                                .normalize_before = c->normalize_before,
                                .has_biases = !c->no_biases,
                                .ffn_dim = is_decoder ? c->decoder_ffn_dim : c->encoder_ffn_dim,
                                .activation = (heed_activation)c->activation_function};
    return s;
}

heed_architecture architecture_of(const heed_config *c) {
    /* fairseq's sinusoids are Marian's, from another first position on */
    const int is_marian = c->positions == HEED_POSITIONS_MARIAN || c->positions == HEED_POSITIONS_FAIRSEQ;
    const int epsilon = c->layer_norm_eps ? c->layer_norm_eps : DEFAULT_EPSILON;
    return (heed_architecture){.d_model = c->d_model,
                               .n_positions = c->max_position_embeddings,
                               .position_offset = c->position_offset,
                               .position_layout = is_marian ? POSITIONS_MARIAN_HALVES : POSITIONS_HALVES,
                               .has_rms_norms = c->norm == HEED_RMS_NORM,
                               .norm_epsilon = (float)(epsilon / 1e12),
                               .has_shared_embeddings = c->share_encoder_decoder_embeddings,
                               .has_tied_output = c->tie_word_embeddings,
                               .logit_scale = c->scale_logits ? 1.0f / sqrtf((float)c->d_model) : 1.0f,
                               .encoder = stack_of(c, 0),
                               .decoder = stack_of(c, 1)};
}

/* -------------------------------------------------------------------------- kinds of sublayers */

static const sublayer_parts ATTENTION = {
    .n_linears = 4,
    .linears = {{"q_proj", "AD"}, {"k_proj", "AD"}, {"v_proj", "AD"}, {"out_proj", "DA"}},
    .n_points = 7,
    .points = {{"q", "nA"},
               {"k", "mA"},
               {"v", "mA"},
               {"scores", "Hnm"},
               {"weights", "Hnm"},
               {"context", "nA"},
               {"output", "nD"}}};

static const sublayer_parts FEED_FORWARD = {
    .n_linears = 2, .linears = {{"fc1", "FD"}, {"fc2", "DF"}}, .n_points = 2, .points = {{"fc1", "nF"}, {"fc2", "nD"}}};

static const sublayer_parts GATED_FEED_FORWARD = {
    .n_linears = 3,
    .linears = {{"fc1", "FD"}, {"fc2", "DF"}, {"fc1_linear", "FD"}},
    .n_points = 4,
    .points = {{"fc1", "nF"}, {"fc2", "nD"}, {"fc1_linear", "nF"}, {"gated", "nF"}}};

static const sublayer_parts SSRU = {
    .n_linears = 2,
    .linears = {{"candidate", "DD"}, {"forget", "DD"}},
    .has_no_bias = {1, 0},
    .n_points = 4,
    .points = {{"candidate", "nD"}, {"forget", "nD"}, {"cell", "nD"}, {"output", "nD"}}};

const sublayer_parts *architecture_parts(sublayer_kind kind) {
    switch (kind) {
        case SUBLAYER_SELF_ATTENTION:
        case SUBLAYER_CROSS_ATTENTION: return &ATTENTION;
        case SUBLAYER_SSRU: return &SSRU;
        case SUBLAYER_FEED_FORWARD: return &FEED_FORWARD;
        case SUBLAYER_GATED_FEED_FORWARD: return &GATED_FEED_FORWARD;
    }
    return NULL;
}

void name_append(char *name, const char *text) {
    const size_t n = strlen(name), more = strlen(text);
    assert(n + more < TENSOR_NAME_BYTES);
    memcpy(name + n, text, more + 1);
}

void name_append_part(char *name, const char *stack, int layer, const char *sublayer, const char *part) {
    name_append(name, stack);
    name_append(name, ".");
    if (layer >= 0) {
        char digits[12];
        int n = (int)sizeof digits - 1;
        digits[n] = '\0';
        do digits[--n] = (char)('0' + layer % 10);
        while ((layer /= 10) > 0);
        name_append(name, "layers.");
        name_append(name, digits + n);
        name_append(name, ".");
    }
    name_append(name, sublayer);
    if (sublayer[0]) name_append(name, ".");
    name_append(name, part);
}

int architecture_size(const heed_architecture *a, const architecture_sublayer *s, char letter, int n, int m) {
    switch (letter) {
        case 'D': return a->d_model;
        case 'A': return s->inner_dim;
        case 'H': return s->n_heads;
        case 'F': return s->ffn_dim;
        case 'm': return m;
        default: return n;
    }
}

/* The largest of `width` of all sublayers, at least `least`. */
static int widest_of(const heed_architecture *a, int (*width)(const architecture_sublayer *), int least) {
    const architecture_stack *stacks[] = {&a->encoder, &a->decoder};
    int widest = least;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < stacks[i]->n_sublayers; j++) {
            const int here = width(&stacks[i]->sublayers[j]);
            if (here > widest) widest = here;
        }
    return widest;
}

static int head_width(const architecture_sublayer *s) {
    return s->n_heads > 0 ? s->inner_dim / s->n_heads : 0;
}

static int ffn_width(const architecture_sublayer *s) {
    return s->ffn_dim;
}

static int inner_width(const architecture_sublayer *s) {
    return s->inner_dim;
}

int sublayer_has_relu(const architecture_sublayer *s) {
    return s->kind == SUBLAYER_FEED_FORWARD && s->activation == HEED_RELU;
}

static int relu_width(const architecture_sublayer *s) {
    return sublayer_has_relu(s) ? s->ffn_dim : 0;
}

int architecture_widest_head(const heed_architecture *a) {
    return widest_of(a, head_width, 1);
}

int architecture_widest_inner(const heed_architecture *a) {
    return widest_of(a, inner_width, a->d_model);
}

int architecture_widest_row(const heed_architecture *a) {
    return widest_of(a, ffn_width, architecture_widest_inner(a));
}

int architecture_widest_relu(const heed_architecture *a) {
    return widest_of(a, relu_width, 0);
}

int architecture_cache_width(const heed_architecture *a) {
    const architecture_sublayer *s = a->decoder.sublayers;
    while (s->kind != SUBLAYER_CROSS_ATTENTION) s++;
    return s->inner_dim;
}

int architecture_is_gated(const heed_architecture *a) {
    const architecture_stack *stacks[] = {&a->encoder, &a->decoder};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < stacks[i]->n_sublayers; j++)
            if (stacks[i]->sublayers[j].kind == SUBLAYER_GATED_FEED_FORWARD) return 1;
    return 0;
}
