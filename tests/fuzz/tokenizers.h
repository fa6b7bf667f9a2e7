/*
 * tokenizers.h - what holds for every tokenizer and text, and the tokenizers of tests/golden/text; included by the
 * fuzz targets of text.
 */
#ifndef HEED_FUZZ_TOKENIZERS_H
#define HEED_FUZZ_TOKENIZERS_H

#include <string.h>

#include "heed.h"
#include "input.h"

/* Bytes of every piece in order of out->ids: pieces [room] and lengths [out->n] written; how many pieces fit. */
static inline int join_pieces(const heed_tokenizer *t, const heed_encoding *out, char *pieces, size_t room,
                              int32_t *lengths, int most) {
    size_t used = 0;
    for (int i = 0; i < out->n; i++) {
        int32_t n, type;
        const char *piece = heed_tokenizer_piece(t, out->ids[i], &n, &type);
        if (i == most || used + (size_t)n > room) return i;
        memcpy(pieces + used, piece, (size_t)n);
        lengths[i] = n;
        used += (size_t)n;
    }
    return out->n;
}

/* UTF-16 units that n bytes can be at most: one a byte. */
static inline void check_encoding(const heed_tokenizer *t, const heed_encoding *out, size_t n) {
    REQUIRE(out->n >= 0);
    for (int i = 0; i < out->n; i++) {
        const int32_t *span = out->spans + 2 * i, *offset = out->offsets + 2 * i;
        REQUIRE(out->ids[i] >= 0 && out->ids[i] < heed_tokenizer_size(t));
        REQUIRE(span[0] == (i ? span[-1] : 0) && span[1] > span[0]); /* the pieces are the text, whole */
        REQUIRE(offset[0] >= (i ? offset[-2] : 0) && offset[1] >= offset[0] && (size_t)offset[1] <= n);
    }
}

/* Text there and back: nothing of the result is used but to see that it is sound, and the same the second time. */
static inline void check_text(heed_tokenizer *t, const char *text, size_t n) {
    enum { MOST = 256, ROOM = 1 << 14 };
    static char pieces[ROOM];
    static int32_t lengths[MOST], ids[MOST];
    heed_encoding out;
    const char *decoded;
    size_t length;
    heed_status status = heed_tokenizer_encode(t, text, n, &out);
    REQUIRE(status == HEED_OK || status == HEED_E_LENGTH || status == HEED_E_MEMORY);
    if (status != HEED_OK) return;
    check_encoding(t, &out, n);
    const int count = out.n, some = join_pieces(t, &out, pieces, ROOM, lengths, MOST);
    memcpy(ids, out.ids, (size_t)some * sizeof *ids);
    REQUIRE(heed_tokenizer_decode(t, pieces, lengths, some, &decoded, &length) == HEED_OK);
    REQUIRE(decoded != NULL);
    REQUIRE(heed_tokenizer_encode(t, text, n, &out) == HEED_OK);
    REQUIRE(out.n == count && memcmp(ids, out.ids, (size_t)some * sizeof *ids) == 0);
}

static const char *const TOKENIZERS[] = {
    "unigram",        "unigram-bytes",  "unigram-clashes", "unigram-language", "unigram-plain",  "unigram-raw",
    "unigram-spaces", "unigram-suffix", "unigram-ties",    "unigram-undo",     "unigram-unused", "bpe",
    "bpe-bytes",      "bpe-plain",      "bpe-ties",        "bpe-unused",
};
enum { N_TOKENIZERS = sizeof TOKENIZERS / sizeof *TOKENIZERS };

/* Number `index` of the list, read from the current directory's tests/golden/text once. */
static inline heed_tokenizer *golden_tokenizer(int index) {
    static heed_tokenizer *loaded[N_TOKENIZERS];
    static unsigned char bytes[1 << 16];
    char path[128];
    if (loaded[index]) return loaded[index];
    snprintf(path, sizeof path, "tests/golden/text/%s.spm", TOKENIZERS[index]);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s is missing: run in the project's directory\n", path);
        exit(2);
    }
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    REQUIRE(heed_tokenizer_create(bytes, n, &loaded[index], NULL) == HEED_OK);
    return loaded[index];
}

#endif /* HEED_FUZZ_TOKENIZERS_H */
