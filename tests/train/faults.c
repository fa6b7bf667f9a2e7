/*
 * faults.c - malloc and realloc of which one call fails: the n-th, where the environment says HEED_FAIL_AT=n.
 *
 * Linked into heed-train in place of its own by --wrap; what libraries allocate for themselves goes on as ever.  How
 * many calls there were is told at the end of a run.  Used by ../train-native.test.js.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t n);
void *__real_realloc(void *block, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_realloc(void *block, size_t n);

static atomic_long n_calls; /* of all threads */

static void tell(void) { fprintf(stderr, "%ld allocations\n", (long)n_calls); }

static int fails(void) {
    const char *at = getenv("HEED_FAIL_AT");
    const long call = ++n_calls;
    if (call == 1) atexit(tell);
    return call == (at ? atol(at) : 0);
}

void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }

void *__wrap_realloc(void *block, size_t n) { return fails() ? NULL : __real_realloc(block, n); }
