/*
 * corpus.h - a file of sentence pairs, kept as text, because a pair may become other ids each time it is drawn.
 *
 * The file: UTF-8, one pair per line, "source TAB target".  Of further columns only the last is read, if it has word
 * links as heed-align writes them.  A source may begin with the token of its target language and one space,
 * ">>de<< Good morning.", as in OPUS-MT models with several targets.
 *
 * Depends on: encoder.h, links.h, words.h.  Used by: batches.c, main.c.
 */
#ifndef HEED_TRAIN_NATIVE_CORPUS_H
#define HEED_TRAIN_NATIVE_CORPUS_H

#include "train/native/encoder.h"

enum { SOURCE = 0, TARGET = 1 };

/* Both sides of a line, without the language token and without a final NUL. */
typedef struct {
    const char *text[2];
    int32_t bytes[2];
    int32_t language;   /* id of the token, or NO_LANGUAGE */
    const char *links;  /* "i-j i-j", to be parsed by links_parse(); or NULL */
    int32_t link_bytes; /* length of `links` */
    int32_t swapped;    /* the file's second column is the source */
} text_pair;

typedef struct {
    const char *path;
    char *text; /* the whole file; the pairs point into it */
    text_pair *pairs;
    int n_pairs;
    int n_skipped;     /* lines without both sides */
    int n_linked;      /* pairs with links */
    int has_languages; /* the pairs have different language tokens */
} corpus;

/*
 * Read `path`; swap: the second column is the source.  Ends the program with a message if it cannot be read, has no
 * pair, or has a language that is not in the encoder's model.
 */
void corpus_read(corpus *c, const char *path, const encoder *e, int swap);
void corpus_free(corpus *c);

#endif /* HEED_TRAIN_NATIVE_CORPUS_H */
