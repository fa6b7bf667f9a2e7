/*
 * ngrams.h - which target ids follow each other: counts of what people write, beside the model's weights.
 *
 * An *n-gram* is an id after a context of n - 1 ids, n = 2 to 4; a context may begin with the start of the target.  Its
 * *gain* is the logarithm of how much more probable the id is after the context than anywhere.  What is frequent is
 * listed.  Any other id has the gain that it has after the context without its first id, less the context's *backoff*;
 * a context without a list has none.  This is absolute discounting with interpolation (Ney, Essen, Kneser 1994, "On
 * structuring probabilistic dependences in stochastic language modelling").
 *
 * With an n-gram, the one without its last id is listed, and the one without its first.  So the n-grams form a tree, of
 * which *level* 0 has those of two ids.  The list of a context is sorted by id.
 *
 * Depends on: base/, heed.h.  Used by: search/, heed.c.
 */
#ifndef HEED_MODEL_NGRAMS_H
#define HEED_MODEL_NGRAMS_H

#include <stdint.h>

enum { NGRAM_LEVELS = 3 };

/* The n-grams of a level, by context. */
typedef struct {
    int n_contexts, n;
    int32_t *starts; /* [n_contexts + 1] context i has those from starts[i] to starts[i + 1] */
    uint16_t *ids;   /* [n] the last id                                */
    int8_t *gains;   /* [n] in quarters                                */
    uint8_t *backoffs; /* [n_contexts] in quarters; 0 without n-grams  */
    int32_t *shorter; /* [n] where the n-gram without its first id is on the level below; NULL on level 0 */
} ngram_level;

/* Contexts of level 0 are ids, and V for the start; those of the others are the n-grams of the level before. */
struct heed_ngrams {
    int n_ids; /* V */
    ngram_level levels[NGRAM_LEVELS];
};

/* What is listed after a context. */
typedef struct {
    const uint16_t *ids; /* [n], ascending */
    const int8_t *gains;
    int n, backoff;
} ngram_list;

/* Where an id is in a list, or -1. */
int ngrams_find(const ngram_list *list, int id);
/*
 * The lists after a target [n], without its start token: of the context of one id, of two, and of three.  Returns how
 * many there are; n may be 0.  Cannot fail.
 */
int ngrams_after(const struct heed_ngrams *ngrams, const int32_t *ids, int n, ngram_list lists[NGRAM_LEVELS]);

#endif /* HEED_MODEL_NGRAMS_H */
