/*
 * align.h - which words of two sentences translate each other, learned from pairs of sentences alone.
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
 * w is the variational estimate under a sparse Dirichlet prior: it takes weight from words that were seen together by
 * chance, rare words above all, which would else collect links of all that stands beside them.  So one number for a
 * pair of words serves both directions.  ALIKE is added to t of words that are spelled alike, names and numbers.
 *
 * A link is a pair (i, j) where the product of both probabilities is greatest and great enough.
 *
 * Counts are sums of whole numbers (2^-32 each), so results are the same for every number of threads and every order.
 *
 * Depends on: words.h, files.h.  Used by: align_main.c.
 */
#ifndef HEED_TRAIN_NATIVE_ALIGN_H
#define HEED_TRAIN_NATIVE_ALIGN_H

#include <stddef.h>
#include <stdint.h>

typedef struct aligner aligner;

typedef struct {
    int model1, hmm;  /* iterations of either */
    int threads;      /* >= 1 */
    double threshold; /* least product of both directions' probabilities of a link */
} align_options;

/* A word of the source, a word of the target. */
typedef struct {
    uint8_t source, target;
} align_link;

aligner *aligner_create(const align_options *options);
/*
 * One more pair, text of either side without line breaks.  A language token before the source is no word; pairs with
 * different tokens share no statistics.  Sides of more than ALIGN_LONGEST words have no links.
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
