/*
 * letters.h - the Latin letters U+0041-U+017F in UTF-8, and their upper and lower case.
 *
 * Both cases of a letter have the same number of bytes, so case changes in place.  Letters without exactly one other
 * case in that range do not change: ß, ŉ, ĸ, ſ, and the Turkish İ and ı.
 *
 * Depends on: nothing.  Used by: noise.c, replace.c.
 */
#ifndef HEED_TRAIN_NATIVE_LETTERS_H
#define HEED_TRAIN_NATIVE_LETTERS_H

#include <stddef.h>

/* Bytes of the letter at text [n]: 1 or 2; 0 if it is no letter. */
size_t letter_bytes(const char *text, size_t n);
int letter_is_capital(const char *text, size_t n);
/* Put the letter at text [n] in upper case, if it has one; nothing else changes. */
void letter_capitalise(char *text, size_t n);
void letter_make_small(char *text, size_t n);

#endif /* HEED_TRAIN_NATIVE_LETTERS_H */
