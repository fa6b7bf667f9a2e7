/* encoder.c - see encoder.h for the contract. */
#include "train/native/encoder.h"

#include <stdlib.h>
#include <string.h>

#include "train/native/files.h"
#include "train/native/words.h"

void encoder_begin(encoder *e, const char *path, int samples) {
    size_t n;
    unsigned char *bytes = read_file(path, &n);
    *e = (encoder){0};
    const heed_status status = heed_tokenizer_create(bytes, n, &e->tokenizer, NULL);
    if (status != HEED_OK) fail_status(path, status);
    if (samples) e->sampler = sampler_create(bytes, n);
    if (samples && e->sampler == NULL)
        fail("%s: found a BPE model, but --sample-source and --sample-target need a unigram one", path);
    free(bytes);
    for (int id = 0; id < heed_tokenizer_size(e->tokenizer); id++) {
        int32_t length, type;
        const char *piece = heed_tokenizer_piece(e->tokenizer, id, &length, &type);
        if (words_language(piece, (size_t)length) != (size_t)length) continue;
        e->languages = reallocate(e->languages, ((size_t)e->n_languages + 1) * sizeof *e->languages);
        e->languages[e->n_languages++] = id;
    }
}

void encoder_end(encoder *e) {
    heed_tokenizer_free(e->tokenizer);
    sampler_free(e->sampler);
    free(e->languages);
}

int32_t encoder_language(const encoder *e, const char *text, size_t n) {
    for (int i = 0; i < e->n_languages; i++) {
        int32_t length, type;
        const char *piece = heed_tokenizer_piece(e->tokenizer, e->languages[i], &length, &type);
        if ((size_t)length == n && memcmp(piece, text, n) == 0) return e->languages[i];
    }
    return NO_LANGUAGE;
}

/* Bytes of the normalised text. */
static int32_t normalised_length(const heed_encoding *e) { return e->n ? e->spans[2 * e->n - 1] : 0; }

int encoder_encode(encoder *e, int32_t *ids, int room, const char *text, size_t n, int32_t language, encoder_cut cut) {
    heed_encoding found;
    const heed_status status = heed_tokenizer_encode(e->tokenizer, text, n, &found);
    if (status != HEED_OK) fail_status("the tokenizer", status);
    const int32_t *pieces = found.ids;
    int32_t count = found.n;
    const int first = language != NO_LANGUAGE;
    if (cut.alpha > 0.0 && count > 0)
        count = sampler_cut(e->sampler, found.normalized, normalised_length(&found), cut.alpha, cut.key, &pieces);
    if (count < 1 || count + first + 1 > room) return 0;
    if (first) ids[0] = language;
    memcpy(ids + first, pieces, (size_t)count * sizeof *ids);
    ids[first + count] = e->eos;
    return first + count + 1;
}
