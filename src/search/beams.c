/* beams.c - from the candidates of a step to the next targets of a sentence: see search.h for the contract. */
#include <math.h>
#include <string.h>

#include "search/search.h"

int candidates_of(const heed_search_options *rules) { return rules->beams == 1 ? 1 : 2 * rules->beams; }

/* rank: log-probability and gain.  0 for a rank of 0, whatever the length and the penalty. */
static float score_of(double rank, int length, float length_penalty) {
    if (rank == 0.0 || (rank > 0.0 && length == 0)) return 0.0f;
    return (float)(rank / pow(length, length_penalty));
}

/* How many new ids at the end are an incomplete character, which other rules left no way to complete. */
static int count_open(const heed_target *target, const heed_search_options *rules) {
    const int n_new = target->n_ids - rules->n_prefix, open = bytes_open(target->ids, target->n_ids, rules);
    return open < n_new ? open : n_new;
}

/*
 * Keep an ended target if it is among the N best.  last_id: the id that ends it, or -1 if there is none; then an
 * incomplete character at the end is removed.
 */
static void keep_ended(heed_batch_row *row, const heed_search_options *rules, const heed_target *target,
                       int32_t last_id, double log_prob, double gain, int finished) {
    const int n_old = last_id < 0 ? target->n_ids - count_open(target, rules) : target->n_ids, n_last = last_id >= 0;
    const float score = score_of(log_prob + gain, target->n_ids + n_last - rules->n_prefix, rules->length_penalty);
    if (row->n_ended == rules->beams && !(score > row->ended[row->n_ended - 1].score)) return;

    int at = row->n_ended < rules->beams ? row->n_ended++ : row->n_ended - 1;
    heed_target room = row->ended[at];
    for (; at > 0 && row->ended[at - 1].score < score; at--) row->ended[at] = row->ended[at - 1];
    memcpy(room.ids, target->ids, (size_t)n_old * sizeof *room.ids);
    if (n_last) room.ids[n_old] = last_id;
    room.n_ids = n_old + n_last;
    room.log_prob = log_prob;
    room.gain = gain;
    room.score = score;
    room.finished = finished;
    row->ended[at] = room;
}

/* *next is the target and one more id; both share the target's cache rows. */
static void extend(heed_run *run, heed_target *next, const heed_target *target, const heed_candidate *c) {
    memcpy(next->ids, target->ids, (size_t)target->n_ids * sizeof *next->ids);
    memcpy(next->cache_rows, target->cache_rows, (size_t)target->n_cache_rows * sizeof *next->cache_rows);
    next->ids[target->n_ids] = c->id;
    next->n_ids = target->n_ids + 1;
    next->n_cache_rows = target->n_cache_rows;
    next->log_prob = c->log_prob;
    next->gain = c->gain;
    cache_share(&run->cache, next->cache_rows, next->n_cache_rows);
}

/* Whether the last id continues a loop that is too long.  Never before min_tokens, nor within a character of bytes. */
static int loops(const heed_batch_row *row, const heed_target *target, const heed_search_options *rules) {
    const int n = target->n_ids - rules->n_prefix;
    return row->loop_limit > 0 && n > rules->min_tokens && bytes_open(target->ids, target->n_ids - 1, rules) == 0 &&
           runaway_loops(target->ids + rules->n_prefix, n, row->loop_limit);
}

/*
 * Takes the best candidate that was not taken yet, or returns NULL.  The candidates of each beam are sorted, and
 * heads [n_live] are the next of each.
 */
static heed_candidate *take_best(const heed_batch_row *row, int32_t *heads, int k) {
    int best = -1;
    for (int b = 0; b < row->n_live; b++) {
        if (heads[b] == row->n_candidates[b]) continue;
        if (best < 0 || candidate_precedes(&row->candidates[(size_t)b * k + heads[b]],
                                           &row->candidates[(size_t)best * k + heads[best]]))
            best = b;
    }
    return best < 0 ? NULL : &row->candidates[(size_t)best * k + heads[best]++];
}

static void finish(heed_search *search, heed_batch_row *row) {
    sentence_drop_rows(search, row);
    row->n_live = 0;
    row->state = ROW_FINISHED;
}

/* Whether N targets have ended, and by early_stopping no live target (of n_new ids) counts as better. */
static int is_done(const heed_batch_row *row, const heed_search_options *rules, int n_new) {
    const float penalty = rules->length_penalty;
    if (row->n_ended < rules->beams || rules->early_stopping == HEED_EARLY_TRUE) return row->n_ended >= rules->beams;
    const double rank = row->live[0].log_prob + row->live[0].gain;
    /* with a positive penalty, a longer target divides its sum by more: better if that is negative */
    const int may_grow = rules->early_stopping == HEED_EARLY_NEVER && penalty > 0.0f && rank < 0.0;
    return score_of(rank, may_grow ? row->max_tokens : n_new, penalty) <= row->ended[row->n_ended - 1].score;
}

static void advance(heed_search *search, heed_batch_row *row, int32_t *heads) {
    const heed_search_options *rules = &row->rules->options;
    const int N = rules->beams, k = candidates_of(rules);
    const int most = N == 1 ? 1 : N * (rules->n_eos > 1 ? 1 + rules->n_eos : 2);
    const int n_new = row->live[0].n_ids + 1 - rules->n_prefix; /* <= 0 in the prefix, where no id ends */
    const int is_last = n_new >= row->max_tokens;
    const int is_forced = n_new == rules->max_tokens && rules->n_forced_eos > 0;
    heed_candidate *c;
    int n_next = 0;

    memset(heads, 0, (size_t)row->n_live * sizeof *heads);
    /* candidates that continue a loop have no rank */
    for (int taken = 0, rank = 0; taken < most && n_next < N && !(is_last && rank >= N); taken++) {
        if ((c = take_best(row, heads, k)) == NULL) break;
        const heed_target *target = &row->live[c->beam];
        if (n_new < 1 || !next_ends(rules, c->id)) {
            heed_target *next = &row->next[n_next];
            extend(search->run, next, target, c);
            if (loops(row, next, rules)) {
                target_drop_rows(search->run, next);
                continue;
            }
            c->fate = n_next++;
            if (is_last) keep_ended(row, rules, next, -1, next->log_prob, next->gain, 0);
        } else if (rank < N) {
            c->fate = HEED_ENDED;
            keep_ended(row, rules, target, c->id, c->log_prob, c->gain, !is_forced);
        }
        rank++;
    }
    for (int b = 0; n_next == 0 && row->n_ended == 0 && b < row->n_live; b++) /* nothing can follow: end */
        keep_ended(row, rules, &row->live[b], -1, row->live[b].log_prob, row->live[b].gain, 0);
    for (int b = 0; b < row->n_live; b++) target_drop_rows(search->run, &row->live[b]);

    row->n_before = row->n_live;
    heed_target *live = row->next;
    row->next = row->live;
    row->live = live;
    row->n_live = n_next;
    if (n_next == 0 || is_last || is_done(row, rules, n_new)) finish(search, row);
}

/* Whether the logits of a live target are not finite. */
static int has_failed(const heed_batch_row *row) {
    for (int b = 0; b < row->n_live; b++)
        if (row->n_candidates[b] < 0) return 1;
    return 0;
}

void beams_advance(heed_search *search, heed_batch_row *row) {
    if (has_failed(row)) {
        row->n_ended = row->n_before = 0;
        finish(search, row);
    } else advance(search, row, search->heads);
}
