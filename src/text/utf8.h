/*
 * utf8.h - UTF-8 as SentencePiece reads it, and positions in UTF-16 units as JavaScript counts them.
 *
 *     bytes                 decoded              UTF-16 units
 *     valid 1..3 bytes      the code point       1
 *     valid 4 bytes         the code point       2
 *     anything else         U+FFFD, one byte     1
 *
 * Overlong forms, surrogates and numbers past U+10FFFF are "anything else".
 *
 * Depends on: nothing.  Used by: the rest of text/.
 */
#ifndef HEED_TEXT_UTF8_H
#define HEED_TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */
#define UTF8_SPACE       "\xE2\x96\x81" /* U+2581, which stands for a space in pieces */

/*
 * Bytes of the valid character at text[0..n), 1 to 4, or 0 if the bytes there are not valid (the
 * caller then takes one byte for U+FFFD).  n > 0.
 */
int utf8_decode(const char *text, size_t n);

/* Length of a character according to its first byte, valid or not: 1 to 4, at most n.  n > 0. */
static inline int utf8_lead_length(const char *text, size_t n) {
    const unsigned char lead = (unsigned char)*text;
    const size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return (int)(length < n ? length : n);
}

/* A walk through a text that turns byte positions into UTF-16 positions. */
typedef struct {
    const char *text;
    size_t n;      /* bytes of text                 */
    size_t at;     /* bytes walked                  */
    int32_t units; /* UTF-16 units of those         */
} utf16_cursor;

/*
 * UTF-16 units before byte `target`, which must not decrease; inside a character: before that character.  The whole
 * walk is linear in n.  n <= INT32_MAX, so the units fit.
 */
int32_t utf16_advance(utf16_cursor *cursor, size_t target);

#endif /* HEED_TEXT_UTF8_H */
