/* trie.c - searching and checking; see trie.h for the contract.  Building is trie_build.c. */
#include "text/trie.h"

#include "base/arena.h"

int32_t trie_find(const heed_trie *trie, const char *text, size_t n) {
    if (trie->n == 0) return -1;
    uint32_t state = trie_root(trie);
    int32_t value = -1;
    for (size_t i = 0; i < n; i++) {
        if (!trie_step(trie, &state, (unsigned char)text[i], &value)) return -1;
    }
    return value;
}

int32_t trie_longest(const heed_trie *trie, const char *text, size_t n, size_t *length) {
    int32_t best = -1, value;
    *length = 0;
    if (trie->n == 0) return -1;
    uint32_t state = trie_root(trie);
    for (size_t i = 0; i < n && trie_step(trie, &state, (unsigned char)text[i], &value); i++) {
        if (value >= 0) {
            best = value;
            *length = i + 1;
        }
    }
    return best;
}

/* The state of the walk in trie_check(); [m] each, m = n rounded up to a multiple of 256. */
typedef struct {
    int32_t *child; /* by state: its next child to visit, or -1 */
    int32_t *next;  /* by unit: the next child of the same state, or -1 */
    int32_t *path;  /* the states from the root to here */
    int8_t *seen;   /* by state: 0 not yet, 1 on the path, 2 done */
} walk;

static void place_walk(heed_arena *arena, walk *w, size_t m) {
    w->child = arena_ints(arena, m, 1);
    w->next = arena_ints(arena, m, 1);
    w->path = arena_ints(arena, m, 1);
    w->seen = arena_push(arena, m, 1);
}

/* Walks depth first and enters each state once, so time is linear in the units even if states are shared. */
static const char *check_paths(const heed_trie *trie, uint32_t limit, walk *w, uint32_t m) {
    int32_t depth = 0;
    for (uint32_t i = 0; i < m; i++) w->child[i] = w->next[i] = -1;
    for (uint32_t i = 0; i < trie->n; i++) {
        const uint32_t unit = trie->units[i];
        if (unit >> 31) continue;
        const uint32_t state = i ^ (unit & 0xFF); /* below m: only the low 8 bits change */
        w->next[i] = w->child[state];
        w->child[state] = (int32_t)i;
    }
    const uint32_t root = trie_root(trie);
    if (root >= trie->n) return "offsets inside the trie";
    w->path[depth++] = (int32_t)root;
    w->seen[root] = 1;
    while (depth > 0) {
        const uint32_t state = (uint32_t)w->path[depth - 1];
        const int32_t child = w->child[state];
        if (child < 0) {
            w->seen[state] = 2;
            depth--;
            continue;
        }
        w->child[state] = w->next[child];
        const uint32_t unit = trie->units[child];
        const uint32_t target = (uint32_t)child ^ trie_offset(unit);
        if (target >= trie->n) return "offsets inside the trie";
        if (unit & 0x100) {
            const uint32_t leaf = trie->units[target];
            if (!(leaf >> 31)) return "a leaf where a key ends";
            if ((leaf & 0x7FFFFFFFu) >= limit) return "numbers inside the table of replacements";
        }
        if (w->seen[target] == 1) return "a trie without circles";
        if (w->seen[target] == 0) {
            w->seen[target] = 1;
            w->path[depth++] = (int32_t)target;
        }
    }
    return NULL;
}

heed_status trie_check(const heed_trie *trie, uint32_t limit, const char **broken) {
    heed_arena arena = {0};
    walk w;
    *broken = NULL;
    if (trie->n == 0 || trie->n > INT32_MAX - 256) {
        *broken = "a trie";
        return HEED_OK;
    }
    const uint32_t m = (trie->n + 255) / 256 * 256;
    place_walk(&arena, &w, m);
    void *block = arena_block(&arena);
    if (block == NULL) return HEED_E_MEMORY;
    place_walk(&arena, &w, m);
    *broken = check_paths(trie, limit, &w, m);
    arena_free_block(block);
    return HEED_OK;
}
