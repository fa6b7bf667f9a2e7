/* reader.c - see reader.h for the contract. */
#include "base/reader.h"

static void fail(heed_reader *reader) {
    reader->bad = 1;
    reader->at = reader->end;
}

heed_reader reader_over(const void *bytes, size_t n) {
    /* arithmetic on NULL is undefined, so an empty reader needs a pointer too */
    static const unsigned char nothing[1] = {0};
    const unsigned char *start = n ? bytes : nothing;
    return (heed_reader){start, start + n, 0};
}

size_t reader_left(const heed_reader *reader) { return (size_t)(reader->end - reader->at); }

uint64_t reader_varint(heed_reader *reader) {
    uint64_t value = 0;
    for (int i = 0; i < 10; i++) {
        if (reader->at == reader->end) break;
        const unsigned char byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) return value;
    }
    fail(reader);
    return 0;
}

uint32_t reader_u32(heed_reader *reader) {
    if (reader_left(reader) < 4) {
        fail(reader);
        return 0;
    }
    const unsigned char *b = reader->at;
    reader->at += 4;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

heed_reader reader_slice(heed_reader *reader, uint64_t n) {
    heed_reader slice;
    if (n > reader_left(reader)) {
        fail(reader);
        slice = (heed_reader){reader->end, reader->end, 1};
    } else {
        slice = (heed_reader){reader->at, reader->at + (size_t)n, 0};
        reader->at += (size_t)n;
    }
    return slice;
}
