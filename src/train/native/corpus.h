/*
 * corpus.h - a file of sentence pairs, kept as text: what a pair is made into can differ each time it is drawn.
 *
 * The file: UTF-8, a pair a line, "source TAB target".  Of further columns only the last is read, if it has links
 * between words as heed-align writes them.  A source may begin with the token of the target's language and one space,
 * ">>de<< Good morning." as in OPUS-MT's models with several targets.
 *
 * Depends on: encoder.h, links.h, words.h.  Used by: batches.c, main.c.
 */
#ifndef HEED_TRAIN_NATIVE_CORPUS_H
#define HEED_TRAIN_NATIVE_CORPUS_H

#include "train/native/encoder.h"

enum { SOURCE = 0, TARGET = 1 };

/* Both sides of a line, without the language's token; not ended by NUL. */
typedef struct {
    const char *text[2];
    int32_t bytes[2];
    int32_t language;   /* id of the token, or NO_LANGUAGE                    */
    const char *links;  /* "i-j i-j", to be parsed by links_parse(); or NULL  */
    int32_t link_bytes; /* of it                                              */
    int32_t swapped;    /* the file's second column is the source             */
} text_pair;

typedef struct {
    const char *path;
    char *text; /* the whole file, which the pairs point into */
    text_pair *pairs;
    int n_pairs;
    int n_skipped;     /* lines without both sides              */
    int n_linked;      /* pairs with links                      */
    int has_languages; /* the pairs do not all have the same    */
} corpus;

/*
 * Read `path`; swap: the second column is the source.  Ends the program with a message if it cannot, if there is no
 * pair, or if a language is not in the encoder's model.
 */
void corpus_read(corpus *c, const char *path, const encoder *e, int swap);
void corpus_free(corpus *c);

#endif /* HEED_TRAIN_NATIVE_CORPUS_H */
