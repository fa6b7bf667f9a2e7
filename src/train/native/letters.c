/* letters.c - see letters.h for the contract. */
#include "train/native/letters.h"

/* The letter's code; 0 if it is no letter. */
static unsigned code_of(const char *text, size_t n) {
    const unsigned char *b = (const unsigned char *)text;
    if (n == 0) return 0;
    if (b[0] < 0x80) return (b[0] | 32u) >= 'a' && (b[0] | 32u) <= 'z' ? b[0] : 0;
    if (n < 2 || b[0] < 0xC3 || b[0] > 0xC5 || (b[1] & 0xC0) != 0x80) return 0;
    const unsigned code = (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    return code == 0xD7 || code == 0xF7 ? 0 : code; /* the signs of multiplication and division */
}

static void put(char *text, unsigned code) {
    if (code < 0x80) {
        text[0] = (char)code;
    } else {
        text[0] = (char)(0xC0 | code >> 6);
        text[1] = (char)(0x80 | (code & 0x3F));
    }
}

/* From U+0100 the two forms are neighbours: capitals have even codes, in two ranges odd ones; 2: not a pair. */
static unsigned parity_of_capitals(unsigned code) {
    if (code == 0x130 || code == 0x131 || code == 0x138 || code == 0x149 || code == 0x178 || code == 0x17F) return 2;
    return (code > 0x138 && code < 0x149) || code > 0x178;
}

static unsigned capital_of(unsigned code) {
    if (code < 0x80) return code & ~32u;
    if (code == 0xFF) return 0x178;
    if (code < 0x100) return code >= 0xE0 ? code - 32 : code;
    const unsigned parity = parity_of_capitals(code);
    return parity == 2 || (code & 1) == parity ? code : code - 1;
}

static unsigned small_of(unsigned code) {
    if (code < 0x80) return code | 32u;
    if (code == 0x178) return 0xFF;
    if (code < 0x100) return code < 0xDF ? code + 32 : code;
    const unsigned parity = parity_of_capitals(code);
    return parity == 2 || (code & 1) != parity ? code : code + 1;
}

size_t letter_bytes(const char *text, size_t n) {
    const unsigned code = code_of(text, n);
    return code == 0 ? 0 : code < 0x80 ? 1 : 2;
}

int letter_is_capital(const char *text, size_t n) {
    const unsigned code = code_of(text, n);
    return code != 0 && small_of(code) != code;
}

void letter_capitalise(char *text, size_t n) {
    const unsigned code = code_of(text, n);
    if (code) put(text, capital_of(code));
}

void letter_make_small(char *text, size_t n) {
    const unsigned code = code_of(text, n);
    if (code) put(text, small_of(code));
}
