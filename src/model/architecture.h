/*
 * architecture.h - the one description of a model: what its layers are made of, and what their tensors are called.
 *
 *     model    = encoder, decoder, output
 *     stack    = embedding, positions, norm of them | layers of sublayers | norm after the last layer
 *     sublayer = kind, names, residual connection with its norm
 *
 * The table of tensors, the forward pass, inspection, the cache and training walk this description. None of them asks
 * which family a model belongs to: a host turns the configuration of any family into the fields of heed_config.
 *
 * A new kind of sublayer begins with a member of sublayer_kind. The compiler (-Wswitch) then names the other places.
 *
 * Depends on: config.h, layers/.  Used by: model/, search/, train/, heed.c.
 */
#ifndef HEED_MODEL_ARCHITECTURE_H
#define HEED_MODEL_ARCHITECTURE_H

#include "base/kinds.h"
#include "model/config.h"

typedef enum {
    SUBLAYER_SELF_ATTENTION,  /* over the rows of its own sentence; in a causal stack up to the row itself */
    SUBLAYER_CROSS_ATTENTION, /* in a decoder, over the encoder's output                                   */
    SUBLAYER_SSRU,            /* in a causal stack, each row with the cell of the row before it            */
    SUBLAYER_FEED_FORWARD,    /* each row by itself                                                        */
    SUBLAYER_GATED_FEED_FORWARD /* likewise, with two matrices whose products are multiplied               */
} sublayer_kind;

typedef struct {
    sublayer_kind kind;
    const char *name;           /* the names of its tensors begin with it; may be ""              */
    const char *norm;           /* name of its norm                                               */
    int normalize_before;       /* 1: x + f(norm(x)), pre-norm; 0: norm(x + f(x)), post-norm      */
    int has_biases;             /* of its projections                                             */
    int n_heads;                /* H if it is attention, else 0                                   */
    int inner_dim;              /* A if it is attention, else 0: features of all heads            */
    int is_scaled;              /* attention: q . k is divided by the root of a head's features   */
    int has_position_bias;      /* attention: a bias by distance and head is added to that        */
    int ffn_dim;                /* F if it is a feed-forward network, else 0                      */
    heed_activation activation; /* of a feed-forward network                                      */
} architecture_sublayer;

enum { MAX_SUBLAYERS = 3 };

/* Where a stack's vectors of positions come from. */
typedef enum {
    POSITIONS_ABSENT,
    POSITIONS_STORED,  /* a table of the file                                    */
    POSITIONS_TABLE,   /* sinusoids, computed once                               */
    POSITIONS_COMPUTED /* sinusoids, computed for each token: there is no longest */
} position_source;

typedef struct {
    const char *name;                               /* the names of all its tensors begin with it       */
    int vocabulary;                                 /* number of ids that it reads                      */
    float embed_scale;                              /* of rows of the embedding                         */
    position_source positions;                      /* added to the embedding                           */
    int n_buckets, max_distance;                    /* of relative position bias: see layers/relative.h; 0: none */
    int has_embedding_norm;                         /* after embedding and position are added           */
    int has_final_norm;                             /* after the last layer                             */
    int is_causal;                                  /* a row sees only itself and the rows before it    */
    int reads_all_past;                             /* 1: all of these; 0: only the row before it       */
    int n_layers;                                   /* L                                                */
    int n_sublayers;                                /* of each layer                                    */
    architecture_sublayer sublayers[MAX_SUBLAYERS]; /* of each layer, in the order of the pass */
} architecture_stack;

typedef struct {
    int d_model;               /* D                                                  */
    int n_positions;           /* tokens of the longest sequence                     */
    int position_offset;       /* row, or number in sinusoids, of the first position */
    int position_layout;       /* of sinusoids: a POSITIONS_ of layers/positions.h   */
    int has_rms_norms;         /* every norm is RMSNorm; else LayerNorm              */
    float norm_epsilon;        /* of every norm                                      */
    int has_shared_embeddings; /* encoder and decoder read one table                 */
    int has_tied_output;       /* the decoder's table is the output matrix too       */
    float logit_scale;         /* of the rows that the output matrix reads           */
    architecture_stack encoder, decoder;
} heed_architecture;

/* The description of a configuration's model.  Cannot fail: the configuration was checked. */
heed_architecture architecture_of(const heed_config *config);

/* -------------------------------------------------------------------------- kinds of sublayers */

/* Indices of a sublayer's projections and points, in the order of its sublayer_parts. */
enum { Q_PROJ, K_PROJ, V_PROJ, OUT_PROJ };
enum { FC1, FC2, FC1_LINEAR };
enum { CANDIDATE, FORGET };
enum { AT_Q, AT_K, AT_V, AT_SCORES, AT_WEIGHTS, AT_CONTEXT, AT_RESULT };
enum { AT_FC1, AT_FC2, AT_FC1_LINEAR, AT_GATED };
enum { AT_CANDIDATE, AT_FORGET, AT_CELL, AT_OUTPUT };

/* Indices of a stack's points, before those of its sublayers. */
enum { AT_EMBEDDING, AT_POSITIONS, AT_INPUT, N_STACK_POINTS }; /* AT_POSITIONS: or the position bias */

enum { MAX_LINEARS = 4, MAX_POINTS = 7 };

/*
 * A tensor and its shape, a letter for each dimension: A, D, F and H as above, n rows of the stack, m keys that they
 * see.
 */
typedef struct {
    const char *name, *shape;
} architecture_tensor;

/* The tensors and points of all sublayers of a kind. */
typedef struct {
    int n_linears, n_points;
    architecture_tensor linears[MAX_LINEARS]; /* the weights of projections */
    int has_no_bias[MAX_LINEARS];             /* of projections */
    architecture_tensor points[MAX_POINTS];   /* what inspection shows, except the norm */
} sublayer_parts;

/* Cannot fail.  Static. */
const sublayer_parts *architecture_parts(sublayer_kind kind);

enum { TENSOR_NAME_BYTES = 80 }; /* the longest name, of a decoder layer's tensor, takes 57 */

/* Append text to name [TENSOR_NAME_BYTES], which ends with a 0.  Cannot fail: the core itself chooses all names. */
void name_append(char *name, const char *text);
/* Append "encoder.layers.3.self_attn.q_proj"; without "layers.3." if layer is -1, without "self_attn." if it is "". */
void name_append_part(char *name, const char *stack, int layer, const char *sublayer, const char *part);

/* The number that `letter` stands for: A, D, F or H, or n or m as given.  Cannot fail. */
int architecture_size(const heed_architecture *a, const architecture_sublayer *s, char letter, int n, int m);

/* The greatest number of any sublayer: features of a head; of A, D and F. */
int architecture_widest_head(const heed_architecture *a);
int architecture_widest_row(const heed_architecture *a);
/* The greatest F of a feed-forward network whose second matrix reads what a ReLU leaves; 0: there is none. */
int architecture_widest_relu(const heed_architecture *a);
int sublayer_has_relu(const architecture_sublayer *s);
/* Is one of its feed-forward networks gated? */
int architecture_is_gated(const heed_architecture *a);
/* The greatest A of any sublayer; D if that is more. */
int architecture_widest_inner(const heed_architecture *a);
/* A of the decoder's attention: of its keys and values, and of its cells, which are D wide as they are. */
int architecture_cache_width(const heed_architecture *a);

#endif /* HEED_MODEL_ARCHITECTURE_H */
