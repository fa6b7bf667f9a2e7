/*
 * words.h - the words of a text, as the aligner and guided alignment count them.
 *
 * A word is a run of letters and digits, or any other single character.  White space, including no-break spaces,
 * separates words.  All bytes from 0x80 on are letters, except the signs U+00A0-U+00BF (without the ordinals and the
 * micro sign) and U+2000-U+20CF: quotes, dashes, spaces, currencies.  So every character is in exactly one word or is
 * space, and two programs that split the same bytes count the same words.
 *
 * Depends on: nothing.  Used by: align.c, corpus.c, draft.c, encoder.c, lexicon_main.c, links.c,
 * replace.c.
 */
#ifndef HEED_TRAIN_NATIVE_WORDS_H
#define HEED_TRAIN_NATIVE_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* The bytes [start, end) of a text. */
typedef struct {
    uint32_t start, end;
} word;

/* The words of text [n], n < 2^32, into words [room]; returns their number, which may exceed `room`. */
size_t words_split(const char *text, size_t n, word *words, size_t room);

/*
 * Lower-case text [n] into out [n], for ASCII and U+00C0-U+0178 (the Latin letters of western and central
 * Europe).  Returns the bytes written, at most n.
 */
size_t words_lower(const char *text, size_t n, char *out);

/* Bytes of a language token, ">>xx<<", at the beginning of text [n]; 0 if there is none. */
size_t words_language(const char *text, size_t n);

#endif /* HEED_TRAIN_NATIVE_WORDS_H */
