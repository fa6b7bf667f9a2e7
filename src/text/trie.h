/*
 * trie.h - a double-array trie from byte strings to numbers, in the units of Darts-clone.
 *
 * A unit is 32 bits.  A *state* is an index b of the array; the child of state b for byte c is unit b ^ c:
 *
 *     inner unit u   bits 0-7 its own byte, bit 8: a key ends here, bits 10-30 (<< 8 if bit 9) the offset o
 *                    the state behind it is  u ^ o;  if a key ends here, unit (u ^ o) ^ 0 is its leaf
 *     leaf           bit 31 set, bits 0-30 the number
 *
 * Unit 0 is the root.  The charsmap of a SentencePiece file has this form and is read in place.  The tries of pieces
 * are built in the same form at loading.
 *
 * Depends on: base/.  Used by: text/normalizer.c, text/vocab.c, text/unigram.c.
 */
#ifndef HEED_TEXT_TRIE_H
#define HEED_TEXT_TRIE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct {
    const uint32_t *units;
    uint32_t n; /* units; 0: the trie has no keys */
} heed_trie;

static inline uint32_t trie_offset(uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }

/* The state before any byte.  The trie is not empty. */
static inline uint32_t trie_root(const heed_trie *trie) { return trie_offset(trie->units[0]); }

/*
 * Follow `byte` from *state.  Returns 0 and keeps *state if no key continues with it.  Otherwise moves *state and sets
 * *value to the number of the key that ends here, or to -1.
 * Never reads outside the units, whatever they hold.
 */
static inline int trie_step(const heed_trie *trie, uint32_t *state, unsigned char byte, int32_t *value) {
    const uint32_t child = *state ^ byte;
    if (child >= trie->n) return 0;
    const uint32_t unit = trie->units[child];
    if ((unit & 0x800000FFu) != byte) return 0;
    *state = child ^ trie_offset(unit);
    *value = (unit & 0x100) && *state < trie->n ? (int32_t)(trie->units[*state] & 0x7FFFFFFFu) : -1;
    return 1;
}

/* The number of the key text[0..n), or -1. */
int32_t trie_find(const heed_trie *trie, const char *text, size_t n);

/* Number of the longest key that text[0..n) begins with, or -1; *length gets the key's bytes. */
int32_t trie_longest(const heed_trie *trie, const char *text, size_t n, size_t *length);

/*
 * Check a trie from a file: every reachable offset lies inside, no path runs in a circle, every leaf is a leaf and has
 * a number below `limit`.  *broken is set to the rule that it breaks, or NULL.
 * HEED_E_MEMORY if there is no room for the walk.
 */
heed_status trie_check(const heed_trie *trie, uint32_t limit, const char **broken);

/* One key of a trie to be built. */
typedef struct {
    const unsigned char *text; /* without NUL                    */
    int32_t length;            /* > 0                            */
    int32_t value;             /* >= 0                           */
} heed_trie_key;

/* Sort by bytes, in place.  Time is linear in the bytes of all keys, the stack logarithmic in n. */
void trie_sort(heed_trie_key *keys, int32_t n);

/*
 * Build from n sorted, different keys; no keys give an empty trie.  Free the array of *trie with arena_free_block().
 * HEED_E_MEMORY.  HEED_E_SPM: more than 2^21 units (about a million pieces), the range of an offset.
 */
heed_status trie_build(const heed_trie_key *keys, int32_t n, heed_trie *trie);

#endif /* HEED_TEXT_TRIE_H */
