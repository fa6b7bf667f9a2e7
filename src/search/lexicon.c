/*
 * lexicon.c - words of a lexicon that the head which aligns looks at become more probable: see search.h.
 *
 *     p(id) = (1 - sum q) p_model(id) + q(id)
 *     q(id) = sum over the entries whose next id it is of s * weight of their source tokens
 *     s     = share for the first id of an entry, share (2 - share) for others: what has begun should be finished
 *
 * After Arthur, Neubig, Nakamura 2016, "Incorporating Discrete Translation Lexicons into Neural Machine Translation",
 * with linear interpolation.  The next id of an entry is the one after the longest beginning of it that ends the
 * target; or its first, unless the target has the whole entry already.  A whole entry that ends the target has none,
 * though its last ids may be its first ones again: it would never end.  An entry for later places does not begin while
 * the last entry for the first place, of the same source tokens, is what the target begins with.
 */
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"
#include "search/search.h"

/* An entry that would add less adds nothing: no search chooses an id for it. */
static const float LEAST = 1e-6f;
/* What all entries add at most: the model keeps the rest, so that no other id becomes impossible. */
static const float MOST = 0.99f;

static int has_at(const heed_target *target, int at, const int32_t *ids, int n) {
    return memcmp(target->ids + at, ids, (size_t)n * sizeof *ids) == 0;
}

/* Whether an entry may begin at an id of the target, of which `begin` is the first that is chosen. */
static int may_begin(const heed_lexicon_entry *entry, int at, int begin) {
    return entry->place == HEED_PLACE_ANY || (entry->place == HEED_PLACE_FIRST) == (at == begin);
}

/* Which id of an entry is next, or -1 if it has none. */
static int next_of(const heed_lexicon_entry *entry, const int32_t *ids, const heed_target *target, int begin) {
    const int n = target->n_ids, n_new = n - begin;
    if (entry->n_ids <= n_new && has_at(target, n - entry->n_ids, ids, entry->n_ids)) return -1;
    for (int k = entry->n_ids - 1 < n_new ? entry->n_ids - 1 : n_new; k > 0; k--)
        if (may_begin(entry, n - k, begin) && has_at(target, n - k, ids, k)) return k;
    if (!may_begin(entry, n, begin)) return -1;
    for (int at = begin; at + entry->n_ids <= n; at++)
        if (has_at(target, at, ids, entry->n_ids)) return -1;
    return 0;
}

/* Whether the target begins with an entry, or with as much of it as the target has chosen ids. */
static int begins_with(const heed_target *target, int begin, const heed_lexicon_entry *entry, const int32_t *ids) {
    const int n_new = target->n_ids - begin, n = n_new < entry->n_ids ? n_new : entry->n_ids;
    return n > 0 && has_at(target, begin, ids, n);
}

int lexicon_next(const int32_t *entries, int n, int at, heed_lexicon_entry *entry) {
    enum { HEAD = sizeof *entry / sizeof(int32_t) };
    if (n - at < HEAD) return 0;
    memcpy(entry, entries + at, sizeof *entry);
    return entry->n_ids >= 1 && entry->n_ids <= n - at - HEAD ? HEAD + entry->n_ids : 0;
}

void lexicon_apply(const heed_search *search, const heed_batch_row *row, const heed_scores *scores,
                   const heed_target *target, const float *weights) {
    const int begin = next_begin(&row->rules->options);
    heed_lexicon_entry entry, capital = {0};
    const int32_t *capital_ids = NULL;
    float total = 0.0f;
    int n = 0;
    if (target->n_ids < begin) return;
    for (int at = 0, size; (size = lexicon_next(row->lexicon, row->n_lexicon, at, &entry)) > 0; at += size) {
        float weight = 0.0f;
        for (int s = entry.first; s < entry.end; s++) weight += weights[s];
        const int32_t *ids = row->lexicon + at + size - entry.n_ids;
        const int k = next_of(&entry, ids, target, begin);
        if (entry.place == HEED_PLACE_FIRST) {
            capital = entry;
            capital_ids = ids;
        }
        if (k < 0 || scores_find(scores, ids[k]) == NULL) continue;
        /* the word is there already, or its beginning is */
        if (k == 0 && entry.place == HEED_PLACE_LATER && capital_ids && entry.first == capital.first &&
            entry.end == capital.end && begins_with(target, begin, &capital, capital_ids))
            continue;
        const float once = (float)entry.share / 1000.0f, share = weight * (k > 0 ? once * (2.0f - once) : once);
        if (!(share >= LEAST)) continue;
        search->lexical_ids[n] = ids[k];
        search->lexical[n++] = share;
        total += share;
    }
    if (n == 0) return;
    const float sum = k_log_sum_exp(scores->scores, scores->n), scale = total > MOST ? MOST / total : 1.0f;
    if (!isfinite(sum)) return;
    /* others keep their scores: dividing all by what the model keeps changes no probability */
    const float kept = 1.0f - total * scale;
    for (int i = 0; i < n; i++) {
        float *score = scores_find(scores, search->lexical_ids[i]);
        const double more = (double)(search->lexical[i] * scale / kept);
        /* in double: libms differ in its last bits, which rounding to a float nearly always removes */
        *score = (float)((double)sum + log(exp((double)*score - (double)sum) + more));
    }
}
