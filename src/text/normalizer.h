/*
 * normalizer.h - text to the form that is cut into pieces, with a map back to the original.
 *
 *     "  Ｈello\tworld "  ->  "▁Hello▁world"
 *
 * From left to right, the first of these that fits: copy a user-defined piece, apply the longest rule of the charsmap,
 * copy one character (an invalid byte becomes U+FFFD).  Then, each if the file says so: remove spaces at the ends and
 * all but one of a run, add a dummy space, turn all spaces into U+2581.
 *
 * Depends on: base/, text/spm.h, text/trie.h, text/utf8.h.  Used by: text/tokenizer.c.
 */
#ifndef HEED_TEXT_NORMALIZER_H
#define HEED_TEXT_NORMALIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "text/spm.h"
#include "text/trie.h"

typedef struct {
    int add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces, whitespace_as_suffix;
    heed_trie rules;       /* from text to an index in `strings`; n == 0: no rules */
    const char *strings;   /* replacements, each ended by NUL */
    const heed_trie *user; /* user-defined pieces; NULL: none */
} heed_normalizer;

/* Check the charsmap of `from`.  HEED_E_SPM with *report, HEED_E_MEMORY. */
heed_status normalizer_check(const spm_normalizer *from, const char *name, heed_report *report);

/* Lay out the normalizer of a checked file, without `user`.  Writes *normalizer unless the arena measures. */
void normalizer_place(heed_arena *arena, const spm_normalizer *from, heed_normalizer *normalizer);

/* The buffers for the result. */
typedef struct {
    char *text;   /* [capacity] written                                                      */
    int32_t *map; /* [capacity + 1] written: UTF-16 position in the input that byte i comes from, and of the
                        end; may be NULL */
    size_t capacity;
    size_t length; /* written: bytes of the result; if above capacity, the capacity to try again with */
} heed_normalized;

/*
 * Normalise n bytes.  HEED_E_LENGTH if input or result exceed INT32_MAX bytes.  If out->length is above out->capacity
 * afterwards, text and map are unusable.  Time is linear in n (times the longest rule).
 */
heed_status normalizer_run(const heed_normalizer *normalizer, const char *utf8, size_t n, heed_normalized *out);

#endif /* HEED_TEXT_NORMALIZER_H */
