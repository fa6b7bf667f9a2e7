/* utf8.c - see utf8.h for the contract. */
#include "text/utf8.h"

static int is_trail(unsigned char byte) { return (byte & 0xC0) == 0x80; }

int utf8_decode(const char *text, size_t n) {
    const unsigned char *b = (const unsigned char *)text;
    if (b[0] < 0x80) return 1;
    if (n >= 2 && (b[0] & 0xE0) == 0xC0) {
        return is_trail(b[1]) && b[0] >= 0xC2 ? 2 : 0; /* C0 and C1 would be overlong */
    }
    if (n >= 3 && (b[0] & 0xF0) == 0xE0) {
        const uint32_t code = (uint32_t)(b[0] & 0x0F) << 12 | (uint32_t)(b[1] & 0x3F) << 6 | (b[2] & 0x3F);
        const int is_surrogate = code >= 0xD800 && code < 0xE000;
        return is_trail(b[1]) && is_trail(b[2]) && code >= 0x800 && !is_surrogate ? 3 : 0;
    }
    if (n >= 4 && (b[0] & 0xF8) == 0xF0) {
        const uint32_t code = (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3F) << 12 |
                              (uint32_t)(b[2] & 0x3F) << 6 | (b[3] & 0x3F);
        return is_trail(b[1]) && is_trail(b[2]) && is_trail(b[3]) && code >= 0x10000 && code <= 0x10FFFF ? 4 : 0;
    }
    return 0;
}

int32_t utf16_advance(utf16_cursor *cursor, size_t target) {
    while (cursor->at < target) {
        const int length = utf8_decode(cursor->text + cursor->at, cursor->n - cursor->at);
        const size_t step = length ? (size_t)length : 1;
        if (step > target - cursor->at) break;
        cursor->at += step;
        cursor->units += step == 4 ? 2 : 1;
    }
    return cursor->units;
}
