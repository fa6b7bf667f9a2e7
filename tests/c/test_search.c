/* test_search.c - search: the same result in any company, and equal to what teacher forcing says. */
#include "check.h"
#include "kernels/kernels.h"
#include "random_model.h"
#include "results.h"
#include "search/search.h"

/* EOS is an id that this random model says now and then. */
enum { V = 61, EOS = 25, N_SENTENCES = 23, MAX_SOURCE = 20, MAX_TARGET = 150 };

typedef struct {
    int32_t ids[N_SENTENCES][MAX_SOURCE];
    int n[N_SENTENCES];
} corpus;

static void make_corpus(corpus *c) {
    uint32_t seed = 11;
    for (int i = 0; i < N_SENTENCES; i++) {
        c->n[i] = 1 + (i * 7) % MAX_SOURCE;
        for (int t = 0; t < c->n[i]; t++) c->ids[i][t] = (int32_t)((random_float(&seed) + 1.0f) * 0.5f * (V - 1));
    }
}

/* Translate the corpus, `batch` sentences at a time at most; results by sentence. */
static void translate(const heed_model *model, const corpus *c, const heed_search_options *rules, int batch,
                      result out[N_SENTENCES]) {
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, rules->beams, batch};
    results_of(model, &options, rules, c->ids[0], c->n, N_SENTENCES, out);
}

/*
 * What teacher forcing says of the ids: equal to the bit, as it is one function and one set of kernels.  Of the rules
 * here only greedy search without </s> has other probabilities: those among what is allowed.
 */
static void check_teacher_forced(const heed_model *model, const corpus *c, const result *results,
                                 const heed_search_options *rules) {
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 1, 1};
    heed_session *session;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (int i = 0; i < N_SENTENCES; i++) {
        double sum = 0.0;
        CHECK_INT(heed_forward(session, c->ids[i], c->n[i], results[i].ids, results[i].n), HEED_OK);
        for (int t = rules->n_prefix; t < results[i].n; t++) {
            float log_prob, allowed[V];
            const float *logits = heed_forward_logits(session, t, &log_prob);
            if (!CHECK(logits != NULL)) continue;
            memcpy(allowed, logits, sizeof allowed);
            allowed[EOS] = -INFINITY;
            const int endless = rules->n_bad_words > 0 || t - rules->n_prefix < rules->min_tokens;
            sum += rules->beams == 1 && endless ? logits[results[i].ids[t]] - k_log_sum_exp(allowed, V) : log_prob;
        }
        CHECK((float)sum == results[i].log_prob);
    }
    heed_session_free(session);
}

static void test_company(const heed_model *model, const corpus *c, heed_search_options rules) {
    static result alone[N_SENTENCES], together[N_SENTENCES];
    static const int BATCHES[] = {2, 3, 8, 32};
    translate(model, c, &rules, 1, alone);
    check_teacher_forced(model, c, alone, &rules);
    for (int b = 0; b < 4; b++) {
        translate(model, c, &rules, BATCHES[b], together);
        for (int i = 0; i < N_SENTENCES; i++) CHECK(memcmp(&alone[i], &together[i], sizeof alone[i]) == 0);
    }
    if (rules.beams > 1) return;
    rules.unscored = 1;
    translate(model, c, &rules, 8, together);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK(together[i].log_prob == 0.0f && together[i].score == 0.0f);
        together[i].log_prob = alone[i].log_prob;
        together[i].score = alone[i].score;
        CHECK(memcmp(&alone[i], &together[i], sizeof alone[i]) == 0);
    }
}

/*
 * Sentences with five kinds of rules come late, one after another, into a batch that runs: each says what it says alone
 * among its like.  Some are dropped on their way, which changes nothing for the others.
 */
static void test_mixed(const heed_model *model, const corpus *c) {
    enum { KINDS = 5, BATCH = 6 };
    static const int32_t PREFIX[2] = {9, 10}, BANNED[4] = {1, 3, 1, 4};
    static result alone[KINDS][N_SENTENCES], got;
    const heed_search_options rules[KINDS] = {
        {.beams = 1, .max_tokens = 40, .length_penalty = 1.0f},
        {.beams = 3, .max_tokens = 30, .length_penalty = 0.6f},
        {.beams = 1, .max_tokens = 40, .length_penalty = 1.0f, .n_prefix = 2, .prefix = PREFIX},
        {.beams = 2, .max_tokens = 50, .length_penalty = 1.0f, .min_tokens = 20, .n_bad_words = 4, .bad_words = BANNED},
        {.beams = 1, .max_tokens = 50, .length_penalty = 1.0f, .repetition_penalty = 1.5f, .cut_runaways = 1},
    };
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 3, BATCH};
    heed_session *session;
    int of[BATCH] = {0}, is_dropped[BATCH] = {0}, added = 0, done = 0, most = 0, n_dropped = 0;
    int32_t row, running;
    for (int kind = 0; kind < KINDS; kind++) translate(model, c, &rules[kind], 1, alone[kind]);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_search_begin(session, &rules[0]), HEED_OK);
    for (int steps = 0; done < KINDS * N_SENTENCES && steps < 100000; steps++) {
        if (added < KINDS * N_SENTENCES) {
            const int kind = added % KINDS, i = added / KINDS;
            CHECK_INT(heed_search_rules(session, &rules[kind]), HEED_OK);
            if (heed_search_add(session, c->ids[i], c->n[i], &row) == HEED_OK) {
                of[row] = added++;
                is_dropped[row] = 0;
            }
        }
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        if (running > most) most = running;
        if (steps % 11 == 0 && of[row = steps / 11 % BATCH] < added && added > BATCH && !is_dropped[row]) {
            CHECK_INT(heed_search_release(session, row), HEED_OK);
            is_dropped[row] = 1;
            n_dropped++;
            done++;
        }
        for (int f; (f = heed_search_finished(session)) >= 0; done++) {
            result_take(&got, session, f);
            CHECK(memcmp(&got, &alone[of[f] % KINDS][of[f] / KINDS], sizeof got) == 0);
            CHECK_INT(heed_search_release(session, f), HEED_OK);
            is_dropped[f] = 1;
        }
    }
    CHECK_INT(done, KINDS * N_SENTENCES);
    CHECK_INT(most, BATCH);
    CHECK(n_dropped > 0);
    heed_session_free(session);
}

/*
 * Long targets use up the cache: sentences are put back to wait, some of them with ended hypotheses, and start over.
 * Each result is the same as alone.
 */
static void test_eviction(const heed_model *model, const corpus *c) {
    enum { N = 2, BATCH = N_SENTENCES, CANDIDATES = 2 * N * N };
    static result alone[N_SENTENCES][N];
    const heed_search_options rules = {
        .beams = N, .max_tokens = MAX_TARGET, .length_penalty = 2.0f, .early_stopping = HEED_EARLY_NEVER,
        .attention = 1};
    const int32_t head = 0;
    float weights[N * MAX_SOURCE];
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, N, BATCH};
    int32_t row, running, beam[CANDIDATES], id[CANDIDATES], fate[CANDIDATES], n;
    int of[BATCH] = {0}, has_run[BATCH] = {0}, has_ended[BATCH] = {0};
    int added = 0, done = 0, evicted = 0, with_ended = 0, early = 0;
    float log_prob[CANDIDATES];
    heed_session *session;
    heed_hypothesis h;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        CHECK_INT(heed_search_add(session, c->ids[i], c->n[i], &row), HEED_OK);
        for (running = 1; running > 0;) CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (int rank = 0; rank < N; rank++) {
            CHECK_INT(heed_search_hypothesis(session, row, rank, &h), HEED_OK);
            memcpy(alone[i][rank].ids, h.ids, (size_t)h.n * sizeof *h.ids);
            alone[i][rank].n = h.n;
            alone[i][rank].log_prob = h.log_prob;
        }
    }
    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    for (int steps = 0; done < N_SENTENCES && steps < 100000; steps++) {
        while (added < N_SENTENCES && heed_search_add(session, c->ids[added], c->n[added], &row) == HEED_OK) {
            of[row] = added++;
            has_run[row] = has_ended[row] = 0;
        }
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (int f; (f = heed_search_finished(session)) >= 0; done++) {
            for (int rank = 0; rank < N; rank++) {
                const result *want = &alone[of[f]][rank];
                CHECK_INT(heed_search_hypothesis(session, f, rank, &h), HEED_OK);
                CHECK(h.n == want->n && h.log_prob == want->log_prob);
                CHECK(memcmp(h.ids, want->ids, (size_t)h.n * sizeof *h.ids) == 0);
            }
            CHECK_INT(heed_search_release(session, f), HEED_OK);
            has_run[f] = 0;
        }
        for (row = 0; row < BATCH; row++) {
            const int n_live = heed_search_hypotheses(session, row);
            if (n_live == 0 && has_run[row]) {
                evicted++;
                with_ended += has_ended[row];
                has_ended[row] = 0;
                CHECK_INT(heed_search_candidates(session, row, beam, id, fate, log_prob, &n), HEED_OK);
                CHECK_INT(n, 0);
                CHECK_INT(heed_search_attention(session, row, &head, 1, weights, &n), HEED_OK);
                CHECK_INT(n, 0);
            }
            has_run[row] = n_live > 0;
            const int agreed = heed_search_agreed(session, row);
            CHECK_INT(heed_search_hypothesis(session, row, 0, &h), n_live > 0 ? HEED_OK : HEED_E_ARGUMENT);
            if (n_live == 0) CHECK_INT(agreed, 0);
            for (int rank = 0; rank < N && n_live > 0; rank++)
                CHECK(memcmp(h.ids, alone[of[row]][rank].ids, (size_t)agreed * sizeof *h.ids) == 0);
            early += agreed > 0;
            if (n_live == 0) continue;
            CHECK_INT(heed_search_candidates(session, row, beam, id, fate, log_prob, &n), HEED_OK);
            for (int i = 0; i < n; i++) has_ended[row] |= fate[i] == HEED_ENDED;
        }
    }
    CHECK_INT(done, N_SENTENCES);
    CHECK(evicted > 3 && with_ended > 0 && early > N_SENTENCES);
    heed_session_free(session);
}

/* As many sets of rules as sentences; equal ones share a set, and a set is free with its last sentence. */
static void test_rule_sets(const heed_model *model, const corpus *c) {
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 2, 2};
    int32_t prefix[1] = {3}, rows[2];
    heed_search_options rules = {.beams = 2, .max_tokens = 9, .length_penalty = 1.0f, .n_prefix = 1, .prefix = prefix};
    heed_session *session;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_search_rules(session, &rules), HEED_E_STATE); /* nothing has begun */
    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    CHECK_INT(heed_search_add(session, c->ids[0], c->n[0], &rows[0]), HEED_OK);
    prefix[0] = 4; /* lists are copied: these are others */
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
    CHECK_INT(heed_search_add(session, c->ids[1], c->n[1], &rows[1]), HEED_OK);
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
    rules.max_tokens = 8;
    CHECK_INT(heed_search_rules(session, &rules), HEED_E_STATE);
    CHECK_INT(heed_search_release(session, rows[0]), HEED_OK);
    rules.beams = 3;
    CHECK_INT(heed_search_rules(session, &rules), HEED_E_ARGUMENT);
    rules.beams = 2;
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
    CHECK_INT(heed_search_add(session, c->ids[0], c->n[0], &rows[0]), HEED_OK);
    rules.max_tokens = 9;
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
    CHECK_INT(heed_search_release(session, rows[0]), HEED_OK);
    CHECK_INT(heed_search_release(session, rows[0]), HEED_OK); /* again: it frees no other's rules */
    rules.max_tokens = 7;
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
    rules.max_tokens = 6;
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK); /* no sentence has the ones before */
    heed_session_free(session);
}

/* However many sentences there are, a session holds HEED_MAX_RULE_SETS; refused rules leave the previous in force. */
static void test_rule_limit(const heed_model *model, const corpus *c) {
    enum { SETS = HEED_MAX_RULE_SETS, BATCH = SETS + 2 };
    const heed_session_options options = {MAX_SOURCE, MAX_TARGET, 1, BATCH};
    int32_t prefix[1] = {0}, row, running = 1;
    heed_search_options rules = {.beams = 1, .max_tokens = 9, .length_penalty = 1.0f, .n_prefix = 1, .prefix = prefix};
    heed_session *session;
    heed_hypothesis h;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    for (int i = 0; i < SETS; i++) {
        prefix[0] = i;
        CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
        CHECK_INT(heed_search_add(session, c->ids[i], c->n[i], &row), HEED_OK);
        CHECK_INT(row, i);
    }
    prefix[0] = SETS;
    CHECK_INT(heed_search_rules(session, &rules), HEED_E_STATE);
    CHECK_INT(heed_search_add(session, c->ids[0], c->n[0], &row), HEED_OK);
    CHECK_INT(heed_search_release(session, 2), HEED_OK);
    CHECK_INT(heed_search_rules(session, &rules), HEED_OK);
    prefix[0] = V; /* no id of the vocabulary */
    CHECK_INT(heed_search_rules(session, &rules), HEED_E_ID);
    CHECK_INT(heed_search_add(session, c->ids[0], c->n[0], &row), HEED_OK);
    CHECK_INT(row, 2);
    while (running > 0) CHECK_INT(heed_search_step(session, &running), HEED_OK);
    for (row = 0; row <= SETS; row++) {
        CHECK_INT(heed_search_hypothesis(session, row, 0, &h), HEED_OK);
        CHECK_INT(h.ids[0], row == 2 ? SETS : row == SETS ? SETS - 1 : row);
    }
    heed_session_free(session);
}

static int holds_repeat(const result *r, int n) {
    for (int i = 0; i + n <= r->n; i++)
        for (int j = i + 1; j + n <= r->n; j++)
            if (memcmp(r->ids + i, r->ids + j, (size_t)n * sizeof *r->ids) == 0) return 1;
    return 0;
}

static void test_rules(const heed_model *model, const corpus *c) {
    static result results[N_SENTENCES], plain[N_SENTENCES];
    static const int32_t PREFIX[3] = {9, EOS, 10}; /* </s> in a prefix does not end it */
    heed_search_options rules = {.beams = 2, .max_tokens = 40, .length_penalty = 1.0f};
    translate(model, c, &rules, 8, plain);

    rules.no_repeat_ngram = 2;
    translate(model, c, &rules, 8, results);
    int had = 0;
    for (int i = 0; i < N_SENTENCES; i++) {
        had += holds_repeat(&plain[i], 2);
        CHECK(!holds_repeat(&results[i], 2));
    }
    CHECK(had > 0); /* else the rule had nothing to do */

    rules.no_repeat_ngram = 0;
    int early = 0;
    for (int i = 0; i < N_SENTENCES; i++) early += plain[i].n < 30 && plain[i].finished;
    CHECK(early > 0);
    rules.min_tokens = 30;
    translate(model, c, &rules, 8, results);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK(results[i].n >= 30);
        for (int t = 0; t < 29; t++) CHECK(results[i].ids[t] != EOS);
    }
    rules.n_prefix = 3;
    rules.prefix = PREFIX;
    translate(model, c, &rules, 8, results);
    check_teacher_forced(model, c, results, &rules);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK(memcmp(results[i].ids, PREFIX, sizeof PREFIX) == 0 && results[i].n >= 33 && results[i].n <= 43);
        for (int t = 3; t < 32; t++) CHECK(results[i].ids[t] != EOS);
    }

    /* what greedy search says most often is forbidden, then a pair of ids it says in a row */
    const int32_t id = plain[0].ids[0];
    int32_t bad_words[5] = {1, id, 2, plain[1].ids[0], plain[1].ids[1]};
    rules = (heed_search_options){
        .beams = 1, .max_tokens = 20, .length_penalty = 1.0f, .n_bad_words = 5, .bad_words = bad_words};
    translate(model, c, &rules, 8, results);
    for (int i = 0; i < N_SENTENCES; i++)
        for (int t = 0; t < results[i].n; t++)
            CHECK(results[i].ids[t] != id &&
                  !(t > 0 && results[i].ids[t - 1] == bad_words[3] && results[i].ids[t] == bad_words[4]));

    /* every id forbidden: an empty, unfinished result instead of a hang */
    static int32_t all[2 * V];
    for (int i = 0; i < V; i++) {
        all[2 * i] = 1;
        all[2 * i + 1] = i;
    }
    rules.n_bad_words = 2 * V;
    rules.bad_words = all;
    translate(model, c, &rules, 8, results);
    for (int i = 0; i < N_SENTENCES; i++)
        CHECK(results[i].n == 0 && !results[i].finished && results[i].log_prob == 0.0f && results[i].score == 0.0f);
}

/* runaway_loops(), said plainly: some sequence fills the last `limit` + 1 ids and stands there three times. */
static int ends_in_loop(const int32_t *ids, int n, int limit) {
    for (int period = 1; period <= 64; period++) {
        const int length = limit + 1 > 3 * period ? limit + 1 : 3 * period;
        int same = length <= n;
        for (int i = n - length; same && i + period < n; i++) same = ids[i] == ids[i + period];
        if (same) return 1;
    }
    return 0;
}

static void test_loops(void) {
    int32_t ids[300];
    /* limits: 16, the source, and 4 for each token that repeats in it */
    for (int i = 0; i < 300; i++) ids[i] = i;
    CHECK_INT(runaway_loop_limit(ids, 1), 17);
    CHECK_INT(runaway_loop_limit(ids, 10), 26);
    for (int i = 0; i < 6; i++) ids[i] = 7;
    CHECK_INT(runaway_loop_limit(ids, 1), 17);
    CHECK_INT(runaway_loop_limit(ids, 2), 16 + 4 * 2);
    CHECK_INT(runaway_loop_limit(ids, 10), 16 + 4 * 6);
    CHECK_INT(runaway_loop_limit(ids + 5, 10), 26);
    for (int i = 0; i < 12; i++) ids[20 + i] = i % 5; /* two and a half times */
    CHECK_INT(runaway_loop_limit(ids + 14, 24), 16 + 4 * 12);
    CHECK_INT(runaway_loop_limit(ids + 14, 15), 16 + 15); /* once, and almost once more */
    CHECK_INT(runaway_loop_limit(ids + 14, 16), 16 + 4 * 10);
    for (int i = 0; i < 130; i++) ids[i] = i % 65; /* a sequence too long to be looked for */
    CHECK_INT(runaway_loop_limit(ids, 130), 16 + 130);
    for (int i = 0; i < 128; i++) ids[i] = i % 64;
    CHECK_INT(runaway_loop_limit(ids, 128), 16 + 4 * 128);

    /* loops of each period, after other tokens: at the first token past the limit, and with the third copy */
    for (int period = 1; period <= 66; period++) {
        for (int before = 0; before < 3; before++) {
            for (int i = 0; i < 300; i++) ids[i] = i < before ? 1000 + i : (i - before) % period;
            const int least = 3 * period > 21 ? 3 * period : 21;
            for (int n = 1; n <= before + 250; n++) {
                CHECK_INT(runaway_loops(ids, n, 20), period <= 64 && n - before >= least);
                CHECK_INT(runaway_loops(ids, n, 20), ends_in_loop(ids, n, 20));
            }
        }
    }
    CHECK_INT(runaway_max_tokens(1), 36);
    CHECK_INT(runaway_max_tokens(128), 32 + 512);
}

/* What greedy search says is cut where it begins to loop, or at its length, and is the same before. */
static void test_runaways(const heed_model *model, const corpus *c) {
    static result plain[N_SENTENCES], cut[N_SENTENCES];
    static const int32_t no_end[2] = {1, EOS};
    heed_search_options rules = {.beams = 1, .max_tokens = MAX_TARGET, .length_penalty = 1.0f};
    int looped = 0, long_ones = 0, ended = 0;
    for (int kind = 0; kind < 4; kind++) {
        rules.n_bad_words = kind % 2 ? 2 : 0; /* nothing ends by itself: all must be cut */
        rules.bad_words = no_end;
        rules.min_tokens = kind < 2 ? 0 : 60;
        rules.cut_runaways = 0;
        translate(model, c, &rules, 8, plain);
        rules.cut_runaways = 1;
        translate(model, c, &rules, 8, cut);
        check_teacher_forced(model, c, cut, &rules);
        for (int i = 0; i < N_SENTENCES; i++) {
            const int limit = runaway_loop_limit(c->ids[i], c->n[i]);
            const int longest = rules.min_tokens + 32 + 4 * c->n[i];
            int n = 0;
            while (n < plain[i].n && n < longest) {
                const int loops = n + 1 > rules.min_tokens && ends_in_loop(plain[i].ids, n + 1, limit);
                looped += loops;
                if (loops) break;
                n++;
            }
            const int whole = n == plain[i].n && plain[i].finished;
            long_ones += n == longest && !whole;
            ended += whole;
            CHECK_INT(cut[i].n, n);
            CHECK_INT(cut[i].finished, whole);
            CHECK(memcmp(cut[i].ids, plain[i].ids, (size_t)n * sizeof *cut[i].ids) == 0);
        }
    }
    CHECK(looped > 10 && long_ones > 0 && ended > 0); /* else there was nothing to see */

    /* beams: no hypothesis that loops is continued, and another is the result where there is one */
    rules = (heed_search_options){.beams = 4, .max_tokens = MAX_TARGET, .length_penalty = 1.0f};
    translate(model, c, &rules, 8, plain);
    rules.cut_runaways = 1;
    translate(model, c, &rules, 8, cut);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK(!ends_in_loop(cut[i].ids, cut[i].n, runaway_loop_limit(c->ids[i], c->n[i])));
        CHECK(cut[i].n <= 32 + 4 * c->n[i]);
        if (plain[i].finished && plain[i].n < 17) CHECK(memcmp(&plain[i], &cut[i], sizeof cut[i]) == 0);
    }
    rules.n_bad_words = 2;
    rules.bad_words = no_end;
    translate(model, c, &rules, 8, cut);
    check_teacher_forced(model, c, cut, &rules);
    for (int i = 0; i < N_SENTENCES; i++) CHECK(cut[i].n > 16 && cut[i].n <= 32 + 4 * c->n[i] && !cut[i].finished);

    /* two ids and </s>: loops take no rank from the </s> that comes after them (with theirs: 27 and 29 tokens) */
    int32_t others[2 * V];
    rules = (heed_search_options){.beams = 2, .max_tokens = MAX_TARGET, .length_penalty = 1.0f, .cut_runaways = 1};
    for (int id = 0; id < V; id++) {
        if (id == 16 || id == 24 || id == EOS) continue;
        others[rules.n_bad_words++] = 1;
        others[rules.n_bad_words++] = id;
    }
    rules.bad_words = others;
    translate(model, c, &rules, 8, cut);
    CHECK_INT(cut[13].n, 29);
    CHECK_INT(cut[17].n, 37);

    /* a prefix that repeats itself is the caller's; what follows is looked at alone */
    int32_t prefix[40];
    for (int i = 0; i < 40; i++) prefix[i] = 9;
    rules =
        (heed_search_options){.beams = 1, .max_tokens = 100, .length_penalty = 1.0f, .n_prefix = 40, .prefix = prefix};
    rules.cut_runaways = 1;
    translate(model, c, &rules, 8, cut);
    for (int i = 0; i < N_SENTENCES; i++) CHECK(cut[i].n > 40 && cut[i].n <= 40 + 32 + 4 * c->n[i]);
}

/* Equal scores: the lower id of a row, the lower beam of a sentence. */
static void test_ties(void) {
    float logits[7] = {0.5f, 2.0f, 1.0f, 2.0f, -1.0f, 1.0f, 2.0f}, room[1];
    int32_t end = 0, start = 0;
    const heed_search_options rules = {.beams = 2, .max_tokens = 9, .n_eos = 1, .eos = &end};
    const heed_target target = {.ids = &start + 1};
    heed_candidate c[4];
    CHECK_INT(next_candidates(c, 1, &(heed_scores){logits, NULL, 7}, &target, 0, 9, &rules, NULL, room), 1);
    CHECK_INT(c[0].id, 1);
    CHECK_INT(next_candidates(c, 4, &(heed_scores){logits, NULL, 7}, &target, 0, 9, &rules, NULL, room), 4);
    CHECK(c[0].id == 1 && c[1].id == 3 && c[2].id == 6 && c[3].id == 2);
    const heed_candidate low = {-1.0, 0.0, 0, 5, HEED_PRUNED}, high = {-1.0, 0.0, 1, 4, HEED_PRUNED},
                         better = {-0.5, 0.0, 7, 7, HEED_PRUNED}, next = {-1.0, 0.0, 0, 6, HEED_PRUNED};
    CHECK(candidate_precedes(&low, &high) && !candidate_precedes(&high, &low));
    CHECK(candidate_precedes(&better, &low) && candidate_precedes(&low, &next));
}

/* Batches whose sentences all grow to the limit need more cache than there is: some must start over. */
static void test_cache_runs_out(const heed_model *model, const corpus *c) {
    static result alone[N_SENTENCES], together[N_SENTENCES];
    const int32_t no_end[2] = {1, EOS};
    const heed_search_options rules = {
        .beams = 2, .max_tokens = MAX_TARGET, .length_penalty = 1.0f, .n_bad_words = 2, .bad_words = no_end};
    translate(model, c, &rules, 1, alone);
    translate(model, c, &rules, 16, together);
    for (int i = 0; i < N_SENTENCES; i++) {
        CHECK_INT(alone[i].n, MAX_TARGET);
        CHECK(memcmp(&alone[i], &together[i], sizeof alone[i]) == 0);
    }
}

/*
 * Weights that are finite but too large to compute with: an error, instead of a translation, in both arithmetics and
 * with a rule that leaves one id.
 */
static void test_overflow(int32_t *config, int n, int dtype) {
    static float huge[V * 24];
    const double shape[2] = {V, 24};
    const heed_session_options options = {4, 6, 2, 2};
    const int32_t source[3] = {1, 2, EOS};
    heed_model *model;
    heed_session *session;
    int32_t row, running;
    /* times 128, what is stored in int8 must be a float too */
    for (int i = 0; i < V * 24; i++) huge[i] = (i % 2 ? 3e38f : -3e38f) / (dtype == HEED_I8 ? 2.0f : 1.0f);
    config_set(config, "dtype", dtype);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    for (int i = 0; i < heed_tensor_count(model); i++) {
        if (strcmp(heed_tensor_name(model, i), "model.shared.weight") != 0) {
            CHECK_INT(fill_tensor(model, i, (uint32_t)i, 4096), HEED_OK);
            continue;
        }
        CHECK_INT(heed_tensor_begin(model, i, 0, HEED_F32, 2, shape), HEED_OK);
        CHECK_INT(heed_tensor_write(model, huge, sizeof huge), HEED_OK);
    }
    CHECK_INT(heed_model_finish(model, NULL), HEED_OK);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (int kind = 0; kind < 4; kind++) {
        const heed_search_options rules = {.beams = 1 + kind % 2,
                                           .max_tokens = 6,
                                           .length_penalty = 1.0f,
                                           .n_forced_bos = kind / 2,
                                           .forced_bos = source};
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        for (int i = 0; i < 2; i++) CHECK_INT(heed_search_add(session, source, 3, &row), HEED_OK);
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        CHECK_INT(running, 0);
        CHECK_INT(heed_search_finished(session), 0);
        for (row = 0; row < 2; row++) {
            heed_hypothesis h;
            CHECK_INT(heed_search_hypotheses(session, row), 0);
            CHECK_INT(heed_search_hypothesis(session, row, 0, &h), HEED_E_TENSOR_VALUE);
        }
    }
    heed_session_free(session);
    heed_model_free(model);
}

/* One sentence that cannot be computed with: it fails alone, and the other says what it says without it. */
static void test_one_overflow(int32_t *config, int n) {
    enum { HUGE_ID = 7 };
    static float values[V * 24];
    static const int32_t SOURCES[2][3] = {{1, HUGE_ID, EOS}, {4, 2, EOS}}, BANNED[2] = {1, HUGE_ID};
    const double shape[2] = {V, 24};
    const heed_session_options options = {4, 20, 1, 2};
    const heed_search_options rules = {
        .beams = 1, .max_tokens = 20, .length_penalty = 1.0f, .n_bad_words = 2, .bad_words = BANNED};
    uint32_t seed = 3;
    heed_model *model;
    heed_session *session;
    heed_hypothesis h = {0};
    result alone = {0};
    int32_t row, running = 1;
    /* the square of 1e30 is no float; the logit of the id is one */
    for (int i = 0; i < V * 24; i++) values[i] = i / 24 == HUGE_ID ? (i % 2 ? 1e30f : -1e30f) : random_float(&seed);
    config_set(config, "dtype", HEED_F32);
    CHECK_INT(heed_model_create(config, n, &model, NULL), HEED_OK);
    for (int i = 0; i < heed_tensor_count(model); i++) {
        if (strcmp(heed_tensor_name(model, i), "model.shared.weight") == 0) {
            CHECK_INT(heed_tensor_begin(model, i, 0, HEED_F32, 2, shape), HEED_OK);
            CHECK_INT(heed_tensor_write(model, values, sizeof values), HEED_OK);
        } else CHECK_INT(fill_tensor(model, i, (uint32_t)i, 4096), HEED_OK);
    }
    CHECK_INT(heed_model_finish(model, NULL), HEED_OK);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    for (int first = 1; first >= 0; first--) {
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        for (int i = first; i < 2; i++) CHECK_INT(heed_search_add(session, SOURCES[i], 3, &row), HEED_OK);
        for (running = 1; running > 0;) CHECK_INT(heed_search_step(session, &running), HEED_OK);
        if (first == 0) CHECK_INT(heed_search_hypothesis(session, 0, 0, &h), HEED_E_TENSOR_VALUE);
        CHECK_INT(heed_search_hypothesis(session, row, 0, &h), HEED_OK);
        if (first == 0) CHECK(h.n == alone.n && h.log_prob == alone.log_prob);
        if (first == 0) CHECK(memcmp(alone.ids, h.ids, (size_t)h.n * sizeof *h.ids) == 0);
        memcpy(alone.ids, h.ids, (size_t)h.n * sizeof *h.ids);
        alone.n = h.n;
        alone.log_prob = h.log_prob;
    }
    CHECK(alone.n > 1);
    heed_session_free(session);
    heed_model_free(model);
}

/*
 * Between steps, targets of an SSRU hold one cache row each, and in a step two.  A sentence begins if there are rows
 * for the most that it and the others can take, so that none is put back.  188 rows are enough for sources of 60, 60
 * and 44 tokens, with 8 rows for the beams of each; if one has a token more, it waits.  Each says what it says alone.
 */
static void test_few_rows(const heed_model *model) {
    enum { BATCH = 3, N = 4, LONG = 100, FIT = 44 };
    static int32_t sources[BATCH][LONG];
    static result alone[BATCH];
    const heed_session_options options = {LONG, 60, N, BATCH}, one = {LONG, 60, N, 1};
    const heed_search_options rules = {.beams = N, .max_tokens = 60, .length_penalty = 1.0f};
    for (int last = FIT; last <= FIT + 2; last++) {
        const int lengths[BATCH] = {60, 60, last};
        uint32_t seed = 4;
        int evicted = 0, waited = 0, has_run[BATCH] = {0};
        heed_session *session;
        int32_t row, running;
        result got;
        for (int i = 0; i < BATCH; i++)
            for (int t = 0; t < lengths[i]; t++)
                sources[i][t] = (int32_t)((random_float(&seed) + 1.0f) * 0.5f * (V - 1));
        results_of(model, &one, &rules, sources[0], lengths, BATCH, alone);
        CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
        CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
        for (int i = 0; i < BATCH; i++) CHECK_INT(heed_search_add(session, sources[i], lengths[i], &row), HEED_OK);
        for (running = BATCH; running > 0;) {
            CHECK_INT(heed_search_step(session, &running), HEED_OK);
            for (int i = 0; i < BATCH; i++) {
                const int has_begun = heed_search_hypotheses(session, i) > 0;
                evicted += !has_begun && has_run[i];
                waited += !has_begun;
                has_run[i] = has_begun;
            }
        }
        CHECK_INT(evicted, 0);
        CHECK_INT(waited > 0, last > FIT);
        for (int i = 0; i < BATCH; i++) {
            result_take(&got, session, i);
            CHECK(memcmp(&got, &alone[i], sizeof got) == 0);
        }
        heed_session_free(session);
    }
}

/* The hypotheses of a batch row, and of a teacher-forced pass over each the last row of weights of two heads. */
enum { ATTENDED_BEAMS = 3, ATTENDED_IDS = 12, ATTENDED_HEADS = 4 };
typedef struct {
    int32_t ids[ATTENDED_BEAMS][ATTENDED_IDS + 1];
    int n, n_ids; /* of each */
} attended;

/* As computed alone, by a teacher-forced pass: out [n_heads, n_source]. */
static void attend_alone(heed_session *alone, int32_t point, const int32_t *source, int n_source, const int32_t *ids,
                         int n_ids, const int32_t *heads, int n_heads, float *out) {
    static float weights[ATTENDED_HEADS * (ATTENDED_IDS + 1) * MAX_SOURCE];
    const int T = n_ids + 1; /* row t sees the ids before t; the last id does not count */
    const size_t head = (size_t)T * n_source;
    CHECK_INT(heed_inspect(alone, source, n_source, ids, T, &point, 1, weights, ATTENDED_HEADS * head), HEED_OK);
    for (int i = 0; i < n_heads; i++)
        memcpy(out + (size_t)i * n_source, weights + heads[i] * head + (size_t)n_ids * n_source,
               (size_t)n_source * sizeof *out);
}

/*
 * What each step keeps of cross-attention is that of a teacher-forced pass, bit for bit, in any company: sentences of
 * two kinds come late, one of which does not ask for it.
 */
static void test_attention(const heed_model *model, const corpus *c) {
    enum { BATCH = 4 };
    const int32_t heads[2] = {3, 1}, point = point_named(model, "decoder.layers.2.encoder_attn.weights");
    const heed_session_options options = {MAX_SOURCE, ATTENDED_IDS, ATTENDED_BEAMS, BATCH};
    const heed_session_options pass = {MAX_SOURCE, ATTENDED_IDS + 1, 1, 1};
    const heed_search_options rules[3] = {
        {.beams = ATTENDED_BEAMS, .max_tokens = ATTENDED_IDS, .length_penalty = 1.0f, .attention = 1},
        {.beams = 1, .max_tokens = ATTENDED_IDS, .length_penalty = 1.0f, .attention = 1},
        {.beams = 2, .max_tokens = 5, .length_penalty = 1.0f},
    };
    static attended before[BATCH];
    float got[ATTENDED_BEAMS * 2 * MAX_SOURCE], want[2 * MAX_SOURCE];
    int of[BATCH] = {0}, added = 0, done = 0, compared = 0;
    int32_t row, running, n;
    heed_session *session, *alone;
    heed_hypothesis h;
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);
    CHECK_INT(heed_session_create(model, &pass, &alone), HEED_OK);
    CHECK_INT(heed_search_begin(session, &rules[0]), HEED_OK);
    for (int steps = 0; done < N_SENTENCES && steps < 1000; steps++) {
        CHECK_INT(heed_search_rules(session, &rules[added % 3]), HEED_OK);
        if (added < N_SENTENCES && heed_search_add(session, c->ids[added], c->n[added], &row) == HEED_OK) {
            of[row] = added++;
            CHECK_INT(heed_search_attention(session, row, heads, 2, got, &n), HEED_OK);
            CHECK_INT(n, 0); /* no step, though another sentence had this batch row */
        }
        for (row = 0; row < BATCH; row++) {
            attended *a = &before[row];
            a->n = heed_search_hypotheses(session, row);
            a->n_ids = 0;
            for (int rank = 0; rank < a->n; rank++) {
                CHECK_INT(heed_search_hypothesis(session, row, rank, &h), HEED_OK);
                memcpy(a->ids[rank], h.ids, (size_t)h.n * sizeof *h.ids);
                a->ids[rank][a->n_ids = h.n] = 0;
            }
        }
        CHECK_INT(heed_search_step(session, &running), HEED_OK);
        for (row = 0; row < BATCH; row++) {
            const int i = of[row], S = c->n[i], asks = rules[i % 3].attention;
            attended *a = &before[row];
            if (heed_search_attention(session, row, heads, 2, got, &n) == HEED_E_STATE) continue; /* free */
            if (a->n == 0) { /* it has just begun, with one empty hypothesis */
                a->n = 1;
                a->ids[0][0] = 0;
            }
            if (!CHECK_INT(n, asks ? a->n : 0)) continue;
            for (int rank = 0; rank < n; rank++, compared++) {
                attend_alone(alone, point, c->ids[i], S, a->ids[rank], a->n_ids, heads, 2, want);
                CHECK(memcmp(want, got + (size_t)rank * 2 * S, 2 * (size_t)S * sizeof *want) == 0);
            }
        }
        for (int f; (f = heed_search_finished(session)) >= 0; done++)
            CHECK_INT(heed_search_release(session, f), HEED_OK);
    }
    CHECK_INT(done, N_SENTENCES);
    CHECK(compared > 100);
    heed_session_free(alone);
    heed_session_free(session);
}

/* Every way to search with SSRUs, where hypotheses share cells. */
static void test_ssru(int32_t *config, int n, const corpus *c) {
    config_set(config, "decoder_cell", HEED_SSRU);
    for (int dtype = HEED_F32; dtype <= HEED_I8; dtype += HEED_I8 - HEED_F32) {
        config_set(config, "dtype", dtype);
        heed_model *model = random_model(config, n, 5, 4096);
        if (!CHECK(model != NULL)) return;
        test_mixed(model, c);
        test_attention(model, c);
        test_company(model, c, (heed_search_options){.beams = 1, .max_tokens = 40, .length_penalty = 1.0f});
        test_company(model, c, (heed_search_options){.beams = 4, .max_tokens = 40, .length_penalty = 0.6f});
        test_company(model, c,
                     (heed_search_options){.beams = 2, .max_tokens = 130, .length_penalty = 1.0f, .cut_runaways = 1});
        test_few_rows(model);
        heed_model_free(model);
    }
    config_set(config, "decoder_cell", HEED_SELF_ATTENTION);
}

static void test_errors(const heed_model *model) {
    const heed_session_options options = {4, 6, 2, 2}, too_long = {4, 161, 2, 2}, no_beams = {4, 6, 0, 2};
    const int32_t source[5] = {1, 2, 3, 4, 5}, bad_id[1] = {V}, torn[3] = {3, 1, 1};
    heed_search_options rules = {.beams = 2, .max_tokens = 6, .length_penalty = 1.0f};
    heed_session *session;
    heed_hypothesis h;
    float out[24 * 4];
    int32_t row, running;
    CHECK_INT(heed_session_create(model, &too_long, &session), HEED_E_ARGUMENT);
    CHECK_INT(heed_session_create(model, &no_beams, &session), HEED_E_ARGUMENT);
    CHECK(heed_session_bytes(model, &no_beams) == 0 && heed_session_bytes(model, &options) > 0);
    CHECK_INT(heed_session_create(model, &options, &session), HEED_OK);

    CHECK_INT(heed_search_step(session, &running), HEED_E_STATE);
    CHECK_INT(heed_search_add(session, source, 2, &row), HEED_E_STATE);
    rules.beams = 3;
    CHECK_INT(heed_search_begin(session, &rules), HEED_E_ARGUMENT);
    rules.beams = 2;
    rules.length_penalty = NAN;
    CHECK_INT(heed_search_begin(session, &rules), HEED_E_ARGUMENT);
    rules.length_penalty = 1.0f;
    rules.n_prefix = 1;
    rules.prefix = source;
    CHECK_INT(heed_search_begin(session, &rules), HEED_E_LENGTH);
    rules.max_tokens = 5;
    rules.prefix = bad_id;
    CHECK_INT(heed_search_begin(session, &rules), HEED_E_ID);
    rules.n_prefix = 0;
    rules.bad_words = torn;
    rules.n_bad_words = 3;
    CHECK_INT(heed_search_begin(session, &rules), HEED_E_ARGUMENT);
    rules.n_bad_words = 0;

    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    CHECK_INT(heed_search_add(session, source, 5, &row), HEED_E_LENGTH);
    CHECK_INT(heed_search_add(session, bad_id, 1, &row), HEED_E_ID);
    CHECK_INT(heed_search_add(session, source, 4, &row), HEED_OK);
    CHECK_INT(heed_search_add(session, source, 3, &row), HEED_OK);
    CHECK_INT(heed_search_add(session, source, 3, &row), HEED_E_STATE);
    CHECK_INT(heed_encode(session, source, 4, out), HEED_E_STATE);
    CHECK_INT(heed_forward(session, source, 4, source, 4), HEED_E_STATE);
    CHECK_INT(heed_search_hypotheses(session, 0), 0);
    CHECK_INT(heed_search_step(session, &running), HEED_OK);
    CHECK_INT(running, 2);
    CHECK_INT(heed_search_hypotheses(session, 0), 2);
    CHECK_INT(heed_search_hypothesis(session, 0, 2, &h), HEED_E_ARGUMENT);
    CHECK_INT(heed_search_hypothesis(session, 7, 0, &h), HEED_E_ARGUMENT);
    CHECK_INT(heed_search_release(session, 1), HEED_OK);
    CHECK_INT(heed_search_release(session, -1), HEED_E_ARGUMENT);
    CHECK_INT(heed_search_add(session, source, 3, &row), HEED_OK);
    heed_search_end(session);
    CHECK_INT(heed_encode(session, source, 4, out), HEED_OK);

    float log_prob; /* rows of a pass are gone when a search begins */
    CHECK_INT(heed_forward(session, source, 4, source, 4), HEED_OK);
    CHECK(heed_forward_logits(session, 0, &log_prob) != NULL);
    CHECK_INT(heed_search_begin(session, &rules), HEED_OK);
    CHECK(heed_forward_logits(session, 0, &log_prob) == NULL);
    heed_session_free(session);
}

int main(void) {
    int32_t config[MAX_CONFIG];
    const int n = default_config(config);
    static corpus c;
    config_set(config, "eos_token_id", EOS);
    heed_model *model = random_model(config, n, 5, 4096);
    if (!CHECK(model != NULL)) return check_summary("search");
    make_corpus(&c);
    test_mixed(model, &c);
    test_eviction(model, &c);
    test_rule_sets(model, &c);
    test_rule_limit(model, &c);
    test_company(model, &c, (heed_search_options){.beams = 1, .max_tokens = 40, .length_penalty = 1.0f});
    test_company(model, &c, (heed_search_options){.beams = 4, .max_tokens = 40, .length_penalty = 0.6f});
    test_rules(model, &c);
    test_attention(model, &c);
    test_ties();
    test_loops();
    test_runaways(model, &c);
    test_company(model, &c,
                 (heed_search_options){.beams = 2, .max_tokens = 130, .length_penalty = 1.0f, .cut_runaways = 1});
    test_cache_runs_out(model, &c);
    test_errors(model);
    heed_model_free(model);
    test_overflow(config, n, HEED_F32);
    test_one_overflow(config, n);
    test_overflow(config, n, HEED_I8);

    config_set(config, "dtype", HEED_I8); /* rows are quantised one by one: company does not matter here either */
    model = random_model(config, n, 5, 4096);
    if (!CHECK(model != NULL)) return check_summary("search");
    test_company(model, &c, (heed_search_options){.beams = 3, .max_tokens = 40, .length_penalty = 1.0f});
    test_attention(model, &c);
    heed_model_free(model);
    test_ssru(config, n, &c);
    return check_summary("search");
}
