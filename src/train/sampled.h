/*
 * sampled.h - sampled softmax: the loss of a part over its own words and some of the others, instead of all.
 *
 * Jean, Cho, Memisevic, Bengio 2015, "On Using Very Large Target Vocabulary for Neural Machine Translation".  The
 * targets of the part are taken for certain.  Others are drawn, each as likely as the next, and stand for the rest: the
 * exponential of a word drawn counts w = (others / drawn) times, so the softmax's sum is right in the mean.  Logits
 * come from a small matrix, the rows of these words in the output matrix.  Its height is the same for nearly all parts,
 * since libraries of matrix products compile each size anew.  At least half of `words` are drawn in any case.
 *
 * Depends on: base/, random.h, loss.h, parameters.h.  Used by: pass.c, output.c.
 */
#ifndef HEED_TRAIN_SAMPLED_H
#define HEED_TRAIN_SAMPLED_H

#include <stdint.h>

#include "base/arena.h"
#include "train/loss.h"
#include "train/parameters.h"

typedef struct {
    int words;        /* of a part, unless its targets need more; 0: all, and nothing below is there */
    int32_t *ids;     /* [n] the part's words: those taken, then those drawn                         */
    int32_t *place;   /* [V] index of a word in ids; -1: it is not there                             */
    float *weights;   /* [n, D] rows of the output matrix, then [n] final_logits_bias + log w        */
    float *gradients; /* [n, D] of those rows                                                        */
    loss_columns columns;
} heed_sampled;

/* Lay it out for parts of up to max_rows target tokens. */
void sampled_layout(heed_sampled *s, heed_arena *arena, const heed_parameters *p, int max_rows, int words);

/*
 * Choose the words of a part: sampled_begin(), sampled_take() for every target, which may repeat, then sampled_draw(),
 * which copies the rows from `weights` [n_floats] and clears their gradients.
 */
void sampled_begin(heed_sampled *s, const heed_parameters *p);
void sampled_take(heed_sampled *s, int32_t id);
void sampled_draw(heed_sampled *s, const heed_parameters *p, const float *weights, uint64_t key);

/* gradients [n_floats] += those of the rows. */
void sampled_add(const heed_sampled *s, const heed_parameters *p, float *gradients);

#endif /* HEED_TRAIN_SAMPLED_H */
