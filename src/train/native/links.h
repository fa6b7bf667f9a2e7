/*
 * links.h - from links between words, as heed-align finds them, to the links between tokens of guided alignment.
 *
 * Words are words.h's.  Tokens are told their words by counting characters that are not white space: a text has as many
 * as its pieces, however it was cut.  Of a few characters normalisation makes more or none (an ellipsis may become
 * three stops, combining accents and soft hyphens vanish), which is tried out once; a pair whose numbers differ all the
 * same has no links.
 *
 * Depends on: heed.h, loss.h, words.h, files.h.  Used by: corpus.c, draft.c, batches.c.
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
 * The links "i-j i-j ..." of text [n] into links [room], which may be NULL if room is 0; swap: as "j-i".  Returns how
 * many there are, 0 for an empty text; -1 if the text is something else.
 */
int links_parse(const char *text, size_t n, int swap, word_link *links, int room);

/* What is kept of a tokenizer, and room to work in. */
typedef struct {
    int8_t *characters; /* [n_pieces] that are not space; of a byte piece those that begin with it; -1: unknown */
    int n_pieces;
    int8_t special[6]; /* see links.c */
    void *room;
    size_t n_room;
} link_mapper;

void link_mapper_begin(link_mapper *m, heed_tokenizer *tokenizer);
void link_mapper_end(link_mapper *m);

/*
 * A side of a pair: its text, and ids made from it.  first: ids before the text's own; </s> is the last.  n_words: that
 * the links know; the text may have lost its last one, a full stop.
 */
typedef struct {
    const char *text;
    size_t bytes;
    const int32_t *ids;
    int n, first, n_words;
} link_side;

/*
 * Links of tokens, in order of the target's, into *links, which live until the next call: a target token is linked to
 * all tokens of the source words that its words are linked to, and </s> to </s>.  Links of words that are not there
 * are left out.  Returns how many there are; 0 if a side's words are not those that the links know, or its characters
 * not those of its ids.
 */
int links_of_tokens(link_mapper *m, const link_side *source, const link_side *target, const word_link *words,
                    int n_words, const heed_link **links);

#endif /* HEED_TRAIN_NATIVE_LINKS_H */
