/*
 * replace.h - replaces names and numbers that a sentence and its translation share, on both sides.  A small corpus has
 * few of them, but a model has to copy all of them.
 *
 *     Call Tom at gate 24.  Ruf Tom an Tor 24 an.   ->   Call Nadia at gate 71.  Ruf Nadia an Tor 71 an.
 *
 * A name is a word of a capital and at least two small letters.  It occurs once on each side.  Where it does not
 * clearly stand inside a sentence on both sides, only a word that is in the list counts.  A number is a run of digits
 * that occurs once on each side, without a letter or a colon beside it.  A lone 0 or 1 stays because of the plural, and
 * so do the first two digits of a year from 1800 to 2099.  The new number has as many digits, and begins with 0 if the
 * old one does.
 *
 * Depends on: draft.h, files.h, letters.h, words.h, train/random.h.  Used by: batches.c, main.c.
 */
#ifndef HEED_TRAIN_NATIVE_REPLACE_H
#define HEED_TRAIN_NATIVE_REPLACE_H

#include <stdint.h>

#include "train/native/draft.h"

typedef struct {
    const char *text;
    size_t n;
} shared_name;

/* Distinct names, in the order in which they were found. */
typedef struct {
    int32_t language; /* of the targets in which they were found */
    shared_name *names;
    int n, max;
    int *places; /* [n_places] a hash table of names            */
    int n_places;
} name_list;

/* One list per target language, since names differ between languages; or one list for all, from a file. */
typedef struct {
    name_list *lists;
    int n;
    char *file;
} name_set;

/* Add the names that pairs of the corpus share, by the rule above.  The set points into the corpus. */
void names_harvest(name_set *set, const corpus *c);
/*
 * Reads names from a file, one per line.  Ends the program with a message on failure, or if a line is not a word
 * (words.h).
 */
void names_read(name_set *set, const char *path);
/* The list for a language; NULL if there is none. */
const name_list *names_for(const name_set *set, int32_t language);
void names_free(name_set *set);

/*
 * Replace each name and number of the draft with `probability`; `key` of random.h decides which.  New names come from
 * the list; names stay if it is NULL or has only one.  With probability `invent` a new name has the head of one and the
 * tail of another, so that a model learns to copy letters and not the names of the list.  Heads and tails of names with
 * fewer than three letters may be the whole names.
 */
void replace_apply(draft *d, const name_list *list, double probability, double invent, uint64_t key);

#endif /* HEED_TRAIN_NATIVE_REPLACE_H */
