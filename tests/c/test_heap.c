/*
 * test_heap.c - malloc() of the wasm modules, over pages that this program gives it: random blocks keep their bytes and
 * do not overlap, other instances that grow the memory meanwhile, pages that pass from one to another, all memory is
 * found again, the end of 4 GB.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 64 };
static _Alignas(65536) unsigned char memory[PAGES * 65536];
static uintptr_t n_pages;
/* Pages that another instance takes just before ours. */
static uintptr_t n_other;
/* A host with 4 GB in use, where nothing may be touched. */
static int is_full;
/* There are no addresses past the last page. */
static int is_end;

static uintptr_t page_of(const unsigned char *p) { return (uintptr_t)p / 65536; }
static uintptr_t count_pages(void) { return page_of(memory) + n_pages; }
static uintptr_t take_pages(uintptr_t n) {
    n_pages += n_other;
    n_other = 0;
    if (is_full || n > PAGES - n_pages) return UINTPTR_MAX;
    n_pages += n;
    return page_of(memory) + n_pages - n;
}
static uintptr_t most_pages(void) { return is_end ? page_of(memory) + PAGES : UINTPTR_MAX; }
static uintptr_t first_address(void) { return (uintptr_t)memory + 1000; }

/* In a wasm program, the C library's malloc is the other one. */
#define heap_allocate test_allocate
#define heap_free     test_free
#define heap_fresh    test_fresh
#define HEED_TEST_HEAP
#include "base/heap.c"

#include "check.h"

static void start(uintptr_t pages) {
    memset(memory, 0, sizeof memory);
    free_blocks = NULL;
    fresh = NULL;
    n_pages = pages;
    n_other = 0;
}

static int count_free(void) {
    int n = 0;
    for (const block *b = free_blocks; b; b = b->next) n++;
    return n;
}

static uint32_t seed = 1;
static uint32_t number(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* Blocks live and die at random.  The bytes of each stay, and what is said to be fresh is zero. */
static void test_random(int has_others) {
    enum { BLOCKS = 40, STEPS = 20000 };
    static struct {
        unsigned char *p;
        size_t n;
        unsigned char mark;
    } live[BLOCKS];
    memset(live, 0, sizeof live);
    start(2);
    int n_failed = 0, n_wrong = 0, n_fresh = 0;
    size_t used = 0, most = 0;
    for (int step = 0; step < STEPS; step++) {
        const uint32_t i = number(BLOCKS);
        unsigned char *p = live[i].p;
        for (size_t k = 0; p && k < live[i].n; k++) n_wrong += p[k] != live[i].mark;
        heap_free(p);
        if (p) used -= live[i].n;
        live[i].p = NULL;
        live[i].n = number(number(4) ? 2000 : 200000);
        live[i].mark = (unsigned char)(1 + number(255));
        if (has_others && number(100) == 0 && n_pages < PAGES / 2) n_other = 1;
        unsigned char *const zero = heap_fresh();
        live[i].p = p = heap_allocate(live[i].n);
        n_failed += p == NULL;
        if (p == NULL) continue;
        used += live[i].n;
        most = used > most ? used : most;
        n_wrong += (uintptr_t)p % HEAP_ALIGN != 0 || p < memory + 1000 || p + live[i].n > memory + n_pages * HEAP_PAGE;
        for (size_t k = 0; k < live[i].n; k++) {
            n_wrong += p + k >= zero && p[k] != 0;
            n_fresh += p + k >= zero;
        }
        memset(p, live[i].mark, live[i].n);
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(n_failed, 0);
    CHECK(n_fresh > 100000);
    if (!has_others) CHECK(n_pages * HEAP_PAGE < 2 * most); /* little is lost between blocks */
    for (int i = 0; i < BLOCKS; i++) heap_free(live[i].p);
    if (!has_others) CHECK_INT(count_free(), 1);
    size_t sum = 0;
    for (const block *b = free_blocks; b; b = b->next) sum += b->size;
    if (!has_others) CHECK_INT((int)sum, (int)(n_pages * HEAP_PAGE - 1008));
}

/* Two instances that share the memory. */
static struct {
    block *free_blocks;
    unsigned char *fresh;
} instances[2];

static void switch_to(int from, int to) {
    instances[from].free_blocks = free_blocks;
    instances[from].fresh = fresh;
    free_blocks = instances[to].free_blocks;
    fresh = instances[to].fresh;
}

/* Blocks of two instances live and die, and so do the pages that one gives and either takes. */
static void test_passing(void) {
    enum { BLOCKS = 6, STEPS = 4000 };
    static struct {
        unsigned char *p;
        size_t n;
        unsigned char mark;
    } live[2][BLOCKS];
    static unsigned char is_given[PAGES];
    memset(live, 0, sizeof live);
    start(2);
    memset(instances, 0, sizeof instances);
    begin();
    switch_to(0, 1);
    n_pages += 2;
    use_pages(page_of(memory) + 2, page_of(memory) + 4);
    int n_wrong = 0, n_failed = 0, n_given = 0, n_passed = 0, n_fresh = 0, is_second = 1;
    for (int step = 0; step < STEPS; step++) {
        if (number(3) == 0) {
            switch_to(is_second, !is_second);
            is_second = !is_second;
        }
        const uint32_t i = number(BLOCKS), least = 1 + number(3);
        unsigned char *p = live[is_second][i].p;
        for (size_t k = 0; p && k < live[is_second][i].n; k++) n_wrong += p[k] != live[is_second][i].mark;
        heap_free(p);
        uintptr_t from;
        for (uintptr_t n; number(2) && (n = give_pages(least, &from)) != 0;) {
            n_given += (int)n;
            n_wrong += n < least || from < page_of(memory) || from + n > page_of(memory) + n_pages;
            for (uintptr_t page = from - page_of(memory); n-- > 0; page++) {
                n_wrong += is_given[page];
                is_given[page] = (unsigned char)(1 + is_second);
                memset(memory + page * HEAP_PAGE, 0xee, HEAP_PAGE); /* whoever has it next may write what it likes */
            }
        }
        for (uintptr_t page = 0; page < PAGES; page++) {
            if (!is_given[page] || number(3)) continue;
            n_passed += is_given[page] != 1 + is_second;
            is_given[page] = 0;
            use_pages(page_of(memory) + page, page_of(memory) + page + 1);
        }
        live[is_second][i].n = number(number(4) ? 2000 : 200000);
        live[is_second][i].mark = (unsigned char)(1 + number(200));
        unsigned char *const zero = heap_fresh();
        live[is_second][i].p = p = heap_allocate(live[is_second][i].n);
        n_failed += p == NULL;
        for (size_t k = 0; p && k < live[is_second][i].n; k++) {
            n_wrong += p + k >= zero && p[k] != 0;
            n_fresh += p + k >= zero;
        }
        if (p) memset(p, live[is_second][i].mark, live[is_second][i].n);
    }
    CHECK_INT(n_wrong, 0);
    CHECK(n_failed < STEPS / 10); /* large blocks, when the memory is in pieces */
    CHECK(n_fresh > 10000);
    CHECK(n_given > 1000);
    CHECK(n_passed > 500);
    /* Both have free blocks and pages; together they are all that there is. */
    size_t sum = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < BLOCKS; i++) heap_free(live[is_second][i].p);
        for (const block *b = free_blocks; b; b = b->next) sum += b->size;
        switch_to(is_second, !is_second);
        is_second = !is_second;
    }
    for (int page = 0; page < PAGES; page++) sum += is_given[page] ? HEAP_PAGE : 0;
    CHECK_INT((int)sum, (int)(n_pages * HEAP_PAGE - 1008));
}

int main(void) {
    test_random(0);
    test_random(1);
    test_passing();

    /* The memory grows by what is missing, and a block that was freed is used again. */
    start(1);
    unsigned char *a = heap_allocate(100000), *b = heap_allocate(0), *c = heap_allocate(16);
    CHECK_INT((int)n_pages, 2);
    CHECK(a && b && c && b != c);
    heap_free(b);
    heap_free(a);
    CHECK_INT(count_free(), 2);
    CHECK(heap_allocate(100000) == (void *)a);
    CHECK_INT((int)n_pages, 2);
    heap_free(NULL);

    /* Another instance takes the page that would have followed: the block is elsewhere, in pages of its own. */
    start(1);
    n_other = 3;
    a = heap_allocate(100000);
    CHECK(a >= memory + 4 * HEAP_PAGE);
    CHECK(a + 100000 <= memory + n_pages * HEAP_PAGE);

    /* Whole pages of a free block are given, the bytes before and after them stay. */
    start(4);
    a = heap_allocate(3 * HEAP_PAGE);
    b = heap_allocate(1000);
    uintptr_t from;
    CHECK_INT((int)give_pages(1, &from), 0);
    heap_free(a);
    CHECK_INT((int)give_pages(3, &from), 0);
    CHECK_INT((int)give_pages(2, &from), 2);
    CHECK_INT((int)(from - page_of(memory)), 1);
    CHECK_INT((int)give_pages(1, &from), 0);
    CHECK_INT(count_free(), 3);
    use_pages(page_of(memory) + 1, page_of(memory) + 3);
    CHECK_INT(count_free(), 2);
    CHECK(heap_allocate(3 * HEAP_PAGE) == (void *)a);

    /* What another instance has written to is not taken for zeros, also in a page above all others. */
    start(1);
    CHECK(heap_fresh() < memory + HEAP_PAGE);
    n_pages = 6;
    use_pages(page_of(memory) + 4, page_of(memory) + 5);
    CHECK(heap_fresh() >= memory + 5 * HEAP_PAGE);

    /* What cannot be is refused, and costs nothing. */
    start(1);
    CHECK(heap_allocate(SIZE_MAX) == NULL);
    CHECK(heap_allocate(SIZE_MAX - HEAP_PAGE + 1) == NULL);
    CHECK(heap_allocate((size_t)PAGES * HEAP_PAGE) == NULL);
    CHECK(heap_allocate(SIZE_MAX - HEAP_PAGE) == NULL);
    CHECK_INT((int)n_pages, 1);
    CHECK(heap_allocate(1000) != NULL);
    is_full = 1;
    CHECK(heap_allocate(100000) == NULL);
    is_full = 0;

    /* The last page of all addresses, in one block: nothing is counted past its end. */
    start(PAGES - 1);
    is_end = 1;
    const size_t most = (size_t)PAGES * HEAP_PAGE - 1008;
    CHECK(heap_allocate(most) == NULL);
    CHECK((a = heap_allocate(most - 3 * sizeof(block))) != NULL);
    CHECK(a + most - 3 * sizeof(block) == memory + sizeof memory - 2 * sizeof(block));
    CHECK(heap_fresh() < memory + sizeof memory);
    CHECK_INT((int)n_pages, PAGES);
    CHECK(heap_allocate(0) == NULL);
    heap_free(a);
    CHECK(heap_allocate(1000) == (void *)a);
    CHECK(heap_fresh() < memory + sizeof memory);
    /* That page is not whole, so it is never given. */
    CHECK_INT((int)give_pages(1, &from), PAGES - 2);
    CHECK_INT((int)(from - page_of(memory)), 1);
    CHECK_INT((int)give_pages(1, &from), 0);
    start(PAGES);
    begin();
    CHECK_INT((int)give_pages(1, &from), PAGES - 2);
    CHECK(heap_fresh() > memory + (PAGES - 1) * HEAP_PAGE);
    use_pages(from + PAGES - 3, from + PAGES - 2);
    CHECK((a = heap_allocate(1000)) != NULL && a < memory + HEAP_PAGE);
    return check_summary("heap");
}
