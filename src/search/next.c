/* next.c - from one row of logits to the best allowed next tokens: see search.h. */
#include <math.h>

#include "kernels/kernels.h"
#include "search/search.h"

int candidate_precedes(const heed_candidate *a, const heed_candidate *b) {
    const double rank_a = a->log_prob + a->gain, rank_b = b->log_prob + b->gain;
    if (rank_a != rank_b) return rank_a > rank_b;
    if (a->beam != b->beam) return a->beam < b->beam;
    return a->id < b->id;
}

int next_ends(const heed_search_options *rules, int32_t id) {
    for (int i = 0; i < rules->n_eos; i++)
        if (rules->eos[i] == id) return 1;
    return 0;
}

int next_begin(const heed_search_options *rules) {
    return rules->n_prefix == 0 && rules->n_forced_bos > 0 ? 1 : rules->n_prefix;
}

float *scores_find(const heed_scores *scores, int32_t id) {
    int low = 0, high = scores->n - 1; /* of where it can be */
    if (scores->ids == NULL) return &scores->scores[id];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (scores->ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    return scores->ids[low] == id ? &scores->scores[low] : NULL;
}

/*
 * The rules below get all ids of a target: [n], n = target->n_ids + 1, the start token first.  `zero` is the value in
 * `scores` that means a log-probability of 0.  An id without a score cannot be chosen, so rules pass over it.
 */

static void set(const heed_scores *scores, int32_t id, float value) {
    float *score = scores_find(scores, id);
    if (score) *score = value;
}

static void forbid(const heed_scores *scores, const int32_t *ids, int n) {
    for (int i = 0; i < n; i++) set(scores, ids[i], -INFINITY);
}

/* Allow only these ids, each with log-probability 0. */
static void force(const heed_scores *scores, const int32_t *ids, int n, float zero) {
    for (int i = 0; i < scores->n; i++) scores->scores[i] = -INFINITY;
    for (int i = 0; i < n; i++) set(scores, ids[i], zero);
}

/* Penalises each id of the target once: reads all scores before it writes the first. */
static void penalise(const heed_scores *scores, const int32_t *ids, int n, float penalty, float zero,
                     float *penalised) {
    for (int i = 0; i < n; i++) {
        const float *score = scores_find(scores, ids[i]), x = score ? *score - zero : 0.0f;
        penalised[i] = zero + (x < 0.0f ? x * penalty : x / penalty);
    }
    for (int i = 0; i < n; i++) set(scores, ids[i], penalised[i]);
}

/* Forbids ids that would complete an n-gram that the target has already. */
static void forbid_repeats(const heed_scores *scores, const int32_t *ids, int n, int ngram) {
    if (n < ngram - 1) return;
    const int32_t *tail = ids + n - (ngram - 1);
    for (int i = 0; i + ngram <= n; i++) {
        int same = 1;
        for (int j = 0; j < ngram - 1 && same; j++) same = ids[i + j] == tail[j];
        if (same) set(scores, ids[i + ngram - 1], -INFINITY);
    }
}

static void forbid_bad_words(const heed_scores *scores, const int32_t *ids, int n, const int32_t *words, int n_words) {
    for (int i = 0; i < n_words; i += words[i] + 1) {
        const int length = words[i], start = n - (length - 1);
        const int32_t *word = words + i + 1;
        int same = start >= 0;
        for (int j = 0; j < length - 1 && same; j++) same = ids[start + j] == word[j];
        if (same) set(scores, word[length - 1], -INFINITY);
    }
}

static int has_penalty(const heed_search_options *rules) {
    return rules->repetition_penalty != 0.0f && rules->repetition_penalty != 1.0f;
}

/* Hugging Face's logits processors, in their order.  The rule of bytes comes before those that force an id. */
static void apply_rules(const heed_scores *scores, const heed_target *target, int left,
                        const heed_search_options *rules, float zero, float *penalised) {
    const int32_t *ids = target->ids - 1;
    const int n = target->n_ids + 1, n_new = target->n_ids - rules->n_prefix;

    if (has_penalty(rules)) penalise(scores, ids, n, rules->repetition_penalty, zero, penalised);
    if (rules->no_repeat_ngram > 0) forbid_repeats(scores, ids, n, rules->no_repeat_ngram);
    forbid_bad_words(scores, ids, n, rules->bad_words, rules->n_bad_words);
    if (n_new < rules->min_tokens) forbid(scores, rules->eos, rules->n_eos);
    if (n_new + left == rules->max_tokens && rules->n_forced_eos > 0) left--;
    bytes_forbid(scores, target->ids, target->n_ids, left, rules);
    if (target->n_ids == 0 && rules->n_forced_bos > 0)
        force(scores, rules->forced_bos, rules->n_forced_bos, zero);
    if (n_new == rules->max_tokens - 1 && rules->n_forced_eos > 0)
        force(scores, rules->forced_eos, rules->n_forced_eos, zero);
    forbid(scores, rules->suppress, rules->n_suppress);
    if (target->n_ids == next_begin(rules)) forbid(scores, rules->begin_suppress, rules->n_begin_suppress);
}

/* Where the best k scores are, best first; the lower id of two equal ones first.  Returns how many. */
static int choose(heed_candidate *out, int k, const heed_scores *of) {
    const float *scores = of->scores;
    float worst = -INFINITY; /* of the k kept; a lower score cannot enter */
    int n = 0;
    for (int32_t i = 0; i < of->n; i++) {
        if (!(scores[i] > worst)) continue;
        int at = n < k ? n++ : k - 1;
        for (; at > 0 && scores[out[at - 1].id] < scores[i]; at--) out[at] = out[at - 1];
        out[at].id = i;
        if (n == k) worst = scores[out[k - 1].id];
    }
    return n;
}

/*
 * An id that ends can rank among the first N of the sentence only if it is among the best N of its row.  Forbids the
 * others, so that N ids that do not end can be candidates.
 */
static void drop_low_ends(heed_candidate *out, int N, const heed_scores *of, const heed_search_options *rules) {
    const int n = choose(out, N, of);
    for (int i = 0; i < rules->n_eos; i++) {
        float *score = scores_find(of, rules->eos[i]);
        int rank = 0;
        while (rank < n && of->scores + out[rank].id != score) rank++;
        if (rank == n && score) *score = -INFINITY;
    }
}

int next_candidates(heed_candidate *out, int k, const heed_scores *logits, const heed_target *target, int beam,
                    int left, const heed_search_options *rules, const struct heed_ngrams *ngrams, float *scratch) {
    const int is_greedy = k == 1, is_unscored = is_greedy && rules->unscored, N = k / 2;
    float *scores = logits->scores;
    const int has_gains = ngrams && rules->ngrams > 0.0f;
    heed_gains gains;
    float zero = 0.0f, total;
    int n;

    /* If activations are not finite, no logit is: one is enough to check, before rules change it. */
    if (!isfinite(scores[0])) return -1;
    if (target->n_ids < rules->n_prefix) {
        out[0] = (heed_candidate){target->log_prob, target->gain, beam, rules->prefix[target->n_ids], HEED_PRUNED};
        return 1;
    }
    /* Rules work on the log-probabilities of beams, but on the logits of greedy search. */
    if (!is_greedy && (!rules->renormalize || has_penalty(rules))) {
        zero = k_log_sum_exp(scores, logits->n);
        if (!isfinite(zero)) return -1;
    }
    apply_rules(logits, target, left, rules, zero, scratch);
    if (is_unscored) total = k_max(scores, logits->n);
    else total = is_greedy || rules->renormalize ? k_log_sum_exp(scores, logits->n) : zero;
    if (total == -INFINITY) return 0; /* nothing is allowed */
    if (!isfinite(total)) return -1;
    if (has_gains) {
        gains_begin(&gains, ngrams, rules->ngrams, target);
        gains_raise(&gains, logits, scratch);
    }

    if (is_greedy) {
        out[0].id = k_argmax(scores, logits->n);
        n = 1;
    } else {
        if (rules->n_eos > N) drop_low_ends(out, N, logits, rules);
        n = choose(out, k, logits);
    }
    for (int i = 0; i < n; i++) {
        const int at = out[i].id;
        const int32_t id = logits->ids ? logits->ids[at] : at;
        double raised, log_prob = target->log_prob, gain = target->gain;
        float own = scores[at]; /* of the model and its rules */
        if (has_gains) {
            if (gains_find(&gains, id, &raised)) own = scratch[at];
            gain += gains_all(&gains) + raised;
        }
        if (!is_unscored) log_prob += (double)(own - total);
        else gain = 0.0;
        out[i] = (heed_candidate){log_prob, gain, beam, id, HEED_PRUNED};
    }
    return n;
}
