/*
 * text_lines.h - lines that are hostile to a tokenizer, the same ones as in tests/golden/text_lines.py, and the
 * CRC-32 that hashes.txt gives of their results; included by test_text.c.
 */
#ifndef HEED_TESTS_TEXT_LINES_H
#define HEED_TESTS_TEXT_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LINE_BYTES = 1024 }; /* the longest line has 24 strings of at most 18 bytes */

typedef struct {
    char bytes[LINE_BYTES];
    size_t n;
} line;

static uint32_t sequence_state;

/* xorshift32 */
static inline uint32_t below(uint32_t n) {
    uint32_t x = sequence_state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    sequence_state = x;
    return x % n;
}

static inline void add_bytes(line *l, const char *bytes, size_t n) {
    memcpy(l->bytes + l->n, bytes, n);
    l->n += n;
}

static inline void add_code(line *l, uint32_t code) {
    char *to = l->bytes + l->n;
    if (code < 0x80) {
        to[0] = (char)code;
        l->n += 1;
    } else if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        l->n += 2;
    } else if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        l->n += 3;
    } else {
        to[0] = (char)(0xF0 | code >> 18);
        to[1] = (char)(0x80 | (code >> 12 & 0x3F));
        to[2] = (char)(0x80 | (code >> 6 & 0x3F));
        to[3] = (char)(0x80 | (code & 0x3F));
        l->n += 4;
    }
}

/* Line i of the set "points": every code point of the first plane, alone and between letters. */
static inline void points_line(line *l, int i) {
    const uint32_t number = (uint32_t)i / 2, code = number >= 0xD800 && number <= 0xDFFF ? 0xFFFD : number;
    l->n = 0;
    if (i % 2) add_bytes(l, "a", 1);
    add_code(l, code);
    if (i % 2) {
        add_bytes(l, "b ", 2);
        add_code(l, code);
    }
}

static inline void mixed_line(line *l, int i) {
    static const uint32_t pools[][2] = {
        {0x20, 0x7E},     {0x61, 0x7A},     {0x00, 0x1F},     {0xA0, 0x17F},    {0x300, 0x36F},   {0x370, 0x5FF},
        {0x600, 0x6FF},   {0x900, 0x97F},   {0xE00, 0xE7F},   {0x1100, 0x11FF}, {0x2000, 0x206F}, {0x2580, 0x259F},
        {0x3040, 0x30FF}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, {0xFE00, 0xFEFF}, {0xFF00, 0xFFFF}, {0x1F300, 0x1FAFF}};
    static const struct {
        const char *text;
        size_t n;
    } strings[] = {
#define STRING(s) {s, sizeof s - 1}
        STRING(" "),
        STRING("  "),
        STRING("\xE2\x96\x81"),
        STRING("\r\n"),
        STRING("\0"),
        STRING("\xEF\xBB\xBF"),
        STRING("\xEF\xBF\xBD"),
        STRING("</s>"),
        STRING("<unk>"),
        STRING(">>fra<<"),
        STRING("<0x41>"),
        STRING("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7"),
        STRING("\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA"),
        STRING("e\xCC\x81"),
        STRING("\xE2\x80\xAE"),
        STRING("the "),
        STRING("ba"),
        STRING("der"),
        STRING("hau"),
        STRING("lich"),
        STRING("qui"),
        STRING("ro"),
        STRING("sch"),
        STRING("zen"),
        STRING("ing"),
        STRING("\xC3\xBCn"),
        STRING("<mask>"),
        STRING("The house is "),
        STRING("ba ba"),
        STRING("nationally")
#undef STRING
    };
    enum { POOLS = sizeof pools / sizeof *pools, STRINGS = sizeof strings / sizeof *strings };
    if (i == 0) sequence_state = 2463534242u;
    l->n = 0;
    for (uint32_t parts = 1 + below(24); parts > 0; parts--) {
        const uint32_t kind = below(2 * POOLS);
        if (kind < POOLS) {
            add_code(l, pools[kind][0] + below(pools[kind][1] - pools[kind][0] + 1));
        } else {
            const uint32_t s = below(STRINGS);
            add_bytes(l, strings[s].text, strings[s].n);
        }
    }
}

static inline void broken_line(line *l, int i) {
    static const unsigned char leads[] = {0x20, 0x61, 0x80, 0xBF, 0xC0, 0xC3, 0xE0,
                                          0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF8, 0xFF};
    if (i == 0) sequence_state = 88675123u;
    l->n = 0;
    for (uint32_t parts = 1 + below(16); parts > 0; parts--) {
        const uint32_t is_lead = below(2);
        l->bytes[l->n++] = (char)(is_lead ? leads[below(sizeof leads)] : below(256));
    }
}

static inline void letters_line(line *l, int i) {
    if (i == 0) sequence_state = 521288629u;
    l->n = 0;
    for (uint32_t parts = 1 + below(32); parts > 0; parts--) l->bytes[l->n++] = "aaabbcd "[below(8)];
}

/* The CRC-32 of zlib and PNG; `crc` is that of the bytes before, 0 at the beginning. */
static inline uint32_t crc32_of(uint32_t crc, const void *bytes, size_t n) {
    static uint32_t table[256];
    const unsigned char *b = bytes;
    if (table[1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            table[i] = i;
            for (int bit = 0; bit < 8; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320u : 0);
        }
    }
    crc = ~crc;
    for (size_t i = 0; i < n; i++) crc = crc >> 8 ^ table[(crc ^ b[i]) & 0xFF];
    return ~crc;
}

#endif /* HEED_TESTS_TEXT_LINES_H */
