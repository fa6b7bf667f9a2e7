/*
 * config.h - the numbers that define a model, named as in Hugging Face's MarianConfig; from dtype on, they are heed's.
 *
 * CONFIG_FIELDS is the one list of fields: of the struct, of the order in which a host passes the values, and of the
 * names in reports.
 *
 * Depends on: base/.  Used by: model/, search/, train/, heed.c.
 */
#ifndef HEED_MODEL_CONFIG_H
#define HEED_MODEL_CONFIG_H

#include <stdint.h>

#include "base/status.h"

#define CONFIG_FIELDS(X)                                                   \
    X(d_model)                                                             \
    X(encoder_layers)                                                      \
    X(decoder_layers)                                                      \
    X(encoder_attention_heads)                                             \
    X(decoder_attention_heads)                                             \
    X(encoder_ffn_dim)                                                     \
    X(decoder_ffn_dim)                                                     \
    X(activation_function) /* a heed_activation */                         \
    X(vocab_size)          /* source ids */                                \
    X(decoder_vocab_size)  /* target ids; equal to vocab_size if shared */ \
    X(max_position_embeddings)                                             \
    X(normalize_before)                                                    \
    X(normalize_embedding)                                                 \
    X(add_final_layer_norm)                                                \
    X(scale_embedding)                                                     \
    X(share_encoder_decoder_embeddings)                                    \
    X(tie_word_embeddings)                                                 \
    X(eos_token_id)                                                        \
    X(decoder_start_token_id)                                              \
    X(encoder_positions_stored)                                            \
    X(decoder_positions_stored)                                            \
    X(dtype)          /* HEED_F32 or HEED_I8: arithmetic of the matrices */ \
    X(decoder_cell)   /* HEED_SELF_ATTENTION, HEED_SSRU */                  \
    X(positions)      /* a HEED_POSITIONS_ */                               \
    X(layer_norm_eps) /* in units of 1e-12; 0: 1e-5, as MarianMT has it */  \
    X(activations)    /* HEED_QUANTIZE_: of the inputs of int8 matrices */  \
    X(position_offset)    /* row of the first position in a stored table */ \
    X(norm)               /* HEED_LAYER_NORM, HEED_RMS_NORM */              \
    X(head_dim)           /* features of a head; 0: d_model / heads */      \
    X(unscaled_attention) /* 1: q . k is not divided by sqrt(head_dim) */   \
    X(no_biases)          /* 1: projections have none */                    \
    X(gated_feed_forward) /* 1: activation(fc1 x) * (fc1_linear x) */       \
    X(scale_logits)       /* 1: logits are divided by sqrt(d_model) */      \
    X(relative_buckets)   /* of relative position bias; 0: it has none */   \
    X(relative_distance)  /* from which on all are in the last bucket */

typedef struct {
#define FIELD(name) int32_t name;
    CONFIG_FIELDS(FIELD)
#undef FIELD
} heed_config;

/*
 * Fill *config from values [n], in order, and check every rule, so that no other code must.  HEED_E_ARGUMENT: n is not
 * the number of fields.  HEED_E_CONFIG: report names the field, what it must be, and its value.  report may be NULL.
 */
heed_status config_read(heed_config *config, const int32_t *values, int n, heed_report *report);

/* Are ids [n] a sequence of 1 to `longest` ids of a vocabulary?  HEED_E_LENGTH, HEED_E_ID. */
heed_status config_check_ids(const int32_t *ids, int n, int longest, int vocabulary);

#endif /* HEED_MODEL_CONFIG_H */
