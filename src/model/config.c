/* config.c - see config.h for the contract. */
#include "model/config.h"

#include <stddef.h>
#include <string.h>

#include "heed.h"
#include "layers/ffn.h"

static const char *const NAMES[] = {
#define NAME(name) #name,
    CONFIG_FIELDS(NAME)
#undef NAME
};

enum { N_FIELDS = sizeof NAMES / sizeof NAMES[0] };

const char *heed_config_field(int index) { return index >= 0 && index < N_FIELDS ? NAMES[index] : NULL; }

heed_status config_check_ids(const int32_t *ids, int n, int longest, int vocabulary) {
    if (n < 1 || n > longest) return HEED_E_LENGTH;
    for (int i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= vocabulary) return HEED_E_ID;
    return HEED_OK;
}

heed_status config_read(heed_config *config, const int32_t *values, int n, heed_report *report) {
    status_report(HEED_OK, report, NULL, NULL, 0);
    if (n != N_FIELDS) return HEED_E_ARGUMENT;
    memcpy(config, values, sizeof *config);

#define REQUIRE(field, condition, text) \
    if (!(condition)) return status_report(HEED_E_CONFIG, report, #field, text, config->field);
#define BETWEEN(field, low, high, text) REQUIRE(field, config->field >= (low) && config->field <= (high), text)
#define FLAG(field)                     BETWEEN(field, 0, 1, "must be true or false")
#define WIDTH(field)                    BETWEEN(field, 1, HEED_MAX_WIDTH, "must be between 1 and 65536")
#define LAYERS(field)                   BETWEEN(field, 1, HEED_MAX_LAYERS, "must be between 1 and 256")
#define HEADS(field) \
    WIDTH(field)     \
    REQUIRE(field, config->head_dim || config->d_model % config->field == 0, "must divide d_model")            \
    REQUIRE(field, config->head_dim <= HEED_MAX_WIDTH / config->field, "times head_dim must be at most 65536")
#define TARGET_ID(field) BETWEEN(field, 0, config->decoder_vocab_size - 1, "must be an id of the target vocabulary")

    WIDTH(d_model)
    BETWEEN(head_dim, 0, HEED_MAX_WIDTH, "must be between 1 and 65536")
    LAYERS(encoder_layers)
    LAYERS(decoder_layers)
    HEADS(encoder_attention_heads)
    HEADS(decoder_attention_heads)
    WIDTH(encoder_ffn_dim)
    WIDTH(decoder_ffn_dim)
    REQUIRE(activation_function, activation_exists(config->activation_function),
            "must be relu, gelu, gelu_new, swish or silu")
    BETWEEN(vocab_size, 1, HEED_MAX_VOCABULARY, "must be between 1 and 16777216")
    BETWEEN(decoder_vocab_size, 1, HEED_MAX_VOCABULARY, "must be between 1 and 16777216")
    BETWEEN(max_position_embeddings, 1, HEED_MAX_POSITIONS, "must be between 1 and 65536")
    FLAG(normalize_before)
    FLAG(normalize_embedding)
    FLAG(add_final_layer_norm)
    FLAG(scale_embedding)
    FLAG(share_encoder_decoder_embeddings)
    FLAG(tie_word_embeddings)
    FLAG(encoder_positions_stored)
    FLAG(decoder_positions_stored)
    REQUIRE(decoder_vocab_size,
            !config->share_encoder_decoder_embeddings || config->decoder_vocab_size == config->vocab_size,
            "must equal vocab_size when embeddings are shared")
    TARGET_ID(eos_token_id)
    TARGET_ID(decoder_start_token_id)
    REQUIRE(dtype, config->dtype == HEED_F32 || config->dtype == HEED_I8, "must be f32 or int8")
    BETWEEN(activations, HEED_QUANTIZE_ROWS, HEED_QUANTIZE_SATURATING, "must be 0, 1, 2 or 3")
    REQUIRE(activations, config->activations == HEED_QUANTIZE_ROWS || config->dtype == HEED_I8,
            "must be 0 unless the matrices are int8")
    BETWEEN(decoder_cell, HEED_SELF_ATTENTION, HEED_SSRU, "must be self_attention or ssru")
    REQUIRE(head_dim, config->decoder_cell == HEED_SELF_ATTENTION || config->head_dim == 0,
            "must be d_model / heads if decoder_cell is ssru")
    BETWEEN(positions, HEED_POSITIONS_HF, HEED_POSITIONS_NONE, "must be hf, marian, fairseq or none")
    BETWEEN(position_offset, 0, HEED_MAX_POSITIONS, "must be between 0 and 65536")
    BETWEEN(norm, HEED_LAYER_NORM, HEED_RMS_NORM, "must be layer_norm or rms_norm")
    FLAG(unscaled_attention)
    FLAG(no_biases)
    FLAG(gated_feed_forward)
    FLAG(scale_logits)
    if (config->relative_buckets) {
        BETWEEN(relative_buckets, 4, HEED_MAX_BUCKETS, "must be between 4 and 65536")
        REQUIRE(relative_distance, config->relative_distance > config->relative_buckets / 2,
                "must be more than half of relative_buckets")
    }
    BETWEEN(layer_norm_eps, 0, 2000000000, "must be between 0 and 0.002, in units of 1e-12")
    return HEED_OK;
}
