/*
 * align.h - finds the words of two sentences that translate each other; learns only from pairs of sentences.
 *
 * Two models read a pair of sentences e (I words), f (J words), one for each direction, and learn from each other
 * (Liang, Taskar, Klein 2006, "Alignment by Agreement").  First IBM model 1, then a hidden Markov model (Vogel, Ney,
 * Tillmann 1996): word f_j is written by word e_i where i = a_j, or by no word,
 *
 *     p(f, a | e) = prod_j p(a_j | a_{j-1}) t(f_j | e_{a_j})
 *     p(i | i')   = (1 - EMPTY) c(i - i') / sum_k c(k - i'),  with probability EMPTY f_j has no word and i' stays
 *
 * The forward-backward algorithm gives the probability of each link in each direction, and both models are fitted to
 * their product:
 *
 *     count(e, f) = sum over pairs, i, j  of  p1(a_j = i | e, f) p2(b_i = j | e, f)
 *     t1(f | e)   = w(e, f) / w1(e),   t2(e | f) = w(e, f) / w2(f),   w = exp(digamma(count + PRIOR))
 *
 * w is the variational estimate under a sparse Dirichlet prior.  It takes weight from words that occurred together by
 * chance.  Without it, rare words would be linked to everything beside them.  One number per pair of words serves both
 * directions.  ALIKE is added to t of words that are spelled alike: names and numbers.
 *
 * A pair (i, j) is a link if the product of both probabilities is the greatest and reaches the threshold.
 *
 * Counts are sums of multiples of 2^-32, so every number of threads and every order gives the same results.
 *
 * Depends on: align_tables.h, align_posterior.h, words.h, files.h, train/random.h.  Used by: align_main.c,
 * align_posterior.h.
 */
#ifndef HEED_TRAIN_NATIVE_ALIGN_H
#define HEED_TRAIN_NATIVE_ALIGN_H

#include <stddef.h>
#include <stdint.h>

typedef struct aligner aligner;

typedef struct {
    int model1, hmm;  /* iterations of each */
    int threads;      /* >= 1 */
    double threshold; /* least product of a link's probabilities in both directions */
} align_options;

/* A word of the source, a word of the target. */
typedef struct {
    uint8_t source, target;
} align_link;

aligner *aligner_create(const align_options *options);
/*
 * Adds a pair; its texts have no line breaks.  A language token before the source is not a word; pairs with
 * different tokens share no statistics.  Pairs with more than ALIGN_LONGEST words on a side have no links.
 */
enum { ALIGN_LONGEST = 256 };
void aligner_add(aligner *a, const char *source, size_t n_source, const char *target, size_t n_target);
/* Learn from all pairs; report, if not NULL, is called after each iteration. */
void aligner_learn(aligner *a, void (*report)(const char *stage, int iteration));
/* Find the links of all pairs. */
void aligner_link(aligner *a);
/* The links of pair i, by target word, then source word; *n of them. */
const align_link *aligner_links(const aligner *a, size_t i, int *n);
void aligner_free(aligner *a);

#endif /* HEED_TRAIN_NATIVE_ALIGN_H */
