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
 * though its last ids may be its first ones again: it would never end.
 *
 * A word may have begun, and its entries go on with different ids: favorit|o and favorit|a.  Or one has ended, and
 * another goes on: favorit|o and favorit|o|s.  Then none adds anything: the model knows better which form agrees.
 *
 * The first id of an entry for HEED_PLACE_AFTER is what comes before the word; it begins with the second one.  A word
 * has a spelling for each place, so only one of them begins.  Those of a word are of the same source tokens, and follow
 * each other: first all for HEED_PLACE_AFTER, then the one for the first place, then the others.
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
    if (entry->place == HEED_PLACE_ANY || entry->place == HEED_PLACE_AFTER) return 1;
    return (entry->place == HEED_PLACE_FIRST) == (at == begin);
}

/* How many ids of an entry come before its word. */
static int n_before(const heed_lexicon_entry *entry) { return entry->place == HEED_PLACE_AFTER; }

static int has_whole(const heed_target *target, int begin, const heed_lexicon_entry *entry, const int32_t *ids) {
    for (int at = begin; at + entry->n_ids <= target->n_ids; at++)
        if (has_at(target, at, ids, entry->n_ids)) return 1;
    return 0;
}

/* Whether the ids that are chosen end with an entry, in whatever place it may begin. */
static int has_ended(const heed_lexicon_entry *entry, const int32_t *ids, const heed_target *target, int begin) {
    return entry->n_ids <= target->n_ids - begin && has_at(target, target->n_ids - entry->n_ids, ids, entry->n_ids);
}

/* Which id of an entry is next, or -1 if it has none; for a target that does not end with the entry. */
static int next_of(const heed_lexicon_entry *entry, const int32_t *ids, const heed_target *target, int begin) {
    const int n = target->n_ids, n_new = n - begin;
    int k = entry->n_ids - 1 < n_new ? entry->n_ids - 1 : n_new;
    while (k > 0 && !(may_begin(entry, n - k, begin) && has_at(target, n - k, ids, k))) k--;
    if (k > n_before(entry)) return k;
    if (k < n_before(entry) || !may_begin(entry, n, begin)) return -1;
    return has_whole(target, begin, entry, ids) ? -1 : k;
}

/* Whether the target has an entry, or goes on with it; one for HEED_PLACE_AFTER, also where that may begin. */
static int has_entry(const heed_target *target, int begin, const heed_lexicon_entry *entry, const int32_t *ids) {
    return next_of(entry, ids, target, begin) > 0 || has_whole(target, begin, entry, ids);
}

/* Whether the target begins with an entry, or with as much of it as the target has chosen ids. */
static int begins_with(const heed_target *target, int begin, const heed_lexicon_entry *entry, const int32_t *ids) {
    const int n_new = target->n_ids - begin, n = n_new < entry->n_ids ? n_new : entry->n_ids;
    return n > 0 && has_at(target, begin, ids, n);
}

/* Where among entries [n] other spellings of a word may be; -1: nowhere. */
typedef struct {
    const int32_t *entries;
    int n;
    int first; /* the last entry for the first place */
    int after; /* the first of the last ones for HEED_PLACE_AFTER, which follow each other and have the same tokens */
} spellings;

static int is_same_word(const heed_lexicon_entry *a, const heed_lexicon_entry *b) {
    return a->first == b->first && a->end == b->end;
}

/* Whether the target has one of the entries from entries[at] on that are of the same word, or goes on with it. */
static int follows(const heed_lexicon_entry *entry, const int32_t *entries, int n, int at, const heed_target *target,
                   int begin) {
    heed_lexicon_entry other = {0};
    for (int size; (size = lexicon_next(entries, n, at, &other)) > 0 && is_same_word(&other, entry); at += size) {
        const int32_t *ids = entries + at + size - other.n_ids;
        if (other.place != HEED_PLACE_AFTER && has_entry(target, begin, &other, ids)) return 1;
    }
    return 0;
}

/* Whether the target has the word of an entry, or its beginning, in another spelling.  The next entry is at `next`. */
static int is_there(const heed_lexicon_entry *entry, int next, const spellings *others, const heed_target *target,
                    int begin) {
    const int32_t *entries = others->entries;
    heed_lexicon_entry other = {0};
    /* in "hors-d'œuvre" the apostrophe belongs to the word, which does not begin again there */
    if (entry->place == HEED_PLACE_AFTER) return follows(entry, entries, others->n, next, target, begin);
    if (entry->place == HEED_PLACE_LATER && others->first >= 0) {
        const int at = others->first + lexicon_next(entries, others->n, others->first, &other) - other.n_ids;
        if (is_same_word(&other, entry) && begins_with(target, begin, &other, entries + at)) return 1;
    }
    for (int at = others->after, size; at >= 0; at += size) {
        size = lexicon_next(entries, others->n, at, &other);
        if (size == 0 || other.place != HEED_PLACE_AFTER || !is_same_word(&other, entry)) break;
        if (has_entry(target, begin, &other, entries + at + size - other.n_ids)) return 1;
    }
    return 0;
}

int lexicon_next(const int32_t *entries, int n, int at, heed_lexicon_entry *entry) {
    enum { HEAD = sizeof *entry / sizeof(int32_t) };
    if (n - at < HEAD) return 0;
    memcpy(entry, entries + at, sizeof *entry);
    return entry->n_ids >= 1 && entry->n_ids <= n - at - HEAD ? HEAD + entry->n_ids : 0;
}

/* What an entry adds to the probability of an id, before all are scaled. */
typedef struct {
    int32_t id; /* -1: the target ends with the whole entry */
    float share;
    int32_t first, end; /* the source tokens of its word */
    int has_begun;      /* the target has the first ids of the word */
} addition;

enum { MOST_ADDITIONS = HEED_LEXICON_INTS / (sizeof(heed_lexicon_entry) / sizeof(int32_t) + 1) };

/* Whether another addition [n] ends the same word, or goes on with it in another way. */
static int is_open(const addition *list, int n, const addition *of) {
    for (int i = 0; of->has_begun && i < n; i++)
        if (list[i].has_begun && list[i].first == of->first && list[i].end == of->end && list[i].id != of->id) return 1;
    return 0;
}

/*
 * What the entries [n_entries] add for a target, in `out`; returns how many; some add 0.  *total: what all add.
 *   scores  which ids there are; NULL: all
 *   begin   the first id that is chosen
 */
static int list_additions(addition out[MOST_ADDITIONS], float *total, const int32_t *entries, int n_entries,
                          const heed_scores *scores, const heed_target *target, int begin, const float *weights) {
    heed_lexicon_entry entry;
    spellings others = {entries, n_entries, -1, -1};
    heed_lexicon_entry before = {0};
    int n = 0;
    *total = 0.0f;
    for (int at = 0, size; (size = lexicon_next(entries, n_entries, at, &entry)) > 0; at += size) {
        const int32_t *ids = entries + at + size - entry.n_ids;
        if (entry.place == HEED_PLACE_FIRST) others.first = at;
        if (entry.place == HEED_PLACE_AFTER && (before.place != HEED_PLACE_AFTER || !is_same_word(&before, &entry)))
            others.after = at;
        before = entry;
        if (entry.share == 0) continue; /* it only keeps others from beginning */
        if (has_ended(&entry, ids, target, begin)) {
            out[n++] = (addition){-1, 0.0f, entry.first, entry.end, 1};
            continue;
        }
        const int k = next_of(&entry, ids, target, begin), has_begun = k > n_before(&entry);
        if (k < 0 || (scores && scores_find(scores, ids[k]) == NULL)) continue;
        if (!has_begun && is_there(&entry, at + size, &others, target, begin)) continue;
        float weight = 0.0f;
        for (int s = entry.first; s < entry.end; s++) weight += weights[s];
        const float once = (float)entry.share / 1000.0f, share = weight * (has_begun ? once * (2.0f - once) : once);
        if (share >= LEAST) out[n++] = (addition){ids[k], share, entry.first, entry.end, has_begun};
    }
    for (int i = 0; i < n; i++) {
        if (is_open(out, n, &out[i])) out[i].share = 0.0f;
        *total += out[i].share;
    }
    return n;
}

/* What additions are multiplied by. */
static float scale_of(float total) { return total > MOST ? MOST / total : 1.0f; }

void lexicon_apply(const heed_batch_row *row, const heed_scores *scores, const heed_target *target,
                   const float *weights) {
    const int begin = next_begin(&row->rules->options);
    addition additions[MOST_ADDITIONS];
    float total;
    if (target->n_ids < begin) return;
    const int n = list_additions(additions, &total, row->lexicon, row->n_lexicon, scores, target, begin, weights);
    if (total == 0.0f) return;
    const float sum = k_log_sum_exp(scores->scores, scores->n), scale = scale_of(total);
    if (!isfinite(sum)) return;
    /* others keep their scores: dividing all by what the model keeps changes no probability */
    const float kept = 1.0f - total * scale;
    for (int i = 0; i < n; i++) {
        if (additions[i].share == 0.0f) continue;
        float *score = scores_find(scores, additions[i].id);
        const double more = (double)(additions[i].share * scale / kept);
        /* in double: libms differ in its last bits, which rounding to a float nearly always removes */
        *score = (float)((double)sum + log(exp((double)*score - (double)sum) + more));
    }
}

float lexicon_log_prob(const int32_t *entries, int n_entries, const int32_t *target, int t, const float *weights,
                       float log_prob) {
    const heed_target before = {.ids = (int32_t *)target, .n_ids = t}; /* it is only read */
    addition additions[MOST_ADDITIONS];
    float total, own = 0.0f;
    const int n = list_additions(additions, &total, entries, n_entries, NULL, &before, 0, weights);
    for (int i = 0; i < n; i++)
        if (additions[i].id == target[t]) own += additions[i].share;
    if (total == 0.0f) return log_prob;
    const float scale = scale_of(total);
    return (float)log(exp((double)log_prob) * (double)(1.0f - total * scale) + (double)(own * scale));
}
