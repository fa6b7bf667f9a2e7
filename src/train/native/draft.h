/*
 * draft.h - a pair of sentences on its way into a batch: texts that are joined and altered before they become ids.
 *
 * Depends on: corpus.h, files.h, links.h, words.h.  Used by: batches.c, noise.c, replace.c.
 */
#ifndef HEED_TRAIN_NATIVE_DRAFT_H
#define HEED_TRAIN_NATIVE_DRAFT_H

#include "train/native/corpus.h"
#include "train/native/links.h"

/* Bytes that grow; not ended by NUL. */
typedef struct {
    char *bytes;
    size_t n, room;
} text_buffer;

void text_append(text_buffer *t, const char *bytes, size_t n);
/* Put bytes [n] in the place of the `old` bytes at `at`. */
void text_replace(text_buffer *t, size_t at, size_t old, const char *bytes, size_t n);

typedef struct {
    text_buffer side[2]; /* SOURCE, TARGET */
    int32_t language;
    int is_linked; /* the links are wanted, and kept below */
    word_link *links;
    int n_links, max_links;
    int n_words[2]; /* of the pairs as they were added */
} draft;

/* is_linked is the caller's to set; all else is written. */
void draft_begin(draft *d, const text_pair *pair);
/* Put a pair of the same language behind what is there, with a space between them. */
void draft_add(draft *d, const text_pair *pair);
void draft_free(draft *d);

#endif /* HEED_TRAIN_NATIVE_DRAFT_H */
