/*
 * corpus.h - a file of sentence pairs as ids, and the batches of an epoch.
 *
 * The file: UTF-8, a pair a line, "source TAB target", further columns ignored.  Ids are those of the SentencePiece
 * model, which both sides share, with </s> put last.
 *
 * Depends on: heed.h, train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_CORPUS_H
#define HEED_TRAIN_NATIVE_CORPUS_H

#include "heed.h"
#include "train/pass.h"

typedef struct {
    heed_pair *pairs;
    int n_pairs;
    int32_t *ids;     /* of all pairs */
    long long tokens; /* of all targets, </s> included                       */
    int n_skipped;    /* lines without both sides, or longer than `longest`  */
} corpus;

/*
 * Read `path`; swap: the second column is the source.  longest: ids of a side.  Ends the program with a message if it
 * cannot.
 */
void corpus_read(corpus *c, const char *path, const char *spm_path, int eos, int swap, int longest);

/*
 * The batches of endless epochs.  An epoch is a permutation of the pairs that depends on (seed, epoch) alone; with
 * probability `join` a pair is followed by the next ones as one long pair of up to `longest` ids, for the corpora have
 * few long sentences.  So (epoch, position) is all there is to a reader's state.  Pairs are not sorted by length:
 * nothing is padded, so nothing would be gained.
 */
typedef struct {
    const corpus *corpus;
    uint64_t seed;
    double join;
    int longest;
    int *order; /* [n_pairs] of `ordered` */
    long long ordered, epoch;
    int position; /* in order: the next pair */
    /* the batch: joined pairs have their ids in a buffer of their own */
    heed_pair *pairs;
    int n_pairs, max_pairs;
    int32_t *ids;
    size_t n_ids, max_ids;
} batches;

void batches_begin(batches *b, const corpus *c, uint64_t seed, double join, int longest);
/* Fill b->pairs [b->n_pairs] with pairs of about `tokens` target tokens in all.  Returns how many there are. */
int batches_next(batches *b, int tokens);

#endif /* HEED_TRAIN_NATIVE_CORPUS_H */
