/* next.c - from one row of logits to the best allowed next tokens: see search.h. */
#include <math.h>

#include "kernels/kernels.h"
#include "search/search.h"

int candidate_precedes(const heed_candidate *a, const heed_candidate *b) {
    if (a->log_prob != b->log_prob) return a->log_prob > b->log_prob;
    if (a->beam != b->beam) return a->beam < b->beam;
    return a->id < b->id;
}

/* Ids that would complete an n-gram the target already holds. */
static void forbid_repeats(float *logits, const heed_target *target, int n) {
    if (target->n_ids < n - 1) return;
    const int32_t *tail = target->ids + target->n_ids - (n - 1);
    for (int i = 0; i + n <= target->n_ids; i++) {
        int same = 1;
        for (int j = 0; j < n - 1 && same; j++) same = target->ids[i + j] == tail[j];
        if (same) logits[target->ids[i + n - 1]] = -INFINITY;
    }
}

static void forbid_bad_words(float *logits, const heed_target *target, const int32_t *words, int n_words) {
    for (int i = 0; i < n_words; i += words[i] + 1) {
        const int n = words[i], start = target->n_ids - (n - 1);
        const int32_t *word = words + i + 1;
        int same = start >= 0;
        for (int j = 0; j < n - 1 && same; j++) same = target->ids[start + j] == word[j];
        if (same) logits[word[n - 1]] = -INFINITY;
    }
}

int next_candidates(heed_candidate *out, int k, float *logits, int n_vocabulary, const heed_target *target, int beam,
                    const heed_search_rules *rules, int eos_id) {
    /* probabilities are the model's own: what is forbidden is not chosen, but keeps its share */
    const float total = k_log_sum_exp(logits, n_vocabulary);
    if (!isfinite(total)) return -1;

    if (target->n_ids < rules->n_prefix) {
        const int32_t id = rules->prefix[target->n_ids];
        out[0] = (heed_candidate){target->log_prob + (double)(logits[id] - total), beam, id, HEED_PRUNED};
        return 1;
    }
    if (target->n_ids - rules->n_prefix < rules->min_tokens) logits[eos_id] = -INFINITY;
    if (rules->no_repeat_ngram > 0) forbid_repeats(logits, target, rules->no_repeat_ngram);
    forbid_bad_words(logits, target, rules->bad_words, rules->n_bad_words);

    int n = 0;
    if (k == 1) {
        const int32_t id = k_argmax(logits, n_vocabulary);
        if (logits[id] > -INFINITY)
            out[n++] = (heed_candidate){target->log_prob + (double)(logits[id] - total), beam, id, HEED_PRUNED};
        return n;
    }
    float worst = -INFINITY; /* of the k kept: nothing below it can enter */
    for (int32_t id = 0; id < n_vocabulary; id++) {
        if (!(logits[id] > worst)) continue;
        const heed_candidate c = {target->log_prob + (double)(logits[id] - total), beam, id, HEED_PRUNED};
        int at = n < k ? n++ : k - 1;
        for (; at > 0 && logits[out[at - 1].id] < logits[id]; at--) out[at] = out[at - 1];
        out[at] = c;
        if (n == k) worst = logits[out[k - 1].id];
    }
    return n;
}
