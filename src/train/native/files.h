/*
 * files.h - what the native trainer reads and writes: whole files, checkpoints, safetensors; and how it gives up.
 *
 * Used by: main.c, corpus.c.
 */
#ifndef HEED_TRAIN_NATIVE_FILES_H
#define HEED_TRAIN_NATIVE_FILES_H

#include <stddef.h>

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

/* What a run must know to go on as if it had not been interrupted, beside weights and moments. */
typedef struct {
    double steps;
    long long epoch;
    int position, n_pairs; /* of the epoch; of the corpus, for the order depends on it */
    double tokens;         /* target tokens learned from so far */
    double seconds;        /* spent so far                      */
    char product[16];      /* name of the matrix product: another would round otherwise */
} progress;

/*
 * Checkpoints are written whole to a file beside `path`, brought to disk, then renamed: whenever the program dies,
 * `path` is the last complete one.
 */
/* The product's name of the checkpoint at `path` into name [16]; 0 if there is no checkpoint. */
int checkpoint_product(const char *path, char *name);
void checkpoint_save(const char *path, heed_trainer *trainer, const progress *p);
/* 0 if there is no such file; ends the program if it is of another model.  p->n_pairs tells the corpus. */
int checkpoint_load(const char *path, heed_trainer *trainer, progress *p);

/* model.safetensors of the weights in `values`, in the same careful way. */
void safetensors_save(const char *path, const heed_parameters *p, const float *values);
/* values [n_floats] from such a file of the same model. */
void safetensors_load(const char *path, const heed_parameters *p, float *values);

#endif /* HEED_TRAIN_NATIVE_FILES_H */
