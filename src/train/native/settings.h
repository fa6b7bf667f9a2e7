/*
 * settings.h - the command line of heed-train.
 *
 * Depends on: batches.h, files.h, train/.  Used by: main.c.
 */
#ifndef HEED_TRAIN_NATIVE_SETTINGS_H
#define HEED_TRAIN_NATIVE_SETTINGS_H

#include "train/native/batches.h"
#include "train/native/files.h"
#include "train/trainer.h"

enum { MAX_KEEP = 32, MAX_FIELDS = 64, MAX_HELD = 32 };

/* A held-out file and its name in reports; at most one has no name, "". */
typedef struct {
    const char *name, *path;
} held;

typedef struct {
    const char *spm, *out, *gemm, *init, *names; /* gemm, init, names: NULL if not given */
    const char *train[MAX_CORPORA];
    double shares[MAX_CORPORA]; /* of the target tokens, relative */
    int n_train;
    held dev[MAX_HELD];
    int n_dev;
    int swap, part, threads, report, evaluate, keep;
    double minutes, steps, save_minutes, ema;
    batch_options batches;
    heed_train_options learn;
    int32_t config[MAX_FIELDS];
    int n_fields, vocabulary_given; /* --config vocab_size */
} settings;

/* Sets defaults, then reads argv.  Ends the program with a message on an error, and after --help and --list. */
void settings_read(settings *s, char **argv);
/* Index of the configuration's key name [n]; ends the program if it is unknown. */
int settings_field(const char *name, size_t n);

#endif /* HEED_TRAIN_NATIVE_SETTINGS_H */
