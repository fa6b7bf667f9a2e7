/*
 * detokenizer.h - pieces to text.
 *
 *     "▁Hello" "▁w" "örld" "</s>"  ->  "Hello wörld"
 *
 * Depends on: text/vocab.h, text/utf8.h.  Used by: text/tokenizer.c.
 */
#ifndef HEED_TEXT_DETOKENIZER_H
#define HEED_TEXT_DETOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "text/vocab.h"

typedef struct {
    const heed_vocab *vocab;
    const char *unk_surface; /* what the unknown piece itself becomes */
    size_t n_unk_surface;
    int add_dummy_prefix, remove_extra_whitespaces; /* of the file's normalizer */
} heed_detokenizer;

/*
 * Join n pieces: control pieces vanish, byte pieces become characters (U+FFFD for each byte that is not part of one),
 * the unknown piece becomes its surface, U+2581 a space.  One U+2581 at the very start is dropped (with
 * remove_extra_whitespaces: one of each piece until there is text).  A string that is not a piece of this file is
 * treated as a normal piece, because it may be a piece of the other language's file.
 *   text     [capacity] written
 *   *length  written: bytes of the text; if above capacity, the text is unusable: call again with this capacity
 *   pieces   the strings, one after another      lengths [n] their bytes
 * HEED_E_ARGUMENT: a negative length.  HEED_E_LENGTH: the text exceeds INT32_MAX bytes.
 */
heed_status detokenizer_run(const heed_detokenizer *detokenizer, char *text, size_t capacity, size_t *length,
                            const char *pieces, const int32_t *lengths, int32_t n);

#endif /* HEED_TEXT_DETOKENIZER_H */
