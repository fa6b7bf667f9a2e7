/*
 * files.h - the files of the native programs, checkpoints, fatal errors, and command lines.
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
/* fail() with `what` and the name of a status. */
_Noreturn void fail_status(const char *what, heed_status status);

/* malloc and realloc that fail() when there is no memory. */
void *allocate(size_t bytes);
void *reallocate(void *block, size_t bytes);

/* The number that `text` is; fail() names the option if it is none, or not from least to most. */
double number_between(const char *name, const char *text, double least, double most);

/* An option of a command line, and where its value goes: text, or a number from least to most, truncated if whole. */
typedef struct {
    const char *name, **text;
    int *whole;
    double *real, least, most;
} command_option;

/*
 * Reads a command line of options [n], each with a value, and names of files; --help prints `usage` and ends the
 * program.  fail() if an option is unknown or has no value, or not one within its range.
 *   argv  ends with NULL      files  room for as many; written
 * Returns how many files.
 */
int command_read(char **argv, const char *usage, const command_option *options, int n, const char **files);

/* Seconds of a clock that only goes forward. */
double now(void);

/* Reads a whole file of *n bytes.  Ends the program on failure. */
unsigned char *read_file(const char *path, size_t *n);

/*
 * Writes a file completely or not at all: to a temporary file beside `path`, which is flushed to disk and then renamed.
 * Each of these functions ends the program on failure.
 */
typedef struct {
    FILE *file;
    const char *path;
    char beside[4096];
} writer;

void write_begin(writer *w, const char *path);
void write_bytes(writer *w, const void *bytes, size_t n);
void write_end(writer *w);

/* Maximum of corpora in a run. */
enum { MAX_CORPORA = 64 };

/* The reading position in a corpus. */
typedef struct {
    long long epoch;
    double behind;         /* target tokens missing from its share; negative: it is ahead */
    int position, n_pairs; /* in the epoch; in the corpus, because the order depends on it */
} corpus_place;

/* With weights and moments, the whole state of a run: it continues as if it had not been interrupted. */
typedef struct {
    double steps;
    double tokens;    /* target tokens used so far */
    double seconds;   /* spent so far */
    char product[16]; /* name of the matrix product: another one would round differently */
    int has_mean;     /* 1: there is a mean of the weights, see mean.h */
    int n_corpora;
    corpus_place corpora[MAX_CORPORA];
} progress;

/*
 * A checkpoint has its own format, in this machine's byte order: a header of CHECKPOINT_HEADER bytes, all weights, both
 * moments of the trained ones, and the mean of the weights if there is one.  If the program dies, `path` still has the
 * last complete checkpoint.
 */
enum { CHECKPOINT_HEADER = 4096 };

/* Copies the product's name in the checkpoint at `path` to name [16]; 0 if there is no checkpoint. */
int checkpoint_product(const char *path, char *name);
/* mean: [n_floats] of mean.h, or NULL. */
void checkpoint_save(const char *path, heed_trainer *trainer, const float *mean, const progress *p);
/*
 * 0 if there is no such file.  Ends the program if the checkpoint has another model, another number of corpora than
 * p->n_corpora, or another number of pairs than p->corpora.
 *   mean  [n_floats] written if the checkpoint has one; may be NULL.  p->has_mean says if it has.
 */
int checkpoint_load(const char *path, heed_trainer *trainer, float *mean, progress *p);

#endif /* HEED_TRAIN_NATIVE_FILES_H */
