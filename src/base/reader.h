/*
 * reader.h - reads little-endian numbers and slices from untrusted bytes.
 *
 * A read past the end sets `bad` and returns zeros; nothing is left to read after it.  A parser may therefore check
 * `bad` once per record instead of after each read.  A loop over reader_left() always ends.
 *
 * Depends on: nothing.  Used by: text/, model/.
 */
#ifndef HEED_BASE_READER_H
#define HEED_BASE_READER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const unsigned char *at, *end;
    int bad; /* sticky: a read went past the end */
} heed_reader;

/* A reader over n bytes.  The bytes must outlive it.  Cannot fail: bytes may be NULL if n is 0. */
heed_reader reader_over(const void *bytes, size_t n);

/* Bytes not read yet; 0 once bad. */
size_t reader_left(const heed_reader *reader);

/* A protobuf varint: 7 bits per byte, lowest first, at most 10 bytes; bits above 64 are dropped. */
uint64_t reader_varint(heed_reader *reader);

/* Four bytes, lowest first. */
uint32_t reader_u32(heed_reader *reader);

/* A reader of the next n bytes; empty and bad if there are fewer.  n has 64 bits because files store it so. */
heed_reader reader_slice(heed_reader *reader, uint64_t n);

#endif /* HEED_BASE_READER_H */
