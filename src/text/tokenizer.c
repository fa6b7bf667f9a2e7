/*
 * tokenizer.c - heed_tokenizer_*: a SentencePiece file in one block, results in a second.
 *
 *     text -> normalizer -> unigram | bpe -> ids with offsets          pieces -> detokenizer -> text
 *
 * The second block, the *work*, first has room for texts of WORK_BYTES bytes after normalisation.  A longer text
 * replaces it by a block of at least twice the size.  It never shrinks.
 *
 * Depends on: heed.h (the contract), base/, the rest of text/.
 */
#include "heed.h"

#include <string.h>

#include "base/arena.h"
#include "text/detokenizer.h"
#include "text/normalizer.h"
#include "text/segment.h"
#include "text/utf8.h"
#include "text/vocab.h"

/* Enough for nearly all sentences.  The work takes 150 kB (unigram) or 280 kB (BPE). */
#ifndef WORK_BYTES /* the fuzz targets set it low, so that short texts exceed it */
#define WORK_BYTES 4096
#endif

/* Arrays for texts of up to `capacity` normalised bytes, which have at most as many pieces. */
typedef struct {
    void *block;
    size_t capacity;
    char *text;          /* [capacity] normalised, or decoded */
    int32_t *map;        /* [capacity + 1]; also holds decoded chars to denormalise */
    int32_t *ids;        /* [capacity] */
    int32_t *offsets;    /* [2 capacity] */
    int32_t *spans;      /* [2 capacity] */
    unigram_node *nodes; /* [capacity + 1] unigram */
    bpe_symbol *symbols; /* [capacity] BPE */
    bpe_pair *pairs;     /* [2 capacity] BPE */
} work_arrays;

struct heed_tokenizer {
    heed_vocab vocab;
    heed_normalizer normalizer, denormalizer;
    heed_detokenizer detokenizer;
    int32_t *splits; /* see bpe_segment() */
    work_arrays work;
};

static void place_work(heed_arena *arena, const heed_vocab *vocab, size_t capacity, work_arrays *work) {
    work->capacity = capacity;
    work->text = arena_push(arena, capacity, 1);
    work->map = arena_ints(arena, capacity + 1, 1);
    work->ids = arena_ints(arena, capacity, 1);
    work->offsets = arena_ints(arena, capacity, 2);
    work->spans = arena_ints(arena, capacity, 2);
    work->nodes = vocab->is_bpe ? NULL : arena_push(arena, capacity + 1, sizeof *work->nodes);
    work->symbols = vocab->is_bpe ? arena_push(arena, capacity, sizeof *work->symbols) : NULL;
    work->pairs = vocab->is_bpe ? arena_push(arena, capacity, 2 * sizeof *work->pairs) : NULL;
}

/* Makes room for `bytes` (<= INT32_MAX).  HEED_E_MEMORY does not change the arrays. */
static heed_status reserve(heed_tokenizer *tokenizer, size_t bytes) {
    work_arrays *old = &tokenizer->work, bigger;
    heed_arena arena = {0};
    size_t capacity = WORK_BYTES;
    if (old->block && bytes <= old->capacity) return HEED_OK;
    while (capacity < bytes) capacity *= 2;
    place_work(&arena, &tokenizer->vocab, capacity, &bigger);
    void *block = arena_block(&arena);
    if (block == NULL) return HEED_E_MEMORY;
    place_work(&arena, &tokenizer->vocab, capacity, &bigger);
    bigger.block = block;
    arena_free_block(old->block);
    *old = bigger;
    return HEED_OK;
}

/* ----------------------------------------------------------------------------------- create */

/* The whole tokenizer in one block; returns NULL while measuring. */
static heed_tokenizer *place(heed_arena *arena, const spm_file *file, const vocab_draft *draft) {
    heed_tokenizer scratch, *t = arena_push(arena, 1, sizeof *t);
    heed_tokenizer *target = t ? t : &scratch;
    vocab_place(arena, draft, &target->vocab);
    normalizer_place(arena, &file->normalizer, &target->normalizer);
    normalizer_place(arena, &file->denormalizer, &target->denormalizer);
    char *unk_surface = arena_push(arena, file->unk_surface.n, 1);
    int32_t *splits = arena_ints(arena, file->model_type == SPM_BPE ? (size_t)file->n_pieces : 0, 1);
    if (t == NULL || arena->overflow) return NULL;

    /* SentencePiece reads the surface as a C string */
    const char *end = memchr(file->unk_surface.text, 0, file->unk_surface.n);
    const size_t n_surface = end ? (size_t)(end - file->unk_surface.text) : file->unk_surface.n;
    memcpy(unk_surface, file->unk_surface.text, n_surface);
    t->normalizer.whitespace_as_suffix = file->whitespace_as_suffix;
    t->normalizer.user = t->vocab.user.n ? &t->vocab.user : NULL;
    t->detokenizer = (heed_detokenizer){.vocab = &t->vocab,
                                        .unk_surface = unk_surface,
                                        .n_unk_surface = n_surface,
                                        .add_dummy_prefix = file->normalizer.add_dummy_prefix,
                                        .remove_extra_whitespaces = file->normalizer.remove_extra_whitespaces};
    t->splits = splits;
    return t;
}

static heed_status build(const spm_file *file, const vocab_draft *draft, heed_tokenizer **out) {
    heed_arena arena = {0};
    place(&arena, file, draft);
    void *block = arena_block(&arena);
    if (block == NULL) return HEED_E_MEMORY;
    heed_tokenizer *t = place(&arena, file, draft);
    const heed_status status = reserve(t, WORK_BYTES);
    if (status == HEED_OK) *out = t;
    else arena_free_block(block);
    return status;
}

static void place_scratch(heed_arena *arena, int32_t n, spm_piece **pieces, heed_trie_key **keys) {
    *pieces = arena_push(arena, (size_t)n, sizeof **pieces);
    *keys = arena_push(arena, (size_t)n, sizeof **keys);
}

static heed_status load(const void *bytes, size_t n, heed_tokenizer **out, heed_report *report) {
    spm_file file;
    spm_piece *pieces;
    heed_trie_key *keys;
    vocab_draft draft;
    heed_arena arena = {0};
    heed_status status = spm_read(bytes, n, &file, NULL, report);
    if (status != HEED_OK) return status;
    status = normalizer_check(&file.normalizer, "normalizer_spec.precompiled_charsmap", report);
    if (status != HEED_OK) return status;
    status = normalizer_check(&file.denormalizer, "denormalizer_spec.precompiled_charsmap", report);
    if (status != HEED_OK) return status;

    place_scratch(&arena, file.n_pieces, &pieces, &keys);
    void *scratch = arena_block(&arena);
    if (scratch == NULL) return HEED_E_MEMORY;
    place_scratch(&arena, file.n_pieces, &pieces, &keys);
    status = spm_read(bytes, n, &file, pieces, report);
    if (status == HEED_OK) {
        status = vocab_draft_create(&file, pieces, keys, &draft, report);
        if (status == HEED_OK) status = build(&file, &draft, out);
        vocab_draft_free(&draft);
    }
    arena_free_block(scratch);
    return status;
}

heed_status heed_tokenizer_create(const void *bytes, size_t n, heed_tokenizer **out, heed_report *report) {
    *out = NULL;
    status_report(HEED_OK, report, NULL, NULL, 0);
    return load(bytes, n, out, report);
}

void heed_tokenizer_free(heed_tokenizer *tokenizer) {
    if (tokenizer == NULL) return;
    arena_free_block(tokenizer->work.block);
    arena_free_block(tokenizer);
}

int heed_tokenizer_size(const heed_tokenizer *tokenizer) { return tokenizer->vocab.n; }

const char *heed_tokenizer_piece(const heed_tokenizer *tokenizer, int id, int32_t *n, int32_t *type) {
    const heed_vocab *vocab = &tokenizer->vocab;
    *n = *type = 0;
    if (id < 0 || id >= vocab->n) return NULL;
    *n = vocab->start[id + 1] - vocab->start[id];
    *type = vocab->type[id];
    return vocab->text + vocab->start[id];
}

const uint8_t *heed_tokenizer_types(const heed_tokenizer *tokenizer) { return tokenizer->vocab.type; }

/* ----------------------------------------------------------------------------------- encode */

/* Joins neighbouring unknown pieces, so that a name in a foreign script is one unknown word. */
static int32_t join_unknown(work_arrays *w, int32_t n, int32_t unk) {
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (count > 0 && w->ids[i] == unk && w->ids[count - 1] == unk) {
            w->spans[2 * count - 1] = w->spans[2 * i + 1];
        } else {
            w->ids[count] = w->ids[i];
            w->spans[2 * count] = w->spans[2 * i];
            w->spans[2 * count + 1] = w->spans[2 * i + 1];
            count++;
        }
    }
    return count;
}

/*
 * Replaces unknown pieces by byte pieces, each with its byte as span.  Works from the end, as the list grows in place.
 */
static int32_t split_unknown(work_arrays *w, int32_t n, const heed_vocab *vocab) {
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) count += w->ids[i] == vocab->unk ? w->spans[2 * i + 1] - w->spans[2 * i] : 1;
    for (int32_t i = n - 1, to = count; i >= 0; i--) {
        const int32_t id = w->ids[i], start = w->spans[2 * i], end = w->spans[2 * i + 1];
        if (id == vocab->unk) {
            for (int32_t at = end - 1; at >= start; at--) {
                to--;
                w->ids[to] = vocab->byte_id[(unsigned char)w->text[at]];
                w->spans[2 * to] = at;
                w->spans[2 * to + 1] = at + 1;
                /* the last byte gets the offsets of the character, the others an empty range before it */
                w->offsets[2 * to] = w->map[start];
                w->offsets[2 * to + 1] = at == end - 1 ? w->map[end] : w->map[start];
            }
        } else {
            to--;
            w->ids[to] = id;
            w->spans[2 * to] = start;
            w->spans[2 * to + 1] = end;
            w->offsets[2 * to] = w->map[start];
            w->offsets[2 * to + 1] = w->map[end];
        }
    }
    return count;
}

heed_status heed_tokenizer_encode(heed_tokenizer *tokenizer, const char *utf8, size_t n, heed_encoding *out) {
    const heed_vocab *vocab = &tokenizer->vocab;
    work_arrays *w = &tokenizer->work;
    heed_normalized normalized;
    *out = (heed_encoding){0};
    for (;;) {
        normalized = (heed_normalized){w->text, w->map, w->capacity, 0};
        heed_status status = normalizer_run(&tokenizer->normalizer, utf8, n, &normalized);
        if (status == HEED_OK && normalized.length <= w->capacity) break;
        if (status == HEED_OK) status = reserve(tokenizer, normalized.length);
        if (status != HEED_OK) return status;
    }
    const int32_t length = (int32_t)normalized.length;
    int32_t count = vocab->is_bpe
                        ? bpe_segment(w->ids, w->spans, vocab, w->text, length, w->symbols, w->pairs, tokenizer->splits)
                        : unigram_segment(w->ids, w->spans, vocab, w->text, length, w->nodes);
    if (vocab->byte_fallback) {
        count = split_unknown(w, count, vocab);
    } else {
        count = join_unknown(w, count, vocab->unk);
        for (int32_t i = 0; i < 2 * count; i++) w->offsets[i] = w->map[w->spans[i]];
    }
    *out = (heed_encoding){count, w->ids, w->offsets, w->spans, w->text};
    return HEED_OK;
}

/* ----------------------------------------------------------------------------------- decode */

heed_status heed_tokenizer_decode(heed_tokenizer *tokenizer, const char *pieces, const int32_t *lengths, int n,
                                  const char **text, size_t *length) {
    work_arrays *w = &tokenizer->work;
    const int denormalize = tokenizer->denormalizer.rules.n > 0;
    *text = NULL;
    *length = 0;
    if (n < 0) return HEED_E_ARGUMENT;
    for (;;) {
        char *decoded = denormalize ? (char *)w->map : w->text;
        size_t needed;
        heed_status status =
            detokenizer_run(&tokenizer->detokenizer, decoded, w->capacity, &needed, pieces, lengths, n);
        if (status == HEED_OK && needed <= w->capacity && denormalize) {
            heed_normalized out = {w->text, NULL, w->capacity, 0};
            status = normalizer_run(&tokenizer->denormalizer, decoded, needed, &out);
            needed = out.length;
        }
        if (status == HEED_OK && needed <= w->capacity) {
            *text = w->text;
            *length = needed;
            return HEED_OK;
        }
        if (status == HEED_OK) status = reserve(tokenizer, needed);
        if (status != HEED_OK) return status;
    }
}
