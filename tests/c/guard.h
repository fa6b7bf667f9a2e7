/*
 * guard.h - float and byte buffers that notice when somebody writes outside of them, and awkward numbers to put in;
 * included by the tests of kernels and ops.
 *
 * A buffer begins 4 bytes after an aligned address, because kernels promise to work with no alignment but the
 * type's.  Canaries stand on both sides; under AddressSanitizer nothing follows the last element, so a read past
 * the end is seen too.
 */
#ifndef HEED_TESTS_GUARD_H
#define HEED_TESTS_GUARD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define GUARD_TAIL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARD_TAIL 0
#endif
#endif
#ifndef GUARD_TAIL
#define GUARD_TAIL 64
#endif

enum { GUARD_HEAD = 4, GUARD_BYTE = 0x5a };

typedef struct {
    unsigned char *block;
    size_t bytes;
} guard;

/* `bytes` of writable memory, 4 past a multiple of 16 from malloc; filled with NaNs. */
static inline void *guard_new(guard *g, size_t bytes) {
    g->bytes = bytes;
    g->block = malloc(GUARD_HEAD + bytes + GUARD_TAIL);
    if (g->block == NULL) exit(3);
    memset(g->block, GUARD_BYTE, GUARD_HEAD + bytes + GUARD_TAIL);
    memset(g->block + GUARD_HEAD, 0xff, bytes);
    return g->block + GUARD_HEAD;
}

/* Frees; 1 if both canaries are whole. */
static inline int guard_end(guard *g) {
    int whole = 1;
    for (size_t i = 0; i < GUARD_HEAD; i++) whole &= g->block[i] == GUARD_BYTE;
    for (size_t i = 0; i < GUARD_TAIL; i++) whole &= g->block[GUARD_HEAD + g->bytes + i] == GUARD_BYTE;
    free(g->block);
    return whole;
}

static uint32_t guard_seed = 2463534242u;

/* -1 <= x < 1 in steps of 2^-23. */
static inline float guard_random(void) {
    guard_seed ^= guard_seed << 13;
    guard_seed ^= guard_seed >> 17;
    guard_seed ^= guard_seed << 5;
    return (float)(guard_seed >> 8) / 8388608.0f - 1.0f;
}

/* Random numbers of size `scale`, with zeros of both signs, a denormal, large and tiny ones strewn in. */
static inline void guard_fill(float *x, size_t n, float scale) {
    static const float awkward[] = {0.0f, -0.0f, 1e-42f, -1e-42f, 1e-20f, 100.0f, -100.0f, 1.0f};
    for (size_t i = 0; i < n; i++) {
        x[i] = guard_random() * scale;
        if (guard_seed % 11 == 0) x[i] = awkward[guard_seed / 11 % (sizeof awkward / sizeof *awkward)];
    }
}

/* 1 if |got - want| <= bound for every element; prints the worst otherwise. */
static inline int guard_within(const char *name, const float *got, const float *want, const float *bound, size_t n) {
    size_t worst = 0;
    double excess = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double d = got[i] == want[i] ? 0.0 : fabs((double)got[i] - want[i]);
        const double over = isnan(d) ? INFINITY : d - bound[i];
        if (over > excess) {
            excess = over;
            worst = i;
        }
    }
    if (excess > 0.0)
        printf("%s: at %zu of %zu: got %.9g, want %.9g within %.3g\n", name, worst, n, (double)got[worst],
               (double)want[worst], (double)bound[worst]);
    return excess <= 0.0;
}

#endif /* HEED_TESTS_GUARD_H */
