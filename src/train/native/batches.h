/*
 * batches.h - endless batches of pairs, drawn from several corpora.
 *
 *     corpora -> the next pair of the corpus furthest behind its share -> joined with neighbours -> altered -> ids
 *
 * An epoch of a corpus is a permutation of its pairs that depends only on (seed, index of the corpus, epoch).  With
 * probability `join`, a pair and the next ones of the same language become one long pair of up to `longest` ids,
 * because the corpora have few long sentences.  A corpus with several target languages is sorted in windows of 128
 * pairs by language, then by position in the file, so that pairs have neighbours of their language.  The source
 * language is unknown: pairs that are near in the file, or in one file, are taken to have the same.
 * All other random choices depend on the same numbers and on the position in the epoch.  So the positions (files.h)
 * are the whole state.  Pairs are not sorted by length: nothing is padded, so this would gain nothing.
 *
 * A thread makes the next batch while the trainer learns from the last one.
 *
 * Depends on: draft.h, encoder.h, files.h, links.h, noise.h, replace.h, train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_BATCHES_H
#define HEED_TRAIN_NATIVE_BATCHES_H

#include "train/native/draft.h"
#include "train/native/files.h"
#include "train/native/noise.h"
#include "train/native/replace.h"
#include "train/pass.h"

/* Pairs as ids. */
typedef struct {
    heed_pair *pairs;
    int n_pairs, max_pairs;
    int32_t *ids;
    size_t n_ids, max_ids;
    heed_link *links; /* of all pairs */
    size_t n_links, max_links;
    int tokens;                      /* of all targets, </s> included */
    int n_skipped;                   /* pairs that were drawn but exceed `longest` */
    corpus_place after[MAX_CORPORA]; /* positions after this batch */
} batch;

typedef struct {
    int tokens;  /* of the targets of a batch, at least    */
    int longest; /* ids of a side                          */
    double join;
    uint64_t seed;
    double sample[2]; /* alpha for random cuts of each side; 0: the most probable cut */
    noise_options noise;
    double replace; /* probability that a name or number is replaced */
    double invent;  /* probability that the new name is made of two  */
    int guided;     /* pairs have their links */
} batch_options;

typedef struct batches batches;

/*
 * Batches of corpora [n] whose target tokens have the shares `shares` [n] (relative, above 0).  names: for
 * options->replace.  The caller keeps all arguments alive as long as the batches; nobody else may use `e`.
 */
batches *batches_create(const corpus *corpora, const double *shares, int n, encoder *e, const name_set *names,
                        const batch_options *options);
void batches_free(batches *b);
/* Continue from positions [n].  Call it only before the first batch. */
void batches_go_to(batches *b, const corpus_place *places);
/* The next batch, which lives until the next call. */
const batch *batches_next(batches *b);

/*
 * All pairs of a corpus, unaltered and in order, without those that are too long.  Only `longest` and `guided` of the
 * options are used.  Free it with batch_free().
 */
void batch_of_corpus(batch *out, const corpus *c, encoder *e, const batch_options *options);
void batch_free(batch *out);

#endif /* HEED_TRAIN_NATIVE_BATCHES_H */
