/* sha256.c - see sha256.h for the contract. */
#include "base/sha256.h"

#include <string.h>

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t big_endian(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void compress(uint32_t *h, const unsigned char *block) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++) w[i] = big_endian(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        const uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        const uint32_t a = v[0], e = v[4];
        const uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        const uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        const uint32_t choice = (e & v[5]) ^ (~e & v[6]);
        const uint32_t majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        const uint32_t t = v[7] + s1 + choice + K[i] + w[i];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + s0 + majority;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void sha256_begin(sha256 *s) {
    /* Fractional parts of the square roots of the first 8 primes. */
    *s =
        (sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_update(sha256 *s, const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    const size_t held = (size_t)(s->length % SHA256_BLOCK);
    s->length += n;
    if (held > 0) {
        const size_t room = SHA256_BLOCK - held, taken = n < room ? n : room;
        if (taken > 0) memcpy(s->block + held, at, taken);
        if (taken < room) return;
        compress(s->h, s->block);
        at += taken;
        n -= taken;
    }
    for (; n >= SHA256_BLOCK; n -= SHA256_BLOCK, at += SHA256_BLOCK) compress(s->h, at);
    if (n > 0) memcpy(s->block, at, n);
}

void sha256_end(sha256 *s, unsigned char *digest) {
    const uint64_t bits = s->length * 8;
    /* padding: a one bit, zeros up to 8 bytes before the end of a block, then the length in bits */
    unsigned char end[2 * SHA256_BLOCK] = {0x80};
    const size_t held = (size_t)(s->length % SHA256_BLOCK);
    const size_t zeros = (held < SHA256_BLOCK - 8 ? SHA256_BLOCK : 2 * SHA256_BLOCK) - 8 - held;
    for (int i = 0; i < 8; i++) end[zeros + i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_update(s, end, zeros + 8);
    for (int i = 0; i < SHA256_DIGEST; i++) digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}
