/*
 * files.h - what the native trainer reads and writes: whole files and checkpoints; and how it gives up.
 *
 * Depends on: train/.  Used by: the rest of train/native.
 */
#ifndef HEED_TRAIN_NATIVE_FILES_H
#define HEED_TRAIN_NATIVE_FILES_H

#include <stddef.h>
#include <stdio.h>

#include "train/trainer.h"

/* Print "heed-train: ..." to stderr and end with exit code 1. */
_Noreturn void fail(const char *format, ...);
/* fail() for a status that is not HEED_OK, of `what`. */
_Noreturn void fail_status(const char *what, heed_status status);

/* malloc and realloc that fail() when there is no memory. */
void *allocate(size_t bytes);
void *reallocate(void *block, size_t bytes);

/* A whole file; *n its bytes.  Ends the program if it cannot be read. */
unsigned char *read_file(const char *path, size_t *n);

/*
 * A file that takes the place of `path` only when it is whole: it is written beside it, brought to disk, then renamed.
 * Each of these ends the program if it cannot.
 */
typedef struct {
    FILE *file;
    const char *path;
    char beside[4096];
} writer;

void write_begin(writer *w, const char *path);
void write_bytes(writer *w, const void *bytes, size_t n);
void write_end(writer *w);

/* Corpora of one run. */
enum { MAX_CORPORA = 64 };

/* Where the reading of a corpus stands. */
typedef struct {
    long long epoch;
    double behind;         /* target tokens that its share lacks; negative: it is ahead */
    int position, n_pairs; /* of the epoch; of the corpus, for the order depends on it  */
} corpus_place;

/* What a run must know to go on as if it had not been interrupted, beside weights and moments. */
typedef struct {
    double steps;
    double tokens;    /* target tokens learned from so far                                 */
    double seconds;   /* spent so far                                                      */
    char product[16]; /* name of the matrix product: another would round otherwise         */
    int has_mean;     /* of the weights, see mean.h                                        */
    int n_corpora;
    corpus_place corpora[MAX_CORPORA];
} progress;

/*
 * Checkpoints are files of their own kind, of this machine's byte order: a header of CHECKPOINT_HEADER bytes, all
 * weights, both moments of the trained ones, and, if there is one, the mean of the weights.  Whenever the program dies,
 * `path` is the last complete one.
 */
enum { CHECKPOINT_HEADER = 4096 };

/* The product's name of the checkpoint at `path` into name [16]; 0 if there is no checkpoint. */
int checkpoint_product(const char *path, char *name);
/* mean: [n_floats] of mean.h, or NULL. */
void checkpoint_save(const char *path, heed_trainer *trainer, const float *mean, const progress *p);
/*
 * 0 if there is no such file; ends the program if it is of another model, of another number of corpora than
 * p->n_corpora, or if a corpus has another number of pairs than p->corpora tells.
 *   mean  [n_floats] written if the checkpoint has one; NULL: not wanted.  p->has_mean says if it has.
 */
int checkpoint_load(const char *path, heed_trainer *trainer, float *mean, progress *p);

#endif /* HEED_TRAIN_NATIVE_FILES_H */
