/*
 * random_model.h - a small model with seeded random weights, for the C tests of model and search.
 */
#ifndef HEED_TESTS_RANDOM_MODEL_H
#define HEED_TESTS_RANDOM_MODEL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heed.h"

enum { MAX_CONFIG = 64 };

/* Uniform in [-1, 1), the same on every host. */
static inline float random_float(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static inline int config_size(void) {
    int n = 0;
    while (heed_config_field(n)) n++;
    return n;
}

static inline void config_set(int32_t *config, const char *name, int32_t value) {
    for (int i = 0; heed_config_field(i); i++)
        if (strcmp(heed_config_field(i), name) == 0) config[i] = value;
}

/* d 24, 3 heads, ffn 40, 2 + 3 layers, 61 pieces, post-norm, ReLU, everything shared. */
static inline int default_config(int32_t config[MAX_CONFIG]) {
    static const struct {
        const char *name;
        int32_t value;
    } VALUES[] = {{"d_model", 24},
                  {"encoder_layers", 2},
                  {"decoder_layers", 3},
                  {"encoder_attention_heads", 3},
                  {"decoder_attention_heads", 4},
                  {"encoder_ffn_dim", 40},
                  {"decoder_ffn_dim", 33},
                  {"vocab_size", 61},
                  {"decoder_vocab_size", 61},
                  {"max_position_embeddings", 160},
                  {"scale_embedding", 1},
                  {"share_encoder_decoder_embeddings", 1},
                  {"tie_word_embeddings", 1},
                  {"eos_token_id", 2}};
    memset(config, 0, MAX_CONFIG * sizeof *config);
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) config_set(config, VALUES[i].name, VALUES[i].value);
    return config_size();
}

/* The same with a layer of 8 numbers in each stack and two positions: quick to make, for what reads no weights. */
static inline int smallest_config(int32_t config[MAX_CONFIG]) {
    const int n = default_config(config);
    config_set(config, "d_model", 8);
    config_set(config, "encoder_attention_heads", 1);
    config_set(config, "encoder_layers", 1);
    config_set(config, "decoder_layers", 1);
    config_set(config, "max_position_embeddings", 2);
    return n;
}

/* Fill tensor `index` with F32 numbers: norm gains around 1, all else around 0.  Writes `piece` bytes at a time. */
static inline heed_status fill_tensor(heed_model *model, int index, uint32_t seed, size_t piece) {
    int32_t rows, cols;
    heed_tensor_shape(model, index, &rows, &cols);
    const size_t n = (size_t)rows * (size_t)cols;
    const char *name = heed_tensor_name(model, index);
    const int is_gain = strstr(name, "norm.weight") != NULL || strstr(name, "layernorm_embedding.weight") != NULL;
    float *values = malloc(n * sizeof *values);
    for (size_t i = 0; i < n; i++) values[i] = (is_gain ? 1.0f : 0.0f) + 0.5f * random_float(&seed);
    const double dims[2] = {rows, cols};
    heed_status status = heed_tensor_begin(model, index, 0, HEED_F32, 2, dims);
    for (size_t at = 0; status == HEED_OK && at < n * sizeof *values; at += piece) {
        const size_t left = n * sizeof *values - at;
        status = heed_tensor_write(model, (const char *)values + at, left < piece ? left : piece);
    }
    free(values);
    return status;
}

/* A loaded model; NULL if anything failed. */
static inline heed_model *random_model(const int32_t *config, int n, uint32_t seed, size_t piece) {
    heed_model *model;
    if (heed_model_create(config, n, &model, NULL) != HEED_OK) return NULL;
    for (int i = 0; i < heed_tensor_count(model); i++) {
        if (fill_tensor(model, i, seed + (uint32_t)i, piece) != HEED_OK) {
            heed_model_free(model);
            return NULL;
        }
    }
    if (heed_model_finish(model, NULL) == HEED_OK) return model;
    heed_model_free(model);
    return NULL;
}

/* Gives a model of 61 target ids one n-gram: 1 is the first id of a target. */
static inline heed_status add_ngram(heed_model *model) {
    enum { V = 61, COUNTS = 8, AFTER = COUNTS + V + 1 };
    uint8_t bytes[AFTER + 4] = {'N', 'G', 'R', '1', V, 1};
    bytes[COUNTS + V] = 1; /* how many follow the start */
    bytes[AFTER] = 1;
    bytes[AFTER + 1] = 8; /* its gain, then what is kept for it */
    bytes[AFTER + 2] = 2;
    return heed_model_set_ngrams(model, bytes, sizeof bytes);
}

/* Number of the point called so; -1: there is none. */
static inline int point_named(const heed_model *model, const char *wanted) {
    char name[HEED_POINT_NAME_BYTES];
    int32_t shape[3];
    for (int i = 0; heed_point(model, i, 1, 1, name, shape) > 0; i++)
        if (strcmp(name, wanted) == 0) return i;
    return -1;
}

/* The points of attention weights of every layer: the encoder's, the decoder's, the cross-attentions'. */
static inline int map_points(const heed_model *model, int32_t *points) {
    static const char *const OWNERS[3][2] = {
        {"encoder.", ".self_attn."}, {"decoder.", ".self_attn."}, {"decoder.", ".encoder_attn."}};
    char name[HEED_POINT_NAME_BYTES];
    int32_t shape[3];
    int n = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; heed_point(model, i, 1, 1, name, shape) > 0; i++)
            if (strncmp(name, OWNERS[k][0], 8) == 0 && strstr(name, OWNERS[k][1]) && strstr(name, ".weights"))
                points[n++] = i;
    return n;
}

/* A pass whose attention weights go to `maps`, n floats: [Le,H,S,S], [Ld,H,T,T], [Ld,H,T,S] one after another. */
static inline heed_status forward_maps(heed_session *session, const heed_model *model, const int32_t *source,
                                       int n_source, const int32_t *target, int n_target, float *maps, size_t n) {
    int32_t points[64];
    return heed_inspect(session, source, n_source, target, n_target, points, map_points(model, points), maps, n);
}

#endif /* HEED_TESTS_RANDOM_MODEL_H */
