/* draft.c - see draft.h for the contract. */
#include "train/native/draft.h"

#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"
#include "train/native/words.h"

static void reserve(text_buffer *t, size_t n) {
    if (n > t->room) t->bytes = reallocate(t->bytes, t->room = 2 * n + 256);
}

void text_append(text_buffer *t, const char *bytes, size_t n) { text_replace(t, t->n, 0, bytes, n); }

void text_replace(text_buffer *t, size_t at, size_t old, const char *bytes, size_t n) {
    reserve(t, t->n - old + n);
    memmove(t->bytes + at + n, t->bytes + at + old, t->n - at - old);
    memcpy(t->bytes + at, bytes, n);
    t->n += n - old;
}

void draft_begin(draft *d, const text_pair *pair) {
    d->side[SOURCE].n = d->side[TARGET].n = 0;
    d->language = pair->language;
    d->n_links = d->n_words[SOURCE] = d->n_words[TARGET] = 0;
    draft_add(d, pair);
}

/* The pair's words follow those of the draft. */
static void add_links(draft *d, const text_pair *pair) {
    const int n = pair->links ? links_parse(pair->links, (size_t)pair->link_bytes, 0, NULL, 0) : 0;
    if (d->n_links + n > d->max_links)
        d->links = reallocate(d->links, (size_t)(d->max_links = 2 * (d->n_links + n) + 64) * sizeof *d->links);
    if (n > 0) links_parse(pair->links, (size_t)pair->link_bytes, pair->swapped, d->links + d->n_links, n);
    for (int i = 0; i < n; i++) {
        d->links[d->n_links + i].source += d->n_words[SOURCE];
        d->links[d->n_links + i].target += d->n_words[TARGET];
    }
    d->n_links += n;
    for (int side = 0; side < 2; side++)
        d->n_words[side] += (int)words_split(pair->text[side], (size_t)pair->bytes[side], NULL, 0);
}

void draft_add(draft *d, const text_pair *pair) {
    if (d->is_linked) add_links(d, pair);
    for (int side = 0; side < 2; side++) {
        if (d->side[side].n > 0) text_append(&d->side[side], " ", 1);
        text_append(&d->side[side], pair->text[side], (size_t)pair->bytes[side]);
    }
}

void draft_free(draft *d) {
    for (int side = 0; side < 2; side++) free(d->side[side].bytes);
    free(d->links);
}
