/*
 * batches.h - endless batches of pairs, drawn from several corpora.
 *
 *     corpora -> the next pair of the one that is behind its share -> joined with neighbours -> altered -> ids
 *
 * An epoch of a corpus is a permutation of its pairs that depends on (seed, which corpus, epoch) alone; with
 * probability `join` a pair is followed by the next ones of the same language as one long pair of up to `longest` ids,
 * for the corpora have few long sentences.  A corpus of several target languages is sorted by them, then by place in
 * the file, in stretches of 128 pairs, so that there are such neighbours.  What language a source is in is not known:
 * pairs that stand together in the file, or have a file of their own, are joined with their like.
 * What else is drawn at random depends on the same and on the place in the epoch.  So the places (files.h) are all
 * there is to the state.  Pairs are not sorted by length: nothing is padded, so nothing would be gained.
 *
 * A thread makes the next batch while the last one is learned from.
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
    int tokens;                      /* of all targets, </s> included                             */
    int n_skipped;                   /* pairs that were drawn but are longer than `longest`       */
    corpus_place after[MAX_CORPORA]; /* where drawing stands once the batch is made               */
} batch;

typedef struct {
    int tokens;  /* of the targets of a batch, at least    */
    int longest; /* ids of a side                          */
    double join;
    uint64_t seed;
    double sample[2]; /* alpha of either side's cuts; 0: the most probable cut */
    noise_options noise;
    double replace; /* probability of a name or number; 0: they stay */
    int guided;     /* pairs have their links                        */
} batch_options;

typedef struct batches batches;

/*
 * Batches of corpora [n], whose shares of the target tokens are as `shares` [n] (relative, above 0).  names: for
 * options->replace.  All that is given stays the caller's and must outlive the batches; `e` is theirs alone.
 */
batches *batches_create(const corpus *corpora, const double *shares, int n, encoder *e, const name_set *names,
                        const batch_options *options);
void batches_free(batches *b);
/* Go on from places [n].  Before the first batch only. */
void batches_go_to(batches *b, const corpus_place *places);
/* The next batch, which lives until the next call. */
const batch *batches_next(batches *b);

/*
 * All pairs of a corpus as they are, in order; those that are too long are left out.  Of the options only `longest` and
 * `guided` count.  batch_free() in the end.
 */
void batch_of_corpus(batch *out, const corpus *c, encoder *e, const batch_options *options);
void batch_free(batch *out);

#endif /* HEED_TRAIN_NATIVE_BATCHES_H */
