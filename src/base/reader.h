/*
 * reader.h - reads little-endian numbers and slices from bytes that nobody vouches for.
 *
 * A read past the end sets `bad`, gives zeros from then on, and leaves nothing to read: a parser may
 * read on and look at `bad` once per record.  A loop over reader_left() therefore always ends.
 *
 * Depends on: nothing.  Used by: text/.
 */
#ifndef HEED_BASE_READER_H
#define HEED_BASE_READER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const unsigned char *at, *end;
    int bad; /* sticky: something was read that is not there */
} heed_reader;

/* A reader over n bytes, which must outlive it.  Cannot fail: bytes may be NULL if n is 0. */
heed_reader reader_over(const void *bytes, size_t n);

/* Bytes not read yet; 0 once bad. */
size_t reader_left(const heed_reader *reader);

/* A protobuf varint: 7 bits a byte, lowest first, at most 10 bytes (more than 64 bits are dropped). */
uint64_t reader_varint(heed_reader *reader);

/* Four bytes, lowest first. */
uint32_t reader_u32(heed_reader *reader);

/* The next n bytes as a reader of their own (empty and bad if they are not there); n is 64 bits as files state it. */
heed_reader reader_slice(heed_reader *reader, uint64_t n);

#endif /* HEED_BASE_READER_H */
