/*
 * results.h - what searches say, to be compared byte for byte; for the C tests of search.
 */
#ifndef HEED_TESTS_RESULTS_H
#define HEED_TESTS_RESULTS_H

#include <string.h>

#include "check.h"
#include "heed.h"

enum { RESULT_IDS = 150 };

typedef struct {
    int32_t ids[RESULT_IDS];
    int32_t n, finished;
    float log_prob, score;
} result;

/* The best hypothesis of a finished batch row; the rest of its ids is 0. */
static inline void result_take(result *r, heed_session *session, int row) {
    heed_hypothesis h = {0};
    CHECK(heed_search_hypotheses(session, row) >= 1);
    memset(r, 0, sizeof *r);
    if (!CHECK_INT(heed_search_hypothesis(session, row, 0, &h), HEED_OK) || !CHECK(h.n <= RESULT_IDS)) return;
    memcpy(r->ids, h.ids, (size_t)h.n * sizeof *h.ids);
    r->n = h.n;
    r->finished = h.finished;
    r->log_prob = h.log_prob;
    r->score = h.score;
}

/*
 * Translate n sources, options->max_batch at a time at most.
 *   sources [n, options->max_source], lengths [n], out [n]
 */
static inline void results_of(const heed_model *model, const heed_session_options *options,
                              const heed_search_options *rules, const int32_t *sources, const int *lengths, int n,
                              result *out) {
    heed_session *session;
    int sentence_of[64], added = 0, done = 0;
    int32_t row, running;
    CHECK_INT(heed_session_create(model, options, &session), HEED_OK);
    CHECK_INT(heed_search_begin(session, rules), HEED_OK);
    for (int steps = 0; done < n && steps < 1000000; steps++) {
        while (added < n && heed_search_add(session, sources + (size_t)added * options->max_source, lengths[added],
                                            &row) == HEED_OK)
            sentence_of[row] = added++;
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (int f; (f = heed_search_finished(session)) >= 0; done++) {
            result_take(&out[sentence_of[f]], session, f);
            CHECK_INT(heed_search_release(session, f), HEED_OK);
        }
    }
    CHECK_INT(done, n);
    heed_session_free(session);
}

#endif /* HEED_TESTS_RESULTS_H */
