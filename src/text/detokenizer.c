/* detokenizer.c - see detokenizer.h for the contract. */
#include "text/detokenizer.h"

#include <string.h>

#include "text/utf8.h"

enum { MAX_CHARACTER = 4, N_SPACE = sizeof UTF8_SPACE - 1 };

typedef struct {
    char *text;
    size_t capacity, length;
    char bytes[MAX_CHARACTER]; /* of byte pieces, not yet a character */
    size_t n_bytes;
} output;

static void put(output *out, const char *bytes, size_t n) {
    if (n <= out->capacity && out->length <= out->capacity - n) memcpy(out->text + out->length, bytes, n);
    out->length = n > SIZE_MAX - out->length ? SIZE_MAX : out->length + n;
}

/* The first character of the waiting bytes. */
static void put_character(output *out) {
    const int length = utf8_decode(out->bytes, out->n_bytes);
    const size_t n = length ? (size_t)length : 1;
    if (length) put(out, out->bytes, n);
    else put(out, UTF8_REPLACEMENT, sizeof UTF8_REPLACEMENT - 1);
    out->n_bytes -= n;
    memmove(out->bytes, out->bytes + n, out->n_bytes);
}

static void put_byte(output *out, int byte) {
    out->bytes[out->n_bytes++] = (char)byte;
    if (out->n_bytes == MAX_CHARACTER) put_character(out);
}

static int begins_with_space(const char *piece, size_t n) {
    return n >= N_SPACE && memcmp(piece, UTF8_SPACE, N_SPACE) == 0;
}

static void put_piece(output *out, const char *piece, size_t n) {
    while (n > 0) {
        size_t run = 0;
        while (run < n && !begins_with_space(piece + run, n - run)) run++;
        put(out, piece, run);
        if (run == n) break;
        put(out, " ", 1);
        piece += run + N_SPACE;
        n -= run + N_SPACE;
    }
}

heed_status detokenizer_run(const heed_detokenizer *detokenizer, char *text, size_t capacity, size_t *length,
                            const char *pieces, const int32_t *lengths, int32_t n) {
    const heed_vocab *vocab = detokenizer->vocab;
    output out = {.text = text, .capacity = capacity};
    int at_start = detokenizer->add_dummy_prefix || detokenizer->remove_extra_whitespaces;
    int took_space = 0;
    *length = 0;
    for (int32_t i = 0; i < n; i++) {
        if (lengths[i] < 0) return HEED_E_ARGUMENT;
        const char *piece = pieces;
        size_t n_piece = (size_t)lengths[i];
        pieces += n_piece;
        const int32_t id = vocab_find(vocab, piece, n_piece);
        const int type = vocab->type[id];
        if (type == HEED_PIECE_BYTE) {
            put_byte(&out, spm_byte_value((spm_bytes){piece, n_piece}));
            continue;
        }
        while (out.n_bytes > 0) put_character(&out);
        if (out.length > INT32_MAX) return HEED_E_LENGTH;
        if (took_space || out.length > 0) at_start = 0;
        took_space = 0;
        if (type == HEED_PIECE_CONTROL) continue;
        const size_t n_unk = (size_t)(vocab->start[vocab->unk + 1] - vocab->start[vocab->unk]);
        if (type == HEED_PIECE_UNKNOWN && n_piece == n_unk &&
            memcmp(piece, vocab->text + vocab->start[id], n_unk) == 0) {
            put(&out, detokenizer->unk_surface, detokenizer->n_unk_surface);
            continue;
        }
        if (at_start && begins_with_space(piece, n_piece)) {
            piece += N_SPACE;
            n_piece -= N_SPACE;
            took_space = !detokenizer->remove_extra_whitespaces;
        }
        put_piece(&out, piece, n_piece);
    }
    while (out.n_bytes > 0) put_character(&out);
    *length = out.length;
    return out.length > INT32_MAX ? HEED_E_LENGTH : HEED_OK;
}
