/*
 * model.h - the weights of an encoder-decoder Transformer, and the one table of its tensors.
 *
 * A model is one block: this struct, the sublayers, the table, and every weight in the layout of the kernels.  load.c
 * fills it from a file; afterwards nothing writes to it, except that it may get a shortlist.
 *
 * Depends on: base/, layers/, architecture.h.  Used by: model/, search/, train/, heed.c.
 */
#ifndef HEED_MODEL_MODEL_H
#define HEED_MODEL_MODEL_H

#include "base/arena.h"
#include "base/status.h"
#include "layers/linear.h"
#include "layers/norm.h"
#include "model/architecture.h"

typedef struct {
    const architecture_sublayer *arch;
    int layer;
    heed_linear linears[MAX_LINEARS]; /* of architecture_parts(), in its order                 */
    heed_norm norm;
    int first_head;              /* of attention: index of its first head in the run's `disabled` */
    int first_point, norm_point; /* its points of inspection: in the order of its parts, then its norm */
} heed_sublayer;

typedef struct {
    const architecture_stack *arch;
    int n_sublayers; /* of all layers                   */
    heed_sublayer *sublayers;
    const heed_matrix *embed_tokens; /* [V, D]                          */
    const float *embed_positions;    /* [P, D] from the first position on; NULL: they are computed, or there are none */
    const float *position_bias;      /* [n_buckets, H], or NULL         */
    heed_norm layernorm_embedding;   /* if the stack has_embedding_norm */
    heed_norm layer_norm;            /* if it has_final_norm            */
    int first_point, output_point;   /* of inspection                   */
} heed_stack;

/* One row of the table: a tensor of the file, and where its numbers are stored. */
typedef struct {
    char name[TENSOR_NAME_BYTES];
    int rows, cols;      /* a vector is [1, n]                                   */
    heed_matrix *matrix; /* stored in panels, or                                 */
    float *plain;        /* stored unchanged, row-major                          */
    float *scales;       /* [rows] of a file's I8; the matrix's own if it is int8  */
    uint8_t optional;    /* absent: stays zero                                   */
    uint8_t loaded, scale_loaded, alpha_loaded;
    uint8_t file_dtype;
} heed_tensor;

/* Where the next bytes of the file belong. */
typedef struct {
    heed_tensor *tensor; /* NULL: between tensors */
    int part, dtype; /* part: HEED_WEIGHT, HEED_SCALE or HEED_ALPHA */
    int row, row_elements, n_rows;
    size_t row_bytes, filled;
    unsigned char *bytes; /* [longest row] as in the file           */
    float *floats;        /* [longest row]                          */
} heed_loader;

struct heed_model {
    heed_config config;
    heed_architecture arch;
    int ready;
    size_t block_bytes;
    heed_stack encoder, decoder;
    heed_matrix shared;         /* [V, D] if has_shared_embeddings, else            */
    heed_matrix source, target; /* [V, D] each                                      */
    heed_matrix lm_head;        /* [V, D] unless has_tied_output                    */
    const heed_matrix *output;  /* one of the above: makes the logits               */
    float *final_logits_bias;   /* [V]                                              */
    int n_heads, n_points;      /* of all stacks: heads that can be disabled, points of inspection */
    heed_tensor *tensors;
    int n_tensors;
    heed_loader loader;
    struct heed_shortlist *shortlist; /* NULL, or a block of its own: shortlist.h */
    struct heed_ngrams *ngrams;       /* likewise: ngrams.h */
};

/*
 * A block for `config` (already checked), laid out, weights zero, sinusoidal positions computed.
 * HEED_E_MEMORY, with *out NULL.
 */
heed_status model_create(const heed_config *config, struct heed_model **out);

#endif /* HEED_MODEL_MODEL_H */
