/* corpus.c - see corpus.h for the contract. */
#include "train/native/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"
#include "train/random.h"

/* ids of a text behind those at ids + n; their number, or 0 if there are none or too many. */
static int encode(heed_tokenizer *tokenizer, const char *text, size_t bytes, int eos, int longest, int32_t *ids) {
    heed_encoding e;
    const heed_status status = heed_tokenizer_encode(tokenizer, text, bytes, &e);
    if (status != HEED_OK) fail_status("the tokenizer", status);
    if (e.n < 1 || e.n >= longest) return 0;
    memcpy(ids, e.ids, (size_t)e.n * sizeof *ids);
    ids[e.n] = eos;
    return e.n + 1;
}

void corpus_read(corpus *c, const char *path, const char *spm_path, int eos, int swap, int longest) {
    size_t n, spm_bytes;
    unsigned char *spm = read_file(spm_path, &spm_bytes);
    char *text = (char *)read_file(path, &n);
    heed_tokenizer *tokenizer;
    const heed_status status = heed_tokenizer_create(spm, spm_bytes, &tokenizer, NULL);
    free(spm);
    if (status != HEED_OK) fail_status(spm_path, status);

    *c = (corpus){0};
    size_t n_ids = 0, max_ids = 0;
    int max_pairs = 0;
    for (char *line = text, *end; line < text + n; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + n - line));
        if (end == NULL) end = text + n;
        char *tab = memchr(line, '\t', (size_t)(end - line));
        if (tab == NULL) {
            c->n_skipped++;
            continue;
        }
        char *second = tab + 1, *stop = memchr(second, '\t', (size_t)(end - second));
        const size_t sizes[2] = {(size_t)(tab - line), (size_t)((stop ? stop : end) - second)};
        if (n_ids + 2 * (size_t)longest > max_ids) {
            max_ids = 2 * max_ids + 2 * (size_t)longest;
            c->ids = reallocate(c->ids, max_ids * sizeof *c->ids);
        }
        const int S = encode(tokenizer, swap ? second : line, sizes[swap], eos, longest, c->ids + n_ids);
        const int T = S ? encode(tokenizer, swap ? line : second, sizes[!swap], eos, longest, c->ids + n_ids + S) : 0;
        if (S == 0 || T == 0) {
            c->n_skipped++;
            continue;
        }
        if (c->n_pairs == max_pairs)
            c->pairs = reallocate(c->pairs, (size_t)(max_pairs = 2 * max_pairs + 1024) * sizeof *c->pairs);
        c->pairs[c->n_pairs++] = (heed_pair){.n_source = S, .n_target = T};
        n_ids += (size_t)S + T;
        c->tokens += T;
    }
    /* the ids have stopped moving */
    const int32_t *ids = c->ids;
    for (int i = 0; i < c->n_pairs; i++) {
        c->pairs[i].source = ids;
        c->pairs[i].target = ids + c->pairs[i].n_source;
        ids = c->pairs[i].target + c->pairs[i].n_target;
    }
    heed_tokenizer_free(tokenizer);
    free(text);
    if (c->n_pairs == 0) fail("%s: no pair of sentences in it", path);
}

/* --------------------------------------------------------------------------------- batches */

void batches_begin(batches *b, const corpus *c, uint64_t seed, double join, int longest) {
    *b = (batches){.corpus = c, .seed = seed, .join = join, .longest = longest, .ordered = -1};
    b->order = allocate((size_t)c->n_pairs * sizeof *b->order);
}

static void shuffle(batches *b) {
    const int n = b->corpus->n_pairs;
    const uint64_t key = random_key(b->seed, (uint64_t)b->epoch);
    for (int i = 0; i < n; i++) b->order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(random_uniform(key, (uint64_t)i) * (i + 1)), other = b->order[j];
        b->order[j] = b->order[i];
        b->order[i] = other;
    }
    b->ordered = b->epoch;
}

static int32_t *append(batches *b, const int32_t *ids, int n) {
    memcpy(b->ids + b->n_ids, ids, (size_t)n * sizeof *ids);
    b->n_ids += (size_t)n;
    return b->ids + b->n_ids;
}

/* The next pair of the epoch, with what is joined to it: all sources, one </s>, all targets, one </s>. */
static heed_pair next_pair(batches *b) {
    const heed_pair *pairs = b->corpus->pairs;
    const uint64_t key = random_key(random_key(b->seed, ~(uint64_t)b->epoch), (uint64_t)b->position);
    const int first = b->position++;
    heed_pair sum = pairs[b->order[first]];
    if (random_uniform(key, 0) >= b->join) return sum;

    const int wanted = 2 + (int)(random_uniform(key, 1) * 4.0);
    int n = 1;
    for (; n < wanted && b->position < b->corpus->n_pairs; n++, b->position++) {
        const heed_pair *next = &pairs[b->order[b->position]];
        if (sum.n_source + next->n_source - 1 > b->longest || sum.n_target + next->n_target - 1 > b->longest) break;
        sum.n_source += next->n_source - 1;
        sum.n_target += next->n_target - 1;
    }
    if (n == 1) return sum;
    for (int side = 0; side < 2; side++) {
        const int32_t *start = b->ids + b->n_ids;
        for (int i = 0; i < n; i++) {
            const heed_pair *p = &pairs[b->order[first + i]];
            append(b, side ? p->target : p->source, (side ? p->n_target : p->n_source) - (i < n - 1));
        }
        if (side) sum.target = start;
        else sum.source = start;
    }
    return sum;
}

int batches_next(batches *b, int tokens) {
    int sum = 0;
    b->n_pairs = 0;
    b->n_ids = 0;
    /* the joined pairs' ids must not move once pointed at: room for the whole batch, every pair at its longest */
    const size_t room = ((size_t)tokens + b->longest) * ((size_t)b->longest + 1);
    if (room > b->max_ids) b->ids = reallocate(b->ids, (b->max_ids = room) * sizeof *b->ids);
    if (b->ordered != b->epoch) shuffle(b);
    while (sum < tokens) {
        if (b->position == b->corpus->n_pairs) {
            b->epoch++;
            b->position = 0;
            shuffle(b);
        }
        if (b->n_pairs == b->max_pairs)
            b->pairs = reallocate(b->pairs, (size_t)(b->max_pairs = 2 * b->max_pairs + 256) * sizeof *b->pairs);
        b->pairs[b->n_pairs] = next_pair(b);
        sum += b->pairs[b->n_pairs++].n_target;
    }
    return sum;
}
