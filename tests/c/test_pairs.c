/*
 * test_pairs.c - test_relaxed.c over the products of pairs, which heed-pairs.wasm has.
 */
#define HEED_PAIRS
#include "test_relaxed.c"
