/* spm.c - see spm.h for the contract. */
#include "text/spm.h"

#include <math.h>
#include <string.h>

#include "base/reader.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

/* One field of a message. */
typedef struct {
    uint64_t number;
    int wire;
    uint64_t varint;   /* VARINT  */
    uint32_t fixed;    /* FIXED32 */
    heed_reader bytes; /* BYTES   */
} field;

/* The next field of a message; 0 at its end, or with message->bad. */
static int next_field(heed_reader *message, field *f) {
    if (reader_left(message) == 0) return 0;
    const uint64_t tag = reader_varint(message);
    f->number = tag >> 3;
    f->wire = (int)(tag & 7);
    if (f->wire == VARINT) {
        f->varint = reader_varint(message);
    } else if (f->wire == BYTES) {
        f->bytes = reader_slice(message, reader_varint(message));
    } else if (f->wire == FIXED32) {
        f->fixed = reader_u32(message);
    } else if (f->wire == FIXED64) {
        reader_slice(message, 8);
    } else {
        message->bad = 1; /* groups are obsolete, and 6 and 7 are not defined */
    }
    if (f->number == 0) message->bad = 1;
    return !message->bad;
}

static int is_field(const field *f, uint64_t number, int wire) { return f->number == number && f->wire == wire; }

static spm_bytes as_bytes(const heed_reader *slice) { return (spm_bytes){(const char *)slice->at, reader_left(slice)}; }

/* Enums and ints are stored with 64 bits.  One that does not fit becomes -1, which no enum has. */
static int32_t as_int(uint64_t varint) { return varint <= INT32_MAX ? (int32_t)varint : -1; }

/* The readers of messages return 0 if the framing is broken. */
static int read_piece(heed_reader message, spm_piece *piece) {
    field f;
    *piece = (spm_piece){{"", 0}, 0.0f, HEED_PIECE_NORMAL};
    while (next_field(&message, &f)) {
        if (is_field(&f, 1, BYTES)) piece->text = as_bytes(&f.bytes);
        else if (is_field(&f, 2, FIXED32)) memcpy(&piece->score, &f.fixed, sizeof piece->score);
        else if (is_field(&f, 3, VARINT)) piece->type = as_int(f.varint);
    }
    return !message.bad;
}

static int read_trainer(heed_reader message, spm_file *file) {
    field f;
    while (next_field(&message, &f)) {
        if (is_field(&f, 3, VARINT)) file->model_type = as_int(f.varint);
        else if (is_field(&f, 24, VARINT)) file->whitespace_as_suffix = f.varint != 0;
        else if (is_field(&f, 35, VARINT)) file->byte_fallback = f.varint != 0;
        else if (is_field(&f, 44, BYTES)) file->unk_surface = as_bytes(&f.bytes);
    }
    return !message.bad;
}

static int read_normalizer(heed_reader message, spm_normalizer *normalizer) {
    field f;
    while (next_field(&message, &f)) {
        if (is_field(&f, 2, BYTES)) normalizer->charsmap = as_bytes(&f.bytes);
        else if (is_field(&f, 3, VARINT)) normalizer->add_dummy_prefix = f.varint != 0;
        else if (is_field(&f, 4, VARINT)) normalizer->remove_extra_whitespaces = f.varint != 0;
        else if (is_field(&f, 5, VARINT)) normalizer->escape_whitespaces = f.varint != 0;
    }
    return !message.bad;
}

static heed_status check_piece(const spm_piece *piece, int32_t index, heed_report *report) {
    if (piece->text.n == 0) return status_report(HEED_E_SPM, report, "pieces", "a piece that is not empty", index);
    if (piece->text.n > SPM_LONGEST)
        return status_report(HEED_E_SPM, report, "pieces", "a piece of at most 1024 bytes", index);
    if (memchr(piece->text.text, 0, piece->text.n))
        return status_report(HEED_E_SPM, report, "pieces", "a piece without NUL bytes", index);
    if (!isfinite(piece->score))
        return status_report(HEED_E_SPM, report, "pieces", "a score that is a finite number", index);
    if (piece->type < HEED_PIECE_NORMAL || piece->type > HEED_PIECE_BYTE) {
        return status_report(HEED_E_SPM, report, "pieces", "a type from 1 (normal) to 6 (byte)", piece->type);
    }
    return HEED_OK;
}

heed_status spm_read(const void *bytes, size_t n, spm_file *file, spm_piece *pieces, heed_report *report) {
    static const spm_normalizer defaults = {{"", 0}, 1, 1, 1};
    static const char unk_surface[] = " \xE2\x81\x87 "; /* U+2047 between spaces */
    heed_reader message = reader_over(bytes, n);
    const unsigned char *start = message.at;
    field f;
    int ok = 1;
    *file = (spm_file){.model_type = SPM_UNIGRAM,
                       .unk_surface = {unk_surface, sizeof unk_surface - 1},
                       .normalizer = defaults,
                       .denormalizer = defaults};
    status_report(HEED_OK, report, NULL, NULL, 0);
    if (n > INT32_MAX) return status_report(HEED_E_SPM, report, NULL, "a file below 2 GiB", 0);

    while (ok && next_field(&message, &f)) {
        if (is_field(&f, 1, BYTES)) {
            spm_piece piece;
            ok = read_piece(f.bytes, &piece);
            const heed_status status = ok ? check_piece(&piece, file->n_pieces, report) : HEED_OK;
            if (status != HEED_OK) return status;
            if (pieces) pieces[file->n_pieces] = piece;
            file->n_pieces++;
            file->piece_bytes += piece.text.n;
        } else if (is_field(&f, 2, BYTES)) {
            ok = read_trainer(f.bytes, file);
        } else if (is_field(&f, 3, BYTES)) {
            ok = read_normalizer(f.bytes, &file->normalizer);
        } else if (is_field(&f, 5, BYTES)) {
            ok = read_normalizer(f.bytes, &file->denormalizer);
        }
    }
    if (!ok || message.bad) {
        return status_report(HEED_E_SPM, report, NULL,
                             "a whole SentencePiece model; this file is cut off, or something else",
                             (int32_t)(message.at - start));
    }
    if (file->n_pieces == 0) return status_report(HEED_E_SPM, report, "pieces", "at least one piece", 0);
    if (file->model_type != SPM_UNIGRAM && file->model_type != SPM_BPE) {
        return status_report(HEED_E_SPM, report, "trainer_spec.model_type", "1 (unigram) or 2 (BPE)", file->model_type);
    }
    if (file->unk_surface.n > SPM_LONGEST) {
        return status_report(HEED_E_SPM, report, "trainer_spec.unk_surface", "at most 1024 bytes",
                             (int32_t)file->unk_surface.n);
    }
    return HEED_OK;
}

int spm_split_charsmap(spm_bytes charsmap, spm_bytes *units, spm_bytes *strings) {
    heed_reader reader = reader_over(charsmap.text, charsmap.n);
    const heed_reader trie = reader_slice(&reader, reader_u32(&reader));
    *units = as_bytes(&trie);
    *strings = as_bytes(&reader);
    return !reader.bad && units->n > 0 && units->n % 4 == 0 && strings->n > 0;
}

int spm_byte_value(spm_bytes piece) {
    static const char digits[] = "0123456789ABCDEF";
    if (piece.n != 6 || memcmp(piece.text, "<0x", 3) != 0 || piece.text[5] != '>') return -1;
    const char *high = memchr(digits, piece.text[3], 16), *low = memchr(digits, piece.text[4], 16);
    return high && low ? (int)(high - digits) * 16 + (int)(low - digits) : -1;
}
