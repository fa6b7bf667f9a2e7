/*
 * sha256.h - SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
 *
 * Checks files against the hashes in heed.json while they stream.  The browser's own SHA-256 needs the whole file at
 * once, and does not exist on plain http.
 *
 * Depends on: nothing.  Used by: heed.c, for hosts.
 */
#ifndef HEED_BASE_SHA256_H
#define HEED_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_DIGEST = 32 };

typedef struct {
    uint32_t h[8];
    uint64_t length;                   /* bytes so far                               */
    unsigned char block[SHA256_BLOCK]; /* the last length % SHA256_BLOCK of them     */
} sha256;

/* Sets the state before the first byte.  Cannot fail. */
void sha256_begin(sha256 *s);

/* Adds n bytes; `bytes` may be NULL if n is 0.  Cannot fail: lengths are counted modulo 2^61. */
void sha256_update(sha256 *s, const void *bytes, size_t n);

/* Writes the digest [SHA256_DIGEST] of all bytes.  Do not use the state afterwards.  Cannot fail. */
void sha256_end(sha256 *s, unsigned char *digest);

#endif /* HEED_BASE_SHA256_H */
