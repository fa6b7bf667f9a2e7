/*
 * trainer.h - the public C interface of training: a model that learns from pairs of ids.
 *
 *     create -> (set tensors) -> step, step, ... -> read tensors
 *
 * A trainer is one heap block: weights, gradients, Adam's moments, and the activations of one pass.  It is not part of
 * heed.h, because heed.wasm goes without it; heed-train.wasm and the native trainer have it.
 *
 * Every function that can fail returns a heed_status, sets its results to NULL or 0 first, and leaves the trainer
 * usable.  Nothing prints, exits or aborts.
 *
 * Depends on: everything else in train/.  Used by: js/train.js, the native trainer.
 */
#ifndef HEED_TRAIN_TRAINER_H
#define HEED_TRAIN_TRAINER_H

#include "heed.h"
#include "train/gemm.h"
#include "train/pass.h"

typedef struct heed_trainer heed_trainer;

/* Muon learns the matrices of projections, see muon.h; Adam learns the rest: embeddings, output, gains and biases. */
enum { OPTIMIZER_ADAM = 0, OPTIMIZER_MUON = 1 };

typedef struct {
    float learning_rate;     /* the greatest of the schedule; 0: as in the paper, (d_model warmup_steps)^-0.5  */
    float label_smoothing;   /* 0 <= . < 1                                                                     */
    float dropout;           /* 0 <= . < 1                                                                     */
    float clip_norm;         /* greatest norm of a gradient; 0: none                                           */
    int32_t schedule;        /* of adam.h                                                                      */
    int32_t warmup_steps;    /* >= 0                                                                           */
    int32_t total_steps;     /* of the cosine schedule                                                         */
    int32_t seed;            /* of dropout                                                                     */
    int32_t model_seed;      /* of fresh weights                                                               */
    int32_t train_positions; /* 1: position tables that the model stores are learned; 0: they stay             */
    int32_t max_tokens;      /* of sources or targets in one pass, and of a sentence; greater batches are split */
    float attention_dropout; /* 0 <= . < 1, of weights of attention                                            */
    float guided;            /* weight of guided alignment of pairs with links, 0 <= . <= 1e6; see loss.h      */
    int32_t guided_head;     /* of the cross attention of the last decoder layer                               */
    int32_t sampled_softmax; /* words of the loss, most of them drawn, see sampled.h; 0: all                   */
    int32_t optimizer;       /* OPTIMIZER_ADAM or OPTIMIZER_MUON                                               */
} heed_train_options;

/*
 * config: as heed_model_create's.  HEED_E_CONFIG names the key; HEED_E_ARGUMENT: an option is out of range (named);
 * HEED_E_MEMORY.  report may be NULL.
 */
heed_status heed_trainer_create(const int32_t *config, int n, const heed_train_options *options, heed_trainer **out,
                                heed_report *report);
void heed_trainer_free(heed_trainer *trainer); /* accepts NULL */
size_t heed_trainer_bytes(const heed_trainer *trainer);

/* The tensors, in the order of heed_tensor_name. */
int heed_trainer_tensor_count(const heed_trainer *trainer);
const char *heed_trainer_tensor_name(const heed_trainer *trainer, int index); /* NULL out of range */
void heed_trainer_tensor_shape(const heed_trainer *trainer, int index, int32_t *rows, int32_t *cols);

enum { HEED_TRAIN_WEIGHTS = 0, HEED_TRAIN_GRADIENTS = 1, HEED_TRAIN_M = 2, HEED_TRAIN_V = 3 };
/*
 * Copy a tensor's weights, gradient (of the last step, before clipping) or moments from or to the trainer: n = rows *
 * cols floats.  HEED_E_ARGUMENT (no such tensor, or it has no moments), HEED_E_TENSOR_SHAPE (n); set:
 * HEED_E_TENSOR_VALUE (not finite), with nothing changed.
 */
heed_status heed_trainer_get_values(const heed_trainer *trainer, int index, int what, float *values, size_t n);
heed_status heed_trainer_set_values(heed_trainer *trainer, int index, int what, const float *values, size_t n);

/*
 * The number of steps so far.  Set it to continue with stored weights and moments.  HEED_E_ARGUMENT, and nothing
 * changes: not a whole number from 0 to 2^53.
 */
double heed_trainer_steps(const heed_trainer *trainer);
heed_status heed_trainer_set_steps(heed_trainer *trainer, double steps);

typedef struct {
    float loss;          /* per target token, natural logarithm, smoothing included */
    float likelihood;    /* per target token, -log p of the target alone            */
    float gradient_norm; /* before clipping; 0 from heed_trainer_evaluate           */
    float learning_rate; /* of this step;    0 from heed_trainer_evaluate           */
    int32_t tokens;      /* of all targets                                          */
    float alignment;     /* mean over linked target tokens of their alignment loss  */
    int32_t linked;      /* target tokens that have links                           */
} heed_train_result;

/*
 * One optimiser step over n pairs.  With sampled softmax, its loss and likelihood are estimates: those of
 * heed_trainer_evaluate are over all words.
 *   ids      all pairs' ids: source of pair 0, target of pair 0, source of pair 1, ...
 *   lengths  [2n] how many each has; both sides end with </s>
 * HEED_E_ARGUMENT (n < 1), HEED_E_ID, HEED_E_LENGTH (empty, or past max_tokens or the model's positions);
 * HEED_E_DIVERGED: nothing was changed.
 */
heed_status heed_trainer_step(heed_trainer *trainer, const int32_t *ids, const int32_t *lengths, int n,
                              heed_train_result *result);
/*
 * The same with guided alignment, of weight options.guided.
 *   links    (target token, source token) of pair 0, of pair 1, ..., each pair's in order of the target token
 *   n_links  [n] how many each pair has
 * HEED_E_ARGUMENT too: a link is outside of its pair or out of order.
 */
heed_status heed_trainer_step_guided(heed_trainer *trainer, const int32_t *ids, const int32_t *lengths,
                                     const int32_t *links, const int32_t *n_links, int n, heed_train_result *result);
/* heed_trainer_step() without dropout, gradient and step. */
heed_status heed_trainer_evaluate(heed_trainer *trainer, const int32_t *ids, const int32_t *lengths, int n,
                                  heed_train_result *result);

/* ------------------------------------------------------------- for the native trainer's threads */

/* Like heed_trainer_create, with another matrix product. */
heed_status trainer_create(const int32_t *config, int n, const heed_train_options *options, const heed_gemm *gemm,
                           heed_trainer **out, heed_report *report);
const heed_parameters *trainer_parameters(const heed_trainer *trainer);
/* Flat arrays of parameters.h. */
float *trainer_array(heed_trainer *trainer, int what);
/* Dropout's key for part `part` of the next step. */
uint64_t trainer_key(const heed_trainer *trainer, int part);
/*
 * A step by the gradients array, in three parts: begin, then every tensor, in any order and thread, then end.
 *   result   gradient_norm and learning_rate are filled in
 *   space    [trainer_update_floats()]; scratch  scratch_floats of gemm
 * begin: HEED_E_DIVERGED, and there is no step.
 */
typedef struct {
    float factor; /* of gradients, which clips them */
    double rate, step;
} trainer_change;
heed_status trainer_update_begin(const heed_trainer *trainer, heed_train_result *result, trainer_change *change);
size_t trainer_update_floats(const heed_trainer *trainer);
void trainer_update_tensor(heed_trainer *trainer, const trainer_change *change, int index, const heed_gemm *gemm,
                           float *space, float *scratch);
void trainer_update_end(heed_trainer *trainer, const trainer_change *change);

#endif /* HEED_TRAIN_TRAINER_H */
