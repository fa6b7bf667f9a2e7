/* sampling.c - see sampling.h for the contract. */
#include "train/native/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"
#include "text/vocab.h"
#include "train/native/files.h"
#include "train/random.h"

/* The score of an unknown character below the least probable piece, as in unigram.c. */
static const double UNKNOWN_PENALTY = 10.0;

/* A piece that ends somewhere in the text. */
typedef struct {
    double weight;  /* log of the sum over all cuts of which it is the last piece */
    int32_t start;  /* where it begins                                            */
    int32_t id;     /* of the piece                                               */
    int32_t before; /* another piece with the same end, or -1                     */
} edge;

struct sampler {
    heed_vocab vocab;
    void *block; /* of the vocabulary */
    edge *edges;
    int32_t n_edges, max_edges;
    double *sums;  /* [room + 1] log of the sum over all cuts of the text before a byte */
    int32_t *last; /* [room + 1] the last edge that ends there, or -1                   */
    int32_t *ids;  /* [room] from the end of the text                                   */
    int32_t room;
};

static void read_vocab(sampler *s, const void *spm, size_t bytes, const spm_file *counted) {
    spm_file file = *counted;
    vocab_draft draft;
    heed_arena arena = {0};
    spm_piece *pieces = allocate((size_t)file.n_pieces * sizeof *pieces);
    heed_trie_key *keys = allocate((size_t)file.n_pieces * sizeof *keys);
    heed_status status = spm_read(spm, bytes, &file, pieces, NULL);
    if (status == HEED_OK) status = vocab_draft_create(&file, pieces, keys, &draft, NULL);
    if (status != HEED_OK) fail_status("the vocabulary", status);
    vocab_place(&arena, &draft, &s->vocab);
    s->block = arena_block(&arena);
    if (s->block == NULL) fail_status("the vocabulary", HEED_E_MEMORY);
    vocab_place(&arena, &draft, &s->vocab);
    vocab_draft_free(&draft);
    free(pieces);
    free(keys);
}

sampler *sampler_create(const void *spm, size_t bytes) {
    spm_file file;
    const heed_status status = spm_read(spm, bytes, &file, NULL, NULL);
    if (status != HEED_OK) fail_status("the vocabulary", status);
    if (file.model_type != SPM_UNIGRAM) return NULL;
    sampler *s = allocate(sizeof *s);
    *s = (sampler){0};
    read_vocab(s, spm, bytes, &file);
    return s;
}

void sampler_free(sampler *s) {
    if (s == NULL) return;
    arena_free_block(s->block);
    free(s->edges);
    free(s->sums);
    free(s->last);
    free(s->ids);
    free(s);
}

static void reserve(sampler *s, int32_t n) {
    if (n <= s->room) return;
    s->room = n > INT32_MAX / 2 ? n : 2 * n;
    s->sums = reallocate(s->sums, ((size_t)s->room + 1) * sizeof *s->sums);
    s->last = reallocate(s->last, ((size_t)s->room + 1) * sizeof *s->last);
    s->ids = reallocate(s->ids, (size_t)s->room * sizeof *s->ids);
}

/* Adds a piece from `start` to `end` with score `score`. */
static void add_edge(sampler *s, int32_t start, int32_t end, int32_t id, double score) {
    if (s->n_edges == s->max_edges)
        s->edges = reallocate(s->edges, (size_t)(s->max_edges = 2 * s->max_edges + 1024) * sizeof *s->edges);
    const double weight = s->sums[start] + score, sum = s->sums[end];
    s->edges[s->n_edges] = (edge){weight, start, id, s->last[end]};
    if (s->last[end] < 0) s->sums[end] = weight;
    else s->sums[end] = sum > weight ? sum + log1p(exp(weight - sum)) : weight + log1p(exp(sum - weight));
    s->last[end] = s->n_edges++;
}

/* Adds all pieces of the text: those that unigram_segment() considers. */
static void filter(sampler *s, const char *text, int32_t n, double alpha) {
    const heed_vocab *v = &s->vocab;
    const double unknown = (double)v->min_score - UNKNOWN_PENALTY;
    s->n_edges = 0;
    for (int32_t i = 0; i <= n; i++) s->last[i] = -1;
    s->sums[0] = 0.0;
    for (int32_t start = 0; start < n;) {
        const int32_t character = utf8_lead_length(text + start, (size_t)(n - start));
        uint32_t state = trie_root(&v->pieces);
        int32_t id;
        int has_character = 0;
        for (int32_t end = start; end < n && trie_step(&v->pieces, &state, (unsigned char)text[end], &id);) {
            end++;
            if (id < 0 || v->type[id] == HEED_PIECE_UNUSED) continue;
            double score = v->score[id];
            if (v->type[id] == HEED_PIECE_USER_DEFINED) score = (double)(end - start) * v->max_score - 0.1;
            add_edge(s, start, end, id, alpha * score);
            has_character |= end - start == character;
        }
        if (!has_character) add_edge(s, start, start + character, v->unk, alpha * unknown);
        start += character;
    }
}

/* Draws the piece that ends at `end` by its share of all cuts up to there. */
static const edge *draw(const sampler *s, int32_t end, double random) {
    const edge *e = &s->edges[s->last[end]];
    for (;; e = &s->edges[e->before]) {
        random -= exp(e->weight - s->sums[end]);
        if (random < 0.0 || e->before < 0) return e; /* the last one: the shares add up to 1, except for rounding */
    }
}

int32_t sampler_cut(sampler *s, const char *text, int32_t n, double alpha, uint64_t key, const int32_t **ids) {
    const heed_vocab *v = &s->vocab;
    int32_t count = 0;
    reserve(s, n);
    filter(s, text, n, alpha);
    for (int32_t end = n, i = 0; end > 0; i++) {
        const edge *e = draw(s, end, random_uniform(key, (uint64_t)i));
        if (e->id == v->unk && v->byte_fallback) {
            while (end > e->start) s->ids[count++] = v->byte_id[(unsigned char)text[--end]];
        } else if (e->id != v->unk || count == 0 || s->ids[count - 1] != v->unk) {
            s->ids[count++] = e->id; /* neighbouring unknown pieces become one */
        }
        end = e->start;
    }
    for (int32_t i = 0, j = count - 1; i < j; i++, j--) {
        const int32_t other = s->ids[i];
        s->ids[i] = s->ids[j];
        s->ids[j] = other;
    }
    *ids = s->ids;
    return count;
}
