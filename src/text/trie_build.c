/* trie_build.c - sorting keys and laying them out as a double array; see trie.h for the contract. */
#include <assert.h>

#include "base/arena.h"
#include "text/trie.h"

enum {
    BLOCK = 256,         /* children of one state differ in the low 8 bits, so they share a block */
    WINDOW = 16,         /* the last blocks, which are searched for free units */
    MAX_UNITS = 1 << 21, /* an offset has 21 bits */
    NO_UNIT = -1
};
static const uint32_t FREE_UNIT = 0x80000000u; /* bit 31 set: no byte leads here */

/* Byte `depth` of a key, -1 past its end. */
static int byte_at(const heed_trie_key *key, int32_t depth) { return depth < key->length ? key->text[depth] : -1; }

static void swap(heed_trie_key *a, heed_trie_key *b) {
    const heed_trie_key t = *a;
    *a = *b;
    *b = t;
}

/*
 * Quicksort that compares one byte at a time: smaller | equal | greater at `depth`.  The loop sorts the largest of the
 * three parts; recursion sorts the others, which are at most half as long.
 */
static void sort_from(heed_trie_key *keys, int32_t n, int32_t depth) {
    while (n > 1) {
        int32_t smaller = 0, greater = n, i = 0;
        const int pivot = byte_at(&keys[n / 2], depth);
        while (i < greater) {
            const int byte = byte_at(&keys[i], depth);
            if (byte < pivot) swap(&keys[i++], &keys[smaller++]);
            else if (byte > pivot) swap(&keys[i], &keys[--greater]);
            else i++;
        }
        struct {
            heed_trie_key *keys;
            int32_t n, depth;
        } part[3] = {{keys, smaller, depth},
                     {keys + smaller, pivot < 0 ? 0 : greater - smaller, depth + 1},
                     {keys + greater, n - greater, depth}};
        int longest = 0;
        for (int p = 1; p < 3; p++) {
            if (part[p].n > part[longest].n) longest = p;
        }
        for (int p = 0; p < 3; p++) {
            if (p != longest) sort_from(part[p].keys, part[p].n, part[p].depth);
        }
        keys = part[longest].keys;
        n = part[longest].n;
        depth = part[longest].depth;
    }
}

void trie_sort(heed_trie_key *keys, int32_t n) { sort_from(keys, n, 0); }

/* Lay out the state that `unit` leads to.  Keys [lo, hi) share the `depth` bytes that lead to `unit`. */
typedef struct {
    int32_t lo, hi, depth;
    int32_t unit;
} task;

typedef struct {
    uint32_t *units;      /* [capacity] */
    int32_t *next, *prev; /* [capacity] ring of the free units of the window; next == NO_UNIT: taken */
    uint8_t *is_state; /* [capacity] 1: a state is here; states cannot share an index, as units store only their byte */
    task *stack;       /* [n keys]: waiting tasks have different keys */
    int32_t n, capacity;
    int32_t first; /* a free unit, or NO_UNIT                                       */
} builder;

static void place_builder(heed_arena *arena, builder *b, int32_t n_keys) {
    const size_t capacity = (size_t)b->capacity;
    b->units = arena_push(arena, capacity, sizeof *b->units);
    b->next = arena_ints(arena, capacity, 1);
    b->prev = arena_ints(arena, capacity, 1);
    b->is_state = arena_push(arena, capacity, 1);
    b->stack = arena_push(arena, (size_t)n_keys, sizeof *b->stack);
}

static void take(builder *b, int32_t unit) {
    const int32_t next = b->next[unit], prev = b->prev[unit];
    b->next[prev] = next;
    b->prev[next] = prev;
    b->next[unit] = NO_UNIT;
    if (b->first == unit) b->first = next == unit ? NO_UNIT : next;
}

/* Adds a block at the end of the ring and closes the block that leaves the window.  0: no capacity. */
static int add_block(builder *b) {
    if (b->capacity - b->n < BLOCK) return 0;
    if (b->n >= WINDOW * BLOCK) {
        const int32_t old = b->n - WINDOW * BLOCK;
        for (int32_t i = old; i < old + BLOCK; i++) {
            if (b->next[i] != NO_UNIT) take(b, i);
        }
    }
    for (int32_t i = b->n; i < b->n + BLOCK; i++) {
        b->units[i] = FREE_UNIT;
        if (b->first == NO_UNIT) {
            b->first = b->next[i] = b->prev[i] = i;
        } else {
            const int32_t last = b->prev[b->first];
            b->next[i] = b->first;
            b->prev[i] = last;
            b->next[last] = b->prev[b->first] = i;
        }
    }
    b->n += BLOCK;
    return 1;
}

static int fits(const builder *b, int32_t state, const uint8_t *labels, int n) {
    if (b->is_state[state]) return 0;
    for (int i = 1; i < n; i++) {
        if (b->next[state ^ labels[i]] == NO_UNIT) return 0;
    }
    return 1;
}

/* An index for a state whose children have these n bytes, or NO_UNIT if the capacity is used up. */
static int32_t find_state(builder *b, const uint8_t *labels, int n) {
    if (b->first != NO_UNIT) {
        int32_t unit = b->first;
        do {
            const int32_t state = unit ^ labels[0];
            if (fits(b, state, labels, n)) return state;
            unit = b->next[unit];
        } while (unit != b->first);
    }
    const int32_t start = b->n;
    return add_block(b) ? start ^ labels[0] : NO_UNIT;
}

/* Lay out the states of all keys.  0: the capacity is used up. */
static int lay_out(builder *b, const heed_trie_key *keys, int32_t n_keys) {
    int32_t waiting = 0;
    b->n = 0;
    b->first = NO_UNIT;
    if (!add_block(b)) return 0;
    take(b, 0); /* the root */
    b->units[0] = 0;
    b->is_state[0] = 1; /* else byte 0 at the root would lead back to the root */
    b->stack[waiting++] = (task){0, n_keys, 0, 0};
    while (waiting > 0) {
        const task t = b->stack[--waiting];
        uint8_t labels[256];
        int n_labels = 0;
        for (int32_t i = t.lo; i < t.hi; i++) {
            const int byte = byte_at(&keys[i], t.depth);
            const uint8_t label = byte < 0 ? 0 : (uint8_t)byte;
            if (n_labels == 0 || labels[n_labels - 1] != label) labels[n_labels++] = label;
        }
        const int32_t state = find_state(b, labels, n_labels);
        if (state == NO_UNIT) return 0;
        b->is_state[state] = 1;
        b->units[t.unit] |= (uint32_t)(t.unit ^ state) << 10;
        for (int i = 0; i < n_labels; i++) take(b, state ^ labels[i]);

        int32_t lo = t.lo;
        if (labels[0] == 0) { /* a key ends here: only the first can, since keys differ */
            b->units[t.unit] |= 0x100;
            b->units[state] = FREE_UNIT | (uint32_t)keys[lo].value;
            lo++;
        }
        while (lo < t.hi) {
            const uint8_t label = (uint8_t)byte_at(&keys[lo], t.depth);
            int32_t hi = lo + 1;
            while (hi < t.hi && byte_at(&keys[hi], t.depth) == label) hi++;
            b->units[state ^ label] = label;
            assert(waiting < n_keys);
            b->stack[waiting++] = (task){lo, hi, t.depth + 1, state ^ label};
            lo = hi;
        }
    }
    return 1;
}

/* Copies the finished units into a block of their own. */
static heed_status keep(const builder *b, heed_trie *trie) {
    heed_arena arena = {0};
    arena_push(&arena, (size_t)b->n, sizeof *b->units);
    void *block = arena_block(&arena);
    if (block == NULL) return HEED_E_MEMORY;
    uint32_t *units = arena_push(&arena, (size_t)b->n, sizeof *b->units);
    for (int32_t i = 0; i < b->n; i++) units[i] = b->units[i];
    *trie = (heed_trie){units, (uint32_t)b->n};
    return HEED_OK;
}

heed_status trie_build(const heed_trie_key *keys, int32_t n, heed_trie *trie) {
    *trie = (heed_trie){NULL, 0};
    if (n == 0) return HEED_OK;
    /* real vocabularies need up to three and a half units per key; if that is not enough, double and start over */
    int32_t capacity = n < MAX_UNITS / 5 ? (n * 4 / BLOCK + 2) * BLOCK : MAX_UNITS;
    for (;; capacity *= 2) {
        builder b = {.capacity = capacity < MAX_UNITS ? capacity : MAX_UNITS};
        heed_arena arena = {0};
        place_builder(&arena, &b, n);
        void *block = arena_block(&arena);
        if (block == NULL) return HEED_E_MEMORY;
        place_builder(&arena, &b, n);
        const int done = lay_out(&b, keys, n);
        const heed_status status = done ? keep(&b, trie) : HEED_OK;
        arena_free_block(block);
        if (done) return status;
        if (capacity >= MAX_UNITS) return HEED_E_SPM;
    }
}
