/*
 * segment.h - normalised text to pieces: the most probable cut (unigram), or merges in order (BPE).
 *
 * Both give what SentencePiece gives, id for id, ties included, except that a reserved piece
 * (vocab.h) is never found in text.
 *
 * Depends on: text/vocab.h, text/utf8.h.  Used by: text/tokenizer.c.
 */
#ifndef HEED_TEXT_SEGMENT_H
#define HEED_TEXT_SEGMENT_H

#include <stdint.h>

#include "text/vocab.h"

/* The best path that ends at a byte. */
typedef struct {
    float score;
    int32_t start; /* where its last piece begins; -1: no path yet */
    int32_t id;    /* of that piece                                */
} unigram_node;

/*
 * Viterbi over the bytes of text [n].
 *   ids    [n] written: the pieces             spans [2n] written: first and end byte of each
 *   nodes  [n + 1] scratch
 * Returns the number of pieces.  Cannot fail.  Time is linear in n (times the longest piece).
 */
int32_t unigram_segment(int32_t *ids, int32_t *spans, const heed_vocab *vocab, const char *text, int32_t n,
                        unigram_node *nodes);

/* A run of text that is one symbol; symbols form a list in the order of the text. */
typedef struct {
    int32_t start, length; /* bytes; length 0: merged into a symbol before */
    int32_t previous;      /* -1: the first                                */
    int32_t next;          /* -1: the last                                 */
    int32_t frozen;        /* a user-defined piece: never merged           */
} bpe_symbol;

/* Two neighbouring symbols that together are a piece. */
typedef struct {
    float score;
    int32_t left;   /* symbol */
    int32_t length; /* of both when proposed; if it has changed, the pair is invalid */
} bpe_pair;

/*
 * Merge the pair with the greatest score, the leftmost of equal ones, until none is left.
 *   ids, spans as above
 *   symbols  [n], pairs [2n] scratch: there are n - 1 pairs at first, and a merge removes one and adds at most two
 *   splits   [vocab->n] scratch if vocab->has_unused, else NULL
 * Returns the number of pieces.  Cannot fail.  Time is n log n.
 */
int32_t bpe_segment(int32_t *ids, int32_t *spans, const heed_vocab *vocab, const char *text, int32_t n,
                    bpe_symbol *symbols, bpe_pair *pairs, int32_t *splits);

#endif /* HEED_TEXT_SEGMENT_H */
