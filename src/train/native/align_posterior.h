/*
 * align_posterior.h - how likely each link of a pair of sentences is in one direction, by either model of align.h.
 *
 * Each word of f [J words] is written by a word of e [I words], or by no word.
 *
 * Depends on: align.h.  Used by: align.c.
 */
#ifndef HEED_TRAIN_NATIVE_ALIGN_POSTERIOR_H
#define HEED_TRAIN_NATIVE_ALIGN_POSTERIOR_H

#include "train/native/align.h"

/* Scratch memory for sentences of up to ALIGN_LONGEST words. */
enum { STATES = ALIGN_LONGEST + 1, JUMPS = 2 * ALIGN_LONGEST + 1 };
typedef struct {
    float move[STATES * ALIGN_LONGEST], moves[STATES * ALIGN_LONGEST]; /* [i' or the start, i] */
    float here[STATES * ALIGN_LONGEST], stay[STATES * ALIGN_LONGEST];  /* [j, i'] forward: all, those of no word */
    float future[2][STATES], ahead[ALIGN_LONGEST];
} posterior_scratch;

/*
 * Model 1, where all positions are as likely.
 *   p [J, I]   written: the probability that word j of f is written by word i of e
 *   t [J, I]   t(f | e)      empty [J]  t(f | no word)
 */
void posterior_even(float *p, const float *t, const float *empty, int I, int J);
/*
 * The hidden Markov model, likewise.
 *   jump [JUMPS]    c(d) at ALIGN_LONGEST + d
 *   jumps [JUMPS]   written: how often each jump is expected; NULL: these are not computed
 */
void posterior_hidden(float *p, const float *t, const float *empty, int I, int J, const float *jump, float *jumps,
                      posterior_scratch *s);

#endif /* HEED_TRAIN_NATIVE_ALIGN_POSTERIOR_H */
