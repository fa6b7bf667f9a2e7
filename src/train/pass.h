/*
 * pass.h - one teacher-forced pass over a part of a batch, forward and backward, with all that it keeps in between.
 *
 * A part is a list of pairs of any lengths.  All source tokens are the rows of one matrix, all target tokens of
 * another.  Nothing is padded.  Only attention knows where a sentence ends.  For each sublayer two matrices are kept,
 *
 *     post-norm   stream[i+1] = LayerNorm(other[i]),    other[i] = stream[i] + dropout(f(stream[i]))
 *     pre-norm    stream[i+1] = stream[i] + dropout(f(other[i])),    other[i] = LayerNorm(stream[i])
 *
 * and what f itself needs.  Hidden layers are computed again.  Logits exist for a slice of rows at a time.
 *
 * Depends on: base/, layers/, backward.h, loss.h, parameters.h, sampled.h.  Used by: attend.h, output.h, rows.h,
 * sublayer.h, trainer.c and the native trainer's threads.
 */
#ifndef HEED_TRAIN_PASS_H
#define HEED_TRAIN_PASS_H

#include "base/arena.h"
#include "train/backward.h"
#include "train/loss.h"
#include "train/parameters.h"
#include "train/sampled.h"

/*
 * A sentence and its translation.  Both end with </s>; the target has no decoder_start_token_id.  links [n_links] guide
 * a head of attention, and are in order of their target.  n_links may be 0.
 */
typedef struct {
    const int32_t *source, *target;
    int32_t n_source, n_target;
    const heed_link *links;
    int32_t n_links;
} heed_pair;

/* What a sublayer keeps for the backward pass; its kind decides which. */
typedef struct {
    float *q, *mix; /* of attention: [R, A]                                       */
    float *k, *v;   /* [R, A], of the rows that make the keys                     */
    float *probs;   /* [H, T, S], one sentence after another                      */
    float *pre;     /* of a feed-forward network: [R, F] input of the activation  */
    float *linear;  /* of a gated one: [R, F] the other factor                    */

    float *candidate, *forget, *cells; /* of an SSRU: [R, D] */
} pass_sublayer;

typedef struct {
    const train_stack *weights;
    int is_decoder;
    pass_sublayer *sublayers; /* [n_sublayers] */
    float *embedded;          /* [R, D] before layernorm_embedding; NULL without it             */
    float *stream, *other;    /* [n_sublayers + 1, R, D], [n_sublayers, R, D]                   */
    float *out;               /* [R, D] after the final norm, or the last of stream             */
    const float *table;       /* [longest, D] sinusoids; unused if the model has its own or none */
    float *bias, *dbias;      /* [H, 2 longest - 1] position bias by distance, its gradient; or NULL */
} pass_stack;

typedef struct {
    const heed_parameters *parameters;
    train_context context;
    int max_rows;  /* R : most tokens of the sources, and of the targets            */
    int max_cells; /* bound of the sum of max(S, T)^2 over the part's pairs         */
    int longest;   /* most tokens of a sentence                                     */
    pass_stack encoder, decoder;
    float *dx, *dy, *dn, *dq, *dk, *dv, *dmemory; /* [R, D] gradients; of q, k, v [R, the wider of A and D] */
    float *hidden, *dhidden;                      /* [R, the widest of A, D and F]  */
    float *gate;                                  /* likewise, of gated networks; or NULL */
    float *logits;                                /* [slice, V]                     */
    int slice; /* rows of logits over all words; of sampled words there are more */
    heed_sampled sampled;
    float *scratch; /* of attention, either direction */
    float *dscores; /* [longest, longest] of the head that is guided */

    /* of the current part */
    const heed_pair *pairs;
    int n_pairs, n_source, n_target; /* pairs, source tokens, target tokens */
    float dropout, attention_dropout;
    uint64_t key;
    float guided; /* scale of a linked token's gradient */
    int guided_head;
} heed_pass;

/*
 * Lay a pass out in `arena` (which may only measure); max_rows >= 1.
 *   sampled_softmax  the words of the loss, see sampled.h; 0: all
 */
void pass_layout(heed_pass *pass, heed_arena *arena, const heed_parameters *parameters, const heed_gemm *gemm,
                 int max_rows, int sampled_softmax);

/* How many of the first pairs [n] one pass can hold together; 0: the first is too long for it. */
int pass_capacity(const heed_pass *pass, const heed_pair *pairs, int n);

typedef struct {
    float dropout;           /* probability                                                              */
    float smoothing;         /* of labels                                                                */
    float scale;             /* of every token's gradient: 1 / tokens of the whole batch                 */
    uint64_t key;            /* of dropout: a function of seed, step and part                            */
    float attention_dropout; /* probability, of weights of attention                                     */
    float guided;            /* weight of guided alignment, whose loss is scaled as every token's is     */
    int guided_head;         /* of the cross attention of the last decoder layer                         */
} pass_options;

typedef struct {
    double loss, likelihood; /* sums over target tokens: smoothed loss, -log p                      */
    double alignment;        /* sum over linked target tokens of their alignment loss, not weighted */
    int tokens, linked;
} pass_result;

/*
 * Forward over pairs [n], n <= pass_capacity(), and backward if gradients is not NULL.
 *   weights    [n_floats] read
 *   gradients  [n_floats] added to
 *   result     added to
 * Ids were checked.  Cannot fail.
 */
void pass_run(heed_pass *pass, float *weights, float *gradients, const heed_pair *pairs, int n,
              const pass_options *options, pass_result *result);

#endif /* HEED_TRAIN_PASS_H */
