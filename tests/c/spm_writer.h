/*
 * spm_writer.h - writes SentencePiece files by hand, whole ones and bad ones; included by test_text.c.
 */
#ifndef HEED_TESTS_SPM_WRITER_H
#define HEED_TESTS_SPM_WRITER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heed.h"

typedef struct {
    unsigned char bytes[1 << 17];
    size_t n;
} message;

static inline void put_varint(message *m, uint64_t value) {
    for (; value >= 0x80; value >>= 7) m->bytes[m->n++] = (unsigned char)(value | 0x80);
    m->bytes[m->n++] = (unsigned char)value;
}

static inline void put_int(message *m, unsigned number, uint64_t value) {
    put_varint(m, number << 3);
    put_varint(m, value);
}

static inline void put_float(message *m, unsigned number, float value) {
    put_varint(m, number << 3 | 5);
    memcpy(m->bytes + m->n, &value, 4);
    m->n += 4;
}

static inline void put_bytes(message *m, unsigned number, const void *bytes, size_t n) {
    put_varint(m, number << 3 | 2);
    put_varint(m, n);
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

static inline void put_piece_n(message *m, const char *text, size_t n, float score, int type) {
    static message piece;
    piece.n = 0;
    put_bytes(&piece, 1, text, n);
    put_float(&piece, 2, score);
    put_int(&piece, 3, (uint64_t)type);
    put_bytes(m, 1, piece.bytes, piece.n);
}

static inline void put_piece(message *m, const char *text, float score, int type) {
    put_piece_n(m, text, strlen(text), score, type);
}

static inline void put_trainer(message *m, int model_type, int byte_fallback) {
    static message trainer;
    trainer.n = 0;
    put_int(&trainer, 3, (uint64_t)model_type);
    put_int(&trainer, 35, (uint64_t)byte_fallback);
    put_bytes(m, 2, trainer.bytes, trainer.n);
}

static inline void put_unk_surface(message *m, const char *text, size_t n) {
    static message trainer;
    trainer.n = 0;
    put_bytes(&trainer, 44, text, n);
    put_bytes(m, 2, trainer.bytes, trainer.n);
}

/* A charsmap: its size, units, replacements. */
static inline void put_charsmap(message *m, uint32_t size, const uint32_t *units, size_t n_units, const char *strings,
                                size_t n_strings) {
    static message map, spec;
    map.n = spec.n = 0;
    memcpy(map.bytes, &size, 4);
    memcpy(map.bytes + 4, units, 4 * n_units);
    memcpy(map.bytes + 4 + 4 * n_units, strings, n_strings);
    put_bytes(&spec, 2, map.bytes, 4 + 4 * n_units + n_strings);
    put_bytes(m, 3, spec.bytes, spec.n);
}

/* <unk> <s> </s> _ a b _a ab >>fra<< (user-defined) */
static inline void put_small_model(message *m, int model_type) {
    m->n = 0;
    put_piece(m, "<unk>", 0, HEED_PIECE_UNKNOWN);
    put_piece(m, "<s>", 0, HEED_PIECE_CONTROL);
    put_piece(m, "</s>", 0, HEED_PIECE_CONTROL);
    put_piece(m, "\xE2\x96\x81", -2, HEED_PIECE_NORMAL);
    put_piece(m, "a", -2, HEED_PIECE_NORMAL);
    put_piece(m, "b", -2, HEED_PIECE_NORMAL);
    put_piece(m,
              "\xE2\x96\x81"
              "a",
              -3, HEED_PIECE_NORMAL);
    put_piece(m, "ab", -3, HEED_PIECE_NORMAL);
    put_piece(m, ">>fra<<", 0, HEED_PIECE_USER_DEFINED);
    put_trainer(m, model_type, 0);
}

/* A copy at its exact size, so that a read past the end is seen. */
static inline heed_status create(const message *m, size_t n, heed_tokenizer **out, heed_report *report) {
    unsigned char *copy = malloc(n ? n : 1);
    if (copy == NULL) exit(3);
    memcpy(copy, m->bytes, n);
    const heed_status status = heed_tokenizer_create(copy, n, out, report);
    free(copy);
    return status;
}

#endif /* HEED_TESTS_SPM_WRITER_H */
