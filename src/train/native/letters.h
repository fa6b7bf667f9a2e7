/*
 * letters.h - the Latin letters U+0041-U+017F in UTF-8, and their large and small forms.
 *
 * A letter and its other form have the same number of bytes, so case changes in place.  Letters without a single
 * other form of that range stay as they are: ß, ŉ, ĸ, ſ, and the Turkish İ and ı.
 *
 * Depends on: nothing.  Used by: noise.c, replace.c.
 */
#ifndef HEED_TRAIN_NATIVE_LETTERS_H
#define HEED_TRAIN_NATIVE_LETTERS_H

#include <stddef.h>

/* Bytes of the letter at text [n]: 1 or 2; 0 if no letter is there. */
size_t letter_bytes(const char *text, size_t n);
int letter_is_capital(const char *text, size_t n);
/* Give the letter at text [n] its other form, if it has one; anything else stays. */
void letter_capitalise(char *text, size_t n);
void letter_make_small(char *text, size_t n);

#endif /* HEED_TRAIN_NATIVE_LETTERS_H */
