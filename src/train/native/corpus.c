/* corpus.c - see corpus.h for the contract. */
#include "train/native/corpus.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"
#include "train/native/links.h"
#include "train/native/words.h"

static int is_blank(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] != ' ' && text[i] != '\r') return 0;
    return 1;
}

/* Splits the language token from the source. */
static void split_language(text_pair *pair, const char *path, long line, const encoder *e) {
    const char *text = pair->text[SOURCE];
    const size_t bytes = (size_t)pair->bytes[SOURCE], n = words_language(text, bytes);
    pair->language = NO_LANGUAGE;
    if (n == 0) return;
    pair->language = encoder_language(e, text, n);
    if (pair->language == NO_LANGUAGE)
        fail("%s, line %ld: found the language token %.*s, which is not a piece of --spm", path, line, (int)n, text);
    const size_t skip = n + (n < bytes && text[n] == ' ');
    pair->text[SOURCE] += skip;
    pair->bytes[SOURCE] -= (int32_t)skip;
}

/* The links in the last of the columns [columns, end), if it has links. */
static void find_links(text_pair *pair, const char *columns, const char *end) {
    if (end > columns && end[-1] == '\r') end--;
    const char *start = end;
    while (start > columns && start[-1] != '\t') start--;
    const size_t n = (size_t)(end - start);
    if (n == 0 || n > INT32_MAX || links_parse(start, n, 0, NULL, 0) < 0) return;
    pair->links = start;
    pair->link_bytes = (int32_t)n;
}

void corpus_read(corpus *c, const char *path, const encoder *e, int swap) {
    size_t n;
    int max_pairs = 0;
    *c = (corpus){.path = path};
    c->text = (char *)read_file(path, &n);
    long number = 0;
    for (char *line = c->text, *end, *all = c->text + n; line < all; line = end + 1) {
        number++;
        end = memchr(line, '\n', (size_t)(all - line));
        if (end == NULL) end = all;
        char *tab = memchr(line, '\t', (size_t)(end - line));
        if (tab == NULL) {
            c->n_skipped++;
            continue;
        }
        char *second = tab + 1, *stop = memchr(second, '\t', (size_t)(end - second));
        const size_t sizes[2] = {(size_t)(tab - line), (size_t)((stop ? stop : end) - second)};
        if (sizes[0] > INT32_MAX || sizes[1] > INT32_MAX) fail("%s, line %ld: longer than 2 GiB", path, number);
        text_pair pair = {.text = {line, second}, .bytes = {(int32_t)sizes[0], (int32_t)sizes[1]}};
        if (swap) pair = (text_pair){.text = {second, line}, .bytes = {(int32_t)sizes[1], (int32_t)sizes[0]}};
        pair.swapped = swap;
        if (stop) find_links(&pair, stop + 1, end);
        split_language(&pair, path, number, e);
        if (is_blank(pair.text[SOURCE], (size_t)pair.bytes[SOURCE]) ||
            is_blank(pair.text[TARGET], (size_t)pair.bytes[TARGET])) {
            c->n_skipped++;
            continue;
        }
        if (c->n_pairs == max_pairs) {
            if (max_pairs > INT_MAX / 4) fail("%s: too many pairs; split the file", path);
            c->pairs = reallocate(c->pairs, (size_t)(max_pairs = 2 * max_pairs + 1024) * sizeof *c->pairs);
        }
        c->pairs[c->n_pairs++] = pair;
        c->n_linked += pair.links != NULL;
        if (pair.language != c->pairs[0].language) c->has_languages = 1;
    }
    if (c->n_pairs == 0) fail("%s: found no sentence pair, expected lines of source TAB target", path);
}

void corpus_free(corpus *c) {
    free(c->text);
    free(c->pairs);
}
