/*
 * normalizer.h - text to the form that pieces are cut from, with a map back to the original.
 *
 *     "  Ｈello\tworld "  ->  "▁Hello▁world"
 *
 * From left to right: a user-defined piece stays as it is, else the longest rule of the charsmap is
 * applied, else one character is copied (an invalid byte becomes U+FFFD).  Then spaces: runs and ends are
 * removed, a dummy one is added, all become U+2581, each if the file says so.
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
    heed_trie rules;       /* from text to a place in `strings`; n == 0: no rules */
    const char *strings;   /* replacements, each ended by NUL                     */
    const heed_trie *user; /* user-defined pieces; NULL: none                     */
} heed_normalizer;

/* Is the charsmap of `from` one that text can be trusted to?  HEED_E_SPM with *fault, HEED_E_MEMORY. */
heed_status normalizer_check(const spm_normalizer *from, const char *name, spm_fault *fault);

/* Lay out the normalizer of a checked file, `user` apart; *normalizer is written unless the arena measures. */
void normalizer_place(heed_arena *arena, const spm_normalizer *from, heed_normalizer *normalizer);

/* Where the result goes. */
typedef struct {
    char *text;   /* [capacity] written                                                      */
    int32_t *map; /* [capacity + 1] written: UTF-16 position in the input of what byte i was made
                        of, and of the end; NULL: not wanted                                     */
    size_t capacity;
    size_t length; /* written: bytes of the result; or, above capacity, bytes to try again with */
} heed_normalized;

/*
 * Normalise n bytes.  HEED_E_LENGTH if input or result exceed INT32_MAX bytes.  If out->length comes
 * back above out->capacity, text and map are unusable.  Time is linear in n (times the longest rule).
 */
heed_status normalizer_run(const heed_normalizer *normalizer, const char *utf8, size_t n, heed_normalized *out);

#endif /* HEED_TEXT_NORMALIZER_H */
