/*
 * draft.h - a pair of sentences in preparation: texts are joined and altered here before they become ids.
 *
 * Depends on: corpus.h, files.h, links.h, words.h.  Used by: batches.c, noise.c, replace.c.
 */
#ifndef HEED_TRAIN_NATIVE_DRAFT_H
#define HEED_TRAIN_NATIVE_DRAFT_H

#include "train/native/corpus.h"
#include "train/native/links.h"

/* A growing buffer of bytes, without a final NUL. */
typedef struct {
    char *bytes;
    size_t n, room;
} text_buffer;

void text_append(text_buffer *t, const char *bytes, size_t n);
/* Replace `old` bytes at `at` by bytes [n]. */
void text_replace(text_buffer *t, size_t at, size_t old, const char *bytes, size_t n);

typedef struct {
    text_buffer side[2]; /* SOURCE, TARGET */
    int32_t language;
    int is_linked; /* 1: keep the links below */
    word_link *links;
    int n_links, max_links;
    int n_words[2]; /* of the pairs as they were added */
} draft;

/* Writes all fields but is_linked, which the caller sets. */
void draft_begin(draft *d, const text_pair *pair);
/* Append a pair of the same language after a space. */
void draft_add(draft *d, const text_pair *pair);
void draft_free(draft *d);

#endif /* HEED_TRAIN_NATIVE_DRAFT_H */
