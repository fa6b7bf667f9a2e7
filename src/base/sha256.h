/*
 * sha256.h - SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
 *
 * Files are compared with the hashes that heed.json lists while they stream: the browser's own SHA-256 wants them
 * whole, and is not there at all on plain http.
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

/* The state of no bytes yet.  Cannot fail. */
void sha256_begin(sha256 *s);

/* n bytes more, read; may be NULL if n is 0.  Cannot fail: lengths are counted modulo 2^61. */
void sha256_update(sha256 *s, const void *bytes, size_t n);

/* The digest of all bytes, written [SHA256_DIGEST].  The state is of no use afterwards.  Cannot fail. */
void sha256_end(sha256 *s, unsigned char *digest);

#endif /* HEED_BASE_SHA256_H */
