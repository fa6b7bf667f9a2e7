/*
 * random.h - random numbers that depend on their purpose, not on earlier numbers.
 *
 * A *key* is mixed from seed, step, part of the batch and sublayer; number i of a key is a hash of both.  So a dropout
 * mask needs no memory: the backward pass computes it again, and a continued run has the same masks.
 *
 * Depends on: nothing.  Used by: train/.
 */
#ifndef HEED_TRAIN_RANDOM_H
#define HEED_TRAIN_RANDOM_H

#include <stdint.h>

/* splitmix64's finalizer: every bit of the result depends on every bit of x. */
static inline uint64_t random_mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint64_t random_key(uint64_t key, uint64_t part) { return random_mix(key ^ random_mix(part)); }

/* Uniform in [0, 1), number `index` of the key. */
static inline double random_uniform(uint64_t key, uint64_t index) {
    return (double)(random_key(key, index) >> 11) * 0x1p-53;
}

#endif /* HEED_TRAIN_RANDOM_H */
