/* runaway.c - translations that repeat themselves or do not end: see search.h for the contract. */
#include "search/search.h"

/*
 * Longest sequence whose repetition is found.  A target that repeats a longer one ends at its greatest length.  The
 * bound keeps the work of a step proportional to the length of the target.
 */
enum { MAX_PERIOD = 64 };

/* How many ids at the end of ids [n] are copies of one sequence of `period` ids; the first copy may be incomplete. */
static int periodic_end(const int32_t *ids, int n, int period) {
    int length = period;
    while (length < n && ids[n - 1 - length] == ids[n - 1 - length + period]) length++;
    return length;
}

/* The length of the longest part of the source that consists of two or more copies of one sequence. */
static int longest_repeat(const int32_t *ids, int n) {
    int longest = 0;
    for (int period = 1; period <= MAX_PERIOD && 2 * period <= n; period++) {
        for (int i = period, same = 0; i < n; i++) {
            same = ids[i] == ids[i - period] ? same + 1 : 0;
            if (same >= period && same + period > longest) longest = same + period;
        }
    }
    return longest;
}

/*
 * 16: numbers, laughter and rows of dots may be one token in one language and many in another.  n: a translation seldom
 * has twice the tokens of its source, and half of a translation is not a loop by chance.  4 for each token that the
 * source itself repeats: one token there may become a word of three tokens and a comma.
 */
int runaway_loop_limit(const int32_t *source, int n) {
    const int repeated = 4 * longest_repeat(source, n);
    return 16 + (repeated > n ? repeated : n);
}

int runaway_loops(const int32_t *ids, int n, int limit) {
    if (n <= limit) return 0;
    for (int period = 1; period <= MAX_PERIOD && 3 * period <= n; period++) {
        const int length = periodic_end(ids, n, period);
        if (length > limit && length >= 3 * period) return 1;
    }
    return 0;
}

/* 4: as above.  32: one token may become a name that is spelled out, or a phrase. */
int runaway_max_tokens(int n_source) { return 32 + 4 * n_source; }
