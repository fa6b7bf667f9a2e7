/*
 * kinds.h - the numbers behind names that C, files and hosts share, and the limits that hosts check too.
 *
 * Numbers never change meaning.  js/make-constants.mjs makes js/base/constants.js of them.
 *
 * Depends on: nothing.  Used by: everyone.
 */
#ifndef HEED_BASE_KINDS_H
#define HEED_BASE_KINDS_H

/* activation_function */
typedef enum { HEED_RELU = 0, HEED_GELU = 1, HEED_SWISH = 2, HEED_GELU_NEW = 3 } heed_activation;
enum { HEED_F32 = 0, HEED_F16 = 1, HEED_BF16 = 2, HEED_I8 = 3 };               /* element types of a file */

enum { HEED_SELF_ATTENTION = 0, HEED_SSRU = 1 };                               /* decoder_cell        */
enum { HEED_LAYER_NORM = 0, HEED_RMS_NORM = 1 };                               /* norm                */
/* positions: the tables of Hugging Face's MarianMT, of Marian, of fairseq, or none */
enum { HEED_POSITIONS_HF = 0, HEED_POSITIONS_MARIAN = 1, HEED_POSITIONS_FAIRSEQ = 2, HEED_POSITIONS_NONE = 3 };

/*
 * How int8 products take their inputs: see k_quantize_rows_8 and k_gemm_saturating.  The option `activations`.  From
 * FIXED on, the alphas of a file are used.
 */
enum { HEED_QUANTIZE_ROWS = 0, HEED_QUANTIZE_ROWS8 = 1, HEED_QUANTIZE_FIXED = 2, HEED_QUANTIZE_SATURATING = 3 };

/* Parts of an int8 matrix X.weight: itself, X.weight.scale, and X.weight.alpha. */
enum { HEED_WEIGHT = 0, HEED_SCALE = 1, HEED_ALPHA = 2 };

/* Types of pieces, as SentencePiece's files have them. */
enum {
    HEED_PIECE_NORMAL = 1,
    HEED_PIECE_UNKNOWN = 2,
    HEED_PIECE_CONTROL = 3,
    HEED_PIECE_USER_DEFINED = 4,
    HEED_PIECE_UNUSED = 5,
    HEED_PIECE_BYTE = 6
};

/* Bounds of a configuration.  The largest Marian models have d_model 1024, 12 layers and 65,001 pieces. */
enum { HEED_MAX_WIDTH = 1 << 16, HEED_MAX_LAYERS = 256, HEED_MAX_VOCABULARY = 1 << 24, HEED_MAX_POSITIONS = 1 << 16 };
enum { HEED_MAX_BUCKETS = 1 << 16 };

/* Bounds of a session: far past what is useful, low enough that no size overflows int. */
enum {
    HEED_MAX_LENGTH = 1 << 20, /* tokens of a source or a target                         */
    HEED_MAX_BEAMS = 64,       /* hypotheses of one sentence                             */
    HEED_MAX_BATCH = 1024,     /* sentences decoded together                             */
    HEED_MAX_RULE_IDS = 4096,  /* int32s in all lists of rules but prefix and byte_ids   */
    HEED_MAX_RULE_SETS = 8     /* different rules that a session holds at a time         */
};

#endif /* HEED_BASE_KINDS_H */
