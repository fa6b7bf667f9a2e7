/*
 * links.h - turns the word links that heed-align finds into token links for guided alignment.
 *
 * words.h defines words.  A token finds its words by counting characters that are not white space: a text has as many
 * as its pieces, for every cut.  Normalisation turns a few characters into several or none: an ellipsis may become
 * three full stops; combining accents and soft hyphens vanish.  A trial run shows how many.  A pair has no links if its
 * counts still differ.
 *
 * Depends on: text/, heed.h, loss.h, words.h, files.h.  Used by: corpus.c, draft.c, batches.c,
 * lexicon_main.c.
 */
#ifndef HEED_TRAIN_NATIVE_LINKS_H
#define HEED_TRAIN_NATIVE_LINKS_H

#include <stddef.h>
#include <stdint.h>

#include "heed.h"
#include "train/loss.h"

/* Word `source` of the source, word `target` of the target, from 0. */
typedef struct {
    int32_t source, target;
} word_link;

/*
 * Parse the links "i-j i-j ..." of text [n] into links [room], which may be NULL if room is 0; swap: read "j-i".
 * Returns their number, 0 for an empty text, or -1 if the text is not of this form.
 */
int links_parse(const char *text, size_t n, int swap, word_link *links, int room);

/* Properties of a tokenizer, and scratch memory. */
typedef struct {
    int8_t *characters; /* [n_pieces] non-space characters; of a byte piece: those that begin with it; -1: unknown */
    int n_pieces;
    int8_t special[6]; /* see links.c */
    void *room;
    size_t n_room;
} link_mapper;

void link_mapper_begin(link_mapper *m, heed_tokenizer *tokenizer);
void link_mapper_end(link_mapper *m);

/*
 * A side of a pair: its text and its ids.  first: the number of ids before those of the text; </s> is the last id.
 * n_words: the number of words in the links; the text may have lost its last one, a full stop.
 */
typedef struct {
    const char *text;
    size_t bytes;
    const int32_t *ids;
    int n, first, n_words;
} link_side;

/*
 * Token links, sorted by target, into *links, valid until the next call.  A target token is linked to all tokens of the
 * source words that its words are linked to, and </s> to </s>.  Links of missing words are left out.  Returns their
 * number; 0 if the words of a side are not those that the links count, or its characters are not those of its ids.
 */
int links_of_tokens(link_mapper *m, const link_side *source, const link_side *target, const word_link *words,
                    int n_words, const heed_link **links);

#endif /* HEED_TRAIN_NATIVE_LINKS_H */
