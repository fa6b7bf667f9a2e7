/* arena.c - see arena.h for the contract. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

/*
 * A model is zeroed while the host still runs wasm as it was first compiled: there memory.fill takes a tenth of the
 * time of the C library's loop.  Every host with SIMD has it.
 */
#ifdef __wasm__
__attribute__((noinline, target("bulk-memory")))
#endif
static void zero(void *p, size_t n) { memset(p, 0, n); }

/* For the same reason. */
#ifdef __wasm__
__attribute__((noinline, target("bulk-memory")))
#endif
void copy_bytes(void *to, const void *from, size_t n) {
    memcpy(to, from, n);
}

void *arena_push(heed_arena *arena, size_t count, size_t elem_size) {
    size_t bytes;
    if (arena->overflow || (elem_size != 0 && count > (SIZE_MAX - ARENA_ALIGN) / elem_size)) {
        arena->overflow = 1;
        return NULL;
    }
    bytes = (count * elem_size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (bytes > SIZE_MAX - arena->used || (arena->base && bytes > arena->size - arena->used)) {
        arena->overflow = 1;
        return NULL;
    }
    void *p = arena->base ? arena->base + arena->used : NULL;
    arena->used += bytes;
    if (p) {
        const size_t left = arena->size - (arena->used - bytes); /* from p to the end */
        const size_t dirty = left > arena->n_fresh ? left - arena->n_fresh : 0;
        zero(p, bytes < dirty ? bytes : dirty);
    }
    return p;
}

float *arena_floats(heed_arena *arena, size_t d0, size_t d1, size_t d2) {
    if (d1 != 0 && d0 > SIZE_MAX / d1) arena->overflow = 1;
    else if (d2 != 0 && d0 * d1 > SIZE_MAX / d2) arena->overflow = 1;
    return arena_push(arena, d0 * d1 * d2, sizeof(float));
}

int32_t *arena_ints(heed_arena *arena, size_t d0, size_t d1) {
    if (d1 != 0 && d0 > SIZE_MAX / d1) arena->overflow = 1;
    return arena_push(arena, d0 * d1, sizeof(int32_t));
}

/*
 * The address from which on malloc gives zeros, or NULL if that is unknown.  A page that is not touched costs no time
 * and no memory: of a session, short sentences need little.
 */
static unsigned char *fresh_memory(void) {
#ifdef __wasm__
    return heap_fresh();
#else
    return NULL;
#endif
}

void *arena_block(heed_arena *arena) {
    if (arena->overflow || arena->used > SIZE_MAX - ARENA_ALIGN) return NULL;
    /* malloc aligns to 8 on some hosts.  The byte below the aligned block stores the distance to the raw pointer. */
    unsigned char *const fresh = fresh_memory();
    unsigned char *raw = malloc(arena->used + ARENA_ALIGN);
    if (raw == NULL) return NULL;
    unsigned char *block = raw + ARENA_ALIGN - (uintptr_t)raw % ARENA_ALIGN;
    block[-1] = (unsigned char)(block - raw);
    arena->base = block;
    arena->size = arena->used;
    arena->n_fresh = 0;
    if (fresh && fresh < block + arena->size)
        arena->n_fresh = fresh < block ? arena->size : (size_t)(block + arena->size - fresh);
    arena->used = 0;
    return block;
}

void arena_free_block(void *block) {
    if (block == NULL) return;
    unsigned char *p = block;
    free(p - p[-1]);
}
