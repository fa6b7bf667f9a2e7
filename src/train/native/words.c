/* words.c - see words.h for the contract. */
#include "train/native/words.h"

#include <string.h>

enum { SPACE, LETTER, SIGN };

/* The kind and the length of the character at text, which has n bytes left; invalid UTF-8 counts as letters. */
static int classify(const unsigned char *text, size_t n, size_t *bytes) {
    const unsigned c = text[0];
    *bytes = 1;
    if (c < 0x80) {
        if (c <= ' ' || c == 0x7F) return SPACE;
        return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ? LETTER : SIGN;
    }
    if (c == 0xC2 && n >= 2 && text[1] < 0xC0) { /* U+0080-U+00BF */
        const unsigned code = text[1];
        if (code == 0xAA || code == 0xB5 || code == 0xBA) return LETTER;
        *bytes = 2;
        return code <= 0xA0 ? SPACE : SIGN;
    }
    if (c == 0xE2 && n >= 3 && text[1] >= 0x80 && text[1] <= 0x83) { /* U+2000-U+20FF */
        const unsigned code = (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
        if ((code >= 0x70 && code < 0xA0) || code >= 0xD0) return LETTER; /* small raised digits; combining signs */
        *bytes = 3;
        return code <= 0x0F || code == 0x2F || code == 0x5F ? SPACE : SIGN;
    }
    return LETTER;
}

size_t words_split(const char *text, size_t n, word *words, size_t room) {
    size_t count = 0, bytes;
    for (size_t at = 0; at < n;) {
        const size_t start = at;
        int kind = classify((const unsigned char *)text + at, n - at, &bytes);
        at += bytes;
        if (kind == SPACE) continue;
        while (kind == LETTER && at < n) {
            kind = classify((const unsigned char *)text + at, n - at, &bytes);
            if (kind == LETTER) at += bytes;
        }
        if (count < room) words[count] = (word){(uint32_t)start, (uint32_t)at};
        count++;
    }
    return count;
}

size_t words_lower(const char *text, size_t n, char *out) {
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i], next = i + 1 < n ? (unsigned char)text[i + 1] : 0;
        if (c >= 'A' && c <= 'Z') {
            out[to++] = (char)(c + 32);
        } else if (c == 0xC3 && next >= 0x80 && next <= 0x9E && next != 0x97) { /* U+00C0-U+00DE except U+00D7 */
            out[to++] = (char)c;
            out[to++] = (char)(next + 32);
            i++;
        } else if ((c == 0xC4 || c == 0xC5) && next >= 0x80 &&
                   next < 0xC0) { /* U+0100-U+017F: upper, then lower case */
            unsigned code = (c & 0x1Fu) << 6 | (next & 0x3Fu);
            if (code == 0x178) code = 0xFF;
            else if ((code < 0x138 && code != 0x130) || (code >= 0x14A && code < 0x178)) code |= 1;
            else if ((code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E)) code += code & 1;
            out[to++] = (char)(0xC0 | code >> 6);
            out[to++] = (char)(0x80 | (code & 0x3F));
            i++;
        } else {
            out[to++] = (char)c;
        }
    }
    return to;
}

size_t words_language(const char *text, size_t n) {
    if (n < 5 || text[0] != '>' || text[1] != '>') return 0;
    for (size_t i = 2; i + 1 < n && text[i] != ' '; i++)
        if (text[i] == '<') return i > 2 && text[i + 1] == '<' ? i + 2 : 0;
    return 0;
}
