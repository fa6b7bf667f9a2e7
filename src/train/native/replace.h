/*
 * replace.h - names and numbers that a sentence and its translation share become others, on both sides: a small corpus
 * has few of them, and a model has to copy them all.
 *
 *     Call Tom at gate 24.  Ruf Tom an Tor 24 an.   ->   Call Nadia at gate 71.  Ruf Nadia an Tor 71 an.
 *
 * A name is a word of three letters or more, a capital and small ones, that stands once on each side, on neither at the
 * beginning of a sentence.  A number is a run of digits that stands once on each side, without a letter or a colon
 * beside it; a lone 0 or 1 stays for the sake of the plural, and the first two digits of a year from 1800 to 2099 stay.
 * What comes in its place has as many digits, and a first digit that is 0 if it was 0.
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

/* Different names, in the order in which they were found. */
typedef struct {
    int32_t language; /* of the targets that they were found in */
    shared_name *names;
    int n, max;
    int *places; /* [n_places] a hash table of names            */
    int n_places;
} name_list;

/* A list for each target language, since not every name is the same in all; or one for all, from a file. */
typedef struct {
    name_list *lists;
    int n;
    char *file;
} name_set;

/* Add the names that pairs of the corpus share, by the rule above.  The set points into the corpus. */
void names_harvest(name_set *set, const corpus *c);
/* Those of a file, one a line.  Ends the program with a message if it cannot, or if a line is not a word (words.h). */
void names_read(name_set *set, const char *path);
/* The list for a language; NULL if there is none. */
const name_list *names_for(const name_set *set, int32_t language);
void names_free(name_set *set);

/*
 * Replace each name and number of the draft with `probability`, as `key` of random.h decides.  Names become those
 * listed; they stay if the list is NULL or has but one.
 */
void replace_apply(draft *d, const name_list *list, double probability, uint64_t key);

#endif /* HEED_TRAIN_NATIVE_REPLACE_H */
