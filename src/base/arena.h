/*
 * arena.h - a bump allocator in one block, which is freed as a whole.
 *
 * An arena with base == NULL only measures: every push returns NULL and advances `used`.  The code that lays an object
 * out can therefore also compute its size: run it on a measuring arena, allocate `used` bytes, and run it again.
 *
 * Depends on: nothing.  Used by: text/, layers/, model/, search/, train/, heed.c.
 */
#ifndef HEED_BASE_ARENA_H
#define HEED_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { ARENA_ALIGN = 16 }; /* a v128 load */

typedef struct {
    unsigned char *base; /* NULL: measuring                                        */
    size_t size;         /* bytes at base; ignored while measuring                 */
    size_t n_fresh;      /* the last of them, which are zero before they are pushed */
    size_t used;
    int overflow; /* sticky: a request did not fit in size_t, or in the block */
} heed_arena;

/* count * elem_size bytes, 16-aligned, zeroed; NULL while measuring or after overflow. */
void *arena_push(heed_arena *arena, size_t count, size_t elem_size);

/* A float tensor [d0, d1, d2]; pass 1 for an absent dimension.  The product is checked. */
float *arena_floats(heed_arena *arena, size_t d0, size_t d1, size_t d2);
int32_t *arena_ints(heed_arena *arena, size_t d0, size_t d1);

/*
 * Allocates the block for a measured arena and resets `arena` to place into it.  Returns NULL if the arena overflowed
 * or memory ran out.  Free the block with arena_free_block().  Only these two functions of the library call malloc and
 * free.
 */
void *arena_block(heed_arena *arena);
void arena_free_block(void *block);

/* memcpy() of many bytes, fast also while the host has not yet optimised the code.  n may be 0. */
void copy_bytes(void *to, const void *from, size_t n);

#endif /* HEED_BASE_ARENA_H */
