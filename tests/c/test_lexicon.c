/*
 * test_lexicon.c - searches with lexicons: each step against the formula in double over a teacher-forced pass, the same
 * results in any company, the log-probabilities of a pass, and what is refused.
 */
#include "check.h"
#include "guard.h"
#include "random_model.h"
#include "results.h"
#include "search/search.h"

/* EOS is an id that this random model says now and then. */
enum { V = 61, EOS = 25, HEADS = 4, N_SENTENCES = 32, MAX_SOURCE = 9, MAX_TARGET = 14, ROOM = 144 };

typedef struct {
    int32_t source[MAX_SOURCE], entries[ROOM];
    int n, n_entries, head;
} sentence;

static uint32_t seed = 7;
static int pick(int n) { return (int)((random_float(&seed) + 1.0f) * 0.5f * (float)n) % n; }

/*
 * Entries of one to four ids.  Half of them have few different ids, so that they begin alike, repeat, and end as they
 * begin; the others may have ids that a shortlist does not select.  Some are of the same source tokens as one before
 * them for the first place, or for the one after something.
 */
static void make_sentence(sentence *s) {
    memset(s, 0, sizeof *s);
    s->n = 1 + pick(MAX_SOURCE);
    s->head = pick(HEADS);
    for (int t = 0; t < s->n; t++) s->source[t] = pick(V);
    const int most = 1 + pick(8 * s->n);
    const int32_t *other = NULL;
    for (int n_ids; s->n_entries + 5 + (n_ids = 1 + pick(4)) <= most || s->n_entries == 0;) {
        int32_t *entry = s->entries + s->n_entries;
        const int is_common = pick(2);
        entry[0] = pick(s->n);
        entry[1] = entry[0] + 1 + pick(s->n - entry[0]);
        entry[2] = pick(3) ? pick(1001) : pick(2) * 1000;
        entry[3] = pick(n_ids > 1 ? 4 : 3);
        entry[4] = n_ids;
        if (other && pick(2)) {
            memcpy(entry, other, 2 * sizeof *entry);
            if (entry[3] == HEED_PLACE_AFTER && pick(2)) entry[3] = HEED_PLACE_LATER;
        }
        if (entry[3] == HEED_PLACE_FIRST || entry[3] == HEED_PLACE_AFTER) other = entry;
        for (int i = 0; i < n_ids; i++) entry[5 + i] = is_common ? s->source[pick(2) % s->n] : pick(V);
        s->n_entries += 5 + n_ids;
    }
}

static sentence corpus[N_SENTENCES];

/* How often each case of the twin came up. */
static struct {
    int passes, first, later, after, continued, complete, misplaced, no_score, shared, capped, not_capped, twice;
    int spelled, open, ended;
} seen;

/* The id after the beginning of an entry that is at ids[at], or -1: it is not there. */
static int32_t after(const int32_t *entry, const int32_t *ids, int at, int n) {
    if (n - at >= entry[4]) return -1;
    return memcmp(ids + at, entry + 5, (size_t)(n - at) * sizeof *ids) == 0 ? entry[5 + n - at] : -1;
}

/*
 * The next id of an entry for target ids [n], of which begin were not chosen, and whether its word has begun; -1: none.
 * *is_complete: the target has it.
 */
static int32_t next_plainly(const int32_t *entry, const int32_t *ids, int begin, int n, int *has_begun,
                            int *is_complete) {
    const int is_after = entry[3] == HEED_PLACE_AFTER;
    *has_begun = *is_complete = 0;
    for (int at = begin; at + entry[4] <= n; at++) {
        if (memcmp(ids + at, entry + 5, (size_t)entry[4] * sizeof *ids) != 0) continue;
        seen.complete++;
        *is_complete = 1;
        if (at + entry[4] == n) return -1;
    }
    for (int at = begin; at <= n - is_after; at++) {
        const int32_t next = after(entry, ids, at, n);
        if (next < 0 || (at == n - is_after && *is_complete)) continue;
        const int is_misplaced =
            (entry[3] == HEED_PLACE_FIRST && at > begin) || (entry[3] == HEED_PLACE_LATER && at == begin);
        seen.misplaced += is_misplaced;
        if (is_misplaced) continue;
        *has_begun = at < n - is_after;
        seen.first += at == n && n == begin;
        seen.later += at == n && n > begin;
        seen.after += is_after && !*has_begun;
        seen.continued += *has_begun;
        return next;
    }
    return -1;
}

/* Whether two entries are of the same source tokens. */
static int same_source(const int32_t *a, const int32_t *b) { return a && b && memcmp(a, b, 2 * sizeof *a) == 0; }

/* p [V] of what follows ids [n] in a search with these rules; ids has room for one more. */
static void next_plain(heed_session *alone, int32_t point, const heed_search_options *rules, const sentence *s,
                       int32_t *ids, int n, double p[V]) {
    static float weights[HEADS * (MAX_TARGET + 1) * MAX_SOURCE];
    const size_t T = (size_t)n + 1, S = (size_t)s->n; /* row t sees the ids before t */
    const int has_forced = rules->n_prefix == 0 && rules->n_forced_bos > 0, begin = rules->n_prefix + has_forced;
    const int32_t *capital = NULL; /* the last entry for the first place */
    const int32_t *joined[ROOM];   /* the last ones of the same source tokens for after something */
    int n_joined = 0, last_place = -1;
    struct {
        const int32_t *entry;
        int32_t id;
        int has_begun;
        double share;
    } found[ROOM];
    double q[V] = {0}, sum = 0.0, total = 0.0, most = 0.0;
    float log_prob;
    int n_found = 0;
    if (n < begin) {
        for (int id = 0; id < V; id++) p[id] = id == (has_forced ? rules->forced_bos : rules->prefix)[n];
        return;
    }
    ids[n] = EOS;
    CHECK_INT(heed_inspect(alone, s->source, s->n, ids, n + 1, &point, 1, weights, HEADS * T * S), HEED_OK);
    if (rules->shortlist) CHECK_INT(heed_forward_shortlist(alone), HEED_OK);
    const float *logits = heed_forward_logits(alone, n, &log_prob);
    const float *looks = weights + ((size_t)s->head * T + n) * S;
    for (int id = 0; id < V; id++) sum += p[id] = exp(logits[id]);
    for (int at = 0; at < s->n_entries; at += 5 + s->entries[at + 4]) {
        int has_begun, is_complete, other_has_begun, is_spelled;
        const int32_t *entry = s->entries + at, id = next_plainly(entry, ids, begin, n, &has_begun, &is_complete);
        double weight = 0.0, share = entry[2] / 1000.0;
        for (int t = entry[0]; t < entry[1]; t++) weight += (double)looks[t];
        if (entry[3] == HEED_PLACE_FIRST) capital = entry;
        if (entry[3] == HEED_PLACE_AFTER) {
            if (last_place != HEED_PLACE_AFTER || !same_source(joined[0], entry)) n_joined = 0;
            joined[n_joined++] = entry;
        }
        last_place = entry[3];
        if (entry[2] > 0 && entry[4] <= n - begin &&
            memcmp(ids + n - entry[4], entry + 5, (size_t)entry[4] * sizeof *ids) == 0) { /* its word has ended */
            found[n_found].entry = entry;
            found[n_found].id = -1;
            found[n_found].has_begun = 1;
            found[n_found++].share = 0.0;
        }
        if (id < 0) continue;
        if (!has_begun && entry[3] == HEED_PLACE_LATER && same_source(capital, entry)) {
            const int common = n - begin < capital[4] ? n - begin : capital[4];
            const int is_there = common > 0 && memcmp(ids + begin, capital + 5, (size_t)common * sizeof *ids) == 0;
            seen.twice += is_there;
            if (is_there) continue;
        }
        is_spelled = 0;
        for (int i = 0; !has_begun && entry[3] != HEED_PLACE_AFTER && i < n_joined; i++) {
            if (!same_source(joined[i], entry)) continue;
            is_spelled |= next_plainly(joined[i], ids, begin, n, &other_has_begun, &is_complete) >= 0 || is_complete;
        }
        for (int to = at + 5 + entry[4]; !has_begun && entry[3] == HEED_PLACE_AFTER && to < s->n_entries;) {
            const int32_t *other = s->entries + to;
            if (!same_source(other, entry)) break;
            next_plainly(other, ids, begin, n, &other_has_begun, &is_complete);
            is_spelled |= other[3] != HEED_PLACE_AFTER && (other_has_begun || is_complete);
            to += 5 + other[4];
        }
        seen.spelled += is_spelled;
        if (is_spelled) continue;
        if (has_begun) share = 1.0 - (1.0 - share) * (1.0 - share);
        if (weight * share < 1e-6) continue;
        seen.no_score += p[id] == 0.0;
        if (p[id] == 0.0) continue;
        found[n_found].entry = entry;
        found[n_found].id = id;
        found[n_found].has_begun = has_begun;
        found[n_found++].share = weight * share;
    }
    for (int i = 0; i < n_found; i++) {
        int others = 0; /* ids with which other entries of the same source tokens go on */
        for (int j = 0; j < n_found; j++)
            others += found[i].has_begun && found[j].has_begun && same_source(found[i].entry, found[j].entry) &&
                      found[i].id != found[j].id;
        seen.open += others > 0;
        seen.ended += others > 0 && found[i].id < 0;
        if (others > 0 || found[i].id < 0) continue;
        seen.shared += q[found[i].id] > 0.0;
        q[found[i].id] += found[i].share;
        total += found[i].share;
    }
    most = total > 0.99 ? 0.99 / total : 1.0;
    seen.capped += most < 1.0;
    seen.not_capped += total > 0.0 && total < 0.9;
    for (int id = 0; id < V; id++) p[id] = (1.0 - total * most) * p[id] / sum + q[id] * most;
}

enum { BEAMS = 3, BATCH = 4, CANDIDATES = 2 * BEAMS * BEAMS };
typedef struct {
    int32_t ids[BEAMS][MAX_TARGET + 1];
    double log_prob[BEAMS];
    int n_ids;
} live;

/* The candidates of a step: those of the most probability, with their sums of log-probabilities. */
static void check_candidates(heed_session *session, int row, const sentence *s, live *before,
                             const heed_search_options *rules, heed_session *alone, int32_t point) {
    int32_t beam[CANDIDATES], id[CANDIDATES], fate[CANDIDATES], n = 0;
    const int k = rules->beams == 1 ? 1 : 2 * rules->beams;
    float log_prob[CANDIDATES];
    double p[V];
    if (heed_search_candidates(session, row, beam, id, fate, log_prob, &n) == HEED_E_STATE) return; /* free */
    for (int i = 0, same; i < n; i += same) {
        double least = INFINITY, best = 0.0;
        const int b = beam[i];
        next_plain(alone, point, rules, s, before->ids[b], before->n_ids, p);
        for (same = 0; i + same < n && beam[i + same] == b; same++) {
            const double found = p[id[i + same]], want = before->log_prob[b] + log(found);
            CHECK(fabs((double)log_prob[i + same] - want) <= 2e-5 * (1.0 - want));
            if (found < least) least = found;
            p[id[i + same]] = 0.0;
        }
        for (int other = 0; other < V; other++)
            if (p[other] > best) best = p[other];
        CHECK(same <= k && best <= least * 1.0001);
    }
}

/* The log-probabilities of a pass over a hypothesis, with the lexicon, have the sum that the search has. */
static void check_pass(const heed_model *model, heed_session *alone, int32_t point, const sentence *s,
                       const heed_hypothesis *h) {
    static float weights[HEADS * (MAX_TARGET + 1) * MAX_SOURCE], log_probs[MAX_TARGET], out[MAX_TARGET];
    double sum = 0.0;
    const size_t map = (size_t)h->n * s->n; /* of a head */
    seen.passes++;
    CHECK_INT(heed_inspect(alone, s->source, s->n, h->ids, h->n, &point, 1, weights, HEADS * map), HEED_OK);
    for (int t = 0; t < h->n; t++) heed_forward_logits(alone, t, &log_probs[t]);
    CHECK_INT(heed_lexicon_log_probs(model, s->entries, s->n_entries, h->ids, h->n, weights + s->head * map, s->n,
                                     log_probs, out),
              HEED_OK);
    for (int t = 0; t < h->n; t++) sum += (double)out[t];
    CHECK(fabs(sum - (double)h->log_prob) <= 2e-5 * (1.0 - sum));
}

/* Sentences with lexicons come one after another into a batch that runs; every step is that of the twin. */
static void test_twin(const heed_model *model, heed_search_options rules) {
    const int32_t point = point_named(model, "decoder.layers.2.encoder_attn.weights");
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, BEAMS, BATCH};
    const heed_session_options pass = {MAX_SOURCE, MAX_TARGET + 1, 1, 1};
    static live before[BATCH];
    int of[BATCH] = {0}, added = 0, done = 0;
    int32_t row, running;
    heed_session *session, *alone;
    heed_hypothesis h;
    rules.length_penalty = 1.0f;
    rules.max_tokens = MAX_TARGET - rules.n_prefix;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_session_create(model, &pass, &alone), HEED_OK);
    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    for (int steps = 0; done < N_SENTENCES && steps < 1000; steps++) {
        const sentence *s = &corpus[added % N_SENTENCES];
        if (added < N_SENTENCES && heed_search_add(session, s->source, s->n, &row) == HEED_OK) {
            CHECK_INT(heed_search_lexicon(session, row, s->head, s->entries, s->n_entries), HEED_OK);
            of[row] = added++;
        }
        memset(before, 0, sizeof before); /* what has just begun has one empty hypothesis */
        for (row = 0; row < BATCH; row++) {
            for (int rank = 0; rank < heed_search_hypotheses(session, row); rank++) {
                CHECK_INT(heed_search_hypothesis(session, row, rank, &h), HEED_OK);
                memcpy(before[row].ids[rank], h.ids, (size_t)h.n * sizeof *h.ids);
                before[row].log_prob[rank] = (double)h.log_prob;
                before[row].n_ids = h.n;
            }
        }
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (row = 0; row < BATCH; row++)
            check_candidates(session, row, &corpus[of[row]], &before[row], &rules, alone, point);
        for (int f; (f = heed_search_finished(session)) >= 0; done++) {
            const int is_free = rules.n_prefix + rules.n_forced_bos + rules.shortlist == 0;
            for (int rank = 0; is_free && rules.beams > 1 && rank < heed_search_hypotheses(session, f); rank++) {
                CHECK_INT(heed_search_hypothesis(session, f, rank, &h), HEED_OK);
                check_pass(model, alone, point, &corpus[of[f]], &h);
            }
            CHECK_INT(heed_search_release(session, f), HEED_OK);
        }
    }
    CHECK_INT(done, N_SENTENCES);
    heed_session_free(alone);
    heed_session_free(session);
}

static void test_twins(int32_t *config, int n) {
    static const int32_t PREFIX[2] = {9, 10}, FORCED[1] = {4}, NONE = 0;
    const heed_search_options rules[] = {
        {.beams = 1},
        {.beams = BEAMS},
        {.beams = 1, .n_prefix = 2, .prefix = PREFIX},
        {.beams = 2, .n_forced_bos = 1, .forced_bos = FORCED},
        {.beams = BEAMS, .n_prefix = 2, .prefix = PREFIX, .n_forced_bos = 1, .forced_bos = FORCED},
    };
    for (int kind = 0; kind < 4; kind++) {
        config_set(config, "decoder_cell", kind == 1 ? HEED_SSRU : HEED_SELF_ATTENTION);
        config_set(config, "dtype", kind == 2 ? HEED_I8 : HEED_F32);
        heed_model *model = random_model(config, n, 5, 4096);
        if (!CHECK(model != NULL)) return;
        if (kind == 3) CHECK_INT(heed_model_set_shortlist(model, 8, &NONE, 1, NULL, 0), HEED_OK);
        memset(&seen, 0, sizeof seen);
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
            heed_search_options each = rules[i];
            each.shortlist = kind == 3;
            for (int s = 0; s < N_SENTENCES; s++) make_sentence(&corpus[s]);
            test_twin(model, each);
        }
        CHECK(seen.first > 10 && seen.later > 10 && seen.continued > 10 && seen.complete > 10 && seen.misplaced > 10);
        CHECK((seen.passes > 10) == (kind < 3));
        CHECK(seen.after > 10 && seen.twice > 0 && seen.spelled > 0 && seen.open > 0 && seen.ended > 0);
        CHECK(seen.shared > 10 && seen.capped > 10 && seen.not_capped > 10 && (seen.no_score > 10) == (kind == 3));
        heed_model_free(model);
    }
    config_set(config, "dtype", HEED_F32);
}

/* Which sentences get which lexicon. */
typedef enum { NO_LEXICON, EMPTY, REMOVED, NO_SHARES, ALL, ODD } lexicons;

static int has_lexicon(lexicons which, int i) { return which == ALL || (which == ODD && i % 2); }

static void give(heed_session *session, int row, const sentence *s, int i, lexicons which) {
    int32_t entries[ROOM];
    memcpy(entries, s->entries, sizeof entries);
    if (which == NO_SHARES)
        for (int at = 0; at < s->n_entries; at += 5 + entries[at + 4]) entries[at + 2] = 0;
    if (which >= REMOVED && (which < ALL || has_lexicon(which, i)))
        CHECK_INT(heed_search_lexicon(session, row, s->head, entries, s->n_entries), HEED_OK);
    if (which == EMPTY || which == REMOVED) CHECK_INT(heed_search_lexicon(session, row, 0, NULL, 0), HEED_OK);
    memset(entries, -1, sizeof entries); /* the search has copied them */
}

/* All sentences, `batch` at a time at most, with a session for long targets.  Returns how often one starts over. */
static int translate(const heed_model *model, const heed_search_options *rules, int batch, lexicons which,
                     result out[N_SENTENCES]) {
    const heed_session_options options = {MAX_SOURCE, RESULT_IDS, rules->beams, batch};
    int of[N_SENTENCES], has_run[N_SENTENCES] = {0}, added = 0, done = 0, evicted = 0;
    heed_session *session;
    int32_t row, running;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_search_begin(session, rules), HEED_OK);
    for (int steps = 0; done < N_SENTENCES && steps < 100000; steps++) {
        for (const sentence *s = corpus + added;
             added < N_SENTENCES && heed_search_add(session, s->source, s->n, &row) == HEED_OK; s++) {
            give(session, row, s, added, which);
            of[row] = added++;
            has_run[row] = 0;
        }
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (row = 0; row < batch && running > 0; row++) {
            const int is_evicted = heed_search_hypotheses(session, row) == 0 && has_run[row];
            has_run[row] = heed_search_hypotheses(session, row) > 0;
            evicted += is_evicted;
            /* it has its lexicon still, and may get it again */
            if (is_evicted && evicted % 2) give(session, row, &corpus[of[row]], of[row], which);
        }
        for (int f; (f = heed_search_finished(session)) >= 0; done++) {
            result_take(&out[of[f]], session, f);
            CHECK_INT(heed_search_release(session, f), HEED_OK);
            has_run[f] = 0;
        }
    }
    CHECK_INT(done, N_SENTENCES);
    heed_session_free(session);
    return evicted;
}

/*
 * The result of a sentence is the same in any company, with and without lexicons, also where it starts over; and one
 * without a lexicon has the result of a search that has none.
 */
static void test_company(const heed_model *model, heed_search_options rules) {
    static result none[N_SENTENCES], all[N_SENTENCES], got[N_SENTENCES];
    int n_other = 0;
    rules.length_penalty = 1.0f;
    for (int i = 0; i < N_SENTENCES; i++) make_sentence(&corpus[i]);
    CHECK_INT(translate(model, &rules, 1, NO_LEXICON, none), 0);
    CHECK_INT(translate(model, &rules, 1, ALL, all), 0);
    for (int i = 0; i < N_SENTENCES; i++) n_other += memcmp(&none[i], &all[i], sizeof none[i]) != 0;
    CHECK(n_other > N_SENTENCES / 2);
    for (lexicons which = EMPTY; which <= NO_SHARES; which++) {
        translate(model, &rules, 3, which, got);
        CHECK(memcmp(none, got, sizeof got) == 0);
    }
    for (lexicons which = ALL; which <= ODD; which++) {
        for (int batch = 1; batch <= N_SENTENCES; batch += batch + 1) {
            const int evicted = translate(model, &rules, batch, which, got);
            CHECK(evicted == 0 || batch > 1);
            if (rules.max_tokens == RESULT_IDS && batch > 3) CHECK(evicted > 1);
            for (int i = 0; i < N_SENTENCES; i++)
                CHECK(memcmp(has_lexicon(which, i) ? &all[i] : &none[i], &got[i], sizeof got[i]) == 0);
        }
    }
    if (rules.beams > 1) return;
    rules.unscored = 1; /* the same ids */
    translate(model, &rules, 3, ALL, got);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK(memcmp(got[i].ids, all[i].ids, sizeof got[i].ids) == 0);
        CHECK(got[i].n == all[i].n && got[i].log_prob == 0.0f);
    }
}

/* Forbidden and forced ids stay so, however much a lexicon adds. */
static void test_rules(const heed_model *model) {
    static const int32_t FORCED[1] = {11};
    const heed_session_options options = {2, 6, 2, 1};
    const int32_t source[2] = {3, EOS};
    const int32_t entries[12] = {0, 2, 1000, HEED_PLACE_ANY, 1, 8, 0, 2, 1000, HEED_PLACE_ANY, 1, 9};
    heed_search_options rules = {.max_tokens = 6, .length_penalty = 1.0f, .n_suppress = 1, .suppress = entries + 5};
    rules.forced_eos = FORCED;
    rules.n_forced_eos = 1;
    for (rules.beams = 1; rules.beams <= 2; rules.beams++) {
        int32_t row, running = 1;
        heed_session *session;
        heed_hypothesis h;
        int has_other = 0;
        CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        CHECK_INT(heed_search_add(session, source, 2, &row), HEED_OK);
        CHECK_INT(heed_search_lexicon(session, row, 0, entries, 12), HEED_OK);
        while (running > 0) CHECK_INT(heed_search_step(session, &running), HEED_OK);
        CHECK_INT(heed_search_hypothesis(session, row, 0, &h), HEED_OK);
        for (int i = 0; i < h.n; i++) {
            CHECK(h.ids[i] != 8);
            has_other |= h.ids[i] == 9;
        }
        CHECK(has_other && (h.n < 6 || h.ids[5] == FORCED[0]));
        heed_session_free(session);
    }
}

/* Scores that are not finite, of activations that have overflowed, stay what they are: the sentence must fail. */
static void test_overflow(void) {
    int32_t entries[] = {0, 1, 1000, HEED_PLACE_ANY, 1, 2}, ids[1] = {0};
    float scores[4], weight = 1.0f;
    heed_rule_set rules = {.n_sentences = 1};
    const heed_batch_row row = {.rules = &rules, .lexicon = entries, .n_lexicon = 6, .n_source = 1};
    const heed_target target = {.ids = ids + 1};
    const heed_scores all = {scores, NULL, 4};
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < 4; i++) scores[i] = kind == 0 ? NAN : kind == 1 ? INFINITY : kind == 2 ? -INFINITY : 0.0f;
        if (kind == 3) weight = NAN;
        lexicon_apply(&row, &all, &target, &weight);
        CHECK(kind == 0 ? isnan(scores[2]) : scores[2] == scores[0]);
        weight = 1.0f;
    }
    lexicon_apply(&row, &all, &target, &weight); /* four equal scores: 1/100 / 4 + 99/100 */
    CHECK(scores[0] == 0.0f && fabs(exp((double)scores[2]) / (3.0 + exp((double)scores[2])) - 0.9925) < 1e-6);
}

/* Each refusal leaves the lexicon that there was. */
static void test_refused(const heed_model *model) {
    enum { S = 3, MOST = HEED_LEXICON_INTS };
    static const int32_t SOURCE[S] = {4, 5, EOS}, GOOD[] = {0, 2, 900, HEED_PLACE_ANY, 2, 8, 9};
    static const struct {
        int32_t entries[13];
        int head, n;
        heed_status want;
    } CASES[] = {
        {{0}, 0, -1, HEED_E_ARGUMENT},
        {{0}, 0, INT32_MIN, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 1, 8}, -1, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 1, 8}, HEADS, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 1, 8}, 0, 5, HEED_E_ARGUMENT}, /* torn */
        {{0, 1, 9, 0, 1, 8}, 0, 4, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 1, 8}, 0, 1, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 1, 8, 7}, 0, 7, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 2, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 1, 8, 0, 1, 9, 0, 2, 8}, 0, 12, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, INT32_MAX, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, 0, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, -1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, 0, INT32_MIN, 8}, 0, 6, HEED_E_ARGUMENT},
        {{-1, 1, 9, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT}, /* source tokens */
        {{1, 1, 9, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{2, 1, 9, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, S + 1, 9, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{S, S + 1, 9, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{INT32_MIN, INT32_MAX, 9, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, -1, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT}, /* share */
        {{0, 1, 1001, 0, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, -1, 1, 8}, 0, 6, HEED_E_ARGUMENT}, /* place */
        {{0, 1, 9, 4, 1, 8}, 0, 6, HEED_E_ARGUMENT},
        {{0, 1, 9, HEED_PLACE_AFTER, 1, 8}, 0, 6, HEED_E_ARGUMENT}, /* what comes before it, and no word */
        {{0, 1, 9, 0, 1, -1}, 0, 6, HEED_E_ID},
        {{0, 1, 9, 0, 1, V}, 0, 6, HEED_E_ID},
        {{0, 1, 9, 0, 2, 8, V}, 0, 7, HEED_E_ID},
        {{0, 1, 9, 0, 1, 8, 0, 1, 9, 0, 1, V}, 0, 12, HEED_E_ID},
        {{0}, 0, MOST + 1, HEED_E_LENGTH}, /* not read */
        {{0}, 0, INT32_MAX, HEED_E_LENGTH},
    };
    const heed_session_options options = {4, 8, 2, 2};
    const heed_search_options rules = {.beams = 2, .max_tokens = 8, .length_penalty = 1.0f};
    static const float LOOKS[S] = {0.5f, 0.25f, 0.25f};
    static const int32_t WRONG[1] = {V};
    static result plain, with, got;
    float out[1] = {7.0f};
    int32_t row, running, full[MOST];
    heed_session *session;
    for (int i = 0; i < MOST - 8; i++) full[i] = (const int32_t[]){2, 3, 1000, HEED_PLACE_LATER, 1, V - 1}[i % 6];
    memcpy(full + MOST - 8, (const int32_t[]){0, 3, 1000, HEED_PLACE_ANY, 3, 1, 2, 3}, 8 * sizeof *full);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_search_lexicon(session, 0, 0, GOOD, 7), HEED_E_STATE); /* nothing has begun */
    for (int kind = 0; kind < 3; kind++) { /* without a lexicon, with one, and refused beside it */
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        CHECK_INT(heed_search_lexicon(session, 0, 0, GOOD, 7), HEED_E_STATE); /* free */
        CHECK_INT(heed_search_lexicon(session, 1, 0, NULL, 0), HEED_E_STATE);
        CHECK_INT(heed_search_add(session, SOURCE, S, &row), HEED_OK);
        CHECK_INT(heed_search_lexicon(session, -1, 0, GOOD, 7), HEED_E_ARGUMENT);
        CHECK_INT(heed_search_lexicon(session, 2, 0, GOOD, 7), HEED_E_ARGUMENT);
        if (kind > 0) CHECK_INT(heed_search_lexicon(session, row, 0, full, MOST), HEED_OK);
        if (kind > 0) CHECK_INT(heed_search_lexicon(session, row, 1, GOOD, 7), HEED_OK);
        for (size_t i = 0; kind == 2 && i < sizeof CASES / sizeof CASES[0]; i++) {
            const size_t bytes = (CASES[i].n > 0 && CASES[i].n < 13 ? (size_t)CASES[i].n : 1) * sizeof(int32_t);
            guard g; /* nothing after the entries is read */
            int32_t *entries = guard_new(&g, bytes);
            memcpy(entries, CASES[i].entries, bytes);
            CHECK_INT(heed_search_lexicon(session, row, CASES[i].head, entries, CASES[i].n), CASES[i].want);
            if (CASES[i].head == 0)
                CHECK_INT(heed_lexicon_log_probs(model, entries, CASES[i].n, SOURCE, 1, LOOKS, S, LOOKS, out),
                          CASES[i].want);
            CHECK(guard_end(&g));
        }
        for (running = 1; running > 0;) {
            CHECK_INT(heed_search_step(session, &running), HEED_OK);
            CHECK_INT(heed_search_lexicon(session, row, 0, full, MOST), HEED_E_STATE); /* runs, then finished */
        }
        result_take(kind == 0 ? &plain : kind == 1 ? &with : &got, session, row);
    }
    CHECK_INT(heed_lexicon_log_probs(model, GOOD, 7, SOURCE, 1, LOOKS, 0, LOOKS, out), HEED_E_ARGUMENT);
    CHECK_INT(heed_lexicon_log_probs(model, GOOD, 7, SOURCE, 0, LOOKS, S, LOOKS, out), HEED_E_LENGTH);
    CHECK_INT(heed_lexicon_log_probs(model, GOOD, 7, WRONG, 1, LOOKS, S, LOOKS, out), HEED_E_ID);
    CHECK(out[0] == 7.0f);
    CHECK_INT(heed_lexicon_log_probs(model, NULL, 0, SOURCE, 1, LOOKS, S, LOOKS, out), HEED_OK);
    CHECK(out[0] == LOOKS[0]);
    CHECK(memcmp(&plain, &with, sizeof with) != 0 && memcmp(&got, &with, sizeof with) == 0);
    heed_search_end(session);
    CHECK_INT(heed_search_lexicon(session, 0, 0, GOOD, 7), HEED_E_STATE);
    heed_session_free(session);
}

int main(void) {
    static const int32_t NO_END[1] = {EOS}, PREFIX[2] = {9, 10};
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    config_set(config, "eos_token_id", EOS);
    test_twins(config, n);
    test_overflow();
    heed_model *model = random_model(config, n, 5, 4096);
    if (!CHECK(model != NULL)) return check_summary("lexicon");
    test_refused(model);
    test_rules(model);
    test_company(model, (heed_search_options){.beams = 1, .max_tokens = 30});
    test_company(model, (heed_search_options){.beams = 3, .max_tokens = 30, .n_prefix = 2, .prefix = PREFIX});
    test_company(model,
                 (heed_search_options){.beams = 2, .max_tokens = RESULT_IDS, .n_suppress = 1, .suppress = NO_END});
    heed_model_free(model);
    return check_summary("lexicon");
}
