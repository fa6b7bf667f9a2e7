/* heap.c - see heap.h for the contract. */
#include "base/heap.h"

#include <stdlib.h>

/* Other hosts have a malloc of their own.  test_heap.c includes this file, and has pages. */
#if defined(__wasm__) || defined(HEED_TEST_HEAP)

#ifdef HEED_TEST_HEAP
#define INSTANCE
#else
/*
 * A global of wasm, not a variable in memory.  Pointers only: a number that is only ever 0 or 1 becomes, in LLVM 14, a
 * byte at an address that nothing owns.
 */
#define INSTANCE __attribute__((address_space(1)))
extern unsigned char __heap_base;

static uintptr_t count_pages(void) { return __builtin_wasm_memory_size(0); }

/* The number of the first of n new pages; UINTPTR_MAX: there are none. */
static uintptr_t take_pages(uintptr_t n) { return __builtin_wasm_memory_grow(0, n); }

static uintptr_t first_address(void) { return (uintptr_t)&__heap_base; }

/* How many pages have addresses. */
static uintptr_t most_pages(void) { return UINTPTR_MAX / HEAP_PAGE + 1; }
#endif

/* The head of a block.  What malloc() returns follows it. */
typedef struct block {
    _Alignas(HEAP_ALIGN) size_t size; /* with the head; a multiple of HEAP_ALIGN */
    struct block *next;               /* of a free block: the next one, at a higher address */
} block;

static block *INSTANCE free_blocks;
static unsigned char *INSTANCE fresh; /* NULL: there are no pages yet */

static unsigned char *end_of(const block *b) { return (unsigned char *)b + b->size; }

/* Adds a block to the free ones, and joins it with those that touch it. */
static void add_free(block *b) {
    block *before = NULL, *after = free_blocks;
    for (; after && after < b; after = after->next) before = after;
    if (after && end_of(b) == (unsigned char *)after) {
        b->size += after->size;
        after = after->next;
    }
    b->next = after;
    if (before && end_of(before) == (unsigned char *)b) {
        before->size += b->size;
        before->next = after;
    } else if (before) {
        before->next = b;
    } else {
        free_blocks = b;
    }
}

static block *last_free(void) {
    block *b = free_blocks;
    while (b && b->next) b = b->next;
    return b;
}

/* The end of page `end` - 1.  Without its last bytes, that of 4 GB is not 0, and has a head past it, see `fresh`. */
static uintptr_t past_of(uintptr_t end) { return end * HEAP_PAGE - (end == most_pages() ? 2 * sizeof(block) : 0); }

/* Adds the bytes from `from` to the end of page `end` - 1.  Nothing has written to them. */
static void add_pages(uintptr_t from, uintptr_t end) {
    block *const last = last_free();
    const uintptr_t past = past_of(end);
    if (last && (uintptr_t)end_of(last) == from) {
        last->size += past - from;
        return;
    }
    block *const b = (block *)((from + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN);
    b->size = past - (uintptr_t)b;
    fresh = (unsigned char *)(b + 1);
    add_free(b);
}

/* Adds pages that another instance has written to. */
static void use_pages(uintptr_t from, uintptr_t end) {
    block *const b = (block *)(from * HEAP_PAGE);
    b->size = past_of(end) - (uintptr_t)b;
    if (fresh < end_of(b)) fresh = end_of(b);
    add_free(b);
}

/* Takes whole pages out of a free block, of the first that has `least` or more.  Returns how many. */
static uintptr_t give_pages(uintptr_t least, uintptr_t *from) {
    for (block *before = NULL, *b = free_blocks; b; before = b, b = b->next) {
        const uintptr_t start = (uintptr_t)b, past = (uintptr_t)end_of(b), end = past / HEAP_PAGE;
        *from = start / HEAP_PAGE + (start % HEAP_PAGE != 0);
        if (end < *from + least) continue;
        block *next = b->next;
        if (past % HEAP_PAGE) {
            block *const rest = (block *)(end * HEAP_PAGE);
            rest->size = past % HEAP_PAGE;
            rest->next = next;
            next = rest;
            if (fresh < (unsigned char *)(rest + 1)) fresh = (unsigned char *)(rest + 1);
        }
        if (start % HEAP_PAGE) {
            b->size = *from * HEAP_PAGE - start;
            b->next = next;
        } else if (before) {
            before->next = next;
        } else {
            free_blocks = next;
        }
        return end - *from;
    }
    return 0;
}

static void begin(void) {
    if (fresh == NULL) add_pages(first_address(), count_pages());
}

/* Grows the memory for a block of `size` bytes.  Returns 0 if that is impossible. */
static int grow(size_t size) {
    const uintptr_t end = count_pages() * HEAP_PAGE;
    const block *const last = last_free();
    /* The last free block helps if it ends where the new pages begin, unless another instance grows the memory now. */
    if (last && (uintptr_t)end_of(last) == end) size -= last->size;
    const uintptr_t n = (size - 1) / HEAP_PAGE + 1, page = take_pages(n);
    if (page == UINTPTR_MAX) return 0;
    add_pages(page * HEAP_PAGE, page + n);
    return 1;
}

unsigned char *heap_fresh(void) {
    begin();
    return fresh;
}

void *heap_allocate(size_t n) {
    begin();
    if (n > SIZE_MAX - HEAP_PAGE) return NULL;
    const size_t size = (n + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN + sizeof(block);
    do {
        block *before = NULL;
        for (block *b = free_blocks; b; before = b, b = b->next) {
            if (b->size < size) continue;
            block *next = b->next;
            if (b->size - size >= 2 * sizeof(block)) {
                block *const rest = (block *)((unsigned char *)b + size);
                rest->size = b->size - size;
                rest->next = next;
                b->size = size;
                next = rest;
            }
            if (before) before->next = next;
            else free_blocks = next;
            /* Past the block is the head of another one. */
            if (fresh < end_of(b) + sizeof(block)) fresh = end_of(b) + sizeof(block);
            return b + 1;
        }
    } while (grow(size));
    return NULL;
}

void heap_free(void *p) {
    if (p) add_free((block *)p - 1);
}

#ifndef HEED_TEST_HEAP
void *malloc(size_t n) { return heap_allocate(n); }
void free(void *p) { heap_free(p); }

__asm__(".globaltype __stack_pointer, i32\n");
void heed_use_stack(unsigned char *end) { __asm__ volatile("local.get %0\n\tglobal.set __stack_pointer" ::"r"(end)); }

void heed_use_pages(uint32_t from, uint32_t end) { use_pages(from, end); }

uint32_t heed_give_pages(uint32_t least) {
    uintptr_t from;
    const uint32_t n = give_pages(least, &from);
    return n ? from << 16 | n : 0;
}
#endif

#endif
