/*
 * gains.c - ids that often follow what a target ends with come first: see search.h.
 *
 *     rank(target) = log-probability + weight * sum of the gains of its ids
 *
 * The model chooses what to say; n-grams know how people say it: "welcher Bus fährt", not "welchen Bus fährt".  Gains
 * are not renormalised at each step.  So a target of unusual ids ranks lower, even if no single one of them has a
 * likelier alternative.
 */
#include "kernels/kernels.h"
#include "search/search.h"

/* Gains are stored in quarters. */
static const double UNIT = 0.25;

void gains_begin(heed_gains *gains, const struct heed_ngrams *ngrams, float weight, const heed_target *target) {
    gains->n = ngrams_after(ngrams, target->ids, target->n_ids, gains->lists);
    gains->unit = (double)weight * UNIT;
}

/* The backoffs of the first k contexts. */
static int backoffs_of(const heed_gains *gains, int k) {
    int backoff = 0;
    for (int i = 0; i < k; i++) backoff += gains->lists[i].backoff;
    return backoff;
}

/* Whether a list of a longer context than list k's has an id. */
static int is_in_longer(const heed_gains *gains, int k, int id) {
    for (int i = k + 1; i < gains->n; i++)
        if (ngrams_find(&gains->lists[i], id) >= 0) return 1;
    return 0;
}

void gains_raise(const heed_gains *gains, const heed_scores *scores, float *before) {
    for (int k = 0; k < gains->n; k++) {
        const ngram_list *list = &gains->lists[k];
        const int backoff = backoffs_of(gains, k + 1);
        for (int i = 0; i < list->n; i++) {
            if (is_in_longer(gains, k, list->ids[i])) continue;
            float *score = scores_find(scores, list->ids[i]);
            if (score == NULL) continue;
            before[score - scores->scores] = *score;
            *score += (float)(gains->unit * (list->gains[i] + backoff));
        }
    }
}

int gains_find(const heed_gains *gains, int id, double *raised) {
    *raised = 0.0;
    for (int k = gains->n - 1; k >= 0; k--) {
        const int at = ngrams_find(&gains->lists[k], id);
        if (at < 0) continue;
        *raised = gains->unit * (gains->lists[k].gains[at] + backoffs_of(gains, k + 1));
        return 1;
    }
    return 0;
}

double gains_all(const heed_gains *gains) { return gains->unit * -backoffs_of(gains, gains->n); }
