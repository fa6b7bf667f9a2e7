/* runaway.c - translations that have lost their way: see search.h for the contract. */
#include "search/search.h"

/*
 * Longer sequences are not compared: what repeats those is ended by the length.  It also keeps the work of a step, and
 * of a source, proportional to its length.
 */
enum { MAX_PERIOD = 64 };

/* How many of the last of n ids are copies of one sequence of `period` ids, the first copy perhaps cut off. */
static int periodic_end(const int32_t *ids, int n, int period) {
    int length = period;
    while (length < n && ids[n - 1 - length] == ids[n - 1 - length + period]) length++;
    return length;
}

/* The longest part of the source that is at least two copies of one sequence. */
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
 * 16: numbers, laughter and rows of dots are one token here and many there.  The source: a translation seldom has twice
 * its tokens, and half of those are not a loop by chance.  4 to each token of what repeats in the source itself: so
 * many tokens a word may take, and a comma, where it was one.
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

/* 4 as above; 32: of one token, a name that is spelled out, or a figure of speech. */
int runaway_max_tokens(int n_source) { return 32 + 4 * n_source; }
