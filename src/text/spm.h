/*
 * spm.h - the fields of a SentencePiece model file that affect results.
 *
 *     ModelProto        1 pieces*   2 trainer_spec   3 normalizer_spec   5 denormalizer_spec
 *     SentencePiece     1 piece     2 score (f32)    3 type
 *     TrainerSpec       3 model_type   24 treat_whitespace_as_suffix   35 byte_fallback   44 unk_surface
 *     NormalizerSpec    2 precompiled_charsmap   3 add_dummy_prefix   4 remove_extra_whitespaces   5 escape_whitespaces
 *
 * Protobuf wire format: varint tag = number << 3 | wire type, then the value.  Other fields are skipped, and so are
 * these with another wire type.  If a field occurs twice the last one counts, as protobuf specifies.
 *
 * Depends on: base/.  Used by: text/vocab.c, text/tokenizer.c.
 */
#ifndef HEED_TEXT_SPM_H
#define HEED_TEXT_SPM_H

#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"
#include "base/status.h"

/* model_type of the file. */
enum { SPM_UNIGRAM = 1, SPM_BPE = 2 };

/*
 * Longest piece, replacement or unk_surface in bytes.  Real ones have some dozens.  If one could have a megabyte, a few
 * letters would fill the memory.
 */
enum { SPM_LONGEST = 1024 };

/* Bytes inside the file. */
typedef struct {
    const char *text;
    size_t n;
} spm_bytes;

typedef struct {
    spm_bytes text;
    float score;
    int32_t type; /* HEED_PIECE_ */
} spm_piece;

typedef struct {
    spm_bytes charsmap; /* empty: text stays as it is */
    int add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces;
} spm_normalizer;

typedef struct {
    int32_t n_pieces;
    size_t piece_bytes; /* sum over all pieces */
    int model_type, whitespace_as_suffix, byte_fallback;
    spm_bytes unk_surface;
    spm_normalizer normalizer, denormalizer;
} spm_file;

/*
 * Read n bytes.  pieces: NULL to count only, or [n_pieces] from an earlier call on the same bytes, written.
 * Writes *file, whose pointers point into `bytes`.  HEED_E_SPM with *report written: broken framing, no piece, a piece
 * that is empty, too long or has a NUL, a score that is not finite, an unknown type, a model that is neither unigram
 * nor BPE, an unk_surface that is too long.
 */
heed_status spm_read(const void *bytes, size_t n, spm_file *file, spm_piece *pieces, heed_report *report);

/* Split a charsmap: u32 size, that many bytes of trie units, the replacements.  0 if its sizes do not add up. */
int spm_split_charsmap(spm_bytes charsmap, spm_bytes *units, spm_bytes *strings);

/* The byte that a piece of the form <0xNN> stands for, or -1. */
int spm_byte_value(spm_bytes piece);

#endif /* HEED_TEXT_SPM_H */
