/*
 * heap.h - malloc() and free() of a wasm module: blocks in pages of the memory.
 *
 * All state is in globals of wasm, of which each instance has its own.  So instances in several threads can share one
 * memory without a lock: memory.grow gives each page to one of them, and every instance allocates in its own pages.
 * No instance waits for another, and one that ends at any moment leaves the others as they are.  A block may be read by
 * all instances; the one that allocated it frees it.  Pages that are free may pass from one instance to another, by the
 * host: else each would grow the memory beside the holes of the others.
 *
 *     memory   data of the module | stack | pages of the first | stack and pages of the second | more of the first ...
 *     pages    block | free block | block ...      each begins with its size
 *
 * malloc() takes the first free block that is large enough, and else grows the memory; free() joins free blocks that
 * touch.  A search takes time in proportion to the free blocks.  A module has few blocks: one per object of heed.h.
 *
 * Depends on: nothing.  Used by: arena.c; hosts, for their arguments.
 */
#ifndef HEED_BASE_HEAP_H
#define HEED_BASE_HEAP_H

#include <stddef.h>
#include <stdint.h>

enum { HEAP_ALIGN = 16, HEAP_PAGE = 65536 };

/* n bytes, 16-aligned, not zeroed; n may be 0.  NULL: the memory cannot grow by as much. */
void *heap_allocate(size_t n);
/* Accepts NULL. */
void heap_free(void *p);
/* From this address on, all bytes that heap_allocate() gives are zero.  Pages that are not touched cost nothing. */
unsigned char *heap_fresh(void);

#ifdef __wasm__
/*
 * heed_use_stack(), the first call of an instance whose memory is in use: from now on its stack ends at `end`.
 * heed_use_pages(): the pages from `from` up to, and without, `end` are its own, whatever is in them.  Nobody else may
 * have them: memory.grow, or another instance, gave them to the caller.  Neither can fail.
 */
void heed_use_stack(unsigned char *end);
void heed_use_pages(uint32_t from, uint32_t end);
/*
 * Takes pages that are free from the instance: `least` or more, 1 at least.  Returns the first one's number * 65536 +
 * how many follow each other; 0: no free block has that many whole pages.
 */
uint32_t heed_give_pages(uint32_t least);
#endif

#endif /* HEED_BASE_HEAP_H */
